"""Machine code from programs: straight-line code, Newton loops, dense solves, tables, loops over rows, through LLVM.

A `Program` is a list of segments over named vectors; `compile_program` turns it into functions in memory, for one
instance or for W lanes at once, with the same bits in every tier and width.  Knows nothing of mechanisms: imports
CasADi (the source language), NumPy, llvmlite and `linkwright.errors` only.
"""

from linkwright.codegen.active_equations import is_closed, solve_closed, sum_in_force
from linkwright.codegen.at_once import AT_ONCE, all_there
from linkwright.codegen.best_row import Least, is_least, least_of
from linkwright.codegen.cache import Entry, clear_cache, offer, recorded
from linkwright.codegen.callable import function_address
from linkwright.codegen.columns import ColumnsProgram, Shape
from linkwright.codegen.compile import CompiledProgram, compile_program
from linkwright.codegen.compiled_text import CompiledText
from linkwright.codegen.elementary.values import Value, Writer, floor, magnitude, square_root, where
from linkwright.codegen.instructions import count_instructions, expanded_call, operation_name
from linkwright.codegen.linked import Linked, LinkedText, link_text, single_module
from linkwright.codegen.loops import Loop, is_loop, loop_of
from linkwright.codegen.machine import llvm_version, native_lanes, optimised_text
from linkwright.codegen.piece import NEAR_STRIDE
from linkwright.codegen.program import Newton, Program, Segment, Solve, Straight
from linkwright.codegen.ptx import ptx_code
from linkwright.codegen.register_plan import Room
from linkwright.codegen.routines import Routine, calls_routine, calls_routines, refuse_routines
from linkwright.codegen.tables import Table
from linkwright.codegen.wasm import WasmModule, wasm_module
from linkwright.codegen.written import Written

from .c_subset import compile_c
from .exact import cosine, inverse
from .intervals import Enclosure, enclose, short_features
from .libraries import TARGETS, Target, shared_libraries
from .program import vector_sizes
from .surfaces import Surface, is_surface, surface_data, surface_order
from .tables import is_table, piecewise, table_data, table_degree
from .tolerances import OPTIMISED

__all__ = [
    "AT_ONCE", "ColumnsProgram", "CompiledProgram", "CompiledText", "Enclosure", "Entry", "Least", "Linked",
    "LinkedText", "Loop", "NEAR_STRIDE", "Newton", "OPTIMISED", "Program", "Room", "Routine", "Segment", "Shape",
    "Solve", "Straight", "Surface", "TARGETS", "Table", "Target", "Value", "WasmModule", "Writer", "Written",
    "all_there", "calls_routine", "calls_routines", "clear_cache", "compile_c", "compile_program", "cosine",
    "count_instructions", "enclose", "expanded_call", "floor", "function_address", "inverse", "is_closed", "is_least",
    "is_loop", "is_surface", "is_table", "least_of", "link_text", "llvm_version", "loop_of", "magnitude",
    "native_lanes", "offer", "operation_name", "optimised_text", "piecewise", "ptx_code", "recorded", "refuse_routines",
    "shared_libraries", "short_features", "single_module", "solve_closed", "square_root", "sum_in_force",
    "surface_data", "surface_order", "table_data", "table_degree", "vector_sizes", "wasm_module", "where",
]
