"""Compliant contact of outlines: touches and leaves as often as the bodies do, and keeps the book of energy."""

import casadi as ca
import numpy as np
import pytest

import linkwright as lw
from linkwright import contact
from linkwright import planar as pl

ECCENTRIC, RADIUS, ROLLER = 0.02, 0.05, 0.01
ANGLES = np.linspace(0, 2 * np.pi, 181)
LAWS = [contact.Linear(1e6, dissipation=0.1), contact.HuntCrossley(1e9, dissipation=0.1)]


def disc(kind: str) -> pl.contact.Curve | pl.contact.Circle:
    """A round disc: as a circle in closed form, as an outline given by a formula or by points of it."""
    if kind == "circle":
        return pl.contact.Circle(radius=RADIUS)
    if kind == "formula":
        return pl.contact.Curve(function=lambda s: (RADIUS * ca.cos(s), RADIUS * ca.sin(s)))
    return pl.contact.Curve(np.column_stack([RADIUS * np.cos(ANGLES), RADIUS * np.sin(ANGLES)]))


def cam(kind: str, law, roller=None) -> lw.Model:
    """A disc that turns about a point off its middle at 30 rad/s and throws a roller up."""
    m = lw.Model("cam")
    m.world = pl.World(g=9.81)
    m.base, m.arm = pl.Fixed(), pl.FixedTranslation(r=[ECCENTRIC, 0])
    m.shaft = pl.Revolute(phi=-np.pi / 2, w=30.0)
    m.wheel = pl.Body(m=1, I=1.0)
    m.disc = disc(kind)
    m.guide = pl.Prismatic(r=[0, 1], s=RADIUS + ROLLER - ECCENTRIC)
    m.tappet = pl.Body(m=0.2, I=1e-4)
    m.rim = roller or pl.contact.Circle(radius=ROLLER)
    m.chain(m.base, m.shaft, m.wheel)
    m.chain(m.shaft, m.arm)
    m.connect(m.arm.frame_b, m.disc.frame_a)
    m.chain(m.base, m.guide, m.tappet)
    m.connect(m.guide.frame_b, m.rim.frame_a)
    m.touch = contact.Pair(m.disc, m.rim, law=law)
    m.integral(m.touch.loss_power, name="lost")
    return m


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_an_outline_touches_as_often_as_the_circle_it_is(law):
    """At 30 rad/s the roller leaves and comes back in ever smaller bounces: every one of them, and no other."""
    accuracy = 1e-9
    circle, outline = (lw.simulate(cam(kind, law), 0.3, accuracy=accuracy) for kind in ("circle", "formula"))
    assert [row.what for row in outline.contacts] == [row.what for row in circle.contacts]
    assert len(outline.contacts) >= 12
    # every bounce makes more of what the runs differ by: springs of micrometres, positions to a nanometre
    assert [row.time for row in outline.contacts] == pytest.approx([row.time for row in circle.contacts], abs=1e-7)
    for r in (circle, outline):
        total = r["kinetic_energy"] + r["potential_energy"] + r["touch.energy"] + r["lost"]
        assert np.ptp(total) <= 10 * accuracy * r["touch.energy"].max()


def test_an_outline_through_points_and_an_outlined_roller_do_the_same():
    """Points between which the curve is a spline, off by 1e-9 m; two outlines whose places both are unknown."""
    law = LAWS[0]
    roller = pl.contact.Curve(function=lambda s: (ROLLER * ca.cos(s), ROLLER * ca.sin(s)))
    circle = lw.simulate(cam("circle", law), 0.1, accuracy=1e-8)
    for other in (cam("points", law), cam("formula", law, roller)):
        r = lw.simulate(other, 0.1, accuracy=1e-8)
        assert [row.what for row in r.contacts] == [row.what for row in circle.contacts]
        assert r["guide.s"] == pytest.approx(circle["guide.s"], abs=1e-5)
