"""A lander on four compliant feet lands many times, with random speeds and ground.

Monte Carlo over descent, drift, turning and the friction of the ground.  What counts is how hard a foot is pressed and
how far the lander slides before it stands.
"""

import sys

import linkwright as lw
from linkwright import contact, parts

LEGS = [(1.2, 1.2), (1.2, -1.2), (-1.2, 1.2), (-1.2, -1.2)]  # m


class Lander(lw.Model):
    """A rigid lander above level ground, which is at `frame`."""

    descent = lw.parameter(1.5, "speed of descent", unit="m/s")
    drift = lw.parameter(0.2, "speed along the ground", unit="m/s")
    turning = lw.parameter(0.05, "angular speed about the axis across the drift", unit="rad/s")
    friction = lw.parameter(0.5, "coefficient of friction of the ground")

    def __init__(self, name=None, **given):
        super().__init__(name, **given)
        self.frame, self.ground = lw.Frame(), contact.Plane(n=[0, 1, 0])
        self.connect(self.frame, self.ground.frame_a)
        self.body = parts.Body(m=400.0, inertia=[250.0, 300.0, 250.0], r_0=[0, 1.6, 0],
                               v_0=[self.drift, -self.descent, 0], w_a=[0, 0, self.turning])
        law = contact.HuntCrossley(stiffness=2e4, dissipation=0.6, mu=self.friction)
        for k, (x, z) in enumerate(LEGS):
            leg, foot = parts.FixedTranslation(r=[x, -1.2, z]), contact.Sphere(radius=0.15)
            setattr(self, f"leg{k}", leg)
            setattr(self, f"foot{k}", foot)
            self.connect(self.body.frame_a, leg.frame_a)
            self.connect(leg.frame_b, foot.frame_a)
            setattr(self, f"touch{k}", contact.Pair(self.ground, foot, law=law))


model = lw.Model("landing on the moon")
model.world, model.lander = lw.World(g=1.62), Lander()
model.connect(model.world.frame_b, model.lander.frame)
stop = 4.0

if __name__ == "__main__":
    runs = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 64
    values = {"descent": lw.truncated(lw.normal(1.5, 0.4), 0.2, 4.0), "drift": lw.normal(0.0, 0.3),
              "turning": lw.normal(0.0, 0.1), "friction": lw.uniform(0.3, 0.8)}
    study = lw.sweep(model, {f"lander.{name}": value for name, value in values.items()}, stop, samples=runs,
                     output_step=0.1,
                     reduce={"pressed": lw.largest("lander.touch0.f_n"), "x": lw.final("lander.body.r_0[0]")})
    pressed, slid = study.data["pressed"], abs(study.data["x"])
    usual, seldom = (float(pressed.quantile(share)) for share in (0.5, 0.95))
    print(f"{study}: a foot is pressed by {usual:.0f} N, in one of twenty landings by {seldom:.0f} N; "
          f"{100 * float((slid > 0.5).mean()):.0f} % end more than half a metre away")
    study.plot().savefig("landing.png")
