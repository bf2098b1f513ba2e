"""Connectors that must lead somewhere: a spring with a loose end or a sensor on nothing is a mistake."""

from __future__ import annotations

from ..components.model import Model
from ..errors import TopologyError
from .plan import Plan


def check_connected(plan: Plan) -> None:
    """Refuse required connectors that no other component is joined to."""
    partners: dict[int, int] = {}
    for connectors in plan.connection_sets():
        others = sum(not isinstance(connector.owner, Model) for connector in connectors)
        partners.update({id(connector): others for connector in connectors})
    for component in plan.components:
        loose = [name for name in component.required_ports() if partners[id(component._connectors[name])] < 2]
        if loose:
            names = " and ".join(f"{component.path}.{name}" for name in loose)
            verb = "is" if len(loose) == 1 else "are"
            reason = ("it was chosen by resolve_in_frame" if loose == ["frame_resolve"]
                      else f"a {type(component).__name__} works only between connected frames")
            raise TopologyError(f"{names} {verb} connected to nothing; {reason}. Connect "
                                f"{'it' if len(loose) == 1 else 'them'}, or remove {component.path}.", component)
