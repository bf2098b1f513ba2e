"""Contact along beams: capsules on their frames."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, flexible, joints
from linkwright import planar as pl

LAW = contact.HuntCrossley(stiffness=1e5, dissipation=5.0, radius=0.05)


def draped(pieces=3, radius=None):
    """A soft strip on a hinge that falls on a bar which lies below it."""
    m = lw.Model("strip on a bar")
    m.world = lw.World(g=9.81)
    m.hinge = joints.Revolute()
    m.strip = flexible.Beam(length=1.0, section=flexible.Rectangle(height=0.01, width=0.05), E=1e8, G=4e7, rho=1000.0,
                            strains="planar", degree=1, elements=1, frames=flexible.middles(pieces), damping=0.1)
    m.chain(m.world, m.hinge, m.strip)
    m.bar = contact.Capsule(radius=0.05, length=0.4, n=[0, 0, 1])
    m.below = lw.parts.Fixed(r=[0.5, -0.12, 0])
    m.connect(m.below.frame_b, m.bar.frame_a)
    skin = flexible.cover(m, m.strip, radius)
    m.contacts(law=LAW, between=[(m.bar, piece) for piece in skin])
    return m, skin


@pytest.mark.slow
def test_a_strip_comes_to_rest_on_a_bar():
    """Where it rests, the bar holds its weight's moment about the hinge."""
    r = lw.simulate(draped()[0], 5.0)
    names = [name for name in r.names if name.endswith(".f_n") and "/" in name]
    pressed = sum(r[name][-1].sum() for name in names)
    assert np.abs(r["strip.qd"][-1]).max() < 1e-2
    # moment of the weight 4.9 N at half a metre, over the lever of the bar; the strip droops a little beyond it
    assert pressed * 0.5 == pytest.approx(1000 * 5e-4 * 9.80665 * 0.5, rel=0.05)


def test_capsules_lie_end_to_end():
    m, skin = draped()
    assert [piece.length for piece in skin] == pytest.approx([1 / 3] * 3)
    assert [piece.radius for piece in skin] == pytest.approx([0.025] * 3)
    m.other = flexible.Beam(length=1.0, section=flexible.Circle(diameter=0.02), frames=[0.5, 0.6])
    with pytest.raises(lw.ModelError, match="no middles of pieces that fill the beam"):
        flexible.cover(m, m.other)
    with pytest.raises(lw.ModelError, match="one or more pieces"):
        flexible.middles(0)


def test_rectangles_cover_a_beam_in_the_plane():
    """The strip on a disc, in the plane, moves as it does in space on a bar."""
    m = lw.Model("strip on a disc")
    m.world, m.base, m.below = pl.World(g=9.81), pl.Fixed(), pl.Fixed(r=[0.5, -0.12])
    m.hinge, m.disc = pl.Revolute(), pl.contact.Circle(radius=0.05)
    m.strip = pl.flexible.Beam(length=1.0, section=flexible.Rectangle(height=0.01, width=0.05), E=1e8, G=4e7,
                               rho=1000.0, degree=1, elements=1, frames=flexible.middles(1), damping=0.1)
    m.chain(m.base, m.hinge, m.strip)
    m.connect(m.below.frame, m.disc.frame_a)
    skin = flexible.cover(m, m.strip)
    m.contacts(law=LAW, between=[(m.disc, skin[0])])
    spatial, _ = draped(pieces=1, radius=0.005)
    flat, full = (lw.simulate(each, 0.25)["strip.frame_b.r_0"][-1] for each in (m, spatial))
    assert full[1] < -0.25  # it bends over the bar
    assert flat == pytest.approx(full, abs=1e-6)
