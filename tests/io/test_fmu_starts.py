"""FMUs and C have no search for a start: numbers that decide it are refused by name when they are changed."""

import ctypes

import numpy as np
import pytest
from fmu_driver import Fmu, ours
from test_c_code import Run

import linkwright as lw
from linkwright import joints, parts, translational

LINUX = ["x86_64-linux"]


def suspended():
    """A mass that begins at rest: where, the spring, the mass and the force decide, and the damper does not."""
    m = lw.Model("suspended")
    m.world = lw.World()
    m.rail = joints.Prismatic(n=[0, 1, 0], s=lw.guess(-0.1), v=0, a=0)
    m.body = parts.Body(m=1.0)
    m.chain(m.world, m.rail, m.body)
    m.sus = translational.SpringDamper(c=100.0, d=1.0)
    m.push = translational.Force(f=2.0)
    m.connect(m.rail.support, m.sus.flange_a)
    m.connect(m.rail.axis, m.sus.flange_b, m.push.flange)
    return m


def driven():
    m = lw.Model("driven")
    m.world, m.crank = lw.World(), joints.Revolute()
    m.arm = parts.BodyShape(m=1, r=[0.5, 0, 0], r_cm=[0.2, 0, 0])
    m.chain(m.world, m.crank, m.arm)
    m.prescribe(m.crank.phi, 0.3 * lw.sin(2 * lw.time + 0.5))
    return m


@ours
@pytest.mark.parametrize("version", [3, 2])
def test_what_decides_the_start_is_refused_by_name(version, tmp_path):
    m = suspended()
    lw.export(m, tmp_path / "s.fmu", fmi=version, tunable=["sus.c", "sus.d"], outputs=["rail.a"], platforms=LINUX)
    for name, value in (("sus.c", 50.0), ("push.f", 5.0)):
        fmu = Fmu(tmp_path / "s.fmu", tmp_path / name, True)
        with pytest.raises(AssertionError):
            fmu.initialise({name: value})
        assert any(name in said and "decides where the model starts" in said for said in fmu.said)
    fmu = Fmu(tmp_path / "s.fmu", tmp_path / "d", True)
    fmu.initialise({"sus.d": 3.0, "sus.c": 100.0})
    # once it runs, everything may change
    assert abs(fmu.steps(np.array([0.0, 0.1]), "rail.a")[0, 0]) < 1e-9


def test_the_same_in_c(tmp_path):
    run = Run(suspended(), tmp_path, outputs=["rail.a"], tunable=["sus.c"], adaptive=True)
    run.code.m_reason.restype = ctypes.c_char_p
    run.code.m_set_parameters(run.run, (ctypes.c_double * 1)(50.0))
    status = run.code.m_advance(run.run, ctypes.c_double(0.1))
    assert status and b"sus.c decides where the model starts" in run.code.m_reason(status)


@ours
def test_a_given_motion_is_followed_from_any_time(tmp_path):
    from linkwright.start import decisive_slots

    assert not decisive_slots(lw.compile(driven()))
    assert set(decisive_slots(lw.compile(suspended(), tunable=["sus.c", "sus.d", "body.m"])).values()) == {
        "sus.c", "body.m", "push.f"}
