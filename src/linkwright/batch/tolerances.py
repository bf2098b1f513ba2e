"""The thresholds of this room, each with its unit, its reason, and what breaks on either side."""

from __future__ import annotations

# --- distributions ---

#: Probability between two limits below which no sample can be drawn there: the inverse of the distribution has no more
#: digits.
NO_PROBABILITY = 1e-12

# --- sizes ---

#: Runs that are handed out together.  Fewer, and handing out takes longer than running; more, and progress comes late.
CHUNK = 256
#: Chunks handed out per worker before the first has ended.  One leaves workers idle; more hold results in memory.
AHEAD = 4
#: Numbers of states and variables that are looked at together: 128 MiB.
NUMBERS = 2**24
#: Seconds between two writings of a NetCDF file, which is written whole each time.
PAUSE = 10.0
