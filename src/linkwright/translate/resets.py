"""What `m.when` sets of a body that floats freely, or of a free or spherical joint, in the numbers of the state.

Position, velocity, orientation and angular velocity of a frame are functions of the coordinates and speeds of the joint
that carries it; to set some of them is to set all numbers of that joint, so that what is not named stays as it was:

    X_FM⁺ = X_PF⁻¹ X⁺ X_BQ⁻¹,   ω_M⁺ = R_BQ ω⁺,   v_M⁺ = R_FM⁺ᵀ R_PFᵀ v⁺ − ω_M⁺ × p_BQ

X⁺ the pose of the frame Q, v⁺ its velocity in the axes of what it moves against, ω⁺ its angular velocity in its own.
Of an orientation that is set anew, v and ω (in the frame's own axes) stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca
import numpy as np

from ..algebra import Transform, cross, rotation_from_angles, rotation_from_quaternion
from ..language import Component, owned
from ..mechanism import WORLD
from ..mechanism.kinds import Free, Spherical
from .bodies import Bodies
from .definitions import Definitions

#: what each variable is: of a body in the world, of a joint between its frames
OF_BODY = {"r_0": "place", "v_0": "velocity", "w_a": "own spin", "w_0": "spin", "angles": "angles", "Q": "quaternion"}
OF_JOINT = {"r_rel_a": "place", "v_rel_a": "velocity", "w_rel_b": "own spin", "w_rel_a": "spin", "angles": "angles"}


@dataclass(frozen=True)
class Carried:
    """A frame and the joint that carries it: its mobilizer and name, X_PF, X_BQ, and which variable is what."""

    kind: Free | Spherical
    joint: str
    X_PF: Transform
    X_BQ: Transform
    meaning: dict[str, str]

    @property
    def plain(self) -> bool:
        """Whether place and own angular velocity are numbers of the state by themselves."""
        return all(not X.is_symbolic() and np.array_equal(X.R, np.eye(3)) and not np.any(X.p)
                   for X in (self.X_PF, self.X_BQ))


class SetAnew:
    """Rewrites what actions set."""

    def __init__(self, bodies: Bodies, definitions: Definitions):
        self.bodies, self.definitions = bodies, definitions
        self._by_joint = {body.joint: k for k, body in enumerate(bodies.all)}
        self._symbols: dict[str, tuple[ca.SX, ca.SX]] = {}

    def rewritten(self, changes: dict[ca.SX, ca.SX]) -> Iterator[tuple[ca.SX, ca.SX, str]]:
        """(target, new value, name) of every change, in component symbols and coordinates of joints."""
        groups: dict[int, tuple[Component, Carried, dict[str, dict[int, ca.SX]]]] = {}
        for target, value in changes.items():
            entry = owned(target.element_hash()) if target.is_symbolic() else None
            carried = None if entry is None else self._carried(entry.owner)
            if entry is None or carried is None or entry.name not in carried.meaning:
                yield target, value, str(target)
                continue
            place = next(k for k, s in enumerate(entry.symbol.nonzeros()) if s.element_hash() == target.element_hash())
            given = groups.setdefault(id(entry.owner), (entry.owner, carried, {}))[2]
            given.setdefault(entry.name, {})[place] = value
        for component, carried, given in groups.values():
            if {carried.meaning[name] for name in given} <= {"place", "own spin"} and carried.plain:
                for name, entries in given.items():
                    for k, value in entries.items():
                        yield component.symbol(name)[k], value, f"{component.path}.{name}[{k}]"
            else:
                yield from self._numbers(component, carried, given)

    def _carried(self, component: object) -> Carried | None:
        """How a component's frame is carried, where a joint of its own leaves it every orientation."""
        if not isinstance(component, Component):
            return None
        k = self._by_joint.get(component.path)
        if "r_0" in component.fields() and "v_0" in component.fields():
            frame = self.bodies.frames.get(component.frame_a.path) if "frame_a" in component._connectors else None
            k = None if frame is None or frame.body == WORLD else frame.body
            body = None if k is None else self.bodies.all[k]
            if body is not None and body.parent == WORLD and isinstance(body.mobilizer, Free):
                return Carried(body.mobilizer, body.joint, body.X_PF, frame.X_BQ, OF_BODY)
        elif k is not None and "w_rel_b" in component.fields():
            body = self.bodies.all[k]
            if isinstance(body.mobilizer, (Free, Spherical)):
                return Carried(body.mobilizer, body.joint, Transform(), Transform(), OF_JOINT)
        return None

    def _numbers(self, component: Component, carried: Carried,
                 given: dict[str, dict[int, ca.SX]]) -> Iterator[tuple[ca.SX, ca.SX, str]]:
        """All numbers of the joint, from what is given and what stays."""

        def new(what: str) -> ca.SX | None:
            """The variable of that meaning with its new entries; None where nothing of it is given."""
            name = next((name for name in given if carried.meaning[name] == what), None)
            if name is None:
                return None
            now = component.symbol(name)
            return ca.vertcat(*[given[name].get(k, now[k]) for k in range(now.numel())])

        def now(what: str) -> ca.SX:
            return component.symbol(*next((name, (3,)) for name, own in carried.meaning.items() if own == what))

        kind, (q, u) = carried.kind, self._coordinates(carried)
        sequence, angles, quaternion = component.sequence_start, new("angles"), new("quaternion")
        turned = angles is not None or quaternion is not None
        if angles is not None:
            R = rotation_from_angles(sequence, angles)
        elif quaternion is not None:
            R = rotation_from_quaternion(quaternion / ca.norm_2(quaternion))
        else:
            R = carried.X_PF.R @ kind.rotation(q) @ carried.X_BQ.R
        moves = isinstance(kind, Free)
        place, velocity = new("place"), new("velocity")
        X = Transform(R, (now("place") if place is None else place) if moves else (0, 0, 0))
        X_FM = carried.X_PF.inverse() @ X @ carried.X_BQ.inverse()
        spin, own = new("spin"), new("own spin")
        w = ca.SX(R).T @ spin if spin is not None else now("own spin") if own is None else own
        w_M = carried.X_BQ.R @ w
        name = f"{component.path}.{next(iter(given))}"
        if turned or place is not None:
            head = kind.orientation_fit(X_FM.R, q) if turned else q[: kind.head]
            for k, value in enumerate([*ca.vertsplit(ca.SX(head)), *(ca.vertsplit(ca.SX(X_FM.p)) if moves else ())]):
                if turned or k >= kind.head:
                    yield q[k], value, name
        if turned or any(part is not None for part in (velocity, spin, own)):
            speeds = ca.SX(w_M)
            if moves:
                v = ca.SX(now("velocity") if velocity is None else velocity)
                v_M = ca.SX(X_FM.R).T @ (carried.X_PF.R.T @ v) - cross(w_M, carried.X_BQ.p)
                speeds = ca.vertcat(speeds, v_M)
            for k, value in enumerate(ca.vertsplit(speeds)):
                yield u[k], value, name

    def _coordinates(self, carried: Carried) -> tuple[ca.SX, ca.SX]:
        """Symbols of the coordinates and speeds of a joint."""
        if carried.joint not in self._symbols:
            q, u = (ca.SX.sym(f"{carried.joint}.{part}", n) for part, n in (("q", carried.kind.nq),
                                                                            ("u", carried.kind.nu)))
            for symbol, part in ((q, "q"), (u, "u")):
                self.definitions.register(symbol, part, carried.joint)
                self.definitions.input(symbol)
            self._symbols[carried.joint] = q, u
        return self._symbols[carried.joint]
