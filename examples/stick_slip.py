"""A block on a running belt, held by a spring: it sticks, is carried along, slips back, and sticks again."""

import numpy as np

import linkwright as lw
from linkwright import translational

STIFFNESS, MASS, SPEED, SLIDING, PEAK = 100.0, 1.0, 0.1, 2.0, 1.5

m = lw.Model("stick-slip")
m.world = lw.World()
m.wall = translational.Fixed()
m.spring = translational.Spring(c=STIFFNESS)
m.block = translational.Mass(m=MASS, s=0, v=SPEED)
m.friction = translational.SupportFriction(f_pos=[[0, SLIDING]], peak=PEAK)
m.belt = translational.ConstantSpeed(v_fixed=SPEED)
m.connect(m.wall.flange, m.spring.flange_a)
m.connect(m.spring.flange_b, m.block.flange_a)
m.connect(m.block.flange_b, m.friction.flange_a)
m.connect(m.friction.support, m.belt.flange)

if __name__ == "__main__":
    r = lw.simulate(m, 5.0)
    loose = [event.time for event in r.events if event.direction != 0]
    # slipping takes 2 (π − atan(X ω/v))/ω, sticking 2 X/v, with X = (static − sliding friction)/stiffness
    omega, X = np.sqrt(STIFFNESS / MASS), (PEAK - 1) * SLIDING / STIFFNESS
    period = 2 * (np.pi - np.arctan(X * omega / SPEED)) / omega + 2 * X / SPEED
    print(f"breaks loose every {np.mean(np.diff(loose)):.9f} s, by formula {period:.9f} s")
    r.plot("block.s", "block.v", "friction.f").savefig("stick_slip.png")
