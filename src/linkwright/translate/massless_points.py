"""Parts without mass that no joint holds: held by the balance of forces alone.

Three springs meeting in a point leave its position as an unknown y with Σ f(y) = 0; a rigid part among general laws its
position and orientation (a quaternion e) with Σ f = 0, Σ τ = 0, e·e = 1.  With dampers among them the pose is a state
and the velocity the unknown: Σ f(z, ż) = 0.  Where a line force fixes the orientation (`fixed_rotation_at_frame_a`) it
also takes the torque, so only forces balance.  In a plane the pose is x, y and an angle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from ..algebra import Transform, angular_velocity, cross, quaternion_rate, rotation_from_quaternion, rotation_z
from ..errors import ModelError
from ..language.expressions import der
from ..mechanism import ContinuousState, Unknown
from .drives.light_shafts import light_shafts
from .groups import Group
from .planes import carrier_of, planar_frame_of
from .tolerances import NO_SLOPE, OFF_THE_MIDDLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..language import Connector, Frame, PartsList
    from .bodies import Topology
    from .definitions import Definitions
    from .drives.drives import Drives


@dataclass(eq=False)
class Held:
    """A massless part: its pose and velocity symbols, and the balance that determines them."""

    group: Group
    name: str
    R: object
    position: ca.SX
    velocity: ca.SX
    e: ca.SX | None  # quaternion and angular velocity (in the group's axes), where the part may turn
    w: ca.SX | None
    is_state: bool = False
    planar: bool = False  # two positions, and an angle for the quaternion

    def in_space(self, vector: ca.SX) -> ca.SX:
        """A position or velocity with all three entries."""
        return ca.vertcat(vector, 0) if self.planar else vector

    @property
    def spin(self) -> ca.SX:
        """Angular velocity in the group's axes."""
        if self.w is None:
            return ca.SX.zeros(3)
        return ca.vertcat(0, 0, self.w) if self.planar else self.w

    def turning(self) -> ca.SX:
        """The rate of the orientation."""
        return self.w if self.planar else quaternion_rate(self.e, self.w)

    @property
    def pose_symbols(self) -> ca.SX:
        return ca.vertcat(self.position, *([] if self.e is None else [self.e]))

    @property
    def speed_symbols(self) -> ca.SX:
        return ca.vertcat(self.velocity, *([] if self.w is None else [self.w]))


