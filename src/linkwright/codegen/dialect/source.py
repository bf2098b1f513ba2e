"""The syntax of a function: its tree, what its names mean, where each name is at home; and what is wrong with it."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
import weakref
from collections.abc import Iterator, Mapping
from typing import Any

from linkwright.errors import LinkwrightError


class NotInDialect(LinkwrightError):
    """A function uses something that the dialect does not have; says where, and what to write instead."""


_sources: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


class Source:
    """A function as it is written."""

    def __init__(self, f: Any):
        self.f, self.name, self.file = f, f.__name__, inspect.getsourcefile(f) or "?"
        try:
            lines, self.first_line = inspect.getsourcelines(f)
        except OSError as error:
            raise NotInDialect(f"the source of {f.__name__} cannot be read ({error}): functions of the dialect stand "
                               "in files.") from error
        self.lines = lines
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise NotInDialect(f"{self.file}:{self.first_line}: {self.name} is no function that begins with `def`.")
        self.tree = tree
        inside = dict(zip(f.__code__.co_freevars, (cell.cell_contents for cell in f.__closure__ or ()), strict=True))
        self.space: Mapping[str, Any] = {**f.__globals__, **inside}
        given = tree.args
        if given.vararg or given.kwarg or given.kwonlyargs or given.defaults or given.posonlyargs:
            raise self.wrong(tree, "arguments have defaults, stars or keywords", "a name and a type for each")
        self.parameters = given.args
        self.assigned = _assigned(tree)
        self.homes = Homes(self)
        self._refuse_loop_variables()

    def wrong(self, node: ast.AST, what: str, instead: str) -> NotInDialect:
        """The error of a place: what is not in the dialect, and what to write instead."""
        line = self.first_line + getattr(node, "lineno", 1) - 1
        return NotInDialect(f"{self.file}:{line}: in {self.name}: {what}. Instead: {instead}.")

    def line(self, node: ast.stmt) -> str:
        """The line that a statement begins with."""
        return self.lines[node.lineno - 1].strip()

    def _refuse_loop_variables(self) -> None:
        """A loop's variable is neither assigned in the loop nor used after it."""
        loops: dict[str, list[ast.For]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
                loops.setdefault(node.target.id, []).append(node)
        inside = {name: {id(n) for loop in some for n in ast.walk(loop)} for name, some in loops.items()}
        for name, some in loops.items():
            nested = [loop for loop in some for outer in some if loop is not outer and loop in ast.walk(outer)]
            if nested and name != "_":
                raise self.wrong(nested[0], f"a loop inside a loop has the same variable {name}", "another name")
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.Name) or node.id not in loops or node.id == "_":
                continue
            if id(node) not in inside[node.id]:
                raise self.wrong(node, f"the variable {node.id} of a loop is used outside it",
                                 "keep what is needed in a name of its own")
            if isinstance(node.ctx, ast.Store) and all(node is not loop.target for loop in loops[node.id]):
                raise self.wrong(node, f"the variable {node.id} of a loop is assigned in the loop",
                                 "use `while`, or another name")


def source_of(f: Any) -> Source:
    """The source of a function, read once."""
    if f not in _sources:
        _sources[f] = Source(f)
    return _sources[f]


def suites(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements in a statement."""
    for _, part in ast.iter_fields(node):
        if isinstance(part, list) and part and isinstance(part[0], ast.stmt):
            yield part


def _assigned(tree: ast.FunctionDef) -> dict[str, int]:
    """How often each name is assigned; arguments and variables of loops count twice."""
    count = dict.fromkeys((p.arg for p in tree.args.args), 2)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            count[node.id] = count.get(node.id, 0) + 1
        if isinstance(node, ast.AugAssign | ast.For) and isinstance(node.target, ast.Name):
            count[node.target.id] = count.get(node.target.id, 0) + 2
    return count


class Homes:
    """For every suite the names that belong to it: that occur nowhere outside, and that no round of a loop takes over.

    Where some lanes are off, a name that is at home in the suite need not be kept for them.
    """

    def __init__(self, source: Source):
        self._mentions: dict[int, set[str]] = {}
        self._of: dict[int, list[str]] = {}
        paths: dict[str, list[tuple[list[ast.stmt], bool]]] = {}
        self._see(source.tree.body, [], False, paths)
        for name, path in paths.items():
            while len(path) > 1 and path[-1][1] and not self._begins(path[-1][0], name):
                path = path[:-1]
            self._of.setdefault(id(path[-1][0]), []).append(name)
        self.home = {name: suite for suite, names in self._of.items() for name in names}

    def names(self, suite: list[ast.stmt]) -> list[str]:
        return self._of.get(id(suite), [])

    def _see(self, suite: list[ast.stmt], above: list, in_loop: bool, paths: dict) -> None:
        path = [*above, (suite, in_loop)]
        for statement in suite:
            inner = list(suites(statement))
            below = {id(n) for part in inner for s in part for n in ast.walk(s)}
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and id(node) not in below:
                    old = paths.get(node.id, path)
                    common = [a for a, b in zip(old, path, strict=False) if a[0] is b[0]]
                    paths[node.id] = common
            for part in inner:
                self._see(part, path, in_loop or isinstance(statement, ast.For | ast.While), paths)

    def _begins(self, suite: list[ast.stmt], name: str) -> bool:
        """Whether a suite gives the name its value before anything else is done with it."""
        for statement in suite:
            if name not in self._names(statement):
                continue
            if isinstance(statement, ast.Assign):
                targets = [t for target in statement.targets
                           for t in (target.elts if isinstance(target, ast.Tuple) else [target])]
                named = any(isinstance(t, ast.Name) and t.id == name for t in targets)
                return named and name not in self._names(statement.value)
            return isinstance(statement, ast.For) and getattr(statement.target, "id", "") == name \
                and name not in self._names(statement.iter)
        return False

    def _names(self, node: ast.AST) -> set[str]:
        if id(node) not in self._mentions:
            self._mentions[id(node)] = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        return self._mentions[id(node)]


@functools.cache
def _harmless_calls() -> frozenset[str]:
    return frozenset(("abs", "min", "max", "sqrt", "floor", "float", "bits", "from_bits"))


def harmless(node: ast.AST) -> bool:
    """Whether it may be computed though nobody needs it: it reads no memory and calls no function."""
    leaves = (ast.Subscript, ast.Attribute, ast.Return, ast.Break, ast.Continue, ast.For, ast.While, ast.If)
    return not any(isinstance(n, leaves) or isinstance(n, ast.Call)
                   and getattr(n.func, "id", "") not in _harmless_calls() for n in ast.walk(node))
