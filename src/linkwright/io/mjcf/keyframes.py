"""States of a model file that have names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

import linkwright as lw

from ...algebra import rotation_angles
from ..markup import Element
from ..rotations import from_quaternion
from .bodies import Jointed, Tree

if TYPE_CHECKING:
    from .actuators import Drive

WIDTH = {"hinge": 1, "slide": 1, "ball": 4, "free": 7}
SPEEDS = {"hinge": 1, "slide": 1, "ball": 3, "free": 6}


@dataclass(frozen=True, eq=False)
class Keyframe:
    """A state by the file's coordinates: `state(system)` gives it for the compiled model.

        m = lw.read("robot.xml")
        system = lw.compile(m)
        r = lw.simulate(system, 2.0, state=m.keyframes["home"].state(system))
    """

    name: str
    t: float
    qpos: np.ndarray | None
    qvel: np.ndarray | None
    controls: dict[str, float]  # inputs by their names, for simulate(inputs=…)
    activations: dict[str, float]
    joints: tuple[Jointed, ...]

    def state(self, system: lw.System) -> lw.State:
        """The state of a system made of the model that was read."""
        state = system.state_from_defaults()
        state.t = self.t
        set_coordinates(system, state, self.joints, self.qpos, self.qvel)
        for name, value in (self.controls | self.activations).items():
            state.set(name, value)
        return system.assemble(state) if system.mechanism.constraints else state


def set_coordinates(system: lw.System, state: lw.State, joints: Sequence[Jointed], qpos: Sequence[float] | None,
                    qvel: Sequence[float] | None) -> None:
    """Put coordinates and speeds in MuJoCo's order into a state."""
    q_names, u_names = (places_of(system, part) for part in "qu")
    at_q = at_u = 0
    for joint in joints:
        path, R = joint.component.path, None
        if qpos is not None:
            part = np.asarray(qpos[at_q:at_q + WIDTH[joint.kind]], dtype=float)
            if joint.kind == "free":
                state.q[q_names[path]:q_names[path] + 7] = (*part[3:] / np.linalg.norm(part[3:]), *part[:3])
            elif joint.kind == "ball":
                state.q[q_names[path]:q_names[path] + 4] = part / np.linalg.norm(part)
            else:
                state.q[q_names[path]] = part[0]
        if qvel is not None:
            part = np.asarray(qvel[at_u:at_u + SPEEDS[joint.kind]], dtype=float)
            if joint.kind == "free":
                R = from_quaternion(None, state.q[q_names[path]:q_names[path] + 4])
                part = np.concatenate([part[3:], R.T @ part[:3]])
            state.u[u_names[path]:u_names[path] + len(part)] = part
        at_q, at_u = at_q + WIDTH[joint.kind], at_u + SPEEDS[joint.kind]


@dataclass(eq=False)
class Start:
    """Where a model starts: as a key of the file says, or (all None) as the file draws it."""

    element: Element | None = None
    qpos: np.ndarray | None = None
    qvel: np.ndarray | None = None
    controls: list[float] = field(default_factory=list)
    activations: list[float] = field(default_factory=list)

    def next_control(self) -> float:
        """The control of the next actuator in the file's order."""
        return self.controls.pop(0) if self.controls else 0.0

    def next_activation(self, otherwise: float = 0.0) -> float:
        """The activation of the next actuator that has one."""
        return self.activations.pop(0) if self.activations else otherwise

    def pass_over(self, dynamics: str, inputs: int = 1) -> None:
        """The numbers of an actuator that is left out; of a law of one's own nobody knows how many activations."""
        for _ in range(inputs):
            self.next_control()
        if dynamics in ("integrator", "filter", "filterexact", "muscle"):
            self.next_activation()
        elif dynamics not in ("none", "adhesion"):
            self.activations = []


def start_of(root: Element, key: str | int | bool | None, contact: bool) -> Start:
    """The start that was asked for by name or number; without one the first key where things touch or loops close.

    Files with loops are often drawn with them open, and keep the pose in which they close in a key.
    """
    keys = [child for section in root.children if section.tag == "keyframe" for child in section.children
            if child.tag == "key"]
    loops = any(bond.tag in ("connect", "weld") for section in root.children if section.tag == "equality"
                for bond in section.children)
    if key is False or key is None and not ((contact or loops) and keys):
        return Start()
    names = [element.attributes.get("name") or f"key_{k + 1}" for k, element in enumerate(keys)]
    if isinstance(key, str):
        chosen = keys[names.index(key)] if key in names else None
    else:
        number = 0 if key is None or key is True else key
        chosen = keys[number] if -len(keys) <= number < len(keys) else None
    if chosen is None:
        raise root.error(f"there is no keyframe {key!r}; the file has {', '.join(names) or 'none'}.")
    lists = [chosen.numbers(what) for what in ("ctrl", "act")]
    return Start(chosen, chosen.numbers("qpos"), chosen.numbers("qvel"),
                 *([] if values is None else values.tolist() for values in lists))


