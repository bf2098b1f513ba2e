"""Results by name: every variable of every component under its dotted path."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import casadi as ca

from ..building import cached_property
from ..errors import unknown_name
from ..language import Component, Connector, Frame, HeatPort, Model
from ..language.fields import Parameter
from ..language.fields import Variable as VariableField

if TYPE_CHECKING:
    from .definitions import Definitions

RESULT_NAMES = {"r_0": "p", "v_0": "v", "a_0": "a", "R.w": "w", "w": "w", "z": "z", "f": "f", "t": "t"}

#: what flows through a connector
LOADS = ("f", "t", "tau", "fx", "fy", "Q_flow")

#: the sum of what all springs hold
ELASTIC = "elastic_energy"


class _Tables(NamedTuple):
    """Outputs, integrals and inputs of a model, by name."""

    outputs: dict[str, ca.SX]
    integrals: dict[str, tuple]
    inputs: dict[str, tuple]


class ResultNames:
    """Finds expressions by name, and lists the names."""

    def __init__(self, definitions: Definitions) -> None:
        self.definitions, self.plan = definitions, definitions.plan
        # as they are now: names are looked up later, when the model may have others
        self._tables = {model.path: _Tables(dict(model._outputs), dict(model._integrals), dict(model._inputs))
                        for model in self.plan.model.models()}

    def lookup(self, name: str) -> ca.SX:
        """The expression of a result by its dotted name, in component symbols."""
        found = self.find(name)
        if found is None:
            raise unknown_name(name, self.names(), f"model {self.plan.model.title!r}")
        return found

    def find(self, name: str) -> ca.SX | None:
        """The expression of a result, or None where there is none of this name."""
        outputs = self._tables[self.plan.model.path].outputs
        if name in outputs:
            return self.plan.formula(name, outputs[name])
        if name in self._blocks:
            return self._blocks[name]
        if name == ELASTIC and self._springs:
            return sum(component.symbol("energy") for component in self._springs)
        parts = name.split(".")
        for k in range(1, len(parts)):
            component = self._components.get(".".join(parts[:k]))
            if component is not None:
                return self._of_component(component, ".".join(parts[k:]))
        found = None
        for k in range(len(parts)):
            model = self._models.get(".".join(parts[:k]))
            if found is None and model is not None:
                found = self._of_model(model, parts[k:])
        return found

    @cached_property
    def _components(self) -> dict[str, Component]:
        return {component.path: component for component in self.plan.components}

    @cached_property
    def _models(self) -> dict[str, Model]:
        """Models by path; the whole has none."""
        return {"" if model is self.plan.model else model.path: model for model in self.plan.model.models()}

    def _of_component(self, component: Component, rest: str) -> ca.SX | None:
        head, _, tail = rest.partition(".")
        if head in component._connectors and tail:
            return self._of_port(component._connectors[head], tail)
        field = type(component).fields().get(rest)
        if isinstance(field, VariableField):
            return getattr(component, rest)
        found = self.definitions.component(component).get(rest)
        return self._parameter(component, rest) if found is None else found

    def _parameter(self, component: Component, name: str) -> ca.SX | None:
        field = type(component).fields().get(name)
        if not isinstance(field, Parameter) or field.structural:
            return None
        value = getattr(self.plan.values(component), name)
        return None if value is None else ca.SX(value)

    def _of_model(self, model: Model, rest: list[str]) -> ca.SX | None:
        if len(rest) == 1:
            tables = self._tables[model.path]
            if rest[0] in tables.outputs:
                return self.plan.formula(model.path_of(rest[0]), tables.outputs[rest[0]])
            found = tables.integrals.get(rest[0]) or tables.inputs.get(rest[0])
            return self._parameter(model, rest[0]) if found is None else found[0]
        if rest and rest[0] in model._connectors:
            port = model._connectors[rest[0]]
            return self._load_of_model(model, port, rest[1]) if rest[1] in LOADS else self._of_port(
                port, ".".join(rest[1:]))
        return None

    def _load_of_model(self, model: Model, port: Connector, what: str) -> ca.SX | None:
        """The load at a connector of a model: what its parts take of it; where two connectors of it lie in one place
        inside, what the parts outside leave.  None where neither tells."""
        inside = _joined(model, port)
        if all(other.owner is not model for other in inside):
            loads, sign = inside, 1.0
        else:
            above = model._parent
            loads, sign = _joined(above, port) if isinstance(above, Model) else [], -1.0
            if any(other.owner is above for other in loads):
                return None
        total = ca.SX(0)
        for other in loads:
            load = self._load_of_model(other.owner, other, what) if isinstance(other.owner, Model) \
                else self._of_port(other, what)
            if load is None:
                return None
            total = total + load
        return sign * total if loads else None

    def _of_port(self, port: Connector, what: str) -> ca.SX | None:
        if not isinstance(port, Frame):
            return port.symbol(what) if what in port.LISTED and self._answered(port) else None
        if what == "R.T":
            return port.R.T
        if what in port.IN_PLANE:
            return port.symbol(port.IN_PLANE[what])
        quantity = RESULT_NAMES.get(what)
        return None if quantity is None else port.symbol(quantity, Frame.QUANTITIES.get(quantity, (3,)))

    def _answered(self, port: Connector) -> bool:
        """Whether there is anything to say of a connector: a frame or heat port may lead nowhere."""
        if isinstance(port, HeatPort):
            return id(port) in self.plan.heat_ports
        return not isinstance(port, Frame) or self.definitions.answers.placed(port)

    @cached_property
    def _blocks(self) -> dict[str, ca.SX]:
        """States and outputs of blocks by name; the name alone is the output."""
        found = {f"{block.path}.{name}": value for block in self.plan.blocks for name, value in block.results.items()}
        return {**found, **{block.path: block.results["y"] for block in self.plan.blocks}}

    @cached_property
    def _springs(self) -> list[Component]:
        """The components that say how much elastic energy they hold."""
        return [component for component in self.plan.components if component.stores_energy()]

    def names(self) -> list[str]:
        """All result names; parameters can be asked for too, but are not listed."""
        out = [*self._tables[self.plan.model.path].outputs, *self._blocks, *([ELASTIC] if self._springs else [])]
        for component in self.plan.components:
            own = {name for name, field in type(component).fields().items()
                   if isinstance(field, VariableField) and field.present(component)}
            own |= {name for name in self.definitions.component(component) if not name.startswith(("drive[", "at["))}
            for port in component._connectors.values():
                if self._answered(port):
                    own |= {f"{port.name}.{name}" for name in port.LISTED}
            out += [f"{component.path}.{name}" for name in sorted(own)]
        for model in self.plan.model.models():
            prefix = "" if model is self.plan.model else model.path + "."
            own_tables = self._tables[model.path]
            shown = [own_tables.integrals, own_tables.inputs, *([own_tables.outputs] if prefix else [])]
            out += [prefix + name for table in shown for name in table]
        return out


def _joined(model: Model, port: Connector) -> list[Connector]:
    """The other connectors that a model connects with one."""
    reached, todo = [port], [port]
    while todo:
        one = todo.pop()
        for group in model._connections:
            if any(other is one for other in group):
                new = [other for other in group if all(other is not known for known in reached)]
                reached += new
                todo += new
    return reached[1:]
