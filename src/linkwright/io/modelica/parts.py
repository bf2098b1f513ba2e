"""Components and connectors here that stand for classes and connectors of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

import linkwright as lw

from ...errors import ModelError
from ...language import Component, Connector, numbers
from ...language.fields import Appearance, Parameter, Signal
from ...language.fields import Variable as Measured
from .arithmetic import Literal, OneEntry, is_expression, symbolic
from .changes import Binding, Change, Scope
from .leaves import DEGREES, LEAVES, PASSED_ON, SWITCHES, WORDS, Leaf, own_name
from .library import Node
from .syntax import Class

if TYPE_CHECKING:
    from .building import Build
    from .instances import Instance


class Absent:
    """A conditional component or connector that is not there."""


#: parts of the Standard Library's components that are one with them here
INSIDE = ("body", "frameTranslation", "lineForce", "joint", "inertia", "prismatic", "revolute", "multiBody")
#: kind of connector → (quantity there → attribute here)
QUANTITIES = {
    "frame": {"r_0": "r_0", "f": "f", "t": "t"}, "rotational flange": {"phi": "phi", "tau": "tau"},
    "translational flange": {"s": "s", "f": "f"}, "heat port": {"T": "T", "Q_flow": "Q_flow"},
    "planar frame": {"x": "x", "y": "y", "phi": "phi", "fx": "fx", "fy": "fy", "t": "t"}}
FLOWS = {"f", "t", "tau", "Q_flow", "fx", "fy"}


class Port:
    """A frame, flange or heat port: of a component, or of an interpreted model itself (then `owner` is that)."""

    def __init__(self, connector: Connector, build: Build, owner: Instance | None = None,
                 change: Change | None = None):
        self.connector, self.build, self.owner, self.change = connector, build, owner, change
        self.flows: dict[str, ca.SX] = {}
        self.joined_inside = False  # something inside of its own model takes the load

    @property
    def kind(self) -> str:
        return self.connector.kind

    def inside(self, name: str, where: str) -> Any:
        """A quantity at the connector."""
        if name == "R" and self.kind == "frame":
            return {"T": self.connector.R.T, "w": self.connector.R.w}
        if name not in QUANTITIES[self.kind]:
            raise ModelError(f"{where}: a {self.kind} has no {name}.")
        if name in FLOWS and self.owner is not None:
            if name not in self.flows:
                size = 3 if self.kind == "frame" else 1
                self.flows[name] = self.build.unknown(f"{self.connector.path}.{name}", (size,) if size > 1 else ())
            return self.flows[name]
        return getattr(self.connector, QUANTITIES[self.kind][name])


class Part:
    """A component, and the signals that it waits for."""

    def __init__(self, component: Component, leaf: Leaf, build: Build, owner: Instance,
                 around: Component | None = None):
        self.component, self.leaf, self.build, self.owner, self.around = component, leaf, build, owner, around
        self.signals: dict[str, Any] = {}
        self._ports: dict[str, Port] = {}

    def inside(self, name: str, where: str) -> Any:
        """A connector, variable, parameter or signal by Modelica's name."""
        component = self.component
        name = self.leaf.names.get(name, name)
        fields = type(component).fields()
        if name == "heatPort" and not component.loses_power():
            return Absent()
        own = own_name(name, component._connectors) or ("heat_port" if name == "heatPort" else None)
        if own is not None:
            if own not in self._ports:
                self._ports[own] = Port(getattr(component, own), self.build)
            return self._ports[own]
        if name in self.leaf.joined:
            return symbolic(ca.vertcat(*(self.signal(one) for one in self.leaf.joined[name])))
        own = own_name(name, fields)
        if own is None and self.owner.has(name):  # a parameter that a class adds to the one it extends
            return self.owner.member(name)
        if own is None:
            if (known := own_name(name, _properties(type(component)))) is not None:
                found = getattr(component, known)
                return found if is_expression(found) else np.asarray(numbers(found))[()]
            if name in DERIVED:
                return DERIVED[name](component)
            if isinstance(component, lw.Model) and (child := own_name(name, component._children)) is not None:
                return Part(component._children[child], Leaf("", ""), self.build, self.owner, component)
            for model in (component, self.around):
                if isinstance(model, lw.Model) and (output := own_name(name, model._outputs)) is not None:
                    return model._outputs[output]
            if name in INSIDE:
                return self
            if isinstance(component, lw.World):
                return WORLD_DEFAULTS.get(name) or _refuse(where, component, name)
            return _refuse(where, component, name)
        field = fields[own]
        if isinstance(field, Signal):
            return self.signal(own)
        if isinstance(field, Parameter):
            value = field.number(component)
            if value is None:
                value = component.default_of(own)
            if (type(component).__name__, own) in DEGREES:
                value = np.rad2deg(value)
            return np.asarray(value, dtype=float) if isinstance(value, (list, tuple)) else value
        found = getattr(component, own)
        if own == "Q":  # quaternions have their scalar last there, and first here
            return ca.vertcat(found[1:], found[0])
        return found

    def signal(self, own: str) -> Any:
        """The symbol of a signal into the component, whose formula is found later."""
        if own not in self.signals:
            shape = type(self.component).fields()[own].shape
            self.signals[own] = self.build.unknown(f"{self.component.path}.{own}", shape)
        return self.signals[own]

    def call(self, name: str, given: list, named: dict, where: str) -> Any:
        """A function of the component's class."""
        if isinstance(self.component, lw.World) and name == "gravityAcceleration":
            position = given[0] if given else named["r"]
            return self.build.gravity(self.component, position)
        raise ModelError(f"{where}: {type(self.component).__name__} has no function {name} here.")


