"""What a run leaves behind: states over time, and every variable of the model by name.

`Result` computes variables from the stored states when they are asked for; `stored` holds results read from a file;
`tables` turns results into xarray and pandas and writes files; `plots` draws them, with the `units` that components
declare.
"""

from .result import Result
from .stored import load

__all__ = ["Result", "load"]
