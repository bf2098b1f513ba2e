"""Every way over surfaces in OpenSim's arm26, at the default pose and near it, beside Simbody's CableSpan; and the
forces of every cable, which add up to nothing.  LINKWRIGHT_OPENSIM_MODELS names a copy of
github.com/opensim-org/opensim-models.

OpenSim's wrap objects are approximate; its exact paths (Scholz2015GeometryPath) are laid here over the same surfaces,
in the places that Linkwright finds for bodies and points.  OpenSim runs in a process of its own.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import cables
from linkwright.library.cables.surfaces import Surface
from linkwright.library.tolerances import ARC_POINTS
from linkwright.system.event_programs import refresh

FOLDER = os.environ.get("LINKWRIGHT_OPENSIM_MODELS")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(
    not FOLDER or importlib.util.find_spec("opensim") is None,
    reason="LINKWRIGHT_OPENSIM_MODELS is not set, or opensim is not installed")]

#: asked for ways: [first point, [(shape, size, place, three angles, hint), …] or points, …, last point]
SPAN = """
import json, os, sys, opensim as o
o.Logger.setLevelString("Off")
lengths = []
for way in json.load(sys.stdin):
    m = o.Model(); g = m.getGround()
    s = o.PathSpring("ps", 0.0, 1.0, 0.0); s.set_path(o.Scholz2015GeometryPath()); m.addForce(s)
    path = o.Scholz2015GeometryPath.safeDownCast(s.updPath())
    for k, stop in enumerate(way):
        if len(stop) == 3:
            path.appendPathPoint(g, o.Vec3(*stop)); continue
        kind, size, place, angles, hint = stop
        place, angles = o.Vec3(*place), o.Vec3(*angles)
        shape = o.ContactEllipsoid(o.Vec3(*size), place, angles, g) if kind == "Ellipsoid" else (
            o.ContactSphere(size, place, g) if kind == "Sphere" else o.ContactCylinder(size, place, angles, g))
        shape.setName("obs%d" % k); m.addComponent(shape)
        path.appendObstacle(o.ContactGeometry.safeDownCast(m.getComponent("obs%d" % k)), o.Vec3(*hint))
    state = m.initSystem(); m.realizePosition(state)
    lengths.append(s.getPath().getLength(state))
print("RESULT " + json.dumps(lengths), flush=True)
os._exit(0)  # OpenSim's destructors and Python's do not agree about who goes first
"""


def cable_spans(ways):
    done = subprocess.run([sys.executable, "-c", SPAN], input=json.dumps(ways), capture_output=True, text=True,
                          timeout=500)
    found = next((line for line in done.stdout.splitlines() if line.startswith("RESULT ")), None)
    assert found is not None, done.stderr[-500:]
    return json.loads(found.removeprefix("RESULT "))


def placed(state, frame):
    """(rotation, place) of a frame in the world."""
    return np.array(state.get(f"{frame}.R.T")).T, np.array(state.get(f"{frame}.r_0")).ravel()


def laid_out(state, cable):
    """The stops of a cable as the program above asks for them."""
    at = iter([np.array(state.get(f"{cable.path}.at[{j}]")).ravel() for j in range(cable.n_knots)])
    way = []
    for place in cable.route:
        if not isinstance(place.on, Surface):
            way.append(next(at).tolist())
            continue
        surface, middle = place.on, [next(at) for _ in range(ARC_POINTS)][ARC_POINTS // 2]
        R, p = placed(state, f"{surface.path}.frame_s")
        angles = [np.arctan2(-R[1, 2], R[2, 2]), np.arcsin(R[0, 2]), np.arctan2(-R[0, 1], R[0, 0])]
        size = surface.radii if isinstance(surface, cables.Ellipsoid) else surface.radius
        hint = R.T @ (middle - p)
        way.append([type(surface).__name__, np.asarray(size).tolist(), p.tolist(), angles, hint.tolist()])
    return way


@pytest.fixture(scope="module")
def wrapped():
    m = lw.read(Path(FOLDER) / "Models/Arm26/arm26.osim")
    system = lw.compile(m)
    return m, system, system.state()


def poses(system, state):
    """The state, and four near it."""
    random, start = np.random.default_rng(3), state.q.copy()
    for k in range(5):
        state.q[:] = start
        for at in system.mechanism.slices()[0]:
            if k and at.stop - at.start == 1:
                state.q[at] += random.uniform(-0.15, 0.15)
        refresh(system, state)
        yield state
    state.q[:] = start
    refresh(system, state)


def cables_of(m):
    return [part for part in m._children.values() if isinstance(part, cables.Cable)]


def test_lengths_are_those_of_cable_span(wrapped):
    m, system, state = wrapped
    over = [cable for cable in cables_of(m) if any(isinstance(place.on, Surface) for place in cable.route)]
    ways, lengths = [], []
    for pose in poses(system, state):
        ways += [laid_out(pose, cable) for cable in over]
        lengths += [float(pose.get(f"{cable.path}.l")) for cable in over]
    theirs = cable_spans(ways)
    off = {cable.path: abs(length - their) for cable, length, their in zip(over * 5, lengths, theirs, strict=True)
           if abs(length - their) > 1e-8}
    assert not off


def test_forces_of_every_cable_add_up_to_nothing(wrapped):
    m, system, state = wrapped
    pulling = 0
    for pose in poses(system, state):
        for cable in cables_of(m):
            force, moment, tension = np.zeros(3), np.zeros(3), float(pose.get(f"{cable.path}.f"))
            for k in range(len(cable.route)):
                frame = f"{cable.path}.frame_{k}"
                R, p = placed(pose, frame)
                f, t = (R @ np.ravel(pose.get(f"{frame}.{what}")) for what in "ft")
                force, moment = force + f, moment + t + np.cross(p, f)
            pulling += tension > 1
            assert np.abs(force).max() <= 1e-12 * tension
            assert np.abs(moment).max() <= 1e-12 * tension
    assert pulling > 3 * len(cables_of(m))  # elsewhere the tendon is slack


def test_two_cylinders_in_a_row(tmp_path):
    """gasmed_r of Rajagopal2016 at rest, over condyles and shank; OpenSim's own wrap objects give 0.4567 m."""
    text = (Path(FOLDER) / "Models/Rajagopal/Rajagopal2016.osim").read_text()
    muscle = re.compile(r"<Millard2012EquilibriumMuscle name=\"(?!gasmed_r\").*?</Millard2012EquilibriumMuscle>",
                        re.DOTALL)
    alone = tmp_path / "gasmed.osim"
    alone.write_text(muscle.sub("", text))
    state = lw.compile(lw.read(alone)).state()
    assert float(state.get("gasmed_r.l")) == pytest.approx(.462937951326, abs=1e-12)  # CableSpan, twelve digits
