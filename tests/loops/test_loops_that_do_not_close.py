"""Loops that cannot close: the gap is the least there is; given values that loops do not allow: the nearest they do."""

import re

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts

every_formulation = pytest.mark.parametrize("formulation", ["minimal", "projection"])


def rod(length):
    return parts.BodyShape(m=1, r=[length, 0, 0], r_cm=[length / 2, 0, 0], inertia=[0.01, 0.1, 0.1])


def chain(lengths, apart, *angles):
    """Rods from one anchor to another, pinned to each other and to the anchors."""
    m = lw.Model("chain")
    m.world = lw.World()
    m.pin = [joints.Revolute(**({"phi": angles[k]} if k < len(angles) else {})) for k in range(len(lengths) + 1)]
    m.rod, m.anchor = [rod(length) for length in lengths], parts.FixedTranslation(r=[apart, 0, 0])
    before = m.world
    for pin, link in zip(m.pin, m.rod, strict=False):
        m.chain(before, pin, link)
        before = link
    m.chain(m.world, m.anchor)
    m.chain(before, m.pin[-1])
    m.connect(m.pin[-1].frame_b, m.anchor.frame_b)
    return m


def slider_crank(length, phi, height=0.0):
    """A crank of 0.2 m, a rod, and a slide at a height above the bearing."""
    m = lw.Model("slider-crank")
    m.world = lw.World()
    m.bearing, m.crank, m.pin, m.rod, m.end = joints.Revolute(phi=phi), rod(0.2), joints.Revolute(), rod(length), \
        joints.Revolute()
    m.rail, m.slide, m.block = parts.FixedTranslation(r=[0, height, 0]), joints.Prismatic(n=[1, 0, 0]), parts.Body(m=1)
    m.chain(m.world, m.bearing, m.crank, m.pin, m.rod, m.end)
    m.chain(m.world, m.rail, m.slide, m.block)
    m.connect(m.end.frame_b, m.block.frame_a)
    return m


def spatial_rod(length, apart):
    """A rod with balls between two cranks of 0.5 m about different axes."""
    m = lw.Model("RSSR")
    m.world, m.far = lw.World(), parts.FixedTranslation(r=[apart, 0, 0])
    m.one, m.a = joints.Revolute(n=[0, 0, 1], phi=lw.guess(0.7)), rod(0.5)
    m.two, m.b = joints.Revolute(n=[0, 1, 0], phi=lw.guess(0.4)), rod(0.5)
    m.rod = joints.SphericalSpherical(rod_length=length)
    m.chain(m.world, m.one, m.a, m.rod)
    m.chain(m.world, m.far, m.two, m.b)
    m.connect(m.b.frame_b, m.rod.frame_b)
    return m


def ball_rod(length, apart):
    """A rod on a ball, its tip held by a universal joint: a triangle in space."""
    m = lw.Model("triangle")
    m.world, m.far = lw.World(), parts.FixedTranslation(r=[0, apart, 0])
    m.ball, m.a, m.knee, m.b = joints.Spherical(), rod(1.0), joints.Universal(n_a=[0, 0, 1], n_b=[0, 1, 0]), rod(length)
    m.end = joints.Spherical()
    m.chain(m.world, m.ball, m.a, m.knee, m.b, m.end)
    m.chain(m.world, m.far)
    m.connect(m.end.frame_b, m.far.frame_b)
    return m


@every_formulation
@pytest.mark.parametrize(("model", "gap"), [
    (lambda: chain([1, 1], 2.5, lw.guess(0.5), lw.guess(-0.5)), 0.5),
    (lambda: chain([1, 0.3], 0.5, 0.7, lw.guess(2.0)), 0.2),  # the long rod less the other two
    (lambda: chain([0.3, 0.2, 0.3], 1.0, 1.0), 0.2),
    (lambda: slider_crank(0.15, lw.guess(0.4), 0.5), 0.15),
    (lambda: spatial_rod(1.5, 3.0), 0.5),
    (lambda: ball_rod(0.5, 2.0), 0.5), (lambda: ball_rod(0.25, 0.25), 0.5)],
    ids=["stretched", "folded", "four-bar", "slider-crank", "rod in space", "triangle", "folded triangle"])
