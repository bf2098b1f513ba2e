"""Ways over ellipsoids beside Simbody's CableSpan (OpenSim's Scholz2015GeometryPath), where opensim is installed; it
runs in a process of its own."""

import importlib.util
import json
import subprocess
import sys

import casadi as ca
import numpy as np
import pytest

from linkwright import geometry

RADII = np.array([0.1, 0.15, 0.2])
pytestmark = [pytest.mark.slow, pytest.mark.skipif(importlib.util.find_spec("opensim") is None,
                                                   reason="opensim is not installed")]

SPAN = """
import json, sys, opensim as o
o.Logger.setLevelString("Off")
radii, poses = json.load(sys.stdin)
lengths = []
for P1, P2, hint in poses:
    m = o.Model(); g = m.getGround(); bodies = []
    for n in "ab":
        b = o.Body(n, 1, o.Vec3(0), o.Inertia(1, 1, 1)); m.addBody(b); m.addJoint(o.FreeJoint("j" + n, g, b))
        bodies.append(b)
    s = o.PathSpring("ps", 0.0, 1.0, 0.0); s.set_path(o.Scholz2015GeometryPath()); m.addForce(s)
    path = o.Scholz2015GeometryPath.safeDownCast(s.updPath())
    path.appendPathPoint(bodies[0], o.Vec3(0))
    shape = o.ContactEllipsoid(o.Vec3(*radii), o.Vec3(0), o.Vec3(0), g); shape.setName("obs"); m.addComponent(shape)
    path.appendObstacle(o.ContactGeometry.safeDownCast(m.getComponent("obs")), o.Vec3(*hint))
    path.appendPathPoint(bodies[1], o.Vec3(0))
    for n, P in zip("ab", (P1, P2)):
        for k in range(3):
            m.updJointSet().get("j" + n).upd_coordinates(3 + k).setDefaultValue(P[k])
    state = m.initSystem(); m.realizePosition(state)
    lengths.append(s.getPath().getLength(state))
print("RESULT " + json.dumps(lengths))
"""


def way():
    """(P₁, P₂, unknowns) → (last point of tangency, length on the ellipsoid)."""
    P1, P2, y = (ca.SX.sym(name, n) for name, n in (("P1", 3), ("P2", 3), ("y", 4)))
    found = geometry.geodesics.wrap_along(geometry.geodesics.ellipsoid(RADII), P1, P2, y)
    return ca.Function("way", [P1, P2, y], [found.last, found.arc])


def ours(way, P1, P2):
    """(length, first point, last point, length on the ellipsoid)."""
    y = geometry.geodesics.start(RADII, P1, P2)
    last, arc = (np.array(x).ravel() for x in way(P1, P2, y))
    return np.linalg.norm(y[:3] - P1) + arc[0] + np.linalg.norm(P2 - last), y[:3], last, arc[0]


def test_lengths_over_an_ellipsoid_are_those_of_cable_span():
    random, poses, lengths, along = np.random.default_rng(5), [], [], way()
    while len(poses) < 50:
        a = random.uniform(0, 2 * np.pi)
        b = a + np.pi + random.uniform(-0.5, 0.5)
        P1, P2 = (np.array([*(random.uniform(0.22, 0.5) * np.array([np.cos(x), np.sin(x)])), random.uniform(-0.2, 0.2)])
                  for x in (a, b))
        length, first, last, arc = ours(along, P1, P2)
        if arc > 0.01 and np.linalg.norm(P2 - P1) < length:
            lengths.append(length)
            middle = (first + last) / np.linalg.norm((first + last) / RADII)  # CableSpan starts at a point on it
            poses.append((P1.tolist(), P2.tolist(), middle.tolist()))
    done = subprocess.run([sys.executable, "-c", SPAN], input=json.dumps([RADII.tolist(), poses]), capture_output=True,
                          text=True, timeout=300, check=True)
    theirs = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("RESULT "))[7:])
    assert np.array(lengths) == pytest.approx(np.array(theirs), abs=1e-8)
