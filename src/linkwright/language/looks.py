"""How components are shown: sizes and colours of their shapes, with Modelica's names.

None takes the default: from the world's nominal length, or from another size of the shape, as the text says.  Colours
are red, green, blue from 0 to 255.  No equation depends on any of these, so changing them compiles nothing.
"""

from __future__ import annotations

from .fields import appearance, colour
from .world_sizes import default_size

BODY_COLOR = (72, 120, 176)
ROD_COLOR = (158, 164, 172)
JOINT_COLOR = (104, 110, 120)
FORCE_COLOR = (40, 132, 84)
TORQUE_COLOR = (40, 132, 84)
SPRING_COLOR = (112, 92, 160)
SENSOR_COLOR = (226, 184, 56)
FRAME_COLOR = (52, 56, 64)
ARROW_COLOR = (56, 88, 152)
CABLE_COLOR = (60, 60, 70)
SLACK_COLOR = (165, 165, 170)
SURFACE_COLOR = (120, 170, 200)


class WorldLook:
    """Shapes of the world and the sizes that all other shapes start from."""

    def default_of(self, name: str) -> float | None:
        return default_size(self, name)

    label1 = appearance("x", "letter of the first axis")
    label2 = appearance("y", "letter of the second axis")
    axis_length = appearance(None, "length of the world's axes; default nominal_length/2", "m")
    axis_diameter = appearance(None, "their diameter; default axis_length/default_frame_diameter_fraction", "m")
    axis_show_labels = appearance(True, "show letters at the axes")
    axis_color_x = colour(FRAME_COLOR, "colour of the x axis")
    axis_color_y = colour(None, "colour of the y axis; default that of x")
    axis_color_z = colour(None, "colour of the z axis; default that of x")
    gravity_arrow_tail = appearance((0.0, 0.0, 0.0), "where the gravity arrow starts", "m")
    gravity_arrow_length = appearance(None, "its length; default axis_length/2", "m")
    gravity_arrow_diameter = appearance(None, "its diameter; default length/default_width_fraction", "m")
    gravity_arrow_color = colour((0, 230, 0), "its colour")
    gravity_sphere_diameter = appearance(None, "diameter of the body that attracts in a point field; default the "
                                               "Earth's where mu is, else default_body_diameter", "m")
    gravity_sphere_color = colour((0, 230, 0), "its colour")
    ground_axis_u = appearance(None, "first direction of the ground; default x, or y where gravity is along x")
    ground_length_u = appearance(None, "size of the ground along u; default: to the horizon", "m")
    ground_length_v = appearance(None, "size across; default ground_length_u", "m")
    ground_color = colour((200, 200, 200), "colour of the ground")
    default_axis_length = appearance(None, "axes of frames; default nominal_length/5", "m")
    default_joint_length = appearance(None, "joints; default nominal_length/10", "m")
    default_joint_width = appearance(None, "joints; default nominal_length/20", "m")
    default_force_length = appearance(None, "force elements; default nominal_length/10", "m")
    default_force_width = appearance(None, "force elements; default nominal_length/20", "m")
    default_body_diameter = appearance(None, "bodies; default nominal_length/9", "m")
    default_width_fraction = appearance(20.0, "two thirds of nominal_length over the width of rods")
    default_arrow_diameter = appearance(None, "arrows; default nominal_length/40", "m")
    default_frame_diameter_fraction = appearance(40.0, "length over diameter of axes")


class RodLook:
    """The shape along a rigid part."""

    shape_type = appearance("cylinder", "kind of shape, or a mesh file")
    r_shape = appearance((0.0, 0.0, 0.0), "from frame_a to the start of the shape", "m")
    length_direction = appearance(None, "direction of the length; default r − r_shape")
    width_direction = appearance((0.0, 1.0, 0.0), "direction of the width")
    length = appearance(None, "length; default the distance from r_shape to r", "m")
    width = appearance(None, "width; default that of all rods of the model", "m")
    height = appearance(None, "height; default width", "m")
    extra = appearance(0.0, "cone: ratio of diameters; pipe: hollow fraction; gearwheel: teeth; spring: windings; "
                            "mesh file: 1 scales it to the size")
    color = colour(ROD_COLOR, "colour")


