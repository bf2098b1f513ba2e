"""Artefacts list the files of the dialect that their run is made of; where the lists agree, so do the runs."""

import hashlib
import json
import re
import zipfile
from pathlib import Path

from fmu_models import bouncing_ball

import linkwright as lw
from linkwright.codegen.dialect import digests
from linkwright.integrate import loop
from linkwright.integrate.step_programs import wasm_step
from linkwright.studies.lane_runs import LaneRuns

PACKAGE = Path(lw.__file__).parent


def of_fmu(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("resources/run_sources.json"))


def of_c(path):
    head = path.read_text(encoding="utf-8").partition("*/")[0]
    return {file: digest for digest, file in re.findall(r"\* +([0-9a-f]{64})  (\S+)", head)}


def test_fmus_and_c_list_what_their_run_is_made_of(tmp_path):
    for name in ("b.fmu", "b.c"):
        lw.export(bouncing_ball(), tmp_path / name, outputs=["height"], **({"platforms": ["x86_64-linux"]}
                                                                          if name == "b.fmu" else {}))
    found = of_fmu(tmp_path / "b.fmu")
    assert found == of_c(tmp_path / "b.c")
    assert {"integrate/loop.py", "integrate/runge_kutta.py", "integrate/root_finding.py", "integrate/manifold.py",
            "integrate/step_programs/led.py", "integrate/tolerances.py"} <= set(found)
    assert {"integrate/changed_method.py", "integrate/radau.py"} <= set(found)
    assert not set(found) & {"integrate/gauss.py", "integrate/driver.py", "integrate/tableaux.py"}
    for file, digest in found.items():
        assert hashlib.sha256((PACKAGE / file).read_bytes()).hexdigest() == digest


def test_pages_and_bundles_for_gpus_list_theirs(tmp_path):
    system = lw.compile(bouncing_ball())
    state = system.state()
    runs = LaneRuns(system, state, 0.1, method="dopri5")
    runs.bundle(tmp_path / "runs.zip", [state])
    with zipfile.ZipFile(tmp_path / "runs.zip") as archive:
        bundle = json.loads(archive.read("program.json"))["sources"]
    page = wasm_step(runs.program, {}).sources
    assert bundle == page
    steps = digests([loop.advance], {})
    assert {"integrate/loop.py", "integrate/step.py", "integrate/dense.py"} <= set(steps)
    for file in set(steps) & set(page):
        assert page[file] == steps[file]
