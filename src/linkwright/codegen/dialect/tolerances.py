"""The numbers that decide how the dialect is compiled."""

from __future__ import annotations

#: Rounds up to which a loop over a constant range is written out, where nothing else is said: the three entries of a
#: vector and the four corners of a simplex.  Fewer, and tuples cannot be indexed by short loops; more makes long text.
WRITTEN_OUT = 4
#: The same for threads of a GPU, where only what is written out stays in registers.
WRITTEN_OUT_GPU = 16
#: How often a function is written at most until it is known what varies: each time at least one name, loop or result
#: is added.  Real functions take 2 to 4; what takes more is a defect of the compiler.
WRITTEN_AGAIN = 200
