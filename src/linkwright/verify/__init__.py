"""One model on every route: does `simulate` say the same as lanes, GPUs, executors, FMUs, C, pages and other files?

`verify` runs a model on each `Route` and compares the motions, bit by bit or to the accuracy of the run; a `Report` is
the table.  One file holds a group of routes.
"""

from .report import Report, Row
from .verify import verify

__all__ = ["Report", "Row", "verify"]