def test_the_least_gap_is_said(model, gap, formulation):
    with pytest.raises(lw.AssemblyError, match="cannot be closed") as caught:
        lw.compile(model(), formulation=formulation).state()
    assert float(re.search(r"gap ([0-9.e-]+) m\)", str(caught.value)).group(1)) == pytest.approx(gap, abs=1e-3)


@every_formulation
def test_the_loop_that_fails_is_named_and_no_other(formulation):
    """A rod of 0.5 m to an anchor 5.1 m from the farthest the rocker reaches, beside a four-bar that closes."""
    m = chain([0.3, 0.9, 0.6], 1.0, lw.guess(1.0), lw.guess(-1.0), lw.guess(-2.0))
    m.far, m.hinge, m.tie, m.eye = parts.FixedTranslation(r=[6, 0, 0]), joints.Revolute(), rod(0.5), joints.Revolute()
    m.chain(m.world, m.far, m.hinge, m.tie, m.eye)
    m.connect(m.eye.frame_b, m.rod[1].frame_b)
    with pytest.raises(lw.AssemblyError) as caught:
        lw.compile(m, formulation=formulation).state()
    said = str(caught.value)
    assert len(caught.value.components) == 1
    # over the rocker, which is pinned at 1 m: 6 − 0.5 − 1.6; over crank and coupler: 6 − 0.5 − 1.2
    assert any(f"(gap {gap} m)" in said for gap in ("3.9", "4.3"))


@every_formulation
@pytest.mark.parametrize(("model", "name", "nearest"), [
    (lambda: chain([0.6, 0.5, 0.5], 1.0, 3.0), "pin[0].phi", np.arccos(0.3)),
    (lambda: slider_crank(0.15, 1.5), "bearing.phi", np.arcsin(0.75)),
    (lambda: slider_crank(0.15, -2.0), "bearing.phi", np.arcsin(0.75) - np.pi)], ids=["four-bar", "slider", "back"])
def test_a_crank_that_was_given_an_angle_out_of_reach(model, name, nearest, formulation):
    with pytest.raises(lw.InitialError) as caught:
        lw.compile(model(), formulation=formulation).state()
    assert caught.value.components == (name,) and "two of them" not in str(caught.value)
    said = re.search(rf"{re.escape(name)} = .*nearest value found is ([-0-9.]+)", str(caught.value)).group(1)
    assert float(said) == pytest.approx(nearest, abs=1e-4)


@every_formulation
def test_two_values_that_contradict_each_other_in_a_loop(formulation):
    """Each can be had, but not both; the error says what one allows the other."""
    m = slider_crank(0.5, 0.5)
    m.slide._initial["s"] = [0.6]
    with pytest.raises(lw.InitialError, match="cannot all hold") as caught:
        lw.compile(m, formulation=formulation).state()
    position = 0.2 * np.cos(0.5) + np.sqrt(0.25 - (0.2 * np.sin(0.5)) ** 2)
    angle = np.arccos((0.2**2 + 0.6**2 - 0.5**2) / (2 * 0.2 * 0.6))
    assert f"{position:.4f}"[:5] in str(caught.value) and f"{angle:.4f}"[:5] in str(caught.value)


@every_formulation
def test_a_gap_across_the_plane_of_a_loop(formulation):
    """Nothing in a planar four-bar moves along z; an anchor 0.1 m beside the plane is refused, not left out."""
    m = chain([0.3, 0.9, 0.6], 1.0, 1.0)
    m.anchor.r = [1.0, 0, 0.1]
    with pytest.raises(lw.AssemblyError, match=r"gap 0\.1 m.*displacement along z"):
        lw.compile(m, formulation=formulation).state()