def _along(component: Component) -> np.ndarray:
    n = np.asarray(numbers(component.n_axis_ia), dtype=float)
    return n / np.linalg.norm(n)


#: constants of the Standard Library's components that follow from parameters
DERIVED: dict[str, Any] = {"eAxis_ia": _along}


def _properties(kind: type) -> list[str]:
    return [name for name in dir(kind) if not name.startswith("_") and isinstance(getattr(kind, name, None), property)]


WORLD_DEFAULTS: dict[str, Any] = {
    "defaultWidthFraction": 20.0, "defaultBodyDiameter": 1 / 9, "defaultJointLength": 0.1, "defaultJointWidth": 0.05,
    "defaultFrameDiameterFraction": 40.0, "defaultSpecularCoefficient": 0.7, "nominalLength": 1.0,
    "defaultForceLength": 0.1, "defaultForceWidth": 0.05, "defaultArrowDiameter": 1 / 40, "defaultAxisLength": 0.2,
    "defaultN_to_m": 1000.0, "defaultNm_to_m": 1000.0, "enableAnimation": True, "axisLength": 0.5,
    "defaultZPosition": 0.0,
}


def _refuse(where: str, component: Component, name: str) -> Any:
    raise ModelError(f"{where}: {component.path}, a {type(component).__name__} here, has no {name}.")


def made_part(build: Build, instance: Instance) -> tuple[Component, Given]:
    """The component of an instance of a leaf class with what the text gives; that has formulas of its signals, too."""
    node, change = instance.leaf
    leaf = LEAVES[node.full]
    package: Any = lw
    for name in leaf.package.split(".") if leaf.package else ():
        package = getattr(package, name)
    kind = getattr(package, leaf.name)
    given = Given(build, instance, kind, leaf)
    if issubclass(kind, lw.planar.World):
        kind = _planar_world(build, given, change)
        change = Change({name: said for name, said in change.entries.items()
                         if name not in ("constantGravity", "connectToMultiBody")}, line=change.line)
    given.take(change)
    _refer_to_itself(build, instance, given)
    keywords = given.finish()
    try:
        return kind(**keywords), given
    except ModelError as error:
        looks = {name for name, field in kind.fields().items() if isinstance(field, Appearance)}
        if looks & keywords.keys():  # perhaps only how it is shown does not fit
            try:
                made = kind(**{name: value for name, value in keywords.items() if name not in looks})
            except ModelError:
                pass
            else:
                build.ignore(instance, f"how it is shown ({str(error).rpartition(': ')[2].rstrip('.')})", change.line)
                return made, given
        where = instance.parent.scope.where(change.line) if instance.parent else instance.node.where
        raise ModelError(f"{where}, component {instance.path}: {error}") from error


