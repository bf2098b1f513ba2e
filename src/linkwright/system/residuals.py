"""The equations at one instant with nothing solved: residuals over state, accelerations, multipliers, unknowns, inputs.

    q̇ = N u,    R₁ = M u̇ + h − applied + Gᵀ λ = 0,    R₂ = G u̇ + γ − ε (λ − λ₀) = 0,    R₃ = r(y) = 0,    ż = ż(…)

In this form (see `equations.linearised`) they are short, and so are their first and second derivatives; derivatives of
accelerations that are solved for are long.  A *point* has the variables

    v = (q, u, z | q̇, u̇, ż | λ, y | μ, δ | inputs | after | u⁺, Λ)         q̇ only where it is not u

Loops with closed forms have independent coordinates only, q = f(q_i), u = J u_i, u̇ = J u̇_i + b, and JᵀR₁ = 0 in the
place of R₁ and R₂ (`equations.closed_form`).  Of other loops all coordinates are states, and polynomials through points
that are on the loops leave them in between.  So at the *nodes*, where one interval ends and the next begins, the state
is put back by a projection whose multipliers are unknowns too,

    δ = (N Gᵀ μ_q, Gᵀ μ_u),      g(q) = ε μ_q,      ġ(q, u) = ε μ_u

without which the problem would have more equations than unknowns (Bordalba, Schoels, Ros, Porta and Diehl 2023, §V).
Redundant rows do not determine μ and λ; ε makes them the smallest ones.  While loops are not closed such rows are not
redundant, and would block motions that should be free.  Therefore ε is large for them, and the error it causes is
removed by solving again with λ₀ = λ.

A plan may end with an impact, after which some velocities v = J u are zero, and the loops of before are open:

    M (u⁺ − u) = Jᵀ Λ,      J u⁺ = 0
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from ..building import cached_property
from ..equations import EPSILON, epsilons, held_equations, masked
from ..errors import ModelError
from .closed_form import take_states
from .entries import entry_of, split_entry
from .names import Names
from .programs import advance
from .state import State
from .system import System
from .tolerances import CLOSED, REDUNDANT


class Implicit:
    """The implicit equations of a system at a point, and expressions there.

    `inputs` are places in d, `state` is where a motion begins (its branches are taken), `after` counts variables that
    are free for equations of the last point, where the velocities `caught` come to rest in an impact.  Rows are
    `residuals`, which hold at every point, and `closing`, which holds at nodes.
    """

    def __init__(self, system: System, state: State, inputs: Sequence[int], after: int = 0,
                 caught: Sequence[str] = ()):
        self.system, self.inputs, self.caught = system, list(inputs), list(caught)
        e = self.equations = held_equations(system.equations)
        # an impact opens loops, so that all coordinates are needed
        self.closed = system.equations.explicit if not caught and _is_closed(system, state) else None
        m = system.mechanism
        self.plain = system.plain_speeds
        dependent = [k for places in self.closed.q_places for k in places] if self.closed else []
        self.dependent = dependent
        self._own = {"q": [k for k in range(m.nq) if k not in dependent],
                     "u": self.closed.independent if self.closed else list(range(m.nu)),
                     "z": list(range(e.symbols["z"].numel()))}
        sizes = {name: len(own) for name, own in self._own.items()}
        rows = [] if self.closed else e.rows
        self._G = {level: _stacked([r.G for r in rows if r.level in levels], m.nu) for level, levels in
                   (("q", ("position",)), ("u", ("position", "velocity")))}
        held = sum(r.G.shape[0] for r in rows)
        self.loops = bool(held)
        self.redundant = self.loops and system.redundant > 0
        sizes |= {"qdot": 0 if self.plain else sizes["q"], "udot": sizes["u"], "zdot": sizes["z"],
                  "lambda": held, "y": e.y.numel(), "mu": sum(G.shape[0] for G in self._G.values()),
                  "delta": sizes["q"] + sizes["u"] if held else 0, "w": len(self.inputs), "after": after,
                  "thrown": m.nu if caught else 0, "impulse": len(self.caught)}
        parts = {name: ca.SX.sym(name, size) for name, size in sizes.items()}
        ends = np.cumsum([0, *sizes.values()]).tolist()
        self.places = {name: slice(a, b) for name, a, b in zip(parts, ends[:-1], ends[1:], strict=True)}
        self.variables = ca.vertcat(*parts.values())
        self.w, self.after = parts["w"], parts["after"]
        self.n = ends[-1]
        self.nx = sizes["q"] + sizes["u"] + sizes["z"]
        #: where ẋ lies among the variables
        self.slopes = [k for name in ("u" if self.plain else "qdot", "udot", "zdot")
                       for k in range(self.places[name].start, self.places[name].stop)]
        #: turns of the dependent angles, given with a point
        self.near = ca.SX.sym("near", len(dependent))
        #: λ₀ of loops with redundant rows, given with a point
        self.leaned_on = ca.SX.sym("leaned_on", held if self.redundant else 0)
        self._given = self._whole(parts)
        self._rows(parts)

    def _whole(self, parts: dict[str, ca.SX]) -> dict[str, ca.SX]:
        """What the symbols of the equations are at a point."""
        e, symbols = self.equations, self.equations.symbols
        d = ca.SX(symbols["d"])
        for place, symbol in zip(self.inputs, ca.vertsplit(self.w) if self.inputs else [], strict=True):
            d[place] = symbol
        given = {"t": symbols["t"], "p": symbols["p"], "d": d, "f": ca.SX.zeros(symbols["f"].numel()),
                 "z": parts["z"], "lambda": parts["lambda"] if self.loops else ca.SX.zeros(e.multipliers.numel()),
                 "y": parts["y"]}
        if self.closed is None:
            return given | {name: parts[name] for name in ("q", "u", "udot")}
        q, u, udot = (ca.SX.zeros(symbols[name].numel()) for name in ("q", "u", "udot"))
        q[self._own["q"]], q[self.dependent] = parts["q"], self.near
        u[self._own["u"]], udot[self._own["u"]] = parts["u"], parts["udot"]
        J, b = self.closed.maps
        own = [symbols[name] for name in "tpdqu"]
        restore = ca.Function("restore", own, [self.closed.restore["q"], self.closed.restore["u"]])
        q, u = restore.call([given["t"], given["p"], d, q, u])
        follow = ca.Function("follow", [*own, symbols["udot"]], [J @ symbols["udot"][self._own["u"]] + b])
        return given | {"q": q, "u": u, "udot": follow.call([given["t"], given["p"], d, q, u, udot])[0]}

    def _rows(self, parts: dict[str, ca.SX]) -> None:
        """Residuals and closing equations, with their names."""
        e, m, system = self.equations, self.system.mechanism, self.system
        motion = e.tau
        udot = e.symbols["udot"]
        names = system.part_names("u")
        if self.closed is not None:
            motion, names = self.closed.maps[0].T @ motion, [names[k] for k in self._own["u"]]
        elif self.loops:
            motion = motion + masked(e.rows)[0].T @ e.multipliers
        for k, given in e.prescribed.items():
            for i, place in enumerate(range(m.nu)[m.slices()[1][k]]):
                motion[self._own["u"].index(place)] = udot[place] - given[i]
        blocks = [motion]
        labels = [f"the motion of {name}" for name in names]
        if self.loops:
            size = REDUNDANT / EPSILON * e.epsilon if self.redundant else e.epsilon
            epsilon = ca.vertcat(*[epsilons(e.mass_matrix, r, size) for r in e.rows])
            gamma = ca.vertcat(*[r.gamma for r in e.rows])
            leaned_on = self.leaned_on if self.redundant else 0
            blocks.append(ca.vertcat(*[r.G for r in e.rows]) @ udot + gamma - epsilon * (e.multipliers - leaned_on))
            labels += [f"the loop {r.name}" for r in e.rows for _ in range(r.G.shape[0])]
        blocks.append(e.unknown_residuals)
        labels += [f"the unknown {name}" for name, symbol, *_ in e.unknowns for _ in range(symbol.numel())]
        at_point = [self._in_point(ca.vertcat(*blocks), self.leaned_on), parts["zdot"] - self._in_point(e.zdot)]
        labels += [f"the rate of {name}" for name in system.part_names("z")]
        if not self.plain:
            at_point.append(parts["qdot"] - self._in_point(e.qdot[self._own["q"]]))
            labels += [f"the rate of {system.part_names('q')[k]}" for k in self._own["q"]]
        self.residuals, self.labels = ca.vertcat(*at_point), labels
        self.closing, self.closing_labels = ca.SX(0, 1), []
        if self.loops:
            mu_q, mu_u = ca.vertsplit(parts["mu"], [0, self._G["q"].shape[0], parts["mu"].numel()])
            gaps = ca.vertcat(e.position_error, e.velocity_error)
            toward = ca.vertcat(advance(e, self._G["q"].T @ mu_q), self._G["u"].T @ mu_u)
            self.closing = ca.vertcat(self._in_point(gaps) - CLOSED * parts["mu"],
                                      parts["delta"] - self._in_point(toward, parts["mu"]))
            self.closing_labels = [f"the loop {r.name}" for levels in (("position",), ("position", "velocity"))
                                   for r in e.rows if r.level in levels for _ in range(r.G.shape[0])]
            self.closing_labels += [f"the projection of {name}" for part in "qu" for name in system.part_names(part)]

    def impact(self) -> ca.SX:
        """What vanishes at the last point: M (u⁺ − u) − Jᵀ Λ, J u⁺."""
        e = self.equations
        thrown, impulse = (self.variables[self.places[name]] for name in ("thrown", "impulse"))
        velocities = ca.vertcat(ca.SX(0, 1), *[_entry(self._names, name) for name in self.caught])
        J = ca.jacobian(velocities, e.symbols["u"])
        if ca.depends_on(J, e.symbols["u"]) or any(not J[k, :].nnz() for k in range(J.shape[0])):
            raise ModelError(f"impact: {', '.join(self.caught)} are not all velocities; name some, \"foot.v_0[0]\".",
                             *self.caught)
        rows = ca.vertcat(e.mass_matrix @ (thrown - e.symbols["u"]) - J.T @ impulse, J @ thrown)
        return self._in_point(rows, thrown, impulse)

    def expression_after(self, name: str) -> ca.SX:
        """A variable of the model after the impact, in terms of the last point."""
        if not self.caught:
            return self.expression(name)
        e = self.equations
        thrown = self.variables[self.places["thrown"]]
        before = self._names.expression(name)
        others = [s for s in ca.symvar(before) if not _is_among(s, e.symbols["u"])]
        after = ca.Function("after", [e.symbols["u"], *others], [before]).call([thrown, *others])[0]
        return self._in_point(ca.densify(after), thrown)

    @cached_property
    def _names(self) -> Names:
        return Names(self.equations)

    # --- what is given at a point ---

    @cached_property
    def constants(self) -> ca.SX:
        """Time, discrete variables, parameters, turns of dependent angles, λ₀."""
        return ca.vertcat(*[ca.vec(self.equations.symbols[name]) for name in "tdp"], self.near, self.leaned_on)

    def constants_of(self, state: State, times: np.ndarray, states: np.ndarray | None = None,
                     points: np.ndarray | None = None) -> np.ndarray:
        """The same as numbers, one row for each time.

        Turns are those of `states`, whole states near by, and λ₀ is that of `points`.
        """
        near = np.asarray(state.q)[None] if states is None else states
        leaned_on = np.zeros((1, self.leaned_on.numel()))
        if points is not None and self.redundant:
            leaned_on = points[:, self.places["lambda"]]
        parts = [times[:, None], np.concatenate([state.d, state.p])[None], near[:, self.dependent], leaned_on]
        return np.hstack([np.broadcast_to(part, (len(times), part.shape[1])) for part in parts])

    # --- states ---

    def own(self, states: np.ndarray) -> np.ndarray:
        """The entries of whole states (q, u, z) that are states of a point."""
        m = self.system.mechanism
        starts = {"q": 0, "u": m.nq, "z": m.nq + m.nu}
        return states[..., [starts[name] + k for name, own in self._own.items() for k in own]]

    def whole(self, x: np.ndarray, constants: np.ndarray) -> np.ndarray:
        """Whole states of those of points, one row each."""
        return x if self.closed is None else np.array(self._whole_states(x.T, constants.T)).T

    def followed(self, x: np.ndarray, state: State, times: np.ndarray) -> np.ndarray:
        """Whole states of a course that begins near `state`: dependent angles go on without jumps of full turns."""
        states = self.whole(x, self.constants_of(state, times))
        for closure, places in zip(self.closed.closures, self.closed.q_places, strict=True) if self.closed else ():
            for place, angle in zip(places, closure.angles, strict=True):
                if angle:
                    states[:, place] = np.unwrap(states[:, place])
        return states

    @cached_property
    def _whole_states(self) -> ca.Function:
        x = self.variables[: self.nx]
        return ca.Function("whole", [x, self.constants], [ca.vertcat(*[self._given[name] for name in "quz"])])

    # --- expressions ---

    def expression(self, name: str) -> ca.SX:
        """A variable of the model, in terms of a point."""
        expression = ca.densify(self._names.expression(name))
        if self.closed is not None and ca.depends_on(expression, self.equations.multipliers):
            raise ModelError(f"{name}: forces inside loops in closed form are no unknowns of a plan; give "
                             'lw.compile(model, formulation="projection") in the place of the model.', name)
        return self._in_point(expression)

    def _in_point(self, expression: ca.SX, *further: ca.SX) -> ca.SX:
        """With the variables of a point in the place of the symbols of the equations."""
        e = self.equations
        symbols = {**e.symbols, "lambda": e.multipliers, "y": e.y}
        function = ca.Function("point", [*symbols.values(), *further], [expression])
        return function.call([*[self._given[name] for name in symbols], *further])[0]

    def names(self) -> list[str]:
        """Names of the variables of a point, for messages."""
        system = self.system
        lists = {name: [system.part_names(name)[k] for k in own] for name, own in self._own.items()}
        out = [*lists["q"], *lists["u"], *lists["z"]]
        out += [] if self.plain else [f"der({name})" for name in lists["q"]]
        out += [f"der({name})" for name in (*lists["u"], *lists["z"])]
        out += [f"unknown {k + 1}" for k in range(self.places["w"].start - len(out))]
        return [*out, *[system.part_names("d")[k] for k in self.inputs],
                *["after"] * (self.n - self.places["w"].stop)]


def _entry(names: Names, name: str) -> ca.SX:
    """A variable that is one number, or an entry of one, "foot.v_0[1]"."""
    whole, place = split_entry(name, names)
    return entry_of(name, names.expression(whole), place)


def _is_among(symbol: ca.SX, symbols: ca.SX) -> bool:
    return symbol.element_hash() in {s.element_hash() for s in ca.vertsplit(symbols)}


def _is_closed(system: System, state: State) -> bool:
    """Whether closed forms hold all loops at a state, whose branches they take then."""
    if not system.minimal or not system.code.has_closed_form or system.equations.explicit.partial:
        return False
    return take_states(system, state)


def _stacked(blocks: list[ca.SX], columns: int) -> ca.SX:
    return ca.sparsify(ca.vertcat(ca.SX(0, columns), *blocks))
