"""Programs over one common input vector (t | q u z | d p f y): expressions in, segments for the compiler out.

Algebraic unknowns become Newton segments, block after block, that start from the vector y; expressions without unknowns
become one piece of straight-line code.  The compiler merges equal operations itself, so no expression is simplified
here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import casadi as ca
import numpy as np

from ..codegen import Newton, Program, Segment, Straight
from ..equations import Equations, Kkt, Rows, TangentEquations, holds, momenta, momentum_rates, restoring, speeds_of
from ..errors import ModelError
from .layout import INPUTS, Layout
from .minimal_states import SPEEDS, choice, resistance, strain
from .tolerances import NEWTON_LIMIT


def build_program(name: str, layout: Layout, outputs: Mapping[str, ca.SX], inputs: Sequence[str] = INPUTS,
                  fixed: Mapping[str, np.ndarray] | None = None, extra: Mapping[str, ca.SX] | None = None,
                  health: ca.SX | None = None) -> Program:
    """The program that computes `outputs` from `inputs`; parts in `fixed` are folded into the code.

    `extra` are further input vectors with symbols of their own; an output of None stands for the solved unknowns of
    that name.  Where a Newton loop fails all outputs are NaN; with `health`, an output of that name is added before the
    unknowns, which is negative then, and the others are left as they are.
    """
    extra, fixed = dict(extra or {}), dict(fixed or {})
    symbols = {n: s for n, s in layout.symbols.items() if s.numel() and (n in inputs or n in fixed)}
    symbols |= extra
    expressions = {n: ca.SX(e) for n, e in outputs.items() if e is not None and ca.SX(e).numel()}
    names = [n for n in outputs if n in expressions or outputs[n] is None]
    if health is not None:
        expressions["health"] = health
        names.insert(next((k for k, n in enumerate(names) if outputs[n] is None), len(names)), "health")
    writer = _Writer(name, layout, symbols, {n: v for n, v in fixed.items() if n in symbols})
    blocks = len(layout.blocks) if any(e is None for e in outputs.values()) else \
        writer.blocks_needed(expressions.values())
    sizes = {n: e.numel() for n, e in expressions.items()}
    if blocks:
        watched = {n: size for n, size in sizes.items() if health is None or n == "health"}
        raw = {f"raw {n}" if n in watched else n: e for n, e in expressions.items()}
        segments = [*writer.newton("y" in inputs, blocks), writer.straight(name, raw, layout.unknowns[:blocks]),
                    _where_solved(layout, f"{name}_checked", watched, np.nan if health is None else -1.0, blocks)]
    else:
        segments = [writer.straight(name, expressions, ())]
    sizes |= {n: len(block.start) for n, block in zip(layout.unknowns, layout.blocks, strict=True)}
    vectors = [*layout.vectors(inputs), *((n, s.numel()) for n, s in extra.items())]
    return Program(name, vectors, [(n, sizes[n]) for n in names], segments)


class _Writer:
    """Segments of one program: the symbols that may occur, those with a fixed value folded."""

    def __init__(self, name: str, layout: Layout, symbols: Mapping[str, ca.SX],
                 fixed: Mapping[str, np.ndarray]) -> None:
        self.name, self.layout = name, layout
        self.symbols, self.fixed = dict(symbols), fixed
        self.reads = tuple(n for n in symbols if n not in fixed)

    def blocks_needed(self, expressions: Iterable[ca.SX]) -> int:
        """How many of the blocks of unknowns have to be solved, in their order, for expressions to be known."""
        joined = ca.veccat(*expressions)
        return max((k for k, b in enumerate(self.layout.blocks, 1) if ca.depends_on(joined, b.y)), default=0)

    def function(self, name: str, expressions: list[ca.SX], unknowns: Sequence[ca.SX]) -> ca.Function:
        """An SX function of the read vectors and the given unknowns."""
        arguments = [*self.symbols.values(), *unknowns]
        function = _function(self.name, name, arguments, expressions)
        if not self.fixed:
            return function
        values = [ca.DM(self.fixed[n]) if n in self.fixed else s for n, s in self.symbols.items()]
        folded = function.call([*map(ca.SX, values), *unknowns])
        return _function(self.name, name, [self.symbols[n] for n in self.reads] + list(unknowns), folded)

    def newton(self, guessed: bool, blocks: int) -> list[Segment]:
        """One Newton segment per block, of so many; where no guess is given it starts from the block's own."""
        layout, segments = self.layout, []
        for k, block in enumerate(layout.blocks[:blocks]):
            guess = layout.guesses[k]
            if block.guess is not None:
                guess = f"sought{k}"
                before = [b.y for b in layout.blocks[:k]]
                segments.append(Straight(self.function(guess, [block.guess], before),
                                         (*self.reads, *layout.unknowns[:k]), (guess,)))
            elif not guessed:
                start = ca.Function(f"start{k}", [], [ca.SX(ca.DM(np.asarray(block.start, float)))])
                segments.append(Straight(start, (), (guess,)))
            known = [b.y for b in layout.blocks[: k + 1]]
            residual = self.function(f"residual{k}", [block.residual], known)
            jacobian = self.function(f"jacobian{k}", [ca.densify(ca.jacobian(block.residual, block.y))], known)
            segments.append(Newton(layout.unknowns[k], residual, jacobian, (*self.reads, *layout.unknowns[:k]),
                                   guess, f"status{k}", affine=block.affine))
        return segments

    def straight(self, name: str, expressions: Mapping[str, ca.SX], unknowns: Sequence[str]) -> Straight:
        y = [block.y for block in self.layout.blocks[: len(unknowns)]]
        function = self.function(name, list(expressions.values()), y)
        return Straight(function, (*self.reads, *unknowns), tuple(expressions))


