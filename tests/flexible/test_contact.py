"""Contact of parts that bend: an impact sets their coordinates in motion."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, flexible, joints


@pytest.mark.slow
@pytest.mark.parametrize("elements", [2, 8])
def test_an_elastic_bar_bounces(elements):
    """Saint-Venant 1867: it stays for as long as a wave runs to its end and back, and leaves as fast as it came."""
    E, rho, length, section = 2e9, 1000.0, 1.0, flexible.Circle(diameter=0.02)
    there_and_back = 2 * length / np.sqrt(E / rho)
    m = lw.Model("bar")
    m.world = lw.World(gravity=None)
    m.floor, m.nose = contact.Plane(n=[1, 0, 0]), contact.Point()
    m.slide = joints.Prismatic(n=[1, 0, 0], s=1e-4, v=-1.0)
    m.bar = flexible.Beam(length=length, section=section, E=E, G=E / 2.6, rho=rho, strains="stretch",
                          elements=elements)
    m.chain(m.world, m.slide, m.bar)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.bar.frame_a, m.nose.frame_a)
    m.touch = contact.Pair(m.floor, m.nose, law=contact.Rigid())
    r = lw.simulate(m, 1.5 * there_and_back, step=there_and_back / 1000)
    rebound = r["momentum"][-1, 0] / (rho * section.A * length)
    energy = r["kinetic_energy"] + r["elastic_energy"]
    pressed = r.t[r["touch.f_n"] > 0]
    few = 4 if elements == 2 else 1  # the first impact takes the mass of the nearest coordinates
    assert pressed[-1] - pressed[0] == pytest.approx(there_and_back, rel=0.01 * few)
    assert rebound == pytest.approx(1.0, abs=0.03 * few)
    assert np.all(np.diff(energy) < 1e-8 * energy[0])
