"""A cam lifts a roller: the contact point is an unknown of the equations; at high speed the roller lifts off."""

import casadi as ca
import numpy as np

import linkwright as lw
from linkwright import contact
from linkwright import planar as pl

BASE, LIFT, ROLLER = 0.03, 0.012, 0.01  # m


def outline(s):
    """A harmonic cam: the radius grows from BASE to BASE + LIFT and back, once a turn."""
    r = BASE + LIFT * (1 - ca.cos(s)) / 2
    return r * ca.cos(s), r * ca.sin(s)


def cam_drive(speed: float) -> lw.Model:
    m = lw.Model("cam drive")
    m.world = pl.World(g=9.81, animate_world=False, animate_gravity=False)
    m.base = pl.Fixed(animation=False)
    m.shaft = pl.Revolute(phi=np.pi / 2, w=speed)
    m.flywheel = pl.Body(m=2, I=0.02, animation=False)
    m.cam = pl.contact.Curve(function=outline, color=[200, 150, 90], width=0.012)
    m.guide = pl.Prismatic(r=[0, 1], s=BASE + ROLLER)
    m.tappet = pl.Body(m=0.2, I=1e-4, animation=False)
    m.spring = pl.Spring(c_x=0, c_y=500, s_rely0=0.1)
    m.above = pl.Fixed(r=[0, 0.13])
    m.pin = pl.Revolute()
    m.roller = pl.Body(m=0.02, I=1e-6, animation=False)
    m.rim = pl.contact.Circle(radius=ROLLER, color=[120, 140, 170])
    m.chain(m.base, m.shaft, m.flywheel)
    m.connect(m.shaft.frame_b, m.cam.frame_a)
    m.chain(m.base, m.guide, m.tappet)
    m.connect(m.guide.frame_b, m.spring.frame_a)
    m.connect(m.spring.frame_b, m.above.frame)
    m.chain(m.guide, m.pin, m.roller)
    m.connect(m.pin.frame_b, m.rim.frame_a)
    m.touch = contact.Pair(m.cam, m.rim, law=contact.Rigid(mu=0.3))
    m.integral(m.touch.loss_power, name="lost")
    return m


model = cam_drive(speed=20.0)

if __name__ == "__main__":
    for speed in (20.0, 140.0):
        r = lw.simulate(cam_drive(speed), 1.0)
        floats = (r["touch.gap"] > 1e-9).mean()
        print(f"at {speed:.0f} rad/s: lift {np.ptp(r['guide.s']) * 1e3:.3f} mm, the roller floats {100 * floats:.0f} % "
              f"of the time, {sum(row.what == 'hit' for row in r.contacts)} hits")
        hits = np.array([sum(row.loss for row in r.contacts if row.time <= t) for t in r.t])
        energy = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"] + r["lost"] + hits
        print(f"  energy is kept to {np.ptp(energy) / r['kinetic_energy'].max():.1e}")
    lw.simulate(model, 1.0).save("cam_drive.html")
