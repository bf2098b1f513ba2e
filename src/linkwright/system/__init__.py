"""The compiled mechanism: System (stateless), State (values and what was computed from them), Stage.

`compile_mechanism` traces a mechanism and gives a System; machine code is made when a question needs it.  `programs`
lays out what the steppers call, `function` wraps code for people, `assembly` closes loops, `diagnose` names what is
wrong, `report` says what was made of the mechanism.

Files that are open as a whole: `closed_form`, `diagnose`, `event_programs`, `given_motions`, `least_norm`,
`least_squares`, `programs`, `tangents`, `uniqueness`.
"""

from ..codegen import CompiledProgram, Table
from .assembly import assemble, nearly_closed
from .crowd import Crowd, laws_of, laws_program, singles
from .directional import Directional
from .entries import check_entry, entries, entry_of, entry_of_array, split_entry
from .first_guesses import seek_unknowns
from .formulations import compile_mechanism
from .function import CompiledFunction, written_as
from .jumps import alone, proportional
from .layout import INPUTS, Layout
from .linearised import pencil_of
from .minimal_states import choose_given
from .numeric import array_function
from .point_code import PointCode
from .redundancy import poses
from .report import wrapped
from .report_details import count, impossible_bodies, some
from .residuals import Implicit
from .stage import Stage
from .state import State
from .system import STATE_PARTS, Origin, System
from .tolerances import CLOSED, ENFORCED, GIVEN, NOISE, RANK_TOLERANCE
from .transfer import transferred
from .unmoved_directions import across, open_across, refuse_gaps_across

__all__ = [
    "CLOSED", "ENFORCED", "GIVEN", "INPUTS", "NOISE", "RANK_TOLERANCE", "STATE_PARTS", "CompiledFunction",
    "CompiledProgram", "Crowd", "Directional", "Implicit", "Layout", "Origin", "PointCode", "Stage", "State",
    "System", "Table", "across", "alone", "array_function", "assemble", "check_entry", "choose_given",
    "closed_form", "compile_mechanism", "count", "diagnose", "entries", "entry_of", "entry_of_array",
    "event_programs", "given_motions", "impossible_bodies", "laws_of", "laws_program", "least_norm",
    "least_squares", "nearly_closed", "open_across", "pencil_of", "poses", "programs", "proportional",
    "refuse_gaps_across", "seek_unknowns", "singles", "some", "split_entry", "tangents", "transferred",
    "uniqueness", "wrapped", "written_as",
]
