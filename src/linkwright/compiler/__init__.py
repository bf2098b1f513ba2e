"""From a model to a system: translate, trace, generate; what changed since the last time; inputs over time.

`system_of` is the single place where a study's argument (a System, a Mechanism, a Model) becomes a System.
"""

from .compiled import translation_of
from .system_of import beginning, system_of

__all__ = ["beginning", "system_of", "translation_of"]
