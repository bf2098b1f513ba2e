"""Modelica text as tokens with line numbers (Modelica 3.6 specification, §2)."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...errors import ModelError

#: words of the language itself
WORDS = frozenset(re.findall(r"\w+", """
    algorithm and annotation block break class connect connector constant constrainedby der
    discrete each else elseif elsewhen encapsulated end enumeration equation expandable extends external false final
    flow for function if import impure in initial inner input loop model not operator or outer output package parameter
    partial protected public pure record redeclare replaceable return stream then time true type when while
    within"""))

PATTERN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<text>"(?:[^"\\]|\\.)*")
  | (?P<name>[A-Za-z_]\w*|'(?:[^'\\]|\\.)+')
  | (?P<sign>:=|==|<>|<=|>=|\.\^|\.\*|\./|\.\+|\.-|[-+*/^<>=(){}\[\],;:.])
""", re.VERBOSE | re.DOTALL)

ESCAPES = {r"\n": "\n", r"\t": "\t", r"\"": '"', r"\\": "\\", r"\'": "'", r"\?": "?", r"\r": "\r"}


class Token(NamedTuple):
    """One word, number, text or sign; `kind` is word, name, number, text, sign or end."""

    kind: str
    value: str
    line: int


def tokens_of(text: str, file: str) -> list[Token]:
    """All tokens of a text, with one of kind "end" after the last."""
    found: list[Token] = []
    place, line = 0, 1
    text = text.removeprefix("\ufeff")
    while place < len(text):
        match = PATTERN.match(text, place)
        if match is None:
            raise ModelError(f"{file}, line {line}: {text[place:place + 20]!r} is no Modelica; looked for a name, a "
                             "number, a sign or a text in quotes.")
        kind, value = match.lastgroup, match.group()
        if kind != "space":
            if kind == "name" and value in WORDS:
                kind = "word"
            found.append(Token(kind or "", value, line))
        line += value.count("\n")
        place = match.end()
    found.append(Token("end", "", line))
    return found


def plain_text(quoted: str) -> str:
    """The content of a text in quotes."""
    return re.sub(r"\\.", lambda match: ESCAPES.get(match.group(), match.group()), quoted[1:-1], flags=re.DOTALL)
