"""Two gears in contact at their flanks: rigid involutes with tip relief pass the load from tooth to tooth."""

import casadi as ca
import numpy as np

import linkwright as lw
from linkwright import contact, visualizers
from linkwright import planar as pl

MODULE, PRESSURE_ANGLE = 4e-3, np.radians(20)
TEETH = 17, 23
RELIEF = 10e-6  # m, taken off the tips so that teeth meet gently
TORQUE, SPEED = 10.0, 20.0  # N m and rad/s of the driver
MESHING = range(-1, 6)  # pairs of teeth that come to bear within a tenth of a second


def flank(teeth: int, middle: float) -> pl.contact.Curve:
    """The flank that looks counter-clockwise, of a tooth whose middle lies at an angle.

    Unrolled by s the involute of the base circle is r_b (cos s + s sin s, −sin s + s cos s), with the outward normal
    (sin s, cos s); at the pitch circle s = tan α.  The body lies to the left, so that it runs from the tip inwards.
    """
    pitch, tip = MODULE * teeth / 2, MODULE * (teeth / 2 + 1)
    base = pitch * np.cos(PRESSURE_ANGLE)
    end = np.sqrt((tip / base) ** 2 - 1)
    turned = middle + np.pi / (2 * teeth) + np.tan(PRESSURE_ANGLE) - PRESSURE_ANGLE

    def outline(u):
        s = end - u
        back = RELIEF * (s / end) ** 10
        x = base * (ca.cos(s) + s * ca.sin(s)) - back * ca.sin(s)
        y = base * (s * ca.cos(s) - ca.sin(s)) - back * ca.cos(s)
        return np.cos(turned) * x - np.sin(turned) * y, np.sin(turned) * x + np.cos(turned) * y

    return pl.contact.Curve(function=outline, stop=0.95 * end, closed=False, width=8e-3)


def gear_pair() -> lw.Model:
    m = lw.Model("gear pair")
    m.world = pl.World(g=0, animate_world=False, animate_gravity=False)
    m.left, m.right = pl.Fixed(animation=False), pl.Fixed(r=[MODULE * sum(TEETH) / 2, 0], animation=False)
    m.driver, m.driven = pl.Revolute(phi=-1e-5, w=SPEED), pl.Revolute(phi=0, w=-SPEED * TEETH[0] / TEETH[1])
    m.wheel1, m.wheel2 = pl.Body(m=1, I=2e-3, animation=False), pl.Body(m=1.5, I=4e-3, animation=False)
    m.motor, m.brake = (pl.WorldForce(force=[0, 0, torque], animation=False)
                        for torque in (TORQUE, TORQUE * TEETH[1] / TEETH[0]))
    m.chain(m.left, m.driver, m.wheel1)
    m.chain(m.right, m.driven, m.wheel2)
    m.connect(m.driver.frame_b, m.motor.frame_b)
    m.connect(m.driven.frame_b, m.brake.frame_b)
    m.tooth1 = [flank(TEETH[0], -np.pi / (2 * TEETH[0]) - 2 * np.pi * k / TEETH[0]) for k in MESHING]
    m.tooth2 = [flank(TEETH[1], np.pi - np.pi / (2 * TEETH[1]) + 2 * np.pi * k / TEETH[1]) for k in MESHING]
    # the bodies of the wheels, to be seen only, behind the flanks and their forces
    m.seen = [pl.To3D() for _ in TEETH]
    m.gear = [visualizers.FixedShape(shape_type="gearwheel", extra=teeth, width=MODULE * (teeth + 2), length=length,
                                     r_shape=[0, 0, -4e-3 - length / 2], length_direction=[0, 0, 1], color=colour,
                                     width_direction=[np.cos(start), np.sin(start), 0])
              for teeth, start, length, colour in zip(
                  TEETH, (-1.5 * np.pi / TEETH[0], np.pi - 1.5 * np.pi / TEETH[1]), (4e-3, 3.6e-3),
                  ([200, 150, 90], [120, 140, 170]), strict=True)]
    for shaft, seen, gear in zip((m.driver, m.driven), m.seen, m.gear, strict=True):
        m.connect(shaft.frame_b, seen.frame_a)
        m.connect(seen.frame_b, gear.frame_a)
    for one, other in zip(m.tooth1, m.tooth2, strict=True):
        m.connect(m.driver.frame_b, one.frame_a)
        m.connect(m.driven.frame_b, other.frame_a)
    m.touch = [contact.Pair(one, other, law=contact.Rigid()) for one, other in zip(m.tooth1, m.tooth2, strict=True)]
    m.integral(TORQUE * (m.driver.w + TEETH[1] / TEETH[0] * m.driven.w), name="work")
    return m


model = gear_pair()

if __name__ == "__main__":
    r = lw.simulate(model, 0.08)
    taken = [(row.time, row.pair) for row in r.contacts if row.what == "hit"]
    print("teeth take over at " + ", ".join(f"{1e3 * t:.2f} ms ({pair})" for t, pair in taken))
    ratio = -r["driven.w"] * TEETH[1] / TEETH[0] / r["driver.w"]
    print(f"the ratio of speeds is kept to {np.abs(ratio[10:] - 1).max():.1e}, in the middle of a tooth to "
          f"{np.abs(ratio[10:] - 1).min():.1e}")
    lost = np.array([sum(row.loss for row in r.contacts if row.time <= t) for t in r.t])
    energy = r["kinetic_energy"] - r["work"] + lost
    print(f"energy is kept to {np.ptp(energy) / r['kinetic_energy'].max():.1e}, {1e6 * lost[-1]:.0f} µJ went into hits")
    r.save("gear_pair.html")
