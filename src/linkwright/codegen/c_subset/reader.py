"""Words one after another, and the types that declarations say."""

from __future__ import annotations

from linkwright.errors import LinkwrightError

from .kinds import CHAR, NAMED, Kind, array, function, pointer
from .tokens import Word, words

PASSED_OVER = ("const", "static", "unsigned")


class Reader:
    """A place in a C text, and the names of types known so far; `macros` are words that say nothing here."""

    def __init__(self, text: str, macros: tuple[str, ...] = ()):
        self.words: list[Word] = [word for word in words(text) if word.text not in macros]
        self.at = 0
        self.types: dict[str, Kind] = dict(NAMED)

    @property
    def next(self) -> Word:
        return self.words[self.at]

    def wrong(self, what: str) -> LinkwrightError:
        return LinkwrightError(f"C text, line {self.next.line}: {what}, at {self.next.text!r}.")

    def take(self) -> Word:
        word = self.next
        self.at += 1
        return word

    def sees(self, *texts: str) -> bool:
        return self.next.text in texts and self.next.kind != "string"

    def accept(self, text: str) -> bool:
        """Take the next word if it is this one; whether it was."""
        if not self.sees(text):
            return False
        self.at += 1
        return True

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.wrong(f"{text!r} was expected")

    def name(self) -> str:
        if self.next.kind != "name":
            raise self.wrong("a name was expected")
        return self.take().text

    # --- types ---

    def sees_type(self) -> bool:
        return self.next.text in PASSED_OVER or self.next.text in self.types or self.sees("struct")

    def base(self) -> Kind:
        """The type that a declaration begins with: double, const char, a name of a typedef."""
        unsigned = False
        while self.next.text in PASSED_OVER:
            unsigned = unsigned or self.next.text == "unsigned"
            self.at += 1
        if self.next.text not in self.types:
            raise self.wrong("a type was expected")
        kind = self.types[self.take().text]
        if unsigned and kind is not CHAR:
            raise self.wrong("only char may be unsigned here")
        while self.accept("const"):
            pass
        return kind

    def stars(self, kind: Kind) -> Kind:
        while self.accept("*"):
            kind = pointer(kind)
            while self.accept("const"):
                pass
        return kind

    def declared(self, base: Kind) -> tuple[str, Kind]:
        """(name, type) of one declared thing, with its stars and brackets; an array without a count has count 0."""
        kind = self.stars(base)
        name = self.name()
        if self.accept("["):
            count = 0 if self.sees("]") else self.constant()
            self.expect("]")
            kind = array(kind, count)
        return name, kind

    def constant(self) -> int:
        """A whole number, sums and products of such included, as in the size of an array."""
        total = self._product()
        while self.sees("+", "-"):
            sign = 1 if self.take().text == "+" else -1
            total += sign * self._product()
        return total

    def _product(self) -> int:
        value = self._whole()
        while self.accept("*"):
            value *= self._whole()
        return value

    def _whole(self) -> int:
        if self.accept("("):
            value = self.constant()
            self.expect(")")
            return value
        if self.accept("-"):
            return -self._whole()
        if self.next.kind != "whole":
            raise self.wrong("a whole number was expected")
        return int(self.take().text, 0)

    def typedef(self) -> None:
        """typedef struct {…} Name;  typedef type Name;  typedef type (*Name)(types);"""
        if self.accept("struct"):
            if self.next.kind == "name":
                self.at += 1
            members = []
            self.expect("{")
            while not self.accept("}"):
                base = self.base()
                while True:
                    members.append(self.declared(base))
                    if not self.accept(","):
                        break
                self.expect(";")
            name = self.name()
            self.types[name] = Kind(f"%{name}", members=tuple(members))
        else:
            kind = self.stars(self.base())
            if self.accept("("):
                self.expect("*")
                name = self.name()
                self.expect(")")
                takes, open_ended = self.arguments()
                self.types[name] = pointer(function(kind, tuple(k for _, k in takes), open_ended))
            else:
                self.types[self.name()] = kind
        self.expect(";")

    def arguments(self) -> tuple[list[tuple[str, Kind]], bool]:
        """The arguments of a function: names (which may be missing) and types."""
        self.expect("(")
        found: list[tuple[str, Kind]] = []
        if self.sees("void") and self.words[self.at + 1].text == ")":
            self.at += 1
        while not self.accept(")"):
            if self.accept("..."):
                self.expect(")")
                return found, True
            kind = self.stars(self.base())
            name = self.name() if self.next.kind == "name" else ""
            found.append((name, kind))
            self.accept(",")
        return found, False
