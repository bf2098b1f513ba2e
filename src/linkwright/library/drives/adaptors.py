"""Flanges as signals, for models that are coupled by signals alone (FMUs), written once for shafts and rods.

Of two models that share a flange one takes the motion and gives the effort, the other takes the effort and gives the
motion; connected signal by signal the two move as one.
"""

from __future__ import annotations

from ...language import PartsList
from ...language.expressions import der
from ...language.fields import parameter, signal, variable
from ...language.one_dimensional import OneDimensional, acceleration, effort, position, speed


class MotionToEffort(OneDimensional):
    """Motion in, effort out: the flange moves as the signals say, and e is what this takes.

    The signals belong together: v is the rate of x, and a that of v.  As with `Move` x and v hold at the start, and a
    all along.  Without `use_a` the speed is differentiated, and without `use_v` the position, which takes formulas:
    numbers from outside have no rate.
    """

    use_v = parameter(True, "whether the speed is given; else it is the derivative of the position")
    use_a = parameter(True, "whether the acceleration is given; else it is the derivative of the speed")
    x = signal(0.0, "position of the flange", "X")
    v = signal(0.0, "its speed", "X/s")
    a = signal(0.0, "its acceleration", "X/s2")
    e = variable("effort that moves the flange", "E")

    def describe(self, plan: PartsList) -> None:
        x = self.symbol(self.spell("x"))
        v = self.symbol(self.spell("v")) if getattr(self, self.spell("use_v")) else der(x)
        a = self.symbol("a") if self.use_a else der(v)
        plan.motion(self, self.flange, None, a, [position(self.flange) - x, speed(self.flange) - v])

    def definitions(self, plan: PartsList) -> dict:
        return self.spelled(e=-effort(self.flange))


class EffortToMotion(OneDimensional):
    """Effort in, motion out: e leaves at the flange, and the signals are how it moves."""

    e = signal(0.0, "effort that leaves at the flange", "E")
    x = variable("position of the flange", "X")
    v = variable("its speed", "X/s")
    a = variable("its acceleration", "X/s2")

    def describe(self, plan: PartsList) -> None:
        plan.flange_load(self, self.flange, self.symbol(self.spell("e")))

    def definitions(self, plan: PartsList) -> dict:
        return self.spelled(x=position(self.flange), v=speed(self.flange), a=acceleration(self.flange))
