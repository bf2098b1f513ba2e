"""Where a failure lies: which coordinate is not finite, which joint has no defined acceleration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..equations import ACCELERATION
from ..errors import LinkwrightError, ModelError, SingularError
from .jumps import proportional
from .tolerances import JAMMED, LOOK_AGAIN, LOOSE, NO_INERTIA

if TYPE_CHECKING:
    from ..mechanism import Mechanism, Mobilizer
    from .state import State
    from .system import System


def coordinate_names(mechanism: Mechanism) -> tuple[list[str], list[str]]:
    """Names of all q and of all u: `joint.coordinate`, and for a speed that is no q̇ `joint.u[k]`."""
    q_names, u_names = [], []
    for body in mechanism.bodies:
        kind = body.mobilizer
        named = len(kind.names) == kind.nq
        q_names += [f"{body.joint}.{kind.names[k] if named else f'q[{k}]'}" for k in range(kind.nq)]
        u_names += [f"der({body.joint}.{kind.names[k]})" if named and kind.nq == kind.nu and is_plain(kind)
                    else f"{body.joint}.u[{k}]" for k in range(kind.nu)]
    return q_names, u_names


def is_plain(mobilizer: Mobilizer) -> bool:
    """Whether q̇ = u."""
    if mobilizer.nq != mobilizer.nu:
        return False
    q, u = mobilizer.default() + 0.37, np.arange(1.0, mobilizer.nu + 1)
    return np.array_equal(np.asarray(mobilizer.qdot(q, u), dtype=float).ravel(), u)


def check_finite(system: System, state: State) -> None:
    """Refuse a state with a value that is no finite number, naming it."""
    m = system.mechanism
    if not np.isfinite(state.t):
        raise ModelError(f"the time of the state is {state.t}; it must be finite.")
    for part in ("q", "u", "z", "p", "d"):
        values = getattr(state, part)
        if np.all(np.isfinite(values)):
            continue
        k = int(np.flatnonzero(~np.isfinite(values))[0])
        name = system.part_names(part)[k]
        raise ModelError(f"{name}: the state holds {values[k]} there; give a finite number.", name)
    for body, qs in zip(m.bodies, m.slices()[0], strict=True):
        first = body.mobilizer.quaternion
        if first is not None and not np.any(state.q[qs][first : first + 4]):
            raise ModelError(f"{body.joint}: its quaternion is zero and has no direction; start from (1, 0, 0, 0).",
                             body.joint)


def check_conditioning(system: System, state: State, udot: np.ndarray, D: np.ndarray) -> None:
    """Refuse a position where a joint loses a mobility: its accelerations would be rounding errors, if finite."""
    if not has_pivots(system) or not np.all(np.isfinite(udot)):
        return
    # a quick test first; a mechanism with both light and heavy parts may fail it, and is examined again
    if np.any(np.max(D, initial=0.0) * LOOK_AGAIN >= D):
        found = degenerate_joints(system, state, NO_INERTIA)
        if found:
            raise degenerate(state, found)


def has_pivots(system: System) -> bool:
    """Whether accelerations follow from the articulated inertias alone."""
    m, e = system.mechanism, system.equations
    return m.is_tree and m.nu > 0 and not (m.point_masses or m.rotors or e.prescribed or e._implicit)


def degenerate_joints(system: System, state: State, limit: float) -> list[str]:
    """Joints with a mobility whose articulated inertia is below `limit` of the inertia of all bodies outboard of it."""
    if not has_pivots(system):
        return []
    D, M = system.raw(state, "pivots", "mass_matrix")
    weak = ~(np.diag(M) * limit < D)
    joints = [body.joint for body, us in zip(system.mechanism.bodies, system.mechanism.slices()[1], strict=True)
              if np.any(weak[us])]
    return joints[-1:]


def degenerate(state: State, joints: list[str]) -> SingularError:
    """The error for joints that lose a mobility in a position."""
    return SingularError(f"at t = {state.t:.6g} s {', '.join(joints)}: in this position motions of the joints are no "
                         "longer independent, and the accelerations are undefined. Likely: the middle angle of a "
                         "joint with three angles is at 90°, or massless parts are in line. Keep away from it, or use "
                         "a joint with a quaternion (Spherical).", *joints)


def singular(system: System, state: State, when: str | None = None) -> SingularError:
    """What is singular at a state: the joints whose mobility meets no inertia, or the constraints."""
    when = f"at t = {state.t:.6g} s " if when is None else when
    rubbing = paradoxical(system, state)
    if rubbing:
        return SingularError(f"{when}{paradox(rubbing)}", *rubbing)
    loose = loose_joints(system, state)
    if loose:
        return SingularError(
            f"{when}{', '.join(loose)}: nothing resists this motion, so its acceleration is undefined. Likely: a body "
            "without mass or inertia beyond it, in a position where what it carries does not move with it. Give it "
            "some inertia.", *loose)
    names = [c.name for c in system.mechanism.constraints]
    if names:
        return SingularError(f"{when}the equations of motion with the constraints {', '.join(names)} have no unique "
                             "solution. Likely: a dead point, or a massless part that the constraints leave loose.",
                             *names)
    unknown = [name for block in system.layout.blocks for name in block.names]
    if unknown:
        said = dict.fromkeys(f"the acceleration of {n[:-5]}" if n.endswith(".udot") else n for n in unknown)
        return SingularError(f"{when}the equations of {', '.join(said)} have no solution that the "
                             "iteration could find from its last value.", *unknown)
    bad = [n for n, v in zip(system.part_names("u"), system.raw(state, "udot"), strict=True) if not np.isfinite(v)]
    motion = f"the derivative of {', '.join(bad[:3])}" if bad else "the derivative of the state"
    laws = undefined_laws(system, state)[:3]
    what = f"{', '.join(laws)}: the value is not finite, and with it {motion}" if laws else f"{motion} is not finite"
    return SingularError(f"{when}{what}. Likely: a law divides by zero or takes a root of a negative number there.",
                         *(laws or bad[:3]))


def paradoxical(system: System, state: State) -> list[str]:
    """Frictions in proportion to forces without which the accelerations would be finite, but are not."""
    rubbing = _proportional(system)
    if not rubbing or np.isfinite(_acceleration(system, state)):
        return []
    return [f.name for f in rubbing] if np.isfinite(_acceleration(system, state, rubbing)) else []


def jamming(system: System, state: State) -> list[str]:
    """Frictions in proportion to forces that make the accelerations JAMMED times larger than without them."""
    rubbing = _proportional(system)
    if not rubbing:
        return []
    small = _acceleration(system, state) / JAMMED
    if not _acceleration(system, state, rubbing) < small:
        return []
    return [f.name for f in rubbing if _acceleration(system, state, [f]) < small] or [f.name for f in rubbing]


def _proportional(system: System) -> list:
    return [system.mechanism.events.bounded[k] for k in proportional(system.equations)]


def _acceleration(system: System, state: State, without: Sequence[str] = ()) -> float:
    """The largest acceleration, without some of the rubbing."""
    state, names = state.copy(), system.part_names("d")
    for f in without:
        state.d[[names.index(f.held.name()), names.index(f.direction.name())]] = 0
    if without:
        state.y = system.layout.start_y
    return float(np.max(np.abs(system.raw(state, "udot")), initial=0.0))


def jam(names: Iterable[str]) -> str:
    """The message for friction that increases the reaction to which it is in proportion, without bound."""
    return (f"{', '.join(names)}: friction and the reaction it is in proportion to increase each other without end; "
            "it jams in the midst of its motion (dynamic jamming, on the way to Painlevé's paradox). Reduce mu, or "
            "add compliance.")


def paradox(names: Iterable[str]) -> str:
    """The message where no accelerations are consistent with the friction that they cause."""
    return (f"{', '.join(names)}: no accelerations agree with the friction they cause (Painlevé's paradox). Likely: "
            "friction in proportion to a reaction that it increases itself, by more than its own share; reduce mu, or "
            "add compliance.")


def undefined_laws(system: System, state: State) -> list[str]:
    """Signals given to components, else loads, whose value is not finite at a state."""
    m, out = system.mechanism, []
    signals = {name: lambda name=name: m.signals[name] for name in m.signals}
    loads = {load.name: lambda load=load: load.motor.vector() if hasattr(load, "motor") else load.value
             for load in m.loads}
    for laws in (signals, loads):
        for name, law in laws.items():
            try:
                expression = law()
                reads = system.equations.laws.reads(expression)
                if any(m.variables[k].quantity in ACCELERATION for k in reads):
                    continue  # it follows the accelerations, which are not finite
                if not np.all(np.isfinite(system.names_table.value(expression, state))):
                    out.append(name)
            except (RuntimeError, LinkwrightError):
                continue  # it needs algebraic unknowns
        if out:
            break
    return out


def loose_joints(system: System, state: State) -> list[str]:
    """Joints of a tree with a mobility whose articulated inertia vanishes."""
    if not system.mechanism.is_tree:
        return []  # constraints may carry a joint that has no inertia of its own
    D = system.raw(state, "pivots")
    if not len(D):
        return []
    scale = np.max(np.abs(D[np.isfinite(D)]), initial=0.0)
    weak = ~np.isfinite(D) | (np.abs(D) <= LOOSE * scale)
    out = []
    for body, us in zip(system.mechanism.bodies, system.mechanism.slices()[1], strict=True):
        if np.any(weak[us]):
            out.append(body.joint)
    # a joint without inertia makes all joints inboard of it undefined too: the outermost is the cause
    return out[-1:]
