"""A model as links on joints, for formats that know nothing else.

Every moving body of the mechanism is a link whose frame is its joint's own, so that axes and names stay those of the
model; joints of several freedoms are taken apart into joints of one axis where that keeps their coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

import linkwright as lw

from ..errors import ModelError
from ..language import Lock
from ..mechanism import WORLD, Body, Mechanism, sentence
from .building import turns

if TYPE_CHECKING:
    from ..language import Component, Connector, Joint

HINGE, SLIDE, BALL, FREE = "hinge", "slide", "ball", "free"


@dataclass(frozen=True, eq=False)
class Motion:
    """One joint of a simple kind; X is what stands between the frame before it and its own."""

    name: str
    kind: str
    axis: np.ndarray
    X: lw.Transform
    component: object = None
    armature: float = 0.0
    start: float = 0.0


@dataclass(frozen=True, eq=False)
class Link:
    """A body: the motions that carry it from its parent (an index, None for the ground), its mass in its own frame."""

    name: str
    parent: int | None
    motions: tuple[Motion, ...]
    mass: float
    centre: np.ndarray
    tensor: np.ndarray
    body: int
    X_BL: lw.Transform
    start: lw.Transform = field(default_factory=lw.Transform)


@dataclass(frozen=True, eq=False)
class Skeleton:
    """All links, parents first, with what else the formats can hold."""

    name: str
    model: lw.Model
    gravity: np.ndarray
    links: tuple[Link, ...]
    mechanism: Mechanism
    numbers: object

    def frame(self, name: str) -> tuple[int | None, lw.Transform]:
        """(link, pose in it) of a frame by name; None is the ground."""
        frame = self.mechanism.frames[name]
        X = self.numbers.transform(frame.X_BQ)
        if frame.body == WORLD:
            return None, X
        return frame.body, self.links[frame.body].X_BL.inverse() @ X

    def parts(self, kind: type) -> list[Component]:
        """Components of a kind, at any depth."""
        return [part for part in self.model.leaves() if isinstance(part, kind)]


class Numbers:
    """Values of expressions in the mechanism's parameters."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.symbols = [p.symbol for p in mechanism.parameters]
        self.values = [ca.DM(np.asarray(p.value, dtype=float)) for p in mechanism.parameters]

    def __call__(self, value: Any) -> np.ndarray:
        if not isinstance(value, ca.SX):
            return np.asarray(value, dtype=float)
        function = ca.Function("value", self.symbols, [value])
        array = np.array(ca.DM(function(*self.values) if self.symbols else function()["o0"]).full())
        return array.reshape(()) if array.size == 1 else array[:, 0] if array.shape[1] == 1 else array

    def transform(self, X: lw.Transform) -> lw.Transform:
        """A pose in numbers."""
        return lw.Transform(self(X.R), self(X.p)) if X.is_symbolic() else X


def skeleton_of(model: lw.Model, what: str) -> Skeleton:
    """The links of a model; what `what` (a format) cannot hold is refused by name."""
    system = lw.compile(model)
    mechanism, numbers = system.mechanism, Numbers(system.mechanism)
    _refuse(mechanism, what)
    if not mechanism.gravity.uniform:
        raise ModelError(f"{model.path}: {what} knows uniform gravity only.", model)
    parts = {part.path: part for part in model.leaves()}
    state = system.state()
    links: list[Link] = []
    for k, body in enumerate(mechanism.bodies):
        joint = parts.get(body.joint)
        X_parent = lw.Transform() if body.parent == WORLD else links[body.parent].X_BL
        motions, X_BL = _motions(body, k, joint, mechanism, numbers, X_parent, what, state)
        inertia = lw.Inertia.from_moments(*(numbers(x) for x in (body.inertia.m, body.inertia.first_moment,
                                                                 body.inertia.inertia)))
        own = X_BL.inverse() @ inertia
        links.append(Link(_link_name(model, mechanism, k, body), None if body.parent == WORLD else body.parent,
                          tuple(motions), float(own.m), np.asarray(own.com(), dtype=float),
                          np.asarray(own.central(), dtype=float), k, X_BL, _pose(system, state, body, X_BL)))
    gravity = numbers(mechanism.gravity.g)
    return Skeleton(model.title, model, np.asarray(gravity, dtype=float), tuple(links), mechanism, numbers)


def _pose(system: lw.System, state: lw.State, body: Body, X_BL: lw.Transform) -> lw.Transform:
    """Where a free body starts: X_FM(q) with its own frame behind it."""
    if body.mobilizer.nu != 6:
        return lw.Transform()
    q, _ = system.mechanism.slices()
    at = state.q[q[system.mechanism.bodies.index(body)]]
    return body.mobilizer.transform(at) @ X_BL


