"""A function while it is written: LLVM's lines, the places of its names, and which lanes are on.

Values are *uniform* (one for all lanes) or *varying* (one in each).  What varies is not known when the writing begins:
a name that turns out to vary, or a loop that some lanes leave before others, is noted, and the function is written
again until nothing new turns up.  With one lane nothing varies, and the same text has ordinary branches.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .source import NotInDialect, Source
from .values import SCALAR, Complex, Entries, Value, described, flat, is_tuple

if TYPE_CHECKING:
    from .module import Module


#: what a name is, in the place of the kinds of a tuple
COMPLEX = "complex"


@dataclass
class Round:
    """A loop around the present statement; `live` and `now` are where the lanes stand that go on with the loop, and
    with this round of it ("" where all lanes do the same)."""

    node: ast.AST
    depth: int
    next: str
    after: str
    live: str = ""
    now: str = ""
    dropped: bool = False


class Writer:
    """The lines of one function for W lanes."""

    def __init__(self, module: Module, source: Source, masked: bool):
        self.module, self.source, self.masked, self.W = module, source, masked, module.lanes
        # what is learnt from one writing to the next
        self.varying: set[str] = set()
        self.varying_loops: set[ast.AST] = set()
        self.varying_return = False
        self.varying_results: set[int] = set()
        self.begin()

    def begin(self) -> None:
        """An empty page."""
        self.lines: list[str] = []
        self.places: list[str] = []
        self.slots: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self.tuples: dict[str, Any] = {}
        self.bound: dict[str, Any] = {}
        self.fetched: dict[str, Value] = {}  # numbers that have been asked for already, by their text
        self.home_depth: dict[str, int] = {}
        self.loops: list[Round] = []
        self.called: list[Any] = []
        self.suites: list[int] = []
        self.count = self.depth = self.drops = 0
        self.again = False
        self.node: ast.AST = self.source.tree  # what is being written, for messages
        self.mask = "%mask" if self.masked else None
        self.live = self.memory(f"<{self.W} x i1>") if self.varying_return else ""
        if self.live:
            self.line(f"store <{self.W} x i1> {self.mask_name()}, ptr {self.live}")

    def wrong(self, what: str, instead: str, node: ast.AST | None = None) -> NotInDialect:
        return self.source.wrong(node or self.node, what, instead)

    # --- lines ---

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def fresh(self, word: str = "v") -> str:
        self.count += 1
        return f".{word}{self.count}"

    def label(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        self.line(f"br label %{label}")

    def begin_block(self, label: str) -> None:
        """The block before goes on into this one."""
        self.jump(label)
        self.label(label)

    def leave_block(self, label: str) -> None:
        """The present block goes elsewhere; what is written behind it is never reached."""
        self.jump(label)
        self.label(self.fresh("never"))

    def new(self, kind: str, varying: bool, text: str) -> Value:
        name = "%" + self.fresh()
        self.line(f"{name} = {text}")
        return Value(kind, name, varying)

    def type(self, kind: str, varying: bool = False) -> str:
        return f"<{self.W} x {SCALAR[kind]}>" if varying else SCALAR[kind]

    def call(self, kind: str, varying: bool, name: str, *given: Value) -> Value:
        """A call of one of LLVM's own functions, of arguments that vary alike."""
        suffix = f"v{self.W}" if varying else ""
        symbol = name.format(suffix)
        types = [self.type(v.kind, v.varying) for v in given]
        result = self.type(kind, varying)
        self.module.declarations.add(f"declare {result} @{symbol}({', '.join(types)})")
        texts = ", ".join(f"{t} {v.name}" for t, v in zip(types, given, strict=True))
        return self.new(kind, varying, f"call {result} @{symbol}({texts})")

    # --- memory of the function ---

    def memory(self, kind: str, zeroed: bool = True) -> str:
        """Room on the stack, made as the function begins."""
        name = "%" + self.fresh("m")
        self.places.append(f"  {name} = alloca {kind}, align {8 * self.W}")
        if zeroed:
            self.places.append(f"  store {kind} zeroinitializer, ptr {name}")
        return name

    def slot(self, name: str, kind: str) -> str:
        if name not in self.slots:
            self.slots[name] = self.memory(kind)
        return self.slots[name]

    # --- names ---

    def read(self, name: str) -> Any:
        """What a name stands for; None where it has no value yet."""
        if name in self.bound:
            return self.bound[name]
        if name in self.tuples:
            return self._tuple(name, self.tuples[name])
        if name in self.slots:
            return self._load(name)
        return None

    def _tuple(self, name: str, shape: Any) -> Any:
        if shape == COMPLEX:
            return Complex(self._load(f"{name}.0"), self._load(f"{name}.1"))
        if not is_tuple(shape):
            return self._load(name)
        return tuple(self._tuple(f"{name}.{k}", part) for k, part in enumerate(shape))

    def _load(self, name: str) -> Value:
        kind, varying = self.kinds[name], name in self.varying
        return self.new(kind, varying, f"load {self.type(kind, varying)}, ptr {self.slots[name]}")

    def assign(self, name: str, value: Any) -> None:
        """Give a name its value, in the lanes that are on."""
        if isinstance(value, Complex):
            if name in self.slots or name in self.bound or self.tuples.get(name, COMPLEX) != COMPLEX:
                raise self.wrong(f"{name} is {described(value)} here and something else elsewhere", "use two names")
            self.tuples[name] = COMPLEX
            for k, part in enumerate(value):
                self._assign_number(f"{name}.{k}", part, name)
        elif is_tuple(value):
            if any(not isinstance(leaf, Value) for leaf in flat(value)):
                raise self.wrong(f"{name} is a tuple that holds arrays", "give each of them a name")
            shape = _shape(value)
            if name in self.slots or name in self.bound or self.tuples.get(name, shape) != shape:
                raise self.wrong(f"{name} is {described(value)} here and something else elsewhere", "use two names")
            self.tuples[name] = shape
            for k, part in enumerate(value):
                self._assign_part(f"{name}.{k}", part, name)
        elif isinstance(value, Value):
            self._assign_number(name, value, name)
        else:
            self._bind(name, value)

    def _assign_part(self, name: str, value: Any, owner: str) -> None:
        if is_tuple(value):
            for k, part in enumerate(value):
                self._assign_part(f"{name}.{k}", part, owner)
        else:
            self._assign_number(name, value, owner)

    def _bind(self, name: str, value: Any) -> None:
        """A name for memory, which is known where it is written."""
        if isinstance(value, Entries):
            raise self.wrong(f"{name} stands for {described(value)}", "an array of its own: a[:] = …")
        if value is None:
            raise self.wrong(f"{name} is given the result of a function that has none", "let it return something")
        if self.source.assigned.get(name, 1) > 1:
            raise self.wrong(f"{name} is {described(value)} and is assigned twice", "use two names")
        if self.suites and self.source.homes.home.get(name) != self.suites[-1]:
            raise self.wrong(f"{name} is {described(value)} and is used outside the lines that it is named in",
                             "name it where all those who use it can see it")
        self.bound[name] = value

    def _assign_number(self, name: str, value: Value, owner: str) -> None:
        from .arithmetic import choose, wide

        if owner in self.bound or name == owner and name in self.tuples:
            raise self.wrong(f"{owner} is a number here and something else elsewhere", "use two names")
        if value.const is not None and value.kind != "real" and self.source.assigned.get(name) == 1 \
                and name not in self.kinds:
            self.bound[name] = value
            return
        kind = self.kinds.setdefault(name, value.kind)
        if value.kind != kind and not name.startswith("choice"):
            raise self.wrong(f"{owner} is {described(Value(kind, ''))} before and {described(value)} here",
                             "numbers of one kind for one name: 0.0 for a real one, int(x) for a whole one")
        if value.kind != kind:
            raise self.wrong(f"one of two is taken, {described(Value(kind, ''))} and {described(value)}",
                             "two of one kind: 0.0 beside x")
        masked = self.depth > self.home_depth.get(owner, 0)
        if (value.varying or masked) and name not in self.varying:
            self.varying.add(name)
            self.again = True
        varying = name in self.varying
        value = wide(self, value, varying)
        text = self.type(kind, varying)
        slot = self.slot(name, text)
        if masked and varying:
            old = self.new(kind, varying, f"load {text}, ptr {slot}")
            value = choose(self, Value("truth", self.mask_name(), True), value, old)
        self.line(f"store {text} {value.name}, ptr {slot}")

    # --- lanes that are on ---

    def mask_name(self) -> str:
        return self.mask or "splat (i1 true)"

    def both(self, mask: str | None, other: str) -> str:
        """Lanes that are on in both."""
        t = f"<{self.W} x i1>"
        return other if mask is None else self.new(
            "truth", True, f"select {t} {mask}, {t} {other}, {t} zeroinitializer").name

    def opposite(self, mask: str) -> str:
        return self.new("truth", True, f"xor <{self.W} x i1> {mask}, splat (i1 true)").name

    def any(self, mask: str) -> str:
        """Whether a lane is on."""
        number = self.new("whole", False, f"bitcast <{self.W} x i1> {mask} to i{self.W}").name
        return self.new("truth", False, f"icmp ne i{self.W} {number}, 0").name

    def drop(self, memories: list[str]) -> None:
        """The lanes that are on leave: they are taken from these masks."""
        self.drops += 1
        gone = self.opposite(self.mask_name())
        for place in memories:
            old = self.new("truth", True, f"load <{self.W} x i1>, ptr {place}").name
            self.line(f"store <{self.W} x i1> {self.both(old, gone)}, ptr {place}")

    def branch(self, condition: Value, yes: str, no: str) -> None:
        self.line(f"br i1 {condition.name}, label %{yes}, label %{no}")

    def branches(self, condition: Value, first: Any, second: Any, straight: bool = False) -> None:
        """Both ways on: branches where all lanes agree, else masks; what no lane needs is skipped (`straight`: not)."""
        mask, after = self.mask, self.fresh("after")
        if not condition.varying:
            yes, no = self.fresh("yes"), self.fresh("no") if second else after
            self.branch(condition, yes, no)
            for way, label in ((first, yes), (second, no)):
                if way is not None:
                    self.label(label)
                    way()
                    self.jump(after)
                    self.mask = mask
            self.label(after)
            return
        masks = [self.both(mask, condition.name), self.both(mask, self.opposite(condition.name)) if second else ""]
        self.depth += 1
        for way, on in zip((first, second), masks, strict=True):
            if way is None:
                continue
            inside, after = self.fresh("some"), self.fresh("after")
            if not straight:
                self.branch(Value("truth", self.any(on)), inside, after)
                self.label(inside)
            self.mask = on
            way()
            if not straight:
                self.begin_block(after)
        self.depth -= 1
        self.mask = mask


def _shape(value: Any) -> Any:
    return tuple(map(_shape, value)) if is_tuple(value) else None

