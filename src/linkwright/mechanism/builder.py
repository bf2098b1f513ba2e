"""Describing a mechanism directly to the engine, without components and connections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np

from ..algebra import ForceMotor, Inertia, Scalar, Transform, VectorLike, is_symbolic, vector
from ..errors import ModelError, unknown_name
from . import description as d
from .kinds import Weld, reverse
from .mobilizer import Mobilizer
from .tolerances import NEGATIVE_MOMENT, NO_INERTIA, NO_INERTIA_COMBINED, NOT_MOVED


class MechanismBuilder:
    """Collects bodies, loads and constraints; `build()` checks them and gives the immutable Mechanism.

    >>> b = MechanismBuilder("pendulum", gravity=[0, -9.81, 0])
    >>> b.body("bob", "world", Revolute(), inertia=Inertia(1.0, [0.5, 0, 0], [0, 0, 0.01]))
    'bob'
    >>> mechanism = b.build()
    """

    def __init__(self, name: str = "mechanism", gravity: VectorLike | d.Gravity = (0.0, 0.0, 0.0)) -> None:
        self.name = name
        self.gravity = gravity if isinstance(gravity, d.Gravity) else d.Gravity(g=vector(gravity, 3, "gravity"))
        self._bodies: list[d.Body] = []
        self._X_BM: dict[str, Transform] = {"world": Transform()}  # body frame as the user sees it → M
        self._frames: dict[str, d.Frame] = {}
        self._variables: list[d.Variable] = []
        self._parts: dict[str, list] = {
            key: [] for key in
            ("loads", "constraints", "point_masses", "unknowns", "states", "discretes", "parameters")
        }
        self._outputs: dict[str, ca.SX] = {}

    def body(self, name: str, parent: str, mobilizer: Mobilizer, X_PF: Transform | None = None,
             X_BM: Transform | None = None, inertia: Inertia | None = None, joint: str | None = None,
             reversed: bool = False, armature: VectorLike = (), prescribed: VectorLike | None = None) -> str:
        """Add a body on `parent`, moved by `mobilizer` between F (at X_PF on the parent) and M (at X_BM on the body).

        `inertia` is given in the body's frame.  `reversed=True` defines q and u as if parent and child were swapped.
        `armature` adds rotor inertia to each mobility; `prescribed` gives u̇ as an expression instead of a force.
        """
        if name in self._X_BM:
            raise ModelError(f"{name}: a body of this name exists already; give it another name.", name)
        if parent not in self._X_BM:
            raise unknown_name(parent, self._X_BM, f"{name}: the mechanism")
        joint = joint or name
        if any(joint in (body.joint, body.name) for body in self._bodies):
            raise ModelError(f"{name}: the name {joint!r} is taken; give the joint another one.", name)
        _check_type(name, "mobilizer", mobilizer, Mobilizer)
        X_PF = _check_type(name, "X_PF", X_PF or Transform(), Transform)
        X_BM = _check_type(name, "X_BM", X_BM or Transform(), Transform)
        inertia = _check_type(name, "inertia", inertia or Inertia(), Inertia)
        _check_inertia(name, inertia)
        # bodies are described in their M frames: decision "body frame = inboard M frame"
        self._bodies.append(d.Body(
            name, joint, self._index(parent), reverse(mobilizer) if reversed else mobilizer,
            self._X_BM[parent].inverse() @ X_PF, inertia.seen_from(X_BM.inverse()),
            _per_mobility(name, "armature", armature, mobilizer.nu),
            None if prescribed is None else ca.vertcat(*_per_mobility(name, "prescribed", prescribed, mobilizer.nu)),
        ))
        self._X_BM[name] = X_BM
        return name

    def frame(self, name: str, body: str, X_BQ: Transform | None = None) -> str:
        """Name a frame fixed on a body, at X_BQ in the body's frame."""
        if body not in self._X_BM:
            raise unknown_name(body, self._X_BM, f"{name}: the mechanism")
        if name in self._frames:
            raise ModelError(f"{name}: a frame of this name exists already; give it another name.", name)
        self._frames[name] = d.Frame(self._index(body), self._X_BM[body].inverse() @ (X_BQ or Transform()))
        return name

    def variable(self, quantity: str, of: str | tuple[str, str], size: int | tuple = 1) -> ca.SX:
        """A symbol that stands for a quantity (see `Variable`)."""
        rows, columns = size if isinstance(size, tuple) else (size, 1)
        symbol = ca.SX.sym(f"{of}.{quantity}", rows, columns)
        self._variables.append(d.Variable(symbol, quantity, of))
        return symbol

    def pose(self, frame: str) -> Transform:
        """The pose of a frame in the world, as symbols for laws."""
        return Transform(self.variable("R", frame, (3, 3)), self.variable("p", frame, 3))

    def relative_pose(self, frame_a: str, frame_b: str) -> Transform:
        """The pose of frame b in frame a, as symbols for constraints and laws."""
        of = (frame_a, frame_b)
        return Transform(self.variable("R_AB", of, (3, 3)), self.variable("p_AB", of, 3))

    def force(self, name: str, frame: str, motor: ForceMotor, axes: str = "frame") -> None:
        """A force motor on the body of `frame`, at its origin, in its axes ("frame") or the world's ("world")."""
        if axes not in ("frame", "world"):
            raise ModelError(f"{name}: axes are 'frame' or 'world', not {axes!r}.", name)
        self._parts["loads"].append(d.BodyLoad(name, frame, motor, axes))

    def mobility_force(self, name: str, joint: str, value: Scalar, index: int = 0) -> None:
        """A generalised force on mobility `index` of `joint`."""
        self._parts["loads"].append(d.MobilityLoad(name, joint, index, value))

    def constraint(self, name: str, residual: VectorLike | Scalar, level: str = "position",
                   mode: ca.SX | None = None) -> None:
        """Equations residual = 0, in symbols from `pose`, `relative_pose` and `variable`."""
        if level not in ("position", "velocity", "acceleration"):
            raise ModelError(f"{name}: a constraint's level is 'position', 'velocity' or 'acceleration'.", name)
        self._parts["constraints"].append(d.Constraint(name, _expression(residual), level, mode))

    def point_mass(self, name: str, mass: Scalar, position: VectorLike) -> None:
        """A mass off the tree at a point that moves with several frames."""
        self._parts["point_masses"].append(d.PointMass(name, mass, _expression(position)))

    def unknown(self, name: str, residual: Callable[[ca.SX], VectorLike | Scalar],
                start: VectorLike | Scalar = 0.0) -> ca.SX:
        """Algebraic unknowns: `residual(y)` returns as many expressions as `start` has entries."""
        start = np.atleast_1d(np.asarray(start, dtype=float))
        y = ca.SX.sym(name, len(start))
        r = _expression(residual(y))
        if r.numel() != len(start):
            raise ModelError(f"{name}: {len(start)} unknowns need as many equations, got {r.numel()}.", name)
        self._parts["unknowns"].append(d.Unknown(name, y, r, start))
        return y

    def state(self, name: str, derivative: Callable[[ca.SX], VectorLike | Scalar],
              start: VectorLike | Scalar = 0.0) -> ca.SX:
        """Auxiliary states z with ż = `derivative(z)`."""
        start = np.atleast_1d(np.asarray(start, dtype=float))
        z = ca.SX.sym(name, len(start))
        self._parts["states"].append(d.ContinuousState(name, z, _expression(derivative(z)), start))
        return z

    def parameter(self, name: str, value: VectorLike | Scalar) -> ca.SX:
        """A tunable number: an input of the compiled code."""
        return self._named("parameters", name, value)

    def discrete(self, name: str, value: VectorLike | Scalar = 0.0) -> ca.SX:
        """A discrete variable or 0/1 mode: an input that changes between steps only."""
        return self._named("discretes", name, value)

    def output(self, name: str, expression: VectorLike | Scalar) -> None:
        """A named output of the compiled code."""
        self._outputs[name] = _expression(expression)

    def build(self) -> d.Mechanism:
        """Check everything and freeze it."""
        parts: dict[str, Any] = {key: tuple(items) for key, items in self._parts.items()}
        mechanism = d.Mechanism(self.name, tuple(self._bodies), self.gravity, dict(self._frames),
                                tuple(self._variables), outputs=dict(self._outputs), **parts)
        check(mechanism)
        return mechanism

    def _named(self, kind: str, name: str, value: VectorLike | Scalar) -> ca.SX:
        value = np.atleast_1d(np.asarray(value, dtype=float))
        if not np.all(np.isfinite(value)):
            raise ModelError(f"{name}: the value must be finite, got {value}.", name)
        symbol = ca.SX.sym(name, len(value))
        self._parts[kind].append(d.Named(name, symbol, value))
        return symbol

    def _index(self, name: str) -> int:
        if name == "world":
            return d.WORLD
        return next(k for k, body in enumerate(self._bodies) if body.name == name)


