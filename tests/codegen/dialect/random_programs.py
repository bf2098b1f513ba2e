"""Random functions of the dialect, which end, and the ways to run them."""

from __future__ import annotations

import random

HEAD = '''from __future__ import annotations

import numpy as np

from linkwright.codegen.dialect import bits, floor, from_bits, real, reals, sqrt, whole, wholes

TABLE = np.array([[0.5, -1.25, 3.0], [2.0, 0.0, -0.0]])
PLACES = np.array([2, 0, 1, 5])
SIZE = 6


def helper(x: float, n: int, a: real[:], row: whole[:]) -> tuple[float, int]:
    """A way out of every corner."""
    count = 0
    for k in range(len(a)):
        if a[k] > x:
            return a[k] - x, count
        if (row[k] & 3) == 1:
            continue
        count += n >> (k & 7)
        while count > 50:
            count //= 3
            if x < 0.0:
                break
            a[k] = x
    return x, count


'''


class Program:
    """The text of one random function `program`; the same for the same seed."""

    def __init__(self, seed: int, depth: int = 3):
        self.random, self.depth, self.lines, self.count = random.Random(seed), depth, [], 0
        self.reals, self.wholes, self.truths = ["x0", "x1", "x2"], ["n0", "n1", "n2"], ["b0"]
        self.loops: list[str] = []
        self.put(0, "own, rows = reals(3, SIZE), wholes(SIZE)")
        self.put(0, "own[:], rows[:] = 0.25, 3")
        self.put(0, "x0, x1, x2 = a[0], a[1] * 2.0, -0.0")
        self.put(0, "n0, n1, n2 = m[0], m[1] - 7, 0")
        self.put(0, "b0 = x0 > x1")
        self.put(0, "p = x0, x1, n0")
        for _ in range(5):
            self.statement(0)
        self.put(0, f"return {self.real()}, {self.whole()}, {self.truth()}")

    @property
    def text(self) -> str:
        head = "def program(a: real[SIZE], m: whole[:], out: real[:]) -> tuple[float, int, bool]:\n"
        return HEAD + head + "\n".join(self.lines) + "\n"

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * (depth + 1) + text)

    def real(self, left: int = 2) -> str:
        r = self.random
        if left == 0 or r.random() < 0.2:
            return r.choice([*self.reals, "p[0]", "p[1]", str(round(r.uniform(-4, 4), 2)), "float(n0)", "TABLE[1, 2]"])
        a, b = self.real(left - 1), self.real(left - 1)
        return r.choice([
            f"({a} + {b})", f"({a} - {b})", f"{a} * {b}", f"{a} / {b}", f"-{a}", f"abs({a})", f"sqrt({a})",
            f"floor({a})", f"min({a}, {b})", f"max({a}, {b}, x0)", f"({a}) ** {r.randint(1, 4)}",
            f"({a} if {self.truth(left - 1)} else {b})", f"a[{self.index()}]",
            f"own[{r.randint(0, 2)}, {self.index()}]",
            f"own[n1 % 3][{self.index()}]", f"TABLE[{r.randint(0, 1)}, {self.whole(1)} % 3]",
            f"from_bits(bits({a}) & -4)", f"{a} * ({self.whole(left - 1)})"])

    def whole(self, left: int = 2) -> str:
        r = self.random
        if left == 0 or r.random() < 0.2:
            return r.choice([*self.wholes, *self.loops, "p[2]", str(r.randint(-9, 9)), "len(out)", "a.shape[0]"])
        a, b = self.whole(left - 1), self.whole(left - 1)
        return r.choice([
            f"({a} + {b})", f"({a} - {b})", f"{a} * {b}", f"({a}) // ({b})", f"({a}) % ({b})", f"({a} & {b})",
            f"({a} | {b})", f"({a} ^ {b})", f"({a} << {r.randint(0, 70)})", f"({a} >> ({b}))",
            f"int({self.real(left - 1)})", f"m[{self.index()}]", f"rows[{self.index()}]", f"PLACES[{a} % 4]",
            f"({a} if {self.truth(left - 1)} else {b})", f"min({a}, {b})", f"-({a})", f"~({a})", f"abs({a})"])

    def truth(self, left: int = 1) -> str:
        r = self.random
        sign = r.choice(["<", "<=", ">", ">=", "==", "!="])
        if left <= 0:
            return r.choice([*self.truths, f"{self.real(0)} {sign} {self.real(0)}",
                             f"{self.whole(0)} {sign} {self.whole(0)}"])
        return r.choice([
            f"{self.real(1)} {sign} {self.real(1)}", f"{self.whole(1)} {sign} {self.whole(1)}",
            f"({self.truth(left - 1)} and {self.truth(left - 1)})",
            f"({self.truth(left - 1)} or {self.truth(left - 1)})",
            f"not {self.truth(left - 1)}", f"{self.real(0)} < {self.real(1)} <= {self.real(0)}"])

    def index(self) -> str:
        r = self.random
        return r.choice([str(r.randint(0, 5)), f"({self.whole(0)}) % SIZE", *[f"{k} % SIZE" for k in self.loops]])

    def suite(self, depth: int) -> None:
        before = list(self.reals)
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth)
        self.reals = before

    def statement(self, depth: int) -> None:
        r = self.random
        kinds = ["real", "whole", "store", "add", "truth", "call", "tuple", "local"]
        if depth < self.depth:
            kinds += ["if", "if", "for", "while", "kept"]
        if self.loops:
            kinds += ["leave", "leave"]
        if depth > 0 and r.random() < 0.15:
            kinds += ["return"]
        getattr(self, "on_" + r.choice(kinds))(depth)

    def on_real(self, depth: int) -> None:
        self.put(depth, f"{self.random.choice(self.reals[:3])} = {self.real()}")

    def on_whole(self, depth: int) -> None:
        self.put(depth, f"{self.random.choice(self.wholes)} = {self.whole()}")

    def on_truth(self, depth: int) -> None:
        self.put(depth, f"b0 = {self.truth(2)}")

    def on_local(self, depth: int) -> None:
        """A name that only these lines know."""
        value, self.count = self.real(), self.count + 1
        self.put(depth, f"t{self.count} = {value}")
        self.reals.append(f"t{self.count}")

    def on_store(self, depth: int) -> None:
        where = self.random.choice([f"out[{self.index()}]", f"own[{self.random.randint(0, 2)}, {self.index()}]"])
        self.put(depth, f"{where} = {self.real()}")
        self.put(depth, f"rows[{self.index()}] = {self.whole()}")

    def on_add(self, depth: int) -> None:
        sign = self.random.choice(["+=", "-=", "*="])
        where = self.random.choice([f"out[{self.index()}]", self.random.choice(self.reals[:3])])
        self.put(depth, f"{where} {sign} {self.real(1)}")

    def on_call(self, depth: int) -> None:
        self.put(depth, f"{self.random.choice(self.reals[:3])}, n1 = helper({self.real(1)}, {self.whole(1)}, "
                        f"own[{self.random.choice(['0', '1', 'n2 % 3'])}], rows)")

    def on_tuple(self, depth: int) -> None:
        self.put(depth, f"p = {self.real(1)}, {self.real(1)}, {self.whole(1)}")
        self.put(depth, "x0, x1 = x1, x0")

    def on_if(self, depth: int) -> None:
        self.put(depth, f"if {self.truth(2)}:")
        self.suite(depth + 1)
        if self.random.random() < 0.5:
            self.put(depth, f"elif {self.truth(1)}:")
            self.suite(depth + 1)
        if self.random.random() < 0.5:
            self.put(depth, "else:")
            self.suite(depth + 1)

    def on_for(self, depth: int) -> None:
        self.count += 1
        name = f"k{self.count}"
        ends = self.random.choice(["3", "7", f"({self.whole(1)}) & 7", f"({self.whole(1)}) & 3, SIZE", "6, -1, -2"])
        self.put(depth, f"for {name} in range({ends}):")
        self.loops.append(name)
        self.suite(depth + 1)
        self.loops.pop()

    def on_while(self, depth: int) -> None:
        self.count += 1
        name = f"w{self.count}"
        self.put(depth, f"{name} = ({self.whole(1)}) & 7")
        self.put(depth, f"while {name} > 0 and {self.truth(1)}:")
        self.put(depth + 1, f"{name} -= 1")
        self.loops.append(name)
        self.suite(depth + 1)
        self.loops.pop()

    def on_kept(self, depth: int) -> None:
        """A name that one round of a loop takes over from the one before."""
        self.count += 1
        name, best = f"k{self.count}", f"best{self.count}"
        self.put(depth, f"for {name} in range(({self.whole(1)}) & 7):")
        self.put(depth + 1, f"if {name} == 0 or a[{name} % SIZE] > {self.real(0)}:")
        self.put(depth + 2, f"{best} = a[{name} % SIZE] + {self.real(0)}")
        self.put(depth + 1, f"if {best} > {self.real(0)}:")
        self.put(depth + 2, "continue")
        self.put(depth + 1, f"out[{name} % SIZE] = {best}")

    def on_leave(self, depth: int) -> None:
        self.put(depth, f"if {self.truth(1)}:")
        self.put(depth + 1, self.random.choice(["break", "continue"]))

    def on_return(self, depth: int) -> None:
        self.put(depth, f"if {self.truth(1)}:")
        self.put(depth + 1, f"return {self.real(1)}, {self.whole(1)}, {self.truth(1)}")
