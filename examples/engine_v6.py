"""A V6 engine: six slider-cranks on one crankshaft, gas forces, a load that grows with speed; built in two ways.

Data of Modelica's EngineV6 (Otter, Elmqvist, Mattsson 2003, §7).  From plain joints, whose six planar loops are found
and closed by themselves, and from one JointRRP per cylinder.  The motion is the same.
"""

import math

import linkwright as lw
from linkwright import assemblies, joints, parts, rotational, translational, visualizers

CYLINDERS = [(-30, -30), (90, 30), (210, -30), (210, 30), (90, -30), (-30, 30)]  # crank angle, inclination in degrees
TOP, STROKE, BORE = 0.42, 0.195, 0.1  # of the cylinder head above the crank axis, m
ROD, PISTON, PIN = 0.175, 0.1, 0.05  # lengths of rod and piston, radius of the crank, m
STEEL = [150, 150, 155]


def gas_pressure(s, v):
    """Pressure in Pa over the distance s of the piston from the head: compression while s shrinks, else expansion."""
    x = 1 - s / STROKE

    def poly(*c):
        return (((c[0] * x + c[1]) * x + c[2]) * x + c[3]) * x + c[4]

    compression = lw.where(x < 0.986061, poly(177.4132, -287.2189, 151.8252, -24.9973, 2.4),
                           poly(2836360, -10569296, 14761814, -9158505, 2129670))
    expansion = lw.where(x > 0.933, poly(-3929704, 14748765, -20747000, 12964477, -3036495),
                         poly(145.930, -131.707, 17.3438, 17.9272, 2.4))
    return 1e5 * lw.where(v < 0, compression, expansion)


class Cylinder(lw.Model):
    """Crank throw, connecting rod, piston and gas; `join` puts rod and piston between crank and block."""

    def __init__(self, crank_angle, inclination, name=None):
        super().__init__(name)
        self.crank_a, self.crank_b, self.block_a, self.block_b = lw.Frame(), lw.Frame(), lw.Frame(), lw.Frame()
        # the crank
        self.turn = parts.FixedRotation(n=[1, 0, 0], angle=lw.deg(crank_angle))
        self.throw = parts.FixedTranslation(r=[0.09, PIN, 0], animation=False)
        self.crank = parts.FixedTranslation(r=[0.14, 0, 0], width=0.035)
        self.connect(self.crank_a, self.turn.frame_a, self.crank.frame_a)
        self.connect(self.turn.frame_b, self.throw.frame_a)
        self.connect(self.crank.frame_b, self.crank_b)
        for k, x in enumerate((0.055, 0.115)):
            web = visualizers.FixedShape(r_shape=[x, -PIN - 0.02, 0], length_direction=[0, 1, 0], length=2 * PIN + 0.04,
                                         width_direction=[1, 0, 0], width=0.015, height=0.06, color=STEEL)
            setattr(self, f"web{k + 1}", web)
            self.connect(self.turn.frame_b, web.frame_a)
        # the block
        self.tilt = parts.FixedRotation(n=[1, 0, 0], angle=lw.deg(inclination), r=[0.09, 0, 0])
        self.head = parts.FixedTranslation(r=[0, TOP, 0], animation=False)
        self.mount = parts.FixedTranslation(r=[0.14, 0, 0], animation=False)
        self.connect(self.block_a, self.tilt.frame_a, self.mount.frame_a)
        self.connect(self.tilt.frame_b, self.head.frame_a)
        self.connect(self.mount.frame_b, self.block_b)
        # what moves between them
        self.rod = parts.BodyShape(r=[0, ROD, 0], r_cm=[0, ROD / 2, 0], m=1, inertia=[0.006, 0.0005, 0.006],
                                   width=0.03, animate_sphere=False)
        self.piston = parts.BodyShape(r=[0, PISTON, 0], r_cm=[0, PISTON / 2, 0], m=6, inertia=[0.0088, 0.0076, 0.0088],
                                      width=0.8 * BORE, color=[180, 180, 190], animate_sphere=False)
        height = PIN * math.cos(math.radians(crank_angle - inclination)) + ROD + PISTON
        slide = self.join(lw.deg(inclination - crank_angle), TOP - height)
        # the gas pushes the piston away from the head
        self.gas = translational.Force(f=gas_pressure(slide.s, slide.v) * math.pi * BORE**2 / 4)
        self.connect(slide.axis, self.gas.flange)


class Plain(Cylinder):
    """From three joints; the guesses say on which side of the crank the piston is."""

    def join(self, angle, s):
        self.big_end = joints.Revolute(n=[1, 0, 0], phi=lw.guess(angle))
        self.small_end = joints.Revolute(n=[1, 0, 0])
        self.slide = joints.Prismatic(n=[0, -1, 0], s=lw.guess(s), animation=False)
        self.chain(self.throw, self.big_end, self.rod, self.small_end, self.piston)
        self.connect(self.head.frame_b, self.slide.frame_a)
        self.connect(self.slide.frame_b, self.piston.frame_b)
        return self.slide


class Assembled(Cylinder):
    """From one assembly, revolute–revolute–prismatic."""

    def join(self, angle, s):
        self.rrp = assemblies.JointRRP(n_a=[1, 0, 0], n_b=[0, -1, 0], r_rod1_ia=[0, ROD, 0], r_rod2_ib=[0, -PISTON, 0],
                                       s_guess=s)
        self.connect(self.throw.frame_b, self.rrp.frame_a)
        self.connect(self.head.frame_b, self.rrp.frame_b)
        self.connect(self.rrp.frame_ia, self.rod.frame_a)
        self.connect(self.rrp.frame_ib, self.piston.frame_b)
        return self.rrp.prismatic


def engine(cylinder=Plain):
    """The engine with cylinders of one kind."""
    model = lw.Model("V6 engine")
    model.world = lw.World(nominal_length=0.3)
    model.bearing = joints.Revolute(n=[1, 0, 0])
    model.crank = parts.Body(m=180, r_cm=[0.3, 0, 0], inertia=[0.1, 1e-5, 1e-5], animation=False)
    model.connect(model.world.frame_b, model.bearing.frame_a)
    model.connect(model.bearing.frame_b, model.crank.frame_a)
    block, shaft = model.world.frame_b, model.bearing.frame_b
    for k, (crank_angle, inclination) in enumerate(CYLINDERS):
        part = cylinder(crank_angle, inclination)
        setattr(model, f"cylinder{k + 1}", part)
        model.connect(block, part.block_a)
        model.connect(shaft, part.crank_a)
        block, shaft = part.block_b, part.crank_b

    model.load = rotational.Inertia(J=1, phi=0, w=10)
    model.brake = rotational.Torque()
    model.brake.tau = -100 * (model.load.w / 200) ** 2
    model.connect(model.bearing.axis, model.load.flange_a)
    model.connect(model.load.flange_b, model.brake.flange)
    return model


model = engine()
stop = 1.01

if __name__ == "__main__":
    system = lw.compile(model, formulation="projection")
    r = lw.simulate(system, stop)
    print(system)
    analytic = lw.compile(engine(Assembled), formulation="minimal")
    other = lw.simulate(analytic, stop)
    print(analytic)
    print(f"after {stop} s the engine turns at {r['load.w'][-1]:.3f} rad/s, {r['load.phi'][-1]:.3f} rad from the start")
    print(f"the two builds differ by {abs(r['load.phi'][-1] - other['load.phi'][-1]):.1e} rad")
    r.save("engine_v6.html")
