"""Declarations, statements and functions of C, as IR."""

from __future__ import annotations

from linkwright.codegen.elementary import literal
from linkwright.codegen.written import Written

from .body import Body, Value
from .expressions import Expressions
from .kinds import REAL, Kind, array, function
from .reader import Reader


def compile_c(text: str) -> Written:
    """IR of a C text; functions marked by the word EXPORT are seen from outside, all others are internal.

    Functions that are declared and not defined are left to whoever links the text.
    """
    return _Unit(text).written()


class _Unit:
    """One text: what is known at its top level, and the IR written so far."""

    def __init__(self, text: str):
        self.reader = Reader(text)
        self.known: dict[str, Value] = {}
        self.defined: set[str] = set()
        self.strings: dict[bytes, str] = {}
        self.lines: list[str] = []

    def written(self) -> Written:
        reader = self.reader
        while reader.next.kind != "end":
            if reader.accept("typedef"):
                reader.typedef()
            else:
                self._top()
        types = [f"{k.ir} = type {{ {', '.join(member.ir for _, member in k.members)} }}"
                 for k in reader.types.values() if k.is_struct]
        strings = [f"{name} = internal constant [{len(data)} x i8] [{', '.join(f'i8 {byte}' for byte in data)}]"
                   for data, name in self.strings.items()]
        declared = set()
        for name, value in self.known.items():
            if value.kind.is_function and name not in self.defined:
                assert value.kind.of is not None
                declared.add(f"declare {value.kind.of.ir} @{name}({', '.join(k.ir for k in value.kind.takes)})")
        return Written("\n".join([*types, *strings, *self.lines]), frozenset(declared), frozenset())

    def _string(self, data: bytes) -> str:
        return self.strings.setdefault(data, f"@text{len(self.strings)}")

    def _top(self) -> None:
        reader = self.reader
        seen = reader.accept("EXPORT")
        base = reader.base()
        while True:
            kind = reader.stars(base)
            if reader.words[reader.at + 1].text == "(":
                if self._function(kind, seen):
                    return
            else:
                name, kind = reader.declared(kind)
                self._variable(name, kind)
            if not reader.accept(","):
                break
        reader.expect(";")

    def _variable(self, name: str, kind: Kind) -> None:
        """A variable of the whole text: zero, or an array of constant numbers."""
        numbers: list[str] = []
        if self.reader.accept("="):
            numbers = self._numbers(kind.of)
        of = kind.of or kind
        if kind.is_array and not kind.count:
            kind = array(of, len(numbers))
        if not numbers:
            self.lines.append(f"@{name} = internal global {kind.ir} zeroinitializer")
        else:
            entries = ", ".join(f"{of.ir} {number}" for number in numbers)
            self.lines.append(f"@{name} = internal constant {kind.ir} [{entries}]")
        self.known[name] = Value(kind, f"@{name}", True)

    def _numbers(self, kind: Kind | None) -> list[str]:
        reader, found = self.reader, []
        reader.expect("{")
        while True:
            sign = "-" if reader.accept("-") else ""
            word = reader.take()
            if word.kind not in ("whole", "real"):
                raise reader.wrong("a number was expected")
            found.append(literal(float(sign + word.text)) if kind == REAL else sign + word.text)
            if not reader.accept(","):
                break
        reader.expect("}")
        return found

    def _function(self, gives: Kind, seen: bool) -> bool:
        """A function, or its declaration; whether it was defined."""
        reader = self.reader
        name = reader.name()
        takes, open_ended = reader.arguments()
        self.known[name] = Value(function(gives, tuple(kind for _, kind in takes), open_ended), f"@{name}")
        if not reader.sees("{"):
            return False
        self.defined.add(name)
        body = Body()
        inner = _Statements(self, body, gives)
        given = []
        for k, (own, kind) in enumerate(takes):
            given.append(f"{kind.ir} %argument{k}")
            place = body.local(kind)
            body.put(f"store {kind.ir} %argument{k}, ptr {place}")
            inner.scopes[-1][own] = Value(kind, place, True)
        inner.block()
        body.put("ret void" if gives.ir == "void" else "unreachable")
        how = "external" if seen else "internal"
        self.lines += [f"define {how} {gives.ir} @{name}({', '.join(given)}) #0 {{", *body.places, *body.lines, "}"]
        return True


class _Statements:
    """The statements of one function."""

    def __init__(self, unit: _Unit, body: Body, gives: Kind):
        self.unit, self.reader, self.body, self.gives = unit, unit.reader, body, gives
        self.scopes: list[dict[str, Value]] = [{}]
        self.expressions = Expressions(self.reader, body, self._find, unit._string)

    def _find(self, name: str) -> Value:
        for scope in (*reversed(self.scopes), self.unit.known):
            if name in scope:
                return scope[name]
        self.reader.at -= 1
        raise self.reader.wrong(f"{name} is not known")

    def block(self) -> None:
        self.reader.expect("{")
        self.scopes.append({})
        while not self.reader.accept("}"):
            self.statement()
        self.scopes.pop()

    def statement(self) -> None:
        reader, body = self.reader, self.body
        if reader.sees("{"):
            self.block()
        elif reader.accept(";"):
            pass
        elif reader.accept("if"):
            self._if()
        elif reader.accept("while"):
            self._while()
        elif reader.accept("for"):
            self._for()
        elif reader.accept("return"):
            if not reader.sees(";"):
                value = self.expressions.as_kind(self.gives)
                body.put(f"ret {self.gives.ir} {value.text}")
            else:
                body.put("ret void")
            body.ended = True
            reader.expect(";")
        elif reader.sees_type():
            self._declaration()
        else:
            self.expressions.assignment()
            reader.expect(";")

    def _declaration(self) -> None:
        reader = self.reader
        base = reader.base()
        while True:
            name, kind = reader.declared(base)
            place = Value(kind, self.body.local(kind), True)
            if reader.accept("="):
                self.expressions.store(place, self.expressions.assignment())
            self.scopes[-1][name] = place
            if not reader.accept(","):
                break
        reader.expect(";")

    def _condition(self) -> str:
        self.reader.expect("(")
        truth = self.expressions.truth()
        self.reader.expect(")")
        return truth

    def _if(self) -> None:
        body = self.body
        yes, no, done = body.new("then"), body.new("else"), body.new("done")
        truth = self._condition()
        body.branch(truth, yes, no)
        body.block(yes)
        self.statement()
        body.jump(done)
        body.block(no)
        if self.reader.accept("else"):
            self.statement()
        body.block(done)

    def _while(self) -> None:
        body = self.body
        test, inside, done = body.new("test"), body.new("loop"), body.new("done")
        body.block(test)
        body.branch(self._condition(), inside, done)
        body.block(inside)
        self.statement()
        body.jump(test)
        body.block(done)

    def _for(self) -> None:
        reader, body = self.reader, self.body
        test, inside, done = (body.new(what) for what in ("test", "loop", "done"))
        reader.expect("(")
        self.scopes.append({})
        self.statement()
        body.block(test)
        body.branch(self.expressions.truth(), inside, done)
        reader.expect(";")
        start, depth = reader.at, 0
        while depth or not reader.sees(")"):  # read when the body has been
            depth += {"(": 1, ")": -1}.get(reader.take().text, 0)
        reader.expect(")")
        body.block(inside)
        self.statement()
        after, reader.at = reader.at, start
        while not reader.sees(")"):
            self.expressions.assignment()
            if not reader.accept(","):
                break
        reader.at = after
        body.jump(test)
        body.block(done)
        self.scopes.pop()
