"""Runs for another machine: a zip with PTX, starts and a runner, which needs Python, NumPy and NVIDIA's driver only.

    write_runs("runs.zip", code, inputs, template, grid)
    python runs.zip results.npz                         # there
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from .gpu import Threads

HERE = Path(__file__).parent
RUNNER = '''"""python runs.zip [RESULTS.npz] [--copies K]: the runs in this file on the GPU of this machine."""

import argparse
import io
import json
import time
import zipfile
from pathlib import Path

import numpy as np

from runs.cuda import device
from runs.gpu import Threads

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("results", nargs="?", help="where the results go")
parser.add_argument("--copies", type=int, default=1, help="repeat the starts, to measure")
options = parser.parse_args()
with zipfile.ZipFile(Path(__file__).parent) as archive:
    program = json.loads(archive.read("program.json"))
    data = dict(np.load(io.BytesIO(archive.read("starts.npz"))))
    ptx = archive.read("program.ptx").decode()
began = time.perf_counter()
gpu = device()
gpu.use()
threads = Threads(ptx, {name: tuple(place) for name, place in program["rows"].items()}, program["n_rows"], program["n"],
                  program["n_changing"], program["near"], program["far"], program["attempts"])
kernel = threads.kernel(gpu)
ready = time.perf_counter()
inputs = np.tile(data["inputs"], (options.copies, 1))
results = threads.run(inputs, data["template"], data["grid"])
done = time.perf_counter()
if options.results:
    np.savez(options.results, **results)
steps = int(results["steps"].sum() + results["rejected"].sum())
print(json.dumps({
    "device": gpu.name, "registers": kernel.attribute(4), "local bytes": kernel.attribute(3), "runs": len(inputs),
    "steps": steps, "seconds to begin": round(ready - began, 3), "seconds": round(done - ready, 3),
    "seconds of the kernel": round(kernel.seconds, 4), "steps per second": float(f"{steps / kernel.seconds:.4g}"),
    "status": {str(int(s)): int((results["status"] == s).sum()) for s in np.unique(results["status"])},
}))
'''


def write_runs(path: str | Path, code: Threads, inputs: np.ndarray, template: np.ndarray, grid: np.ndarray,
               sources: Mapping[str, str] | None = None) -> Path:
    """Write the file; `python FILE` runs it on a machine with a GPU.

    Arguments are those of `Threads.run`; `sources` are the files that the runs are made of, with digests.
    """
    data = io.BytesIO()
    np.savez(data, inputs=inputs, template=template, grid=grid)
    program = {"rows": code.rows, "n_rows": code.n_rows, "n": code.n, "n_changing": code.n_changing, "near": code.near,
               "far": code.far, "attempts": code.attempts, "sources": dict(sources or {})}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__main__.py", RUNNER)
        archive.writestr("runs/__init__.py", "")
        for name in ("cuda.py", "device_array.py", "gpu.py", "resident.py"):
            archive.write(HERE / name, f"runs/{name}")
        archive.writestr("program.json", json.dumps(program))
        archive.writestr("program.ptx", code.ptx)
        archive.writestr("starts.npz", data.getvalue())
    return Path(path)
