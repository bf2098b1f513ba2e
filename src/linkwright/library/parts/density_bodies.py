"""Bodies whose mass and inertia follow from a shape and a density."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np

from ...algebra import Array, Inertia, Scalar, VectorLike, is_symbolic, norm, rows
from ...errors import ModelError
from ...language import Component, Formula, PartsList
from ...language.fields import Parameter, parameter
from ...language.ranges import NOT_NEGATIVE
from ..tolerances import NO_LENGTH
from .bodies import BodyShape
from .links import two_axes


class DensityBody(BodyShape):
    """Base of bodies whose mass and inertia follow from a shape along r − r_shape and a density."""

    inertia = I_11 = I_22 = I_33 = I_21 = I_31 = I_32 = None
    shape_type = width_direction = width = height = extra = animate_sphere = sphere_diameter = sphere_color = None
    r_shape = parameter([0.0, 0.0, 0.0], "from frame_a to the start of the shape", "m")
    length = parameter(None, "length of the shape; default the distance from r_shape to r", "m", only=NOT_NEGATIVE)
    # mass and moments are in proportion to it
    density = parameter(7700.0, "density", "kg/m3", only=NOT_NEGATIVE, independent=True)
    length_direction = parameter(None, "direction of the shape; default r − r_shape", structural=True)
    width_fraction = 20.0
    measures: tuple[str, ...] = ()  # the parameters that `sizes` gives

    def __init__(self, **given: Any) -> None:
        Component.__init__(self, **given)

    @property
    def m(self) -> Formula:
        """The mass, as a formula of shape and density."""
        return self._follows(lambda v: self.mass_properties(v)[0])

    @property
    def r_cm(self) -> Formula:
        """The centre of mass, as a formula of the shape."""
        return self._follows(lambda v: self.mass_properties(v)[1])

    @property
    def I(self) -> Formula:  # noqa: E743
        """The tensor of inertia about the centre of mass, as a formula of shape and density."""
        return self._follows(lambda v: self.mass_properties(v)[2])

    def default_of(self, name: str) -> Formula | None:
        return self._follows(lambda v: self.sizes(v)[self.measures.index(name)]) if name in self.measures else None

    def _follows(self, law: Callable[[SimpleNamespace], object]) -> Formula:
        """What a law of the parameters gives, as a formula of them."""
        given = {name: field for name, field in type(self).fields().items() if isinstance(field, Parameter)}
        numbers = {name: field.number(self) for name, field in given.items()}
        free = {name: x for name, x in numbers.items() if x is not None and not given[name].structural}
        symbols = {**numbers, **{name: self.symbol(name, np.shape(x)) for name, x in free.items()}}
        number, expression = (law(SimpleNamespace(**v)) for v in (numbers, symbols))
        return Formula(number, ca.SX(expression), {(self, name): x for name, x in free.items()})

    def _check(self) -> None:
        reach = np.linalg.norm(np.asarray(self.r) - np.asarray(self.r_shape))
        if reach < NO_LENGTH and self._parameters.get("length") is None:
            raise ModelError(f"{self.path}: r and r_shape coincide, so the shape has no length; give r.", self)

    def _axis(self, v: SimpleNamespace) -> tuple[Array, Scalar]:
        """Unit vector along the shape, its length, and the rotation whose x axis is along r."""
        d = ca.SX(v.r - v.r_shape) if is_symbolic(v.r, v.r_shape) else np.asarray(v.r) - np.asarray(v.r_shape)
        length = norm(d) if v.length is None else v.length
        along = d / norm(d) if self.length_direction is None else np.asarray(self.length_direction, dtype=float)
        return along, length

    def _tensor(self, v: SimpleNamespace, I_axis: Scalar, I_width: Scalar, I_height: Scalar,
                width_direction: VectorLike) -> Array:
        R = two_axes(v.r, width_direction)
        D = rows((I_axis, 0, 0), (0, I_width, 0), (0, 0, I_height))
        return R @ D @ R.T

    def sizes(self, v: SimpleNamespace) -> tuple:
        """The measures of the shape, given or not."""
        raise NotImplementedError

    def mass_properties(self, v: SimpleNamespace) -> tuple[Scalar, Array, Array]:
        """(m, r_cm, tensor about the centre of mass)."""
        raise NotImplementedError

    def dyad(self, v: SimpleNamespace) -> Inertia:
        m, r_cm, tensor = self.mass_properties(v)
        if not is_symbolic(tensor):
            tensor = (tensor + tensor.T) / 2
        return Inertia(m, r_cm, tensor)

    def definitions(self, plan: PartsList) -> dict:
        m, r_cm, tensor = self.mass_properties(plan.values(self))
        out = super().definitions(plan)
        out.update({"m": ca.SX(m), "r_cm": ca.SX(r_cm), "I": ca.SX(tensor)})
        return out


class BodyBox(DensityBody):
    """A (hollow) box along r with mass and inertia from its density."""

    width_direction = parameter([0.0, 1.0, 0.0], "direction of the width", structural=True)
    width = parameter(None, "width; default length/20", "m", only=NOT_NEGATIVE)
    height = parameter(None, "height; default width", "m", only=NOT_NEGATIVE)
    inner_width = parameter(0.0, "width of the hollow", "m", only=NOT_NEGATIVE)
    inner_height = parameter(None, "height of the hollow; default inner_width", "m", only=NOT_NEGATIVE)
    measures = ("length", "width", "height", "inner_width", "inner_height")

    def check_settled(self) -> None:
        _, width, height, inner_width, inner_height = self.sizes(self.numbers())
        for name, inner, outer in (("width", inner_width, width), ("height", inner_height, height)):
            if inner > outer:
                raise ModelError(f"{self.path}: inner_{name} = {inner:g} must not be larger than {name} = {outer:g}.",
                                 self)
        super().check_settled()

    def sizes(self, v: SimpleNamespace) -> tuple[Scalar, ...]:
        """(length, width, height, inner width, inner height)."""
        _, length = self._axis(v)
        width = length / self.width_fraction if v.width is None else v.width
        height = width if v.height is None else v.height
        return length, width, height, v.inner_width, v.inner_width if v.inner_height is None else v.inner_height

    def mass_properties(self, v: SimpleNamespace) -> tuple[Scalar, Array, Array]:
        along, length = self._axis(v)
        L, W, H, Wi, Hi = self.sizes(v)
        m_o, m_i = v.density * L * W * H, v.density * L * Wi * Hi
        I_axis = (m_o * (W * W + H * H) - m_i * (Wi * Wi + Hi * Hi)) / 12
        I_width = (m_o * (L * L + H * H) - m_i * (L * L + Hi * Hi)) / 12
        I_height = (m_o * (L * L + W * W) - m_i * (L * L + Wi * Wi)) / 12
        return m_o - m_i, v.r_shape + along * (length / 2), self._tensor(v, I_axis, I_width, I_height,
                                                                           self.width_direction)


class BodyCylinder(DensityBody):
    """A (hollow) cylinder along r with mass and inertia from its density."""

    diameter = parameter(None, "diameter; default length/20", "m", only=NOT_NEGATIVE)
    inner_diameter = parameter(0.0, "diameter of the bore", "m", only=NOT_NEGATIVE)
    measures = ("length", "diameter", "inner_diameter")

    def check_settled(self) -> None:
        _, diameter, inner = self.sizes(self.numbers())
        if inner > 0 and inner >= diameter:
            raise ModelError(f"{self.path}: inner_diameter = {inner:g} must be smaller than diameter = {diameter:g}.",
                             self)
        super().check_settled()

    def sizes(self, v: SimpleNamespace) -> tuple[Scalar, ...]:
        """(length, diameter, inner diameter)."""
        _, length = self._axis(v)
        return length, length / self.width_fraction if v.diameter is None else v.diameter, v.inner_diameter

    def mass_properties(self, v: SimpleNamespace) -> tuple[Scalar, Array, Array]:
        along, _ = self._axis(v)
        L, D, Di = self.sizes(v)
        R, Ri = D / 2, Di / 2
        m_o, m_i = v.density * np.pi * L * R * R, v.density * np.pi * L * Ri * Ri
        I_axis = (m_o * R * R - m_i * Ri * Ri) / 2
        I_across = (m_o * (L * L + 3 * R * R) - m_i * (L * L + 3 * Ri * Ri)) / 12
        tensor = self._tensor(v, I_axis, I_across, I_across, [0.0, 1.0, 0.0])
        return m_o - m_i, v.r_shape + along * (L / 2), tensor
