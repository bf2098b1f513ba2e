"""Parts that bend in studies: derivatives of runs, sweeps, gradients, files."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import flexible, joints, parts


def pendulum(**given):
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.4)
    m.beam = flexible.Beam(**{"length": 0.8, "E": 7e10, "rho": 2700.0, "section": flexible.Circle(diameter=0.004),
                              "strains": "planar", "elements": 1, "degree": 1, "damping": 1e-4, **given})
    m.tip = parts.PointMass(m=0.05)
    m.chain(m.world, m.rev, m.beam, m.tip)
    return m


def test_derivatives_of_a_run():
    """By Young's modulus, length and density, beside differences of runs."""
    values = {"E": 7e10, "length": 0.8, "rho": 2700.0}
    r = lw.simulate(pendulum(), 0.2, sensitivities=[f"beam.{name}" for name in values], accuracy=1e-10)
    for name, value in values.items():
        step = 1e-4 * value
        high, low = (lw.simulate(pendulum(**{name: value + s * step}), 0.2, accuracy=1e-11)["beam.frame_b.r_0"][-1]
                     for s in (1, -1))
        found = value * r.sensitivity("beam.frame_b.r_0", f"beam.{name}")[-1]
        assert found == pytest.approx(value * (high - low) / (2 * step), abs=1e-6 * np.abs(found).max())


def test_gradient_is_the_derivative_of_the_run():
    value, gradient = lw.gradient(pendulum(), lw.final("beam.q[0]"), 0.1, ["beam.E"])
    r = lw.simulate(pendulum(), 0.1, sensitivities=["beam.E"])
    assert value == pytest.approx(r["beam.q"][-1, 0], rel=1e-6)
    assert gradient[0] == pytest.approx(r.sensitivity("beam.q", "beam.E")[-1, 0], rel=1e-5)


@pytest.mark.slow
def test_a_sweep_has_the_bits_of_single_runs():
    moduli = [6e10, 6.5e10, 7e10, 7.5e10]
    study = lw.sweep(pendulum(), {"beam.E": moduli}, 0.1, outputs=["beam.q"])
    single = [lw.simulate(pendulum(E=E), 0.1)["beam.q"][-1] for E in moduli]
    assert np.array_equal(study.data["beam.q"].values[:, -1], single)


@pytest.mark.parametrize("suffix", ["urdf", "xml", "mo"])
def test_formats_of_rigid_bodies_refuse_a_beam_by_name(suffix, tmp_path):
    with pytest.raises(lw.ModelError, match="beam"):
        lw.export(pendulum(), tmp_path / f"pendulum.{suffix}")
