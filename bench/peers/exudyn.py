"""Exudyn: a kinematic tree in minimal coordinates under its own RK4; loops by its generalised-alpha method."""

from __future__ import annotations

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    MarkerBodyPosition,
    MarkerKinematicTreeRigid,
    NodeGenericODE2,
    ObjectGround,
    ObjectKinematicTree,
    SphericalJoint,
)

from .. import models
from . import Run

VERSION = exu.GetVersionString() if hasattr(exu, "GetVersionString") else exu.__version__
MOST, LONGEST = 128, 64  # of forward dynamics, of a simulation: its dense mass matrix makes more a matter of minutes


def _system(d: models.Description):
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    node = mbs.AddNode(NodeGenericODE2(referenceCoordinates=[0.0] * d.n, initialCoordinates=list(d.q),
                                       initialCoordinates_t=[0.0] * d.n, numberOfODE2Coordinates=d.n))
    kinds = (exu.JointType.RevoluteX, exu.JointType.RevoluteY, exu.JointType.RevoluteZ)
    turns, inertias, offsets, centres = (exu.Matrix3DList(), exu.Matrix3DList(), exu.Vector3DList(),
                                         exu.Vector3DList())
    for link in d.links:
        turns.Append(np.eye(3))
        inertias.Append(np.diag(models.INERTIA))
        offsets.Append(np.array(link.offset, dtype=float))
        centres.Append(np.array(models.CENTRE))
    body = mbs.AddObject(ObjectKinematicTree(
        nodeNumber=node, jointTypes=[kinds[link.axis] for link in d.links],
        linkParents=np.array([link.parent for link in d.links]), jointTransformations=turns, jointOffsets=offsets,
        linkInertiasCOM=inertias, linkCOMs=centres, linkMasses=[models.MASS] * d.n, gravity=list(models.GRAVITY)))
    if d.anchor is not None:
        ground = mbs.AddObject(ObjectGround())
        tip = mbs.AddMarker(MarkerKinematicTreeRigid(objectNumber=body, linkNumber=d.n - 1,
                                                     localPosition=list(models.TIP)))
        anchor = mbs.AddMarker(MarkerBodyPosition(bodyNumber=ground, localPosition=list(d.anchor)))
        mbs.AddObject(SphericalJoint(markerNumbers=[anchor, tip], constrainedAxes=[1, 1, 0]))
    mbs.Assemble()
    return container, mbs


def forward(d: models.Description) -> Run | None:
    """A quarter of a step of its RK4."""
    if d.anchor is not None or d.n > MOST:
        return None
    run = _run(d, 1e-4, max(10, 3000 // d.n))
    return Run(run.call, 4 * run.count)


def simulation(d: models.Description, h: float, steps: int) -> Run | None:
    return None if d.n > LONGEST else _run(d, h, steps)


def _run(d: models.Description, h: float, steps: int) -> Run:
    container, mbs = _system(d)
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps, settings.timeIntegration.endTime = steps, h * steps
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.displayStatistics = settings.displayComputationTime = False
    kinds = exu.DynamicSolverType
    kind = kinds.RK44 if d.anchor is None else kinds.GeneralizedAlpha

    def run():
        mbs.SolveDynamic(settings, solverType=kind, updateInitialValues=False, storeSolver=False)

    return Run(run, steps, lambda: (container, np.array(mbs.systemData.GetODE2Coordinates()))[1])