def _refuse(mechanism: Mechanism, what: str) -> None:
    if mechanism.point_masses:
        raise ModelError(f"{mechanism.point_masses[0].name}: a mass on a line force has no place in {what}.",
                         mechanism.point_masses[0].name)
    if mechanism.rotors:
        raise ModelError(f"{mechanism.rotors[0].name}: a rotor on several joints has no place in {what}.",
                         mechanism.rotors[0].name)
    for body in mechanism.bodies:
        if body.prescribed is not None:
            raise ModelError(f"{body.joint}: a given motion has no place in {what}; leave m.prescribe or m.lock out.",
                             body.joint)
        if body.bending is not None:
            part = body.joint.rpartition(".")[0]
            raise ModelError(f"{part}: a part that bends has no place in {what}; put a rigid body in its place, or "
                             "export an FMU, C or a page.", part)


def _link_name(model: lw.Model, mechanism: Mechanism, k: int, body: Body) -> str:
    """The first body component that rides on it, else the joint's name with _link."""
    for part in model.leaves():
        if isinstance(part, (lw.parts.Body, lw.parts.PointMass)):
            frame = mechanism.frames.get(f"{part.path}.frame_a")
            if frame is not None and frame.body == k:
                return part.path
    return f"{body.joint}_link"


def _motions(body: Body, k: int, joint: Joint | None, mechanism: Mechanism, numbers: Numbers, X_parent: lw.Transform,
             what: str, state: lw.State) -> tuple[list[Motion], lw.Transform]:
    """(the simple joints that carry a body, pose of its link's frame in the body's)."""
    if joint is None or not isinstance(joint, lw.joints.Joint):
        # a free body without a joint of its own
        if body.mobilizer.nu != 6:
            raise ModelError(f"{body.name}: its motion without a joint has no place in {what}.", body.name)
        X = X_parent.inverse() @ numbers.transform(body.X_PF)
        return [Motion(f"{body.name}_free", FREE, np.zeros(3), X)], lw.Transform()
    inner, outer = joint.frame_a, joint.frame_b
    backwards = mechanism.frames[outer.path].body != k
    if backwards:
        inner, outer = outer, inner
    X = X_parent.inverse() @ numbers.transform(mechanism.frames[inner.path].X_BQ)
    X_BL = numbers.transform(mechanism.frames[outer.path].X_BQ)
    rotors = [float(numbers(a)) for a in body.rotors]
    simple = taken_apart(joint, what)
    opposite = backwards != bool(joint.reverse)
    if opposite and (len(simple) > 1 or simple[0][1] in (BALL, FREE)):
        raise ModelError(f"{joint.path}: it stands backwards in the tree, which {what} cannot say; swap its frame_a "
                         "and frame_b.", joint)
    motions = []
    for j, (letter, kind, axis) in enumerate(simple):
        one_axis = kind in (HINGE, SLIDE)
        start = float(state.get(f"{joint.path}.{letter}")) if one_axis else 0.0
        motions.append(Motion(f"{joint.path}_{letter}" if len(simple) > 1 else joint.path, kind,
                              -axis if opposite else axis, lw.Transform() if j else X, joint,
                              rotors[j] if one_axis else 0.0, start))
    return motions, X_BL


def taken_apart(joint: Joint, what: str) -> list[tuple[str, str, np.ndarray]]:
    """(coordinate, kind, axis) of the simple joints a joint is made of, from frame_a outwards."""
    J = lw.joints

    def axis(name: str) -> np.ndarray:
        n = np.asarray(getattr(joint, name), dtype=float)
        return n / np.linalg.norm(n)

    if isinstance(joint, (J.Revolute, J.Prismatic)):
        return [("phi", HINGE, axis("n")) if turns(joint) else ("s", SLIDE, axis("n"))]
    if isinstance(joint, J.Cylindrical):
        return [("s", SLIDE, axis("n")), ("phi", HINGE, axis("n"))]
    if isinstance(joint, J.Universal):
        return [("phi_a", HINGE, axis("n_a")), ("phi_b", HINGE, axis("n_b"))]
    if isinstance(joint, J.Planar):
        n, x = axis("n"), axis("n_x")
        y = np.cross(n, x) / np.linalg.norm(np.cross(n, x))
        return [("s_x", SLIDE, np.cross(y, n)), ("s_y", SLIDE, y), ("phi", HINGE, n)]
    if isinstance(joint, J.Spherical) and joint.use_quaternions:
        return [("Q", BALL, np.zeros(3))]
    if isinstance(joint, J.FreeMotion) and joint.use_quaternions:
        return [("Q", FREE, np.zeros(3))]
    raise ModelError(f"{joint.path}: a {type(joint).__name__} joint has no place in {what}.", joint)


def attached(skeleton: Skeleton, joint: Joint, kinds: tuple[type, ...]) -> list[Component]:
    """1-D elements of these kinds between the support and the axis of a joint."""
    found = []
    for part in skeleton.parts(kinds):
        ends = joined(skeleton.model, part.flange_a), joined(skeleton.model, part.flange_b)
        if joint.support in ends[0] and joint.axis in ends[1]:
            found.append((part, 1.0))
        elif joint.support in ends[1] and joint.axis in ends[0]:
            found.append((part, -1.0))
    return found