class BodyLook:
    """The sphere of a body and the rod that leads to it."""

    sphere_diameter = appearance(None, "diameter of the sphere; default default_body_diameter", "m")
    sphere_color = colour(BODY_COLOR, "its colour")
    cylinder_diameter = appearance(None, "diameter of the rod; default sphere_diameter/3", "m")
    cylinder_color = colour(None, "its colour; default sphere_color")


class BodyShapeLook(RodLook):
    """The shape of a body with two frames, and a sphere at its centre of mass."""

    color = colour(BODY_COLOR, "colour")
    animate_sphere = appearance(True, "show a sphere at the centre of mass")
    sphere_diameter = appearance(None, "its diameter; default 2 width", "m")
    sphere_color = colour(None, "its colour; default color")
    cylinder_diameter = cylinder_color = None


class PointLook:
    """The sphere of a point mass."""

    sphere_diameter = appearance(None, "diameter; default default_body_diameter", "m")
    sphere_color = colour(BODY_COLOR, "colour")


class MarkerLook:
    """The small sphere of a marker."""

    diameter = appearance(0.014, "diameter", "m")
    color = colour((235, 110, 150), "colour")


class CylinderLook:
    """The cylinder of a joint, along its axis."""

    cylinder_length = appearance(None, "length; default default_joint_length", "m")
    cylinder_diameter = appearance(None, "diameter; default default_joint_width", "m")
    cylinder_color = colour(JOINT_COLOR, "colour")


class BoxLook:
    """The box of a sliding joint, from frame_a to frame_b."""

    box_width_direction = appearance((0.0, 1.0, 0.0), "direction of the width, in frame_a")
    box_width = appearance(None, "width; default default_joint_width", "m")
    box_height = appearance(None, "height; default box_width", "m")
    box_color = colour(JOINT_COLOR, "colour")


class SphereLook:
    """The sphere of a joint."""

    sphere_diameter = appearance(None, "diameter; default default_joint_length", "m")
    sphere_color = colour(JOINT_COLOR, "colour")


class ArrowLook:
    """An arrow that shows a relative motion or a measurement."""

    arrow_color = colour(SENSOR_COLOR, "colour")


class ForceLook:
    """A force arrow, or a torque arrow with two heads."""

    color = colour(FORCE_COLOR, "colour")


class WrenchLook:
    """Arrows of a force and of a torque."""

    force_color = colour(FORCE_COLOR, "colour of the force")
    torque_color = colour(TORQUE_COLOR, "colour of the torque")


class LineLook:
    """The line between the two ends of a force."""

    connection_line_diameter = appearance(None, "diameter; default default_arrow_diameter", "m")
    connection_line_color = colour(SENSOR_COLOR, "colour")


class SpringLook:
    """A helix."""

    width = appearance(None, "diameter of the helix; default default_force_width", "m")
    coil_width = appearance(None, "diameter of the wire; default width/10", "m")
    number_of_windings = appearance(5, "windings")
    color = colour(SPRING_COLOR, "colour")


class SpringMassLook(SpringLook):
    """A helix with a mass on it."""

    show_mass = appearance(True, "show the mass, if there is one")
    mass_diameter = appearance(None, "its diameter; default 0.9 (width − 2 coil_width)", "m")
    mass_color = colour(BODY_COLOR, "its colour")


class DamperLook:
    """Two cylinders that slide into one another."""

    length_a = appearance(None, "length of the cylinder at frame_a; default default_force_length", "m")
    diameter_a = appearance(None, "its diameter; default default_force_width", "m")
    diameter_b = appearance(None, "diameter of the one at frame_b; default 0.6 diameter_a", "m")
    color_a = colour((100, 100, 100), "colour at frame_a")
    color_b = colour(ROD_COLOR, "colour at frame_b")


class CableLook:
    """The tube of a cable."""

    diameter = appearance(None, "diameter; default default_arrow_diameter/2", "m")
    color = colour(CABLE_COLOR, "colour; where it is slack, grey")


class MuscleLook(CableLook):
    """The tube of a muscle, coloured by its activation from `color_relaxed` to `color`."""

    color = colour((200, 30, 30), "colour of full activation")
    color_relaxed = colour((40, 60, 190), "colour without activation")


class SurfaceLook:
    """The surface that cables wrap."""

    color = colour(SURFACE_COLOR, "colour")
    transparency = appearance(0.5, "0 opaque … 1 unseen")
