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
    m.beam = flexible.Beam(length=1.0, section=section, material=flexible.Steel, elements=1, **given)
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
