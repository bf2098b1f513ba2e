"""Pulls as the tags of MJCF: fixed tendons and actuators on joints, tendons and sites."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import linkwright as lw

from .links_and_joints import Skeleton
from .written_drives import Pull, Share
from .xml_text import Tag

Word = Callable[[str], str]
#: a site on the ground whose axes are the world's
GROUND = "world_axes"


class ActuatorWriter:
    """Writes the drives of a model; `owners` are the tags of its bodies, `place` gives pos and quat of a pose."""

    def __init__(self, skeleton: Skeleton, owners: Mapping[int | None, Tag], word: Word,
                 place: Callable[[lw.Transform], dict[str, object]]) -> None:
        self.skeleton, self.owners, self.word, self.place = skeleton, owners, word, place
        self.tendons, self.actuators = Tag("tendon"), Tag("actuator")

    def write(self, root: Tag, pulls: Sequence[Pull]) -> None:
        """Add tendons and actuators."""
        for pull in pulls:
            if not self._spring(pull):
                self._actuator(pull)
        for section in (self.tendons, self.actuators):
            if section.children:
                root.add(section)
    def tendon(self, name: str, joints: Sequence[object], coefficients: Sequence[float], **given: Any) -> None:
        """A fixed tendon over joints."""
        tag = self.tendons.add("fixed", name=name, **given)
        for joint, coefficient in zip(joints, coefficients, strict=True):
            tag.add("joint", joint=self.word(joint.path), coef=coefficient)

    def _spring(self, pull: Pull) -> bool:
        """A tendon that is a spring and a damper: F = −k (L − L₀) − d L̇, L₀ ≥ 0."""
        b0, stiffness, damping = pull.law.bias[0], -pull.law.bias[1], -pull.law.bias[2]
        if pull.control is not None or pull.target.kind != "axes" or stiffness < 0 or damping < 0 \
                or pull.law.force_range or (b0 and not stiffness):
            return False
        rest = b0 / stiffness if stiffness else 0.0
        given = {"stiffness": stiffness, "springlength": abs(rest)} if stiffness else {}
        name = self.word(pull.shares[0].part.path).partition("_on_")[0]
        sign = -1.0 if rest < 0 else 1.0
        self.tendon(name, [share.joint for share in pull.shares], sign * pull.target.gear, **given,
                    **({"damping": damping} if damping else {}))
        return True

    def _actuator(self, pull: Pull) -> None:
        name = self.word(pull.control or pull.shares[0].part.path)
        self.actuators.add("general", name=name, **self._target(name, pull), **_law(pull))

    def _target(self, name: str, pull: Pull) -> dict[str, object]:
        """What an actuator drives, and its gear."""
        shares, target = pull.shares, pull.target
        if target.kind == "axes":
            if len(shares) == 1:
                return {"joint": self.word(shares[0].joint.path)}
            self.tendon(f"{name}_tendon", [share.joint for share in shares], target.gear)
            return {"tendon": f"{name}_tendon"}
        if target.kind != "site":
            return {"jointinparent" if target.outside else "joint": self.word(target.joint.path), "gear": target.gear}
        return {"site": self._site(shares[0]), **({"refsite": self._ground()} if target.outside else {}),
                "gear": target.gear}

    def _site(self, share: Share) -> str:
        body, X = self.skeleton.frame(f"{share.part.path}.frame_b")
        name = f"{self.word(share.part.path)}_site"
        self.owners[body].add("site", name=name, **self.place(X))
        return name

    def _ground(self) -> str:
        world = self.owners[None]
        if not any(tag.attributes.get("name") == GROUND for tag in world.children):
            world.add("site", name=GROUND)
        return GROUND


def _law(pull: Pull) -> dict[str, object]:
    """The attributes of gain, bias, activation and bounds."""
    law, activation = pull.law, pull.activation
    gain = law.gain if pull.control is not None else np.zeros(3)
    given: dict[str, object] = {"gainprm": gain} if np.any(gain[1:]) else {"gainprm": gain[:1]}
    given["gaintype"] = "affine" if np.any(gain[1:]) else "fixed"
    if np.any(law.bias):
        given |= {"biastype": "affine", "biasprm": law.bias}
    if activation is not None:
        given |= {"dyntype": activation.kind, "dynprm": [activation.time]}
    ranges = (("ctrlrange", law.control_range if activation is None else activation.control_range),
              ("actrange", None if activation is None else activation.bounds), ("forcerange", law.force_range))
    return given | {what: bounds for what, bounds in ranges if bounds is not None}
