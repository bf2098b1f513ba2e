"""Connections: ports are joined in the model, signals are equal, flows of other connectors balance, buses share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import ModelError
from . import syntax
from .arithmetic import shape_of
from .buses import Bus, Slot
from .changes import Scope
from .instances import Instance, Variable
from .parts import Absent, Port

if TYPE_CHECKING:
    from .building import Build


class Connections:
    """Reads connect equations and makes of them what they mean."""

    def __init__(self, build: Build):
        self.build = build
        self.groups: dict[tuple[int, bool], tuple[int, bool]] = {}
        self.members: dict[tuple[int, bool], tuple[Instance, bool]] = {}

    def read(self, entries: list[tuple[syntax.Equation, Scope]]) -> None:
        """All connect equations of the model: buses with one another first."""
        rest = []
        for equation, scope in entries:
            ends = [self._end(side, scope) for side in (equation.left, equation.right)]
            if all(isinstance(end, Bus) for end in ends):
                ends[0].join(ends[1])
            else:
                rest.append((ends, equation, scope))
        for ends, equation, scope in rest:
            # a name on one bus that is a bus at the other end is a bus itself
            ends = [self._end(side, scope) for side in (equation.left, equation.right)] \
                if any(isinstance(end, Bus) for end in ends) else ends
            if any(isinstance(end, Bus) for end in ends):
                self._nested(equation, scope, ends)
        for ends, equation, scope in rest:
            if not any(isinstance(end, Bus) for end in ends):
                self._pair(ends[0], ends[1], scope, equation.line)
        self._balances()

    def _nested(self, equation: syntax.Equation, scope: Scope, ends: list) -> None:
        for k, side in enumerate((equation.left, equation.right)):
            if isinstance(ends[k], Slot):
                parts = side[1]
                above = self._end(("name", parts[:-1], side[2]), scope)
                if isinstance(above, Bus):
                    root = above.root()
                    if isinstance(root.inside.get(parts[-1][0]), Slot):
                        del root.inside[parts[-1][0]]
                    ends[k] = above.child(parts[-1][0], nested=True)
        if not all(isinstance(end, Bus) for end in ends):
            raise ModelError(f"{scope.where(equation.line)}: a bus is connected to what is none.")
        ends[0].join(ends[1])

    def _end(self, side: syntax.Expression, scope: Scope) -> Any:
        if side[0] != "name":
            raise ModelError(f"{scope.where(0)}: connect takes two connectors.")
        found = self.build.evaluator.reference(side, scope)
        return self.build.bus(found) if isinstance(found, Instance) and found.is_bus else found

    def _pair(self, a: Any, b: Any, scope: Scope, line: int) -> None:
        where = scope.where(line)
        if isinstance(a, Absent) or isinstance(b, Absent):
            return
        if isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                raise ModelError(f"{where}: {len(a)} connectors are connected with {len(b)}.")
            for one, other in zip(a, b, strict=True):
                self._pair(one, other, scope, line)
        elif isinstance(a, Port) and isinstance(b, Port):
            self._ports(a, b, scope, where)
        elif isinstance(a, Instance) and isinstance(b, Instance):
            self._instances(a, b, scope, where)
        elif isinstance(a, (Port, Instance)) or isinstance(b, (Port, Instance)):
            raise ModelError(f"{where}: two connectors of different kinds are connected.")
        else:
            self._signals(a, b, scope, line)

    def _ports(self, a: Port, b: Port, scope: Scope, where: str) -> None:
        if a.connector is b.connector:
            return
        for port in (a, b):
            port.joined_inside |= port.owner is not None and port.owner is scope.instance
        try:
            self.build.model_of(scope.instance).connect(a.connector, b.connector)
        except ModelError as error:
            raise ModelError(f"{where}: {error}") from error

    def _signals(self, a: Any, b: Any, scope: Scope, line: int) -> None:
        def value(end: Any, shape: tuple[int, ...] = ()) -> Any:
            return end.value(shape) if isinstance(end, Slot) else self.build.evaluator.settled(end, scope, line)

        if isinstance(a, list):
            a = value(a)
        if isinstance(b, list):
            b = value(b)
        if isinstance(a, Slot):
            a, b = b, a
        left = value(a)
        self.build.equation(left, value(b, shape_of(left)), scope.where(line))

    # --- connectors with flows ---

    def _instances(self, a: Instance, b: Instance, scope: Scope, where: str) -> None:
        """Potentials are equal, parts that are ports are joined, flows balance over all that is joined."""
        ends = []
        for end in (a, b):
            outside = end.parent is scope.instance  # a connector of the class that the connection stands in
            key = (id(end), outside)
            self.groups.setdefault(key, key)
            self.members[key] = (end, outside)
            ends.append(key)
        roots = [self._root(key) for key in ends]
        if roots[0] != roots[1]:
            self.groups[roots[1]] = roots[0]
        for name, entry in a.members():
            if not b.has(name) or isinstance(entry, Absent):
                continue
            other = b.member(name)
            if isinstance(entry, Variable):
                if "flow" not in entry.prefixes and not entry.is_parameter:
                    value = self.build.evaluator.variable
                    self.build.equation(value(entry), value(other), where)
            elif not isinstance(other, Absent):
                self._pair(entry, other, scope, 0)

    def _root(self, key: tuple[int, bool]) -> tuple[int, bool]:
        while self.groups[key] != key:
            key = self.groups[key]
        return key

    def _balances(self) -> None:
        sets: dict[tuple[int, bool], list[tuple[Instance, bool]]] = {}
        for key in self.groups:
            sets.setdefault(self._root(key), []).append(self.members[key])
        for connector in self.build.flow_connectors:
            if (id(connector), False) not in self.groups:  # nothing is joined to it from outside
                sets.setdefault((id(connector), False), [(connector, False)])
        for members in sets.values():
            for name, entry in members[0][0].members():
                if not isinstance(entry, Variable) or "flow" not in entry.prefixes:
                    continue
                total = 0.0
                for connector, own in members:
                    flow = self.build.evaluator.variable(connector.member(name))
                    total = total - flow if own else total + flow
                self.build.equation(total, 0.0, f"the flows at {members[0][0].path}")
