"""Heat: what flows between ports, and the temperatures that follow.

Heat ports that are connected are one node with one temperature T, and what flows into the components there adds up to
nothing, Σ Q_flow = 0.  T is one of

    a state         where heat capacities are:  Σ C dT/dt = −Σ (what flows into the other components)
    a given value   where a component holds it, which takes up the rest
    an unknown      where neither is; it is solved for from Σ Q_flow = 0

All is told in the components' own symbols: states and unknowns are added to the parts list, and what a port's T and
Q_flow stand for is noted there.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from ..errors import ModelError, TopologyError
from ..language import Connector, Model, PartsList
from ..language.fields import Guess
from ..language.parts_list_entries import AtHeatPort, HeatStore
from ..mechanism import Joined
from .tolerances import ROOM_TEMPERATURE


def conduct(plan: PartsList) -> None:
    """Add temperatures to a parts list, and say what the variables of its heat ports stand for."""
    nodes = [ports for ports in plan.connection_sets() if ports[0].kind == "heat port"]
    _let_losses_flow(plan, nodes)
    flows, stores, held = (_by_port(told) for told in (plan.heat_flows, plan.heat_stores, plan.temperatures))
    told = flows.keys() | stores.keys() | held.keys()
    nodes = [ports for ports in nodes if len(ports) > 1 or id(ports[0]) in told]
    _refuse_what_nothing_holds(plan, nodes, stores.keys() | held.keys())
    for ports in nodes:
        total = ca.SX(0)
        for port in ports:
            flowing = sum((item.value for item in flows.get(id(port), ())), ca.SX(0))
            plan.heat_ports[id(port)] = {"Q_flow": flowing}
            total += flowing
        capacities = [item for port in ports for item in stores.get(id(port), ())]
        given = [item for port in ports for item in held.get(id(port), ())]
        T = _held(given, capacities, total, plan) if given else _stored(capacities, total, plan) if capacities \
            else _balanced(ports, total, plan)
        for port in ports:
            plan.heat_ports[id(port)]["T"] = T


def _let_losses_flow(plan: PartsList, nodes: list[list[Connector]]) -> None:
    """Components that lose power send it out of their heat ports, where these lead somewhere."""
    led = {id(port) for ports in nodes if len(ports) > 1 for port in ports}
    for component in plan.components:
        port = component._connectors.get("heat_port")
        if port is not None and id(port) in led and component.loses_power():
            plan.heat_flow(component, port, -component.symbol("loss_power"))


def _by_port(told: list) -> dict[int, list]:
    found: dict[int, list] = {}
    for item in told:
        found.setdefault(id(item.port), []).append(item)
    return found


def _refuse_what_nothing_holds(plan: PartsList, nodes: list[list[Connector]], holding: set[int]) -> None:
    """Refuse heat that can go nowhere: no capacity and no given temperature can be reached from there."""
    sets = Joined()
    number = {id(port): k for k, ports in enumerate(nodes) for port in ports}
    through: dict[int, int] = {}  # component that heat flows through → one of its nodes
    for told in plan.heat_flows:
        sets.join(through.setdefault(id(told.component), number[id(told.port)]), number[id(told.port)])
    kept = {sets.find(number[port]) for port in holding if port in number}
    for k, ports in enumerate(nodes):
        if sets.find(k) not in kept:
            owners = [port.owner for port in ports if not isinstance(port.owner, Model)]
            raise TopologyError(f"{ports[0].path}: heat that flows here can go nowhere, so that the temperature is "
                                "undefined. Connect a heat.HeatCapacitor, or a heat.FixedTemperature through a "
                                "heat.ThermalConductor.", *owners)


def _held(given: list[AtHeatPort], capacities: list[HeatStore], total: ca.SX, plan: PartsList) -> ca.SX:
    """The temperature that a component holds; what is left flows into that."""
    first = given[0]
    if len(given) > 1:
        raise TopologyError(f"{given[1].component.path} and {first.component.path} both hold the temperature of one "
                            "place; connect one of them through a heat.ThermalConductor.", given[1].component)
    if capacities:
        path = capacities[0].component.path
        raise TopologyError(f"{path}: {first.component.path} holds its temperature, so that its capacity means "
                            f"nothing; leave {path} out, or connect it through a heat.ThermalConductor.",
                            capacities[0].component)
    plan.heat_ports[id(first.port)]["Q_flow"] = -total
    return first.value


def _stored(capacities: list[HeatStore], total: ca.SX, plan: PartsList) -> ca.SX:
    """The temperature of capacities that are joined: one state, whatever their number."""
    first, whole = capacities[0], sum((ca.SX(item.capacity) for item in capacities), ca.SX(0))
    given = [item for item in capacities if isinstance(item.start, Guess)]
    for other in given[1:]:
        if other.start.value != given[0].start.value:
            raise ModelError(f"{other.component.path}.T = {other.start.value:g} K and {given[0].component.path}.T = "
                             f"{given[0].start.value:g} K at the start, but they are joined and have one temperature.",
                             other.component)
    plan.state(first.component, "T", first.symbol, -total / whole, (given or capacities)[0].start)
    for item in capacities:
        plan.heat_ports[id(item.port)]["Q_flow"] = -total * item.capacity / whole
    return first.symbol


def _balanced(ports: list[Connector], total: ca.SX, plan: PartsList) -> ca.SX:
    """The temperature at which what flows in flows out."""
    port = next(port for port in ports if not isinstance(port.owner, Model))
    T = port.symbol("T")
    plan.unknown(port.owner, f"{port.name}.T", T, total, np.array([ROOM_TEMPERATURE]))
    return T
