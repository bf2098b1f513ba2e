"""Muscles beside OpenSim, on OpenSim's own models: one run, lanes, inverse kinematics.

    LINKWRIGHT_OPENSIM_MODELS=… python -m bench muscles

The variable names a copy of github.com/opensim-org/opensim-models.  OpenSim lives in a process of its own; both start
in equilibrium without excitation and integrate at accuracy 1e-6.  Processor time of a later run; compiling apart.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np

import linkwright as lw

ACCURACY = 1e-6
MODELS = (("arm26, 1 s", "Models/Arm26/arm26.osim", 1.0, 50), (
    "gait10dof18musc, 0.5 s", "Models/Gait10dof18musc/gait10dof18musc.osim", 0.5, 25))
DATA = "Pipelines/Gait10dof18musc/OutputReference"
ARMS, FRAMES = 1000, 100

RUN = """
import json, sys, time, opensim as osim
osim.Logger.setLevelString("Error")
path, stop, accuracy = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
model = osim.Model(path)
best = 1e9
for k in range(3):
    state = model.initSystem()
    muscles = model.getMuscles()
    for i in range(muscles.getSize()):
        muscles.get(i).setActivation(state, 0.05)
    model.equilibrateMuscles(state)
    manager = osim.Manager(model)
    manager.setIntegratorAccuracy(accuracy)
    manager.setWriteToStorage(False) if hasattr(manager, "setWriteToStorage") else None
    manager.initialize(state)
    start = time.process_time()
    manager.integrate(stop)
    best = min(best, time.process_time() - start)
print("RESULT " + json.dumps(best))
"""

POSES = """
import json, os, sys, time, opensim as osim
osim.Logger.setLevelString("Error")
data, stop, accuracy = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
os.chdir(data + "/IK")
tool = osim.InverseKinematicsTool("walk_Setup_IK.xml")
model = osim.Model(data + "/subject01.osim"); model.initSystem(); tool.setModel(model)
tool.set_accuracy(accuracy); tool.set_marker_file(data + "/ExperimentalData/subject01_walk.trc")
tool.setStartTime(0.0); tool.setEndTime(stop)
tool.setOutputMotionFileName(os.devnull); tool.set_report_errors(False)
start = time.process_time(); tool.run()
print("RESULT " + json.dumps(time.process_time() - start))
"""


def muscles(repeat: int) -> None:
    """Everything, where the models are."""
    folder = os.environ.get("LINKWRIGHT_OPENSIM_MODELS")
    if not folder:
        print("\n(muscles: LINKWRIGHT_OPENSIM_MODELS is not set)")
        return
    print(f"\nMuscles, accuracy {ACCURACY:g}, processor time in ms")
    for title, name, stop, asked in MODELS:
        system = lw.compile(lw.read(Path(folder) / name))
        lw.simulate(system, stop, accuracy=ACCURACY, output_step=stop)
        own = min(_spent(partial(lw.simulate, system, stop, accuracy=ACCURACY, output_step=stop))
                  for _ in range(max(repeat, 3)))
        _row(title, own, _other(RUN, Path(folder) / name, stop, ACCURACY), asked)
        if "arm26" in title:
            arm = system
    poses(Path(folder) / DATA)
    lanes(arm)


def lanes(system: lw.System) -> None:
    """Many arms with different excitations, side by side and one by one (of these some, for the mean)."""
    values = np.linspace(0.05, 0.5, ARMS)

    def run(count: int) -> lw.Study:
        return lw.sweep(system, {"BIClong.excitation": values[:count]}, 1.0, reduce={"end": lw.final("r_elbow.q")},
                        accuracy=ACCURACY)

    run(16)
    start = process_time()
    study = run(ARMS)
    side = process_time() - start
    some = range(0, ARMS, ARMS // 20)
    ends, spent = [], []
    for k in some:
        start = process_time()
        ends.append(lw.simulate(system, 1.0, accuracy=ACCURACY, inputs={"BIClong.excitation": values[k]})["r_elbow.q"])
        spent.append(process_time() - start)
    alone = float(np.median(spent))  # with the search for their starts; one of them compiles steps for its size
    same = all(float(q[-1]) == float(study.data["end"][k]) for k, q in zip(some, ends, strict=True))
    print(f"{f'{ARMS} arms in lanes':28s}{1e3 * side:10.1f}  {1e3 * side / ARMS:.2f} each, {1e3 * alone:.1f} one by "
          f"one: {alone * ARMS / side:.1f} times as fast (5 asked); the bits are "
          f"{'the same' if same else 'NOT the same'}")


def poses(data: Path) -> None:
    """Frames of markers."""
    if not data.is_dir():
        return
    system = lw.compile(lw.read(data / "subject01.osim"))
    measured = lw.read_table(data / "ExperimentalData/subject01_walk.trc")
    stop = float(measured.t[FRAMES - 1])
    system.state()
    own = min(_spent(lambda: lw.inverse_kinematics(system, markers=measured, time=(0.0, stop))) for _ in range(3))
    for accuracy in (1e-5, 1e-9):
        _row(f"{FRAMES} frames of markers", own, _other(POSES, data.resolve(), stop, accuracy), None,
             f"OpenSim at {accuracy:g}, Linkwright at 1e-8 rad")


def _row(title: str, own: float, other: float | None, asked: float | None, note: str = "") -> None:
    compared = "OpenSim is not installed" if other is None else (
        f"OpenSim {1e3 * other:.0f}: {other / own:.1f} times as fast" + (f" ({asked:g} asked)" if asked else ""))
    print(f"{title:28s}{1e3 * own:10.1f}  {compared}" + (f"; {note}" if note else ""))


def _spent(run: Callable[[], object]) -> float:
    start = process_time()
    run()
    return process_time() - start


def _other(script: str, path: Path, stop: float, accuracy: float) -> float | None:
    if importlib.util.find_spec("opensim") is None:
        return None
    done = subprocess.run([sys.executable, "-c", script, str(path), str(stop), str(accuracy)], capture_output=True,
                          text=True, timeout=600)
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            return json.loads(line.removeprefix("RESULT "))
    raise RuntimeError(f"OpenSim gave no result: {done.stderr[-500:]}")
