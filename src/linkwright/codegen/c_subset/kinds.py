"""Types of C, and how LLVM calls them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Kind:
    """A type: its name in IR, and what it is made of.

    `of` is what a pointer points to, what an array consists of, what a function gives; `takes` its arguments.
    """

    ir: str
    of: Kind | None = None
    count: int = 0
    members: tuple[tuple[str, Kind], ...] = field(default=(), compare=False)
    takes: tuple[Kind, ...] = ()
    open_ended: bool = False  # a function with further arguments of any kind

    @property
    def is_pointer(self) -> bool:
        return self.ir == "ptr"

    @property
    def is_array(self) -> bool:
        return self.ir.startswith("[")

    @property
    def is_struct(self) -> bool:
        return self.ir.startswith("%")

    @property
    def is_whole(self) -> bool:
        return self.ir in ("i8", "i32", "i64")

    @property
    def is_function(self) -> bool:
        return self.ir == "function"


VOID, CHAR, INT, SIZE, REAL = Kind("void"), Kind("i8"), Kind("i32"), Kind("i64"), Kind("double")
NAMED = {"void": VOID, "char": CHAR, "int": INT, "size_t": SIZE, "int64_t": SIZE, "double": REAL}


def pointer(of: Kind) -> Kind:
    return Kind("ptr", of)


def array(of: Kind, count: int) -> Kind:
    return Kind(f"[{count} x {of.ir}]", of, count)


def function(gives: Kind, takes: tuple[Kind, ...], open_ended: bool = False) -> Kind:
    return Kind("function", gives, takes=takes, open_ended=open_ended)


def signature(kind: Kind) -> str:
    """A function's type as IR writes it, for calls through pointers: void (ptr, i32, ...)."""
    assert kind.of is not None, "a function gives something, if only void"
    takes = [k.ir for k in kind.takes] + (["..."] if kind.open_ended else [])
    return f"{kind.of.ir} ({', '.join(takes)})"
