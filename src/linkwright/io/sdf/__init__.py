"""SDF: model files of Gazebo and Drake (sdformat.org, versions 1.4 to 1.11).

    scopes    named frames of a model and where they are (relative_to, attached_to)
    links     bodies, shapes, colours
    joints    joints between links, with limits, springs, friction and rotors
    reader    models, nested and included ones, worlds; what is free and what touches
"""

from .reader import read_sdf

__all__ = ["read_sdf"]
