"""Which mobility of which joint a variable in an expression is."""

from __future__ import annotations

import casadi as ca

from ..errors import ModelError
from ..language import Component, Joint, owned


def mobility_of(reader: Component, symbol: ca.SX) -> tuple[Joint, int]:
    """(joint, mobility) of a coordinate; what is none is refused in the name of the component that reads it."""
    owner = owned(symbol.element_hash())
    joint = None if owner is None else owner.owner
    if isinstance(joint, Joint):
        names = [own[0] for own in joint.coordinates()]
        if owner.name in names:
            return joint, names.index(owner.name)
        if owner.name == "q" and joint.q_size == joint.dof:
            return joint, next(k for k in range(owner.symbol.numel()) if ca.is_equal(owner.symbol[k], symbol))
    raise ModelError(f"{reader.path}: {symbol.name()} is no coordinate of a joint whose rate is a speed; give one such "
                     "as m.knee.phi.", reader)
