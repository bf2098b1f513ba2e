"""An expression taken apart: its operations, its symbols, and its constants.

Two formulas that differ in nothing but their numbers have the same skeleton; `with_constants` puts other constants, or
symbols, in their places.
"""

from __future__ import annotations

import casadi as ca

EXPONENTS = (ca.OP_POW, ca.OP_CONSTPOW)


class Skeleton:
    """Instructions of an expression as a comparable `shape`, `symbols` in their order, and the `constants` apart.

    Exponents, and all numbers of an expression that calls a table, belong to the shape.
    """

    def __init__(self, expression: ca.SX):
        expression = ca.densify(expression)
        self.symbols = ca.symvar(expression)
        self._function = f = ca.Function("skeleton", self.symbols, [expression])
        self._code = [(f.instruction_id(k), tuple(f.instruction_input(k)), tuple(f.instruction_output(k)))
                      for k in range(f.n_instructions())]
        self._places = self._free_constants()
        values = {k: f.instruction_constant(k) for k, (op, _, _) in enumerate(self._code) if op == ca.OP_CONST}
        self.constants = [values[k] for k in self._places]
        fixed = tuple(values[k] for k in values if k not in self._places)
        calls = str(expression) if any(op == ca.OP_CALL for op, _, _ in self._code) else ""
        self.shape = (expression.shape, tuple(self._code), fixed, calls)

    def _free_constants(self) -> list[int]:
        """Places of the constants that may be anything: no exponents, and none beside a table."""
        if any(op == ca.OP_CALL for op, _, _ in self._code):
            return []
        written: dict[int, int] = {}  # slot → the instruction that wrote it last
        exponents = set()
        for k, (op, read, write) in enumerate(self._code):
            if op in EXPONENTS:
                exponents.add(written[read[1]])
            if op != ca.OP_OUTPUT:
                written[write[0]] = k
        return [k for k, (op, _, _) in enumerate(self._code) if op == ca.OP_CONST and k not in exponents]

    def with_constants(self, constants: list) -> ca.SX:
        """The expression with these numbers or symbols as its constants."""
        f, given = self._function, dict(zip(self._places, constants, strict=True))
        slots: dict[int, ca.SX] = {}
        out = ca.SX.zeros(*self.shape[0])
        for k, (op, read, write) in enumerate(self._code):
            if op == ca.OP_INPUT:
                slots[write[0]] = self.symbols[read[0]]
            elif op == ca.OP_OUTPUT:
                out.nz[write[1]] = slots[read[0]]
            elif op == ca.OP_CONST:
                slots[write[0]] = ca.SX(given.get(k, f.instruction_constant(k)))
            elif len(read) == 1:
                slots[write[0]] = ca.SX.unary(op, slots[read[0]])
            else:
                slots[write[0]] = ca.SX.binary(op, slots[read[0]], slots[read[1]])
        return out
