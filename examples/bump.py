"""A car body over a bump: the most comfortable damper with which the wheel stays on the road.

A quarter of a car: body on spring and damper, wheel on the spring of its tyre, a bump of 3 cm.  ∫ a² of the body is
least, limited by what the tyre may be relieved; for two speeds at once.
"""

import matplotlib.pyplot as plt
import numpy as np

import linkwright as lw
from linkwright import translational


class QuarterCar(lw.Model):
    speed = lw.parameter(10.0, "of the car", unit="m/s")

    def __init__(self):
        super().__init__("quarter car")
        self.world = lw.World(gravity=None)
        self.body, self.wheel = translational.Mass(m=300, s=0, v=0), translational.Mass(m=40, s=0, v=0)
        self.spring = translational.SpringDamper(c=2e4, d=300)
        self.tyre, self.road = translational.SpringDamper(c=1.8e5, d=100), translational.Position(exact=True)
        # a smooth bump, 3 cm high and 1 m long, after 1 m
        x = (self.speed * lw.time - 1.5) / 0.5
        self.road.s_ref = 0.03 * lw.exp(-3 * x**2)
        self.connect(self.road.flange, self.tyre.flange_a)
        self.connect(self.tyre.flange_b, self.wheel.flange_a)
        self.connect(self.wheel.flange_b, self.spring.flange_a)
        self.connect(self.spring.flange_b, self.body.flange_a)


m = QuarterCar()
m.output("relief", -m.tyre.f / (340 * 9.81))
stop = 2.0

if __name__ == "__main__":
    first = lw.simulate(m, stop)
    best = lw.optimize(m, lw.integral(m.body.a**2), {"spring.d": (100, 10_000), "spring.c": (8e3, 4e4)}, stop,
                       subject_to=[lw.largest("relief") <= 0.9], scenarios=[{"speed": 5.0}, {"speed": 12.0}])
    print(best)
    tuned = best.result
    print(f"at 10 m/s the body felt at most {np.abs(first['body.a']).max():.1f} m/s² before; at 5 m/s it feels "
          f"{np.abs(tuned['body.a']).max():.1f} m/s² now")
    tuned.plot("body.s", "wheel.s", "body.a").savefig("bump.png", dpi=150)
    plt.close("all")
