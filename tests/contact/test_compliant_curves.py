"""Compliant contact of outlines: touches and leaves as often as the bodies do, and keeps the book of energy."""

import ctypes
import shutil
import subprocess

import casadi as ca
import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, parts
from linkwright import planar as pl
from linkwright.integrate.step_programs.thread import threads
from linkwright.start import prepare
from linkwright.studies.lane_runs import LaneRuns

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


def egg_on_egg(law) -> lw.Model:
    """Two ellipsoids of which one falls on the other."""
    m = lw.Model("eggs")
    m.world = lw.World()
    m.under, m.skin = contact.Ellipsoid(radii=[0.5, 0.3, 0.4]), contact.Ellipsoid(radii=[0.1, 0.15, 0.12])
    m.egg = parts.Body(m=1, inertia=[8e-3, 5e-3, 7e-3], r_0=[0.02, 0.46, 0.01], w_a=[0.5, 0, -0.4])
    m.connect(m.world.frame_b, m.under.frame_a)
    m.connect(m.egg.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.under, m.skin, law=law)
    return m


def outlined_roller() -> pl.contact.Curve:
    return pl.contact.Curve(function=lambda s: (ROLLER * ca.cos(s), ROLLER * ca.sin(s)))


SEARCHED = {"outline": lambda: cam("formula", LAWS[0]),
            "two outlines": lambda: cam("points", LAWS[0], outlined_roller()),
            "ellipsoids": lambda: egg_on_egg(contact.Linear(1e6))}


@pytest.mark.parametrize("name", SEARCHED)
def test_where_bodies_touch_depends_on_the_pose_alone(name):
    """The same bits at the same state, whatever was evaluated before."""
    system = lw.compile(SEARCHED[name]())
    state = system.state()
    first = system.raw(state, "udot")
    numbers = np.random.default_rng(2)
    for _ in range(5):
        other = state.copy()
        other.y[:] = numbers.normal(size=len(state.y))
        assert np.array_equal(system.raw(other, "udot"), first)


@pytest.mark.parametrize("name", SEARCHED)
def test_runs_in_lanes_have_the_bits_of_ordinary_ones(name):
    """Pages and threads of GPUs take the same steps; they need nothing of this process."""
    model = SEARCHED[name]()
    system, stop = lw.compile(model), 0.06
    state = prepare(system, None, 0.0, {})
    runs = LaneRuns(system, state, stop, step=stop / 6, lanes=2)
    lanes = runs.run(runs.starts([state, state]))
    r = lw.simulate(model, stop, step=stop / 6)
    assert len(r.contacts) >= 1 and list(lanes.status) == [1, 1]
    end = np.concatenate([r.end.q, r.end.u])
    assert np.array_equal(lanes.grid_x[0][-1][:len(end)], end) and np.array_equal(lanes.grid_x[0], lanes.grid_x[1])


@pytest.mark.slow
def test_code_for_gpus_and_pages_calls_nothing(tmp_path):
    system = lw.compile(SEARCHED["two outlines"]())
    code = threads(LaneRuns(system, system.state(), 1.0, device="gpu").program)
    assert ".visible .entry runs(" in code.ptx and ".extern" not in code.ptx
    lw.export(SEARCHED["outline"](), tmp_path / "cam.html")
    assert (tmp_path / "cam.html").stat().st_size > 1e5


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", SEARCHED)
def test_exported_c_finds_the_same_places(name, tmp_path):
    model = SEARCHED[name]()
    output = "egg.r_0" if name == "ellipsoids" else "guide.s"
    assert lw.export(model, tmp_path / "m.c", outputs=[output], adaptive=True, accuracy=1e-12) == []
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-shared", "-fPIC", "-o",
                    str(tmp_path / "m.so"), str(tmp_path / "m.c"), "-lm"], check=True)
    code = ctypes.CDLL(str(tmp_path / "m.so"))
    code.m_begin.restype = ctypes.c_void_p
    run, y = ctypes.c_void_p(code.m_begin()), (ctypes.c_double * 3)()
    assert code.m_advance(run, ctypes.c_double(0.02)) == 0
    code.m_outputs(run, y)
    wanted = np.atleast_1d(lw.simulate(model, 0.02, accuracy=1e-12)[output][-1])
    # springs of micrometres are stiff: a hundred times the accuracy at the end
    assert list(y)[:len(wanted)] == pytest.approx(wanted, abs=1e-10)
