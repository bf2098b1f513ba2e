"""What is said of a model whose shapes cannot touch: things fall through its floor, and somebody should know."""

from __future__ import annotations

from ..mechanism import WORLD
from ..system import System


def passing_through(system: System) -> list[str]:
    """A message where shapes stand on the ground and on what moves, and no two of them make a pair."""
    mechanism, events = system.mechanism, system.mechanism.events
    if events.encounters or events.contacts or events.pressed:
        return []
    on_ground, moving = [], []
    for name, placed in mechanism.shapes.items():
        (on_ground if mechanism.frames[placed.frame].body == WORLD else moving).append(name)
    if not on_ground or not moving:
        return []
    return [f"no contact: shapes on the ground ({_some(on_ground)}) and on what moves ({_some(moving)}) pass through "
            "one another, since no two of them make a pair. Let them touch by m.contacts(law=contact.Rigid(mu=…)), or "
            "by lw.read(file, contact=\"file\")"]


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
