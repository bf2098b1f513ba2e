"""Theo Jansen's Strandbeest: twelve legs on one crankshaft, 36 closed loops, one degree of freedom.

Lengths are Jansen's "holy numbers".  Each pair of legs, one to the left and one to the right, has a crank pin of its
own, 60° after the one before.  All legs have the same rough guesses of their angles, and find where they close.
"""

import math

import linkwright as lw
from linkwright import joints, parts, rotational, visualizers

PAIRS, GAP, SPEED = 6, 0.12, 2.0  # pairs of legs, metres between them, rad/s of the crank
CRANK, PIVOT = 15, (-38, -7.8)  # radius of the crank, where the leg is held; these and all other lengths in cm
WOOD, DARK = [205, 170, 110], [120, 85, 50]


def bar(length, color=WOOD):
    """A wooden bar along x, 2 kg for each metre."""
    r = length / 100
    across = 2 * r**3 / 12
    return parts.BodyShape(m=2 * r, r=[r, 0, 0], r_cm=[r / 2, 0, 0], inertia=[1e-4, across, across], width=0.02,
                           color=color, animate_sphere=False)


class Triangle(lw.Model):
    """Three bars: `first` along x from the corner, `second` from the corner too, `third` between their tips."""

    def __init__(self, first, second, third):
        super().__init__()
        self.corner, self.tip1, self.tip2 = lw.Frame(), lw.Frame(), lw.Frame()

        def angle(a, b, opposite):
            return math.acos((a**2 + b**2 - opposite**2) / (2 * a * b))

        self.bar1, self.bar2, self.bar3 = bar(first, DARK), bar(second, DARK), bar(third, DARK)
        self.at_corner = parts.FixedRotation(n=[0, 0, 1], angle=angle(first, second, third))
        self.at_tip = parts.FixedRotation(n=[0, 0, 1], angle=math.pi - angle(first, third, second))
        self.connect(self.corner, self.bar1.frame_a, self.at_corner.frame_a)
        self.connect(self.at_corner.frame_b, self.bar2.frame_a)
        self.connect(self.tip1, self.bar1.frame_b, self.at_tip.frame_a)
        self.connect(self.at_tip.frame_b, self.bar3.frame_a)
        self.connect(self.tip2, self.bar2.frame_b)


class Leg(lw.Model):
    """Two triangles and four bars; `turn` is the angle of the crank pin that it hangs on."""

    def __init__(self, turn):
        super().__init__()
        self.frame, self.pin = lw.Frame(), lw.Frame()

        def joint(degrees):
            return joints.Revolute(phi=lw.guess(lw.deg(degrees)), animation=False)

        self.pivot = parts.FixedTranslation(r=[PIVOT[0] / 100, PIVOT[1] / 100, 0], animation=False)
        self.upper, self.lower = Triangle(41.5, 40.1, 55.8), Triangle(36.7, 49, 65.7)
        self.to_upper, self.to_lower, self.hanger, self.link = bar(50), bar(61.9), bar(39.3), bar(39.4)
        self.pin1, self.pin2, self.hip1, self.hip2 = joint(140 - turn), joint(-130 - turn), joint(90), joint(-100)
        self.elbow, self.knee, self.ankle1, self.ankle2, self.shin = map(joint, (-50, 35, 85, -75, -85))
        self.connect(self.frame, self.pivot.frame_a)
        self.connect(self.pivot.frame_b, self.hip1.frame_a, self.hip2.frame_a)
        self.connect(self.pin, self.pin1.frame_a, self.pin2.frame_a)
        self.connect(self.hip1.frame_b, self.upper.corner)
        self.chain(self.hip2, self.hanger, self.ankle2)
        # from the crank to the upper triangle, and to where the hanger holds the lower one
        self.chain(self.pin1, self.to_upper, self.elbow)
        self.connect(self.elbow.frame_b, self.upper.tip1)
        self.chain(self.pin2, self.to_lower, self.knee)
        self.connect(self.knee.frame_b, self.hanger.frame_b)
        self.connect(self.ankle2.frame_b, self.lower.corner)
        # from the upper triangle to the lower one
        self.connect(self.upper.tip2, self.ankle1.frame_a)
        self.chain(self.ankle1, self.link, self.shin)
        self.connect(self.shin.frame_b, self.lower.tip1)


class Pair(lw.Model):
    """A crank pin at the angle `turn` and the place z of the shaft, with a leg to the left and one to the right."""

    def __init__(self, turn, z):
        super().__init__()
        self.frame, self.shaft = lw.Frame(), lw.Frame()
        self.throw = parts.FixedRotation(n=[0, 0, 1], r=[0, 0, z], angle=lw.deg(turn))
        self.crank = parts.FixedTranslation(r=[CRANK / 100, 0, 0], width=0.03)
        self.place = parts.FixedTranslation(r=[0, 0, z], animation=False)
        self.about, self.pin_about = (parts.FixedRotation(n=[0, 1, 0], angle=math.pi) for _ in range(2))
        self.left, self.right = Leg(turn), Leg(-turn)
        self.connect(self.shaft, self.throw.frame_a)
        self.connect(self.frame, self.place.frame_a)
        self.chain(self.throw, self.crank, self.pin_about)
        self.chain(self.place, self.about)
        self.connect(self.place.frame_b, self.left.frame)
        self.connect(self.crank.frame_b, self.left.pin)
        self.connect(self.about.frame_b, self.right.frame)
        self.connect(self.pin_about.frame_b, self.right.pin)


m = lw.Model("Strandbeest")
m.world = lw.World(g=9.81, animate_world=False, animate_gravity=False)
m.shaft = joints.Revolute(phi=0, animation=False)
m.motor = rotational.ConstantSpeed(w_fixed=SPEED)
m.axle = visualizers.FixedShape(shape_type="cylinder", r_shape=[0, 0, -0.01], length_direction=[0, 0, 1],
                                length=PAIRS * GAP + 0.02, width=0.024)
m.connect(m.world.frame_b, m.shaft.frame_a)
m.connect(m.shaft.axis, m.motor.flange)
m.connect(m.shaft.frame_b, m.axle.frame_a)
m.pair = [Pair(60 * k, GAP * k) for k in range(PAIRS)]
for pair in m.pair:
    m.connect(m.world.frame_b, pair.frame)
    m.connect(m.shaft.frame_b, pair.shaft)
stop = 2 * math.pi / SPEED

if __name__ == "__main__":
    system = lw.compile(m)
    r = lw.simulate(system, stop)
    foot = r["pair[0].left.lower.bar2.frame_b.r_0"]
    low = foot[:, 1] < min(foot[:, 1]) + 0.01
    step = max(foot[low, 0]) - min(foot[low, 0])
    print(f"{len(system.mechanism.bodies)} bodies, loops closed to {r.closure:.0e} m; a foot is within 1 cm of the "
          f"ground for {100 * low.mean():.0f} % of a turn and makes a step of {step:.2f} m")
    r.save("strandbeest.html", traces=["pair[0].left.lower.bar2.frame_b"])
