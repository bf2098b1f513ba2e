"""What models are made of: components with fields and connectors, formulas, models, actions, given motions.

A component declares parameters, variables and signals (`fields`), makes connectors, tells the translation what it is
made of (`describe`) and how its variables follow from others (`definitions`).  The library builds on nothing else.

Vocabularies that are open as whole files: `fields`, `ranges`, `given_values`, `expressions`, `symbolic`,
`one_dimensional`, `planar_frame`, `planar_world`, `looks`, `world_sizes`, `reads`, and `parts_list_entries`, the
records in which components tell what they are.
"""

from .actions import Action
from .component import Component, Connector, UnknownAttribute, parameter_value
from .connectors import Frame, HeatPort, RotationalFlange, TranslationalFlange
from .constraint import Conditional, Constraint, Relative, across
from .directions import axis_sequence, unit_axis
from .fields import free, guess, parameter
from .formulas import Formula, numbers
from .given_motions import Given, Lock
from .joint import Joint
from .model import Model
from .other_names import members
from .own_laws import Bound, call_law
from .parts_list import PartsList
from .pickling import packed, unpacked
from .power import power_into, power_into_model
from .records import record
from .signals import Block, announce, block_of, claim
from .smoothness import LEVELS, refuse_impulses, refuse_jumps, set_at_events, set_by_actions
from .symbol_owners import Owned, elements, make_symbol, owned
from .wanted_contacts import Wanted
from .world import World

__all__ = [
    "LEVELS", "Action", "Block", "Bound", "Component", "Conditional", "Connector", "Constraint", "Formula", "Frame",
    "Given", "HeatPort", "Joint", "Lock", "Model", "Owned", "PartsList", "Relative", "RotationalFlange",
    "TranslationalFlange", "UnknownAttribute", "Wanted", "World", "across", "announce", "axis_sequence", "block_of",
    "call_law", "claim", "elements", "expressions", "fields", "free", "given_values", "guess", "looks", "make_symbol",
    "members", "numbers", "one_dimensional", "owned", "packed", "parameter", "parameter_value", "parts_list_entries",
    "planar_frame", "planar_world", "power_into", "power_into_model", "ranges", "reads", "record", "refuse_impulses",
    "refuse_jumps", "set_at_events", "set_by_actions", "symbolic", "unit_axis", "unpacked", "world_sizes",
]
