"""Bricard's trihedral loop: six links of 1 m and six revolutes, each axis at right angles to the next.

By counting, six revolutes in a loop cannot move: six equations for six angles.  This one does, since one equation
follows from the others everywhere: the loop is found, that equation is noticed, and the ring turns inside out for ever.
"""

import linkwright as lw
from linkwright import joints, parts

COLORS = [[200, 70, 50], [230, 160, 50], [120, 160, 60], [50, 130, 130], [60, 90, 170], [130, 80, 150]]


def link(color, width):
    """A bar of 1 kg along x, a square of about 0.1 m across."""
    return parts.BodyShape(m=1, r=[1, 0, 0], r_cm=[0.5, 0, 0], inertia=[0.002, 0.084, 0.084], width=width,
                           shape_type="box", color=color, animate_sphere=False)


m = lw.Model("Bricard")
m.world = lw.World(gravity=None, animate_world=False)
m.rev = [joints.Revolute(phi=lw.guess(phi)) for phi in (1.7, 1.4, 1.7, 1.4, 1.7, 1.4)]
m.link = [link(color, (0.1, 0.096)[k % 2]) for k, color in enumerate(COLORS)]  # no two faces in one plane
m.twist = [parts.FixedRotation(n=[1, 0, 0], angle=lw.deg((90, -90)[k % 2])) for k in range(6)]
m.init(m.rev[1].w, 2.0)
for k in range(6):
    m.chain(m.link[k], m.twist[k], m.rev[k])
    m.connect(m.rev[k].frame_b, m.link[(k + 1) % 6].frame_a)
m.connect(m.world.frame_b, m.link[0].frame_a)
stop = 10.0

if __name__ == "__main__":
    system = lw.compile(m)
    r = lw.simulate(system, stop)
    print(system)
    energy = r["kinetic_energy"]
    print(f"after {stop:g} s the loop is closed to {r.closure:.0e} m, and energy constant to "
          f"{(max(energy) - min(energy)) / max(energy):.0e}")
    r.save("bricard.html")
