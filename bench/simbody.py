"""A whole run of a chain beside Simbody's, through the OpenSim wheel, at settings of equal error.

OpenSim's libraries and CasADi's cannot live in one process, so Simbody runs in a child that times itself (five runs,
the best), by OpenSim's `Manager` with nothing stored; that one's own work is in the figure.  Both engines run at a row
of accuracies; errors are those of all joint angles at the end against Linkwright at 1e-13.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time

import numpy as np

from linkwright.studies import simulate

from . import models
from .peers import linkwright as own

STOP = 10.0
ACCURACIES = (1e-4, 1e-6, 1e-8, 1e-10)

CHILD = """
import json, math, sys, time
import opensim as osim
osim.Logger.setLevelString("off")
task = json.load(sys.stdin)
model = osim.Model()
model.setGravity(osim.Vec3(*task["gravity"]))
parent, turn = model.getGround(), {0: (0, math.pi / 2, 0), 1: (-math.pi / 2, 0, 0), 2: (0, 0, 0)}
for k, (axis, offset) in enumerate(task["links"]):
    body = osim.Body(f"b{k}", task["mass"], osim.Vec3(*task["centre"]), osim.Inertia(*task["inertia"], 0, 0, 0))
    R = osim.Vec3(*turn[axis])
    joint = osim.PinJoint(f"j{k}", parent, osim.Vec3(*offset), R, body, osim.Vec3(0), R)
    joint.updCoordinate().setDefaultValue(task["q"][k])
    model.addBody(body); model.addJoint(joint)
    parent = body
out = []
for accuracy in task["accuracies"]:
    best = math.inf
    for _ in range(5):
        state = model.initSystem()
        manager = osim.Manager(model)
        manager.setIntegratorAccuracy(accuracy)
        manager.setWriteToStorage(False)
        manager.initialize(state)
        began = time.perf_counter()
        state = manager.integrate(task["stop"])
        best = min(best, time.perf_counter() - began)
    coordinates = [model.getCoordinateSet().get(k).getValue(state) for k in range(len(task["links"]))]
    out.append([best, coordinates])
print(json.dumps(out))
"""


def simbody(links: int = 7) -> None:
    """Print milliseconds and errors of both engines over accuracies."""
    if importlib.util.find_spec("opensim") is None:
        print("opensim: not installed, Simbody left out")
        return
    d = models.chain(links)
    compiled = own.system(d)
    state = compiled.state(assembled=False)
    state.q[:] = d.q

    def run(accuracy: float) -> tuple[float, np.ndarray]:
        best = np.inf
        for _ in range(5):
            began = time.perf_counter()
            result = simulate(compiled, STOP, state=state, accuracy=accuracy, step=STOP)
            best = min(best, time.perf_counter() - began)
        return best, np.array([result[f"b{k}.phi"][-1] for k in range(d.n)])

    exact = run(1e-13)[1]
    task = {"gravity": models.GRAVITY, "mass": models.MASS, "centre": models.CENTRE, "inertia": models.INERTIA,
            "links": [[link.axis, link.offset] for link in d.links], "q": d.q, "stop": STOP, "accuracies": ACCURACIES}
    done = subprocess.run([sys.executable, "-c", CHILD], input=json.dumps(task), capture_output=True, text=True,
                          check=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    print(f"\nA run of {d.name} for {STOP:g} s (ms; largest error of an angle at the end)")
    print(f"{'accuracy':>10}{'linkwright':>12}{'error':>10}{'simbody':>12}{'error':>10}{'ratio':>8}")
    for accuracy, (seconds, angles) in zip(ACCURACIES, theirs, strict=True):
        mine, found = run(accuracy)
        print(f"{accuracy:10.0e}{1e3 * mine:12.2f}{np.abs(found - exact).max():10.1e}{1e3 * seconds:12.1f}"
              f"{np.abs(np.array(angles) - exact).max():10.1e}{seconds / mine:8.1f}×")