def check(mechanism: d.Mechanism) -> None:
    """Refuse what cannot be computed: unknown names, movable leaves without inertia, loads of a wrong shape."""
    for load in mechanism.loads:
        if isinstance(load, d.BodyLoad):
            mechanism.frame(load.frame)
        else:
            body = mechanism.bodies[mechanism.index(load.joint)]
            if not 0 <= load.index < body.mobilizer.nu:
                raise ModelError(f"{load.name}: joint {load.joint!r} has {body.mobilizer.nu} mobilities, there is no "
                                 f"number {load.index}.", load.name)
    for variable in mechanism.variables:
        if variable.quantity in ("q", "u", "udot", "reaction"):
            mechanism.index(variable.name)
        elif variable.quantity not in ("lambda", "push", "grip", "der", "der2"):
            for name in variable.names:
                mechanism.frame(name)
    _check_leaves(mechanism)


def _check_leaves(mechanism: d.Mechanism) -> None:
    """A movable body at the end of the tree must resist every one of its mobilities."""
    heavy = {mechanism.frame(v.name).body for v in mechanism.variables
             if mechanism.point_masses and v.quantity in ("R", "p")}
    # what a rotor or an equation ties to other coordinates moves with them
    ties = [*(rotor.position for rotor in mechanism.rotors), *(c.residual for c in mechanism.constraints)]
    tied = {s.element_hash() for tie in ties for s in ca.symvar(tie)}
    heavy |= {mechanism.index(v.name) for v in mechanism.variables if v.quantity in ("q", "u")
              and any(v.symbol.nz[k].element_hash() in tied for k in range(v.symbol.nnz()))}
    heavy |= {mechanism.index(joint) for closure in mechanism.closures for joint, _ in closure.coordinates}
    heavy |= _led(mechanism)
    heavy |= {k for k, body in enumerate(mechanism.bodies) if body.bending is not None}
    children = mechanism.children()
    for k in reversed(range(len(mechanism.bodies))):
        body = mechanism.bodies[k]
        carried = any(c in heavy for c in children[k])
        if body.mobilizer.rides:
            continue
        if k in heavy or carried or any(not isinstance(mechanism.bodies[c].mobilizer, Weld) for c in children[k]):
            heavy.update({k} if carried else set())
            continue
        inertia = _carried(mechanism, k, children)
        if inertia is None:
            continue
        weak = _unresisted(body, inertia, alone=not mechanism.constraints)
        if weak and not _loaded(mechanism, k, children):
            raise ModelError(
                f"{body.name}: a movable leaf without inertia; nothing resists {body.joint}.{weak}, so its "
                "acceleration is undefined. Give the body mass (and inertia about a rotation axis), weld it, or "
                "remove the joint.", body.name)


