"""The code a run uses: of the formulation its system was compiled for, at the states in force."""

from __future__ import annotations

import numpy as np

from ..integrate import Stepper
from ..system import State, System
from ..system.chosen import choose_given, limit_place
from ..system.closed_form import is_weak, must_close_every_stage, take_states, turned
from .weakness import aim, watch_weakness


class Formulation:
    """Programs for a stepper; in the minimal formulation also the choice of states, written into the state given."""

    def __init__(self, system: System, state: State, method: str, accuracy: float):
        self.system, self.state, self.method, self.accuracy = system, state, method, accuracy
        self.closed = self.weak = self.always = self.iterates = False
        if system.minimal:
            self._take_states(state)

    def _take_states(self, state: State) -> None:
        """Choose states; an implicit method solves for all coordinates at once, and none resists projection then."""
        implicit = self.method == "radau"
        if implicit:
            choose_given(self.system, state, ())
        system = self.system
        self.closed = not implicit and take_states(system, state)
        # a closed form is left near dead points, where configurations may branch
        self.weak = not implicit and system.code.has_closed_form and (not self.closed or is_weak(system, state))
        self.always = self.closed and must_close_every_stage(system, state)
        self.iterates = not implicit and (not self.closed or self.weak or self.always)

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
        if self.closed and self.method == stepper.method.name and self._goes_on(stepper):
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
        """Whether closed forms stay, and only the loops without one lose or regain their hold."""
        if not self.system.equations.explicit.partial:
            return False
        place = 1 + stepper.n + limit_place(self.system)
        inputs = np.concatenate([[stepper.t], stepper.x, stepper.inputs[1 + stepper.n :]])
        inputs[place] = turned(inputs[place])
        if self.system.code.closed_form["project"](inputs)[stepper.n + 2] > 0:
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
