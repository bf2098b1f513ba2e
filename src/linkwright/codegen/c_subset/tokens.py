"""Words of C: names, numbers, strings, signs; constants named by #define in their place."""

from __future__ import annotations

import re
from typing import NamedTuple

from linkwright.errors import LinkwrightError

WORD = re.compile(r"""
    (?P<space>\s+|/\*.*?\*/|//[^\n]*)
  | (?P<real>\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)
  | (?P<whole>0[xX][0-9a-fA-F]+|\d+)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<sign>->|\+\+|--|\+=|-=|\*=|/=|==|!=|<=|>=|&&|\|\||\.\.\.|[-+*/%<>=!&?:;,.(){}\[\]])
""", re.X | re.S)
ESCAPES = {"n": "\n", "t": "\t", "0": "\0"}


class Word(NamedTuple):
    """A word, what it is (real, whole, name, string, sign, end), and its line."""

    text: str
    kind: str
    line: int


def words(text: str) -> list[Word]:
    """The words of a C text, with an end after the last."""
    kept, constants = _preprocessed(text)
    found: list[Word] = []
    for word in _split(kept, 1):
        found += [w._replace(line=word.line) for w in constants[word.text]] if word.text in constants else [word]
    return [*found, Word("", "end", found[-1].line if found else 0)]


def _preprocessed(text: str) -> tuple[str, dict[str, list[Word]]]:
    """The text without its lines for the preprocessor, and the constants that those define."""
    constants: dict[str, list[Word]] = {}
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment.group().count("\n") + " ", text, flags=re.S)
    kept: list[str] = []
    depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        directive = re.match(r"\s*#\s*(\w+)(.*)", line)
        if directive is None:
            kept.append(line if depth == 0 else "")
            continue
        kept.append("")
        what, rest = directive.groups()
        if what in ("if", "ifdef", "ifndef"):
            depth += 1
        elif what == "endif":
            depth -= 1
        elif what == "define" and depth == 0:
            name, _, value = rest.strip().partition(" ")
            constants[name] = [w for word in _split(value, number) for w in constants.get(word.text, [word])]
    return "\n".join(kept), constants


def _split(text: str, line: int) -> list[Word]:
    found, at = [], 0
    while at < len(text):
        match = WORD.match(text, at)
        if match is None:
            raise LinkwrightError(f"C text, line {line}: {text[at : at + 20]!r} is no word that is known.")
        kind = str(match.lastgroup)
        if kind != "space":
            found.append(Word(match.group(), kind, line))
        line += match.group().count("\n")
        at = match.end()
    return found


def string_bytes(word: str) -> bytes:
    """The bytes that a string in quotation marks stands for, with the zero at its end."""
    inner = re.sub(r"\\(.)", lambda escape: ESCAPES.get(escape.group(1), escape.group(1)), word[1:-1])
    return inner.encode() + b"\0"