def _loaded(mechanism: d.Mechanism, k: int, children: Sequence[Sequence[int]]) -> bool:
    """Whether forces act on the joint of a body, on it, or on what is welded to it: it may follow in equilibrium."""
    for load in mechanism.loads:
        if isinstance(load, d.MobilityLoad) and mechanism.index(load.joint) == k:
            return True
        if isinstance(load, d.BodyLoad) and mechanism.frame(load.frame).body == k:
            return True
    return any(_loaded(mechanism, c, children) for c in children[k])


def _led(mechanism: d.Mechanism) -> set[int]:
    """Bodies that equations lead: as many as they have mobilities, in poses that each of these moves."""
    counts: dict[int, int] = {}
    noticed: dict[int, set[int]] = {}
    poses = [v for v in mechanism.variables if v.quantity in ("R", "p", "R_AB", "p_AB", "angle")]
    pose_of = {v.symbol.nz[i].element_hash(): k for k, v in enumerate(poses) for i in range(v.symbol.nnz())}
    for constraint in (c for c in mechanism.constraints if c.mode is None):
        entries = (entry.element_hash() for entry in ca.symvar(constraint.residual))
        read = [(v.quantity, mechanism.frame(name))
                for v in (poses[k] for k in sorted({pose_of[h] for h in entries if h in pose_of}))
                for name in v.names]
        for k in {frame.body for _, frame in read} - {d.WORLD}:
            counts[k] = counts.get(k, 0) + constraint.residual.numel()
        for quantity, frame in read:
            if frame.body != d.WORLD:
                noticed.setdefault(frame.body, set()).update(_moved(mechanism.bodies[frame.body], frame, quantity))
    return {k for k, count in counts.items() if count >= mechanism.bodies[k].mobilizer.nu == len(noticed[k])}


