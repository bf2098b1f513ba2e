"""Quadrupeds on this GPU: Linkwright's bundles beside MJX.  Needs NumPy, the driver, and for MJX JAX and mujoco-mjx.

Seconds of simulated time, of all runs together, per second of the GPU, and the median over runs of the largest error of
the height of the trunk.
"""

import io
import json
import sys
import time
import zipfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
KNOWN = dict(np.load(HERE / "quadruped.npz"))
STOP, RIGHT, PEER = float(KNOWN["stop"]), KNOWN["right"], KNOWN["peer"]
OURS, THEIRS = 131_072, 8192  # runs at once: more do not pay


def report(name, runs, seconds, heights, right):
    error = np.median(np.abs(heights - right).max(axis=1))
    print(f"{name:32s}{runs:8d} runs{runs * STOP / seconds:12.4g} s/s   error {error:.1e} m", flush=True)


def linkwright(path):
    sys.path.insert(0, str(path))
    from runs.gpu import Threads

    with zipfile.ZipFile(path) as archive:
        program = json.loads(archive.read("program.json"))
        data = dict(np.load(io.BytesIO(archive.read("starts.npz"))))
        ptx = archive.read("program.ptx").decode()
    threads = Threads(ptx, {name: tuple(place) for name, place in program["rows"].items()}, program["n_rows"],
                      program["n"], program["n_changing"], program["near"])
    copies = OURS // len(data["starts"])
    many = [np.tile(data[name], (copies, *[1] * (data[name].ndim - 1))) for name in ("starts", "rests", "times")]
    best = np.inf
    for _ in range(2):
        began = time.perf_counter()
        found = threads.run(*many, program["scalars"], data["weights"], data["usual"], data["grid"])
        best = min(best, time.perf_counter() - began)
    assert np.all(found["status"] == 1), np.unique(found["status"], return_counts=True)
    report(f"linkwright, f64, {path.stem}", len(many[0]), best, found["grid_x"][: len(RIGHT), :, int(KNOWN["height"])],
           RIGHT)


def mjx_runs(steps):
    import jax
    import mujoco
    from jax import numpy as jnp
    from mujoco import mjx

    model = mujoco.MjModel.from_xml_path(str(HERE / "quadruped.xml"))
    there = mjx.put_model(model)
    first = mjx.make_data(model)
    speeds = np.tile(KNOWN["speeds"], (THEIRS // len(KNOWN["speeds"]), 1))

    @jax.jit
    def advance(there, data, count):
        one = jax.vmap(lambda d: mjx.step(there, d))
        return jax.lax.fori_loop(0, count, lambda _, d: one(d), data)

    def begin(speed):
        return first.replace(qpos=jnp.asarray(KNOWN["position"], first.qpos.dtype),
                             qvel=jnp.asarray(speed, first.qvel.dtype))

    for h in steps:
        model_h = there.tree_replace({"opt.timestep": jnp.asarray(h, there.opt.timestep.dtype)})
        every = round(STOP / (PEER.shape[1] - 1) / h)
        data = jax.vmap(begin)(jnp.asarray(speeds))
        jax.block_until_ready(advance(model_h, data, 1))  # compiles
        heights, seconds = [np.asarray(data.qpos[: len(PEER), 1])], 0.0
        for _ in range(PEER.shape[1] - 1):
            began = time.perf_counter()
            data = jax.block_until_ready(advance(model_h, data, every))
            seconds += time.perf_counter() - began
            heights.append(np.asarray(data.qpos[: len(PEER), 1]))
        report(f"MJX, {first.qpos.dtype}, h = {h:g} s", len(speeds), seconds, np.array(heights).T, PEER)


if __name__ == "__main__":
    for path in sorted(HERE.glob("quadruped-*.zip")):
        linkwright(path)
    try:
        mjx_runs((2e-3, 1e-3, 5e-4, 2e-4))
    except ImportError as missing:
        print(f"MJX is not here ({missing})")
