"""Contact of parts that bend: an impact sets their coordinates in motion."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, flexible, joints, parts


def reduced(**given):
    from tests.flexible.test_data import beam_elements

    M, K, nodes = beam_elements(4)
    return flexible.ModalBody(flexible.reduce(M=M, K=K, nodes=nodes, interfaces={"frame_a": [0], "frame_b": [4]},
                                              modes=4, **given))


def diver(law, tip="frame_b"):
    """A board that is held by the world, a ball, and a floor that they may hit."""
    m = lw.Model("diver")
    m.world, m.board = lw.World(), reduced()
    m.ball, m.drop = parts.Body(m=1.0, r_0=[0.5, 1.0, 0]), contact.Sphere(radius=0.05)
    m.floor, m.skin = contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.01)
    m.connect(m.world.frame_b, m.board.frame_a)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.drop.frame_a)
    m.connect(getattr(m.board, tip), m.skin.frame_a)
    m.contacts(law=law, between=[(m.floor, m.drop), (m.drop, m.skin)])
    return m


@pytest.mark.parametrize("law, tip, told", [
    (contact.Rigid(), "frame_b", True), (contact.HuntCrossley(stiffness=1e5), "frame_b", False),
    (contact.Rigid(), "frame_a", False)])
def test_impacts_excite_what_a_reduction_left_out(law, tip, told):
    """Rigid ones do, whatever comes; contact on the held end moves nothing."""
    m = diver(law, tip)
    said = [remark for remark in lw.compile(m).mechanism.remarks if "left out" in remark]
    assert len(said) == told
    if told:
        assert said[0].startswith("board: rigid contact") and f"{m.board.left_out:.4g} Hz" in said[0]
    known = " ".join(lw.explain(m).split())
    assert f"The shapes of board are right up to {m.board.left_out / 2:.3g} Hz" in known


def test_the_first_frequency_left_out():
    """By `modes`, or by `cut` if that is lower."""
    by_modes, by_cut = reduced(), reduced(cut=100.0)
    natural = by_modes.data.frequencies
    assert by_cut.left_out == pytest.approx(natural[natural > 100.0][0], rel=1e-9)
    assert by_cut.left_out < by_modes.left_out
    assert by_cut.size < by_modes.size


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
