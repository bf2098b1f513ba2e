"""Modal bodies: a floating frame and a few shapes."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ...errors import ModelError
from ...language import Frame, PartsList
from ...language.fields import appearance, colour, parameter
from ...language.looks import BODY_COLOR
from ...language.ranges import NOT_NEGATIVE
from ...mechanism.kinds import Modal, Place
from ..tolerances import NO_ENTRY
from .parts import FlexiblePart
from .reduced import Reduced


class ModalBody(FlexiblePart):
    """A body that bends by a little: shapes of a finite element model, of a file, or in closed form.

    `frames` are names of frames → numbers of nodes, beside those that the reduction has; frame_a is the body's own
    frame where no other is called so.  Damping is `zeta` of every shape, or one number each, beside that of the data.

    >>> m.arm = ModalBody(flexible.read_sid("Beam_3m.SID_FEM"), frames={"tip": 215}, zeta=0.01)
    """

    zeta = parameter(0.0, "damping ratio of every shape", only=NOT_NEGATIVE)
    mass_scale = parameter(1.0, "factor on the mass")
    data = parameter(text="what the body is reduced to", structural=True)
    frames = parameter(None, "names of frames → numbers of nodes", structural=True)
    stiffening = parameter(True, "whether bending draws points nearer, which makes it stiffer when it spins",
                           structural=True)

    animation = appearance(True, "whether it is shown")
    color = colour(BODY_COLOR, "its colour")
    exaggerate = appearance(1.0, "how many times farther than it is it is shown to bend")

    def __init__(self, data: Reduced | None = None, **given: Any) -> None:
        if not isinstance(data, Reduced):
            raise ModelError(f"ModalBody({data!r}): a reduced body is needed, such as flexible.read_sid(path), "
                             "flexible.reduce(…) or flexible.beam_modes(…).")
        names = dict(data.frames) | dict(given.get("frames") or {})
        for name, node in names.items():
            data.node(node, name)
        self.__dict__.update(_places=names, _reduced=data if given.get("stiffening", True)
                             else data.without_stiffening())
        super().__init__(data=data, **given)

    @property
    def size(self) -> int:  # type: ignore[override]
        return self._reduced.size

    def _make_connectors(self) -> None:
        self._port("base", Frame())
        if "frame_a" not in self._places:
            self._port("frame_a", Frame())
        for name in self._places:
            self._port(name, Frame())
        self.__dict__["frame"] = tuple(self._connectors[name] for name in self._places if name.startswith("frame["))

    @property
    def skin(self) -> tuple | None:
        """Points, shapes and triangles of its surface, where the data have them."""
        return self._reduced.skin

    def amplitudes(self, q: np.ndarray) -> np.ndarray:
        """Of all shapes, those that follow from q too."""
        C = self._reduced.quadratic
        return q if C is None else np.concatenate([q, np.einsum("akl,k,l->a", C, q, q) / 2])

    def pieces(self) -> list[str]:
        return ["shapes"]

    def describe(self, plan: PartsList) -> None:
        data, names = self._reduced, list(self._places)
        places = [data.node(self._places[name]) for name in names]
        frames = {k: self._connectors[name] for k, name in enumerate(names)}
        if "frame_a" not in names:
            frames = {0: self.frame_a, **{k + 1: frame for k, frame in frames.items()}}
            places = [Place.still(len(data.integrals.Ct)), *places]
        # the body hangs by the first of its frames that is held, so frame_a comes first
        frames = dict(sorted(frames.items(), key=lambda item: item[1].name != "frame_a"))
        bending = Modal(data.integrals, tuple(places), data.quadratic, plan.values(self).mass_scale)
        self.place(plan, "shapes", self.base, bending, frames)
        self.pull_back(plan)

    def elastic(self, plan: PartsList) -> tuple[ca.SX, ca.SX]:
        data, v = self._reduced, plan.values(self)
        from scipy.linalg import eigh

        mass = data.integrals.Me[: data.size, : data.size]
        squares, shapes = eigh(data.K, mass)
        # D = Me Φ diag(2 ζ ω) Φᵀ Me damps every natural shape by ζ
        whole = mass @ shapes
        natural = whole @ np.diag(2 * np.sqrt(np.maximum(squares, 0))) @ whole.T
        K = v.stiffness_scale * ca.SX(_clean(data.K))
        D = ca.SX(_clean(data.D)) + v.zeta * ca.sqrt(v.stiffness_scale * v.mass_scale) * ca.SX(_clean(natural))
        return K, D


def _clean(matrix: np.ndarray) -> np.ndarray:
    """Without entries that are rounding of its largest."""
    return np.where(np.abs(matrix) > NO_ENTRY * np.max(np.abs(matrix), initial=0.0), matrix, 0.0)
