"""Expressions of Modelica from tokens: a recursive descent along the grammar of the specification (appendix A)."""

from __future__ import annotations

from typing import NoReturn

from ...errors import ModelError
from .syntax import Expression
from .tokens import Token, plain_text

RELATIONS = ("<", "<=", ">", ">=", "==", "<>")


class Reader:
    """A place in a list of tokens, and what can be read from there."""

    def __init__(self, tokens: list[Token], file: str):
        self.tokens, self.file, self.place = tokens, file, 0

    # --- tokens ---

    @property
    def value(self) -> str:
        token = self.tokens[self.place]
        return token.value if token.kind != "text" else ""

    @property
    def kind(self) -> str:
        return self.tokens[self.place].kind

    @property
    def line(self) -> int:
        return self.tokens[self.place].line

    def take(self, *values: str) -> bool:
        """Whether the next token is one of these; it is passed over then."""
        if self.value in values and self.kind in ("word", "sign"):
            self.place += 1
            return True
        return False

    def expect(self, value: str) -> None:
        if not self.take(value):
            self.refuse(f"{value!r} was expected")

    def refuse(self, why: str) -> NoReturn:
        token = self.tokens[self.place]
        found = "the end of the file" if token.kind == "end" else repr(token.value[:30])
        raise ModelError(f"{self.file}, line {token.line}: {why}, found {found}.")

    def name(self) -> str:
        """One identifier."""
        if self.kind != "name":
            self.refuse("a name was expected")
        self.place += 1
        return self.tokens[self.place - 1].value

    def dotted(self) -> str:
        """A name with dots; a leading dot says that it is looked up from the top."""
        parts = ["" if self.take(".") else self.name()]
        if not parts[0]:
            parts.append(self.name())
        while self.value == "." and self.tokens[self.place + 1].kind == "name":
            self.place += 1
            parts.append(self.name())
        return ".".join(parts)

    def text(self) -> str:
        """Texts joined by +, or nothing."""
        found = ""
        while self.kind == "text":
            found += plain_text(self.tokens[self.place].value)
            self.place += 1
            if not (self.value == "+" and self.tokens[self.place + 1].kind == "text"):
                break
            self.place += 1
        return found

    # --- expressions ---

    def expression(self) -> Expression:
        if not self.take("if"):
            return self.simple()
        branches = []
        condition = self.expression()
        self.expect("then")
        branches.append((condition, self.expression()))
        while self.take("elseif"):
            condition = self.expression()
            self.expect("then")
            branches.append((condition, self.expression()))
        self.expect("else")
        return ("if", branches, self.expression())

    def simple(self) -> Expression:
        """logical [: logical [: logical]]."""
        first = self.either()
        if not self.take(":"):
            return first
        second = self.either()
        if not self.take(":"):
            return ("range", first, None, second)
        return ("range", first, second, self.either())

    def either(self) -> Expression:
        left = self.both()
        while self.value == "or":
            line = self.line
            self.place += 1
            left = ("two", "or", left, self.both(), line)
        return left

    def both(self) -> Expression:
        left = self.inverted()
        while self.value == "and":
            line = self.line
            self.place += 1
            left = ("two", "and", left, self.inverted(), line)
        return left

    def inverted(self) -> Expression:
        line = self.line
        if self.take("not"):
            return ("one", "not", self.relation(), line)
        return self.relation()

    def relation(self) -> Expression:
        left = self.sum()
        if self.kind == "sign" and self.value in RELATIONS:
            sign, line = self.value, self.line
            self.place += 1
            return ("two", sign, left, self.sum(), line)
        return left

    def sum(self) -> Expression:
        line = self.line
        if self.kind == "sign" and self.value in ("-", ".-"):
            self.place += 1
            left: Expression = ("one", "-", self.term(), line)
        else:
            self.take("+", ".+")
            left = self.term()
        while self.kind == "sign" and self.value in ("+", "-", ".+", ".-"):
            sign, line = self.value, self.line
            self.place += 1
            left = ("two", sign, left, self.term(), line)
        return left

    def term(self) -> Expression:
        left = self.factor()
        while self.kind == "sign" and self.value in ("*", "/", ".*", "./"):
            sign, line = self.value, self.line
            self.place += 1
            left = ("two", sign, left, self.factor(), line)
        return left

    def factor(self) -> Expression:
        left = self.primary()
        if self.kind == "sign" and self.value in ("^", ".^"):
            sign, line = self.value, self.line
            self.place += 1
            return ("two", sign, left, self.primary(), line)
        return left

    def primary(self) -> Expression:
        kind, value, line = self.tokens[self.place]
        if kind == "number":
            self.place += 1
            whole = not set(value) & set(".eE")
            return ("number", int(value) if whole else float(value))
        if kind == "text":
            self.place += 1
            return ("text", plain_text(value))
        if kind == "word":
            return self._word(value, line)
        if kind == "name" or value == ".":
            return self.reference()
        if self.take("("):
            return self._brackets()
        if self.take("["):
            rows = [self._list("]", ";")]
            while self.take(";"):
                rows.append(self._list("]", ";"))
            self.expect("]")
            return ("matrix", rows)
        if self.take("{"):
            first = self.expression()
            if self.take("for"):
                found: Expression = ("each of", first, self.iterators())
            else:
                found = ("array", [first])
                while self.take(","):
                    found[1].append(self.expression())
            self.expect("}")
            return found
        self.refuse("an expression was expected")

    def _word(self, value: str, line: int) -> Expression:
        if self.take("true", "false"):
            return ("truth", value == "true")
        if self.take("end"):
            return ("last",)
        if self.take("time"):
            return ("name", (("time", ()),), line)
        if value in ("der", "initial", "pure"):
            self.place += 1
            self.expect("(")
            arguments, named = self.arguments()
            return ("call", value, arguments, named, line)
        self.refuse("an expression was expected")

    def _brackets(self) -> Expression:
        """( … ): one expression, or a list of results."""
        entries: list[Expression | None] = []
        while True:
            entries.append(None if self.value in (",", ")") else self.expression())
            if not self.take(","):
                break
        self.expect(")")
        if len(entries) == 1 and entries[0] is not None:
            return entries[0]
        return ("tuple", entries)

    def _list(self, *ends: str) -> list[Expression]:
        found = [self.expression()]
        while self.take(","):
            found.append(self.expression())
        if self.value not in ends:
            self.refuse(f"{' or '.join(map(repr, ends))} was expected")
        return found

    def reference(self) -> Expression:
        """a.b[1].c, or a call of a function by such a name."""
        line = self.line
        parts: list[tuple[str, tuple]] = []
        if self.take("."):
            parts.append(("", ()))
        while True:
            name, subscripts = self.name(), ()
            if self.take("["):
                subscripts = self.subscripts()
            parts.append((name, subscripts))
            if not (self.value == "." and self.kind == "sign"):
                break
            self.place += 1
        if self.value == "(" and self.kind == "sign":
            self.place += 1
            arguments, named = self.arguments()
            return ("call", ".".join(name for name, _ in parts), arguments, named, line)
        return ("name", tuple(parts), line)

    def subscripts(self) -> tuple:
        found = []
        while True:
            if self.value == ":" and self.tokens[self.place + 1].value in (",", "]"):
                self.place += 1
                found.append(("all",))
            else:
                found.append(self.expression())
            if not self.take(","):
                break
        self.expect("]")
        return tuple(found)

    def arguments(self) -> tuple[list[Expression], dict[str, Expression]]:
        """Arguments of a call up to its closing bracket."""
        given: list[Expression] = []
        named: dict[str, Expression] = {}
        while not self.take(")"):
            if self.kind == "name" and self.tokens[self.place + 1].value == "=":
                name = self.name()
                self.place += 1
                named[name] = self._argument()
            else:
                given.append(self._argument())
                if self.take("for"):
                    given[-1] = ("each of", given[-1], self.iterators())
            if not self.take(","):
                self.expect(")")
                break
        return given, named

    def _argument(self) -> Expression:
        """A value, or a function as an argument: `function f(a=1)`."""
        if not self.take("function"):
            return self.expression()
        line, name = self.line, self.dotted()
        named: dict[str, Expression] = {}
        if self.take("("):
            _, named = self.arguments()
        return ("function", name, named, line)

    def iterators(self) -> list[tuple[str, Expression | None]]:
        found = []
        while True:
            name = self.name()
            found.append((name, self.expression() if self.take("in") else None))
            if not self.take(","):
                return found
