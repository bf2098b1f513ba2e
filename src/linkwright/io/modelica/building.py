"""From an instance of a class to a Model: parts, sub-models, signals, states, events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np

import linkwright as lw

from ...errors import ModelError
from ...language import Connector
from ...language.fields import Free
from ...language.symbolic import symbolic
from ..import_report import ImportReport, Note
from ..tolerances import CONTRADICTION
from .arithmetic import OneEntry, as_array, column, is_expression, shape_of
from .buses import Bus, Slot
from .changes import Change, Scope
from .connecting import Connections
from .evaluation import Evaluator
from .finishing import finish
from .instances import Declared, Instance, Variable, type_of
from .leaves import LEAVES
from .library import Library, Node
from .parts import Absent, Part, Port, made_part
from .sections import read_sections
from .solving import Residual, Unknown

#: kind of connector → what makes one
MAKERS = {"frame": lambda: lw.Frame(), "planar frame": lambda: lw.planar.Frame(),
          "rotational flange": lambda: lw.rotational.Flange(),
          "translational flange": lambda: lw.translational.Flange(),
          "heat port": lambda: lw.heat.HeatPort()}


class Build:
    """Everything that is known while one model is read."""

    def __init__(self, library: Library, report: ImportReport):
        self.library, self.report = library, report
        self.evaluator = Evaluator(self)
        self.unknowns: dict[int, Unknown] = {}
        self.residuals: list[Residual] = []
        self.initial: list[tuple[Any, Any, str, Any]] = []
        self.events: list[tuple[Any, Any, Any, Instance | None, str]] = []
        self.connections: list = []
        self.parts: list[Part] = []
        self.own_ports: list[Port] = []
        self.variables: list[Variable] = []
        self.flow_connectors: list[Instance] = []
        self.discretes: dict[int, Variable] = {}
        self.free: dict[int, Free] = {}
        self._buses: dict[int, Bus] = {}
        self._gravity: dict[int, Any] = {}
        self.top: Instance | None = None

    def run(self, node: Node) -> lw.Model:
        """The model of a class."""
        top = self.top = Instance(node, "", None, Change(), self.evaluator)
        top.model = lw.Model(node.name)
        if top.leaf is not None:
            raise ModelError(f"{node.where}: {node.full} is one component; give a model that uses it.")
        self._walk(top)
        for port in self.own_ports:
            self._at_port(port)
        self._sections(top)
        Connections(self).read(self.connections)
        finish(self)
        return top.model

    # --- instances ---

    def _walk(self, instance: Instance) -> None:
        """Make all parts, deeper ones too."""
        flows = False
        for _, member in instance.members():
            for one in _flat(member):
                if isinstance(one, Instance):
                    if one.parent is instance and not one.is_bus:
                        self._walk(one)
                elif isinstance(one, Variable) and one.owner is instance and not one.is_parameter:
                    self._register(one)
                    flows |= "flow" in one.prefixes
        for name, said in instance.change.entries.items():
            if not (instance.has(name) or name in instance.types or instance.node.member(name)):
                self.ignore(instance, name, said.line)
        if flows and instance.is_connector:
            self.flow_connectors.append(instance)
        if not (instance.is_record or instance.is_connector):
            self.model_of(instance)
            if instance is not self.top:
                self.report.kept[instance.node.name] = self.report.kept.get(instance.node.name, 0) + 1

    def _register(self, variable: Variable) -> None:
        self.variables.append(variable)
        symbol = variable.unknown()
        for k, entry in enumerate(ca.vertsplit(ca.vec(symbol))):
            name = variable.path if symbol.numel() == 1 else f"{variable.path}[{k}]"
            self.unknowns[entry.element_hash()] = Unknown(entry, name, rank=self._rank(variable))
        if variable.change.value is not None:
            self.equation(symbol, self.evaluator.bound(variable.change.value), variable.where())

    def _rank(self, variable: Variable) -> int:
        said = variable.change.entries.get("stateSelect")
        if said is None or said.value is None:
            return 0
        ranks = {"never": -2, "avoid": -1, "default": 0, "prefer": 1, "always": 2}
        return ranks.get(getattr(self.evaluator.bound(said.value), "name", ""), 0)

    def _sections(self, instance: Instance) -> None:
        read_sections(self, instance)
        for name in list(instance.declared):
            for one in _flat(instance.member(name)):
                if isinstance(one, Instance) and one.parent is instance and not one.is_bus:
                    self._sections(one)

    def model_of(self, instance: Instance | None) -> lw.Model:
        """The model that stands for an instance; parts of records and connectors belong to the model around."""
        assert instance is not None
        if instance.model is None:
            above = self.model_of(instance.parent)
            if instance.is_record or instance.is_connector:
                return above
            instance.model = lw.Model(instance.name)
            self.attach(above, instance.name, instance.model, instance)
        return instance.model

    def attach(self, model: lw.Model, name: str, part: Any, instance: Instance) -> None:
        """Make something part of a model under its name, or one like it where the name is taken by the language."""
        own = name
        if hasattr(lw.Model, name) or name.startswith("_") or name in ("title", "momentum", "reactions"):
            own = f"{name.lstrip('_')}_"
            self.report.names.setdefault("component", {})[instance.path or name] = own
        try:
            setattr(model, own, part)
        except ModelError as error:
            raise ModelError(f"{instance.scope.where(0)}: {error}") from error

    def port(self, owner: Instance, name: str, kind: str, change: Change) -> Port:
        connector: Connector = MAKERS[kind]()
        self.attach(self.model_of(owner), name if not owner.is_connector else f"{owner.name}_{name}", connector, owner)
        made = Port(connector, self, owner, change)
        self.own_ports.append(made)
        return made

    def _at_port(self, port: Port) -> None:
        """What the declaration of a flange, frame or heat port says of its quantities: equations and start values."""
        assert port.owner is not None and port.change is not None
        for name, said in port.change.entries.items():
            binding, fixed = said.value, said.entries.get("fixed")
            if binding is not None:
                where = binding.scope.where(said.line)
                self.equation(port.inside(name, where), self.evaluator.bound(binding), where)
            elif fixed is not None and fixed.value is not None and np.all(self.evaluator.bound(fixed.value)):
                where, start = fixed.value.scope.where(said.line), said.entries.get("start")
                self.initial_equation(port.inside(name, where), 0.0 if start is None or start.value is None
                                      else self.evaluator.bound(start.value), where)
            elif "start" in said.entries:
                self.ignore(port.owner, f"the guess of {port.connector.name}.{name}", said.line)

    def part(self, instance: Instance) -> Part:
        """The component of a leaf class."""
        assert instance.leaf is not None and instance.parent is not None
        component, given = made_part(self, instance)
        if any(tree.equations or tree.algorithms or any(not one.prefixes & {"parameter", "constant", "outer"}
                                                        for one in tree.components) for tree, _ in instance.sections):
            raise ModelError(f"{instance.node.where}: {instance.node.full} adds parts or equations to "
                             f"{instance.leaf[0].full}, which is one component here; make a model that holds one.")
        self.attach(self.model_of(instance.parent), instance.name, component, instance.parent)
        made = Part(component, LEAVES[instance.leaf[0].full], self, instance)
        self.parts.append(made)
        self.report.kept[type(component).__name__] = self.report.kept.get(type(component).__name__, 0) + 1
        for name, binding in given.signals.items():
            self.equation(made.signal(name), self.evaluator.bound(binding), binding.scope.where(binding.line))
        for name, start in given.conditions.items():
            self.initial_equation(getattr(component, name), start, given.where())
        return made

    def inner(self, instance: Instance, name: str, declared: Declared) -> Any:
        """The component of this name that is `inner` above; one of the same class at the top where there is none."""
        above = instance.parent
        while above is not None:
            if above.has(name) and "inner" in above.declared[name].component.prefixes:
                return above.member(name)
            above = above.parent
        assert self.top is not None
        if instance is self.top and not self.top.made.get(name):
            return None
        if not self.top.has(name):
            component = declared.component
            plain = Declared(_without_outer(component), declared.scope, declared.change, declared.type_scope)
            self.top.declared[name] = plain
        return self.top.member(name)

    # --- buses ---

    def bus(self, instance: Instance) -> Bus:
        """The bus of an expandable connector."""
        if id(instance) not in self._buses:
            self._buses[id(instance)] = Bus(instance.path, self)
            for name, declared in instance.declared.items():
                kind = type_of(declared.component.type, declared.type_scope, declared.component.line)
                if kind.kind == "class" and kind.node is not None and kind.node.tree is not None \
                        and "expandable" in kind.node.tree.prefixes:
                    nested = instance.member(name)
                    self._buses[id(instance)].inside[name] = self.bus(nested)
        return self._buses[id(instance)]

    # --- unknowns and equations ---

    def unknown(self, name: str, shape: tuple[int, ...] = ()) -> Any:
        """A new unknown of a shape."""
        size = shape if len(shape) == 2 else (shape[0], 1) if shape else (1, 1)
        symbol = symbolic(ca.SX.sym(name, *size))
        for k, entry in enumerate(ca.vertsplit(ca.vec(symbol))):
            self.unknowns[entry.element_hash()] = Unknown(entry, name if symbol.numel() == 1 else f"{name}[{k}]")
        return OneEntry(symbol) if shape == (1,) else symbol

    def equation(self, left: Any, right: Any, where: str) -> None:
        """left = right, entry by entry."""
        for a, b in _pairs(left, right, where):
            difference = ca.SX(a) - ca.SX(b)
            if ca.symvar(difference):
                self.residuals.append(Residual(difference, where))
            elif abs(float(difference)) > CONTRADICTION:
                raise ModelError(f"{where}: the equation {float(ca.SX(a)):g} = {float(ca.SX(b)):g} cannot hold.")

    def initial_equation(self, left: Any, right: Any, where: str) -> None:
        """left = right at the start."""
        for a, b in _pairs(left, right, where):
            self.initial.append((ca.SX(a), ca.SX(b), where, None))

    def derivative(self, value: Any, scope: Scope, line: int) -> Any:
        """der(value)."""
        if not is_expression(value):
            return np.zeros(shape_of(value)) if shape_of(value) else 0.0
        read = {symbol.element_hash() for symbol in ca.symvar(ca.SX(value))}
        if not read & self.unknowns.keys():
            return lw.der(value)
        flat = ca.vec(ca.SX(value))
        if not all(entry.is_symbolic() and entry.element_hash() in self.unknowns for entry in ca.vertsplit(flat)):
            own = self.unknown(f"derived at line {line}", shape_of(value))
            self.equation(own, value, scope.where(line))
            flat = ca.vec(ca.SX(own))
        rates = []
        for entry in ca.vertsplit(flat):
            of = self.unknowns[entry.element_hash()]
            if of.rate is None:
                symbol = ca.SX.sym(f"der({of.name})")
                of.rate = Unknown(symbol, f"der({of.name})", of=of)
                self.unknowns[symbol.element_hash()] = of.rate
            rates.append(of.rate.symbol)
        found = ca.reshape(ca.vertcat(*rates), ca.SX(value).shape)
        return OneEntry(found) if getattr(value, "one_entry", False) else symbolic(found)

    def before(self, value: Any, scope: Scope, line: int) -> Any:
        """pre(value): discrete variables hold their value between events."""
        return value

    def discrete(self, variable: Variable) -> Any:
        """A variable that events set."""
        symbol = variable.unknown()
        for entry in ca.vertsplit(ca.vec(ca.SX(symbol))):
            self.unknowns[entry.element_hash()].known = True
            self.discretes[entry.element_hash()] = variable
        return symbol

    def start_of(self, variable: Variable) -> Any:
        """The attribute start of a variable; None where it is not given."""
        said = variable.change.entries.get("start")
        if said is None or said.value is None:
            return None
        return self.evaluator.bound(said.value)

    def free_parameter(self, variable: Variable) -> Any:
        """A parameter that the start decides."""
        start = self.start_of(variable)
        symbol = variable.unknown()
        self.free[symbol.element_hash()] = lw.free(float(start) if start is not None else 1.0)
        return symbol

    def free_value(self, value: Any) -> Free | None:
        """What a component takes for a free parameter, where a value is nothing but that."""
        return self.free.get(value.element_hash()) if value.numel() == 1 and value.is_symbolic() else None

    def has_free(self) -> bool:
        """Whether the start decides a parameter: what is asserted of it now means nothing."""
        return bool(self.free) or any(isinstance(value, Free) for part in self.parts
                                      for value in part.component._parameters.values())

    # --- gravity ---

    def gravity_function(self, node: Node, scope: Scope) -> Any:
        """A field of gravity by a function of the text."""
        def field(r: Any) -> Any:
            found = self.evaluator.apply(node, [as_array([r[k] for k in range(3)])], {}, scope, 0)
            return [found[k] for k in range(3)]

        return field

    def gravity(self, world: lw.World, position: Any) -> Any:
        """Acceleration of gravity at a place."""
        if callable(world.gravity):
            return column(world.gravity(position))
        if world.gravity is None:
            return np.zeros(3)
        if world.gravity == "uniform":
            n = np.asarray(world.n, dtype=float)
            return float(type(world).g.number(world)) * n / np.linalg.norm(n)
        size = ca.norm_2(position)
        return symbolic(-float(type(world).mu.number(world)) / size**3 * position)

    def resource(self, uri: str) -> str | None:
        """The file of a modelica:// address, where it is there."""
        library, _, inside = uri.removeprefix("modelica://").partition("/")
        node = self.library.top.resolve(library.partition(".")[0])
        for _, folder in node.layers if node is not None else ():
            if folder is not None and (folder / inside).is_file():
                return str(folder / inside)
        return None

    # --- report ---

    def ignore(self, instance: Instance | None, name: str, line: int) -> None:
        """Note what has no place in the model."""
        self.report.ignored.append(self._note(instance, f"{name} is not used", line))

    def approximate(self, instance: Instance, why: str, line: int) -> None:
        """Note what is in the model otherwise than the text says."""
        self.report.approximated.append(self._note(instance, why, line))

    def _note(self, instance: Instance | None, text: str, line: int) -> Note:
        home = instance.parent or instance if instance is not None else None
        file = home.node.tree.file if home is not None and home.node.tree is not None else self.report.file
        path = instance.path if instance is not None else ""
        return Note(file.rpartition("/")[2], line, path, text)