def _planar_world(build: Build, given: Given, change: Change) -> type:
    """The plane and its gravity, a vector there and amount and direction here; in space only where it says so."""
    said = change.entries.get("constantGravity")
    vector = np.array([0.0, -9.81]) if said is None or said.value is None \
        else np.asarray(build.evaluator.bound(said.value), dtype=float)
    given.found["g"] = float(np.hypot(*vector))
    if given.found["g"]:
        given.found["n"] = (vector / given.found["g"]).tolist()
    if given.kind is lw.planar.WorldIn3D:
        carried = change.entries.get("connectToMultiBody")
        if carried is None or carried.value is None or not build.evaluator.bound(carried.value):
            given.kind, given.fields = lw.planar.World, lw.planar.World.fields()
            return given.kind
        given.found["inherit_gravity_from_multi_body"] = False
        build.approximate(given.instance, "the plane acts on the body that carries it; there it does not", change.line)
    return given.kind


def _refer_to_itself(build: Build, instance: Instance, given: Given) -> None:
    """Values that read others of the same component: bodyCylinder(innerDiameter=bodyCylinder.diameter/2)."""
    if not given.later or instance.parent is None:
        return
    made = instance.parent.made
    made[instance.name] = Part(given.kind(**given.finish()), given.leaf, build, instance)
    later, given.later = given.later, []
    for name, said in later:
        given._one(name, said)
    made[instance.name] = None


