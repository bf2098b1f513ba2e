"""The code a run uses: of the formulation its system was compiled for, at the states in force."""

from __future__ import annotations

from ..integrate import CONSTRAINT_ROUNDING, Method, Stepper
from ..system import CompiledProgram, State, System, choose_given
from ..system.closed_form import disagreeing, take_states
from .singular_positions import SingularPositions


class Formulation:
    """Programs for a stepper; in the minimal formulation also the choice of states, written into the state given."""

    def __init__(self, system: System, state: State, method: Method, accuracy: float):
        self.system, self.state, self.method, self.accuracy = system, state, method, accuracy
        self.closed = self.iterates = False
        self.left = False  # whether the closed form was given up for good
        self._elsewhere: list[str] = []  # closed forms that led elsewhere, each told once
        self._said: list[str] = []  # what is to be told of them
        self._singular: dict[bool, SingularPositions] = {}  # of the code with closed forms and of that without
        if system.minimal:
            self.take_states(state)

    def take_states(self, state: State) -> None:
        """Choose states; an implicit method solves for all coordinates at once, and none resists projection then."""
        implicit = self.method.implicit
        if implicit:
            choose_given(self.system, state, ())
        if self.left and not implicit:
            choose_given(self.system, state, range(self.system.mechanism.nu))
            self.closed = self.iterates = False
            return
        self.closed = not implicit and take_states(self.system, state)
        if not implicit and not self.closed and self.system.code.has_closed_form:
            self._say_what_disagrees(state)
        self.iterates = not implicit and not self.system.code.has_closed_form

    def _say_what_disagrees(self, state: State) -> None:
        """Near dead points closed forms are left as a matter of course; where they lead elsewhere, that is said."""
        forms = [form for form in disagreeing(self.system, state) if form not in self._elsewhere]
        if forms:
            self._elsewhere += forms
            self._said.append(f"at t = {state.t:.6g} s the closed form of {'; '.join(forms)} does not lead to the "
                              "position of the loop: went on with projection of all coordinates")

    def programs(self) -> dict[str, CompiledProgram]:
        """What a stepper calls, by the names it knows."""
        system, code = self.system, self.system.code
        if self.closed:
            programs = dict(code.closed_form)
        else:
            programs = {"rhs": code.rhs}
            if system.mechanism.constraints:
                programs |= {"project": code.project, "project_error": code.project_error}
        if self.method.uses_qdot and not system.plain_speeds:
            programs["qdot"] = code.qdot
        if self.method.uses_momenta and code.floats:
            programs |= {"momenta": code.momenta, "speeds": code.speeds}
        if code.given:
            programs["prescribe"] = code.prescribe
        if system.mechanism.events:
            programs["events"] = code.events
            if code.bounds is not None:
                programs["bounds"] = code.bounds
        if code.sharp_laws is not None:
            _, programs["laws"], programs["law_bounds"] = code.sharp_laws
        if system.mechanism.events.updates:
            programs["update"] = code.update
        return programs

    def exchange(self, stepper: Stepper) -> None:
        """Choose other states at a completed step, and go on with their code; or meet or leave a singular position."""
        known = self.method is stepper.method
        if known and self.left:
            stepper.ignore_strain()
        if not self.system.minimal or (known and (self.left or stepper.strain <= 0)):
            self.approach(stepper)
            return
        self._go_over(stepper)

    def leave(self, stepper: Stepper) -> bool:
        """Where no step succeeds with closed forms: all coordinates are integrated from there on; whether that is new.

        A loop may come close to losing its hold in ways that no discriminant tells; projection goes through.
        """
        if not self.closed:
            return False
        self.left = True
        forms = list(dict.fromkeys(closure.form for closure in self.system.mechanism.closures))
        self._go_over(stepper)
        stepper.ignore_strain()
        stepper.messages.append(f"at t = {stepper.t:.6g} s no step succeeded with loops in closed form "
                                f"({'; '.join(forms)}): went on with projection of all coordinates")
        return True

    def _go_over(self, stepper: Stepper) -> None:
        """Choose states where a stepper is, and let it go on with their code."""
        layout = self.system.layout
        state = layout.put(stepper.inputs, self.state.copy())
        self.method = stepper.method
        self.take_states(state)
        stepper.inputs[layout.places["d"]] = state.d
        programs = self.programs()
        stepper.use({name: program.address for name, program in programs.items()}, self.iterates,
                    max(program.n_work for program in programs.values()))
        self.watch(stepper)

    def watch(self, stepper: Stepper) -> None:
        """Let a stepper notice where it should go over to other code, or across a singular position."""
        stepper.messages += self._said
        self._said.clear()
        if not self.system.mechanism.constraints:
            return
        stepper.on_strain, stepper.on_failure = self.exchange, self.leave
        if self.closed not in self._singular:
            self._singular[self.closed] = SingularPositions(self.system, self.programs()["project"], self.state)
        self._singular[self.closed].watch(stepper)
        self.approach(stepper)

    def approach(self, stepper: Stepper) -> None:
        """Project as often and as far as the distance to a singular position asks for."""
        if stepper.method.implicit:
            # implicit steps satisfy the constraints of all their stages anyhow
            stepper.near_singular = False
        always = self.iterates or (self._singular[self.closed].always and not stepper.method.implicit)
        stepper.every_stage = always or stepper.near_singular
        stepper.aim(self.accuracy, CONSTRAINT_ROUNDING if stepper.near_singular else None)
