"""Cross-sections by their stiffnesses, with couplings, and what has no stiffness."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import flexible, forces


def tip(section, force, **given):
    """Deflection and twist of a cantilever of one metre under a small force at its end."""
    m = lw.Model("cantilever")
    m.world = lw.World(gravity=None)
    m.beam = flexible.Beam(length=1.0, section=section, material=flexible.Steel, **{"elements": 1, **given})
    m.load = forces.WorldForce()
    m.load.force = force
    m.connect(m.world.frame_b, m.beam.frame_a)
    m.connect(m.beam.frame_b, m.load.frame_b)
    state = lw.equilibrium(m)
    return state.get("beam.deflection"), state.get("beam.frame_b.R.T")[1, 2], state.get("beam.section_moment")


def test_a_section_by_its_stiffnesses_is_the_section():
    given = flexible.Rectangle(height=0.02, width=0.01)
    E, G, rho = flexible.Steel.E, flexible.Steel.G, flexible.Steel.rho
    same = flexible.SectionStiffness(GJ=G * given.It, EIy=E * given.Iy, EIz=E * given.Iz, EA=E * given.A,
                                     rhoA=rho * given.A, rhoIy=rho * given.Iy, rhoIz=rho * given.Iz)
    one, two = (tip(section, [0, 10.0, 5.0]) for section in (given, same))
    for a, b in zip(one, two, strict=True):
        assert a == pytest.approx(b, rel=1e-12, abs=1e-15)
    frequencies = [flexible.Beam(length=1.0, section=section, material=flexible.Steel).frequencies()
                   for section in (given, same)]
    assert frequencies[0] == pytest.approx(frequencies[1], rel=1e-12)


def test_numbers_of_sections():
    """Torsion after Saint-Venant (Timoshenko and Goodier, 2b/a), shear after Cowper 1966, tubes, thin walls."""
    for ratio, torsion in ((1, .1406), (2, .229), (4, .281), (10, .312)):
        assert flexible.Rectangle(height=0.01 * ratio, width=0.01).It == pytest.approx(torsion * ratio * 1e-8, rel=2e-3)
        assert flexible.Rectangle(height=0.01, width=0.01 * ratio).It == flexible.Rectangle(0.01 * ratio, 0.01).It
    assert flexible.Rectangle(height=0.02, width=0.01, nu=0.0).ky == pytest.approx(5 / 6)
    assert flexible.Circle(diameter=0.02, nu=0.3).ky == pytest.approx(6 * 1.3 / 8.8)
    whole, thin = flexible.Circle(diameter=0.04), flexible.Tube(diameter=0.04, wall=1e-6)
    tube = flexible.Tube(diameter=0.04, wall=0.02)
    for name in ("A", "Iy", "Iz", "It", "ky"):
        assert getattr(tube, name) == pytest.approx(getattr(whole, name)), name
    assert thin.ky == pytest.approx(2 * 1.3 / (4 + 3 * 0.3), rel=1e-4)
    assert thin.Iz == pytest.approx(np.pi * 0.02**3 * 1e-6, rel=1e-3)
    beam = flexible.IBeam(height=0.1, width=0.055, web=0.0041, flange=0.0057)  # IPE 100, without its fillets
    assert (beam.A, beam.Iz, beam.Iy) == pytest.approx((1.032e-3, 1.71e-6, 1.592e-7), rel=0.05)


def test_a_tapered_cantilever():
    """Height h (1 − s/2): ∫ (1 − s)²/(1 − s/2)³ ds = 8 ln 2 − 5 in the place of 1/3."""
    moved, _, _ = tip(lambda s: flexible.Rectangle(height=0.02 * (1 - s / 2), width=0.01), [0, 1.0, 0],
                      strains="planar", elements=4)
    EI = flexible.Steel.E * 0.01 * 0.02**3 / 12
    assert moved[1] == pytest.approx((8 * np.log(2) - 5) / EI, rel=2e-4)


@pytest.mark.parametrize(("force", "expected"), [([1.0, 0, 0], np.pi / 4), ([0, 1.0, 0], 3 * np.pi / 4 - 2)])
def test_a_beam_that_is_curved_from_the_start(force, expected):
    """A quarter of a circle that is clamped: π/4 and 3π/4 − 2 of F R³/EI, by Castigliano."""
    radius, F = 2 / np.pi, 1e-2
    section = flexible.Rectangle(height=0.02, width=0.01)
    m = lw.Model("hook")
    m.world, m.load = lw.World(gravity=None), forces.WorldForce()
    m.beam = flexible.Beam(length=1.0, section=section, material=flexible.Steel, strains="planar",
                           curvature=[0, 0, 1 / radius])
    m.load.force = (F * np.array(force)).tolist()
    m.connect(m.world.frame_b, m.beam.frame_a)
    m.connect(m.beam.frame_b, m.load.frame_b)
    state = lw.equilibrium(m)
    moved = state.get("beam.deflection")
    assert state.get("beam.frame_b.r_0") - moved == pytest.approx([radius, radius, 0], rel=1e-6)
    assert moved @ force == pytest.approx(expected * F * radius**3 / (flexible.Steel.E * section.Iz), rel=1e-4)


def test_bending_that_twists():
    """κ = C M with C the inverse of the stiffness: a moment F (L − x) about z turns the end by C_xz F L²/2 about x."""
    K = np.diag([100.0, 200.0, 300.0, 1e6, 1.0, 1.0])
    K[0, 2] = K[2, 0] = 60.0
    C, F = np.linalg.inv(K[:3, :3]), 0.01
    moved, twist, moment = tip(flexible.SectionStiffness(matrix=K, rhoA=1.0, rhoIy=1e-3, rhoIz=1e-3), [0, F, 0])
    assert moved[1] == pytest.approx(C[2, 2] * F / 3, rel=1e-5)
    assert twist == pytest.approx(C[0, 2] * F / 2, rel=1e-4)
    assert moment[0] == pytest.approx([0, 0, F], abs=1e-5 * F)


@pytest.mark.parametrize(("given", "said"), [
    ({"EIy": 1.0, "rhoA": 1.0, "EJ": 2.0}, "it takes GJ"), ({"EIy": 1.0, "rhoA": 0.0}, "must be"),
    ({"matrix": np.ones((3, 3)), "rhoA": 1.0}, "6 × 6"), ({"matrix": np.eye(6), "EA": 1.0, "rhoA": 1.0}, "not both")])
def test_what_is_no_section(given, said):
    with pytest.raises(lw.ModelError, match=said):
        flexible.SectionStiffness(**given)


def test_strains_without_stiffness_are_refused_by_name():
    with pytest.raises(lw.ModelError, match="no stiffness against twist, which strains='bending' leaves free"):
        tip(flexible.SectionStiffness(EIy=1.0, EIz=1.0, rhoA=1.0), [0, 1.0, 0])
    with pytest.raises(lw.ModelError, match="no inertia against twist"):
        tip(flexible.SectionStiffness(EIy=1.0, EIz=1.0, GJ=1.0, rhoA=1.0), [0, 1.0, 0])
    data = flexible.beam_modes(1.0, flexible.Circle(diameter=0.02), flexible.Steel, 2)
    loose = flexible.Reduced(data.integrals, np.diag([0.0, 1.0]), data.D, data.nodes, data.frames,
                             quadratic=data.quadratic)
    with pytest.raises(lw.ModelError, match="a shape without stiffness"):
        flexible.ModalBody(loose)
