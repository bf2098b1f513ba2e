"""Modal bodies: a floating frame and a few shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np

from ...errors import ModelError
from ...language import Frame, PartsList
from ...language.fields import appearance, colour, parameter, variable
from ...language.looks import BODY_COLOR
from ...language.ranges import NOT_NEGATIVE
from ...mechanism.kinds import Modal, Place
from ..tolerances import (
    BLOCK_ELEMENTS,
    ENOUGH_SHAPES,
    FAST_SPIN,
    NO_ENTRY,
    NO_PIVOT,
    ON_FACE,
    SLOW_SPIN,
    SMALL_ROTATION,
    TINY,
)
from .finite_elements import block_mesh
from .parts import FlexiblePart
from .reduced import Reduced
from .reduction import reduce
from .sections import Material, Steel


class ModalBody(FlexiblePart):
    """A body with small deformations: mode shapes of a finite element model, of a file, or in closed form.

    `frames` adds frames at nodes, {name: number of the node}, to those of the reduction; frame_a is the body's
    reference frame unless another frame has that name.  `zeta` is the damping ratio of every shape, or a list with one
    ratio for each; it is added to the damping of the data.

    >>> m.arm = ModalBody(flexible.read_sid("Beam_3m.SID_FEM"), frames={"tip": 215}, zeta=0.01)
    """

    zeta = parameter(0.0, "damping ratio of every shape", only=NOT_NEGATIVE)
    mass_scale = parameter(1.0, "factor on the mass")
    data = parameter(text="what the body is reduced to", structural=True)
    frames = parameter(None, "names of frames → numbers of nodes", structural=True)
    stiffening = parameter(True, "whether bending draws points nearer, which makes it stiffer when it spins",
                           structural=True)

    rotation = variable("largest rotation of a frame by the shapes", "rad")
    spin = variable("angular velocity of the body's own frame", "rad/s")

    animation = appearance(True, "whether it is shown")
    color = colour(BODY_COLOR, "its colour")
    exaggerate = appearance(1.0, "how many times farther than it is it is shown to bend")

    def __init__(self, data: Reduced | None = None, **given: Any) -> None:
        if not isinstance(data, Reduced):
            raise ModelError(f"ModalBody({data!r}): a reduced body is needed, such as flexible.read_sid(path), "
                             "flexible.reduce(…) or flexible.beam_modes(…).")
        _check_regular(data)
        frames = given.get("frames") or {}
        if not isinstance(frames, Mapping):
            raise ModelError(f"ModalBody(frames={frames!r}): names and numbers of nodes are needed, such as "
                             '{"tip": 12}.')
        names = dict(data.frames) | dict(frames)
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
    def left_out(self) -> float | None:
        """The first natural frequency in Hz that the reduction left out, where it is known."""
        return self._reduced.dropped

    @property
    def skin(self) -> tuple | None:
        """Points, shapes and triangles of its surface, where the data have them."""
        return self._reduced.skin

    @property
    def shows(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("displacement",) if self._reduced.stress is None else ("displacement", "stress")

    def displacement(self, node: int) -> ca.SX:
        """Of a node, in the body's own axes: an expression for outputs and formulas.

        >>> m.output("midspan", m.arm.displacement(12))
        """
        return ca.SX(self._reduced.node(node, "displacement").phi) @ self.followed(self.symbol("q", (self.size,)))

    def stress(self, node: int) -> ca.SX:
        """Von Mises's stress at a node, in Pa; known of meshes and blocks."""
        data = self._reduced
        if data.stress is None:
            raise ModelError(f"{self.path}.stress: only reductions of meshes and blocks know stresses.", self)
        data.node(node, "stress")
        return von_mises(ca.SX(data.stress[list(data.nodes).index(node)]) @ self.symbol("q", (self.size,)))

    def skin_stress(self, q: np.ndarray) -> np.ndarray:
        """Von Mises's stress at the points of the skin."""
        return von_mises(np.moveaxis(self._reduced.skin_stress @ q, 1, 0))

    def followed(self, q: ca.SX) -> ca.SX:
        """The amplitudes of all shapes, as symbols."""
        C = self._reduced.quadratic
        return q if C is None else ca.vertcat(q, *[ca.dot(q, ca.SX(c) @ q) / 2 for c in C])

    def amplitudes(self, q: np.ndarray) -> np.ndarray:
        """The amplitudes of all shapes, including those that follow from q."""
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
        self.rest(plan)
        plan.require(self, "rotation", "from t = {time:.4g} s on its shapes turn a frame by more than 0.1 rad, by "
                     "{value:.2g} rad at most: displacements are linear in the shapes, so this bends too far; use "
                     "flexible.Beam, or split the body", SMALL_ROTATION)
        for note in data.notes:
            if NEGATIVE in note:
                plan.remark(f"{self.path}: {note}")
        first = self.frequencies()[0]
        if data.quadratic is None:
            plan.require(self, "spin", f"from t = {{time:.4g}} s on it turns fast, at {{value:.3g}} rad/s beside its "
                         f"first frequency of {first:.3g} rad/s, without geometric stiffening; frequencies are too "
                         "low, or it is driven out", float(SLOW_SPIN * first))
        elif self.size < ENOUGH_SHAPES:
            plan.require(self, "spin", f"from t = {{time:.4g}} s on it turns fast, at {{value:.3g}} rad/s beside its "
                         f"first frequency of {first:.3g} rad/s, with {self.size} shapes; take more",
                         float(FAST_SPIN * first))

    def frequencies(self) -> np.ndarray:
        """Natural frequencies in rad/s, with the frame that carries the body held."""
        from scipy.linalg import eigh

        data = self._reduced
        return np.sqrt(np.maximum(eigh(data.K, data.integrals.Me[: data.size, : data.size], eigvals_only=True), 0.0))

    def definitions(self, plan: PartsList) -> dict:
        eta = self.followed(self.coordinates_of(plan)[0])
        turned = ca.SX(0)
        for name in self._places:
            turned = ca.fmax(turned, ca.norm_2(ca.SX(self._reduced.node(self._places[name]).psi) @ eta))
        return {**super().definitions(plan), "rotation": turned, "spin": ca.norm_2(self.base.symbol("w", (3,)))}

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

    def is_damped(self) -> bool:
        return bool(np.any(np.asarray(self.zeta) != 0) or np.any(self._reduced.D))


