"""The programs that a run uses: those of its formulation, with the coordinates that are states at present."""

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
        self.left = False  # whether closed forms were given up for the rest of the run
        self._elsewhere: list[str] = []  # loops whose closed form gave another position, each reported once
        self._said: list[str] = []  # what is still to be reported of them
        self._singular: dict[bool, SingularPositions] = {}  # of the code with closed forms and of that without
        if system.minimal:
            self.take_states(state)

    def take_states(self, state: State) -> None:
        """Choose which coordinates are states; with an implicit method all are: it solves for all at once."""
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
        """Report closed forms that give another position than the state has, except near dead points."""
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
            if code.near is not None:
                programs["near"] = code.near
        if code.sharp_laws is not None:
            _, programs["laws"], programs["law_bounds"] = code.sharp_laws
        if system.mechanism.events.updates:
            programs["update"] = code.update
        return programs

    def exchange(self, stepper: Stepper) -> None:
        """At a completed step: change to other states and their code, or follow the way past a singular position."""
        known = self.method is stepper.method
        if known and self.left:
            stepper.ignore_strain()
        if not self.system.minimal or (known and (self.left or stepper.strain <= 0)):
            self.approach(stepper)
            return
        self._go_over(stepper)

    def leave(self, stepper: Stepper) -> bool:
        """Give up closed forms where no step succeeds with them: all coordinates are integrated from there on.

        A loop may come near a position where it no longer fixes its coordinates without any discriminant becoming
        small; projection passes such positions.  Returns whether closed forms were in use.
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
        """Choose states at the position of a stepper, and give it their code."""
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
        """Let a stepper tell when it should change to other code, or step across a singular position."""
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
        """Near a singular position let the stepper project every stage, and to rounding."""
        if stepper.method.implicit:
            # implicit steps satisfy the constraints of all their stages anyhow
            stepper.near_singular = False
        always = self.iterates or (self._singular[self.closed].always and not stepper.method.implicit)
        stepper.every_stage = always or stepper.near_singular
        stepper.aim(self.accuracy, CONSTRAINT_ROUNDING if stepper.near_singular else None)
