"""Ways of all muscles of OpenSim's own models that wrap nothing, at random poses, and their tensions in equilibrium,
beside OpenSim, which runs in a process of its own; LINKWRIGHT_OPENSIM_MODELS names a copy of
github.com/opensim-org/opensim-models."""

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
from linkwright.start import StartProblem
from linkwright.system.event_programs import refresh

sys.path.insert(0, str(Path(__file__).parents[1] / "io"))
from test_osim import set_like

FOLDER = os.environ.get("LINKWRIGHT_OPENSIM_MODELS")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(
    not FOLDER or importlib.util.find_spec("opensim") is None,
    reason="LINKWRIGHT_OPENSIM_MODELS is not set, or opensim is not installed")]

LENGTHS = """
import json, os, random, sys, opensim as osim
osim.Logger.setLevelString("Off")
model, chance = osim.Model(sys.argv[1]), random.Random(1)
state = model.initSystem()
coordinates = [model.getCoordinateSet().get(k) for k in range(model.getCoordinateSet().getSize())]
muscles = [model.getMuscles().get(k) for k in range(model.getMuscles().getSize())]
muscles = [m for m in muscles if not osim.GeometryPath.safeDownCast(m.getPath()).getWrapSet().getSize()]
poses = []
for _ in range(5):
    for c in coordinates:
        c.setLocked(state, False)
        c.setValue(state, chance.uniform(max(c.getRangeMin(), -2.0), min(c.getRangeMax(), 2.0)), False)
    model.realizePosition(state)
    poses.append([[c.getValue(state) for c in coordinates], {m.getName(): m.getLength(state) for m in muscles}])
print("RESULT " + json.dumps([[c.getName() for c in coordinates], poses]), flush=True)
os._exit(0)  # OpenSim's destructors and Python's do not agree about who goes first
"""

TENSIONS = """
import json, os, sys, opensim as osim
osim.Logger.setLevelString("Off")
model = osim.Model(sys.argv[1])
state = model.initSystem()
coordinates = [model.getCoordinateSet().get(k) for k in range(model.getCoordinateSet().getSize())]
muscles = [model.getMuscles().get(k) for k in range(model.getMuscles().getSize())]
model.equilibrateMuscles(state)
model.realizeDynamics(state)
print("RESULT " + json.dumps([[c.getName() for c in coordinates], [c.getValue(state) for c in coordinates],
                              {m.getName(): m.getTendonForce(state) for m in muscles}]), flush=True)
os._exit(0)
"""

FILES = sorted((Path(FOLDER or ".") / "Models").glob("*/*.osim"))


def found_by(program, path):
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=120,
                          cwd=path.parent)
    result = next((line for line in done.stdout.splitlines() if line.startswith("RESULT ")), None)
    assert result is not None, done.stderr[-500:]
    return json.loads(result.removeprefix("RESULT "))


def named_by(m):
    """Name in the file → path of the component."""
    return {name: part for parts in m.import_report.names.values() for name, part in parts.items()}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_lengths_are_those_of_opensim(path, tmp_path):
    names, poses = found_by(LENGTHS, path)
    if not poses[0][1]:
        pytest.skip("the model has no muscle without wraps")
    alone = tmp_path / path.name  # where a way wraps, its surfaces need a pose near the start
    text = re.sub(r"<PathWrap .*?</PathWrap>", "", path.read_text(), flags=re.DOTALL)
    text = text.replace("<mass>0</mass>", "<mass>1</mass>")  # the wrist's bodies have neither
    alone.write_text(text.replace("<inertia>0 0 0 0 0 0</inertia>", "<inertia>1 1 1 0 0 0</inertia>"))
    m = lw.read(alone)
    system = lw.compile(m)
    state = system.state_from_defaults()
    state.d[np.isnan(state.d)] = 0.0
    own = named_by(m)
    for values, lengths in poses:
        set_like(system, state, m, {"coordinates": names, "values": values})
        refresh(system, state)
        for name, length in lengths.items():
            if name in own:  # all but Schutte's
                assert float(state.get(f"{own[name]}.l")) == pytest.approx(length, abs=1e-12)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_tensions_in_equilibrium_are_those_of_opensim(path):
    """OpenSim ends its search at some 1e-9 of the largest force."""
    text = path.read_text()
    if "<PathWrap " in text or path.stem == "wrist":
        pytest.skip("OpenSim's wrap objects are approximate, and the wrist's bodies have no mass")
    if not re.search(r"<\w*Muscle\w* name", text):
        pytest.skip("the model has no muscle")
    names, values, tensions = found_by(TENSIONS, path)
    m = lw.read(path, stops=False)
    system = lw.compile(m)
    state = system.state()
    set_like(system, state, m, {"coordinates": names, "values": values})
    refresh(system, state)
    problem = StartProblem(system)
    assert not problem.conditions.split().follow(problem, state)  # every fibre in equilibrium at OpenSim's pose
    refresh(system, state)
    own = named_by(m)
    found = np.ravel(system.evaluate(state, *[f"{own[name]}.f" for name in tensions]))
    expected = np.array(list(tensions.values()))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-4)
    assert found.sum() == pytest.approx(expected.sum(), rel=1e-7)
