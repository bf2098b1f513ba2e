"""Loops, constraints and drives in space of Modelica.Mechanics.MultiBody, against the published result files.

Their tolerance is 1e-6, relative: of an engine that has turned by 2600 rad that leaves a radian.
"""

import numpy as np
import pytest
from test_engine_v6_analytic import gas_force

import linkwright as lw
from linkwright import assemblies, blocks, constraints, forces, joints, parts, rotational, translational

ANGLES = [lw.deg(10), lw.deg(55), lw.deg(68)]


def run(model, stop, published, tolerance=2e-4):
    r = lw.simulate(model, stop, accuracy=1e-10)
    for name, value in published.items():
        assert r[name][-1] == pytest.approx(value, abs=tolerance), name
    return r


# --- loops ---


def test_fourbar_with_a_universal_spherical_rod():
    m = lw.Model("Fourbar2")
    m.world = lw.World()
    m.j1, m.j2 = joints.Revolute(n=[1, 0, 0], phi=0, w=5.235987755983), joints.Prismatic(n=[1, 0, 0], s=-0.2)
    m.b1, m.b2 = parts.BodyCylinder(r=[0, 0.5, 0.1], diameter=0.05), parts.BodyCylinder(r=[0, 0.2, 0], diameter=0.05)
    m.rod = joints.UniversalSpherical(n1_a=[0, 1, 0], r_rod_ia=[-1, 0.3, 0.1])
    m.b3 = parts.FixedTranslation(r=[1.2, 0, 0])
    m.chain(m.world, m.j1, m.b1)
    m.chain(m.world, m.b3, m.j2, m.b2)
    m.connect(m.b1.frame_b, m.rod.frame_b)
    m.connect(m.b2.frame_b, m.rod.frame_a)
    r = run(m, 5.0, {"j1.phi": 40.241257616103, "j1.w": 11.6339894362121}, 2e-3)
    # the mechanism of Fourbar_analytic, whose end values are known at high precision
    assert [r["j1.phi"][-1], r["j1.w"][-1]] == pytest.approx([40.24202503, 11.63500685], abs=1e-6)


def test_planar_fourbar():
    m = lw.Model("PlanarFourbar")
    m.world = lw.World()
    m.revolute1, m.revolute2, m.revolute3 = joints.Revolute(phi=0, w=0), joints.Revolute(), joints.Revolute()
    m.revolute4cut = joints.RevolutePlanarLoopConstraint()
    r = np.array([[0.4, 0, 0], [0.1, 1.1, 0], [-0.15, 1, 0]])
    m.body1, m.body2, m.body3, m.body4 = (parts.BodyBox(r=to, width=0.05) for to in (*r, r[0] + r[1] - r[2]))
    m.damper = rotational.Damper(d=0.1)
    m.chain(m.world, m.revolute1, m.body1, m.revolute2, m.body2)
    m.chain(m.world, m.body3, m.revolute3, m.body4)
    m.connect(m.body4.frame_b, m.revolute4cut.frame_a)
    m.connect(m.body2.frame_b, m.revolute4cut.frame_b)
    m.connect(m.revolute1.support, m.damper.flange_a)
    m.connect(m.revolute1.axis, m.damper.flange_b)
    run(m, 5.0, {"revolute1.phi": -0.939783395642669, "revolute1.w": 6.99349011457421}, 4e-3)


def engine(analytic):
    """Engine1b: a slider-crank with a gas force; its loop from plain joints, or a JointRRP."""
    m = lw.Model("Engine1b")
    m.world = lw.World()
    m.piston = parts.BodyCylinder(diameter=0.1, r=[0, -0.1, 0])
    m.rod = parts.BodyBox(width_direction=[1, 0, 0], width=0.02, height=0.06, r=[0, -0.2, 0])
    m.bearing, m.inertia = joints.Revolute(n=[1, 0, 0]), rotational.Inertia(J=1, phi=0, w=10)
    m.crank1, m.crank3 = (parts.BodyCylinder(r=[0.1, 0, 0], diameter=d) for d in (0.05, 0.03))
    m.crank2, m.crank4 = (parts.BodyBox(height=0.05, width_direction=[1, 0, 0], width=0.02, r=[0, y, 0])
                          for y in (0.1, -0.1))
    m.mid, m.cyl_position = parts.FixedTranslation(r=[0.05, 0, 0]), parts.FixedTranslation(r=[0.15, 0.45, 0])
    m.chain(m.world, m.bearing, m.crank1, m.crank2, m.crank3, m.crank4)
    m.chain(m.crank2, m.mid)
    m.chain(m.world, m.cyl_position)
    m.connect(m.inertia.flange_b, m.bearing.axis)
    if analytic:
        m.rrp = assemblies.JointRRP(n_a=[1, 0, 0], n_b=[0, -1, 0], r_rod1_ia=[0, 0.2, 0], r_rod2_ib=[0, -0.1, 0],
                                    s_guess=0.05)
        m.tip = parts.FixedTranslation(r=[0, 0.2, 0])
        m.connect(m.mid.frame_b, m.rrp.frame_a)
        m.connect(m.cyl_position.frame_b, m.rrp.frame_b)
        m.connect(m.rrp.frame_ib, m.piston.frame_a)
        m.connect(m.rrp.frame_ia, m.tip.frame_a)
        m.chain(m.tip, m.rod)
        axis, bearing = m.rrp.axis, m.rrp.bearing
    else:
        m.cylinder, m.b1, m.b2 = joints.Prismatic(n=[0, -1, 0], s=lw.guess(0.05)), *(joints.Revolute(n=[1, 0, 0])
                                                                                    for _ in range(2))
        m.chain(m.cyl_position, m.cylinder, m.piston, m.b1, m.rod, m.b2)
        m.connect(m.b2.frame_b, m.mid.frame_b)
        axis, bearing = m.cylinder.axis, m.cylinder.support
    m.place, m.speed, m.gas = translational.RelPositionSensor(), translational.RelSpeedSensor(), translational.Force2()
    m.gas.f = gas_force(m.place.s_rel, m.speed.v_rel, 0.35, 0.1)
    m.connect(bearing, m.gas.flange_a, m.place.flange_a, m.speed.flange_a)
    m.connect(axis, m.gas.flange_b, m.place.flange_b, m.speed.flange_b)
    m.integral(m.gas.f * m.speed.v_rel, name="work")
    return m


