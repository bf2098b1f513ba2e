"""One axis of the R3 robot (Modelica MultiBody, RobotR3.oneAxis): a load is turned by 120° through an elastic gear with
dry friction, by a motor under current, speed and position control.

The motor's circuit of ideal amplifiers has two states, the voltage v of the capacitor C and the current i of the
armature La.  An ideal amplifier holds its two inputs at the same voltage and takes no current there.

  diff   Rd1 … Rd4 are equal: at its inputs i/2 (Hall sensor, 1 V/A), so that it puts out i − i_ref.
  OpI    its input is held at ground: the current (i − i_ref)/Ri can only flow into C, and it puts out −v.
             C dv/dt = (i − i_ref) / Ri
  power  amplifies that by 1 + Rp1/Rp2 = 5, and feeds the armature:
             La di/dt = −5 v − Ra i − k w          torque k i
"""

import linkwright as lw
from linkwright import blocks, rotational

RATIO, K, W, D = 210.0, 1.1616, 5500.0, 0.6
RA, RI, GAIN = 250.0, 10.0, 1 + 200.0 / 50.0
C, LA = 0.004 * D / W, RA / (2 * D * W)

m = lw.Model("one axis")
m.world = lw.World()
m.rotor = rotational.Inertia(J=0.0013, phi=0.0, w=0.0)
m.friction = rotational.BearingFriction(tau_pos=[[0, 0.5], [1, 0.5 + 0.1 / 130]])
m.spring = rotational.SpringDamper(c=8, d=0.01)
m.gear = rotational.IdealGear(ratio=RATIO)
m.load = rotational.Inertia(J=1.3 * 15, phi=0.0, w=0.0)
m.motor = rotational.DCMotor(R=RA, L=LA, k=K)
m.connect(m.motor.flange, m.rotor.flange_a)
m.connect(m.rotor.flange_b, m.friction.flange_a)
m.connect(m.friction.flange_b, m.spring.flange_a)
m.connect(m.spring.flange_b, m.gear.flange_a)
m.connect(m.gear.flange_b, m.load.flange_a)

# position, speed and current control
path = blocks.kinematic_ptp(q_end=[lw.deg(120)], qd_max=[3.0], qdd_max=[10.0])
error = RATIO * path.qd[0] + 5 * (RATIO * path.q[0] - m.rotor.phi) - m.rotor.w
i_ref = blocks.pi(error, k=0.5, T=0.05, name="PI")
v = m.integral((m.motor.i - i_ref) / (RI * C), name="C.v")
m.motor.v = -GAIN * v
m.terminate(lw.time > path.end_time + 0.5, "0.5 s after the end of the motion")

if __name__ == "__main__":
    r = lw.simulate(m, 1.6)
    print(f"{r.messages[0]}: load at {r['load.phi'][-1]:.6f} rad, current {r['motor.i'][-1]:.4f} A, "
          f"{len(r.events)} events")
