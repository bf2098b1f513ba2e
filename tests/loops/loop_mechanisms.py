"""Loop mechanisms of the literature, built from plain joints as a user would."""

from __future__ import annotations

import numpy as np
from loop_models import rod

import linkwright as lw
from linkwright import forces, joints, parts, rotational, translational


def fourbar1() -> lw.Model:
    """Modelica.Mechanics.MultiBody.Examples.Loops.Fourbar1."""
    m = lw.Model("Fourbar1")
    m.world = lw.World()
    m.j1 = joints.Revolute(n=[1, 0, 0], phi=0, w=lw.deg(300))
    m.j2 = joints.Prismatic(n=[1, 0, 0], s=lw.guess(-0.2))
    m.b1 = parts.BodyCylinder(r=[0, 0.5, 0.1], diameter=0.05)
    m.b2 = parts.BodyCylinder(r=[0, 0.2, 0], diameter=0.05)
    m.b3 = parts.BodyCylinder(r=[-1, 0.3, 0.1], diameter=0.05)
    m.rev, m.rev1 = joints.Revolute(n=[0, 1, 0]), joints.Revolute()
    m.j3, m.j4, m.j5 = joints.Revolute(n=[1, 0, 0]), joints.Revolute(n=[0, 1, 0]), joints.Revolute(n=[0, 0, 1])
    m.b0 = parts.FixedTranslation(r=[1.2, 0, 0])
    m.chain(m.world, m.j1, m.b1, m.j3, m.j4, m.j5)
    m.connect(m.j5.frame_b, m.b3.frame_b)
    m.chain(m.world, m.b0, m.j2, m.b2, m.rev, m.rev1, m.b3)
    return m


def engine1a() -> lw.Model:
    """Modelica.Mechanics.MultiBody.Examples.Loops.Engine1a."""
    m = lw.Model("Engine1a")
    m.world = lw.World()
    m.piston = parts.BodyCylinder(diameter=0.1, r=[0, -0.1, 0])
    m.rod = parts.BodyBox(width_direction=[1, 0, 0], width=0.02, height=0.06, r=[0, -0.2, 0])
    m.bearing = joints.Revolute(n=[1, 0, 0])
    m.inertia = rotational.Inertia(J=1, phi=0, w=10)
    m.crank1 = parts.BodyCylinder(diameter=0.05, r=[0.1, 0, 0])
    m.crank2 = parts.BodyBox(height=0.05, width_direction=[1, 0, 0], width=0.02, r=[0, 0.1, 0])
    m.crank3 = parts.BodyCylinder(r=[0.1, 0, 0], diameter=0.03)
    m.crank4 = parts.BodyBox(height=0.05, width_direction=[1, 0, 0], width=0.02, r=[0, -0.1, 0])
    m.mid = parts.FixedTranslation(r=[0.05, 0, 0])
    m.cyl_position = parts.FixedTranslation(r=[0.15, 0.45, 0])
    m.b1 = joints.Revolute(n=[1, 0, 0])
    m.b2 = joints.RevolutePlanarLoopConstraint(n=[1, 0, 0])
    m.cylinder = joints.Prismatic(n=[0, -1, 0], s=lw.guess(0.15))
    m.chain(m.world, m.bearing, m.crank1, m.crank2, m.crank3, m.crank4)
    m.connect(m.inertia.flange_b, m.bearing.axis)
    m.chain(m.world, m.cyl_position, m.cylinder, m.piston, m.b1, m.rod)
    m.connect(m.crank2.frame_b, m.mid.frame_a)
    m.connect(m.mid.frame_b, m.b2.frame_a)
    m.connect(m.b2.frame_b, m.rod.frame_b)
    return m


