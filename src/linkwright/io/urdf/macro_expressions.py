"""What stands in ${…} of a macro file: arithmetic, comparisons, functions of `math`, lists and tables by name.

The expressions have Python's grammar.  They come from strangers, so they are read as a tree of which only these parts
are evaluated; nothing of Python itself can be reached.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from ..tolerances import LARGEST_POWER, LONGEST_TEXT

FUNCTIONS: dict[str, Any] = {
    **{name: getattr(math, name) for name in
       ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "hypot", "exp", "log", "log10", "radians",
        "degrees", "floor", "ceil", "fabs", "pow", "copysign", "fmod", "pi", "e", "inf", "tau")},
    "abs": abs, "min": min, "max": max, "round": round, "int": int, "float": float, "str": str, "bool": bool,
    "len": len, "sum": sum, "any": any, "all": all, "list": list, "dict": dict, "sorted": sorted,
    "True": True, "False": False, "None": None, "true": True, "false": False}
#: methods of texts and tables
METHODS = ("lower", "upper", "strip", "split", "replace", "startswith", "endswith", "get", "keys", "values", "items",
           "join")
BINARY: dict[type, Callable] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow}
UNARY: dict[type, Callable] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
COMPARED: dict[type, Callable] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
    ast.Is: operator.is_, ast.IsNot: operator.is_not}


def evaluate(text: str, names: Callable[[str], Any]) -> Any:
    """The value of an expression; `names` gives those of properties and raises LookupError for others.

    Raises ValueError with a sentence that says what is wrong with it.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
        return _value(tree.body, names)
    except ValueError:
        raise
    except SyntaxError:
        raise ValueError(f"{text!r} is no expression") from None
    except (LookupError, TypeError, ArithmeticError, AttributeError, RecursionError) as error:
        raise ValueError(f"{text!r}: {error}") from None


def _value(node: ast.expr, names: Callable[[str], Any]) -> Any:
    def of(inner: ast.expr) -> Any:
        return _value(inner, names)

    match node:
        case ast.Constant():
            return node.value
        case ast.Name(id=name):
            try:
                return names(name)
            except KeyError:
                if name in FUNCTIONS:
                    return FUNCTIONS[name]
                raise LookupError(f"there is no property {name!r}") from None
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            return _combined(type(op), of(left), of(right))
        case ast.UnaryOp(op=op, operand=inner) if type(op) in UNARY:
            return UNARY[type(op)](of(inner))
        case ast.BoolOp(op=op, values=values):
            result = of(values[0])
            for inner in values[1:]:
                if bool(result) == isinstance(op, ast.Or):
                    break
                result = of(inner)
            return result
        case ast.Compare(left=left, ops=ops, comparators=others):
            values = [of(left), *map(of, others)]
            return all(COMPARED[type(op)](a, b) for op, a, b in zip(ops, values[:-1], values[1:], strict=True))
        case ast.IfExp(test=test, body=body, orelse=other):
            return of(body) if of(test) else of(other)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [of(element) for element in elements]
        case ast.Dict(keys=keys, values=values):
            return {of(key): of(value) for key, value in zip(keys, values, strict=True) if key is not None}
        case ast.Subscript(value=table, slice=index) if not isinstance(index, ast.Slice):
            return of(table)[of(index)]
        case ast.Attribute(value=ast.Name(id="math"), attr=name) if name in FUNCTIONS:
            return FUNCTIONS[name]
        case ast.Attribute(value=table, attr=name):
            return _member(of(table), name)
        case ast.Call(func=function, args=given, keywords=[]):
            called = of(function)
            if not callable(called):
                raise TypeError(f"{ast.unparse(function)} is no function")
            return called(*map(of, given))
    raise ValueError(f"{ast.unparse(node)!r} is not allowed in an expression of a file")


def _combined(op: type, a: Any, b: Any) -> Any:
    if op is ast.Pow and (abs(a) > LARGEST_POWER or abs(b) > LARGEST_POWER):
        raise ArithmeticError("a power of numbers that large is not evaluated")
    if op is ast.Mult and any(isinstance(x, (str, list)) for x in (a, b)):
        raise ArithmeticError("a text or list is not multiplied")
    result = BINARY[op](a, b)
    if isinstance(result, (str, list)) and len(result) > LONGEST_TEXT:
        raise ArithmeticError(f"a text or list of more than {LONGEST_TEXT} entries")
    return result


def _member(value: Any, name: str) -> Any:
    """An entry of a table by its name, or one of the harmless methods of texts and tables."""
    if isinstance(value, Mapping) and name in value:
        return value[name]
    if name in METHODS and isinstance(value, (str, Mapping)):
        return getattr(value, name)
    raise LookupError(f"there is no {name!r} in {type(value).__name__}")


def literal(text: str) -> Any:
    """What a property's text is: a number, true or false where it reads like one, else the text."""
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] == stripped[-1] == "'":
        return stripped[1:-1]
    if "_" not in stripped:
        for kind in (int, float):
            try:
                return kind(stripped)
            except ValueError:
                continue
    return {"true": True, "false": False}.get(stripped.lower(), text)


def truth(value: Any) -> bool:
    """Whether a condition holds: true, false, or a whole number."""
    value = literal(value) if isinstance(value, str) else value
    if isinstance(value, (bool, int, float)):
        return bool(value)
    raise ValueError(f"a condition is true, false or a number; got {value!r}")