def Block(size: Sequence[float], material: Material = Steel, interfaces: Mapping[str, Any] | None = None,
          modes: int = 10, divisions: Sequence[int] | None = None, **given: Any) -> ModalBody:
    """A solid block or plate from x = 0 to its length, y and z about zero, by finite elements with 27 nodes each.

    Interfaces are faces "x-", "x+", "y-", …, or (centre, radius).  Each becomes a frame at its centre; the first one
    carries the block.  `divisions` are the numbers of elements along x, y, z.  Further arguments are those of
    ModalBody.

    >>> Block([1, 0.5, 0.01], flexible.Aluminium, interfaces={"a": "x-", "b": "x+"}, modes=10, zeta=0.01)
    """
    size = np.asarray(size, dtype=float)
    if size.shape != (3,) or not np.all(size > 0):
        raise ModelError(f"Block(size={np.ndarray.tolist(size)}): three positive lengths are needed.")
    if divisions is None:
        divisions = np.clip(np.round(BLOCK_ELEMENTS * size / size.max()), 1, None).astype(int)
    nodes, cells = block_mesh(size, divisions)
    low, high = nodes.min(axis=0), nodes.max(axis=0)
    chosen = {}
    for name, which in ({"a": "x-"} if interfaces is None else interfaces).items():
        if isinstance(which, str):
            if len(which) != 2 or which[0] not in "xyz" or which[1] not in "+-":
                raise ModelError(f'Block(interfaces={{{name!r}: {which!r}}}): a face is "x-", "x+", "y-", … "z+".')
            axis, end = "xyz".index(which[0]), high if which[1] == "+" else low
            which = np.flatnonzero(np.abs(nodes[:, axis] - end[axis]) < ON_FACE * size[axis]).tolist()
        chosen[name] = which
    return ModalBody(reduce(nodes=nodes, cells=cells, material=material, interfaces=chosen, modes=modes), **given)


#: by which a note of `read_sid` says that a run may fail
NEGATIVE = "negative kinetic energy"


def _check_regular(data: Reduced) -> None:
    """Every shape has mass and stiffness."""
    from scipy.linalg import eigvalsh

    n = data.size
    for matrix, what in ((data.integrals.Me[:n, :n], "mass"), (data.K, "stiffness")):
        least, *_, most = eigvalsh(matrix) if n > 1 else (matrix[0, 0], matrix[0, 0])
        if not least > NO_PIVOT * abs(most):
            raise ModelError(f"ModalBody: {data.title} has a shape without {what} (rigid motions are no shapes; two "
                             "shapes must not be the same).")


def von_mises(stress: Any) -> Any:
    """√(½ Σ (σ_i − σ_j)² + 3 Σ τ²) of xx yy zz xy yz zx."""
    x, y, z, a, b, c = (stress[k] for k in range(6))
    square = ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) / 2 + 3 * (a**2 + b**2 + c**2)
    return ca.sqrt(square + TINY) if isinstance(square, ca.SX) else np.sqrt(square)


def _clean(matrix: np.ndarray) -> np.ndarray:
    """Without entries that are rounding of its largest."""
    return np.where(np.abs(matrix) > NO_ENTRY * np.max(np.abs(matrix), initial=0.0), matrix, 0.0)