def andrews() -> lw.Model:
    """Andrews' squeezing mechanism (IVP test set): seven bodies in a plane, driven by a constant torque."""
    m = lw.Model("squeezer")
    m.world = lw.World(gravity=None)
    m.A, m.B = parts.Fixed(r=[-0.06934, -0.00227, 0]), parts.Fixed(r=[-0.03635, 0.03273, 0])
    m.C = parts.Fixed(r=[0.014, 0.072, 0])

    def body(mass, inertia, r, r_cm):
        return parts.BodyShape(m=mass, r=[*r, 0], r_cm=[*r_cm, 0], inertia=[inertia] * 3)

    m.K1 = body(0.04325, 2.194e-6, (0.007, 0), (0.00092, 0))
    m.K2 = body(0.00365, 4.410e-7, (-0.028, 0), (-0.0115, 0))
    m.K3 = body(0.02373, 5.255e-6, (0, -0.035), (0.01043, -0.01874))
    m.K4 = body(0.00706, 5.667e-7, (0, -0.02), (0, -0.02 + 0.01421))
    m.K5 = body(0.07050, 1.169e-5, (0.04, 0), (0.02308, 0.00916))
    m.K6 = body(0.00706, 5.667e-7, (0.02, 0), (0.02 - 0.01421, 0))
    m.K7 = body(0.05498, 1.912e-5, (0, -0.04), (-0.01228, -0.00449))
    m.beta = joints.Revolute(phi=-0.0617138900142764, w=0)
    m.theta = joints.Revolute(phi=lw.guess(0.0))
    m.gamma = joints.Revolute(phi=lw.guess(0.455))
    m.phi = joints.Revolute(phi=lw.guess(0.223))
    m.delta = joints.Revolute(phi=lw.guess(0.487))
    m.omega = joints.Revolute(phi=lw.guess(-0.223))
    m.epsilon = joints.Revolute(phi=lw.guess(1.23))
    m.P2, m.P4, m.P6 = joints.Revolute(), joints.Revolute(), joints.Revolute()
    m.motor = rotational.Torque(tau=0.033)
    m.spring_point = parts.FixedTranslation(r=[0.02, -0.018, 0])
    m.spring = forces.Spring(c=4530, s_unstretched=0.07785)
    m.chain(m.world, m.beta, m.K1, m.theta, m.K2)
    m.connect(m.motor.flange, m.beta.axis)
    m.chain(m.B, m.gamma, m.K3)
    m.chain(m.A, m.delta, m.K5, m.phi, m.K4)
    m.chain(m.A, m.epsilon, m.K7, m.omega, m.K6)
    m.connect(m.K3.frame_b, m.P2.frame_a, m.P4.frame_a, m.P6.frame_a)
    for joint, part in ((m.P2, m.K2), (m.P4, m.K4), (m.P6, m.K6)):
        m.connect(joint.frame_b, part.frame_b)
    m.connect(m.K3.frame_a, m.spring_point.frame_a)
    m.connect(m.C.frame_b, m.spring.frame_a)
    m.connect(m.spring_point.frame_b, m.spring.frame_b)
    return m


def fourfold_pendulum(cut: int) -> lw.Model:
    """Four links of 0.5 m and 1 kg between two trolleys of 1 kg on horizontal tracks, viscous friction in the joints.

    Link directions at the start 45°, −15°, 30°, −37.5° to the horizontal (motor-calculus paper; sizes are ours).
    """
    m = lw.Model("fourfold pendulum")
    m.world = lw.World(g=9.81)
    angles = np.radians([45.0, -15.0, 30.0, -37.5])
    m.track1 = joints.Prismatic(n=[1, 0, 0], s=0, v=0)
    m.trolley1, m.trolley2 = parts.Body(m=1.0), parts.Body(m=1.0)
    m.far = parts.Fixed(r=[0, 0.5 * float(np.sum(np.sin(angles))), 0])
    m.track2 = joints.Prismatic(n=[1, 0, 0], s=lw.guess(1.6))
    m.chain(m.world, m.track1, m.trolley1)
    m.chain(m.far, m.track2, m.trolley2)
    before, previous = m.trolley1.frame_a, 0.0
    for k in range(1, 6):
        joint = joints.Revolute(enforce_states=k != cut)
        setattr(m, f"rev{k}", joint)
        m.connect(before, joint.frame_a)
        if k < 5:
            joint._initial["phi"] = [lw.guess(float(angles[k - 1] - previous))]
            m.init(getattr(m, f"rev{k}").phi, float(angles[k - 1] - previous)) if k < 4 else None
            m.init(joint.w, 0.0) if k < 4 else None
            previous = angles[k - 1]
            link = rod(0.5)
            setattr(m, f"link{k}", link)
            m.connect(joint.frame_b, link.frame_a)
            before = link.frame_b
            friction = forces.WorldTorque(torque=[0, 0, -0.2 * link.w_a[2]])
            setattr(m, f"friction{k}", friction)
            m.connect(link.frame_b, friction.frame_b)
    m.connect(m.rev5.frame_b, m.trolley2.frame_a)
    return m


