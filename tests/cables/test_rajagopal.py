"""Rajagopal's two models of the whole body (80 muscles, many of their ways over cylinders) beside OpenSim: lengths,
tensions in equilibrium and accelerations at random poses.  LINKWRIGHT_OPENSIM_MODELS names a copy of
github.com/opensim-org/opensim-models.

OpenSim's wrap objects are approximate; its exact paths (Scholz2015GeometryPath) lie here over the same surfaces.  It
ends its search for equilibrium at some 1e-9 of the largest force, which decides how near tensions are.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import cables
from linkwright.library.cables.surfaces import Surface
from linkwright.library.tolerances import ARC_POINTS
from linkwright.start import StartProblem
from linkwright.system.event_programs import refresh

sys.path.insert(0, str(Path(__file__).parents[1] / "io"))
from test_osim import set_like

FOLDER = os.environ.get("LINKWRIGHT_OPENSIM_MODELS")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(
    not FOLDER or importlib.util.find_spec("opensim") is None,
    reason="LINKWRIGHT_OPENSIM_MODELS is not set, or opensim is not installed")]

#: asked for {"file", "ways": muscle → [None for its next point, or [surface, point on it], …]}
EXACT = """
import json, os, random, sys, opensim as o
o.Logger.setLevelString("Off")
asked = json.load(sys.stdin)
model = o.Model(asked["file"]); model.initSystem()
bodies = [model.getBodySet().get(k) for k in range(model.getBodySet().getSize())]
surfaces = {body.getWrapObject(name).getName(): (body, o.WrapCylinder.safeDownCast(body.getWrapObject(name)))
            for way in asked["ways"].values() for name, _ in filter(None, way)
            for body in bodies if body.getWrapObject(name) is not None}
for n, (name, way) in enumerate(asked["ways"].items()):
    muscle = model.updMuscles().get(name)
    old = muscle.getGeometryPath().getPathPointSet()
    old = [o.PathPoint.safeDownCast(old.get(k)) for k in range(old.getSize())]
    points = iter([(point.getParentFrame().getAbsolutePathString(), [point.get_location().get(k) for k in range(3)])
                   for point in old])
    muscle.set_path(o.Scholz2015GeometryPath())
    path = o.Scholz2015GeometryPath.safeDownCast(muscle.updPath())
    for j, stop in enumerate(way):
        if stop is None:
            frame, place = next(points)
            path.appendPathPoint(o.PhysicalFrame.safeDownCast(model.updComponent(frame)), o.Vec3(*place)); continue
        body, shape = surfaces[stop[0]]
        obstacle = o.ContactCylinder(shape.get_radius(), shape.get_translation(), shape.get_xyz_body_rotation(), body)
        obstacle.setName("obstacle_%d_%d" % (n, j)); model.addContactGeometry(obstacle)
        path.appendObstacle(model.updContactGeometrySet().get(obstacle.getName()), o.Vec3(*stop[1]))
state = model.initSystem()
muscles = [model.getMuscles().get(k) for k in range(model.getMuscles().getSize())]
coordinates = [model.getCoordinateSet().get(k) for k in range(model.getCoordinateSet().getSize())]
chance, poses = random.Random(1), []
for k in range(3):
    for c in coordinates:
        moves = k and not c.isConstrained(state)
        c.setValue(state, c.getDefaultValue() + (chance.uniform(-0.25, 0.25) if moves else 0.0), False)
    model.assemble(state)
    model.equilibrateMuscles(state)
    model.realizeAcceleration(state)
    poses.append([[c.getValue(state) for c in coordinates], [c.getAccelerationValue(state) for c in coordinates],
                  [m.getLength(state) for m in muscles], [m.getTendonForce(state) for m in muscles]])
print("RESULT " + json.dumps([[c.getName() for c in coordinates], [m.getName() for m in muscles], poses]), flush=True)
os._exit(0)  # OpenSim's destructors and Python's do not agree about who goes first
"""


def ways_of(m, system, state):
    """Way of every muscle that wraps: None for a point, (surface, place in its axes that the way passes) for a wrap."""
    ways, places, own = {}, [], {path: name for name, path in m.import_report.names["WrapCylinder"].items()}
    for name, path in m.import_report.names["Millard2012EquilibriumMuscle"].items():
        cable, way, knot = m._children[path], [], 0
        assert isinstance(cable, cables.Cable)
        for place in cable.route:
            wraps = isinstance(place.on, Surface)
            way.append([own[place.on.path], len(places)] if wraps else None)
            if wraps:
                places.append((f"{path}.at[{knot + ARC_POINTS // 2}]", f"{place.on.path}.frame_s"))
            knot += ARC_POINTS if wraps else 1
        if any(way):
            ways[name] = way
    found = system.evaluate(state, *[x for at, frame in places for x in (at, f"{frame}.R.T", f"{frame}.r_0")])
    for stop in (stop for way in ways.values() for stop in way if stop):
        at, R, p = found[3 * stop[1] : 3 * stop[1] + 3]
        stop[1] = (np.array(R) @ (np.ravel(at) - np.ravel(p))).tolist()
    return ways


@pytest.mark.parametrize("name", ["Rajagopal2016", "RajagopalLaiUhlrich2023"])
def test_lengths_tensions_and_accelerations(name):
    file = Path(FOLDER) / "Models/Rajagopal" / f"{name}.osim"
    m = lw.read(file, stops=False)  # OpenSim's clamped coordinates pass their bounds in motion
    system = lw.compile(m)
    state = system.state()
    ways = ways_of(m, system, state)
    assert len(ways) > 30
    done = subprocess.run([sys.executable, "-c", EXACT], input=json.dumps({"file": str(file), "ways": ways}),
                          capture_output=True, text=True, timeout=500)
    result = next((line for line in done.stdout.splitlines() if line.startswith("RESULT ")), None)
    assert result is not None, done.stderr[-500:]
    coordinates, named, poses = json.loads(result.removeprefix("RESULT "))
    paths = [m.import_report.names["Millard2012EquilibriumMuscle"][each] for each in named]
    problem = StartProblem(system)
    for values, accelerations, lengths, tensions in poses:
        T = set_like(system, state, m, {"coordinates": coordinates, "values": values})
        refresh(system, state)
        assert not problem.conditions.split().follow(problem, state)  # every fibre in equilibrium at this pose
        refresh(system, state)
        l, f = np.reshape(system.evaluate(state, *[f"{path}.{x}" for x in "lf" for path in paths]), (2, -1))
        np.testing.assert_allclose(l, lengths, rtol=0, atol=1e-10)
        np.testing.assert_allclose(f, tensions, rtol=1e-6, atol=1e-4)
        assert f.sum() == pytest.approx(sum(tensions), rel=5e-7)
        u = len(state.q) + np.arange(len(state.u))
        rates = np.array(system.rhs(system.layout.pack(state)))[u]
        np.testing.assert_allclose(rates, T @ accelerations, rtol=0, atol=2e-6 * np.abs(rates).max())