def _function(program: str, name: str, arguments: list[ca.SX], results: list[ca.SX]) -> ca.Function:
    """An SX function, or an error that names the symbols nobody gives a value to."""
    try:
        return ca.Function(name, arguments, results)
    except RuntimeError as error:
        known = ca.veccat(*arguments)
        free = sorted({str(s) for s in ca.symvar(ca.veccat(*results)) if not ca.depends_on(known, s)})
        if not free:
            raise ModelError(f"{program}: the expressions cannot be compiled: {str(error).splitlines()[-1]}") from None
        raise ModelError(f"{program}: the expressions contain {', '.join(free)}, which belongs to nothing in this "
                         "mechanism; use its own variables, parameters and time.", *free) from None


def _where_solved(layout: Layout, name: str, values: Mapping[str, int], otherwise: float, blocks: int) -> Straight:
    """Vectors "name" from "raw name", replaced by a number where one of the Newton loops did not converge."""
    symbols = {n: ca.SX.sym("x", size) for n, size in values.items()}
    arguments, reads, good = list(symbols.values()), [f"raw {n}" for n in values], ca.SX(1)
    for k, block in enumerate(layout.blocks[:blocks]):
        status, y = ca.SX.sym("status", 2), ca.SX.sym("y", len(block.start))
        good = ca.logic_and(good, status[1] <= NEWTON_LIMIT * (1 + ca.norm_inf(y)))
        arguments += [status, y]
        reads += [f"status{k}", layout.unknowns[k]]
    results = [ca.if_else(good, x, otherwise) for x in symbols.values()]
    return Straight(ca.Function(name, arguments, results), tuple(reads), tuple(values))


def rhs_program(layout: Layout) -> Program:
    """(q̇ u̇ ż | health | y); a tree without unknowns has no health to look at."""
    e = layout.equations
    outputs = {"qdot": e.qdot, "udot": stilled(e, e.udot), "zdot": e.zdot, **dict.fromkeys(layout.unknowns)}
    watched = not e.mechanism.is_tree or layout.blocks
    return build_program("rhs", layout, outputs, health=e.pivot if watched else None)