class Points:
    """All massless parts and massless shafts of a model."""

    def __init__(self, plan: PartsList, where: Topology, frames: Mapping[str, Frame], drives: Drives,
                 definitions: Definitions) -> None:
        self.plan, self.nodes, self.frames, self.drives = plan, where.nodes, frames, drives
        self.definitions = definitions
        self.loads: dict[int, list] = {}
        for load in plan.loads:
            self.loads.setdefault(id(where.group_of(load.frame)), []).append(load)
        self.held = {id(group): self._make(group) for group in where.tree.points}
        self.loose_states: list[str] = []
        self.states: list[ContinuousState] = []
        self.unknowns: list[Unknown] = []
        self._rates: dict[int, ca.SX] | None = None

    def holds(self, frame: Connector) -> bool:
        """Whether a frame sits on a massless part."""
        return id(self.nodes[id(frame)].group) in self.held

    def _make(self, group: Group) -> Held:
        name = group.name
        upright = [node.X.R for node in group.nodes for frame in node.frames
                   if any(frame is told.frame for told in self.plan.upright)]
        loads = self.loads.get(id(group), [])
        turns = len(group.nodes) > 1 or any(not load.t.is_zero() for load in loads)
        if planar_frame_of([group]) is not None:
            return self._planar(group, name, turns)
        position, velocity = ca.SX.sym(f"{name}.r_0", 3), ca.SX.sym(f"{name}.v_0", 3)
        if upright or not turns:
            R = ca.SX(upright[0]).T if upright else ca.SX.eye(3)
            return Held(group, name, R, position, velocity, None, None)
        e = ca.SX.sym(f"{name}.Q", 4)
        return Held(group, name, rotation_from_quaternion(e), position, velocity, e, ca.SX.sym(f"{name}.w", 3))

    def _planar(self, group: Group, name: str, turns: bool) -> Held:
        frame = planar_frame_of([group])
        if carrier_of(frame) is not None:
            raise ModelError(f"{frame.path}: a part without mass that forces alone hold needs some mass in a plane "
                             "that moves.", frame.owner)
        position, velocity = ca.SX.sym(f"{name}.r", 2), ca.SX.sym(f"{name}.v", 2)
        if not turns:
            return Held(group, name, ca.SX.eye(3), position, velocity, None, None, planar=True)
        phi, w = ca.SX.sym(f"{name}.phi"), ca.SX.sym(f"{name}.w")
        return Held(group, name, rotation_z(phi), position, velocity, phi, w, planar=True)

    # --- quantities of frames on massless parts ---

    def quantity(self, frame: Frame, what: str) -> ca.SX | None:
        """The expression of a frame's pose or velocity where it sits on a massless part, else None."""
        node = self.nodes.get(id(frame))
        held = self.held.get(id(node.group)) if node is not None else None
        if held is None:
            return None
        X: Transform = node.X
        if what == "p":
            return held.in_space(held.position) + held.R @ ca.SX(X.p)
        if what == "R":
            return held.R @ ca.SX(X.R)
        if what in ("z", "a"):
            raise ModelError(f"{frame.path}: a part without mass that forces alone hold has no acceleration of its "
                             "own; give it some mass.", frame)
        w = held.spin
        return ca.SX(X.R).T @ w if what == "w" else held.in_space(held.velocity) + held.R @ cross(w, ca.SX(X.p))

    # --- equations ---

    def finish(self) -> None:
        """Write down the balances, once all components have told what they do."""
        balances = {key: self.definitions.expand(self._balance(held)) for key, held in self.held.items()}
        for key, held in self.held.items():
            self._hold(held, balances[key])
        for shaft in light_shafts(list(self.drives.massless()), self.definitions):
            held = self.held[shaft.name] = Held(None, shaft.name, None, shaft.position, shaft.velocity, None, None)
            self._hold(held, shaft.balance, np.zeros(1), shaft.is_state)
        for held in self.held.values():
            if not held.is_state:
                self._define_rates(held)
            elif held.e is None:
                self.definitions.state(held.position, held.velocity)
            else:
                self.definitions.state(held.pose_symbols, ca.vertcat(held.velocity, held.turning()))
        if self.held:
            self.definitions.forget()

    def _balance(self, held: Held) -> ca.SX:
        """Σ f (and Σ τ about the group's origin), in the group's axes."""
        f, t = ca.SX.zeros(3), ca.SX.zeros(3)
        for load in self.loads.get(id(held.group), []):
            X = self.nodes[id(load.frame)].X
            force = ca.SX(X.R) @ load.f
            f, t = f + force, t + ca.SX(X.R) @ load.t + cross(ca.SX(X.p), force)
        if held.planar:
            return f[0:2] if held.e is None else ca.vertcat(f[0:2], t[2])
        return f if held.e is None else ca.vertcat(f, t)

    def _hold(self, held: Held, balance: ca.SX, start: np.ndarray = None, is_state: bool | None = None) -> None:
        """The pose unknown; or a state, with the velocity unknown, where the balance depends on velocity."""
        start = self._start(held.group) if start is None else start
        held.is_state = ca.depends_on(balance, held.speed_symbols) if is_state is None else is_state
        quaternion = np.zeros(1) if held.planar else np.array([1.0, 0, 0, 0])
        start = start[:2] if held.planar else start
        if held.is_state and held.group is not None:
            self._refuse_lines_alone(held)
        if held.is_state:
            self.states.append(ContinuousState(f"{held.name}.position", held.position, held.velocity, start))
            self.loose_states.append(f"{held.name}.position")
            if held.e is not None:
                # the length of the quaternion is drawn back to one
                rate = held.turning() + (0 if held.planar else held.e * (1 - ca.dot(held.e, held.e)))
                self.states.append(ContinuousState(f"{held.name}.Q", held.e, rate, quaternion))
                self.loose_states.append(f"{held.name}.Q")
            zeros = np.zeros(held.speed_symbols.numel())
            self.unknowns.append(Unknown(f"{held.name}.velocity", held.speed_symbols, balance, zeros))
        elif held.e is None:
            self.unknowns.append(Unknown(f"{held.name}.position", held.position, balance, start))
        else:
            unit = ca.SX(0, 1) if held.planar else ca.dot(held.e, held.e) - 1
            self.unknowns.append(Unknown(f"{held.name}.pose", held.pose_symbols, ca.vertcat(balance, unit),
                                         np.concatenate([start, quaternion])))

    def _refuse_lines_alone(self, held: Held) -> None:
        """An error where nothing but dampers along lines meets in a point, and no more of them than it has directions.

        Forces along independent lines balance only if each of them vanishes.  So such dampers would stay as long as
        they are, whatever pulls at them, until they come into line, and there the point would need an infinite speed.
        """
        loads = self.loads.get(id(held.group), [])
        if held.e is not None or len(loads) > held.velocity.numel():
            return
        slopes = ca.horzcat(*[ca.jacobian(self.definitions.expand(load.f), held.velocity) for load in loads])
        symbols = ca.symvar(slopes)
        at = np.random.default_rng(0).uniform(0.5, 1.5, len(symbols))  # an arbitrary point
        numbers = np.array(ca.Function("slopes", symbols, [slopes])(*at)) if symbols else np.array(ca.DM(slopes))
        if all(np.linalg.matrix_rank(slope, tol=NO_SLOPE) == 1 for slope in np.hsplit(numbers, len(loads))):
            names = list(dict.fromkeys(load.component.path for load in loads))
            raise ModelError(f"{', '.join(names)}: dampers along lines meet at {held.name}, which has no mass and "
                             "nothing else to hold it: forces leave a direction open there once they are in line. "
                             "Give it some mass, or make one element of the series: one damper with "
                             "1/d = 1/d₁ + 1/d₂.", *[load.component for load in loads])

    def _define_rates(self, held: Held) -> None:
        """Velocities of an algebraic pose, by implicit differentiation when somebody asks for them."""
        self.definitions.define(held.velocity, lambda: self._rate_of(held.position))
        if held.e is not None:
            turning = (lambda: self._rate_of(held.e)) if held.planar else (
                lambda: angular_velocity(held.e, self._rate_of(held.e)))
            self.definitions.define(held.w, turning)

    def _rate_of(self, symbol: ca.SX) -> ca.SX:
        return ca.vertcat(*[self._all_rates()[symbol.nz[k].element_hash()] for k in range(symbol.nnz())])

    def _all_rates(self) -> dict[int, ca.SX]:
        """0 = F(y, …)  ⇒  ẏ = −F_y⁻¹ ∂F/∂t, all unknowns together."""
        if self._rates is None:
            y, F = (ca.vertcat(*[getattr(item, name) for item in self.definitions.unknowns])
                    for name in ("symbol", "residual"))
            self._rates = {}  # while they are worked out y counts as constant
            along = self.definitions.expand(der(F))
            rates = -ca.solve(ca.densify(ca.jacobian(F, y)), along)
            self._rates = {y.nz[k].element_hash(): rates[k] for k in range(y.nnz())}
        return self._rates

    def rate_through(self, of: ca.SX) -> ca.SX:
        """The part of d(of)/dt that comes from algebraic unknowns."""
        own = [item.symbol for item in self.definitions.unknowns if ca.depends_on(of, item.symbol)]
        if not own or self._rates == {}:
            return ca.SX.zeros(of.shape)
        y = ca.vertcat(*own)
        return ca.reshape(ca.jtimes(ca.vec(of), y, self._rate_of(y)), *of.shape)

    def _start(self, group: Group) -> np.ndarray:
        """A first guess: from a force element's guess of its relative position, else amid the fixed ends around it."""
        ends = []
        for load in self.loads.get(id(group), []):
            hint = getattr(load.component, "point_guess", None)
            guess = hint(self.frames, load.frame) if hint is not None else None
            if guess is not None:
                return np.asarray(guess, dtype=float)
            for other in load.component._connectors.values():
                known = self.frames.get(other.path)
                if other is not load.frame and known is not None and known.body < 0 and not known.X_BQ.is_symbolic():
                    p = known.X_BQ.p
                    ends += [p] if isinstance(p, np.ndarray) else []
        return OFF_THE_MIDDLE + (np.mean(ends, axis=0) if ends else 0.0)
