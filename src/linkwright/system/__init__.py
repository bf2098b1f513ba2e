"""The compiled mechanism: System (stateless), State (values and what was computed from them), Stage.

`compile_mechanism` traces a mechanism and gives a System; machine code is made when a question needs it.  `programs`
lays out what the steppers call, `function` wraps code for people, `assembly` closes loops, `diagnose` names what is
wrong, `report` says what was made of the mechanism.
"""

from ..codegen import CompiledProgram, Table
from .assembly import assemble
from .function import CompiledFunction
from .stage import Stage
from .state import State
from .system import Origin, System, compile_mechanism

__all__ = [
    "CompiledFunction", "CompiledProgram", "Origin", "Stage", "State", "System", "Table", "assemble",
    "compile_mechanism",
]
