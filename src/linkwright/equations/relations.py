"""Comparisons in laws become modes: held during a step, switched at located instants.

The instruction list of the laws is replayed; every comparison (<, ≤), sign and floor of something that varies
continuously is replaced by a discrete symbol, and becomes a `Relation` with its witness.  Comparisons of discrete
variables stay as they are, and so does everything under the mark of `smooth_where`: a select `condition != 0`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import casadi as ca
import numpy as np

from ..algebra import ForceMotor
from ..mechanism import CUT, TIME, BodyLoad, Mechanism, Named, Relation, sentence

HELD = {ca.OP_LT: "lt", ca.OP_LE: "le", ca.OP_SIGN: "sign", ca.OP_FLOOR: "floor"}


def hold_comparisons(mechanism: Mechanism) -> Mechanism:
    """The mechanism with the comparisons of its laws held; itself where there are none."""
    events = mechanism.events
    # what clocks let act is not watched between its instants
    acting = [w for w in events.whens if w.clock is None]
    laws = [ca.SX(load.motor.vector() if isinstance(load, BodyLoad) else load.value) for load in mechanism.loads]
    derivatives: list[ca.SX] = []  # those that laws read
    groups = [
        laws,
        [c.residual for c in mechanism.constraints],
        [u.residual for u in mechanism.unknowns],
        [s.derivative for s in mechanism.states],
        [ca.SX(0, 1) if b.prescribed is None else ca.SX(b.prescribed) for b in mechanism.bodies],
        [v for w in acting for v in w.values],
        [e for row in events.rows for e in (row.sliding, row.limit, row.back)],
        derivatives,
        [row.held for row in events.conditional],
        events.remembered,
        [w.condition for w in acting],
    ]
    read = _derivatives_read(mechanism, [e for group in groups for e in group])
    derivatives += [v.of if k in read else ca.SX(0, 1) for k, v in enumerate(mechanism.variables)]
    expressions = [ca.SX(e) for group in groups for e in group]
    owners = [item.name for item in (*mechanism.loads, *mechanism.constraints)]
    replay = _Replay(mechanism, expressions, len(groups[-1]), owners)
    if not replay.held and not acting:
        return mechanism
    found = iter(replay.results)
    held = [[ca.reshape(next(found), *ca.SX(e).shape) for e in group] for group in groups]
    loads, residuals, unknowns, rates, motions, values, limits, differentiated, caught, _, conditions = held
    sliding = iter(limits)
    new_values = iter(values)
    watched = {id(w): replace(w, condition=condition, values=tuple(next(new_values) for _ in w.values),
                              witness=witness, kind=kind)
               for w, condition, (witness, kind) in zip(acting, conditions, replay.edges, strict=True)}
    variables = [replace(v, of=e) if k in read else v
                 for k, (v, e) in enumerate(zip(mechanism.variables, differentiated, strict=True))]
    if isinstance(mechanism.variables, list):
        # the list itself stays: a translation registers more in it as results are asked for
        mechanism.variables[:] = variables
        variables = mechanism.variables
    catching = {row.name: e for row, e in zip(events.conditional, caught, strict=True)}
    modes = tuple(Named(r.name, r.symbol, np.zeros(1)) for r in replay.relations)
    return replace(
        mechanism,
        loads=tuple(replace(load, motor=ForceMotor.from_vector(e)) if isinstance(load, BodyLoad)
                    else replace(load, value=e) for load, e in zip(mechanism.loads, loads, strict=True)),
        constraints=tuple(replace(c, residual=e, mode=catching.get(c.name, c.mode))
                          for c, e in zip(mechanism.constraints, residuals, strict=True)),
        unknowns=tuple(replace(u, residual=e) for u, e in zip(mechanism.unknowns, unknowns, strict=True)),
        states=tuple(replace(s, derivative=e) for s, e in zip(mechanism.states, rates, strict=True)),
        bodies=tuple(b if b.prescribed is None else replace(b, prescribed=e)
                     for b, e in zip(mechanism.bodies, motions, strict=True)),
        discretes=(*mechanism.discretes, *modes), variables=variables,
        events=replace(
            events, whens=tuple(watched.get(id(w), w) for w in events.whens),
            relations=(*events.relations, *replay.relations),
            rows=tuple(replace(row, sliding=next(sliding), limit=next(sliding), back=next(sliding),
                               held=catching.get(row.name, row.held)) for row in events.rows)),
    )


def _derivatives_read(mechanism: Mechanism, laws: list) -> set[int]:
    """The numbers of the derivatives that laws read, themselves or through others; start conditions and results hold
    nothing."""
    found: set[int] = set()
    derivatives = {v.symbol.nz[i].element_hash(): k for k, v in enumerate(mechanism.variables)
                   if isinstance(v.of, ca.SX) for i in range(v.symbol.nnz())}
    waiting = [ca.SX(e) for e in laws]
    while waiting and derivatives:
        read = {derivatives.get(s.element_hash()) for s in ca.symvar(ca.veccat(ca.SX(0, 1), *waiting))}
        new = {k for k in read if k is not None} - found
        found |= new
        waiting = [mechanism.variables[k].of for k in new]
    return found


@dataclass
class _Node:
    """One value: its operation, the numbers of its operands, and for leaves what it is."""

    op: int
    operands: tuple[int, ...]
    leaf: ca.SX | None = None
    call: tuple | None = None  # (function, number of the result)


@dataclass
class _Replay:
    """`expressions` again, with comparisons replaced; the last `n_conditions` of them are conditions of events, the
    first belong to `owners`."""

    mechanism: Mechanism
    expressions: list[ca.SX]
    n_conditions: int
    owners: list[str]
    relations: list[Relation] = field(default_factory=list)
    results: list[ca.SX] = field(default_factory=list)
    edges: list[tuple] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.nodes: list[_Node] = []
        self._numbers: dict[tuple, int] = {}
        self.symbols = ca.symvar(ca.veccat(ca.SX(0, 1), *self.expressions))
        function = ca.Function("laws", self.symbols, [ca.densify(ca.vec(e)) for e in self.expressions])
        self.held: set[int] = set()
        if not self.n_conditions and not any(function.instruction_id(k) in HELD
                                             for k in range(function.n_instructions())):
            return
        self.outputs = outputs = self._read(function)
        first = len(outputs) - self.n_conditions
        self.continuous = self._varying()
        tops = {out[0] for out in outputs[first:] if self._is_edge(out[0])}
        self.held = self._reached([v for k, out in enumerate(outputs) for v in out if k < first or v not in tops], tops)
        if not self.held and not self.n_conditions:
            return
        values = self._rebuild()
        self.results = [ca.vertcat(ca.SX(0, 1), *[values[v] for v in out]) for out in outputs]
        for out in outputs[first:]:
            node = self.nodes[out[0]]
            simple = out[0] in tops and out[0] not in self.held
            self.edges.append((values[node.operands[0]] - values[node.operands[1]], HELD[node.op]) if simple
                              else (None, "lt"))

    # --- reading ---

    def _number(self, node: _Node, key: tuple) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.nodes)
            self.nodes.append(node)
        return self._numbers[key]

    def _read(self, f: ca.Function) -> list[list[int]]:
        """Value numbers of all results; equal operations are merged."""
        outputs = [[-1] * f.numel_out(i) for i in range(f.n_out())]
        slots: dict[int, int] = {}
        originals = None
        for k in range(f.n_instructions()):
            op, ins, outs = f.instruction_id(k), f.instruction_input(k), f.instruction_output(k)
            if op == ca.OP_INPUT:
                slots[outs[0]] = self._number(_Node(op, (), self.symbols[ins[0]]), (op, ins[0]))
            elif op == ca.OP_CONST:
                number = f.instruction_constant(k)
                slots[outs[0]] = self._number(_Node(op, (), ca.SX(number)), (op, float(number).hex()))
            elif op == ca.OP_OUTPUT:
                outputs[outs[0]][outs[1]] = slots[ins[0]]
            elif op == ca.OP_CALL:
                originals = f.instructions_sx() if originals is None else originals
                called = originals[k].which_function()
                operands = tuple(slots[i] for i in ins)
                for place, slot in enumerate(outs):
                    if slot >= 0:
                        slots[slot] = self._number(_Node(op, operands, call=(called, place)),
                                                   (op, called.name(), operands, place))
            else:
                operands = tuple(slots[i] for i in ins)
                slots[outs[0]] = self._number(_Node(op, operands), (op, operands))
        return outputs

    def _varying(self) -> list[bool]:
        """Which values may change between events."""
        m = self.mechanism
        steady = {s.nz[k].element_hash() for s in [n.symbol for n in (*m.discretes, *m.parameters)]
                  for k in range(s.nnz())}
        steady -= {update.symbol.element_hash() for update in m.events.updates}
        out: list[bool] = []
        for node in self.nodes:
            if node.op == ca.OP_INPUT:
                out.append(node.leaf.element_hash() not in steady)
            else:
                # a held value is steady itself
                out.append(node.op not in HELD and any(out[v] for v in node.operands))
        return out

    def _is_edge(self, v: int) -> bool:
        """A condition that is one comparison, and not of time alone (whose instant is known)."""
        node = self.nodes[v]
        return (node.op in (ca.OP_LT, ca.OP_LE) and any(self.continuous[i] for i in node.operands)
                and not self._only_time(node.operands))

    def _only_time(self, roots: Iterable[int]) -> bool:
        seen, stack = set(), list(roots)
        while stack:
            v = stack.pop()
            if v in seen:
                continue
            seen.add(v)
            node = self.nodes[v]
            if node.op == ca.OP_INPUT and self.continuous[v] and node.leaf.element_hash() != TIME.element_hash():
                return False
            stack += node.operands
        return True

    def _reached(self, roots: Iterable[int], tops: set[int]) -> set[int]:
        """Comparisons of varying values that results need, not under the mark of smooth_where."""
        held, seen = set(), set()
        stack = list(roots) + [i for v in tops for i in self.nodes[v].operands]
        while stack:
            v = stack.pop()
            if v < 0 or v in seen:
                continue
            seen.add(v)
            node = self.nodes[v]
            if self._is_mark(node):
                continue
            if node.op in HELD and any(self.continuous[i] for i in node.operands):
                held.add(v)
            stack += node.operands
        return held

    def _is_mark(self, node: _Node) -> bool:
        if node.op != ca.OP_NE:
            return False
        return any(self.nodes[v].op == ca.OP_CONST and float(self.nodes[v].leaf) == 0 for v in node.operands)

    # --- writing ---

    def _rebuild(self) -> list[ca.SX]:
        values: list[ca.SX] = []
        for v, node in enumerate(self.nodes):
            operands = [values[i] for i in node.operands]
            if node.leaf is not None:
                values.append(node.leaf)
            elif v in self.held:
                values.append(self._relation(v, operands).symbol)
            elif node.call is not None:
                values.append(_call(node.call[0], operands)[node.call[1]])
            elif len(operands) == 1:
                values.append(ca.SX.unary(node.op, operands[0]))
            else:
                values.append(ca.SX.binary(node.op, *operands))
        return values

    def _relation(self, v: int, operands: list[ca.SX]) -> Relation:
        node = self.nodes[v]
        kind = HELD[node.op]
        witness = operands[0] - operands[1] if len(operands) == 2 else operands[0]
        text = sentence(ca.SX.binary(node.op, *operands) if len(operands) == 2 else ca.SX.unary(node.op, operands[0]))
        if text.endswith(CUT) or " of " in text:
            # a component's own law, in words of the engine
            text = self._owner.get(v) or text
        taken = self._taken
        name = text if text not in taken else next(f"{text} #{k}" for k in range(2, 10**6)
                                                   if f"{text} #{k}" not in taken)
        taken.add(name)
        relation = Relation(name, kind, ca.SX.sym(name), witness, self._affine(node, witness))
        self.relations.append(relation)
        return relation

    @cached_property
    def _taken(self) -> set[str]:
        """Names that relations cannot have."""
        m = self.mechanism
        return {item.name for item in (*m.states, *m.unknowns, *m.discretes, *m.parameters)}

    @cached_property
    def _owner(self) -> dict[int, str]:
        """Whose law a value first appears in."""
        first: dict[int, str] = {}
        for owner, out in zip(self.owners, self.outputs, strict=False):
            stack = [v for v in out if v >= 0]
            while stack:
                v = stack.pop()
                if v not in first:
                    first[v] = owner
                    stack += self.nodes[v].operands
        return first

    def _affine(self, node: _Node, witness: ca.SX) -> tuple[ca.SX, ca.SX] | None:
        """(a, b) of witness = a t + b, where it depends on nothing else that varies."""
        if not self._only_time(node.operands):
            return None
        slope = ca.jacobian(witness, TIME)
        if not slope.nnz() or ca.depends_on(slope, TIME):
            return None
        others = [s for s in ca.symvar(witness) if s.element_hash() != TIME.element_hash()]
        offset = ca.Function("offset", [TIME, *others], [witness]).call([ca.SX(0), *others])[0]
        return ca.densify(slope), offset


def _call(function: ca.Function, operands: list[ca.SX]) -> list[ca.SX]:
    """Non-zeros of all results of a called function, from the non-zeros of its arguments."""
    arguments, start = [], 0
    for i in range(function.n_in()):
        pattern = function.sparsity_in(i)
        arguments.append(ca.SX(pattern, ca.vertcat(ca.SX(0, 1), *operands[start : start + pattern.nnz()])))
        start += pattern.nnz()
    return [result.nz[k] for result in function.call(arguments) for k in range(result.nnz())]
