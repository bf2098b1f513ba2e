"""Conditions of actions: expressions that become true at an instant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

from ..errors import ModelError
from ..mechanism import TIME, sentence
from .fields import Variable

if TYPE_CHECKING:
    from .component import Component

STEPS = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_AND, ca.OP_OR, ca.OP_NOT, ca.OP_IF_ELSE_ZERO, ca.OP_SIGN,
         ca.OP_FLOOR, ca.OP_CEIL}


def as_condition(owner: Component, condition: object) -> ca.SX:
    """A condition that can become true, or an error that says what to write."""
    if not isinstance(condition, ca.SX) or condition.numel() != 1:
        raise ModelError(f"{owner.path}: a condition is a comparison of variables such as m.rev.phi > 1, got "
                         f"{condition!r}.", owner)
    if not ca.symvar(condition):
        raise ModelError(f"{owner.path}: the condition {condition} never changes, no variable is in it; compare "
                         "variables, such as m.rev.phi > 1.", owner)
    nodes = _nodes(condition)
    for node in nodes:
        if node.op() in (ca.OP_EQ, ca.OP_NE) and _moves(owner, node):
            raise ModelError(f"{owner.path}: {sentence(condition)}: what moves is equal to something for no time, so "
                             "that this never becomes true; write > or < for the instant it gets there.", owner)
    if not any(node.op() in STEPS for node in nodes) and _moves(owner, condition):
        raise ModelError(f"{owner.path}: a condition is a comparison; write {condition} > 0 for the instant it "
                         "becomes positive.", owner)
    return condition


def _nodes(expression: ca.SX) -> list[ca.SX]:
    """All operations of an expression."""
    found, queue = {}, [expression]
    while queue:
        node = queue.pop()
        if not node.is_leaf() and node.element_hash() not in found:
            found[node.element_hash()] = node
            queue += [node.dep(k) for k in range(node.n_dep())]
    return list(found.values())


def _moves(owner: Component, expression: ca.SX) -> bool:
    """Whether an expression follows time or coordinates and speeds of components without a step."""
    if any(node.op() in STEPS for other in (expression.dep(k) for k in range(expression.n_dep()))
           for node in _nodes(other)):
        return False
    moving, top = {TIME.element_hash()}, owner
    while top._parent is not None:
        top = top._parent
    for component in top.leaves() if hasattr(top, "leaves") else ():
        fields = type(component).fields()
        for name, symbol in component._symbols.items():
            if isinstance(fields.get(name), Variable) and fields[name].initial:
                moving |= {symbol.nz[k].element_hash() for k in range(symbol.nnz())}
    return any(symbol.element_hash() in moving for symbol in ca.symvar(expression))
