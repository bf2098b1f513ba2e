"""Statements of the dialect: assignments, branches, loops, and the ways out of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from . import words
from .arithmetic import arithmetic, binary, choose, number, to, wide
from .entry_by_entry import at_once
from .expressions import expression, outside, place
from .memory import load, store_all, sub
from .source import harmless
from .values import ZERO, Array, Entries, Value, constant, described, flat, is_tuple
from .writer import Round, Writer

INSTEAD = {ast.Raise: "return a status", ast.Assert: "a status, or a test in Python", ast.Try: "a status",
           ast.With: "plain statements", ast.FunctionDef: "a function of the module", ast.Import: "an import above",
           ast.Delete: "nothing: memory is that of the function", ast.Global: "arguments and results",
           ast.Match: "if and elif"}


def suite(w: Writer, body: list[ast.stmt]) -> bool:
    """Statements one after another; lanes that leave on the way are off for those that follow.

    Whether none goes on behind them: what follows where all have left is not written.
    """
    left = False
    w.suites.append(id(body))
    for name in w.source.homes.names(body):
        w.home_depth[name] = w.depth
    for statement in body:
        drops = w.drops
        handler = HANDLERS.get(type(statement))
        if handler is None:
            raise w.wrong(f"`{type(statement).__name__.lower()}` is no statement of the dialect",
                          INSTEAD.get(type(statement), "assignments, if, for, while, return, break, continue"),
                          statement)
        w.node = statement
        if w.module.commented:
            w.line(f"; {w.source.line(statement)}")
        left = bool(handler(w, statement))
        if left:
            break
        if w.drops != drops:
            live = next((loop.now for loop in reversed(w.loops) if loop.now), w.live)
            if live:
                w.mask = w.both(w.mask, w.new("truth", True, f"load <{w.W} x i1>, ptr {live}").name)
    w.suites.pop()
    return left


def _pass(w: Writer, node: ast.Pass) -> None:
    pass


def _expression(w: Writer, node: ast.Expr) -> None:
    if isinstance(node.value, ast.Call):
        expression(w, node.value)
    elif not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
        raise w.wrong("an expression whose value nobody uses", "an assignment, or nothing")


def _assign(w: Writer, node: ast.Assign) -> None:
    value = expression(w, node.value)
    if isinstance(value, Entries) and len(node.targets) > 1:
        raise w.wrong(f"{described(value)} goes into several arrays at once", "one statement for each of them")
    for target in node.targets:
        _put(w, target, value, node)


def _annotated(w: Writer, node: ast.AnnAssign) -> None:
    if node.value is None:
        raise w.wrong("a name is declared without a value", "give it one")
    _put(w, node.target, expression(w, node.value), node)


def _put(w: Writer, target: ast.AST, value: Any, node: ast.AST) -> None:
    w.node = node
    if isinstance(target, ast.Tuple):
        if isinstance(value, Array) and value.shape and value.shape[0].const == len(target.elts):
            value = tuple(expression_of_entry(w, value, k) for k in range(len(target.elts)))
        if not is_tuple(value) or len(value) != len(target.elts) or any(isinstance(v, Entries) for v in value):
            raise w.wrong(f"{described(value)} goes into {len(target.elts)} names", "as many values as names")
        for t, v in zip(target.elts, value, strict=True):
            _put(w, t, v, node)
    elif isinstance(target, ast.Name):
        w.assign(target.id, value)
    else:
        where = place(w, target)
        w.node = node
        if not isinstance(where, Array):
            raise w.wrong(f"{described(where)} is assigned to", "a name, a field or an entry of an array")
        store_all(w, where, value)


def expression_of_entry(w: Writer, array: Array, k: int) -> Any:
    """Entry k of an array, as an expression has it."""
    entry = sub(w, array, constant(k))
    return load(w, entry) if not entry.shape else entry


def _augmented(w: Writer, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Name):
        old = expression(w, ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
        w.assign(node.target.id, arithmetic(w, node.op, old, expression(w, node.value)))
        return
    where = place(w, node.target)
    if not isinstance(where, Array):
        raise w.wrong(f"{described(where)} is changed", "a number, or entries of an array", node)
    old = w.fetched.get(ast.unparse(node.target)) if w.fetched else None
    old = old or (where if where.shape else load(w, where))
    value = arithmetic(w, node.op, old, expression(w, node.value))
    w.node = node
    store_all(w, where, value)


def _if(w: Writer, node: ast.If) -> bool:
    c = to(w, "truth", expression(w, node.test))
    if c.const is not None:
        return suite(w, node.body if c.const else node.orelse)
    simple = c.varying and all(harmless(s) and isinstance(s, ast.Assign | ast.AugAssign)
                               for s in node.body + node.orelse)
    w.branches(c, lambda: suite(w, node.body), (lambda: suite(w, node.orelse)) if node.orelse else None, simple)
    return False


def _for(w: Writer, node: ast.For) -> None:
    if isinstance(node.iter, ast.Tuple) and isinstance(node.target, ast.Name) and not node.orelse:
        _written_out(w, node, [_known(w, part) for part in node.iter.elts])
        return
    over = outside(w, node.iter.func) if isinstance(node.iter, ast.Call) else None
    if node.orelse or not isinstance(node.target, ast.Name) or over not in (range, words.independent):
        raise w.wrong("`for` runs over something else than a range", "for k in range(first, last, step)", node)
    values = [to(w, "whole", expression(w, a)) for a in node.iter.args]
    start, stop = (ZERO, values[0]) if len(values) == 1 else values[:2]
    step, name = values[2].const if len(values) == 3 else 1, node.target.id
    if name == "_":  # nobody reads it, and loops inside this one may have it too
        name = f"_ {node.lineno}.{node.col_offset}"
    if not step:
        raise w.wrong("the step of a range is not known when code is made", "1, −1, or another number", node)
    if start.const is not None and stop.const is not None and node not in w.varying_loops and (
            len(range(start.const, stop.const, step)) <= w.module.unroll):
        _written_out(w, node, [constant(k) for k in range(start.const, stop.const, step)])
        return
    if over is words.independent and w.module.together > 1 and stop.const is not None:
        _together(w, node, stop.const)
        return
    w.home_depth[name] = w.depth

    def index() -> Value:
        return w.read(name)

    w.assign(name, start)
    _rounds(w, node, lambda: binary(w, "lt" if step > 0 else "gt", index(), stop), node.body,
            lambda: w.assign(name, binary(w, "add", index(), constant(step))))


def _known(w: Writer, node: ast.AST) -> Value:
    """A value of a loop over a tuple."""
    value = expression(w, node)
    if not isinstance(value, Value) or value.const is None:
        raise w.wrong("a loop over a tuple whose entries are not known when code is made", "constants", node)
    return value


def _written_out(w: Writer, node: ast.For, rounds: list[Value]) -> None:
    """A short loop, round by round; where lanes leave it one by one, those that are left go on."""
    after, name = w.fresh("after"), node.target.id
    before, mask, varying, kind = w.bound.get(name), w.mask, node in w.varying_loops, f"<{w.W} x i1>"
    live, now = (w.memory(kind), w.memory(kind)) if varying else ("", "")
    if varying:
        w.line(f"store {kind} {w.mask_name()}, ptr {live}")
    for k in rounds:
        w.bound[name] = k
        following = w.fresh("next")
        if varying:
            w.mask = w.new("truth", True, f"load {kind}, ptr {live}").name
            w.line(f"store {kind} {w.mask}, ptr {now}")
            inside = w.fresh("inside")
            w.branch(Value("truth", w.any(w.mask)), inside, following)
            w.label(inside)
        w.depth += varying
        w.loops.append(Round(node, w.depth, following, after, live, now))
        kept = dict(w.bound)
        suite(w, node.body)
        w.bound = kept
        w.loops.pop()
        w.depth -= varying
        w.begin_block(following)
        w.mask = mask
    w.begin_block(after)
    if before is None:
        w.bound.pop(name, None)
    else:
        w.bound[name] = before


def _together(w: Writer, node: ast.For, count: int) -> None:
    """Independent rounds, several at once: what they read is asked for together, and is there before they begin."""
    name, places = node.target.id, {
        ast.unparse(part): part for statement in node.body for part in _read(statement)
        if any(isinstance(leaf, ast.Name) and leaf.id == node.target.id for leaf in ast.walk(part))}

    def read(k: Value) -> dict[str, Value]:
        w.bound[name] = k
        return {text: expression(w, part) for text, part in places.items()}

    def go(k: Value, there: dict[str, Value]) -> None:
        w.bound[name], w.fetched = k, there
        suite(w, node.body)
        w.fetched = {}

    at_once(w, count, len(places), read, go)
    del w.bound[name]


def _read(statement: ast.stmt) -> list[ast.expr]:
    """The entries of arrays that a statement reads."""
    if isinstance(statement, ast.AugAssign):
        added = [statement.target] if isinstance(statement.target, ast.Subscript) else []
        return [*added, *(part for part in ast.walk(statement.value) if isinstance(part, ast.Subscript))]
    return [part for part in ast.walk(statement) if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load)]


def _while(w: Writer, node: ast.While) -> None:
    if node.orelse:
        raise w.wrong("`while` has an `else`", "a truth value that says how the loop ended", node)
    _rounds(w, node, lambda: to(w, "truth", expression(w, node.test)), node.body, lambda: None)


def _rounds(w: Writer, node: ast.AST, condition: Callable[[], Value], body: list[ast.stmt],
            advance: Callable[[], None]) -> None:
    """A loop; where lanes leave it one by one, those that are left go on until none is."""
    mask, varying = w.mask, node in w.varying_loops
    head, inside, following, after = (w.fresh(word) for word in ("head", "inside", "next", "after"))
    kind = f"<{w.W} x i1>"
    loop = Round(node, w.depth + varying, following, after)
    if varying:
        loop.live, loop.now = w.memory(kind), w.memory(kind)
        w.line(f"store {kind} {w.mask_name()}, ptr {loop.live}")
    w.begin_block(head)
    if varying:
        w.mask = w.new("truth", True, f"load {kind}, ptr {loop.live}").name
    c = condition()
    if c.varying and not varying:
        w.varying_loops.add(node)
        w.again, c = True, constant(False)
    live, going = "", c
    if varying:
        live = w.both(w.mask, c.name) if c.varying else w.mask
        w.line(f"store {kind} {live}, ptr {loop.live}")
        going = Value("truth", w.any(live))
        going = going if c.varying or c.const else binary(w, "and", c, going)
    w.branch(going, inside, after)
    w.label(inside)
    if varying:
        w.mask = live
        w.line(f"store {kind} {live}, ptr {loop.now}")
    w.depth += varying
    w.loops.append(loop)
    suite(w, body)
    w.loops.pop()
    w.depth -= varying
    w.begin_block(following)
    w.mask = mask
    advance()
    w.jump(head)
    w.label(after)
    w.mask = mask


def _leave(w: Writer, node: ast.AST) -> bool:
    """`break` and `continue`: all lanes together, or those that are on."""
    loop, breaks = w.loops[-1], isinstance(node, ast.Break)
    if w.depth == loop.depth and not loop.dropped:
        w.leave_block(loop.after if breaks else loop.next)
    elif loop.node not in w.varying_loops:
        w.varying_loops.add(loop.node)
        w.again = True
    else:
        loop.dropped = True
        w.drop([loop.now] + [loop.live] * breaks)
    return True


def _return(w: Writer, node: ast.Return) -> bool:
    value = () if node.value is None else expression(w, node.value)
    w.node = node
    values, kinds = flat(value), w.module.result_kinds(w.source)
    if len(values) != len(kinds):
        raise w.wrong(f"{len(values)} results, where {len(kinds)} are annotated", "what the annotation says")
    together = w.depth == 0 and not any(loop.dropped for loop in w.loops)
    masked = not together or w.drops > 0
    for k, (v, kind) in enumerate(zip(values, kinds, strict=True)):
        v = number(w, v)
        if (v.varying or masked) and k not in w.varying_results and w.W > 1:
            w.varying_results.add(k)
            w.again = True
        varying = k in w.varying_results
        if v.kind == "real" and kind != "real":
            raise w.wrong("a real number is returned as a whole one", "int(x), or another annotation")
        v, t = wide(w, to(w, kind, v), varying), w.type(kind, varying)
        slot = w.slot(f"return {k}", t)
        if masked and varying:
            old = w.new(kind, True, f"load {t}, ptr {slot}")
            v = choose(w, Value("truth", w.mask_name(), True), v, old)
        w.line(f"store {t} {v.name}, ptr {slot}")
    if together:
        w.leave_block("exit")
    elif not w.varying_return or any(loop.node not in w.varying_loops for loop in w.loops):
        w.varying_return = w.again = True
        w.varying_loops.update(loop.node for loop in w.loops)
    else:
        for loop in w.loops:
            loop.dropped = True
        w.drop([w.live, *(m for loop in w.loops for m in (loop.live, loop.now))])
    return True


HANDLERS: dict[type, Callable[[Writer, Any], Any]] = {
    ast.Pass: _pass, ast.Expr: _expression, ast.Assign: _assign, ast.AnnAssign: _annotated, ast.AugAssign: _augmented,
    ast.If: _if, ast.For: _for, ast.While: _while, ast.Break: _leave, ast.Continue: _leave, ast.Return: _return}
