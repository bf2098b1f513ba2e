"""Derivatives across an event: how tangents change where modes switch, speeds jump and variables are set.

The event comes when a witness g(x, t, p) vanishes, so its time moves with the parameters,

    δτ = −(∂g/∂x S + ∂g/∂p) / ġ,       ġ = ∂g/∂x f⁻ + ∂g/∂t

the state just before it changes by S + f⁻ δτ, and the state after it, at a fixed time again, by

    S⁺ = ∂R/∂x (S + f⁻ δτ) + ∂R/∂p + ∂R/∂t δτ − f⁺ δτ

with the slopes f⁻, f⁺ and the reset R (Hiskens & Pai 2000, eq. 40; Aizerman & Gantmacher 1958).  R is what was done at
the instant, step by step (`course`), each differentiated as the solution of its own linear equations: an impulse

    M Δu + Cᵀ Λ = J,   C (u + Δu) + … = c        ⇒        [M Cᵀ; C 0] (δΔu, δΛ) = (δJ − δM Δu − δCᵀ Λ, δc − δ(rates))

and where a contact slides in it, with the slip s that is left and e = s/|s|,

    Λ_t + μ Λ_n e = 0                            ⇒        δΛ_t + μ e δΛ_n + μ Λ_n (1 − e eᵀ)/|s| δs + δμ Λ_n e = 0

Where a row begins to stick, S⁺ satisfies it without further work: g is its speed, and δτ is chosen so that g vanishes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import casadi as ca
import numpy as np

from ..integrate import Jump
from ..system import Directional, System
from ..system.tangents import COMPANION, TangentEquations
from .course import NotSmooth, Set, Struck
from .instant import Instant
from .tolerances import GRAZING, RANK, STOPS_SLIDING, TINY, TOGETHER
from .trouble import Trouble


class Slide(NamedTuple):
    """A contact that slides in an impulse: its number, its rows, the direction of the slip that is left, how fast that
    is and was before, and μ."""

    number: int
    normal: int
    tangents: tuple[int, ...]
    along: np.ndarray
    speed: float
    before: float
    mu: float


class Saltation:
    """The tangents of a run at its instants."""

    def __init__(self, system: System, instant: Instant, targets: Sequence[Sequence[tuple[str, int, float]]]):
        self.system, self.now, self.targets = system, instant, targets
        e = system.equations
        assert isinstance(e, TangentEquations), "called where there are tangents"
        self.tangents = e
        self.changes = system.code.variant(("directional",), lambda: Directional(system.equations.plain))
        self.sizes = np.array([state.weight for state in system.mechanism.states[-len(e.columns) :]])
        self._modes = ca.Function("modes", [e.symbols["d"]], [ca.vertcat(ca.SX(0, 1), *[
            ca.SX(1) if r.mode is None else r.mode for r in e.rows for _ in range(r.G.shape[0])])])
        #: whether the matrices of all instants are kept, and the matrices
        self.keeps, self.jumps = e.columns == (COMPANION,), list[Jump]()
        self._before = self._f_before = self._f_after = np.zeros(0)
        self._crossed: list[int] = []
        self._point, self._until = -1, -np.inf

    def begin(self, crossed: Sequence[int] = (), point: int = -1, until: float = -np.inf) -> None:
        """Called before anything is done at an instant; `crossed` are the numbers of the witnesses that crossed.

        `point` is the number of the last stored point of the run, and `until` where the step to it was to end.
        """
        self._before, self._crossed = self.now.inputs.copy(), list(crossed)
        self._point, self._until = point, until
        self.now.course.clear()

    def end(self, names: Sequence[str]) -> Trouble | None:
        """Called when all is done: bring the tangents across.  `names` are those of witnesses, then relations."""
        before, after, now = self._before, self.now.inputs, self.now
        if np.array_equal(before, after) and not now.course:
            if self.keeps and self._crossed:
                self.jumps.append(Jump(self._point, np.eye(self.tangents.height), self._until))
            return None
        self._f_before, self._f_after = self._slopes(before), self._slopes(after)
        height, first = self.tangents.height, self.tangents.own_states
        columns = now.z[first:].reshape(-1, height)
        came = before[self.system.layout.places["z"]][first:].reshape(-1, height)
        wholes = [self._whole(column, k) for k, column in enumerate(came)]
        delays, trouble = self._delays(wholes, names)
        if trouble is not None:
            return trouble
        new, trouble = self._across(wholes, delays, after)
        if trouble is not None:
            return trouble
        if not np.all(np.isfinite(new)):
            return Trouble(f"at t = {now.t:.9g} s the derivatives are not finite after {self._what(names)}.")
        if self.keeps:
            units = [self._whole(unit) for unit in np.eye(height)]
            found, _ = self._across(units, self._times(units)[:, 0], after)
            self.jumps.append(Jump(self._point, found.T, self._until))
        columns[:] = new
        return None

    def _across(self, wholes: Sequence[np.ndarray], delays: np.ndarray,
                after: np.ndarray) -> tuple[np.ndarray, Trouble | None]:
        """Directions across the instant, one row each, and what is kept of them in a column."""
        before, new = self._before, np.zeros((len(wholes), self.tangents.height))
        arrives = self.changes.joined(**_named(self.changes, self._f_before), t=[1.0])
        leaves = self.changes.joined(**_named(self.changes, self._f_after))
        for k, (whole, delay) in enumerate(zip(wholes, delays, strict=True)):
            moving, trouble = self._through(whole + delay * arrives)
            if trouble is not None:
                return new, trouble
            self._anchored(before, after, moving)
            new[k] = self._column(moving - delay * leaves)
        return new, None

    # --- how the time of the event changes ---

    def _times(self, wholes: Sequence[np.ndarray]) -> np.ndarray:
        """δτ for directions, one row each, by every witness that has crossed."""
        crossed, before = self._crossed + self._instants(self._before), self._before
        if not crossed:
            return np.zeros((len(wholes), 1))
        arrives = self.changes.joined(**_named(self.changes, self._f_before), t=[1.0])
        along = self._witnesses(before, arrives)[crossed]
        by = np.array([self._witnesses(before, whole)[crossed] for whole in wholes])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(by == 0, 0.0, -by / along)

    def _delays(self, wholes: Sequence[np.ndarray], names: Sequence[str]) -> tuple[np.ndarray, Trouble | None]:
        """δτ of every column."""
        found = self._times(wholes)
        moves = np.abs(found) * self.sizes[:, None]
        if not np.all(np.isfinite(found)) or moves.max(initial=0.0) > GRAZING:
            return found[:, 0], Trouble(
                f"at t = {self.now.t:.9g} s the run has no derivative: {self._what(names)} is touched, not passed "
                "(grazing), so that a small change moves it far or undoes it.")
        spread = (found.max(axis=1) - found.min(axis=1)) * self.sizes
        if spread.max(initial=0.0) > TOGETHER * max(1.0, moves.max(initial=0.0)):
            return found[:, 0], Trouble(
                f"at t = {self.now.t:.9g} s the run has no derivative: {self._what(names)} come at the same time, and "
                "a small change decides which is first.")
        return found[:, 0], None

    def _instants(self, before: np.ndarray) -> list[int]:
        """Numbers of the relations of time alone that have switched, behind those of the witnesses."""
        was, d = before[self.system.layout.places["d"]], self.now.d
        relations, places = self.tangents.mechanism.events.relations, self.now.places
        return [len(self.changes.witnesses) + k for k, r in enumerate(relations)
                if r.affine is not None and was[places[r.name]] != d[places[r.name]]]

    def _what(self, names: Sequence[str]) -> str:
        found = dict.fromkeys(names[k] for k in self._crossed + self._instants(self._before))
        return " and ".join(found) or "what happens there"

    # --- how what was done there changes ---

    def _through(self, moving: np.ndarray) -> tuple[np.ndarray, Trouble | None]:
        """How a change of the state (a direction) goes through all that was done at the instant."""
        push, change, came = np.zeros(0), np.zeros(0), moving
        course = self.now.course
        for step, later in zip(course, [*course, None][1:], strict=True):
            if isinstance(step, NotSmooth):
                return moving, Trouble(f"at t = {self.now.t:.9g} s the run has no derivative here: {step.said}.")
            if isinstance(step, Set):
                came, moving = moving, self._set(step, moving)
            else:
                after = self.now.inputs if later is None or isinstance(later, NotSmooth) else later.inputs
                slides = [self._slide(step, *slid, after) for slid in step.slid]
                if any(slide.speed <= STOPS_SLIDING * slide.before for slide in slides):
                    return moving, Trouble(f"at t = {self.now.t:.9g} s the run has no derivative here: friction just "
                                           "ends the slip in an impact.")
                moving, push, change = self._struck(step, moving, push, change, came, slides)
        return moving, None

    def _slide(self, step: Struck, number: int, normal: int, tangents: tuple[int, ...], after: np.ndarray) -> Slide:
        """How a contact slides at the end of an impulse; `after` it is the vector of inputs."""
        ended, speeds = step.inputs.copy(), self.system.layout.places["u"]
        ended[speeds] = after[speeds]
        slip, first = (self._matrices(inputs)["rates"][list(tangents)] for inputs in (ended, step.inputs))
        speed, mu = float(np.linalg.norm(slip)), Instant(self.system, step.inputs.copy()).look().contacts.mu[number]
        return Slide(number, normal, tangents, slip / max(speed, TINY), speed, float(np.linalg.norm(first)), mu)

    def _struck(self, step: Struck, moving: np.ndarray, push: np.ndarray, push_change: np.ndarray,
                came: np.ndarray, slides: Sequence[Slide]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A direction through an impulse; the impulses of all rows, and their changes.  It `came` before an action."""
        rows = [*self._in_force(step.inputs), *step.rows]
        restitution, by = self._restitutions(step.inputs, moving)
        impulse, impulse_change = {}, {}
        for row, number in step.back.items():
            impulse[row] = -restitution[number] * push[row]
            impulse_change[row] = -by[number] * push[row] - restitution[number] * push_change[row]
        thrown = {row: (restitution[number], by[number]) for row, number in step.thrown.items()}
        set_by = np.zeros(len(self.now.u))
        if step.moved is not None:
            set_by = self.changes.split(moving)["u"] - self.changes.split(came)["u"]
        return self._balanced(step, moving, rows, impulse, impulse_change, thrown, set_by, slides)

    def _set(self, step: Set, moving: np.ndarray) -> np.ndarray:
        """A direction through actions."""
        news = self._read(step.inputs, moving)["news"]
        new, first = moving.copy(), np.cumsum([0, *(len(targets) for targets in self.targets)])
        parts = self.changes.split(new)
        for k in step.which:
            for i, (part, place, slope) in enumerate(self.targets[k]):
                parts[part][place] = news[first[k] + i] / slope
        return new

    # --- impulses ---

    def _balanced(self, impact: Struck, moving: np.ndarray, rows: list[int], impulse: dict[int, float],
                  impulse_change: dict[int, float], thrown: dict[int, tuple[float, float]], set_by: np.ndarray,
                  slides: Sequence[Slide]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A direction through M (Δu + moved) + Cᵀ Λ = Gᵀ J; impulses Λ − J of all rows, and their changes.

        `set_by` is how what was moved changes.
        """
        inputs, found = impact.inputs, self._matrices(impact.inputs)
        M, G, rates = found["M"], found["G"], found["rates"]
        given, rubs = np.eye(len(M))[[*self._given, *impact.held]], [row for slide in slides for row in slide.tangents]
        C, own = np.vstack([G[rows], G[rubs], given]), [*rows, *rubs]
        pushed, pushed_change = (np.zeros(len(rates)) for _ in range(2))
        for row in impulse:
            pushed[row], pushed_change[row] = impulse[row], impulse_change[row]
        back = np.array([thrown[row][0] if row in thrown else 0.0 for row in rows])
        # of every row of C: how speeds, and how impulses take part in its equation
        by_speed, by_push, wanted = C.copy(), np.zeros((len(C), len(C))), np.zeros(len(C))
        wanted[: len(rows)] = -(1 + back) * rates[rows]
        for slide, part in _with_parts(slides, len(rows)):
            by_speed[part], by_push[part, part] = 0.0, np.eye(len(slide.tangents))
            if slide.normal in rows:
                by_push[part, rows.index(slide.normal)] = slide.mu * slide.along
            wanted[part] = slide.mu * pushed[slide.normal] * slide.along
        moved = np.zeros(len(M)) if impact.moved is None else impact.moved
        step, push = _solved(M, C, by_speed, by_push, G.T @ pushed - M @ moved, wanted)
        total = -pushed.copy()
        total[own] += push[: len(own)]
        # the same equations, differentiated at their solution
        after = self._shifted(inputs, step)
        change = self._balance(after, moving, step + moved, total)
        was = self._balance(inputs, moving, np.zeros(len(M)), np.zeros(len(rates)))["rate_changes"][rows]
        by, right = np.array([thrown[row][1] if row in thrown else 0.0 for row in rows]), np.zeros(len(C))
        right[: len(rows)] = -change["rate_changes"][rows] - back * was - by * rates[rows]
        for slide, part in _with_parts(slides, len(rows)):
            tangents, pressed = list(slide.tangents), total[slide.normal]
            turning = slide.mu * pressed / slide.speed * (np.eye(len(tangents)) - np.outer(slide.along, slide.along))
            by_speed[part] = turning @ G[tangents]
            mu_change = self._read(inputs, moving)["frictions"][slide.number]
            right[part] = (slide.mu * pushed_change[slide.normal] - mu_change * pressed) * slide.along \
                - turning @ change["rate_changes"][tangents]
        top = G.T @ pushed_change - change["balance"] - M @ set_by
        step_change, push_change = _solved(M, C, by_speed, by_push, top, right)
        new = moving.copy()
        self.changes.split(new)["u"][:] += step_change
        total_change = -pushed_change.copy()
        total_change[own] += push_change[: len(own)]
        return new, total, total_change

    def _matrices(self, inputs: np.ndarray) -> dict[str, np.ndarray]:
        found = self._balance(inputs, np.zeros(self.changes.count), None, None)
        nu = len(self.now.u)
        return found | {"M": found["M"].reshape(nu, nu, order="F"), "G": found["G"].reshape(-1, nu, order="F")}

    def _balance(self, inputs: np.ndarray, direction: np.ndarray, v: np.ndarray | None,
                 push: np.ndarray | None) -> dict[str, np.ndarray]:
        """M, G, rates; changes of M v + Gᵀ Λ and of the rates."""
        program, head = self.changes.impulses, self.changes.inputs(self._parts(inputs), direction)
        more = np.zeros(program.n_in - len(head))
        if v is not None and push is not None:
            more[:] = np.concatenate([v, push])
        return self.changes.read(program, np.concatenate([head, more]))

    def _shifted(self, inputs: np.ndarray, step: np.ndarray) -> np.ndarray:
        after = inputs.copy()
        after[self.system.layout.places["u"]] += step
        return after

    def _in_force(self, inputs: np.ndarray) -> list[int]:
        """Numbers of the rows in force, by the modes in a vector of inputs, without rows of accelerations only."""
        modes = np.array(self._modes(inputs[self.system.layout.places["d"]])).ravel()
        levels = [r.level for r in self.tangents.rows for _ in range(r.G.shape[0])]
        return [k for k, (mode, level) in enumerate(zip(modes, levels, strict=True))
                if mode > 0.5 and level != "acceleration"]

    @property
    def _given(self) -> list[int]:
        return self.tangents.given_speeds

    # --- anchors of contacts that stick ---

    def _anchored(self, before: np.ndarray, after: np.ndarray, moving: np.ndarray) -> None:
        """Contacts that stick from now on: their anchor changes with the place at which they began to stick."""
        d_before, d_after = (inputs[self.system.layout.places["d"]] for inputs in (before, after))
        contacts = [c for c in self.tangents.mechanism.events.contacts if c.place is not None]
        stuck = [d_after[self.now.places[c.stuck.name()]] > d_before[self.now.places[c.stuck.name()]] for c in contacts]
        if not any(stuck):
            return
        places = self._read(after, moving)["places"].reshape(-1, 2)
        own = self.changes.split(moving)["d"]
        for contact, place, sticks in zip(contacts, places, stuck, strict=True):
            if sticks:
                own[[self.now.places[f"{contact.name}.anchor[{k}]"] for k in range(2)]] = place

    # --- numbers ---

    def _parts(self, inputs: np.ndarray) -> dict[str, np.ndarray]:
        """A vector of inputs by parts, without tangents."""
        parts = self.system.layout.unpack(inputs)
        n_y = len(parts["y"]) // (1 + len(self.tangents.columns))
        return parts | {"z": parts["z"][: self.tangents.own_states], "y": parts["y"][:n_y]}

    def _read(self, inputs: np.ndarray, direction: np.ndarray) -> dict[str, np.ndarray]:
        return self.changes.read(self.changes.changes, self.changes.inputs(self._parts(inputs), direction))

    def _slopes(self, inputs: np.ndarray) -> np.ndarray:
        return self._read(inputs, np.zeros(self.changes.count))["slopes"]

    def _witnesses(self, inputs: np.ndarray, direction: np.ndarray) -> np.ndarray:
        return self._read(inputs, direction)["witnesses"]

    def _restitutions(self, inputs: np.ndarray, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of restitution of rows, then of contacts; and their changes."""
        situation = Instant(self.system, inputs.copy()).look()
        return (np.array([*situation.rows.restitution, *situation.contacts.restitution]),
                self._read(inputs, direction).get("restitutions", np.zeros(0)))

    def _whole(self, column: np.ndarray, k: int | None = None) -> np.ndarray:
        """A column of tangents as a direction of the whole input vector; of column k, with its parameter."""
        e = self.tangents
        parts = dict(zip("quzdpt", np.split(column, np.cumsum(e.sizes)[:-1]), strict=True))
        whole = self.changes.joined(**{part: parts[part] for part in "quz"})
        own = self.changes.split(whole)
        for part, places in e.kept.items():
            own[part][places] = parts[part]
        if k is not None and e.columns[k].part:
            own[e.columns[k].part][e.columns[k].entry] += 1.0
        return whole

    def _column(self, direction: np.ndarray) -> np.ndarray:
        """The part of a direction that a column of tangents holds."""
        own = self.changes.split(direction)
        kept = [own[part][places] for part, places in self.tangents.kept.items()]
        return np.concatenate([own["q"], own["u"], own["z"], *kept])


def _named(changes: Directional, slopes: np.ndarray) -> dict[str, np.ndarray]:
    """Slopes of the state by parts."""
    return dict(zip("quz", np.split(slopes, np.cumsum(changes.sizes[:2])), strict=True))


def _with_parts(slides: Sequence[Slide], first: int) -> Iterator[tuple[Slide, slice]]:
    """Contacts that slide, with the places of their tangents among equations, from `first` on."""
    for slide in slides:
        yield slide, slice(first, first := first + len(slide.tangents))


def _solved(M: np.ndarray, C: np.ndarray, by_speed: np.ndarray, by_push: np.ndarray, top: np.ndarray,
            bottom: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(x, Λ) of M x + Cᵀ Λ = top, A x + B Λ = bottom with A `by_speed` and B `by_push`; redundant rows share their
    impulse."""
    K = np.block([[M, C.T], [by_speed, by_push]])
    found = np.linalg.lstsq(K, np.concatenate([top, bottom]), rcond=RANK)[0]
    return found[: len(M)], found[len(M) :]
