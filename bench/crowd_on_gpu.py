"""Time-stepped contact on this GPU: the bits of lanes, then many humanoids.  Needs NumPy and the driver.

    python crowd.py [--humanoids 10000 40000] [--seconds 2.0] [--only NAME …]
"""

import argparse
import io
import json
import sys
import time
import zipfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def opened(path):
    """The threads of a bundle, and its starts."""
    sys.path.insert(0, str(path))
    from runs.gpu import Threads

    with zipfile.ZipFile(path) as archive:
        program = json.loads(archive.read("program.json"))
        data = dict(np.load(io.BytesIO(archive.read("starts.npz"))))
        ptx = archive.read("program.ptx").decode()
    threads = Threads(ptx, {name: tuple(place) for name, place in program["rows"].items()}, program["n_rows"],
                      program["n"], program["n_changing"], program["near"], program["far"], program["attempts"])
    return threads, data


def compared(name):
    """Runs of a bundle beside those that lanes have made."""
    from_lanes = np.load(HERE / f"{name}.npz")
    threads, data = opened(HERE / f"{name}.zip")
    from runs.cuda import device

    gpu = device()
    gpu.use()
    began = time.perf_counter()
    kernel = threads.kernel(gpu)
    ready = time.perf_counter()
    print(f"{name}: compiled by the driver in {ready - began:.1f} s; {kernel.attribute(4)} registers, "
          f"{kernel.attribute(3)} bytes of local memory, {8 * threads.far / 2**20:.2f} MiB of far memory a thread",
          flush=True)
    found = threads.run(data["inputs"], data["template"], data["grid"])
    n = threads.n
    for what, there, here in (("status", found["status"], from_lanes["status"]),
                              ("states", found["grid_x"][:, :, :n], from_lanes["grid_x"]),
                              ("modes", found["grid_x"][:, :, n:], from_lanes["grid_changing"]),
                              ("ends", found["inputs"][:, 1 : 1 + n], from_lanes["x"])):
        same = np.array_equal(there, here, equal_nan=there.dtype.kind == "f")
        apart = "" if same else f", apart by {np.nanmax(np.abs(there - here)):.3g}, in "\
            f"{np.count_nonzero(np.any((there != here).reshape(len(here), -1), axis=1))} of {len(here)} runs"
        print(f"  {what}: {'the same bits' if same else 'DIFFERENT' + apart}", flush=True)
    rate = found["steps"].sum() / kernel.seconds
    print(f"  steps per second (of {len(data['inputs'])} runs): {rate:.4g}", flush=True)


def from_outside(name):
    """Instances that are advanced call by call, beside those of a Simulator."""
    from_lanes = np.load(HERE / f"{name}.npz")
    threads, data = opened(HERE / f"{name}.zip")
    from runs.cuda import device
    from runs.resident import Advanced

    wanted, h, gpu = from_lanes["advanced"], float(from_lanes["h"]), device()
    gpu.use()
    runs, template = Advanced(threads, gpu, len(wanted), np.empty(0)), data["template"].copy()
    for row in ("target", "horizon"):
        template[threads.rows[row][0]] = np.inf
    runs.begin(data["inputs"][: len(wanted)], template)
    every, done = np.ones(len(wanted), dtype=bool), []
    for _ in range(20):
        done.append(runs.advance(every, h).all())
    same = np.array_equal(runs.get("at.inp").T, wanted, equal_nan=True)
    print(f"  advanced from outside: {'the same bits' if same else 'DIFFERENT'}, all arrived: {all(done)}", flush=True)


def many(name, count, seconds, part, limit):
    """So many runs at once, part by part: steps per second, contacts, overlap."""
    threads, data = opened(HERE / f"{name}.zip")
    from runs.cuda import device
    from runs.resident import STARTING, Resident

    gpu = device()
    gpu.use()
    kernel = threads.kernel(gpu)
    inputs = np.tile(data["inputs"], (-(-count // len(data["inputs"])), 1))[:count]
    rng = np.random.default_rng(1)
    runs = Resident(threads, gpu, count, np.empty(0))
    template = data["template"].copy()
    # every run has speeds of its own: those of its file, a little scaled
    first, last = np.load(HERE / f"{name}.npz")["speeds"]
    inputs[:, first:last] *= rng.uniform(0.5, 1.5, (count, 1))
    for row in ("target", "horizon"):
        template[threads.rows[row][0]] = part
    runs.begin(inputs, template)
    print(f"{name}: {count} runs, {threads.block(gpu, count)[0]} threads in a block", flush=True)
    before, steps_before, began = kernel.seconds, 0, time.perf_counter()
    for k in range(round(seconds / part)):
        if k:
            doing = runs.doing()
            for row in ("target", "horizon"):
                runs.put(row, part * (k + 1))
            runs.do(np.where(doing == 1, STARTING, doing))
        so_far = kernel.seconds
        runs.run(lambda going: None)
        steps = int(runs.get("counts.steps")[0].view(np.int64).sum())
        spent = kernel.seconds - so_far
        known, doing = runs.get("n_known")[0].view(np.int64), runs.doing()
        print(f"  to {part * (k + 1):.2f} s: {(steps - steps_before) / spent:.4g} steps/s ({spent:.2f} s); points that "
              f"press {known.mean():.2f} in the mean, {known.max()} at most; done {np.count_nonzero(doing == 1)}, "
              f"failed {np.count_nonzero(doing == 2)}, left {np.count_nonzero((doing != 1) & (doing != 2))}",
              flush=True)
        steps_before = steps
        if time.perf_counter() - began > limit:
            break
    spent = kernel.seconds - before
    most, deepest = runs.get("most")[0].view(np.int64), runs.get("deepest")[0]
    sweeps = runs.get("sweeps")[0].view(np.int64)
    print(f"  in all: {steps} steps in {spent:.2f} s of the kernel: {steps / spent:.4g} steps/s, "
          f"{count * part * (k + 1) / spent:.4g} s/s; contacts of a run at most {most.mean():.1f} in the mean, "
          f"{most.max()} at most; {sweeps.sum() / steps:.2f} rounds a step; deepest overlap {deepest.max():.2e} m "
          f"(median of runs {np.median(deepest):.1e}), speeds agree to {runs.get('residual')[0].max():.1e} m/s",
          flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--humanoids", type=int, nargs="*", default=[10_000], help="how many at once; each by itself")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long they run")
    parser.add_argument("--part", type=float, default=0.252, help="how often figures are printed, in seconds of theirs")
    parser.add_argument("--limit", type=float, default=200.0, help="seconds of a case after which no part is begun")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--no-bits", action="store_true", help="compare nothing")
    options = parser.parse_args()
    names = options.only or sorted(path.stem for path in HERE.glob("*.npz"))
    for one in [] if options.no_bits else names:
        compared(one)
        from_outside(one)
    for one in names:
        if one.startswith("humanoid"):
            for number in options.humanoids:
                many(one, number, options.seconds, options.part, options.limit)
