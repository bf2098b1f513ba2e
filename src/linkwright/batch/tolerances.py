"""The thresholds of this room, each with its unit, its reason, and what breaks on either side."""

from __future__ import annotations

# where Newton's method ends: as in the ordinary start, so that both give the same positions
from ..start import CONVERGED  # noqa: F401

# --- starts of many runs at once ---

#: Newton steps, all runs together; a run that needs more is left to the ordinary start, which has other means.
NEWTON_STEPS = 12
#: m, rad: a run that begins further from the start of the model may lie on another branch, and is left to the ordinary
#: start.  Smaller leaves it nearly all runs, which takes a thousand times as long; larger may change a branch.
FAR = 0.3
#: m or rad per unit of motion: singular value of the conditions below which they leave something open, and the
#: ordinary start decides.  Smaller divides by it and moves parts by metres for rounding.
LEAVES_OPEN = 1e-6
#: Residual (m, rad, …) below which a condition holds at the start of the model; above the 1e-11 that the ordinary start
#: leaves, below anything that a guess misses by.
HOLDS = 1e-9

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
