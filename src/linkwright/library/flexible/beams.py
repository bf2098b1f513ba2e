"""Beams that bend far: chains of elements whose strains are their coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ...algebra import Scalar, Transform
from ...errors import ModelError
from ...language import Frame, PartsList
from ...language.fields import Variable, appearance, colour, parameter, signal, variable
from ...language.looks import BODY_COLOR
from ...language.ranges import NOT_NEGATIVE, POSITIVE
from ...mechanism.kinds import STRAIN_COMPONENTS as COMPONENTS
from ...mechanism.kinds import STRAIN_POINTS as POINTS
from ...mechanism.kinds import Strained, gauss, legendre, masses
from ..contact import Capsule
from ..tolerances import LONGEST_TURN, SMALL_STRAIN, STABLE_RK4
from .distributed import apply_along
from .natural import natural_motions
from .parts import FlexiblePart
from .sections import Material, Section, SectionStiffness, Steel

if TYPE_CHECKING:
    from ...language import Component
    from ..contact.shapes import ContactShape

STRAIN_NAMES = ("twist", "bending about y", "bending about z", "stretch", "shear along y", "shear along z")
#: strains that may change, by name: degrees of (κx κy κz γx γy γz) are the beam's own where True
STRAINS = {
    "bending": (True, True, True, False, False, False),
    "bending+stretch": (True, True, True, True, False, False),
    "all": (True, True, True, True, True, True),
    "planar": (False, False, True, False, False, False),
    "planar+stretch": (False, False, True, True, False, False),
    "planar all": (False, False, True, True, True, False),
    "stretch": (False, False, False, True, False, False),
}


#: what a cross-section may be
KINDS = (Section, SectionStiffness)


class AtStations(Variable):
    """A variable with three numbers at every station of a beam."""

    def shape_of(self, component: Component) -> tuple:
        return (len(component.stations), 3)


class SectionForces(AtStations):
    """Forces that strains determine: not there where the axis keeps its length, and a constraint holds it."""

    def present(self, component: Component) -> bool:
        return component.degrees[3] >= 0


class Beam(FlexiblePart):
    """A slender beam along x from frame_a to frame_b, with large bending, twist and stretch.

    `strains` selects the deformations: "bending" (with twist; the axis keeps its length), "bending+stretch", "all"
    (with shear), "planar" (bending in the x-y plane), "planar+stretch", "planar all", or "stretch" (a bar).  Every
    strain is a polynomial of `degree` 0, 1 or 2 in each of the `elements`.  `frames` lists fractions of the length at
    which further frames are placed: frame[0], frame[1], ….  `curvature` is the curvature of the unloaded beam.  For a
    tapered beam, give `section` as a function of the fraction of length.  `line_force` is a load per length, `drag` a
    mass-proportional damping.

    >>> Beam(length=1.0, section=flexible.Rectangle(height=0.02, width=0.005), material=flexible.Steel, frames=[0.5])
    """

    length = parameter(text="length", unit="m", only=POSITIVE)
    section = parameter(text="cross-section, such as flexible.Rectangle(height=…, width=…)", structural=True)
    material = parameter(Steel, "material", structural=True)
    elements = parameter(2, "number of elements over the whole length", structural=True)
    degree = parameter(2, "degree of the strains in each element: 0, 1 or 2", structural=True)
    strains = parameter("bending", "which strains may change", structural=True)
    frames = parameter(None, "further frames, at fractions of the length", structural=True)
    curvature = parameter([0.0, 0.0, 0.0], "twist and curvature of the unloaded beam about x, y, z", "1/m")
    damping = parameter(0.0, "damping in proportion to stiffness: ζ = ω·damping/2 at the frequency ω", "s",
                        only=NOT_NEGATIVE)
    drag = parameter(None, "damping in proportion to mass, against motion in the world: ζ = drag/(2 ω)", "1/s",
                     only=NOT_NEGATIVE)
    line_force = signal([0.0, 0.0, 0.0], "force per length on it, in world axes", "N/m", (3,), opens=False)
    line_shape = parameter(None, "factor on line_force: a function of the fraction of length", structural=True)
    E = parameter(None, "Young's modulus; default that of the material", "Pa")
    G = parameter(None, "shear modulus; default that of the material", "Pa")
    rho = parameter(None, "density; default that of the material", "kg/m3")

    deflection = variable("how far frame_b is from where it is when nothing is bent, in frame_a", "m", (3,))
    curvature_at = AtStations("curvatures (twist, about y, about z) with those of the unloaded beam", "1/m")
    strain = AtStations("curvatures (twist, about y, about z) beside those of the unloaded beam", "1/m")
    surface_strain = variable("largest strain of the material, by plane cross-sections")
    turn = variable("largest turn between two places of one element at which its pose is computed", "rad")
    section_moment = AtStations("moments in the cross-section about x, y, z", "N.m")
    section_force = SectionForces("forces in the cross-section along x, y, z", "N")

    animation = appearance(True, "whether it is shown")
    color = colour(BODY_COLOR, "its colour")

    def __init__(self, length: Scalar | None = None, **given: Any) -> None:
        if length is not None:
            given["length"] = length
        if "section" not in given:
            raise ModelError("Beam: section is needed: flexible.Rectangle(height=…, width=…), Circle(diameter=…), …")
        material = given.get("material", Steel)
        if not isinstance(material, Material):
            raise ModelError(f"Beam(material={material!r}): a material is needed, such as flexible.Steel or "
                             "flexible.Material(E=…, nu=…, rho=…).")
        given = {"E": material.E, "G": material.G, "rho": material.rho, **given}
        self.__dict__.update(_given=given, _nodes=_nodes(given))
        super().__init__(**given)

    #: of all its frames
    connector: type[Frame] = Frame

    # --- what it is made of ---

    @property
    def degrees(self) -> tuple[int, ...]:
        """Degrees of the six strains, −1 where one is frozen."""
        return tuple(self._given.get("degree", 2) if free else -1 for free in STRAINS[self._given.get("strains",
                                                                                                      "bending")])

    @property
    def size(self) -> int:  # type: ignore[override]
        return (len(self._nodes) - 1) * sum(d + 1 for d in self.degrees)

    @property
    def stations(self) -> np.ndarray:
        """Fractions of the length at which strains and section loads are given: ends and middle of every element."""
        return np.concatenate([np.linspace(a, b, 3) for a, b in zip(self._nodes[:-1], self._nodes[1:], strict=True)])

    def _make_connectors(self) -> None:
        self._port("frame_a", self.connector())
        self._port("frame_b", self.connector())
        further = sorted(self._given.get("frames") or ())
        own = [self._port(f"frame[{k}]", self.connector()) for k in range(len(further))]
        self.__dict__["frame"] = tuple(own)
        at = {0.0: self.frame_a, 1.0: self.frame_b, **dict(zip(map(float, further), own, strict=True))}
        joints = [at[node] if node in at else self._port(f"node[{k}]", self.connector())
                  for k, node in enumerate(self._nodes)]
        bases = [self._port(f"base[{k}]", self.connector()) for k in range(len(self._nodes) - 1)]
        self.__dict__.update(_joints=joints, _bases=bases)

    shows = ("displacement", "stress", "strain")

    def _check(self) -> None:
        super()._check()
        if self.section is not None and not isinstance(self.section, KINDS) and not callable(self.section):
            raise ModelError(f"{self.path}: section = {self.section!r} is none; give flexible.Rectangle(…), Circle(…), "
                             "Tube(…), IBeam(…), flexible.Section(…), SectionStiffness(…), or a function of the "
                             "fraction of length.", self)
        if self.line_shape is not None and not callable(self.line_shape):
            raise ModelError(f"{self.path}.line_shape must be a function of the fraction of length, such as "
                             "lambda s: 1 - s.", self)
        for name in ("E", "G", "rho"):
            if not getattr(self, name) > 0:
                raise ModelError(f"{self.path}.{name} = {getattr(self, name):g} must be positive.", self)
        weak = [c for c, degree in enumerate(self.degrees) for f in (0.0, 0.5, 1.0) if degree >= 0 and self.section
                and not self._section(f).stiffness(self.E, self.G)[c][c] > 0]
        if weak:
            raise ModelError(f"{self.path}: its section has no stiffness against {STRAIN_NAMES[weak[0]]}, which "
                             f"strains={self._given.get('strains', 'bending')!r} leaves free; give it some, or choose "
                             "other strains.", self)
        if self.degrees[0] >= 0 and self.section and any(not sum(self._section(f).mass(1.0)[1:]) > 0
                                                         for f in (0.0, 0.5, 1.0)):
            raise ModelError(f"{self.path}: its section has no inertia against twist; give rhoIy and rhoIz, or choose "
                             'strains="planar".', self)

    def pieces(self) -> list[str]:
        return [f"element[{k}]" for k in range(len(self._bases))]

    def _section(self, fraction: float) -> Section | SectionStiffness:
        found = self.section(fraction) if callable(self.section) else self.section
        if not isinstance(found, KINDS):
            raise ModelError(f"{self.path}: section({fraction:g}) gives {found!r}; it must give a section such as "
                             "flexible.Rectangle(…).", self)
        return found

    def _elements(self, plan: PartsList) -> list[Strained]:
        v, found = plan.values(self), []
        points, _ = masses(max(self.degrees))
        curvature = tuple(v.curvature[k] for k in range(3))
        for a, b in zip(self._nodes[:-1], self._nodes[1:], strict=True):
            sections = [self._section(a + (b - a) * x) for x in points]
            found.append(Strained(v.length * (b - a), self.degrees, tuple(
                s.mass(v.rho) for s in sections), curvature))
        return found

    def _stiffness(self, plan: PartsList, fraction: float) -> list[list[Scalar]]:
        """Of the section against the six strains; entries that are no number 0 count."""
        v = plan.values(self)
        return [[v.stiffness_scale * k for k in row] for row in self._section(fraction).stiffness(v.E, v.G)]

    def describe(self, plan: PartsList) -> None:
        for k, element in enumerate(self._elements(plan)):
            self.place(plan, f"element[{k}]", self._bases[k], element, {0: self._joints[k], 1: self._joints[k + 1]})
            for frame, end in zip(self._joints[k : k + 2], element.ends(), strict=True):
                plan.inertia(self.inner(f"element[{k}].{frame.name}"), frame, end)
        self.pull_back(plan)
        self._load_along(plan)
        plan.remark(self._fastest())
        plan.require(self, "surface_strain", "from t = {time:.4g} s on the material is strained by more than 2 %, by "
                     "{value:.1%} at most, which is outside of linear elasticity and of small strains of the "
                     "cross-section; check loads, section and Young's modulus", SMALL_STRAIN)
        plan.require(self, "turn", f"at t = {{time:.4g}} s one of its {len(self._bases)} elements is bent by "
                     f"{{value:.3g}} rad between two places, more than the series of its pose is exact for "
                     f"({LONGEST_TURN:g} rad); use more elements", LONGEST_TURN, fatal=True)
        self.rest(plan)

    def _load_along(self, plan: PartsList) -> None:
        """Tell what acts all along it, and keep what is lost to the drag."""
        acting, drag = "line_force" in self._signals, plan.values(self).drag if self.drag is not None else None
        lost = ca.SX(0)
        if acting or drag is not None:
            shape = self.line_shape or (lambda fraction: 1.0)
            line = (lambda fraction: float(shape(fraction)) * self.symbol("line_force", (3,))) if acting else None
            for k, element in enumerate(self._elements(plan)):
                lost = lost + apply_along(plan, self, self.inner(f"element[{k}]"), element,
                                          (self._nodes[k], self._nodes[k + 1]),
                                          (self._bases[k], self._joints[k], self._joints[k + 1]), line, drag)
        plan.keep(self, lost)

    def elastic(self, plan: PartsList) -> tuple[ca.SX, ca.SX]:
        blocks = []
        for (a, b), element in zip(zip(self._nodes[:-1], self._nodes[1:], strict=True), self._elements(plan),
                                   strict=True):
            K, coordinates = ca.SX(element.size, element.size), element.coordinates
            # ∫ P_i K P_j ds; of a prismatic beam h K/(2j + 1) on the diagonal
            for x, w in zip(*gauss(max(self.degrees) + 2), strict=True):
                stiff = self._stiffness(plan, a + (b - a) * x)
                for i, (c, p) in enumerate(coordinates):
                    for j, (other, r) in enumerate(coordinates):
                        if _is_there(stiff[c][other]) and (callable(self.section) or p == r):
                            K[i, j] += (w * legendre(p, x) * legendre(r, x)) * element.length * stiff[c][other]
            blocks.append(K)
        K = ca.diagcat(*blocks)
        return K, plan.values(self).damping * K

    def natural(self) -> tuple[np.ndarray, np.ndarray]:
        """Natural frequencies in rad/s, of the straight beam clamped at frame_a, and the mode shapes over q."""
        now = SimpleNamespace(values=lambda part: part.numbers())
        return natural_motions(self._elements(now), np.array(ca.DM(self.elastic(now)[0])))

    def frequencies(self) -> np.ndarray:
        """Natural frequencies while frame_a is held and nothing else loads it, in rad/s."""
        return self.natural()[0]

    def _fastest(self) -> str:
        """What is said of the highest frequency, which sets the step of a run."""
        frequencies, shapes = self.natural()
        now = SimpleNamespace(values=lambda part: part.numbers())
        kinds = [COMPONENTS[c] for element in self._elements(now) for c, _ in element.coordinates]
        energies = np.diag(np.array(ca.DM(self.elastic(now)[0]))) * shapes[:, -1] ** 2
        named = {"kappa_x": "twist", "kappa_y": "bending", "kappa_z": "bending", "gamma_x": "stretch"}
        strain = named.get(kinds[int(np.argmax(energies))], "shear")
        low, high = frequencies[[0, -1]] / 2 / np.pi
        return (f"{self.path}: its frequencies go from {low:.3g} to {high:.3g} Hz; the highest, of {strain}, sets the "
                f'step where nothing is stiffer (method="rk4" goes up to h={STABLE_RK4 / frequencies[-1]:.1g})')

    # --- how it is shown ---

    def station_fractions(self, each: int) -> list[float]:
        """Fractions of the length of the start and of `each` places in every element."""
        spans = zip(self._nodes[:-1], self._nodes[1:], strict=True)
        return [0.0, *[a + (b - a) * k / each for a, b in spans for k in range(1, each + 1)]]

    def poses(self, q: ca.SX, each: int) -> list[Transform]:
        """Poses of the cross-section at these places in frame_a, for the numbers that parameters are now."""
        start, n, out, X = self.numbers(), sum(d + 1 for d in self.degrees), [Transform()], Transform()
        for k, (a, b) in enumerate(zip(self._nodes[:-1], self._nodes[1:], strict=True)):
            points = len(masses(max(self.degrees))[0])
            element = Strained(start.length * (b - a), self.degrees, ((1.0, 1.0, 1.0),) * points,
                               tuple(map(float, start.curvature)))
            out += [X @ element.pose(q[k * n : (k + 1) * n], j / each) for j in range(1, each + 1)]
            X = out[-1]
        return out

    def shown_at(self, q: ca.SX, fractions: Sequence[float]) -> list[ca.SX]:
        """Largest strain of the material, or largest stress by von Mises (√(σ² + 3τ²)), at these places."""
        found, start, now = [], 0, self.numbers()
        for (a, b), element in zip(zip(self._nodes[:-1], self._nodes[1:], strict=True), self._elements(SimpleNamespace(
                values=lambda part: part.numbers())), strict=True):
            own, start = q[start : start + element.size], start + element.size
            inside = [f for f in fractions if a < f <= b or f == a == 0]
            for f in inside:
                xi = ca.SX(element.strain(own, (f - a) / (b - a), natural=False).vector())
                y, z, _ = self.outline(f)
                along = ca.fabs(xi[3]) + y * ca.fabs(xi[2]) + z * ca.fabs(xi[1])
                across = max(y, z) * ca.fabs(xi[0]) + ca.sqrt(xi[4] ** 2 + xi[5] ** 2)
                found.append(ca.fmax(along, across) if self.color_by == "strain"
                             else ca.sqrt((now.E * along) ** 2 + 3 * (now.G * across) ** 2))
        return found

    def outline(self, fraction: float) -> tuple[float, float, bool]:
        """The half extents of the cross-section along y and z, and whether it is round."""
        section = self._section(fraction)
        y, z = section.reach
        if not (y and z):  # of a section that was given by its numbers: the rectangle with the same stiffness
            y, z = np.sqrt(3 * section.Iz / section.A), np.sqrt(3 * section.Iy / section.A)
        return float(y), float(z), section.round

    def covering(self, span: float, radius: float | None, middle: float) -> ContactShape:
        """A contact shape that covers a piece of this length about its frame, at this fraction of the beam."""
        return Capsule(radius=float(max(self.outline(middle)[:2]) if radius is None else radius), length=span,
                       n=[1, 0, 0], animation=False)

    def is_damped(self) -> bool:
        return any(value is not None and bool(np.any(value != 0)) for value in (self.damping, self.drag))

    # --- results ---

    def definitions(self, plan: PartsList) -> dict:
        q, qd, _ = self.coordinates_of(plan)
        elements, d = self._elements(plan), plan.values(self).damping
        strain, whole, force, moment, start = [], [], [], [], 0
        stretched, turned = ca.SX(0), ca.SX(0)
        longest = max(np.diff(masses(max(self.degrees))[0]))
        for (a, b), element in zip(zip(self._nodes[:-1], self._nodes[1:], strict=True), elements, strict=True):
            own = slice(start, start := start + element.size)
            for x in (0.0, 0.5, 1.0):
                xi, rate = (ca.SX(element.strain(e[own], x, natural=False).vector()) for e in (q, qd))
                load = ca.sparsify(ca.vertcat(*[ca.horzcat(*row) for row in self._stiffness(
                    plan, a + (b - a) * x)])) @ (xi + d * rate)
                strain.append(xi[0:3].T)
                whole.append(ca.SX(element.strain(q[own], x).resultant).T)
                y, z, _ = self.outline(a + (b - a) * x)
                along = ca.fabs(xi[3]) + y * ca.fabs(xi[2]) + z * ca.fabs(xi[1])
                stretched = ca.fmax(stretched, ca.fmax(along, max(y, z) * ca.fabs(xi[0])))
                turned = ca.fmax(turned, longest * element.length * ca.norm_2(whole[-1].T))
                moment.append(load[0:3].T)
                force.append(load[3:6].T)
        a, b = self.frame_a, self.frame_b
        out = {**super().definitions(plan), "strain": ca.vertcat(*strain), "curvature_at": ca.vertcat(*whole),
               "section_moment": ca.vertcat(*moment),
               "deflection": a.R_WF.T @ (b.r_0 - a.r_0) - ca.SX(self._unbent(elements).p)}
        out["surface_strain"], out["turn"] = stretched, turned
        out["loss_power"] = out["loss_power"] + plan.kept(self)
        if self.degrees[3] >= 0:
            out["section_force"] = ca.vertcat(*force)
        return out

    @staticmethod
    def _unbent(elements: Sequence[Strained]) -> Any:
        X = elements[0].frame(1, np.zeros(elements[0].size))
        for element in elements[1:]:
            X = X @ element.frame(1, np.zeros(element.size))
        return X


def _is_there(entry: Scalar) -> bool:
    """Whether a stiffness is a symbol or a number other than 0."""
    return isinstance(entry, ca.SX) or entry != 0


def _nodes(given: dict) -> list[float]:
    """Fractions of the length at which elements begin and end; refused where what is given does not fit."""
    elements, degree = given.get("elements", 2), given.get("degree", 2)
    if not (isinstance(elements, int) and elements >= 1):
        raise ModelError(f"Beam(elements={elements!r}): one or more elements are needed.")
    if degree not in POINTS:
        raise ModelError(f"Beam(degree={degree!r}): the degree of the strains is 0, 1 or 2.")
    if given.get("strains", "bending") not in STRAINS:
        raise ModelError(f"Beam(strains={given['strains']!r}): choose one of {', '.join(map(repr, STRAINS))}.")
    frames = () if given.get("frames") is None else given["frames"]
    if not (isinstance(frames, list | tuple) and all(isinstance(f, Real) for f in frames)):
        raise ModelError(f"Beam(frames={frames!r}): a list of fractions of the length is needed, such as [0.25, 0.5].")
    frames = sorted(frames)
    for frame in frames:
        if not 0 < frame < 1:
            where = "is an end: frame_a, frame_b" if frame in (0, 1) else "lies beyond the ends (0 … 1)"
            raise ModelError(f"Beam(frames={list(frames)}): {frame:g} {where}.")
    if len(set(frames)) < len(frames):
        raise ModelError(f"Beam(frames={list(frames)}): two frames at one place; use one of them twice.")
    spans = [0.0, *map(float, frames), 1.0]
    nodes = [0.0]
    for a, b in zip(spans[:-1], spans[1:], strict=True):
        count = max(1, round(elements * (b - a)))
        nodes += [a + (b - a) * k / count for k in range(1, count)] + [b]
    return nodes


