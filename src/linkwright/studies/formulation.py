"""The code a run uses: of the formulation its system was compiled for, at the states in force."""

from __future__ import annotations

import numpy as np

from ..integrate import Stepper
from ..system import State, System
from ..system.chosen import choose_given, limit_place
from ..system.closed_form import take_states
from .weakness import BEGIN, END, aim, base_of, watch_weakness


class Formulation:
    """Programs for a stepper; in the minimal formulation also the choice of states, written into the state given."""

    def __init__(self, system: System, state: State, method: str, accuracy: float):
        self.system, self.state, self.method, self.accuracy = system, state, method, accuracy
        self.closed = self.weak = self.always = self.iterates = False
        self._base: dict[bool, tuple[float, bool]] = {}  # of the code with closed forms and of that without
        if system.minimal:
            self._take_states(state)

    def _take_states(self, state: State) -> None:
        """Choose states; an implicit method solves for all coordinates at once, and none resists projection then."""
        system, implicit = self.system, self.method == "radau"
        if implicit:
            choose_given(system, state, ())
        self.closed = not implicit and take_states(system, state)
        self.weak = self.always = False
        if not implicit and system.code.has_closed_form:
            self._look_at_hold(state)
        self.iterates = not implicit and (self.weak or self.always or not system.code.has_closed_form)

    def _look_at_hold(self, state: State) -> None:
        """Wait for loops to lose their hold, or where they have lost it to regain it (see `weakness`)."""
        if self.closed not in self._base:
            self._base[self.closed] = base_of(self.system, self._weakness(self.state))
        base, self.always = self._base[self.closed]
        self.weak = self._weakness(state) > base + BEGIN
        state.d[limit_place(self.system)] = -(base + END) if self.weak else base + BEGIN

    def _weakness(self, state: State) -> float:
        """Of what the code in force closes by projection."""
        inputs = np.concatenate([[state.t], state.q, state.u, state.z, self.system.rest(state)])
        return float(self.programs()["project"](inputs)[len(state.q) + len(state.u) + len(state.z) + 3])

    def programs(self) -> dict:
        """What a stepper calls, by the names it knows."""
        system, code = self.system, self.system.code
        if self.closed:
            programs = dict(code.closed_form)
        else:
            programs = {"rhs": code.rhs}
            if system.mechanism.constraints:
                programs |= {"project": code.project, "project_error": code.project_error}
        if self.method in ("verlet", "semi_implicit_euler") and not system.plain_speeds:
            programs["qdot"] = code.qdot
        if code.given:
            programs["prescribe"] = code.prescribe
        if system.mechanism.happenings:
            programs["events"] = code.events
            if code.bounds is not None:
                programs["bounds"] = code.bounds
        if code.sharp_laws is not None:
            _, programs["laws"], programs["law_bounds"] = code.sharp_laws
        if system.mechanism.happenings.updates:
            programs["update"] = code.update
        return programs

    def exchange(self, stepper: Stepper) -> None:
        """Choose other states at a completed step, and go on with their code."""
        same = self.method == stepper.method.name != "radau"
        if same and self.system.code.has_closed_form and self._goes_on(stepper):
            return
        state, m = self.state.copy(), self.system.mechanism
        discretes = slice(1 + stepper.n, 1 + stepper.n + len(state.d))
        state.t, state.d = stepper.t, stepper.inputs[discretes]
        state.q, state.u, state.z = np.split(stepper.x, [m.nq, m.nq + m.nu])
        self.method = stepper.method.name
        self._take_states(state)
        stepper.inputs[discretes] = state.d
        programs = self.programs()
        stepper.use({name: program.address for name, program in programs.items()}, self.iterates,
                    max(program.n_work for program in programs.values()))
        self.watch(stepper)

    def _goes_on(self, stepper: Stepper) -> bool:
        """Whether the code may stay, and loops have only lost or regained their hold."""
        place = 1 + stepper.n + limit_place(self.system)
        inputs = np.concatenate([[stepper.t], stepper.x, stepper.inputs[1 + stepper.n :]])
        inputs[place] = BEGIN - END - inputs[place]
        if self.programs()["project"](inputs)[stepper.n + 2] > 0:
            return False
        stepper.inputs[place] = inputs[place]
        self.weak = bool(inputs[place] < 0)
        stepper.every_stage = self.weak or self.always
        self.watch(stepper)
        return True

    def watch(self, stepper: Stepper) -> None:
        """Let a stepper notice where it should go over to other code, or to projecting every stage of a step."""
        system = self.system
        if system.minimal:
            aim(stepper, self.accuracy, self.weak)
        elif system.mechanism.constraints:
            watch_weakness(system, stepper, self.accuracy)
