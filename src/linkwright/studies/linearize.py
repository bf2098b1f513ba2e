"""Linear models: ẋ = A x + B w, y = C x + D w about a state, on the manifold that the loops leave."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from ..compiler import beginning, system_of
from ..errors import ModelError, unknown_name
from ..mechanism import Free
from ..result import Table
from ..run import Surroundings
from ..system import State, System, entry_of, split_entry
from .freedoms import Tangent
from .small_changes import SmallChanges
from .tolerances import AT_REST, SMALL_TURN, TOUCHING, TURNED


@dataclass(frozen=True, repr=False)
class LinearModel(Table):
    """Matrices of a linear model and the names of its states, inputs and outputs."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    state: State

    def columns(self) -> Sequence[str]:
        return ("", *self.states, *self.inputs)

    def rows(self) -> Sequence[Sequence[object]]:
        names = [*(f"d/dt {name}" for name in self.states), *self.outputs]
        return [(name, *map(float, row)) for name, row in zip(names, np.block([[self.A, self.B], [self.C, self.D]]),
                                                              strict=True)]

    def caption(self) -> str:
        return f"linear model: {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"

    def to_control(self) -> Any:
        """A StateSpace of python-control (`pip install control`), with the names of states, inputs and outputs."""
        try:
            import control
        except ImportError:
            raise ModelError("to_control() needs the package python-control: pip install control. Without it, the "
                             "matrices are linear.A, .B, .C, .D, as scipy.signal.StateSpace takes them.") from None
        return control.StateSpace(self.A, self.B, self.C, self.D, states=self.states, inputs=self.inputs,
                                  outputs=self.outputs)


def linearize(model: object, state: State | None = None, inputs: Sequence[str] | None = None,
              outputs: Sequence[str] | None = None) -> LinearModel:
    """The linear model of a system about a state (default: the initial state).

    States are changes of the independent coordinates (a quaternion's in tangent coordinates, which move along with the
    motion), of the independent speeds and of the auxiliary states.  `inputs` are names of discrete variables or
    parameters (default: the model's inputs), `outputs` names of variables (default: the states).  Derivatives are exact
    (see `small_changes`); conditions and friction keep the mode that they have at the state.
    """
    system = system_of(model)
    tangent = Tangent(system, beginning(system, state))
    here = tangent.state
    q_names, u_names = tangent.names()
    z_places = own_states(system)
    names = [*q_names, *u_names, *[system.part_names("z")[k] for k in z_places]]
    wanted = list(_model_inputs(system) if inputs is None else inputs)
    places = [_input_place(system, name) for name in wanted]
    changes, J = _rates(tangent, z_places, places)
    n = len(names)
    _remark_on_spinning_base(tangent, z_places, places, J)
    _remark_on_stepped_contacts(system, here)
    if outputs is None:
        C, D = np.eye(n), np.zeros((n, len(wanted)))
        shown = names
    else:
        given = {name: _output(system, name).T for name in outputs}
        shown = [entry for name, value in given.items() for entry in _entries(name, value.numel())]
        K = np.vstack([np.zeros((0, n + len(wanted))), *map(changes.of, given.values())])
        C, D = K[:, :n], K[:, n:]
    return LinearModel(J[:, :n], J[:, n:], C, D, names, wanted, shown, here)


def _rates(tangent: Tangent, z_places: np.ndarray,
           places: Sequence[tuple[str, int]]) -> tuple[SmallChanges, np.ndarray]:
    """Small changes of a state, and the rates of the states along each of them."""
    system = tangent.system
    changes = SmallChanges(tangent, _directions(tangent, z_places, places))
    qdot, udot, zdot = (changes.of(system.expression(name)) for name in ("qdot", "udot", "zdot"))
    along = np.column_stack([tangent.rates(column) for column in qdot.T]) if qdot.size else qdot
    J = np.vstack([along[tangent.q_free], udot[tangent.u_free], zdot[z_places]])
    n_q = len(tangent.q_free)
    J[:n_q, :n_q] -= (tangent.carried() @ tangent.basis("position"))[tangent.q_free]
    return changes, J


