"""How CasADi's operations are called in LLVM IR and among our elementary functions."""

from __future__ import annotations

import casadi as ca

BINARY = {ca.OP_ADD: "fadd", ca.OP_SUB: "fsub", ca.OP_MUL: "fmul", ca.OP_DIV: "fdiv"}
COMPARE = {ca.OP_LT: "olt", ca.OP_LE: "ole", ca.OP_EQ: "oeq", ca.OP_NE: "une"}
INTRINSIC = {ca.OP_SQRT: "sqrt", ca.OP_FABS: "fabs", ca.OP_FLOOR: "floor", ca.OP_CEIL: "ceil"}
ELEMENTARY = {
    ca.OP_TAN: "tan",
    ca.OP_ASIN: "asin",
    ca.OP_ACOS: "acos",
    ca.OP_ATAN: "atan",
    ca.OP_EXP: "exp",
    ca.OP_LOG: "log",
    ca.OP_SINH: "sinh",
    ca.OP_COSH: "cosh",
    ca.OP_TANH: "tanh",
    ca.OP_ASINH: "asinh",
    ca.OP_ACOSH: "acosh",
    ca.OP_ATANH: "atanh",
    ca.OP_EXPM1: "expm1",
    ca.OP_LOG1P: "log1p",
    ca.OP_ERF: "erf",
    ca.OP_ATAN2: "atan2",
    ca.OP_POW: "pow",
    ca.OP_CONSTPOW: "pow",
    ca.OP_HYPOT: "hypot",
    ca.OP_FMOD: "fmod",
    ca.OP_REMAINDER: "remainder",
}
TRUTH = frozenset((*COMPARE, ca.OP_AND, ca.OP_OR, ca.OP_NOT))