def _moved(body: d.Body, frame: d.Frame, quantity: str) -> list[int]:
    """The mobilities of a body that move the place of a frame on it, or turn the frame."""
    if body.mobilizer.rides:
        return []
    columns = body.mobilizer.columns(_generic(body.mobilizer))
    return [j for j, S in enumerate(columns) if S.is_symbolic() or frame.X_BQ.is_symbolic()
            or np.any(np.abs(S.at(frame.X_BQ.p) if quantity.startswith("p") else S.resultant) > NOT_MOVED)]


def _unresisted(body: d.Body, inertia: Inertia, alone: bool) -> str | None:
    """The mobility that meets no inertia, or None; `alone`: no loop resists a combination of mobilities either."""
    mobilizer = body.mobilizer
    columns = mobilizer.columns(_generic(mobilizer))
    known = not is_symbolic(*body.armature) and not any(S.is_symbolic() for S in columns)
    if not columns or body.prescribed is not None or not known:
        return None
    rotors = np.diag([float(rotor) for rotor in body.rotors])
    resistance = np.array([[(inertia @ S).dot(T) for S in columns] for T in columns]) + rotors
    diagonal = np.diag(resistance)
    weak = np.flatnonzero(diagonal < NO_INERTIA)
    if alone and not len(weak):
        root = np.sqrt(diagonal)
        values, directions = np.linalg.eigh(resistance / np.outer(root, root))
        if values[0] < NO_INERTIA_COMBINED:
            weak = np.argsort(-np.abs(directions[:, 0]) / root)
    if not len(weak):
        return None
    return mobilizer.names[weak[0]] if len(mobilizer.names) == mobilizer.nu else f"u[{weak[0]}]"


def _carried(mechanism: d.Mechanism, k: int, children: Sequence[Sequence[int]]) -> Inertia | None:
    """Inertia of a body and what is welded to it, or None where it is symbolic."""
    total = mechanism.bodies[k].inertia
    if is_symbolic(total.m, total.first_moment, total.inertia):
        return None
    for c in children[k]:
        part = _carried(mechanism, c, children)
        if part is None or mechanism.bodies[c].X_PF.is_symbolic():
            return None
        total = total + part.seen_from(mechanism.bodies[c].X_PF)
    return total


def _generic(mobilizer: Mobilizer) -> np.ndarray:
    """Coordinates in general position, where no column vanishes by accident."""
    q = mobilizer.default() + np.random.default_rng(1).uniform(0.2, 0.6, mobilizer.nq)
    return mobilizer.normalised(q)


def _check_type(name: str, what: str, value: Any, kind: type) -> Any:
    """The value, refused by name unless it is of the kind."""
    if not isinstance(value, kind):
        raise ModelError(f"{name}: {what} must be of type {kind.__name__}, got {value!r}.", name)
    return value


def _per_mobility(name: str, what: str, value: VectorLike | Scalar, nu: int) -> tuple:
    """One number or expression per mobility; () for none."""
    parts = _expression(value)
    if parts.numel() not in (0, nu):
        raise ModelError(f"{name}: {what} needs one value for each of {nu} mobilities, got {parts.numel()}.", name)
    return tuple(float(part) if part.is_constant() else part for part in ca.vertsplit(parts)) if parts.numel() else ()


def _check_inertia(name: str, inertia: Inertia) -> None:
    if is_symbolic(inertia.m, inertia.inertia):
        return
    if not (np.all(np.isfinite(inertia.inertia)) and np.all(np.linalg.eigvalsh(inertia.inertia) > -NEGATIVE_MOMENT)):
        raise ModelError(f"{name}: the inertia tensor must be finite with no negative principal moment.", name)


def _expression(value: VectorLike | Scalar) -> ca.SX:
    """A column expression from numbers, symbols or a sequence of them."""
    if isinstance(value, ca.SX):
        return ca.vec(value)
    return ca.vertcat(*[ca.SX(v) for v in np.atleast_1d(np.asarray(value, dtype=object))])
