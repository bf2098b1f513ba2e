"""Muscles of .osim files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import linkwright as lw

from ..building import Building
from ..markup import Element
from .coordinate_functions import values
from .paths import Paths

COMMON = {"max_isometric_force": "F_max", "optimal_fiber_length": "l_opt", "tendon_slack_length": "l_slack",
          "pennation_angle_at_optimal": "alpha", "max_contraction_velocity": "v_max"}
THELEN = {"FmaxTendonStrain": "strain_tendon", "FmaxMuscleStrain": "strain_fiber", "KshapeActive": "k_active",
          "KshapePassive": "k_passive", "Af": "A_f", "Flen": "F_len", "fv_linear_extrap_threshold": "threshold",
          "activation_time_constant": "tau_activation", "deactivation_time_constant": "tau_deactivation",
          "minimum_activation": "a_min"}
MILLARD = {"activation_time_constant": "tau_activation", "deactivation_time_constant": "tau_deactivation",
           "minimum_activation": "a_min", "fiber_damping": "damping"}
DEGROOTE = {"activation_time_constant": "tau_activation", "deactivation_time_constant": "tau_deactivation",
            "active_force_width_scale": "width_scale", "fiber_damping": "damping",
            "passive_fiber_strain_at_one_norm_force": "strain_fiber",
            "tendon_strain_at_one_norm_force": "strain_tendon"}
#: what OpenSim's classes have where a file says nothing
DEFAULTS = {"max_isometric_force": 1000.0, "optimal_fiber_length": 0.1, "tendon_slack_length": 0.2}
#: curves of Millard's muscle: element, parameter here, entries in its order with their defaults
CURVES = (
    ("ActiveForceLengthCurve", "active", (("min_norm_active_fiber_length", 0.4441),
                                          ("transition_norm_fiber_length", 0.73),
                                          ("max_norm_active_fiber_length", 1.8123),
                                          ("shallow_ascending_slope", 0.8616))),
    ("ForceVelocityCurve", "velocity", (("max_eccentric_velocity_force_multiplier", 1.4),
                                        ("concentric_slope_near_vmax", 0.25), ("isometric_slope", 5.0),
                                        ("eccentric_slope_near_vmax", 0.15), ("concentric_curviness", 0.6),
                                        ("eccentric_curviness", 0.9))),
    ("FiberForceLengthCurve", "passive", (("strain_at_zero_force", 0.0), ("strain_at_one_norm_force", 0.7),
                                          ("stiffness_at_low_force", 0.2), ("stiffness_at_one_norm_force", None),
                                          ("curviness", 0.75))),
    ("TendonForceLengthCurve", "tendon_curve", (("strain_at_one_norm_force", 0.049),
                                                ("stiffness_at_one_norm_force", None),
                                                ("norm_force_at_toe_end", 2 / 3), ("curviness", 0.5))))
#: settings of other studies
PASSED = (
    "optimal_force", "min_control", "max_control", "default_fiber_length", "use_fiber_damping",
    "clamp_normalized_tendon_length", "maximum_pennation_angle", "tendon_compliance_dynamics_mode",
    "default_normalized_tendon_force", "ignore_passive_fiber_force", "TendonForceLengthCurve", "minimum_value",
    "concentric_slope_at_vmax", "eccentric_slope_at_vmax",
)


def read_muscle(element: Element, building: Building, paths: Paths, controls: Mapping[str, Any]) -> None:
    """A muscle of the file as one of ours; what is not known is noted."""
    makers: dict[str, Callable] = {"Thelen2003Muscle": _thelen, "Millard2012EquilibriumMuscle": _millard,
                                   "DeGrooteFregly2016Muscle": _degroote, "RigidTendonMuscle": _rigid}
    if element.tag not in makers:
        building.report.ignore(element, f"muscles of the kind {element.tag} are not known here")
        return
    if not switch(element, "appliesForce", True):
        element.leave()
        building.report.remark(element, "it applies no force, and is left out")
        return
    route = paths.route(element)
    given: dict[str, Any] = {}
    for tag, name in COMMON.items():
        value = values(element, tag, 1, (DEFAULTS[tag],) if tag in DEFAULTS else None)
        if value is not None:
            given[name] = float(value[0])
    kind = makers[element.tag](element, given, building)
    start = values(element, "default_activation", 1)
    if start is not None and given.get("activation", "first_order") is not None and kind is not lw.muscles.RigidTendon:
        given["a"] = float(start[0])
    for tag in PASSED:
        if element.first(tag) is not None:
            element.first(tag).leave()
    if element.need("name") in controls:
        given["excitation"] = controls[element.need("name")]
    muscle = building.make(element, kind, route=route, **given)
    building.add(element.need("name"), muscle, element)


def _numbers(element: Element, names: dict[str, str], given: dict[str, Any]) -> None:
    for tag, name in names.items():
        value = values(element, tag, 1)
        if value is not None:
            given[name] = float(value[0])


def _options(element: Element, given: dict[str, Any]) -> None:
    if switch(element, "ignore_activation_dynamics", False):
        given["activation"] = None
    if switch(element, "ignore_tendon_compliance", False):
        given["tendon"] = "rigid"


def _thelen(element: Element, given: dict[str, Any], building: Building) -> type:
    _numbers(element, THELEN, given)
    _options(element, given)
    if given.pop("tendon", "") == "rigid":
        building.report.approximate(element, "ignore_tendon_compliance: its tendon is elastic here")
    return lw.muscles.Thelen2003


def _millard(element: Element, given: dict[str, Any], building: Building) -> type:
    _numbers(element, MILLARD, given)
    _options(element, given)
    if given.get("damping") == 0.0:
        del given["damping"]
        building.report.approximate(element, "fiber_damping 0: it has the damping 0.1 here")
    for tag, name, entries in CURVES:
        curve = element.first(tag)
        if curve is None:
            continue
        for spare in PASSED:
            if curve.first(spare) is not None:
                curve.first(spare).leave()
        found = []
        for entry, default in entries:
            child = curve.first(entry)
            given_here = child is not None and child.words()  # optional ones may be left empty
            found.append(float(values(curve, entry, 1)[0]) if given_here else default)
        given[name] = tuple(found)
    return lw.muscles.Millard2012


def _degroote(element: Element, given: dict[str, Any], building: Building) -> type:
    _numbers(element, DEGROOTE, given)
    _options(element, given)
    if switch(element, "ignore_passive_fiber_force", False):
        given["passive_fiber"] = False
    return lw.muscles.DeGrooteFregly2016


def _rigid(element: Element, given: dict[str, Any], building: Building) -> type:
    for tag, name in (("active_force_length_curve", "active"), ("passive_force_length_curve", "passive"),
                      ("force_velocity_curve", "velocity")):
        holder = element.first(tag)
        spline = holder.first("SimmSpline") if holder is not None else None
        if spline is not None:
            given[name] = tuple(tuple(values(spline, axis)) for axis in "xy")
    return lw.muscles.RigidTendon


def switch(element: Element, tag: str, default: bool) -> bool:
    """A child that says true or false."""
    child = element.first(tag)
    return default if child is None else child.words().lower() == "true"
