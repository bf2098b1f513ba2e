"""Code over the memory of lanes: loads, stores, loops over the entries of vectors, loops and branches of all lanes.

All lanes take the same path through the code.  What only some of them need is computed for all and then selected, or
skipped where none needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...codegen import AT_ONCE, Value, Writer, all_there, where
from ..tolerances import UNROLLED
from .lane_memory import Memory

Index = int | str


class StepWriter(Writer):
    """The lines of one function `void @name(ptr S, ptr work)` over the memory of W lanes."""

    def __init__(self, name: str, lanes: int, memory: Memory, unrolled: int = UNROLLED, together: int = 1):
        super().__init__(lanes)
        self.name, self.memory, self.unrolled, self.together = name, memory, unrolled, together
        self._stored: set[tuple[str, Index, int]] | None = None  # in a body of which loads are to come first
        self._in_order = False
        self._paused = 0
        self.elementary: set[str] = set()
        self.mentioned: set[str] = set()  # vectors that are read or written
        self.changed: set[str] = set()  # and those that are written
        self.label = "entry"
        self._labels = 0

    def text(self) -> str:
        body = "\n".join([*self.lines, "  ret void", *(["given_up:", "  ret void"] if self._paused else [])])
        return f"define void @{self.name}(ptr noalias %S, ptr noalias %work) #0 {{\nentry:\n{body}\n}}\n"

    # --- memory ---

    def pointer(self, name: str, index: Index = 0, row: int = 0) -> str:
        """Where an entry of a vector lies; `row` counts slots."""
        self.mentioned.add(name)
        fixed = self.memory[name] + row + (index if isinstance(index, int) else 0)
        place = self.value("whole", f"getelementptr double, ptr %S, i64 {fixed * self.lanes}").name
        if isinstance(index, str):
            place = self.value("whole", f"getelementptr double, ptr {place}, i64 {index}").name
        return place

    def load(self, name: str, index: Index = 0, row: int = 0) -> Value:
        if self._stored is not None and (name, index, row) in self._stored:
            self._in_order = True
        return self.value("real", f"load {self.type['real']}, ptr {self.pointer(name, index, row)}, align 8")

    def store(self, value: Value | float, name: str, index: Index = 0, row: int = 0) -> None:
        value = value if isinstance(value, Value) else self.real(value)
        self.changed.add(name)
        if self._stored is not None:
            self._stored.add((name, index, row))
        self.lines.append(f"  store {self.type['real']} {value.name}, ptr {self.pointer(name, index, row)}, align 8")

    def store_where(self, condition: Value, value: Value | float, name: str, index: Index = 0, row: int = 0) -> None:
        """A new value in the lanes where the condition holds."""
        self.store(where(condition, value, self.load(name, index, row)), name, index, row)

    # --- control flow of all lanes ---

    def _new_label(self, word: str) -> str:
        self._labels += 1
        return f"{word}{self._labels}"

    def _begin(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.label = label

    def each(self, count: int, body: Callable[[Index], None], unrolled: int | None = None) -> None:
        """`body` for every entry of a vector; a short one is written out (`unrolled` says how short)."""
        if count <= (self.unrolled if unrolled is None else unrolled):
            for i in range(count):
                body(i)
            return
        self._rounds(count, lambda indices: self._at_once([lambda i=i: body(i) for i in indices]))
        for i in range(count - count % self.together, count):
            body(i)

    def _rounds(self, count: int, body: Callable[[list[Index]], None], head: Callable[[], None] | None = None) -> None:
        """A loop over the entries of a vector, `together` in every round; what is left over is not among them.

        `head` writes what every round begins with.
        """
        before, label, after = self.label, self._new_label("each"), self._new_label("after")
        index = f"%{label}_i"
        self.lines.append(f"  br label %{label}")
        self._begin(label)
        self.lines.append(f"  {index} = phi i64 [ 0, %{before} ], [ {index}_next, %{label}_end ]")
        if head is not None:
            head()
        indices: list[Index] = [self.value("whole", f"add i64 {index}, {k * self.lanes}").name if k else index
                   for k in range(self.together)]
        body(indices)
        self.lines.append(f"  br label %{label}_end")
        self._begin(f"{label}_end")
        self.lines.append(f"  {index}_next = add i64 {index}, {self.together * self.lanes}")
        last = (count - count % self.together) * self.lanes
        self.lines.append(f"  {index}_more = icmp slt i64 {index}_next, {last}")
        self.lines.append(f"  br i1 {index}_more, label %{label}, label %{after}")
        self._begin(after)

    def _at_once(self, bodies: Sequence[Callable[[], None]]) -> None:
        """Bodies that do not depend on one another, all their loads first, so that slow memory answers them together.

        Where a body reads what it has written, or branches, they stay one after the other.
        """
        first, label = len(self.lines), self.label
        self._stored, self._in_order = (set(), False) if self.together > 1 else (None, True)
        for body in bodies:
            body()
        own, self._stored = self.lines[first:], None
        if self._in_order or self.label != label or any(" call " in line for line in own):
            return
        places, loads, others, stores = [], [], [], []
        for line in own:
            name, _, place = line.partition(" = load double, ptr ")
            if place:
                pointer = place.partition(",")[0]
                places.append(f"{name}_at = addrspacecast ptr {pointer} to ptr addrspace(5)")
                loads.append(name.strip())
            elif " = getelementptr " in line:
                places.append(line)
            else:
                (stores if line.startswith("  store ") else others).append(line)
        self._paused += 1
        label = f"loaded{self._paused}"
        self.declarations.add(f"declare i1 @{AT_ONCE}(i64)")
        self.lines[first:] = [
            *places, *(f"  {name} = load volatile double, ptr addrspace(5) {name}_at, align 8" for name in loads),
            *all_there(loads, label), f"  br i1 %{label}_now, label %{label}, label %given_up"]
        self._begin(label)
        self.lines += [*others, *stores]

    def reduce(self, count: int, start: Value, combine: Callable[[Index, Value], Value],
               unrolled: int | None = None) -> Value:
        """`combine` applied to one entry of a vector after another, each time with the result so far."""
        if count <= (self.unrolled if unrolled is None else unrolled):
            for i in range(count):
                start = combine(i, start)
            return start
        kind = self.type[start.kind]
        result = Value(self, start.kind, f"%{self._new_label('result')}")
        before = self.label

        def head() -> None:
            self.lines.append(f"  {result.name} = phi {kind} [ {start.name}, %{before} ], "
                              f"[ {result.name}_next, %{self.label}_end ]")

        def entries(indices: list[Index]) -> None:
            value = result

            def all_of_them() -> None:
                nonlocal value
                for index in indices:
                    value = combine(index, value)

            self._at_once([all_of_them])
            # a name that can be used at the beginning of the loop, before it is defined
            self.lines.append(f"  {result.name}_next = select i1 true, {kind} {value.name}, {kind} {value.name}")

        self._rounds(count, entries, head)
        end = Value(self, start.kind, f"{result.name}_next")
        for i in range(count - count % self.together, count):
            end = combine(i, end)
        return end

    def any(self, condition: Value) -> str:
        """Whether a condition holds in some lane, for a branch."""
        if self.lanes == 1:
            return condition.name
        kind = self.type["truth"]
        self.declarations.add(f"declare i1 @llvm.vector.reduce.or.v{self.lanes}i1({kind})")
        return self.value("truth", f"call i1 @llvm.vector.reduce.or.v{self.lanes}i1({kind} {condition.name})").name

    def if_any(self, condition: Value, body: Callable[[], None]) -> None:
        """`body`, for all lanes, where some lane needs it; its results must be in memory."""
        label, after = self._new_label("needed"), self._new_label("after")
        self.lines.append(f"  br i1 {self.any(condition)}, label %{label}, label %{after}")
        self._begin(label)
        body()
        self.lines.append(f"  br label %{after}")
        self._begin(after)

    def while_any(self, condition: Callable[[], Value], body: Callable[[], None]) -> None:
        """`body` again and again, as long as the condition holds in some lane."""
        label, inside, after = self._new_label("while"), self._new_label("inside"), self._new_label("after")
        self.lines.append(f"  br label %{label}")
        self._begin(label)
        self.lines.append(f"  br i1 {self.any(condition())}, label %{inside}, label %{after}")
        self._begin(inside)
        body()
        self.lines.append(f"  br label %{label}")
        self._begin(after)

    def repeat(self, most: int, body: Callable[[], Value]) -> None:
        """`body`, at most so many times, until no lane needs another round."""
        before, label, after = self.label, self._new_label("again"), self._new_label("after")
        count = f"%{label}_k"
        self.lines.append(f"  br label %{label}")
        self._begin(label)
        self.lines.append(f"  {count} = phi i64 [ 0, %{before} ], [ {count}_next, %{label}_end ]")
        going = self.any(body())
        self.lines.append(f"  br label %{label}_end")
        self._begin(f"{label}_end")
        self.lines.append(f"  {count}_next = add i64 {count}, 1")
        self.lines.append(f"  {count}_left = icmp slt i64 {count}_next, {most}")
        self.lines.append(f"  {count}_more = and i1 {going}, {count}_left")
        self.lines.append(f"  br i1 {count}_more, label %{label}, label %{after}")
        self._begin(after)

    def times(self, count: int, body: Callable[[str], None]) -> None:
        """`body` so many times, for all lanes; it is told which time it is."""
        before, label, after = self.label, self._new_label("time"), self._new_label("after")
        number = f"%{label}_k"
        self.lines.append(f"  br label %{label}")
        self._begin(label)
        self.lines.append(f"  {number} = phi i64 [ 0, %{before} ], [ {number}_next, %{label}_end ]")
        body(number)
        self.lines.append(f"  br label %{label}_end")
        self._begin(f"{label}_end")
        self.lines.append(f"  {number}_next = add i64 {number}, 1")
        self.lines.append(f"  {number}_more = icmp slt i64 {number}_next, {count}")
        self.lines.append(f"  br i1 {number}_more, label %{label}, label %{after}")
        self._begin(after)

    def unless_last(self, number: str, count: int, body: Callable[[], None], end: Callable[[], None]) -> None:
        """`body` in all but the last of so many times, then `end`; results must be in memory."""
        others, last, after = self._new_label("others"), self._new_label("last"), self._new_label("after")
        is_last = self.value("whole", f"icmp eq i64 {number}, {count - 1}").name
        self.lines.append(f"  br i1 {is_last}, label %{last}, label %{others}")
        for label, part in ((others, body), (last, end)):
            self._begin(label)
            part()
            self.lines.append(f"  br label %{after}")
        self._begin(after)

    def one_of(self, number: str, values: Sequence[float]) -> Value:
        """The value of that number; beyond them the last."""
        real, chosen = self.type["real"], self.real(values[-1])
        for k in range(len(values) - 2, -1, -1):
            here = self.value("whole", f"icmp eq i64 {number}, {k}").name
            chosen = self.value("real", f"select i1 {here}, {real} {self.real(values[k]).name}, {real} {chosen.name}")
        return chosen

    # --- calls ---

    def call(self, role: str, source: str, target: str, row: int = 0) -> None:
        """A program of the model, from one vector into another."""
        self.changed.add(target)
        places = self.pointer(source), self.pointer(target, 0, row)
        self.lines.append(f"  call void @model_{role}(ptr {places[0]}, ptr {places[1]}, ptr %work)")

    def call_own(self, name: str) -> None:
        """Another function of the step."""
        self.lines.append(f"  call void @{name}(ptr %S, ptr %work)")

    def power(self, x: Value, y: Value | float) -> Value:
        """xʸ, as step sizes need it."""
        self.elementary.add("approximate_power")
        real, y = self.type["real"], y if isinstance(y, Value) else self.real(y)
        return self.value("real", f"call {real} @lw_approximate_power_{self.lanes}({real} {x.name}, {real} {y.name})")


def larger(a: Value, b: Value | float) -> Value:
    """b where it is larger than a, else a: Python's max(a, b)."""
    return where(a < b, b, a)


def smaller(a: Value, b: Value | float) -> Value:
    """b where it is smaller than a, else a: Python's min(a, b)."""
    return where(a > b, b, a)
