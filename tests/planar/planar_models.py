"""Examples of the PlanarMechanics library, rebuilt from their specification (gravity 9.81 there)."""

import numpy as np

import linkwright as lw
from linkwright import planar as pl
from linkwright import rotational, translational

G = 9.81


def model(name, g=G):
    m = lw.Model(name)
    m.world = pl.World(g=g)
    return m


def free_body():
    m = model("FreeBody")
    m.body = pl.Body(m=1, I=0.1, r=[0, 0], v=[0, 0], phi=0, w=0)
    return m


def pendulum():
    m = model("Pendulum")
    m.fixed = pl.Fixed()
    m.revolute = pl.Revolute(phi=0, w=0)
    m.fixed_translation = pl.FixedTranslation(r=[1, 0])
    m.body = pl.Body(m=1, I=0.1)
    m.chain(m.fixed, m.revolute, m.fixed_translation, m.body)
    return m


def double_pendulum(m1=0.2, i1=0.01, names=("revolute", "revolute1")):
    m = model("DoublePendulum")
    m.fixed = pl.Fixed()
    first, second = names
    setattr(m, first, pl.Revolute(phi=0, w=0))
    m.fixed_translation = pl.FixedTranslation(r=[1, 0])
    m.body = pl.Body(m=1, I=0.1)
    setattr(m, second, pl.Revolute(phi=0, w=0))
    m.fixed_translation1 = pl.FixedTranslation(r=[0.4, 0])
    m.body1 = pl.Body(m=m1, I=i1)
    m.chain(m.fixed, getattr(m, first), m.fixed_translation, m.body, getattr(m, second), m.fixed_translation1, m.body1)
    return m


def measure_demo():
    m = double_pendulum(0.4, 0.02, ("revolute1", "revolute2"))
    m.absolute_position = pl.AbsolutePosition(resolve_in_frame="world")
    m.absolute_velocity = pl.AbsoluteVelocity(resolve_in_frame="frame_a")
    m.absolute_acceleration = pl.AbsoluteAcceleration(resolve_in_frame="world")
    m.relative_position = pl.RelativePosition(resolve_in_frame="world")
    m.relative_velocity = pl.RelativeVelocity(resolve_in_frame="frame_b")
    m.relative_acceleration = pl.RelativeAcceleration(resolve_in_frame="frame_b")
    m.connect(m.body.frame_a, m.relative_acceleration.frame_a, m.relative_velocity.frame_a,
              m.relative_position.frame_a)
    m.connect(m.body1.frame_a, m.absolute_acceleration.frame_a, m.absolute_acceleration.frame_resolve,
              m.relative_acceleration.frame_b, m.relative_velocity.frame_b, m.relative_position.frame_b,
              m.absolute_velocity.frame_a, m.absolute_position.frame_a)
    return m


def crane_crab(m=None, g=G):
    m = m or model("CraneCrab", g)
    m.fixed = pl.Fixed()
    m.prismatic = pl.Prismatic(r=[1, 0], s=0, v=0)
    m.body1 = pl.Body(m=1, I=0.1)
    m.revolute = pl.Revolute(phi=2.6179938779915, w=0)
    m.fixed_translation = pl.FixedTranslation(r=[0, -1])
    m.body = pl.Body(m=0.5, I=0.1)
    m.damper1d = translational.Damper(d=10)
    m.chain(m.fixed, m.prismatic, m.body1, m.revolute, m.fixed_translation, m.body)
    m.connect(m.damper1d.flange_b, m.prismatic.axis)
    m.connect(m.damper1d.flange_a, m.prismatic.support)
    return m


def spring_demo():
    m = model("SpringDemo")
    m.fixed = pl.Fixed()
    m.fixed_translation = pl.FixedTranslation()
    m.spring1 = pl.Spring(c_y=10, s_rely0=-0.5, c_x=1, c_phi=1e5)
    m.damper = pl.Damper(d=1)
    m.prismatic = pl.Prismatic(r=[0, 1], s=0.2, v=0)
    m.body = pl.Body(m=0.5, I=0.1)
    m.chain(m.fixed, m.fixed_translation, m.prismatic, m.body)
    m.connect(m.fixed_translation.frame_b, m.spring1.frame_a, m.damper.frame_a)
    m.connect(m.body.frame_a, m.spring1.frame_b, m.damper.frame_b)
    return m