class Given:
    """What is given to a component, collected from modifications."""

    def __init__(self, build: Build, instance: Instance, kind: type, leaf: Leaf):
        self.build, self.instance, self.kind, self.leaf = build, instance, kind, leaf
        self.found: dict[str, Any] = {}
        self.starts: dict[str, list[Any]] = {}  # variable → [start, fixed]
        self.signals: dict[str, Binding] = {}
        self.later: list[tuple[str, Change]] = []
        self.conditions: dict[str, Any] = {}  # variable that follows from others → its value at the start
        self.fields = kind.fields()
        self.initial = _initial_names(kind)
        for name in leaf.fixed:
            self.starts[name] = [None, True]
        for name, number in leaf.starts.items():
            self.starts[name] = [number, None]

    def where(self) -> str:
        """File, line and class that the component is declared in."""
        parent = self.instance.parent
        return parent.scope.where(self.instance.change.line) if parent is not None else self.instance.node.where

    def take(self, change: Change) -> None:
        """All entries of a modification."""
        for name, said in change.entries.items():
            try:
                self._one(self.leaf.names.get(name, name), said)
            except ModelError as error:
                if "NoneType has no" not in str(error):
                    raise
                self.later.append((self.leaf.names.get(name, name), said))

    def _one(self, name: str, said: Change) -> None:
        value = self.build.evaluator.bound
        if self.kind is lw.World and name == "gravityAcceleration" and said.redeclared is not None:
            tree, scope = said.redeclared
            assert isinstance(tree, Class)
            self.found["gravity"] = self.build.gravity_function(
                Node(f"{scope.node.full}.{name}", scope.node, scope.node.library, [(tree, None)]), scope)
            return
        if self.kind is lw.World and name == "gravityType":
            self.found.setdefault("gravity", WORDS[value(said.value).name])
            return
        base, _, word = name.rpartition("_")
        own = own_name(name, self.initial)
        if own is not None and (said.value is None or not isinstance(self.fields.get(own), Parameter)):
            for key, place in (("start", 0), ("fixed", 1)):
                entry = said.entries.get(key)
                if entry is not None and entry.value is not None:
                    self.starts.setdefault(own, [None, None])[place] = value(entry.value)
            return
        own = own_name(name, self.fields)
        if own is not None:
            self._field(own, self.fields[own], name, said)
        elif word in ("start", "fixed") and (own := own_name(base, self.initial)) is not None:
            self.starts.setdefault(own, [None, None])[0 if word == "start" else 1] = value(said.value)
        elif name in INSIDE and said.entries:
            self.take(said)
        elif name in self.leaf.parts:
            for inner, entry in said.entries.items():
                self._one(inner + self.leaf.parts[name], entry)
        elif name in ("animation",) or SWITCHES.fullmatch(name):
            if "stateSelect" in name or name.startswith("use"):
                return
            self.build.report.beside[name] = self.build.report.beside.get(name, 0) + 1
        else:
            self.build.ignore(self.instance, name, said.line)

    def _field(self, own: str, field: Any, name: str, said: Change) -> None:
        if isinstance(field, Signal):
            if said.value is not None:
                self.signals[own] = said.value
            return
        fixed = said.entries.get("fixed")
        if isinstance(field, Measured):
            self._condition(own, name, said)
            return
        if isinstance(field, Parameter) and fixed is not None and fixed.value is not None \
                and self.build.evaluator.bound(fixed.value) is False:
            start = said.entries.get("start")
            self.found[own] = lw.free(float(self.build.evaluator.bound(start.value)) if start is not None else 1.0)
            return
        if said.value is None:
            return
        if isinstance(field, Appearance):
            self._look(own, name, said)
            return
        value = self.build.evaluator.bound(said.value)
        if isinstance(value, Literal):
            value = WORDS.get(value.name, value.name)
            if own == "resolve_in_frame" and value == "frame_a" and getattr(self.kind, "frames", None) == ("frame_b",):
                value = "frame_b"
        if is_expression(value):
            free = self.build.free_value(value)
            if free is not None:
                self.found[own] = free
                return
            raise ModelError(f"{said.value.scope.where(said.line)}: {self.instance.path}.{name} must be a number, and "
                             "not change with time.")
        if (self.kind.__name__, own) in DEGREES:
            value = np.deg2rad(value)
        self.found[own] = value.tolist() if isinstance(value, np.ndarray) else value

    def _condition(self, own: str, name: str, said: Change) -> None:
        """The start of a variable that follows from others: what is fixed is an initial equation."""
        start, fixed = (None if (entry := said.entries.get(key)) is None or entry.value is None
                        else self.build.evaluator.bound(entry.value) for key in ("start", "fixed"))
        if fixed is not None and np.any(fixed):
            if not np.all(fixed):
                raise ModelError(f"{self.where()}: {self.instance.path}.{name} is fixed in some of its entries; fix "
                                 "all of them, or none.")
            self.conditions[own] = 0.0 if start is None else start
        elif start is not None and np.any(start):
            self.build.ignore(self.instance, f"the guess of {name}", said.line)

    def _look(self, own: str, name: str, said: Change) -> None:
        """How something is shown: what cannot be had is left to its default."""
        try:
            value = self.build.evaluator.bound(said.value)
            if isinstance(value, str) and value.startswith("modelica://"):
                value = self.build.resource(value)
            if value is None or is_expression(value):
                raise ModelError("a look that changes with time")
        except ModelError:
            self.build.ignore(self.instance, name, said.line)
            return
        self.found[own] = value.tolist() if isinstance(value, np.ndarray) else value

    def finish(self) -> dict[str, Any]:
        """Keywords of the component."""
        for name, (start, fixed) in self.starts.items():
            if start is None and fixed is None or start is None and not np.any(fixed):
                continue
            try:
                self.found[name] = _start(self.kind, name, 0.0 if start is None else start, fixed)
            except (TypeError, ValueError) as error:
                raise ModelError(f"{self.where()}, component {self.instance.path}: the start value of {name} "
                                 f"must be numbers, got {start!r}.") from error
        return self.found


def _initial_names(kind: type) -> list[str]:
    names = [name for name, field in kind.fields().items() if isinstance(field, Measured) and field.initial]
    if issubclass(kind, lw.Model):
        names += PASSED_ON.get(kind.__name__, ())
    return names


def _start(kind: type, name: str, start: Any, fixed: Any) -> Any:
    """A start value as components take it: numbers are fixed, guesses are not."""
    field = kind.fields().get(name)
    shape = field.shape if field is not None else ()
    if not shape:
        return float(start) if fixed else lw.guess(float(start))
    numbers = np.broadcast_to(np.asarray(start, dtype=float), shape).tolist()
    truths = np.broadcast_to(np.asarray(fixed if fixed is not None else False, dtype=bool), shape).tolist()
    if all(truths):
        return numbers
    if not any(truths):
        return lw.guess(numbers)
    return [number if sure else lw.guess(number) for number, sure in zip(numbers, truths, strict=True)]


__all__ = ["FLOWS", "Given", "OneEntry", "Part", "Port", "Scope", "made_part"]
