"""A four-bar from four plain revolutes: the loop is found and closed, and energy is conserved.

Ground 1 m, crank 0.3 m, coupler 0.9 m, rocker 0.6 m, slender rods of 1 kg, gravity along −y.
"""

import linkwright as lw
from linkwright import joints, parts


def rod(length):
    """A slender rod of 1 kg along x."""
    across = length**2 / 12
    return parts.BodyShape(m=1, r=[length, 0, 0], r_cm=[length / 2, 0, 0], inertia=[0, across, across], width=0.04)


model = lw.Model("four-bar")
model.world = lw.World(g=9.81)
model.rev1 = joints.Revolute(phi=lw.deg(60), w=5)
model.rev2 = joints.Revolute(phi=lw.guess(-0.6))
model.rev3 = joints.Revolute()
model.rev4 = joints.Revolute(phi=lw.guess(1.6))  # which of the two ways it is put together
model.crank, model.coupler, model.rocker = rod(0.3), rod(0.9), rod(0.6)
model.ground = parts.FixedTranslation(r=[1, 0, 0], animation=False)
model.chain(model.world, model.rev1, model.crank, model.rev2, model.coupler, model.rev3)
model.chain(model.world, model.ground, model.rev4, model.rocker)
model.connect(model.rev3.frame_b, model.rocker.frame_b)
stop = 10.0

if __name__ == "__main__":
    system = lw.compile(model)
    r = lw.simulate(system, stop)
    print(system)
    energy = r["kinetic_energy"] + r["potential_energy"]
    print(f"in {stop:g} s the crank turns by {r['rev1.phi'][-1] - r['rev1.phi'][0]:.6f} rad; the loop is closed to "
          f"{r.closure:.0e} m, energy constant to {max(energy) - min(energy):.0e} J")
    r.save("fourbar.html")
