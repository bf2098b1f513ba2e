"""Time-stepped contact on this GPU: the bits of lanes, then many humanoids.  Needs NumPy and the driver.

    python crowd.py [--humanoids 10000] [--seconds 1.0] [--only NAME …]
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


def many(name, count, seconds):
    """So many runs at once: steps per second, contacts, overlap."""
    threads, data = opened(HERE / f"{name}.zip")
    from runs.cuda import device
    from runs.resident import Resident

    gpu = device()
    gpu.use()
    kernel = threads.kernel(gpu)
    inputs = np.tile(data["inputs"], (-(-count // len(data["inputs"])), 1))[:count]
    rng = np.random.default_rng(1)
    runs = Resident(threads, gpu, count, np.empty(0))
    template = data["template"].copy()
    for row in ("target", "horizon"):
        template[threads.rows[row][0]] = seconds
    # every run has speeds of its own: those of its file, a little scaled
    first, last = np.load(HERE / f"{name}.npz")["speeds"]
    inputs[:, first:last] *= rng.uniform(0.5, 1.5, (count, 1))
    runs.begin(inputs, template)
    before = kernel.seconds
    began = time.perf_counter()
    runs.run(lambda going: None)
    passed = time.perf_counter() - began
    steps = runs.get("counts.steps")[0].view(np.int64)
    doing = runs.doing()
    most, deepest = runs.get("most")[0].view(np.int64), runs.get("deepest")[0]
    spent = kernel.seconds - before
    print(f"{name}: {count} runs of {seconds:g} s: {steps.sum()} steps in {spent:.3f} s of the kernel "
          f"({passed:.3f} s in all): {steps.sum() / spent:.4g} steps/s, {count * seconds / spent:.4g} s/s; "
          f"done {np.count_nonzero(doing == 1)}, failed {np.count_nonzero(doing == 2)}, left "
          f"{np.count_nonzero((doing != 1) & (doing != 2))}; most contacts {most.max()} (mean of runs "
          f"{most.mean():.1f}), deepest overlap {deepest.max():.2e} m (median {np.median(deepest):.1e}), speeds agree "
          f"to {runs.get('residual')[0].max():.1e} m/s", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--humanoids", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    names = options.only or sorted(path.stem for path in HERE.glob("*.npz"))
    for one in names:
        compared(one)
    for one in names:
        if one.startswith("humanoid"):
            for number in sorted({1024, options.humanoids}):
                many(one, number, options.seconds)
