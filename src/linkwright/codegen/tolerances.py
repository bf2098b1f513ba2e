"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

Ranges in which the formulas of elementary functions hold stand with those formulas (`elementary`), and numbers of file
formats with their writers.
"""

from __future__ import annotations

# --- values ---

#: Relative: a step of Newton's method below this changes nothing any more; a few units in the last place.  Smaller
#: iterates for rounding, larger stops before the last digits.
STALL = 2.0**-50
#: Residual at which Newton's method has arrived, and its iterations, where a program does not say otherwise.
NEWTON_TOLERANCE, NEWTON_ITERATIONS = 1e-12, 20
#: Of the largest change of slope in a table: points where both neighbouring changes are less are flat, and have the
#: mean slope; their ratio would be rounding.
FLAT = 1e-9
#: In the unit of its argument: a root of the slope of a table's piece with a smaller imaginary part is real, and its
#: value an extremum.
REAL_ROOT = 1e-12

# --- bounds of expressions over an interval ---

#: No bound at all; powers of it are still numbers.
ANYTHING = 1e100
#: Arguments of logarithms and of exponentials beyond these are cut there, so that bounds stay numbers.
LEAST_LOG, GREATEST_EXP = 1e-100, 200
#: Exponents from which on a power is a steep function, with features short against the motion of its argument.
STEEP = 8
#: Cells of each piece of a table over which bounds are taken.  More are tighter, and longer to look up.
CELLS = 4

# --- how code is compiled ---

#: Instructions up to which LLVM optimises code, in 0.4 to 1 s; longer code is made quickly instead, and runs slower.
OPTIMISED = 12_000
#: Instructions of a function into which long code is cut, and up to which code stays in one: LLVM's time grows faster
#: than linearly with the length of a function; shorter ones pass more values through memory.
CHUNK, WHOLE = 500, 2000
#: LLVM's count of what a function costs, up to which it is written out where it is called.
INLINED = 50
#: Instructions up to which code is always given a new order, and above which never, as that takes time; in between
#: where the longest chain has more cycles per instruction than SERIAL, so that the processor would wait.
REORDERED, NEVER_REORDERED, SERIAL = 2000, 12_000, 0.4
#: Instructions that may be moved ahead of the first one not yet done.  More hide longer waits, and need more registers.
WINDOW = 1500
#: Operations that may make a condition of inputs for code to be switched by it, as `not closed`; more take longer than
#: what they switch.
SIMPLE_CONDITION = 4
#: Instructions that are worth a branch: fewer take no longer than the branch and the values that go through memory.
WORTH_A_BRANCH = 16
#: Sines that a thread of a GPU takes at once, and sines from which on a loop over them is worth it.
TURNED_TOGETHER, SINES_IN_LOOP = 4, 4

#: Rows of a search that are scored together at least: where registers hold one number, independent ones still fill the
#: pipeline.  More need more registers than there are.
ROWS_TOGETHER = 4

# --- repetitions that become loops ---

#: Repetitions that are worth a loop: of a chain to be looked at, and of a loop to be written.
CHAIN, LOOP = 4, 3
#: Operations below two values that are compared to tell which operand is which.
DEPTH = 2
#: Of the length of the code: a rolled form that is not shorter than this is not taken.
SHORTER = 0.7
#: Accesses that a value costs which a later loop reads: written and read, or read only; and what must not be cut.
KEPT, GIVEN, FOREVER = 2, 1, 1_000_000

# --- memory ---

#: Bytes of object code kept on disk; what was unused longest is removed beyond.  It is looked at only once in so many
#: new entries, since looking takes a while where there are thousands.
CACHE_LIMIT, CACHE_LOOKED_AT = 512 * 2**20, 64
#: Bytes of stack of a WebAssembly module.
WASM_STACK = 1 << 16

# --- how the dialect is compiled ---

#: Rounds up to which a loop over a constant range is written out, where nothing else is said: the three entries of a
#: vector and the four corners of a simplex.  Fewer, and tuples cannot be indexed by short loops; more makes long text.
WRITTEN_OUT = 4
#: The same for threads of a GPU, where only what is written out stays in registers.
WRITTEN_OUT_GPU = 16
#: How often a function is written at most until it is known what varies: each time at least one name, loop or result
#: is added.  Real functions take 2 to 4; what takes more is a defect of the compiler.
WRITTEN_AGAIN = 200
#: Degree of the pieces from which on a table stands for a smooth curve, whose knots are no features of it.  Tables of
#: measured points are of degree three at most.
SMOOTH_DEGREE = 5
