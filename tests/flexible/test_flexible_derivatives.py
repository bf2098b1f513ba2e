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
    """By Young's modulus, length, density and a mass, beside differences of runs (of fourth order): 1e-7."""
    values = {"beam.E": 7e10, "beam.length": 0.8, "beam.rho": 2700.0, "tip.m": 0.05}
    r = lw.simulate(pendulum(), 0.1, sensitivities=list(values), accuracy=1e-11)
    for name, value in values.items():
        tips = {}
        for s in (-2, -1, 1, 2):
            m = pendulum()
            part, field = name.split(".")
            setattr(getattr(m, part), field, value * (1 + 3e-4 * s))
            tips[s] = lw.simulate(m, 0.1, accuracy=1e-12)["beam.frame_b.r_0"][-1]
        difference = (8 * (tips[1] - tips[-1]) - (tips[2] - tips[-2])) / (12 * 3e-4)
        found = value * r.sensitivity("beam.frame_b.r_0", name)[-1]
        assert found == pytest.approx(difference, abs=1e-7 * max(np.abs(found).max(), 1e-2))


@pytest.mark.slow
def test_derivatives_of_a_run_with_shapes():
    """By stiffness, mass and damping of a modal body, beside differences of fourth order: 1e-7."""
    def model(**given):
        m = lw.Model("arm")
        m.world, m.rev = lw.World(), joints.Revolute(phi=0.4)
        data = flexible.beam_modes(0.8, flexible.Circle(diameter=0.004), flexible.Aluminium, 2)
        m.arm = flexible.ModalBody(data, **{"stiffness_scale": 1.0, "mass_scale": 1.0, "zeta": 0.02, **given})
        m.tip = parts.PointMass(m=0.05)
        m.chain(m.world, m.rev, m.arm, m.tip)
        return m

    values = {"stiffness_scale": 1.0, "mass_scale": 1.0, "zeta": 0.02}
    r = lw.simulate(model(), 0.1, sensitivities=[f"arm.{name}" for name in values], accuracy=1e-11)
    for name, value in values.items():
        tips = {s: lw.simulate(model(**{name: value * (1 + 3e-4 * s)}), 0.1, accuracy=1e-12)["arm.frame_b.r_0"][-1]
                for s in (-2, -1, 1, 2)}
        difference = (8 * (tips[1] - tips[-1]) - (tips[2] - tips[-2])) / (12 * 3e-4)
        found = value * r.sensitivity("arm.frame_b.r_0", f"arm.{name}")[-1]
        assert found == pytest.approx(difference, abs=1e-7 * max(np.abs(found).max(), 1e-2))


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
    with pytest.raises(lw.ModelError, match="^beam: .* that bend.* put a rigid body in its place"):
        lw.export(pendulum(), tmp_path / f"pendulum.{suffix}")
