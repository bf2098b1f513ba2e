"""The thresholds of this room, each with its unit, its reason, and what breaks on either side."""

from __future__ import annotations

# --- inputs given by a Python function, which become tables ---

#: Times of a run at which a function is called with numbers, to see whether its formula says the same; and how much,
#: of 1 + |value|, the two may differ: rounding.  Larger would take a table lookup inside for a formula.
FORMULA_TIMES, SAME_FORMULA = 17, 1e-12
#: Samples to begin with; pieces that miss the function are halved.
FIRST_SAMPLES = 33
#: Samples of one function at most; beyond them a message says that it is not represented.  Fewer leave out fast
#: functions, more take longer to look up than the function itself.
MOST_SAMPLES = 20_000
#: Equal intervals of the run with one look each, for what lies between samples: a pulse longer than two of them is
#: always seen.
PROBES = 20_000
#: Random times at which the finished table is compared with the function.
CHECKS = 2_000
#: Of the run: a jump becomes a ramp of this length.  Shorter ones cannot be told apart in time after long runs; longer
#: ones would be seen in results.
RAMP = 1e-9
#: Of the range of a table: a bend of this size (a change of slope times the interval) is a corner, where steps begin
#: anew.  Smaller stops at every sample of a smooth function; larger steps across corners and has to be repeated.
CORNER = 0.01
#: By which a table is made more accurate than the run, for every derivative that is taken of it.
PER_DERIVATIVE = 1e-2

# --- what is remembered ---

#: Structures of models whose code is kept for the next compilation of the same structure; each takes some megabytes.
MEMORY = 32
#: Of one structure: how often it is kept with other parameters as inputs, the latest.  One for the numbers it came with
#: first and one for all others are usual; with one alone, a model that comes back would run on other code than before.
VERSIONS = 4
