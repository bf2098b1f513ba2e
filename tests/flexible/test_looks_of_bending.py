"""Parts that bend in pictures: their surfaces, and what colours them."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import flexible, forces
from linkwright.view.animation_files import result_animation


def cantilever(color_by=None, part="beam", **given):
    m = lw.Model("cantilever")
    m.world, m.load = lw.World(gravity=None), forces.WorldForce()
    if part == "beam":
        m.part = flexible.Beam(length=0.5, section=flexible.Rectangle(height=0.05, width=0.05), strains="planar",
                               material=flexible.Aluminium, elements=1, color_by=color_by, start="static", **given)
        end = m.part.frame_b
    else:
        m.part = flexible.Block([0.5, 0.05, 0.05], flexible.Aluminium, interfaces={"root": "x-", "tip": "x+"}, modes=0,
                                divisions=[6, 1, 1], color_by=color_by, stiffening=False, zeta=0.7, **given)
        end = m.part.tip
    m.load.force = [0, -1000.0, 0]
    m.connect(m.world.frame_b, m.part.frame_a if part == "beam" else m.part.root)
    m.connect(end, m.load.frame_b)
    return m


def patches(result):
    return [item for item in result_animation(result, times=result.t[[0, -1]]).items if ".skin" in item.shape.name]


def test_a_beam_is_coloured_by_its_stress():
    """M y/I falls from the root to the end: from the last colour of the map to the first."""
    r = lw.simulate(cantilever("stress"), 1e-4)
    items = patches(r)
    assert len(items) == 16
    colours = np.array([item.colours[-1] for item in items])
    red, blue = colours[0], colours[-1]
    assert red[0] > 120 and red[2] == 0 and blue[2] > 120 and blue[0] == 0
    assert all(item.vertices.shape == (2, 8, 3) for item in items)
    stress = 1000 * 0.5 * 0.025 / (0.05**4 / 12)
    assert r["part.surface_strain"][0] * flexible.Aluminium.E == pytest.approx(stress, rel=1e-5)


def test_displacement_grows_towards_the_end():
    colours = np.array([item.colours[-1] for item in patches(lw.simulate(cantilever("displacement"), 1e-4))])
    assert colours[0][0] == 0 and colours[-1][0] > 120


def test_stress_of_a_block():
    """In the middle of the block, away from its ends, σ = F x y/I on the face that is stretched."""
    m = cantilever("stress", "block")
    nodes = m.part._reduced.nodes
    middle = min((k for k in nodes if k >= 0), key=lambda k: np.linalg.norm(nodes[k].origin - [0.25, 0.025, 0.0]))
    m.output("stress", m.part.stress(middle))
    m.output("moved", m.part.displacement(middle))
    state = lw.equilibrium(m)
    expected = 1000 * 0.25 * 0.025 / (0.05**4 / 12)
    assert state.get("stress") == pytest.approx(expected, rel=0.02)
    bent = 1000 * 0.25**2 * (3 * 0.5 - 0.25) / 6 / (7e10 * 0.05**4 / 12)
    assert state.get("moved")[1] == pytest.approx(-bent, rel=0.05)
    items = patches(lw.simulate(m, 1e-3))
    assert 16 <= len(items) <= 96
    assert sum(len(item.mesh[1]) for item in items) == len(m.part.skin[2])


@pytest.mark.parametrize(("given", "said"), [({"color_by": "heat"}, "choose 'displacement' or 'stress' or 'strain'"),
                                             ({"color_by": "stress", "color_range": -1.0}, "must be positive")])
def test_what_cannot_be_shown(given, said):
    with pytest.raises(lw.ModelError, match=said):
        lw.compile(cantilever(**given))
    data = flexible.beam_modes(1.0, flexible.Circle(diameter=0.02), flexible.Steel, 1)
    with pytest.raises(lw.ModelError, match="stresses are known of meshes and blocks"):
        flexible.ModalBody(data, color_by="stress")
    with pytest.raises(lw.ModelError, match="only reductions of meshes and blocks know stresses"):
        flexible.ModalBody(data).stress(0)
