"""Efforts that depend on the speed of a flange, written once for shafts and rods (names as in `one_dimensional`)."""

from __future__ import annotations

import casadi as ca

from ...errors import ModelError
from ...language import PartsList
from ...language.fields import parameter, signal, variable
from ...language.ranges import NOT_ZERO, POSITIVE
from .flange_sources import Drive

#: how a sign may be rounded off around zero
SIGNS = ("exp", "sine", "linear", "cosine")


def smooth_sign(shape: str, v: ca.SX, v0: ca.SX) -> ca.SX:
    """The sign of v, rounded off for |v| < v0 (Modelica Blocks.Types.Regularization); "exp" within a hundredth of it.

        exp     tanh(50 v/v0) = 2/(1 + exp(−100 v/v0)) − 1
        sine    sin(π/2 · v/v0)
        linear  v/v0
        cosine  sign(v) (1 − cos(π/2 · v/v0))
    """
    if shape == "exp":
        return ca.tanh(50 * v / v0)
    near = ca.fmax(ca.fmin(v / v0, 1), -1)  # and beyond v0 each of them is the sign
    if shape == "linear":
        return near
    return ca.sin(ca.pi / 2 * near) if shape == "sine" else ca.sign(v) * (1 - ca.cos(ca.pi / 2 * near))


class SpeedDependentDrive(Drive):
    """Base of efforts over the speed v against the support."""

    e = variable("effort", "E")

    def ratio(self, plan: PartsList) -> ca.SX:
        """v / v_nominal."""
        return self.moving()[1] / self.value(plan, "v_nominal")


class NominalDrive(SpeedDependentDrive):
    """Base of efforts e_nominal f(v / v_nominal); in one direction, or turning round with the speed."""

    e_nominal = parameter(text="effort at the nominal speed (negative for a load)", unit="E")
    v_nominal = parameter(text="nominal speed", unit="X/s", only=NOT_ZERO)
    effort_direction = parameter(True, "same direction of effort for both directions of motion", structural=True)

    @property
    def one_direction(self) -> bool:
        """Whether the effort keeps its direction where the speed turns round."""
        return getattr(self, self.spell("effort_direction"))


class LinearDrive(NominalDrive):
    """e = e_nominal |v / v_nominal|, or without the bars."""

    def law(self, plan: PartsList) -> ca.SX:
        ratio = self.ratio(plan)
        return self.value(plan, "e_nominal") * (ca.fabs(ratio) if self.one_direction else ratio)


class QuadraticDrive(NominalDrive):
    """e = e_nominal (v / v_nominal)², or with the sign of the speed."""

    def law(self, plan: PartsList) -> ca.SX:
        ratio = self.ratio(plan)
        return self.value(plan, "e_nominal") * ratio * (ratio if self.one_direction else ca.fabs(ratio))


class InverseDrive(NominalDrive):
    """e = e_nominal v_nominal / |v|, or without the bars: constant power.

    Below v0 the effort does not grow any more; without the bars it passes through zero in a straight line, and is
    continuous at v0 (Modelica's jumps there).
    """

    v0 = parameter(0.1, "speed below which the effort does not grow any more", "X/s", only=POSITIVE)

    def law(self, plan: PartsList) -> ca.SX:
        v, v0 = self.moving()[1], self.value(plan, "v0")
        largest = self.value(plan, "e_nominal") * self.value(plan, "v_nominal")
        size = ca.fmax(ca.fabs(v), v0)
        return largest / size if self.one_direction else largest * v / size**2


class SignDrive(SpeedDependentDrive):
    """e = e_nominal sign(v), rounded off around zero: it drives in either direction, or brakes where it is negative."""

    e_nominal = parameter(text="effort (negative for a brake)", unit="E")
    reg = parameter("exp", "how the sign is rounded off: exp, sine, linear or cosine", structural=True)
    v0 = parameter(0.1, "speed below which the sign is rounded off", "X/s", only=POSITIVE)

    def _check(self) -> None:
        if self.reg not in SIGNS:
            raise ModelError(f"{self.path}.reg = {self.reg!r}: choose one of {', '.join(map(repr, SIGNS))}.", self)

    def law(self, plan: PartsList) -> ca.SX:
        return self.value(plan, "e_nominal") * smooth_sign(self.reg, self.moving()[1], self.value(plan, "v0"))


class EddyCurrentDrive(SpeedDependentDrive):
    """An eddy-current brake by Kloss' formula, in the direction of the motion at its flange:

        e = 2 e_nominal excitation² r/(1 + r²),   r = v/(v_nominal (1 + α (T − T_ref)))

    with α = α₂₀/(1 + α₂₀ (T_ref − 293.15 K)), the temperature coefficient α₂₀ at 20 °C as it is at T_ref.

    The largest effort e_nominal is reached at v_nominal.  The resistance of the disc grows with its temperature T, that
    of the heat port where this is connected, and so does the speed of the largest effort.
    """

    e_nominal = parameter(text="largest effort, always braking", unit="E")
    v_nominal = parameter(text="speed of the largest effort, at T_ref", unit="X/s", only=POSITIVE)
    excitation = signal(1.0, "magnetic field over that of the largest effort", "")
    T_ref = parameter(293.15, "reference temperature", "K", only=POSITIVE)
    alpha20 = parameter(0.0, "how much the resistance grows with temperature, at 20 °C", "1/K")
    T = parameter(293.15, "temperature of the disc, where nothing is connected to its heat port", "K", only=POSITIVE)
    loss_power = variable("dissipated power", "W")

    def _temperature(self, plan: PartsList) -> ca.SX:
        port = self._connectors.get("heat_port")
        return port.symbol("T") if port is not None and plan.is_connected(port) else plan.values(self).T

    def law(self, plan: PartsList) -> ca.SX:
        p = plan.values(self)
        alpha = p.alpha20 / (1 + p.alpha20 * (p.T_ref - 293.15))
        r = self.ratio(plan) / (1 + alpha * (self._temperature(plan) - p.T_ref))
        return -2 * self.value(plan, "e_nominal") * self.symbol("excitation") ** 2 * r / (1 + r * r)

    def definitions(self, plan: PartsList) -> dict:
        braking = -self.law(plan)
        return {**self.spelled(e=braking), "loss_power": braking * self.moving()[1]}