@pytest.fixture(scope="module")
def engines():
    return [lw.simulate(engine(analytic), 5.0, accuracy=1e-10) for analytic in (False, True)]


def test_one_cylinder_engine_in_both_builds(engines):
    """412 turns, two switches of the gas law each."""
    for r in engines:
        assert r["inertia.phi"][-1] == pytest.approx(2588.633418353445, rel=1e-3)
        assert len(r.events) == pytest.approx(2 * 2588.633 / (2 * np.pi), abs=3)
        stored = r["kinetic_energy"] + r["potential_energy"]
        assert stored - stored[0] == pytest.approx(r["work"], rel=1e-8, abs=1e-3)
    assert engines[0]["inertia.phi"] == pytest.approx(engines[1]["inertia.phi"], abs=1e-3)


# --- constraints ---


def held(constraint, *joint, arm=None):
    """A body on a joint beside one on a constraint, each pulled by a spring."""
    m = lw.Model("constraint")
    m.world = lw.World()
    m.turned = parts.FixedRotation(r=[0.2, -0.3, 0.2], rotation_type="sequence", angles=ANGLES)
    m.point = parts.FixedTranslation(r=[0.8, 0, 0.3])
    m.connect(m.world.frame_b, m.turned.frame_a, m.point.frame_a)
    shape = {"m": 1, "inertia": [1, 1, 1], "r": [0.4, 0, 0], "r_cm": [0.2, 0, 0]}
    m.body_of_joint = parts.BodyShape(**shape)
    m.body_of_constraint = parts.BodyShape(r_0=lw.guess([0.2, -0.3, 0.2]), angles=lw.guess(ANGLES), **shape)
    m.joint, m.constraint = joint[-1], constraint
    for k, other in enumerate(joint[:-1]):
        setattr(m, f"joint{k + 1}", other)
    m.chain(m.turned, *joint, m.body_of_joint)
    m.chain(m.turned, constraint, m.body_of_constraint)
    for k, body in enumerate((m.body_of_joint, m.body_of_constraint)):
        spring, end = forces.Spring(c=20), parts.FixedTranslation(r=arm or [0, 0, 0])
        setattr(m, f"spring{k + 1}", spring)
        setattr(m, f"end{k + 1}", end)
        m.chain(body, end)
        m.connect(m.point.frame_b, spring.frame_a)
        m.connect(end.frame_b, spring.frame_b)
    return m


def same_motion(r):
    for name in ("r_0", "w_a"):
        assert r[f"body_of_constraint.{name}"] == pytest.approx(r[f"body_of_joint.{name}"], abs=1e-7)
    assert r["constraint.frame_b.f"] == pytest.approx(r["body_of_joint.frame_a.f"] * -1, abs=1e-5)


def test_prismatic_constraint():
    m = held(constraints.Prismatic(x_locked=False, y_locked=False), joints.Prismatic(n=[1, 0, 0], s=0, v=0),
             joints.Prismatic(n=[0, 1, 0], s=0, v=0))
    r = run(m, 10.0, {"joint1.s": -0.12240652857878746, "joint1.v": -1.4132010371416275,
                      "joint.s": -0.073814070446291472, "joint.v": -0.85219409553966607,
                      "body_of_constraint.r_0": [0.21295417869456379, -0.43578771537621858, 0.1572710778549925],
                      "body_of_constraint.v_0": [0.14955786246887415, -1.5676887697805708, -0.49331157244943008]})
    same_motion(r)


def test_spherical_constraint():
    m = held(constraints.Spherical(), joints.Spherical(angles=[0, 0, 0], w_rel_a=[0, 0, 0]))
    same_motion(run(m, 10.0, {"body_of_constraint.w_a": [0, -1.21424015039518, -0.502992700006586]}))


