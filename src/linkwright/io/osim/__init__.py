"""OpenSim models (.osim of OpenSim 4): skeletons of bodies on joints with functions.

    reader       the model: bodies, joints, constraints, shapes of contact
    mobility     which joint of ours an OpenSim joint is
    functions    functions of coordinates, splines among them
"""

from .reader import read_osim

__all__ = ["read_osim"]
