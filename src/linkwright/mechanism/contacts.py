"""Points at which two rigid bodies can touch."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca


@dataclass(frozen=True, eq=False)
class Contact:
    """One point of contact of a pair: `gap` ≥ 0, with Coulomb friction along `slip`.

    `normal` and `tangent` are the names of the constraints that hold while it presses (`closed`) and sticks (`stuck`);
    without friction there is no tangent.  While it slides the loads of the mechanism carry −mu f_n e, e the direction
    of the slip, or where it is not `armed` the `direction` that was last; below the speed `slow` it is not armed.
    `share` is added to the multipliers where they are not unique, so that they lie in the cone.

    Where it is the same point of a body that touches all along (a corner), `place` says where on the other, and
    sticking holds it at the `anchor`; else (rolling) there is nothing but a slip of zero.
    """

    name: str
    pair: str
    point: int
    gap: ca.SX
    slip: ca.SX
    normal: str
    tangent: str | None
    mu: ca.SX
    mu_s: ca.SX
    restitution: ca.SX
    capture: ca.SX
    newton: bool
    closed: ca.SX
    stuck: ca.SX
    armed: ca.SX
    direction: ca.SX
    share: ca.SX
    slow: ca.SX
    place: ca.SX | None = None
    anchor: ca.SX | None = None
