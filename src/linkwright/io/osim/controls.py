"""Controllers of .osim files: what prescribes the controls of actuators and muscles over time."""

from __future__ import annotations

from collections.abc import Sequence

import linkwright as lw

from ...algebra import Scalar
from ..import_report import ImportReport
from ..markup import Element
from .coordinate_functions import KINDS, function_of_kind


def read_controls(controllers: Sequence[Element], report: ImportReport) -> dict[str, Scalar]:
    """Controls by the name of their actuator, as expressions of time; what is not known is noted."""
    found: dict[str, Scalar] = {}
    for controller in controllers:
        enabled = controller.first("enabled")
        if enabled is not None and enabled.words().lower() == "false":
            controller.leave()
            report.remark(controller, "it is not enabled, and is left out")
        elif controller.tag == "PrescribedController":
            found |= _prescribed(controller)
        else:
            report.ignore(controller, f"controllers of the kind {controller.tag} are not known here")
    return found


def _prescribed(controller: Element) -> dict[str, Scalar]:
    """One function for each actuator: of its name, or else in the order of the actuators."""
    listed = controller.first("actuator_list") or controller.first("socket_actuators")
    actuators = [word.split("/")[-1] for word in listed.words().split()] if listed is not None else []
    functions = controller.first("FunctionSet") or controller.first("ControlFunctions")
    objects = functions.first("objects") if functions is not None else None
    found: dict[str, Scalar] = {}
    for k, element in enumerate(objects.all(*KINDS) if objects is not None else ()):
        name = (element.get("name") or "").split("/")[-1]
        if name not in actuators and k < len(actuators):
            name = actuators[k]
        if not name:
            raise element.error("it does not say which actuator it controls.")
        found[name] = function_of_kind(element)(lw.time)
    return found
