"""Joints with one coordinate that a drive train can be connected to."""

from __future__ import annotations

from ...language import Connector, Joint, PartsList


class Driven(Joint):
    """A joint with flanges `axis` and `support`, between which a drive acts with the torque or force named `effort`."""

    flange_type: type[Connector]
    effort: str

    def _make_connectors(self) -> None:
        super()._make_connectors()
        self._port("axis", self.flange_type())
        self._port("support", self.flange_type())

    def describe(self, plan: PartsList) -> None:
        super().describe(plan)
        plan.axis(self, 0, self.axis, self.support)

    def definitions(self, plan: PartsList) -> dict:
        return {**super().definitions(plan), self.effort: plan.drive(self, 0)}
