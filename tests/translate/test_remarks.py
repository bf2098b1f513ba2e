"""The report says what is allowed but seldom meant; a sound model gets no such line."""

import linkwright as lw
from linkwright import joints, parts, rotational


def pendulum(**world) -> lw.Model:
    m = lw.Model("pendulum")
    m.world = lw.World(**world)
    m.rev = joints.Revolute(phi=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return m


def remarks(m: lw.Model) -> tuple[str, ...]:
    system = lw.compile(m)
    report = system.report(full=True)
    assert all(remark in report for remark in system.mechanism.remarks)
    return system.mechanism.remarks


def test_a_sound_model_has_none():
    m = pendulum()
    m.inertia = rotational.Inertia(J=0.1)
    m.damper, m.wall = rotational.Damper(d=1.0), rotational.Fixed()
    m.connect(m.rev.axis, m.inertia.flange_a)  # the other side of a shaft may be open
    m.connect(m.rev.axis, m.damper.flange_a)
    m.connect(m.damper.flange_b, m.wall.flange)
    assert remarks(m) == ()


def test_a_damper_with_a_loose_end():
    m = pendulum()
    m.damper = rotational.Damper(d=1.0)
    m.connect(m.rev.axis, m.damper.flange_b)
    (remark,) = remarks(m)
    assert remark.startswith("damper: flange_a connected to nothing") and "rotational.Fixed" in remark


def test_a_part_that_nothing_holds():
    m = pendulum()
    m.lost = parts.Body(m=2.0)
    (remark,) = remarks(m)
    assert remark.startswith("lost: connected to nothing")


def test_gravity_against_its_direction():
    (remark,) = remarks(pendulum(g=-9.81))
    assert remark.startswith("world: g = -9.81 is negative")


def test_a_body_without_mass():
    for tunable in ([], ["body.m"]):
        m = pendulum()
        m.body.m = 0.0
        remark = lw.compile(m, tunable=tunable).mechanism.remarks[0]
        assert remark.startswith("body: its mass is 0")


def test_a_model_of_fixed_parts():
    m = lw.Model("monument")
    m.world, m.body = lw.World(), parts.Body(m=1.0)
    m.connect(m.world.frame_b, m.body.frame_a)
    assert "every part is fixed to the world" in str(lw.compile(m))


def test_a_chain_past_a_body_says_where_the_next_joint_is():
    m = lw.Model("arms")
    m.world = lw.World()
    m.first, m.upper, m.second, m.lower = (joints.Revolute(phi=0.1), parts.Body(m=1.0, r_cm=[0.5, 0, 0]),
                                           joints.Revolute(phi=0.2), parts.Body(m=1.0, r_cm=[0.5, 0, 0]))
    m.chain(m.world, m.first, m.upper, m.second, m.lower)
    said = [line for line in lw.compile(m).mechanism.remarks if "frame_b" in line]
    assert len(said) == 1 and said[0].startswith("upper: ") and "put second at its frame_a" in said[0]
    m.upper.r_cm = [0, 0, 0]                                # a mass at the joint: nothing is at another place
    assert not [line for line in lw.compile(m).mechanism.remarks if "frame_b" in line]
