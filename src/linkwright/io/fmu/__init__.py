"""Models as FMUs: other tools run them, through the Functional Mock-up Interface (https://fmi-standard.org).

`contents` says what an FMU holds (variables by name, programs), `model_text` writes that as C, `c/` is the C text
around it (steps, events, the interface), `model_description` is the file that tells a tool about it, `binaries`
compiles all that, `write` puts it into the archive; `load` runs it here.
"""

from .load import LoadedFmu, this_machine
from .write import write_fmu

__all__ = ["LoadedFmu", "this_machine", "write_fmu"]
