"""What <compiler> and <option> say of the whole file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

import linkwright as lw

from ...algebra import axis_rotation
from ..import_report import ImportReport
from ..markup import Element
from ..rotations import from_quaternion
from ..tolerances import ENDLESS_DIRECTION, NO_DIRECTION, NO_TURN

SOLVER = ("impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance", "mpr_tolerance",
          "sleep_tolerance", "o_margin", "o_solref", "o_solimp", "o_friction", "integrator", "cone", "jacobian",
          "solver", "iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "mpr_iterations",
          "sdf_iterations", "sdf_initpoints", "collision", "apirate")
TOOLS = ("boundmass", "boundinertia", "balanceinertia", "settotalmass", "texturedir", "discardvisual", "convexhull",
         "usethread", "fitaabb", "fusestatic", "saveinertial", "savecanonical", "savecompiled", "conflict",
         "alignfree", "strippath", "exactmeshinertia")

#: an angle, or several
Angle = TypeVar("Angle", float, np.ndarray)


@dataclass
class Settings:
    """Angles, axes of Euler angles, gravity, folders, and where inertia comes from."""

    degrees: bool = True
    sequence: str = "xyz"
    from_geoms: str = "auto"
    groups: tuple[int, int] = (0, 5)
    autolimits: bool = True
    mesh_folder: str = ""
    strip: bool = False
    least_mass: float = 0.0
    least_inertia: float = 0.0
    balance: bool = False
    total_mass: float = -1.0
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    springs: bool = True
    dampers: bool = True
    drives: bool = True
    bonds: bool = True
    limits: bool = True
    friction: bool = True
    contact: bool = True
    filter_parents: bool = True
    magnetic: tuple[float, float, float] = (0.0, -0.5, 0.0)
    density: float = 0.0
    viscosity: float = 0.0
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)
    step: float = 0.002  # s, of the program the file was made for; bounds of setpoints' rates follow within one
    groups_off: frozenset[int] = frozenset()  # groups of actuators that do nothing

    def angle(self, value: Angle) -> Angle:
        """An angle of the file in radians."""
        return np.deg2rad(value) if self.degrees else value


def read_settings(root: Element, report: ImportReport) -> Settings:
    """All <compiler> and <option> elements, later ones on top."""
    settings = Settings()
    for compiler in root.all("compiler"):
        _compiler(compiler, settings, report)
    for option in root.all("option"):
        _option(option, settings, report)
    return settings


def _compiler(compiler: Element, settings: Settings, report: ImportReport) -> None:
    settings.degrees = compiler.choice("angle", ("degree", "radian"), "degree" if settings.degrees else "radian") \
        == "degree"
    settings.sequence = compiler.get("eulerseq", settings.sequence)
    if len(settings.sequence) != 3 or set(settings.sequence.lower()) - set("xyz"):
        raise compiler.error(f"eulerseq is three of x, y, z; got {settings.sequence!r}.")
    if compiler.get("coordinate", "local") != "local":
        raise compiler.error("coordinate is local; MuJoCo gave up global ones, too.")
    settings.from_geoms = compiler.choice("inertiafromgeom", ("auto", "true", "false"), settings.from_geoms)
    low, high = compiler.numbers("inertiagrouprange", 2, settings.groups)
    settings.groups = (int(low), int(high))
    settings.autolimits = compiler.flag("autolimits", settings.autolimits)
    settings.mesh_folder = compiler.get("meshdir", compiler.get("assetdir", settings.mesh_folder))
    settings.strip = compiler.flag("strippath", settings.strip)
    settings.least_mass = compiler.number("boundmass", settings.least_mass)
    settings.least_inertia = compiler.number("boundinertia", settings.least_inertia)
    settings.balance = compiler.flag("balanceinertia", settings.balance)
    settings.total_mass = compiler.number("settotalmass", settings.total_mass)
    if compiler.flag("alignfree"):
        report.approximate(compiler, "alignfree: free bodies keep the frames the file gives them")
    for name in TOOLS:
        compiler.get(name)
    for child in compiler.all("lengthrange"):
        report.pass_over(child)


def _option(option: Element, settings: Settings, report: ImportReport) -> None:
    settings.gravity = tuple(option.numbers("gravity", 3, settings.gravity))
    settings.density, settings.viscosity = (option.number(name, getattr(settings, name))
                                            for name in ("density", "viscosity"))
    if settings.density < 0 or settings.viscosity < 0:
        raise option.error("density and viscosity of a fluid cannot be negative.")
    settings.wind, settings.magnetic = (tuple(option.numbers(name, 3, getattr(settings, name)))
                                        for name in ("wind", "magnetic"))
    off = option.numbers("actuatorgroupdisable")
    settings.groups_off = settings.groups_off if off is None else frozenset(int(group) for group in off)
    settings.step = option.number("timestep", settings.step)
    if settings.step <= 0:
        raise option.error(f"timestep = {settings.step:g} must be positive.")
    for name in SOLVER:
        option.get(name)  # how another program steps is no part of the mechanism
    for flag in option.all("flag"):
        on = {name: (flag.get(name) or "enable") == "enable"
              for name in ("gravity", "passive", "spring", "damper", "actuation", "equality", "limit", "frictionloss",
                           "constraint", "contact", "filterparent")}
        if not on["gravity"]:
            settings.gravity = (0.0, 0.0, 0.0)
        settings.springs &= on["passive"] and on["spring"]
        settings.dampers &= on["passive"] and on["damper"]
        settings.drives &= on["actuation"]
        settings.bonds &= on["equality"] and on["constraint"]
        settings.limits &= on["limit"] and on["constraint"]
        settings.friction &= on["frictionloss"] and on["constraint"]
        settings.contact &= on["contact"] and on["constraint"]
        settings.filter_parents &= on["filterparent"]
        for name in flag.attributes:
            flag.get(name)


def pose(element: Element, settings: Settings) -> lw.Transform:
    """pos and one of quat, axisangle, xyaxes, zaxis, euler."""
    return lw.Transform(orientation(element, settings), element.numbers("pos", 3, (0, 0, 0)))


def orientation(element: Element, settings: Settings) -> np.ndarray:
    """R of one of quat (scalar first), axisangle, xyaxes, zaxis, euler."""
    kinds = ("axisangle", "xyaxes", "zaxis", "euler", "quat")
    given = [name for name in kinds if (element.get(name) or "").strip() and name in element.attributes]
    given += [name for name in kinds if (element.get(name) or "").strip() and name in element.inherited]
    if not given:
        return np.eye(3)
    name = given[0]
    values = element.numbers(name, {"axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3, "quat": 4}[name])
    assert values is not None, "it is among the attributes"
    if name == "quat":
        return from_quaternion(element, values)
    if name == "axisangle":
        return axis_rotation(direction(element, values[:3], name), settings.angle(values[3]))
    if name == "xyaxes":
        x = direction(element, values[:3], name)
        y = direction(element, values[3:] - x * (x @ values[3:]), name)
        return np.column_stack([x, y, np.cross(x, y)])
    if name == "zaxis":
        return least_turn(direction(element, values, name))
    return euler(settings.sequence, settings.angle(values))


def euler(sequence: str, angles: Sequence[float]) -> np.ndarray:
    """Small letters turn about moving axes, R = R₁ R₂ R₃; capitals about fixed ones, in front."""
    R = np.eye(3)
    about = {"x": lw.rotation_x, "y": lw.rotation_y, "z": lw.rotation_z}
    for letter, angle in zip(sequence, angles, strict=True):
        turn = about[letter.lower()](angle)
        R = R @ turn if letter.islower() else turn @ R
    return R


def least_turn(z: np.ndarray) -> np.ndarray:
    """The rotation that takes the z axis to a unit vector about the axis perpendicular to both."""
    axis = np.array([-z[1], z[0], 0.0])
    sine = np.linalg.norm(axis)
    if sine < NO_TURN:
        return np.eye(3) if z[2] > 0 else lw.rotation_x(np.pi)
    return axis_rotation(axis / sine, np.arctan2(sine, z[2]))


def direction(element: Element, v: Sequence[float], what: str) -> np.ndarray:
    """A vector at length one."""
    size = np.linalg.norm(v)
    if not NO_DIRECTION < size < ENDLESS_DIRECTION:
        raise element.error(f"{what} has no direction.")
    return np.asarray(v) / size