def stilled(e: Equations, udot: ca.SX) -> ca.SX:
    """u̇ with exact zeros where a row holds the speed of a single mobility, so that rounding does not move it."""
    udot, events = ca.SX(udot), e.mechanism.events
    holding = {row.name: row.held for row in events.rows if not row.opens}
    for rows in e.rows:
        if rows.name in holding and rows.G.nnz() == rows.G.shape[0] and rows.gamma.is_zero():
            for k in rows.G.sparsity().get_col():
                udot[k] = ca.if_else(holding[rows.name], 0, udot[k])
    return udot


def qdot_program(layout: Layout) -> Program:
    """q̇ = N(q) u alone, for methods that advance positions by themselves."""
    return build_program("qdot", layout, {"qdot": layout.equations.qdot})


def momenta_program(layout: Layout) -> Program:
    """(w, ẇ) from q, u and ẋ (see `equations.momenta`), for methods that keep momenta of floating bodies."""
    e = layout.equations
    m = e.mechanism
    slope = ca.SX.sym("slope", m.nq + m.nu + layout.size("z"))
    outputs = {"momenta": momenta(e.kinematics), "rates": momentum_rates(e.kinematics, slope[m.nq : m.nq + m.nu])}
    return build_program("momenta", layout, outputs, extra={"slope": slope})


def speeds_program(layout: Layout) -> Program:
    """u from q and w in the place of u."""
    e = layout.equations
    return build_program("speeds", layout, {"speeds": speeds_of(e.mechanism, e.symbols["q"], e.symbols["u"])})


def project_program(layout: Layout, returning: Callable[[Equations], ca.SX] | None = None) -> Program:
    """One iteration of coordinate projection, and what a stepper watches (see `project_outputs`)."""
    return build_program("project", layout, project_outputs(layout, returning))


def project_outputs(layout: Layout, returning: Callable[[Equations], ca.SX] | None = None) -> dict[str, ca.SX]:
    """One iteration of coordinate projection (Simbody Theory Manual §10.1), and the error norms before it.

        δ = −G⁺ g(q),   q ← q + N δ;      u ← u − G⁺ ġ(q, u)

    Then come the strain, which is positive where other code should be used (a closed form, as `returning` says, or
    other states), the weakness of the equations, and how well every constraint holds (see `equations.impulses`).
    """
    e = layout.equations
    q, u, z = (e.symbols[n] for n in "quz")
    chosen = returning is None and choice(e.mechanism, SPEEDS) is not None
    shift, step, grip = corrections(e, e.position_error, e.velocity_error, chosen)
    outputs = {"q_new": q + advance(e, shift), "u_new": u + step, "z_new": z,
               "position_norm": _norm(masked(e, "position", e.position_error)),
               "velocity_norm": _norm(masked(e, "velocity", e.velocity_error)),
               "strain": ca.SX(0) if returning is None else returning(e), "grip": grip}
    if chosen:
        outputs["strain"] = strain(e, lambda w: corrections(e, None, _velocities(e, w), chosen)[1])
    return outputs


def project_error_program(layout: Layout, closed: bool = False) -> Program:
    """What is left of an error of the state after projection: e_q − N G⁺ G N⁺ e_q,  e_u − G⁺ G e_u."""
    e = layout.equations
    m = e.mechanism
    chosen = not closed and choice(m, SPEEDS) is not None
    error = ca.SX.sym("error", m.nq + m.nu + layout.size("z"))
    e_q, e_u, e_z = error[: m.nq], error[m.nq : m.nq + m.nu], error[m.nq + m.nu :]
    along = tangent(e, e_q)
    gap = ca.vertcat(ca.SX(0, 1), *[r.G @ along for r in _rows(e, "position")])
    rate = _velocities(e, e_u)
    shift, step, _ = corrections(e, gap, rate, chosen)
    outputs = {"e_q": e_q + advance(e, shift), "e_u": e_u + step, "e_z": e_z}
    return build_program("project_error", layout, outputs, extra={"error": error})


def _velocities(e: Equations, u: ca.SX) -> ca.SX:
    """G u of the equations on velocity level."""
    return ca.vertcat(ca.SX(0, 1), *[r.G @ u for r in _rows(e, "velocity")])


