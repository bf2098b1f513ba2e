"""A small compiler: the part of C that our own run-time code is written in, to LLVM IR.

What a library needs around a model (interfaces, steps, events) is written once, in C: it travels as source, and is
compiled here where no C compiler is at hand.  Read in one pass, a function at a time, straight into IR; local variables
are memory at first, which LLVM's first pass turns into registers.

What there is: void, char, unsigned char, int, size_t (and int64_t, which is handed on only), double, pointers,
arrays of one dimension, structs by typedef, pointers to functions by typedef; `if`, `while`, `for`, `return`; `=`,
arithmetic, comparisons, logic, `?:`, `x++` and `x--`, casts.  Numbers of kinds as different as int and double are not
brought together.
`#define` names constants; other lines that begin with # are left out, from `#if` to its `#endif` with all between.
"""

from .functions import compile_c

__all__ = ["compile_c"]
