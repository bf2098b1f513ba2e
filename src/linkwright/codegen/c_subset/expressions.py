"""Expressions of C: read with their precedence, written as IR at once."""

from __future__ import annotations

from collections.abc import Callable

from linkwright.codegen.elementary import literal

from .body import Body, Value
from .kinds import CHAR, INT, REAL, SIZE, Kind, array, pointer, signature
from .reader import Reader
from .tokens import string_bytes

PRECEDENCE = {"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, ">": 4, "<=": 4, ">=": 4, "+": 5, "-": 5,
              "*": 6, "/": 6, "%": 6}
COMPARED = {"==": ("eq", "oeq"), "!=": ("ne", "une"), "<": ("lt", "olt"), ">": ("gt", "ogt"), "<=": ("le", "ole"),
            ">=": ("ge", "oge")}
WHOLE = {"+": "add", "-": "sub", "*": "mul", "/": "sdiv", "%": "srem"}
UNSIGNED = WHOLE | {"/": "udiv", "%": "urem"}
REALS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}


class Expressions:
    """Reads from a Reader, writes into a Body; `find` tells what a name stands for, `string` where a text lies."""

    def __init__(self, reader: Reader, body: Body, find: Callable[[str], Value], string: Callable[[bytes], str]):
        self.reader, self.body, self.find, self.string = reader, body, find, string

    def value(self) -> Value:
        """An expression, read."""
        return self.body.read(self.assignment())

    def as_kind(self, kind: Kind) -> Value:
        return self._converted(self.assignment(), kind)

    def truth(self) -> str:
        return self.body.truth(self.assignment())

    def _converted(self, value: Value, kind: Kind) -> Value:
        try:
            return self.body.convert(value, kind)
        except TypeError as error:
            raise self.reader.wrong(str(error)) from None

    def assignment(self) -> Value:
        left = self.conditional()
        if not self.reader.accept("="):
            return left
        if not left.place:
            raise self.reader.wrong("this cannot be assigned to")
        self.store(left, self.assignment())
        return left

    def store(self, place: Value, value: Value) -> None:
        value = self._converted(value, place.kind)
        self.body.put(f"store {place.kind.ir} {value.text}, ptr {place.text}")

    def conditional(self) -> Value:
        condition = self.binary(1)
        if not self.reader.accept("?"):
            return condition
        body = self.body
        yes, no, done = body.new("yes"), body.new("no"), body.new("done")
        body.branch(body.truth(condition), yes, no)
        body.block(yes)
        first = self.value()
        first_lines, body.lines = body.lines, []  # the common type is known when both have been read
        self.reader.expect(":")
        body.ended = False
        second = body.read(self.conditional())
        second_lines, body.lines = body.lines, first_lines
        kind = first.kind if first.kind == second.kind else self._common(first, second)
        result = body.local(kind)
        for value, lines, label in ((first, [], no), (second, second_lines, done)):
            body.lines += lines
            self.store(Value(kind, result, True), value)
            body.jump(done)
            body.lines.append(f"{label}:")
            body.ended = False
        return Value(kind, body.let(f"load {kind.ir}, ptr {result}"))

    def binary(self, least: int) -> Value:
        left = self.unary()
        while self.reader.next.kind != "string" and PRECEDENCE.get(self.reader.next.text, 0) >= least:
            sign = self.reader.take().text
            if sign in ("&&", "||"):
                left = self._logical(sign, left)
            else:
                left = self.combined(sign, self.body.read(left), self.binary(PRECEDENCE[sign] + 1))
        return left

    def _logical(self, sign: str, left: Value) -> Value:
        """The second operand is looked at only where the first does not decide."""
        body = self.body
        result, more, done = body.local(INT), body.new("more"), body.new("done")
        truth = body.truth(left)
        body.put(f"store i32 {body.as_int(truth).text}, ptr {result}")
        body.branch(truth, *((more, done) if sign == "&&" else (done, more)))
        body.block(more)
        right = body.as_int(body.truth(self.binary(PRECEDENCE[sign] + 1)))
        body.put(f"store i32 {right.text}, ptr {result}")
        body.block(done)
        return Value(INT, body.let(f"load i32, ptr {result}"))

    def _common(self, left: Value, right: Value) -> Kind:
        for kind in (REAL, SIZE):
            if kind in (left.kind, right.kind):
                return kind
        if left.kind.is_pointer or right.kind.is_pointer:
            return left.kind if left.kind.is_pointer else right.kind
        return INT

    def combined(self, sign: str, left: Value, right: Value) -> Value:
        """left sign right, both read and brought to their common type."""
        body, right = self.body, self.body.read(right)
        if left.kind.is_pointer and sign == "+" and right.kind.is_whole:
            return Value(left.kind, body.entry(left, right).text)
        kind = self._common(left, right)
        left, right = self._converted(left, kind), self._converted(right, kind)
        if sign in COMPARED:
            whole, real = COMPARED[sign]
            if kind == REAL:
                return body.as_int(body.let(f"fcmp {real} double {left.text}, {right.text}"))
            order = "" if whole in ("eq", "ne") else "s" if kind == INT else "u"
            return body.as_int(body.let(f"icmp {order}{whole} {kind.ir} {left.text}, {right.text}"))
        table = REALS if kind == REAL else UNSIGNED if kind == SIZE else WHOLE
        return Value(kind, body.let(f"{table[sign]} {kind.ir} {left.text}, {right.text}"))

    def unary(self) -> Value:
        reader, body = self.reader, self.body
        if reader.accept("-"):
            value = body.read(self.unary())
            if value.kind == REAL:
                return Value(REAL, body.let(f"fneg double {value.text}"))
            value = self._converted(value, INT) if value.kind == CHAR else value
            return Value(value.kind, body.let(f"sub {value.kind.ir} 0, {value.text}"))
        if reader.accept("!"):
            return body.as_int(body.let(f"xor i1 {body.truth(self.unary())}, true"))
        if reader.accept("*"):
            value = body.read(self.unary())
            assert value.kind.of is not None
            return value if value.kind.of.is_function else Value(value.kind.of, value.text, True)
        if reader.accept("&"):
            value = self.unary()
            return Value(pointer(value.kind), value.text)
        if reader.accept("sizeof"):
            reader.expect("(")
            kind = reader.stars(reader.base()) if reader.sees_type() else self.unary().kind
            reader.expect(")")
            return body.size_of(kind)
        if reader.sees("(") and self._is_cast():
            reader.at += 1
            kind = reader.stars(reader.base())
            reader.expect(")")
            return self._converted(self.unary(), kind)
        return self._after(self._primary())

    def _is_cast(self) -> bool:
        following = self.reader.words[self.reader.at + 1].text
        return following in self.reader.types or following in ("const", "unsigned")

    def _stepped(self, place: Value, sign: str) -> Value:
        before = self.body.read(place)
        self.store(place, self.combined(sign, before, Value(INT, "1")))
        return before

    def _primary(self) -> Value:
        reader = self.reader
        word = reader.take()
        if word.kind == "whole":
            return Value(INT, str(int(word.text, 0)))
        if word.kind == "real":
            return Value(REAL, literal(float(word.text)))
        if word.kind == "string":
            text = string_bytes(word.text)
            return Value(array(CHAR, len(text)), self.string(text), True)
        if word.text == "(":
            value = self.assignment()
            reader.expect(")")
            return value
        if word.kind != "name":
            reader.at -= 1
            raise reader.wrong("an expression was expected")
        return self.find(word.text)

    def _after(self, value: Value) -> Value:
        """What may follow a value: [index], (arguments), .member, ->member, ++, --"""
        reader, body = self.reader, self.body
        while True:
            if reader.accept("["):
                value = body.entry(value, self.value())
                reader.expect("]")
            elif reader.sees("("):
                value = self._call(value)
            elif reader.sees(".", "->"):
                pointed = reader.take().text == "->"
                value = self._member(body.read(value) if pointed else value, pointed)
            elif reader.sees("++", "--"):
                value = self._stepped(value, reader.take().text[0])
            else:
                return value

    def _member(self, value: Value, pointed: bool) -> Value:
        struct, name = value.kind.of if pointed else value.kind, self.reader.name()
        for k, (own, kind) in enumerate(struct.members if struct is not None else ()):
            if own == name:
                place = self.body.let(f"getelementptr {struct.ir}, ptr {value.text}, i32 0, i32 {k}")
                return Value(kind, place, True)
        raise self.reader.wrong(f"there is no member {name}")

    def _call(self, called: Value) -> Value:
        reader, body = self.reader, self.body
        if called.place and called.kind.is_pointer:
            called = body.read(called)
        kind = called.kind.of if called.kind.is_pointer else called.kind
        if kind is None or not kind.is_function:
            raise reader.wrong("this is no function")
        reader.expect("(")
        given: list[str] = []
        while not reader.accept(")"):
            if given:
                reader.expect(",")
            value = self.as_kind(kind.takes[len(given)]) if len(given) < len(kind.takes) else self.value()
            given.append(f"{value.kind.ir} {value.text}")
        if len(given) < len(kind.takes) or len(given) > len(kind.takes) and not kind.open_ended:
            raise reader.wrong(f"{len(kind.takes)} arguments were expected, got {len(given)}")
        call = f"call {signature(kind)} {called.text}({', '.join(given)})"
        assert kind.of is not None
        if kind.of.ir == "void":
            body.put(call)
            return Value(kind.of, "")
        return Value(kind.of, body.let(call))