def slider_crank() -> lw.Model:
    """Crank 0.1 m, rod 0.3 m, slider 1 kg on a horizontal guide; started fast enough to pass both dead points."""
    m = lw.Model("slider crank")
    m.world = lw.World(g=9.81)
    m.bearing = joints.Revolute(phi=0.5, w=12.0)
    m.crank, m.rod, m.block = rod(0.1, 2.0), rod(0.3), parts.Body(m=1.0)
    m.crank_pin, m.piston_pin = joints.Revolute(phi=lw.guess(-0.7)), joints.Revolute()
    m.slider = joints.Prismatic(n=[1, 0, 0], s=lw.guess(0.35))
    m.chain(m.world, m.bearing, m.crank, m.crank_pin, m.rod, m.piston_pin, m.block)
    m.connect(m.world.frame_b, m.slider.frame_a)
    m.connect(m.slider.frame_b, m.block.frame_a)
    return m


class Cylinder(lw.Model):
    """A slider-crank of an engine with its axis along x: crank pin 0.05 m, rod 0.175 m, piston 0.1 m."""

    def __init__(self, crank_angle: float, inclination: float, place: float):
        super().__init__()
        self.case, self.crank = lw.Frame(), lw.Frame()
        self.tilt = parts.FixedRotation(r=[place, 0, 0], n=[1, 0, 0], angle=inclination)
        self.turn = parts.FixedRotation(n=[1, 0, 0], angle=crank_angle)
        self.mid = parts.FixedTranslation(r=[place, 0.05, 0])
        angle = crank_angle - inclination
        self.pin = joints.Revolute(n=[1, 0, 0], phi=lw.guess(-angle))
        self.piston_pin = joints.Revolute(n=[1, 0, 0])
        self.rod = parts.BodyShape(m=1, r=[0, 0.175, 0], r_cm=[0, 0.0875, 0], inertia=[0.006, 0.0005, 0.006])
        self.piston = parts.BodyShape(m=6, r=[0, 0.1, 0], r_cm=[0, 0.05, 0], inertia=[0.0088, 0.0076, 0.0088])
        y = 0.05 * np.cos(angle) + np.sqrt(0.175**2 - (0.05 * np.sin(angle)) ** 2)
        self.slider = joints.Prismatic(n=[0, 1, 0], s=lw.guess(float(y)))
        self.connect(self.crank, self.turn.frame_a)
        self.chain(self.turn, self.mid, self.pin, self.rod, self.piston_pin, self.piston)
        self.connect(self.case, self.tilt.frame_a)
        self.chain(self.tilt, self.slider, self.piston)


