"""What a run is set up from: a stepper over a system's code, with the options of a simulation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import LinkwrightError, ModelError
from ..integrate import Linearised, Model, Options, Stepper, choose, first_pivots
from ..system import State, System, choose_given
from ..system.event_programs import pairs_of_witnesses, witnesses_of
from ..system.tangents import has_tangents
from .formulation import Formulation
from .tolerances import FINEST, KEPT
from .updates import updated


def make_stepper(system: System, state: State, method: str, accuracy: float, h: float | None,
                 weights: Mapping[str, float], time_scale: float | None, norm: str,
                 keep_steps: float = np.inf) -> Stepper:
    """A stepper over the system's code, at the state."""
    m = system.mechanism
    if m.events.stepped:
        raise ModelError(f"method = {method!r}: m.contacts found so many rigid contacts, or pairs of shapes without a "
                         "formula, that they can only be stepped; use method='time_stepping' (or 'auto'), or a "
                         "compliant law.")
    accuracy = accuracy_of_steps(system, accuracy)
    formulation = Formulation(system, state, choose(method, accuracy, h), accuracy)
    programs, senses = formulation.programs(), []
    rhs = programs["rhs"]
    if m.events:
        # modes are right by definition where a run is taken up; conditions of actions are not
        senses = [-1.0 if w.what == "when" else -2.0 for w in witnesses_of(system.equations)]
    layout = system.layout
    n, n_in, unknowns = m.nq + m.nu + len(state.z), layout.n_in, layout.places["y"]
    carry = (range(rhs.n_out - len(state.y), rhs.n_out), range(n_in)[unknowns])
    for name, value in (("fixed_step", h), ("time_scale", time_scale), ("accuracy", accuracy)):
        if value is not None and not (np.isfinite(value) and value > 0):
            raise ModelError(f"{name} must be positive and finite, got {value}.")
    model = Model(
        {name: program.address for name, program in programs.items()}, (m.nq, m.nu, len(state.z)), n_in,
        n_work=max(program.n_work for program in programs.values()), n_slope=rhs.n_out,
        n_out=max(program.n_out for program in programs.values()) + 2 + len(m.constraints), senses=senses,
        n_bases=programs["bounds"].n_in // 2 if "bounds" in programs else 0,
        pairs=pairs_of_witnesses(system.equations) if m.events else (0, ()),
        n_laws=system.code.sharp_laws[0] if system.code.sharp_laws else (0, 0, 0),
        quaternions=system.quaternions, carry=carry,
        updated=[layout.places["d"].start + k for k in updated(system)],
        plain_speeds=system.plain_speeds, linearised=lambda: linearised(system),
        differentiated=has_tangents(system))
    options = Options(accuracy, h, weights_of(system, state, weights, n), time_scale, norm,
                      keep_steps=keep_steps)
    stepper = Stepper(method, model, layout.pack(state), options, every_stage=formulation.iterates,
                      on_strain=formulation.exchange if system.minimal else None)
    formulation.watch(stepper)
    return stepper


def kept_bytes(system: System, dense: bool | None) -> float:
    """The bytes that the steps of a run may take, by what was asked for and by what looks back at them."""
    if dense not in (None, True, False):
        raise ModelError(f"dense = {dense!r}: True keeps every step, False none, None as many as fit.")
    looks_back = system.mechanism.memories or system.mechanism.events.updates
    if dense is False and looks_back:
        raise ModelError("dense = False: delays and m.each_step look back at the steps of a run; leave it out.")
    return np.inf if dense or looks_back else 0.0 if dense is False else KEPT


def linearised(system: System) -> Linearised:
    """The linearised equations, for implicit steppers; pivots are those of the start of the system, for all runs."""
    program, P, Q = system.code.linearised
    own = Linearised(program.address, P, Q, program.n_work)
    return own._replace(pivots=system.once(("pivots",), lambda: first_pivots(own, entries_at_start(system))))


def entries_at_start(system: System) -> np.ndarray:
    """Entries of P and Q at the start of a system, or at default coordinates where it has none."""
    try:
        state = system.state()
    except LinkwrightError:
        state = system.state(assembled=False)
    choose_given(system, state, ())
    return system.code.linearised.program(system.layout.pack(state))


def accuracy_of_steps(system: System, accuracy: float) -> float:
    """The error that one step may make: the accuracy, or a tenth of it where bodies touch.

    What steps lose or gain while something rolls or bounces adds up; so held, the energy of every example stays within
    ten accuracies of its peak.  It costs a third more steps, and ends where rounding begins.
    """
    events = system.mechanism.events
    if not (events.contacts or events.pressed) or not FINEST < accuracy < 1:
        return accuracy
    return max(accuracy / 10, FINEST)


def weights_of(system: System, state: State, weights: Mapping[str, float], n: int) -> np.ndarray | None:
    """1/(unit change) per state, from names of coordinates, speeds or states."""
    m = system.mechanism
    if not weights and all(z.weight == 1 for z in m.states):
        return None
    out = np.ones(n)
    out[m.nq + m.nu :] = np.concatenate([np.zeros(0), *[np.full(z.symbol.numel(), z.weight) for z in m.states]])
    first = {"q": 0, "u": m.nq, "z": m.nq + m.nu}
    for name, value in weights.items():
        if not (np.isfinite(value) and value >= 0):
            raise ModelError(f"{name}: a weight is a number ≥ 0, got {value!r}.", name)
        part, where, _ = system.names_table.place(name, state.get(name), state)
        if part not in first:
            raise ModelError(f"{name}: only states have weights, this is a parameter or discrete variable.", name)
        out[first[part] + where] = value
    if n and not np.any(out):
        raise ModelError("weights: all are zero, so that nothing would decide on the steps; leave one that counts.")
    return out
