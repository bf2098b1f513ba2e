"""Fixman's potential for molecules with frozen bonds."""

from __future__ import annotations

from ...language import Component, PartsList
from ...language.fields import parameter
from ...language.ranges import POSITIVE
from .units import GAS_CONSTANT


class Fixman(Component):
    """Fixman's potential: removes the weight √det M that rigid bonds give to configurations at a temperature.

    It acts on all moving bodies of the model; its energy ½ kT log det M is the result "fixman_energy".

        m.fixman = molecules.Fixman(T=300)
    """

    T = parameter(300.0, "temperature", "K", only=POSITIVE)

    def describe(self, plan: PartsList) -> None:
        plan.fixman(self, GAS_CONSTANT * plan.values(self).T)
