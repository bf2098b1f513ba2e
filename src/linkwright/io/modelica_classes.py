"""What the writer says of our components in Modelica: their classes (from the table `modelica.leaves`), and how their
parameters are spelled there (Modelica Standard Library 4).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import linkwright as lw

from ..errors import ModelError
from .modelica.leaves import LEAVES

if TYPE_CHECKING:
    from ..language import Component

#: classes of the Standard Library whose laws or connectors differ from ours, so that they are not written
OTHERWISE = ("SignTorque", "SignForce", "EddyCurrentTorque", "EddyCurrentForce", "RollingResistance", "Vehicle",
             "GeneralAngleToTorqueAdaptor", "GeneralTorqueToAngleAdaptor", "GeneralPositionToForceAdaptor",
             "GeneralForceToPositionAdaptor")

#: parameters whose spelling differs
SPELLED = {
    "r_cm": "r_CM", "rotation_type": "rotationType", "resolve_in_frame": "resolveInFrame",
    "enforce_states": "enforceStates", "use_quaternions": "useQuaternions", "sequence_angle_states":
    "sequence_angleStates", "inner_diameter": "innerDiameter", "inner_width": "innerWidth",
    "inner_height": "innerHeight", "shape_type": "shapeType", "length_direction": "lengthDirection",
    "width_direction": "widthDirection", "r_rod1_ia": "rRod1_ia", "r_rod2_ib": "rRod2_ib", "r_rod_ia": "rRod_ia",
    "torque_direction": "TorqueDirection", "force_direction": "ForceDirection", "start_time": "startTime",
    "step_torque": "stepTorque",
    "offset_torque": "offsetTorque", "compute_rod_length": "computeRodLength",
    "drive_train_mechanics_3d": "driveTrainMechanics3D",
    "loss_table": "lossTable", "heat_port": "heatPort",
}

#: how a shape looks, where the spelling is known; other sizes and colours are left to their defaults
LOOKS = ("animation", "shape_type", "length_direction", "width_direction", "r_shape", "length", "width", "height",
         "color")

@cache
def _written() -> dict[type, str]:
    """Our class → Modelica's, for those that are written."""
    found: dict[type, str] = {}
    for full, leaf in LEAVES.items():
        package: Any = lw
        for name in leaf.package.split(".") if leaf.package else ():
            package = getattr(package, name)
        if leaf.written:
            found.setdefault(getattr(package, leaf.name), full)
    return found


def own_class(part: Component) -> str | None:
    """The class that a component of one's own says it is in Modelica, by `modelica = "Library.Package.Class"`.

    Its law stands there, too.
    """
    return getattr(type(part), "modelica", None)


def class_of(part: Component) -> str:
    """Modelica's class of a component; one that is not there is refused by name."""
    name = type(part).__name__
    if own_class(part) is not None:
        return own_class(part)
    if (found := _written().get(type(part))) is not None:
        return found
    if name in OTHERWISE:
        raise ModelError(f"{part.path}: the Standard Library's {name} has other parameters, and is not written as "
                         "Modelica yet; write it by hand.", part)
    if isinstance(part, (lw.flexible.Beam, lw.flexible.ModalBody)):
        raise ModelError(f"{part.path}: the Modelica Standard Library has no parts that bend; put a rigid body in its "
                         "place, or export an FMU or C.", part)
    raise ModelError(f"{part.path}: the Modelica Standard Library has no {name} of this kind.", part)


def resolve_type(part: Component) -> str:
    """The enumeration that resolveInFrame of a component belongs to."""
    return "ResolveInFrameB" if type(part).__name__.startswith("World") else "ResolveInFrameAB"
