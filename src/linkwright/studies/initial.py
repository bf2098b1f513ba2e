"""Initial values: from what the user gave to a state that satisfies it.

Unknowns are the coordinates (moved along their mobilities), speeds, auxiliary states where something depends on them,
and parameters marked `lw.free`.  Fixed start values, initial equations and the loops' equations must hold; guesses say
where to begin.  Newton steps of least norm leave alone what nothing asks for.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..components import Model
from ..components.fields import Guess
from ..errors import AssemblyError, InitialError
from ..topology.loops import wind

TOLERANCE = 1e-11
ITERATIONS = 60
LOOP = "loop"
ATTEMPTS = 12  # starts tried before loops are said not to close


@dataclass
class StartValue:
    """One number given by the user: variable name, entry, value, and whether it must hold."""

    name: str
    entry: int
    value: float
    fixed: bool

    @property
    def label(self) -> str:
        return self.name if self.entry < 0 else f"{self.name}[{self.entry}]"


def start_values(model: Model) -> list[StartValue]:
    """All start values given in a model."""
    out = []
    for component in model.leaves():
        for name, entries in component._initial.items():
            for k, entry in enumerate(entries):
                if entry is not None:
                    value = entry.value if isinstance(entry, Guess) else entry
                    out.append(StartValue(f"{component.path}.{name}", k if len(entries) > 1 else -1, float(value),
                                          not isinstance(entry, Guess)))
    return out


def initial_state(system, starts: list[StartValue], freed: tuple[str, ...]):
    """The state that satisfies the start values, initial equations and loops."""
    state = system.state_from_defaults()
    problem = _Problem(system, starts, freed)
    if problem.empty:
        return state
    problem.find(state)
    problem.check(state)
    count_turns(system, state)
    return state


def count_turns(system, state) -> None:
    """Bring the states that count the turns of cut joints to the angles of a state (the nearest turn is kept)."""
    translation = getattr(system, "translation", None)
    if translation is None or not translation.windings:
        return
    wound = ca.vertcat(*[wind(w.angle, w.symbol) for w in translation.windings])
    e = system.equations
    parts = ("t", "q", "u", "z", "d", "p")
    function = ca.Function("wound", [e.symbols[n] for n in parts], [e.finish(wound)[0]])
    values = np.array(function(*[ca.DM(getattr(state, n)) for n in parts])).ravel()
    places, offset = {}, 0
    for item in system.mechanism.states:
        places[item.name] = offset
        offset += item.symbol.numel()
    z = np.array(state.z)
    for winding, value in zip(translation.windings, values, strict=True):
        z[places[winding.name]] = value
    state.z = z


class _Problem:
    """Residuals over (q, u, z, p, y) with their Jacobian along δ = (mobilities, speeds, z, freed p, y)."""

    def __init__(self, system, starts, freed):
        self.system = system
        equations, translation = system.equations, system.translation
        expressions = [translation.definitions.expand(translation.definitions.lookup(s.name)) for s in starts]
        residuals = [ca.vec(e)[max(s.entry, 0)] - s.value for s, e in zip(starts, expressions, strict=True)]
        labels = [(s.label, s.fixed, s.value) for s in starts]
        for k, extra in enumerate(translation.equations):
            for entry in ca.vertsplit(extra):
                residuals.append(entry)
                labels.append((f"initial equation {k + 1}", True, None))
        if residuals:
            residuals = list(ca.vertsplit(equations.finish(ca.vertcat(*residuals))[0]))
        for errors, kind in ((equations.position_error, "position"), (equations.velocity_error, "velocity")):
            names = iter(system.row_names(kind))
            for entry in ca.vertsplit(errors) if errors.numel() else ():
                residuals.append(entry)
                labels.append((f"{LOOP} {next(names)} ({kind})", True, None))
        for block in equations.blocks:
            residuals += ca.vertsplit(block.residual)
            labels += [(name, True, None) for name in block.names]
        self.labels, self.empty = labels, not residuals
        if self.empty:
            return
        self._functions(equations, ca.vertcat(*residuals), freed)

    def _functions(self, equations, r, freed):
        s = equations.symbols
        mechanism = self.system.mechanism
        delta = ca.SX.sym("delta", mechanism.nu)
        N = ca.jacobian(ca.substitute(equations.qdot, s["u"], delta), delta)
        offset, self.free_places = 0, []
        for parameter in mechanism.parameters:
            n = parameter.symbol.numel()
            if parameter.name in freed:
                self.free_places += range(offset, offset + n)
            offset += n
        y = equations.y
        inputs = [s["t"], s["q"], s["u"], s["z"], s["d"], s["p"], y]
        columns = [ca.jacobian(r, s["q"]) @ N, ca.jacobian(r, s["u"]), ca.jacobian(r, s["p"])[:, self.free_places],
                   ca.jacobian(r, y)]
        zeros = [ca.SX.zeros(mechanism.nu)]
        J = ca.substitute(ca.horzcat(*columns), s["f"], zeros[0]) if mechanism.nu else ca.horzcat(*columns)
        r = ca.substitute(r, s["f"], zeros[0]) if mechanism.nu else r
        self.residual = ca.Function("r", inputs, [r, ca.densify(J)])
        self.N = ca.Function("N", [s["q"]], [ca.densify(N)])

    def _evaluate(self, state):
        values = [state.t, state.q, state.u, state.z, state.d, state.p, state.y]
        r, J = self.residual(*[ca.DM(v) for v in values])
        return np.array(r).ravel(), np.array(J)

    def find(self, state) -> None:
        """Begin at the guesses and move as little as what must hold asks for; where that ends nowhere, begin near."""
        self.solve(state, everything=True, loops=False)
        guessed = {name: np.array(getattr(state, name)) for name in "quzpy"}
        random, best, kept = np.random.default_rng(0), np.inf, guessed
        for attempt in range(ATTEMPTS):
            for name, value in guessed.items():
                setattr(state, name, value.copy())
            if attempt == 1:
                self.solve(state, everything=True)
            elif attempt > 1:
                self._shift(state, random.normal(scale=0.15 * attempt, size=self.system.mechanism.nu))
            self.solve(state, everything=False)
            fixed = np.array([f for _, f, _ in self.labels])
            size = np.abs(self._evaluate(state)[0][fixed]).max(initial=0.0)
            if size < best:
                best, kept = size, {name: np.array(getattr(state, name)) for name in "quzpy"}
            if best < 1e-8 or not any(label.startswith(LOOP) for label, *_ in self.labels):
                break
        for name, value in kept.items():
            setattr(state, name, value)

    def _shift(self, state, delta) -> None:
        """Move the coordinates along their mobilities."""
        state.q = self._normalised(state.q + np.array(self.N(state.q) @ delta).ravel())

    def solve(self, state, everything: bool, loops: bool = True) -> None:
        """Damped Gauss–Newton with steps of least norm; `everything` counts guesses as if they had to hold."""
        use = np.array([(everything or fixed) and (loops or not label.startswith(LOOP))
                        for label, fixed, _ in self.labels])
        if not use.any():
            return
        best = np.inf
        for _ in range(ITERATIONS):
            r, J = self._evaluate(state)
            r, J = r[use], J[use]
            size = np.abs(r).max(initial=0.0)
            if size < TOLERANCE:
                return
            if not np.all(np.isfinite(r)) or not np.all(np.isfinite(J)):
                return
            step = -np.linalg.lstsq(J, r, rcond=1e-10)[0]
            best = min(best, size)
            if np.abs(step).max(initial=0.0) < 1e-14:
                return
            # no coordinate turns by more than a radian at once, nor slides by more than the gap
            longest = np.abs(step[: self.system.mechanism.nu]).max(initial=0.0)
            self._move(state, step / max(1.0, longest / max(1.0, size)), use)

    def _move(self, state, step, use) -> None:
        """Take the step, halved until the residual does not grow too much."""
        before = np.linalg.norm(self._evaluate(state)[0][use])
        saved = {name: np.array(getattr(state, name)) for name in "quzpy"}
        nu = self.system.mechanism.nu
        for scale in (1.0, 0.5, 0.25, 0.1, 0.03):
            d = step * scale
            state.q = self._normalised(saved["q"] + np.array(self.N(saved["q"]) @ d[:nu]).ravel())
            state.u = saved["u"] + d[nu : 2 * nu]
            p = saved["p"].copy()
            p[self.free_places] += d[2 * nu : 2 * nu + len(self.free_places)]
            state.p = p
            state.y = saved["y"] + d[2 * nu + len(self.free_places):]
            after = np.linalg.norm(self._evaluate(state)[0][use])
            if np.isfinite(after) and after < before:
                return

    def _normalised(self, q):
        for start in self.system.quaternions:
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        return q

    def check(self, state) -> None:
        """Refuse contradictory conditions, listing them with what they became and the rank analysis behind it."""
        r, J = self._evaluate(state)
        wrong = [(label, value, error) for (label, fixed, value), error in zip(self.labels, r, strict=True)
                 if fixed and not abs(error) < 1e-8]
        if not wrong:
            return
        self._refuse_open_loops(state, r)
        fixed = np.array([f for _, f, _ in self.labels])
        rank = np.linalg.matrix_rank(J[fixed], tol=1e-9) if np.all(np.isfinite(J)) else 0
        lines = [f"  {label} = {value:g} (comes out {value + error:.6g})" if value is not None
                 else f"  {label} (off by {error:.3g})" for label, value, error in wrong]
        raise InitialError(
            f"the initial conditions cannot all hold: {int(fixed.sum())} conditions on unknowns of rank {rank}.\n"
            + "\n".join(lines)
            + "\nLikely: two of them say the same thing differently. Make one of them lw.guess(…), or leave it out.",
            *[label for label, _, _ in wrong])

    def _refuse_open_loops(self, state, r) -> None:
        """An error with the gap where the loops do not close even with all start values given up."""
        loops = np.array([label.startswith(LOOP) and label.endswith("(position)") for label, *_ in self.labels])
        if not loops.any():
            return
        alone = state.copy()
        try:
            self.system.assemble(alone)
            return
        except (AssemblyError, np.linalg.LinAlgError) as error:
            gaps: dict[str, float] = {}
            for (label, *_), value in zip(self.labels, r, strict=True):
                if label.startswith(LOOP) and label.endswith("(position)") and abs(value) > 1e-9:
                    name = label.removeprefix(f"{LOOP} ").removesuffix(" (position)")
                    gaps[name] = float(np.hypot(gaps.get(name, 0.0), value))
            listed = ", ".join(f"{name} (gap {gap:.3g})" for name, gap in sorted(gaps.items(), key=lambda i: -i[1]))
            raise AssemblyError(
                f"{self.system.mechanism.name}: the loop closed by {listed} cannot be closed from the given start. "
                "Likely: a length is too short or too long, or the guesses lie far from a position that closes it.",
                *gaps) from error