def v_engine(cylinders: int, kind=Cylinder) -> lw.Model:
    """A V engine: six (or more) slider-cranks on one crank, without gas forces."""
    m = lw.Model(f"V{cylinders}")
    m.world = lw.World()
    m.bearing = joints.Revolute(n=[1, 0, 0], phi=0, w=80.0)
    m.crank = parts.Body(m=180, r_cm=[0.3, 0, 0], inertia=[0.3, 1e-5, 1e-5])
    m.chain(m.world, m.bearing, m.crank)
    offsets = [(-30, -30), (90, 30), (210, -30), (210, 30), (90, -30), (-30, 30)]
    for k in range(cylinders):
        crank, inclination = offsets[k % 6]
        cylinder = kind(lw.deg(crank + 20 * (k // 6)), lw.deg(inclination), 0.1 * k)
        setattr(m, f"cylinder{k + 1}", cylinder)
        m.connect(m.world.frame_b, cylinder.case)
        m.connect(m.crank.frame_a, cylinder.crank)
    return m


def closed_chain(links: int) -> lw.Model:
    """A planar chain of rods of 0.1 m between two points, its last end held by a ball joint."""
    m = lw.Model("closed chain")
    m.world = lw.World(g=9.81)
    before = m.world
    for k in range(links):
        # a zigzag arch to start from
        joint = joints.Revolute(phi=lw.guess(0.9 if k == 0 else (-1.2 if k % 2 else 1.2 - 0.02 * (k < 9))))
        link = rod(0.1)
        setattr(m, f"rev{k}", joint)
        setattr(m, f"link{k}", link)
        m.chain(before, joint, link)
        before = link
    m.anchor = parts.Fixed(r=[0.07 * links, 0, 0])
    m.ball = joints.Spherical()
    m.connect(before.frame_b, m.ball.frame_a)
    m.connect(m.anchor.frame_b, m.ball.frame_b)
    return m


def bricard() -> lw.Model:
    """Bricard's trihedral loop: six revolutes, links of 1 m, successive axes at right angles."""
    m = lw.Model("Bricard")
    m.world = lw.World(gravity=None)
    before = m.world
    for k in range(1, 7):
        joint = joints.Revolute(**({"phi": lw.guess(1.7), "w": 2.0} if k == 1
                                   else {"phi": lw.guess(1.4 if k % 2 == 0 else 1.7)} if k < 6 else {}))
        link = parts.BodyShape(m=1, r=[1, 0, 0], r_cm=[0.5, 0, 0], inertia=[0.02, 0.1, 0.1])
        twist = parts.FixedRotation(n=[1, 0, 0], angle=np.pi / 2 * (-1) ** (k - 1))
        setattr(m, f"rev{k}", joint)
        setattr(m, f"twist{k}", twist)
        if k < 6:
            setattr(m, f"link{k}", link)
            m.chain(before, joint, link, twist)
        else:
            m.base = parts.FixedTranslation(r=[1, 0, 0])
            m.connect(before.frame_b, joint.frame_a)
            m.chain(joint, m.base, twist)
            m.connect(twist.frame_b, m.world.frame_b)
        before = twist
    return m


def stewart() -> lw.Model:
    """A platform of 10 kg on six legs, each universal – prismatic with spring – spherical, swinging on the springs.

    Thrown so fast that every leg goes from about 0.65 m to 1.25 m.
    """
    m = lw.Model("Stewart platform")
    m.world = lw.World(g=9.81, n=[0, 0, -1])
    m.platform = parts.Body(m=10, inertia=[0.4, 0.5, 0.8], r_0=[0.05, -0.03, 0.8], angles=[0.05, -0.08, 0.1],
                            v_0=[3.6, 1.8, 1.2], w_0=[1.5, 3, -7.5])
    for k in range(6):
        a, b = np.radians(60 * (k // 2) * 2 + (25 if k % 2 else -25)), np.radians(60 * (k // 2) * 2 + (35, -35)[k % 2])
        base, top = 0.6 * np.array([np.cos(a), np.sin(a), 0]), 0.35 * np.array([np.cos(b), np.sin(b), 0])
        along = top + [0.05, -0.03, 0.8] - base
        length = float(np.linalg.norm(along))
        x = np.cross([0, 1, 0], along / length)
        foot = parts.FixedRotation(r=list(base), rotation_type="two_axes", n_x=list(x), n_y=[0, 1, 0])
        universal = joints.Universal(n_a=[1, 0, 0], n_b=[0, 1, 0])
        lower = parts.BodyShape(m=1, r=[0, 0, 0.3], r_cm=[0, 0, 0.15], inertia=[0.01, 0.01, 0.001])
        prismatic = joints.Prismatic(n=[0, 0, 1], s=lw.guess(length - 0.5))
        upper = parts.BodyShape(m=0.5, r=[0, 0, 0.2], r_cm=[0, 0, 0.1], inertia=[0.005, 0.005, 0.001])
        ball = joints.Spherical()
        arm = parts.FixedTranslation(r=list(top))
        spring = translational.Spring(c=2000, s_rel0=length - 0.5)
        items = {"foot": foot, "universal": universal, "lower": lower, "prismatic": prismatic, "upper": upper,
                 "ball": ball, "arm": arm, "spring": spring}
        for name, item in items.items():
            setattr(m, f"{name}{k}", item)
        m.connect(m.world.frame_b, foot.frame_a)
        m.chain(foot, universal, lower, prismatic, upper, ball)
        m.connect(m.platform.frame_a, arm.frame_a)
        m.connect(arm.frame_b, ball.frame_b)
        m.connect(prismatic.support, spring.flange_a)
        m.connect(prismatic.axis, spring.flange_b)
    return m


def spring_energy(result) -> np.ndarray:
    """Of the Stewart platform's legs."""
    return sum(result[f"spring{k}.f"] ** 2 / (2 * 2000) for k in range(6))


def scott_russell(phi: float = 1.2, w: float = 0.0, gravity=(1.0, 0.0, 0.0)) -> lw.Model:
    """Crank 0.5 m pinned to the middle of a coupler of 1 m whose one end slides on x: the other end moves on y.

    With gravity along x and no speed it swings between ±69° of the crank.  At ±90° the coupler lies on the crank, and
    the two may go on turning together as well.
    """
    m = lw.Model("Scott-Russell")
    m.world = lw.World(g=9.81, n=list(gravity))
    m.bearing = joints.Revolute(phi=phi, w=w)
    m.crank = rod(0.5)
    m.pin, m.slider_pin = joints.Revolute(phi=lw.guess(0.2 - 2 * phi)), joints.Revolute()
    m.coupler = parts.BodyShape(m=1, r=[-1, 0, 0], r_cm=[-0.5, 0, 0], inertia=[0.01, 1 / 12, 1 / 12])
    m.block = parts.Body(m=0.5)
    m.guide = joints.Prismatic(n=[1, 0, 0], s=lw.guess(0.9))
    m.half = parts.FixedTranslation(r=[0.5, 0, 0])
    m.chain(m.world, m.bearing, m.crank, m.pin, m.half, m.coupler)
    m.chain(m.world, m.guide, m.block)
    m.connect(m.coupler.frame_a, m.slider_pin.frame_a)
    m.connect(m.slider_pin.frame_b, m.block.frame_a)
    return m


def four_bars(windows: int, w: float = -1.0, guess: float = 1.4) -> lw.Model:
    """The N-four-bar of the IFToMM benchmark library (A02; González, Dopico, Lugrís, Cuadrado 2006), 2 N + 1 links.

    Links of 1 m and 1 kg, evenly distributed, rockers 1 m apart; they start upright and move to +x with 1 m/s.  When
    they lie down, all links are in line and there are N + 1 freedoms for an instant.
    """
    m = lw.Model(f"{windows} four-bars")
    m.world = lw.World(g=9.81)
    for k in range(windows + 1):
        foot, rocker = parts.Fixed(r=[k, 0, 0]), rod(1.0)
        rev = joints.Revolute(**({"phi": lw.deg(90), "w": w} if k == 0 else {"phi": lw.guess(guess)}))
        for name, item in (("foot", foot), ("rev", rev), ("rocker", rocker)):
            setattr(m, f"{name}{k}", item)
        m.chain(foot, rev, rocker)
    for k in range(windows):
        left, coupler, right = joints.Revolute(phi=lw.guess(-guess)), rod(1.0), joints.Revolute()
        for name, item in (("left", left), ("coupler", coupler), ("right", right)):
            setattr(m, f"{name}{k}", item)
        m.chain(getattr(m, f"rocker{k}"), left, coupler, right)
        m.connect(right.frame_b, getattr(m, f"rocker{k + 1}").frame_b)
    return m


def theo_jansen(legs: int, rough: float = 0.0) -> lw.Model:
    """Theo Jansen's walking linkage: `legs` legs on one crank, each of another phase (lengths of the Strandbeest, cm).

    a = 38 and l = 7.8 place the frame; m = 15 is the crank; j 50, k 61.9, b 41.5, c 39.3, d 40.1, e 55.8, f 39.4,
    g 36.7, h 65.7, i 49.  Left legs are mirror images.  Guesses of the angles are off by up to `rough`.
    """
    m = lw.Model("Strandbeest")
    m.world = lw.World(g=9.81)
    random = np.random.default_rng(0)
    m.bearing = joints.Revolute(phi=0.0, w=12.0)
    m.crank = parts.Body(m=5, inertia=[0.1, 0.1, 0.05])
    m.chain(m.world, m.bearing, m.crank)
    for k in range(legs):
        leg = JansenLeg(2 * np.pi * k / legs, -1.0 if k % 2 else 1.0)
        for name in ("pin_j", "pin_k", "base_upper", "base_c", "corner", "knee"):
            getattr(leg, name)._initial["phi"] = [lw.guess(float(random.uniform(-rough, rough)))]
        setattr(m, f"leg{k}", leg)
        m.connect(m.world.frame_b, leg.case)
        m.connect(m.crank.frame_a, leg.crank)
    return m


def _meet(p, q, from_p, from_q, side):
    """The point at given distances from p and q, on the left (side 1) or right of the way from p to q."""
    d = q - p
    distance = np.linalg.norm(d)
    along = (from_p**2 - from_q**2 + distance**2) / (2 * distance)
    across = np.sqrt(from_p**2 - along**2)
    e = d / distance
    return p + along * e + side * across * np.array([-e[1], e[0]])


class JansenLeg(lw.Model):
    """Two triangles and four rods in a plane: three loops."""

    def __init__(self, phase: float, side: float):
        super().__init__()
        self.case, self.crank = lw.Frame(), lw.Frame()
        cm = 0.01
        pin = 15 * cm * np.array([np.cos(phase), np.sin(phase)])
        base = np.array([-side * 38, -7.8]) * cm
        # the positions of all joints where the crank pin is at `phase`
        top = _meet(pin, base, 50 * cm, 41.5 * cm, -side)
        low = _meet(pin, base, 61.9 * cm, 39.3 * cm, side)
        corner = _meet(base, top, 40.1 * cm, 55.8 * cm, side)
        knee = _meet(corner, low, 39.4 * cm, 36.7 * cm, -side)
        foot = _meet(knee, low, 65.7 * cm, 49 * cm, -side)
        self.arm = parts.FixedTranslation(r=[*pin, 0])
        self.base = parts.FixedTranslation(r=[*base, 0])
        self.connect(self.crank, self.arm.frame_a)
        self.connect(self.case, self.base.frame_a)

        def link(start, *ends):
            points = [start, *ends]
            middle = np.mean(points, axis=0) - start
            size = sum(np.sum((p - start - middle) ** 2) for p in points) / len(points)
            body = parts.Body(m=1.0, r_cm=[*middle, 0], inertia=[size, size, 2 * size])
            return body, [parts.FixedTranslation(r=[*(end - start), 0]) for end in ends]

        self.j, (self.j_end,) = link(pin, top)
        self.k, (self.k_end,) = link(pin, low)
        self.upper, (self.upper_top, self.upper_corner) = link(base, top, corner)
        self.c, (self.c_end,) = link(base, low)
        self.f, (self.f_end,) = link(corner, knee)
        self.lower, (self.lower_low, self.lower_foot) = link(knee, low, foot)
        for body, tips in ((self.j, [self.j_end]), (self.k, [self.k_end]), (self.c, [self.c_end]),
                           (self.upper, [self.upper_top, self.upper_corner]), (self.f, [self.f_end]),
                           (self.lower, [self.lower_low, self.lower_foot])):
            for tip in tips:
                self.connect(body.frame_a, tip.frame_a)
        pins = {"pin_j": (self.arm, self.j), "pin_k": (self.arm, self.k), "base_upper": (self.base, self.upper),
                "base_c": (self.base, self.c), "corner": (self.upper_corner, self.f), "knee": (self.f_end, self.lower)}
        for name, (near, far) in pins.items():
            setattr(self, name, joints.Revolute())
            self.chain(near, getattr(self, name), far)
        ends = {"top": (self.upper_top, self.j_end), "low_k": (self.c_end, self.k_end),
                "low": (self.c_end, self.lower_low)}
        for name, (near, far) in ends.items():
            joint = joints.Revolute()
            setattr(self, name, joint)
            self.connect(near.frame_b, joint.frame_a)
            self.connect(joint.frame_b, far.frame_b)
