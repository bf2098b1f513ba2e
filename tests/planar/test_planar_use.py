"""The planar page of the API as written, and loops that need nothing but connecting."""

import numpy as np
import pytest
from planar_models import piston_engine

import linkwright as lw
from linkwright import planar as pl
from linkwright import rotational


def test_the_api_page_runs():
    m = lw.Model("crane crab")
    m.world = pl.World()
    m.fixed = pl.Fixed()
    m.rail = pl.Prismatic(r=[1, 0])
    m.trolley = pl.Body(m=1, I=0.1)
    m.rev = pl.Revolute(phi=-1.0)
    m.rope = pl.FixedTranslation(r=[0, -1])
    m.load = pl.Body(m=0.5, I=0.01)
    m.chain(m.fixed, m.rail, m.trolley)
    m.chain(m.trolley, m.rev, m.rope, m.load)
    r = lw.simulate(m, 10.0)
    assert r["load.r"].shape == (501, 2)
    energy = r["kinetic_energy"] + r["potential_energy"]
    np.testing.assert_allclose(energy, energy[0], atol=1e-6)
    names = [f"load.frame_a.{name}" for name in ("x", "y", "phi", "fx", "fy", "t")]
    assert set(names) <= set(r.names)
    assert all(values.shape == (501,) for values in r.get_many(names).values())


def four_bar():
    """Ground 1.0, crank 0.3, coupler 0.9, rocker 0.6, slender rods of 1 kg (see the free-running four-bar)."""
    m = lw.Model("planar four-bar")
    m.world = pl.World(g=9.81)
    m.left = pl.Fixed()
    m.right = pl.Fixed(r=[1.0, 0])
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.6)):
        setattr(m, f"{name}_a", pl.FixedTranslation(r=[length / 2, 0]))
        setattr(m, f"{name}_b", pl.FixedTranslation(r=[length / 2, 0]))
        setattr(m, name, pl.Body(m=1, I=length**2 / 12))
        m.chain(getattr(m, f"{name}_a"), getattr(m, f"{name}_b"))
        m.connect(getattr(m, f"{name}_a").frame_b, getattr(m, name).frame_a)
    m.j1 = pl.Revolute(phi=lw.deg(60), w=5)
    m.j2 = pl.Revolute(phi=lw.guess(lw.deg(-45)))
    m.j3 = pl.Revolute()
    m.j4 = pl.Revolute(phi=lw.guess(lw.deg(110)))
    m.chain(m.left, m.j1, m.crank_a)
    m.chain(m.crank_b, m.j2, m.coupler_a)
    m.chain(m.right, m.j4, m.rocker_a)
    m.chain(m.rocker_b, m.j3)
    m.connect(m.j3.frame_b, m.coupler_b.frame_b)
    return m


def test_free_running_four_bar():
    """Crank travel in 10 s: 79.4412268629 rad."""
    r = lw.simulate(four_bar(), 10.0, accuracy=1e-12)
    assert r["j1.phi"][-1] - r["j1.phi"][0] == pytest.approx(79.4412268629, abs=1e-6)
    assert r.closure < 1e-9


@pytest.mark.parametrize("build", [four_bar, piston_engine])
def test_loops_need_nothing_but_connections(build):
    system = lw.compile(build())
    r = lw.simulate(system, 10.0)
    assert r.t[-1] == 10 and system.dof == 1


def test_distance_of_frames_that_coincide_is_zero():
    """As in space: below s_small the distance is L²/2s (3 − L²/s²), which vanishes with L and meets L at s."""
    m = lw.Model("coincident")
    m.world, m.fixed = pl.World(), pl.Fixed()
    m.near = pl.FixedTranslation(r=[0.05, 0])
    m.none, m.half = pl.Distance(), pl.Distance(s_small=0.1)
    m.chain(m.fixed, m.near)
    m.connect(m.none.frame_a, m.none.frame_b, m.fixed.frame)
    m.connect(m.half.frame_a, m.fixed.frame)
    m.connect(m.half.frame_b, m.near.frame_b)
    state = lw.compile(m).state()
    assert state.get("none.distance") == 0
    assert state.get("half.distance") == pytest.approx(0.05**2 / 0.2 * (3 - 0.25), rel=1e-14)


