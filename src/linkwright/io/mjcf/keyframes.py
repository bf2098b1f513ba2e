"""States of a model file that have names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import linkwright as lw

from ..markup import Element
from .bodies import Jointed, Tree
from .settings import from_quaternion

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


def places_of(system: lw.System, part: str) -> dict[str, int]:
    """Joint → where its coordinates (or speeds) begin."""
    out: dict[str, int] = {}
    for k, name in enumerate(system.part_names(part)):
        name = name.removeprefix("der(").removesuffix(")")
        out.setdefault(name.rpartition(".")[0] if not name.endswith("]") else name.partition("[")[0].rpartition(".")[0],
                       k)
    return out


def read_keyframes(section: Element, tree: Tree, drives: Mapping[str, Mapping[str, object]],
                   all_driven: bool) -> dict[str, Keyframe]:
    """All of a <keyframe> section, by name; controls and activations where all actuators were read."""
    joints = tuple(tree.parts.joints.values())
    wide, fast = (sum(table[joint.kind] for joint in joints) for table in (WIDTH, SPEEDS))
    inputs = [str(drive["input"]) for drive in drives.values()]
    activations = [f"{drive['activation']}.x" for drive in drives.values() if drive["activation"] is not None]
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
        raise key.error(f"{what} has {len(values)} numbers for {len(names)} actuators.")
    return dict(zip(names, values.tolist(), strict=True))
