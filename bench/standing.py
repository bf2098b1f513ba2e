"""Robots of public files dropped on the ground for two seconds, beside MuJoCo: speed, overlap, creep, final height.

    python -m bench standing                     # what lw.robots finds; LINKWRIGHT_ROBOTS names folders
    python -m bench.standing FILE …              # these files, each as `linkwright run FILE` runs it

Each robot starts at the first keyframe of its file (as drawn without one), with the controls of that keyframe.
Real-time factors are simulated time by processor time of a second run, compiled code at hand; creep is the way that the
base goes along the ground in the last half second; overlap is the deepest over the run.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import linkwright as lw

STOP, LAST = 2.0, 0.5
#: s that one robot may take, compilation included
PATIENCE = 240
#: name → words by which its scene is found
ROBOTS = {"hopper": "mujoco assets hopper", "half-cheetah": "mujoco assets half_cheetah", "walker": "walker2d_v5",
          "ant": "mujoco assets ant", "humanoid": "mujoco assets humanoid",
          "Go2": "unitree_go2 scene", "ANYmal": "anybotics_anymal_c scene",
          "Spot": "boston_dynamics_spot scene", "hand with object": "shadow_hand scene_right"}


def standing(patience: float = PATIENCE) -> None:
    """The table, for those of the robots that are on this machine."""
    files = {}
    for name, words in ROBOTS.items():
        try:
            files[name] = lw.robots(words)[0]
        except lw.ModelError:
            print(f"{name}: not on this machine")
    table(files, patience)


def table(files: dict[str, Path], patience: float = PATIENCE) -> None:
    """Both programs on each file, each in a process that ends when its time is over."""
    print(f"\nDropped on the ground, {STOP:g} s: ours / MuJoCo")
    print(f"{'':18s}{'pairs':>6s}{'times real time':>22s}{'overlap mm':>18s}{'creep mm':>18s}{'final height m':>20s}")
    for name, file in files.items():
        try:
            done = subprocess.run([sys.executable, "-m", "bench.standing", "--row", str(file)], capture_output=True,
                                  text=True, timeout=patience, check=False)
            row = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {}
            told = "" if row else done.stderr.strip().splitlines()[-1][-100:]
        except subprocess.TimeoutExpired:
            row, told = {}, f"did not finish in {patience:g} s"
        if not row:
            print(f"{name:18s} {told}")
            continue
        ours, theirs = row["ours"], row["theirs"]
        print(f"{name:18s}{row['pairs']:6d}" + "".join(
            f"{ours[key] * scale:>{width - 9}.3g} /{theirs[key] * scale:7.3g}" for key, scale, width in
            (("factor", 1, 22), ("overlap", 1e3, 18), ("creep", 1e3, 18), ("height", 1, 20))), flush=True)


def row_of(file: Path) -> dict:
    """The numbers of one robot."""
    model = lw.read(file, contact="file")
    base = next(iter(model.import_report.names["body"].values()))
    system = lw.compile(model)
    for _ in range(2):
        begin = time.process_time()
        result = lw.simulate(system, STOP)
        spent = time.process_time() - begin
    place = result[f"{base}.frame_a.r_0"]
    gaps = [np.min(result[name]) for name in result.names if name.endswith(".gap")]
    # a stepped run tells the deepest overlap of all its steps
    gaps += [-float(found[1]) for text in result.messages if (found := re.search(r"deepest overlap (\S+) m", text))]
    return {"pairs": model.import_report.data["touching"], "theirs": of_mujoco(file),
            "ours": _numbers(result.t, place, spent, -min(gaps, default=0.0))}


def of_mujoco(file: Path) -> dict:
    """The same numbers of MuJoCo, with the step and the softness that the file gives."""
    import mujoco

    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    if m.nkey:
        mujoco.mj_resetDataKeyframe(m, d, 0)
    steps, deepest = int(round(STOP / m.opt.timestep)), 0.0
    places, begin = np.zeros((steps, 3)), time.process_time()
    for k in range(steps):
        mujoco.mj_step(m, d)
        places[k] = d.xpos[1]
        if d.ncon:
            deepest = max(deepest, -d.contact.dist.min())
    spent = time.process_time() - begin
    return _numbers(np.arange(1, steps + 1) * m.opt.timestep, places, spent, deepest)


def _numbers(t: np.ndarray, place: np.ndarray, spent: float, overlap: float) -> dict:
    before = np.array([np.interp(STOP - LAST, t, place[:, k]) for k in (0, 1)])
    return {"factor": STOP / max(spent, 1e-6), "overlap": float(max(overlap, 0.0)),
            "creep": float(np.linalg.norm(place[-1, :2] - before)), "height": float(place[-1, 2])}


if __name__ == "__main__":
    if sys.argv[1] == "--row":
        print(json.dumps(row_of(Path(sys.argv[2]))))
    else:
        table({Path(name).parent.name + "/" + Path(name).stem: Path(name) for name in sys.argv[1:]})