def spring_damper_demo():
    m = model("SpringDamperDemo")
    m.fixed = pl.Fixed()
    m.fixed_translation = pl.FixedTranslation(r=[-1, 0])
    m.spring_damper = pl.SpringDamper(c_x=5, c_y=5, d_x=1, d_y=1)
    m.body = pl.Body(m=0.5, I=0.1, r=[1, 1], v=[0, 0], phi=0, w=0)
    m.chain(m.fixed, m.fixed_translation, m.spring_damper, m.body)
    return m


def kinematic_loop():
    m = model("KinematicLoop")
    angle = np.arcsin(0.4 / 0.5 / 2)
    m.fixed = pl.Fixed()
    m.revolute1 = pl.Revolute(phi=lw.guess(angle))
    m.revolute2 = pl.Revolute()
    m.revolute3 = pl.Revolute(phi=lw.guess(-angle))
    m.revolute4 = pl.Revolute(phi=-0.69813170079773, w=0)
    m.prismatic1 = pl.Prismatic(r=[1, 0], s=0.4, v=0)
    m.fixed_translation1 = pl.FixedTranslation(r=[0, -0.5])
    m.fixed_translation2 = pl.FixedTranslation(r=[0, -0.5])
    m.fixed_translation3 = pl.FixedTranslation(r=[0, -0.6])
    m.body = pl.Body(m=1, I=0.1)
    m.fixed1d = translational.Fixed()
    m.spring_damper1d = translational.SpringDamper(c=20, d=4, s_rel0=0.4)
    m.connect(m.fixed_translation1.frame_a, m.revolute1.frame_b)
    m.connect(m.fixed_translation2.frame_a, m.revolute3.frame_b)
    m.connect(m.revolute2.frame_a, m.fixed_translation1.frame_b, m.revolute4.frame_a)
    m.connect(m.revolute2.frame_b, m.fixed_translation2.frame_b)
    m.connect(m.fixed_translation3.frame_a, m.revolute4.frame_b)
    m.connect(m.revolute1.frame_a, m.fixed.frame, m.prismatic1.frame_a)
    m.connect(m.fixed1d.flange, m.spring_damper1d.flange_a)
    m.connect(m.body.frame_a, m.fixed_translation3.frame_b)
    m.connect(m.spring_damper1d.flange_b, m.prismatic1.axis)
    m.connect(m.prismatic1.frame_b, m.revolute3.frame_a)
    return m


def piston_engine():
    m = model("PistonEngine")
    m.fixed = pl.Fixed()
    m.fixed1 = pl.Fixed()
    m.revolute_drive = pl.Revolute(phi=0, w=-2.5)
    m.fixed_translation_disc = pl.FixedTranslation(r=[0.3, 0])
    m.body_drive = pl.Body(m=1, I=0.1)
    m.revolute_disc = pl.Revolute(phi=lw.guess(0))
    m.piston_rod = pl.FixedTranslation(r=[0.8, 0])
    m.revolute_piston = pl.Revolute()
    m.prismatic = pl.Prismatic(r=[1, 0], s=lw.guess(0))
    m.body_piston = pl.Body(m=3, I=0.1)
    m.connect(m.fixed.frame, m.revolute_drive.frame_a)
    m.connect(m.revolute_drive.frame_b, m.fixed_translation_disc.frame_a, m.body_drive.frame_a)
    m.connect(m.fixed1.frame, m.prismatic.frame_b)
    m.connect(m.fixed_translation_disc.frame_b, m.revolute_disc.frame_a)
    m.connect(m.revolute_disc.frame_b, m.piston_rod.frame_a)
    m.connect(m.revolute_piston.frame_b, m.piston_rod.frame_b)
    m.connect(m.prismatic.frame_a, m.revolute_piston.frame_a, m.body_piston.frame_a)
    return m


