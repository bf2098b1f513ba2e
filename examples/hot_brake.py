"""A car comes down a mountain road: its brake holds the speed, and the discs warm up until air carries the heat away.

The brake holds 20 m/s down a slope of 8 %, then the car is stopped at the foot.  What gravity gives and the road and
the air do not take ends in the discs, which cool by convection and by radiation.
"""

import numpy as np

import linkwright as lw
from linkwright import heat, rotational, translational

SLOPE, FOOT = 0.08, 4000.0  # tangent of the angle, and length of the road (m)

m = lw.Model("hot brake")
m.world = lw.World()
m.car = translational.Vehicle(m=1500.0, J=6.0, R=0.31, A=2.2, Cd=0.32, cr=0.011, s=0, v=20.0)
m.car.inclination = lw.where(m.car.s < FOOT, -SLOPE, 0.0)
m.brake = rotational.Brake(fn_max=20e3, cgeo=0.24, mu_pos=[[0, 0.38]])
m.brake.f_normalized = lw.where(m.car.s < FOOT, 0.15 + 0.5 * (m.car.v - 20.0), 0.6)
m.connect(m.brake.flange_a, m.car.flange_r)

m.discs = heat.HeatCapacitor(C=4 * 7.0 * 500.0)
m.wind = heat.Convection(Gc=8.0 + 3.0 * m.car.v)
m.glow = heat.BodyRadiation(Gr=0.3)
m.air = heat.celsius.FixedTemperature(T=15)
m.connect(m.brake.heat_port, m.discs.port, m.wind.solid, m.glow.port_a)
m.connect(m.wind.fluid, m.glow.port_b, m.air.port)
m.integral(m.air.Q_flow, name="carried_away")
m.integral(m.brake.loss_power, name="braked")

if __name__ == "__main__":
    r = lw.simulate(m, 300.0)
    hottest = int(np.argmax(r["discs.T"]))
    stored = 14e3 * (r["discs.T"][-1] - r["discs.T"][0])
    print(f"the discs reach {r['discs.T'][hottest] - 273.15:.0f} °C after {r.t[hottest]:.0f} s")
    print(f"the car stands after {r['car.s'][-1]:.0f} m; its brake has taken {r['braked'][-1] / 1e6:.3f} MJ, of which "
          f"{r['carried_away'][-1] / 1e6:.3f} are in the air and {stored / 1e6:.3f} in the discs")
    r.plot("discs.T", "car.v", "brake.loss_power")