def left_out(skeleton: Skeleton, springs: bool) -> list[str]:
    """Names of the components that the files of links and joints do not hold: forces, drives, measurements."""
    kept = (lw.World, lw.parts.Body, lw.parts.PointMass, lw.parts.Fixed, lw.parts.FixedTranslation,
            lw.parts.FixedRotation, lw.joints.Joint, lw.constraints.Constraint, lw.constraints.CoordinateCoupler,
            lw.visualizers.Visualizer, lw.contact.ContactShape, lw.rotational.Inertia, lw.translational.Mass,
            lw.rotational.IdealGear)
    on_joints = (lw.rotational.Damper, lw.translational.Damper)
    on_joints += (lw.rotational.Spring, lw.rotational.SpringDamper, lw.translational.Spring,
                  lw.translational.SpringDamper) if springs else ()
    held = {id(part) for joint in skeleton.parts((lw.joints.Revolute, lw.joints.Prismatic))
            for part, _ in attached(skeleton, joint, on_joints)}
    parts = [part.path for part in skeleton.model.leaves() if not isinstance(part, kept) and id(part) not in held]
    signals = [inner.path_of(name) for inner in skeleton.model.models()
               for table in (inner._inputs, inner._outputs, inner._integrals) for name in table]
    return [*parts, *signals, *_acts(skeleton.model)]


def _acts(model: lw.Model) -> list[str]:
    """What acts on a run beside components: actions, locks that come and go, controllers in Python."""
    found = []
    for inner in model.models():
        found += [action.name if action.period and action.name else
                  f"{'when' if action.message is None else 'terminate'}({action.name or sentence(action.condition)})"
                  for action in inner._actions if not action.each_step]
        found += [f"lock({motion.joint.path})" for motion in inner._motions
                  if isinstance(motion, Lock) and motion.condition is not None]
        found += [f"the controller {getattr(function, '__name__', type(function).__name__)!r}"
                  for function, _ in inner._controllers]
    return found


def joined(model: lw.Model, connector: Connector) -> list:
    """The connectors joined to one, itself included."""
    return [other for inner in model.models() for group in inner._connections
            if any(item is connector for item in group) for other in group]


@dataclass(frozen=True, eq=False)
class Coupling:
    """One coordinate as a polynomial of another (None: a constant), coefficients from the constant one upwards."""

    follower: object
    leader: object | None
    coefficients: tuple[float, ...]


def coupling_of(constraint: Component, joints: list) -> Coupling | None:
    """What a CoordinateCoupler says, where it is y = Σ aₖ xᵏ of the coordinates of two one-axis joints."""
    expression = constraint._signals.get("function")
    if expression is None:
        return None
    by_symbol = {(joint.phi if turns(joint) else joint.s).__hash__(): joint for joint in joints}
    symbols = ca.symvar(expression)
    if not 1 <= len(symbols) <= 2 or any(symbol.__hash__() not in by_symbol for symbol in symbols):
        return None
    for y in symbols:
        slope = ca.simplify(ca.jacobian(expression, y))
        if not slope.is_constant() or not float(slope):
            continue
        others = [symbol for symbol in symbols if symbol.__hash__() != y.__hash__()]
        rest = ca.substitute(expression, y, 0)
        if not others:
            return Coupling(by_symbol[y.__hash__()], None, (-float(rest) / float(slope),))
        try:
            powers = np.array(ca.DM(ca.poly_coeff(rest, others[0])).full()).ravel()[::-1]
        except RuntimeError:  # CasADi finds that it is no polynomial
            return None
        return Coupling(by_symbol[y.__hash__()], by_symbol[others[0].__hash__()], tuple(-powers / float(slope)))
    return None


def combination_of(constraint: Component, joints: list) -> tuple[list, list[float], float] | None:
    """(joints, factors aₖ, constant c) of a CoordinateCoupler that says Σ aₖ qₖ = c of one-axis joints."""
    expression = constraint._signals.get("function")
    if expression is None:
        return None
    by_symbol = {(joint.phi if turns(joint) else joint.s).__hash__(): joint for joint in joints}
    symbols = ca.symvar(expression)
    if not symbols or any(symbol.__hash__() not in by_symbol for symbol in symbols):
        return None
    factors = ca.jacobian(expression, ca.vertcat(*symbols))
    if ca.symvar(factors):
        return None
    constant = -float(ca.DM(ca.substitute(expression, ca.vertcat(*symbols), ca.DM.zeros(len(symbols)))))
    return [by_symbol[symbol.__hash__()] for symbol in symbols], np.array(ca.DM(factors)).ravel().tolist(), constant
