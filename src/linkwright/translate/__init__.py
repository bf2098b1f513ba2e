"""From a model to a mechanism: flattening, rigid groups, the tree of joints, 1-D networks, cut loads, initial values.

`translate(model)` asks every component what it is made of (a `PartsList` collects the answers), merges what is rigid,
chooses roots and a tree, reduces 1-D networks to coordinates, and writes all laws in the engine's symbols.
"""

from .definitions import Definitions
from .gathering import contact_pairs
from .memories import controllers
from .starts import with_starts_of
from .translation import Translation, translate

__all__ = [
    "Definitions", "Translation", "contact_pairs", "controllers", "translate", "with_starts_of",
]