def _rows(e: Equations, level: str) -> list[Rows]:
    """The constraints that hold on position level; on velocity level those of velocity too."""
    levels = ("position",) if level == "position" else ("position", "velocity")
    return [r for r in e.rows if r.level in levels]


def masked(e: Equations, level: str, errors: ca.SX) -> ca.SX:
    """Errors of the constraints of a level, zero where their mode is off."""
    masks = [ca.SX.ones(r.G.shape[0]) if r.mode is None else ca.repmat(r.mode, r.G.shape[0], 1)
             for r in _rows(e, level)]
    return ca.if_else(ca.vertcat(ca.SX(0, 1), *masks), errors, 0)


def corrections(e: Equations, gap: ca.SX | None, rate: ca.SX, chosen: bool) -> tuple[ca.SX, ca.SX, ca.SX]:
    """The least changes of coordinates (tangent) and speeds that remove `gap` and `rate`: −G⁺ gap and −G⁺ rate.

    With them come the weakness of the equations, and how well each constraint holds.

    In the metric of the kinetic energy, or so that chosen states resist (see `minimal_states`).  With [[W, Gᵀ], [G,
    −ε]] redundant rows are harmless here too.
    """
    if not chosen:
        return restoring(e, gap, rate)
    out = []
    for level, errors in (("position", gap), ("velocity", rate)):
        rows, bottom, start = _rows(e, level) if errors is not None else [], [], 0
        for r in rows:
            bottom.append(-errors[start : (start := start + r.G.shape[0])])
        if not rows:
            out.append(ca.SX.zeros(e.mechanism.nu))
            continue
        kkt = Kkt(resistance(e.mechanism, level), rows, e.given_speeds)
        out.append(kkt.solve(ca.SX.zeros(e.mechanism.nu), bottom)[0])
    return out[0], out[1], ca.vertcat(0, holds(rows, kkt.pivots[kkt.n :]) if rows else ca.SX(0, 1))


def moved(e: TangentEquations, projected: Mapping[str, ca.SX]) -> ca.SX:
    """The state after a projection, without tangents."""
    return ca.vertcat(projected["q_new"], projected["u_new"], e.arguments["z"])


def corrected(e: TangentEquations, k: int, in_force: bool) -> ca.SX:
    """Column k of tangents on the constraints, linearised: δq − N G⁺ δg, then δu − G⁺ δġ."""
    column = e.parts(k)
    shift, _, _ = corrections(e, e.along(e.position_error, k), ca.SX.zeros(e.velocity_error.numel()), in_force)
    moved = column["q"] + advance(e, shift)
    rate = e.along(e.velocity_error, k, q=moved)
    _, step, _ = corrections(e, ca.SX.zeros(e.position_error.numel()), rate, in_force)
    return ca.vertcat(moved, column["u"] + step, column["z"])


def tangent(e: Equations, change: ca.SX) -> ca.SX:
    """N⁺(q) change: a change of coordinates along the mobilities."""
    q, (q_slices, _) = e.symbols["q"], e.mechanism.slices()
    return ca.vertcat(ca.SX(0, 1), *[ca.SX(b.mobilizer.speeds(q[s], change[s])) for b, s in
                                     zip(e.mechanism.bodies, q_slices, strict=True) if b.mobilizer.nq])


def advance(e: Equations, shift: ca.SX) -> ca.SX:
    """N(q) δ: the change of coordinates along tangent coordinates δ."""
    q, (q_slices, u_slices) = e.symbols["q"], e.mechanism.slices()
    return ca.vertcat(ca.SX(0, 1), *[ca.SX(b.mobilizer.qdot(q[qs], shift[us])) for b, qs, us in
                                     zip(e.mechanism.bodies, q_slices, u_slices, strict=True) if b.mobilizer.nq])


def _norm(errors: ca.SX) -> ca.SX:
    return ca.norm_inf(errors) if errors.numel() else ca.SX(0)
