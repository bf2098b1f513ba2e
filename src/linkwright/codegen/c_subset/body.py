"""The body of one function as it is written: IR lines, values, places of local variables, conversions."""

from __future__ import annotations

from dataclasses import dataclass

from .kinds import INT, SIZE, Kind, pointer


@dataclass(frozen=True)
class Value:
    """A value by its name in IR; of a `place` the name is where the value lies."""

    kind: Kind
    text: str
    place: bool = False


class Body:
    """Lines of a function; every name in it is used once."""

    def __init__(self) -> None:
        self.places: list[str] = []  # allocations, which come first
        self.lines: list[str] = []
        self.count = 0
        self.ended = False  # whether the present block has jumped away

    def new(self, what: str = "v") -> str:
        self.count += 1
        return f"{what}{self.count}"

    def put(self, line: str) -> None:
        if not self.ended:
            self.lines.append(f"  {line}")

    def let(self, text: str) -> str:
        name = f"%{self.new()}"
        self.put(f"{name} = {text}")
        return name

    def local(self, kind: Kind) -> str:
        name = f"%{self.new('local')}"
        self.places.append(f"  {name} = alloca {kind.ir}")
        return name

    def block(self, label: str) -> None:
        """Begin a block; the one before goes on into it unless it has jumped away."""
        self.jump(label)
        self.lines.append(f"{label}:")
        self.ended = False

    def jump(self, label: str) -> None:
        self.put(f"br label %{label}")
        self.ended = True

    def branch(self, condition: str, yes: str, no: str) -> None:
        self.put(f"br i1 {condition}, label %{yes}, label %{no}")
        self.ended = True

    # --- values ---

    def read(self, value: Value) -> Value:
        """What a place holds; an array is the pointer to its first entry, a struct stays where it is."""
        if not value.place:
            return value
        if value.kind.is_array:
            assert value.kind.of is not None
            return Value(pointer(value.kind.of), value.text)
        if value.kind.is_struct or value.kind.is_function:
            return value
        return Value(value.kind, self.let(f"load {value.kind.ir}, ptr {value.text}"))

    def convert(self, value: Value, kind: Kind) -> Value:
        """The value as another type; char is unsigned, int is signed, and so is what becomes of it."""
        value = self.read(value)
        have, want = value.kind.ir, kind.ir
        if value.kind.is_struct:
            raise TypeError("a struct is not copied by '=' here")
        if have == want or want == "void":
            return Value(kind, value.text)
        if value.kind.is_whole and kind.is_whole:
            widths = int(have[1:]), int(want[1:])
            how = "trunc" if widths[0] > widths[1] else "zext" if have == "i8" else "sext"
            return Value(kind, self.let(f"{how} {have} {value.text} to {want}"))
        if value.kind.is_whole and kind.is_pointer and value.text == "0":
            return Value(kind, "null")
        raise TypeError(f"{have} does not become {want}")

    def truth(self, value: Value) -> str:
        """An i1 that tells whether a value is not zero."""
        value = self.read(value)
        zero = "null" if value.kind.is_pointer else "0"
        return self.let(f"icmp ne {value.kind.ir} {value.text}, {zero}")

    def as_int(self, truth: str) -> Value:
        return Value(INT, self.let(f"zext i1 {truth} to i32"))

    def entry(self, base: Value, index: Value) -> Value:
        """base[index]"""
        base, index = self.read(base), self.convert(index, SIZE)
        assert base.kind.of is not None
        return Value(base.kind.of, self.let(f"getelementptr {base.kind.of.ir}, ptr {base.text}, i64 {index.text}"),
                     True)

    def size_of(self, kind: Kind) -> Value:
        end = self.let(f"getelementptr {kind.ir}, ptr null, i32 1")
        return Value(SIZE, self.let(f"ptrtoint ptr {end} to i64"))
