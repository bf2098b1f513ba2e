"""The tree of a Modelica text: classes, components, modifications, equations, statements, expressions.

Expressions are tuples whose first entry says what they are, so that a tree is small, comparable and quickly stored:

    ("number", 2.0)  ("text", "abc")  ("truth", True)  ("name", (("rev", ()), ("phi", ())), line)
    ("call", "Modelica.Math.sin", [arguments], {named}, line)  ("two", "+", a, b, line)  ("one", "-", a, line)
    ("if", [(condition, value), …], otherwise)  ("array", [entries])  ("matrix", [rows])  ("range", a, step, b)
    ("each of", expression, [(name, range), …])  ("tuple", [entries])  ("all",)  ("last",)
"""

from __future__ import annotations

from dataclasses import dataclass, field

Expression = tuple


@dataclass
class Modification:
    """`(a=1, b(start=2), redeclare C c) = value`: arguments, and the value of the thing itself."""

    arguments: list[Argument] = field(default_factory=list)
    value: Expression | None = None


@dataclass
class Argument:
    """One entry of a modification: a name (dotted) with its own modification, or an element that is redeclared."""

    name: str
    line: int
    modification: Modification | None = None
    each: bool = False
    final: bool = False
    redeclared: Component | Class | None = None


@dataclass
class Component:
    """A declaration: `parameter Real x[3](start=…) = … if condition "comment"`."""

    name: str
    type: str
    line: int
    sizes: tuple[Expression, ...] = ()
    modification: Modification | None = None
    condition: Expression | None = None
    prefixes: frozenset[str] = frozenset()
    comment: str = ""
    protected: bool = False
    constraint: Modification | None = None  # what constrainedby says of any other class in its place


@dataclass
class Extends:
    """`extends Base(modification)`."""

    base: str
    line: int
    modification: Modification | None = None


@dataclass
class Import:
    """`import A.B.C`, `import D = A.B.C`, `import A.B.*`, `import A.B.{C, D}`: (short name → full name), or all."""

    names: dict[str, str]
    everything: str | None = None


@dataclass
class Equation:
    """An entry of an equation section; `kind` is =, connect, for, if, when or call.

    =        left, right                 connect  left, right
    for      iterators, body             if, when branches [(condition, body)], otherwise
    call     left (the call)
    """

    kind: str
    line: int
    left: Expression = ()
    right: Expression = ()
    iterators: list[tuple[str, Expression | None]] = field(default_factory=list)
    branches: list[tuple[Expression, list]] = field(default_factory=list)
    body: list = field(default_factory=list)


@dataclass
class Statement(Equation):
    """An entry of an algorithm section; `kind` is :=, for, while, if, when, call, return or break."""


@dataclass
class Class:
    """A class of any kind: model, block, connector, record, function, type, package."""

    name: str
    kind: str
    line: int
    file: str = ""
    prefixes: frozenset[str] = frozenset()
    components: list[Component] = field(default_factory=list)
    classes: dict[str, Class] = field(default_factory=dict)
    extends: list[Extends] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    equations: list[Equation] = field(default_factory=list)
    initial_equations: list[Equation] = field(default_factory=list)
    algorithms: list[list[Statement]] = field(default_factory=list)
    initial_algorithms: list[list[Statement]] = field(default_factory=list)
    short: Component | None = None  # class A = B[n](modification): its base as a component of that type
    literals: list[str] | None = None  # of an enumeration
    external: bool = False
    annotations: dict[str, dict[str, Expression]] = field(default_factory=dict)
    comment: str = ""


@dataclass
class File:
    """What a file holds: the package that it stands in, and its classes."""

    path: str
    within: str
    classes: list[Class]