def set_start(tree: Tree, start: Start) -> None:
    """Let the joints start where a key says; beyond a stop they start at the stop."""
    joints = tree.parts.joints.values()
    wide, fast = (sum(table[joint.kind] for joint in joints) for table in (WIDTH, SPEEDS))
    for what, values, count in (("qpos", start.qpos, wide), ("qvel", start.qvel, fast)):
        if values is not None and len(values) != count:
            raise start.element.error(f"{what} is {count} numbers; got {len(values)}.")
    at_q = at_u = 0
    for joint in joints:
        q = None if start.qpos is None else start.qpos[at_q:at_q + WIDTH[joint.kind]]
        u = None if start.qvel is None else start.qvel[at_u:at_u + SPEEDS[joint.kind]]
        at_q, at_u = at_q + WIDTH[joint.kind], at_u + SPEEDS[joint.kind]
        if q is not None:
            _set_place(tree, start.element, joint, q)
        if u is not None and np.any(u):
            _set_speed(joint, q, u)


def _set_place(tree: Tree, key: Element, joint: Jointed, q: np.ndarray) -> None:
    component = joint.component
    if joint.kind == "free":
        component.start_at(r_rel_a=lw.guess(q[:3]))
    if joint.kind in ("free", "ball"):
        component.start_at(angles=lw.guess(rotation_angles(from_quaternion(key, q[-4:]))))
        return
    low, high = (getattr(component, name) for name in component.limits)
    inside = min(max(q[0], -np.inf if low is None else low), np.inf if high is None else high)
    if inside != q[0]:
        tree.report.remark(key, f"qpos of {joint.name} is {q[0]:g}, beyond its stop at {inside:g}, where it starts")
    component.start_at(**{"phi" if joint.kind == "hinge" else "s": lw.guess(float(inside))})


def _set_speed(joint: Jointed, q: np.ndarray | None, u: np.ndarray) -> None:
    component = joint.component
    if joint.kind in ("hinge", "slide"):
        component.start_at(**{"w" if joint.kind == "hinge" else "v": lw.guess(float(u[0]))})
        return
    if joint.kind == "free":
        component.start_at(v_rel_a=lw.guess(u[:3]))
    R = np.eye(3) if q is None else from_quaternion(None, q[-4:])
    component.start_at(w_rel_a=lw.guess(R @ u[-3:]))


def places_of(system: lw.System, part: str) -> dict[str, int]:
    """Joint → where its coordinates (or speeds) begin."""
    out: dict[str, int] = {}
    for k, name in enumerate(system.part_names(part)):
        name = name.removeprefix("der(").removesuffix(")")
        out.setdefault(name.rpartition(".")[0] if not name.endswith("]") else name.partition("[")[0].rpartition(".")[0],
                       k)
    return out


def read_keyframes(section: Element, tree: Tree, drives: Mapping[str, Drive],
                   all_driven: bool) -> dict[str, Keyframe]:
    """All of a <keyframe> section, by name; controls and activations where all actuators were read."""
    joints = tuple(tree.parts.joints.values())
    wide, fast = (sum(table[joint.kind] for joint in joints) for table in (WIDTH, SPEEDS))
    inputs = [name for drive in drives.values() for name in drive.inputs]
    activations = [f"{name}.x" for drive in drives.values() for name in drive.states]
    frames: dict[str, Keyframe] = {}
    for k, key in enumerate(section.all("key")):
        name = key.get("name") or f"key_{k + 1}"
        for unused in ("mpos", "mquat"):
            if key.get(unused) is not None:
                tree.report.approximate(key, f"{unused} is left out")
        frames[name] = Keyframe(name, key.number("time", 0.0), key.numbers("qpos", wide), key.numbers("qvel", fast),
                                _named(key, "ctrl", inputs, tree, all_driven),
                                _named(key, "act", activations, tree, all_driven), joints)
    return frames


def _named(key: Element, what: str, names: list[str], tree: Tree, all_driven: bool) -> dict[str, float]:
    """Numbers of a keyframe by the names they belong to."""
    values = key.numbers(what, None)
    if values is None:
        return {}
    if not all_driven:
        tree.report.approximate(key, f"{what} is left out, since actuators are")
        return {}
    if len(values) != len(names):
        raise key.error(f"{what} has {len(values)} numbers for {len(names)} "
                        f"{'inputs' if what == 'ctrl' else 'states'} of actuators.")
    return dict(zip(names, values.tolist(), strict=True))
