"""Models as FMUs: other tools run them, through the Functional Mock-up Interface (https://fmi-standard.org).

`contents` says what an FMU holds (variables by name, programs), `model_text` writes that as C, `c/` is the C text
around it (steps, events, the interface), `model_description` is the file that tells a tool about it, `binaries`
compiles all that, `write` puts it into the archive.
"""

from .write import write_fmu

__all__ = ["write_fmu"]
