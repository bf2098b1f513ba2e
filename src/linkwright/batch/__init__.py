"""Many runs: what is swept, how it is sampled, where it runs, where it is kept.

`sweep` draws samples, hands runs to an executor chunk by chunk, and gathers rows into columns in memory or on disk; a
`Study` is the result.  A run that fails is a row with its status and message.
"""

from .distributions import choice, lognormal, normal, truncated, uniform
from .simulator import Simulator
from .study import Study
from .sweep import sweep

__all__ = [
    "Simulator", "Study", "choice", "lognormal", "normal", "sweep", "truncated", "uniform",
]