def test_whether_a_part_is_shown_changes_no_code():
    m = lw.Model("shown")
    m.world, m.fixed = pl.World(), pl.Fixed()
    m.rev, m.body = pl.Revolute(phi=0.1), pl.Body(m=1, I=0.1)
    m.chain(m.fixed, m.rev, m.body)
    one = lw.compile(m)
    m.body.animation = False
    assert lw.compile(m).code is one.code


@pytest.mark.parametrize("world, g", [({"g": 3.0}, 3.0), ({"gravity": None}, 0.0), ({"g": 2.0, "n": [0, -2, 0]}, 2.0)])
def test_planar_parts_beside_a_spatial_world_feel_its_gravity(world, g):
    m = lw.Model("beside")
    m.world = lw.World(**world)
    m.body = pl.Body(m=1, I=1, r=[0, 0], v=[0, 0], phi=0, w=0)
    r = lw.simulate(m, 1.0)
    np.testing.assert_allclose(r["body.r"][:, 1], -g * r.t**2 / 2, atol=1e-9)


def test_the_force_between_teeth_does_not_depend_on_where_the_wheels_start():
    """Wheels on fixed axles: the same torque drives the same motion by the same force from any angle."""
    found = []
    for phi in (-9.0, -4.0, 0.0, 2.0, 4.0, 7.0):
        m = lw.Model("teeth")
        m.world = pl.World(g=0)
        m.left, m.right, m.a, m.b = pl.Fixed(), pl.Fixed(r=[1.5, 0]), pl.Revolute(phi=phi, w=0.0), pl.Revolute()
        m.one, m.two = pl.Body(m=1, I=0.1), pl.Body(m=1, I=0.1)
        m.mesh, m.load = pl.RigidNoLossExternal(r_a=1.0, r_b=0.5), rotational.Torque(tau=1.0)
        m.chain(m.left, m.a, m.one)
        m.chain(m.right, m.b, m.two)
        m.connect(m.one.frame_a, m.mesh.frame_a)
        m.connect(m.two.frame_a, m.mesh.frame_b)
        m.connect(m.load.flange, m.b.axis)
        r = lw.simulate(m, 0.5)
        found.append([r["a.w"][-1], r["b.w"][-1], r["mesh.f_n"][-1]])
    # 0.1 ẅ_b + 0.5 f = 1 with w_a = −w_b/2 and 0.1 ẇ_a = −f
    np.testing.assert_allclose(found, np.tile([-2.0, 4.0, -0.4], (6, 1)), atol=1e-9)


def test_results_of_the_whole_and_weights_are_not_overridden():
    m = lw.Model("names")
    m.world = pl.World()
    m.body = pl.Body(m=1, I=1)
    with pytest.raises(lw.ModelError, match="kinetic_energy"):
        m.output("kinetic_energy", m.body.phi)
    names = [name for name in lw.compile(m).states if name.startswith(("body", "der(body"))]
    with pytest.raises(lw.ModelError, match="all are zero"):
        lw.simulate(m, 1.0, weights=dict.fromkeys(names, 0))


def test_a_plane_with_a_gravity_of_its_own_keeps_the_energy():
    """Beside a spatial world a planar one may have other gravity: its bodies fall by that, and gain energy of it."""
    m = lw.Model("own")
    m.world, m.plane = lw.World(), pl.World(g=3.0, n=[1, 0])
    m.body = pl.Body(m=2, I=1, r=[0, 0], v=[0, 1], phi=0, w=0)
    r = lw.simulate(m, 1.0)
    np.testing.assert_allclose(r["body.r"], np.stack([3 * r.t**2 / 2, r.t], 1), atol=1e-9)
    energy = r["kinetic_energy"] + r["potential_energy"]
    np.testing.assert_allclose(energy, energy[0], atol=1e-8)
