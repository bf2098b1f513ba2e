"""One axis of the R3 robot against the values published with Modelica's library (spec, RobotR3/OneAxis)."""

import runpy
from pathlib import Path

import pytest

import linkwright as lw

EXAMPLE = Path(__file__).parents[2] / "examples" / "one_axis_drive.py"


def test_one_axis_ends_at_the_published_values():
    m = runpy.run_path(str(EXAMPLE))["m"]
    r = lw.simulate(m, 1.6, accuracy=1e-9)
    assert r.t[-1] == pytest.approx(1.4981317007977317, abs=1e-12)
    published = {"load.phi": 2.0941804134787048, "load.w": 0.0010025394256433719, "PI.x": 0.84214001638465219,
                 "C.v": -21.536861907139333, "motor.i": 0.42977331405853747, "friction.mode": 1}
    found = {name: r[name][-1] for name in published}
    for name, value in published.items():
        assert found[name] == pytest.approx(value, rel=1e-5, abs=1e-7), name
    assert r["spring.phi_rel"][-1] == pytest.approx(7.6750395542752962e-06, abs=1e-7)
    assert r["spring.w_rel"][-1] == pytest.approx(0.0024683912330059989, abs=1e-7)
