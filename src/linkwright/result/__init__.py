"""What a run leaves behind: states over time, and every variable of the model by name.

`Result` computes variables from the stored states when they are asked for; `stored` holds results read from a file;
`datasets` turns results into xarray and pandas and writes files; `plots` draws them, with the `units` that components
declare.
"""

from .event_table import ContactRow, EventRow, EventTable
from .plots import subplots
from .printed_tables import Table
from .result import EXTRA, At, Result, Series, Trajectory
from .stored import load
from .time_tables import TIMES, TimeTable, as_table, read_table
from .times import as_times
from .units import unit_of, written

__all__ = [
    "EXTRA", "TIMES", "At", "ContactRow", "EventRow", "EventTable", "Result", "Series", "Table", "TimeTable",
    "Trajectory", "as_table", "as_times", "load", "read_table", "subplots", "unit_of", "written",
]