def test_universal_constraint():
    axes = {"n_a": [0, 0, 1], "n_b": [1, 0, 0]}
    m = held(constraints.Universal(**axes), joints.Universal(phi_a=0, phi_b=0, w_a=0, w_b=0, **axes),
             arm=[0.1, 0.15, 0.2])
    r = run(m, 10.0, {"body_of_constraint.w_a": [1.42481198468472, -0.112312126119519, -1.17945513860523],
                      "joint.phi_a": -0.625949661324079, "joint.phi_b": 0.0949485454849032,
                      "joint.w_a": -1.18479993865878, "joint.w_b": 1.42481448879637})
    same_motion(r)


# --- drives in space ---


def test_moving_actuated_drive():
    """A rotor on a carrier that turns across its axis: as a body on a joint, and as a 1-D rotor."""
    m = lw.Model("MovingActuatedDrive")
    m.world = lw.World(g=0)
    m.body = parts.BodyShape(r=[0.5, 0, 0], m=0, r_cm=[0, 0, 0], I_11=2, I_22=0, I_33=0)
    m.revolute, m.torque = joints.Revolute(n=[1, 0, 0], phi=0, w=0), forces.Torque(torque=[blocks.sine(), 0, 0])
    m.rotor1D, m.torque1 = parts.Rotor1D(J=2, phi=0, w=0), rotational.Torque(tau=blocks.sine())
    m.mounting, m.fixed = parts.Mounting1D(), parts.Fixed()
    m.r1, m.r2 = joints.Revolute(n=[0, 1, 0], w=0), joints.Revolute(n=[0, 1, 0], w=0)
    for k, joint, ground in ((1, m.r1, m.world.frame_b), (2, m.r2, m.fixed.frame_b)):
        source, mounting = rotational.Position(phi_ref=blocks.sine(amplitude=2)), parts.Mounting1D(n=[0, 1, 0])
        setattr(m, f"position{k}", source)
        setattr(m, f"mounting{k}", mounting)
        m.connect(ground, joint.frame_a, mounting.frame_a)
        m.connect(source.flange, joint.axis)
        m.connect(source.support, mounting.flange_b)
    m.chain(m.r1, m.revolute, m.body)
    m.connect(m.torque.frame_a, m.revolute.frame_a)
    m.connect(m.torque.frame_b, m.body.frame_b)
    m.connect(m.r2.frame_b, m.rotor1D.frame_a, m.mounting.frame_a)
    m.connect(m.torque1.flange, m.rotor1D.flange_a)
    m.connect(m.mounting.flange_b, m.torque1.support)
    r = run(m, 1.1, {"r1.phi": 1.13093462668644, "r1.w": 10.3624904613314, "r2.phi": 1.13093462668644,
                     "revolute.phi": 0.0800907481632241, "revolute.w": 0.0151977240943611,
                     "rotor1D.phi": 0.0800907481632241, "rotor1D.w": 0.0151977240943611}, 1e-5)
    # what the drives have to hold is the same
    assert r["r1.frame_b.t"] == pytest.approx(r["r2.frame_b.t"], abs=1e-6)


def test_bevel_gear():
    """A gear on a body in gimbals under wild torques; at 1 s every number depends on the last digit of the first."""
    across, along = [0, 1, 0], [1, 0, 0]
    m = lw.Model("BevelGear1D")
    m.world = lw.World()
    m.inertia1, m.inertia2 = parts.Rotor1D(J=1.1, n=along, phi=0, w=0), parts.Rotor1D(J=18.2, n=across)
    m.bevel_gear = parts.BevelGear1D(ratio=10, n_a=along, n_b=across)
    for k, n in enumerate((along, across, [0, 0, 1])):
        joint, torque = joints.Revolute(n=n, phi=0, w=0), rotational.Torque(tau=blocks.sine(110 + 10 * k, 5 + k))
        setattr(m, f"revolute{k + 1}", joint)
        setattr(m, f"torque{k + 1}", torque)
        m.connect(torque.flange, joint.axis)
    m.torque, m.mounting = rotational.Torque(tau=blocks.sine(amplitude=140, f=8)), parts.Mounting1D(n=along)
    m.box = parts.BodyBox(r=[0.1, 0.1, 0.1], length=0.1, width=0.1)
    m.chain(m.world, m.revolute1, m.revolute2, m.revolute3, m.box)
    m.connect(m.torque.flange, m.inertia1.flange_a)
    m.connect(m.inertia1.flange_b, m.bevel_gear.flange_a)
    m.connect(m.bevel_gear.flange_b, m.inertia2.flange_a)
    m.connect(m.torque.support, m.mounting.flange_b)
    m.connect(m.revolute3.frame_b, m.mounting.frame_a, m.inertia1.frame_a, m.inertia2.frame_a, m.bevel_gear.frame_a)
    run(m, 0.015, {"inertia2.phi": 0.00020479944138405339, "inertia2.w": 0.0403559594630086,
                   "revolute1.phi": 0.028566173388521382, "revolute1.w": 6.581304831900912,
                   "revolute2.phi": -0.014410117121707876, "revolute2.w": -2.8835508727929478,
                   "revolute3.phi": 0.11511054521474265, "revolute3.w": 23.182012041118139})