def counter_spin():
    m = model("CounterSpin")
    m.body = pl.Body(m=0.01, I=0.0005)
    m.rolling = pl.DryFrictionBasedRolling(R=0.1, v_adhesion=0.01, v_slide=0.03, mu_A=0.5, mu_S=0.15, phi=0, w=15, vx=2,
                                           x=0)
    m.connect(m.body.frame_a, m.rolling.frame_a)
    return m


def _on_a_bar(m, wheel):
    """A wheel at the end of a bar that turns about the origin and lets it slide, driven by 2 N m."""
    m.wheel = wheel
    m.prismatic = pl.Prismatic(r=[0, 1], s=1) if isinstance(wheel, pl.IdealWheelJoint) else pl.Prismatic(
        r=[0, 1], s=1, v=0)
    m.revolute = pl.Revolute(phi=0) if isinstance(wheel, pl.IdealWheelJoint) else pl.Revolute(phi=0, w=0)
    m.fixed = pl.Fixed()
    m.engine = rotational.Torque(tau=2)
    m.body = pl.Body(m=10, I=1)
    m.inertia = rotational.Inertia(J=1, phi=0, w=0)
    m.connect(m.wheel.frame_a, m.prismatic.frame_b, m.body.frame_a)
    m.connect(m.prismatic.frame_a, m.revolute.frame_b)
    m.connect(m.revolute.frame_a, m.fixed.frame)
    m.connect(m.engine.flange, m.inertia.flange_a)
    m.connect(m.inertia.flange_b, m.wheel.flange_a)
    return m


def ideal_wheel():
    return _on_a_bar(model("TestIdealWheel", 0), pl.IdealWheelJoint(radius=0.3, r=[1, 0]))


def dry_friction_wheel():
    return _on_a_bar(model("TestDryFrictionWheel", 0), pl.DryFrictionWheelJoint(
        radius=0.3, r=[1, 0], N=100, v_adhesion=0.1, v_slide=0.3, mu_A=0.8, mu_S=0.4))


def spur_gear():
    m = model("SpurGear")
    m.fixed_a = pl.Fixed()
    m.gear_a_bearing = pl.Revolute(phi=0)
    m.gear_a = pl.Body(m=1, I=1e-3)
    m.speed = rotational.Speed(w_ref=1, exact=True)
    m.fixed_b = pl.Fixed(r=[2, 0])
    m.gear_b_bearing = pl.Revolute()
    m.gear_b = pl.Body(m=1, I=1e-3)
    m.torque = rotational.Torque(tau=10)
    m.mesh = pl.RigidNoLossExternal()
    m.connect(m.gear_a_bearing.frame_b, m.gear_a.frame_a, m.mesh.frame_a)
    m.connect(m.speed.flange, m.gear_a_bearing.axis)
    m.connect(m.fixed_a.frame, m.gear_a_bearing.frame_a)
    m.connect(m.torque.flange, m.gear_b_bearing.axis)
    m.connect(m.mesh.frame_b, m.gear_b_bearing.frame_a, m.gear_b.frame_a)
    m.connect(m.fixed_b.frame, m.gear_b_bearing.frame_b)
    return m


def crane_crab_to_3d():
    from linkwright import joints, parts

    m = lw.Model("CraneCrabTo3D")
    m.world = lw.World()
    m.fixed_rotation3d = parts.FixedRotation(n=[0, 1, 0], angle=lw.deg(45))
    m.prismatic3d = joints.Prismatic(n=[1, 0, 0], s=-0.2, v=0.2)
    m.body3d = parts.Body(m=1)
    m.motion = translational.Speed(v_ref=0.2, exact=True)
    m.planar_world = pl.WorldIn3D()
    m.chain(m.world, m.fixed_rotation3d, m.prismatic3d, m.body3d)
    m.connect(m.prismatic3d.frame_b, m.planar_world.frame_3d)
    m.connect(m.motion.flange, m.prismatic3d.axis)
    return crane_crab(m)