def _without_outer(component: Any) -> Any:
    return replace(component, prefixes=component.prefixes - {"outer"} | {"inner"}, condition=None)


def _flat(member: Any) -> Any:
    if isinstance(member, list):
        for one in member:
            yield from _flat(one)
    elif not isinstance(member, Absent):
        yield member


def _pairs(left: Any, right: Any, where: str) -> Any:
    """Both sides entry by entry."""
    if isinstance(left, Slot):
        left = left.value(shape_of(right))
    if isinstance(right, Slot):
        right = right.value(shape_of(left))
    if isinstance(left, dict) or isinstance(right, dict):
        if not (isinstance(left, dict) and isinstance(right, dict)):
            raise ModelError(f"{where}: a record is set equal to what is none.")
        for name in left:
            yield from _pairs(left[name], right[name], where)
        return
    if isinstance(left, str) or isinstance(right, str):
        return
    sides = [ca.SX(column(side)) if shape_of(side) or is_expression(side) else ca.SX(float(_number(side)))
             for side in (left, right)]
    if sides[0].shape != sides[1].shape:
        if sides[0].numel() != sides[1].numel() and 1 not in (sides[0].numel(), sides[1].numel()):
            raise ModelError(f"{where}: {sides[0].numel()} numbers are set equal to {sides[1].numel()}.")
        if sides[0].numel() == sides[1].numel():
            sides = [ca.vec(side) for side in sides]
        else:
            size = max(side.numel() for side in sides)
            sides = [ca.repmat(side, size, 1) if side.numel() == 1 else ca.vec(side) for side in sides]
    yield from zip(ca.vertsplit(ca.vec(sides[0])), ca.vertsplit(ca.vec(sides[1])), strict=True)


def _number(value: Any) -> float:
    return value.number if hasattr(value, "number") else value