def _remark_on_stepped_contacts(system: System, state: State) -> None:
    """Warn of shapes that touch where contacts can only be stepped: a linear model knows nothing of them."""
    events = system.mechanism.events
    if not events.stepped:
        return
    shapes = Surroundings(system, state)
    shapes.look(system.layout.pack(state), inertia=False)
    meets, _, points = shapes.gaps(shapes.near(np.full(len(shapes.names), TOUCHING)))
    touching = [" and ".join((events.encounters[k].a, events.encounters[k].b))
                for k in np.unique(meets[points[:, 0] < TOUCHING])]
    if touching:
        more = f" and {len(touching) - 1} more pairs" if len(touching) > 1 else ""
        warnings.warn(f"{system.mechanism.name}: {touching[0]}{more} touch, which the linear model leaves out: there "
                      "are so many contacts, or such shapes, that they can only be stepped. Name the few pairs that "
                      "touch as contact.Pair of shapes with a formula.", stacklevel=4)


def _remark_on_spinning_base(tangent: Tangent, z_places: np.ndarray, places: Sequence[tuple[str, int]],
                             J: np.ndarray) -> None:
    """Warn where the coordinates of floating parts turn with a body, and the linear model with them.

    Then it is that of one instant of a periodic one, and its eigenvalues say nothing of stability.
    """
    system, state = tangent.system, tangent.state
    m = system.mechanism
    for body, us in zip(m.bodies, m.slices()[1], strict=True):
        speed = float(np.linalg.norm(state.u[us][:3])) if isinstance(body.mobilizer, Free) else 0.0
        if speed <= AT_REST or len(m.bodies) < 2:
            continue
        later, length = state.copy(), SMALL_TURN / speed
        later.q = state.q + length * np.ravel(system.evaluate(state, "qdot"))
        later.u = state.u + length * np.ravel(system.evaluate(state, "udot"))
        later.t = state.t + length
        there = Tangent(system, later)
        if not (np.array_equal(there.q_free, tangent.q_free) and np.array_equal(there.u_free, tangent.u_free)):
            continue
        moved = np.abs(_rates(there, z_places, places)[1] - J).max(initial=0.0)
        if moved > TURNED * SMALL_TURN * np.abs(J).max(initial=0.0):
            warnings.warn(f"{body.joint}: it carries the coordinates of what floats with it and turns at {speed:.3g} "
                          "rad/s, so that this is the linear model of one instant, and its eigenvalues say nothing of "
                          "stability. Set enforce_states=True on a body that does not turn.", stacklevel=4)


def _directions(tangent: Tangent, z_places: np.ndarray, places: Sequence[tuple[str, int]]) -> dict[str, np.ndarray]:
    """One column per independent coordinate, independent speed, auxiliary state and input."""
    state, n_q, n_u = tangent.state, len(tangent.q_free), len(tangent.u_free)
    first, n = n_q + n_u + len(z_places), n_q + n_u + len(z_places) + len(places)
    out = {part: np.zeros((len(getattr(state, part)), n)) for part in "quzdp"}
    out["q"][:, :n_q] = tangent.carry(tangent.basis("position"))
    out["u"][:, n_q : n_q + n_u] = tangent.basis("velocity")
    out["z"][z_places, range(n_q + n_u, first)] = 1.0
    for column, (part, k) in enumerate(places, first):
        out[part][k, column] = 1.0
    return out


def own_states(system: System) -> np.ndarray:
    """Auxiliary states without those that count turns."""
    keep = [np.full(item.symbol.numel(), not item.counts) for item in system.mechanism.states]
    return np.flatnonzero(np.concatenate([np.zeros(0, dtype=bool), *keep]))


def _model_inputs(system: System) -> list[str]:
    """The model's own inputs (and discrete variables); of a mechanism described directly all discrete variables."""
    names, model = system.part_names("d"), system.model
    if model is None:
        return names
    own = {part.path_of(name) for part in model.models() for name in part._inputs}
    return [name for name in names if name in own]


def _input_place(system: System, name: str) -> tuple[str, int]:
    for part in "dp":
        if name in system.part_names(part):
            return part, system.part_names(part).index(name)
    raise unknown_name(name, [*system.part_names("d"), *system.part_names("p")], "the list of inputs")


def _output(system: System, name: str) -> ca.SX:
    """The expression of a variable, or of one entry of it: "body.r_0[1]"."""
    whole, place = split_entry(name, system.names_table)
    return entry_of(name, system.expression(whole), place)


def _entries(name: str, size: int) -> list[str]:
    return [name] if size == 1 else [f"{name}[{k}]" for k in range(size)]
