"""A five-link walker: the periodic gait that takes the least effort.

Torso, thighs and shanks (about those of RABBIT, Chevallereau et al. 2003), motors in hips and knees, points for feet.
One foot stands; the other swings forward and strikes the ground, which stops it at once: an impact throws all speeds,
the foot that stood lets go, and left and right change their roles.  What begins after the impact must be what began.
"""

import matplotlib.pyplot as plt
import numpy as np

import linkwright as lw
from linkwright import constraints, joints, parts, rotational, sensors

STEP, TIME = 0.4, 0.5  # m, s
JOINTS = [f"{side}_{joint}" for side in ("left", "right") for joint in ("hip", "knee")]


def walker() -> lw.Model:
    """The torso moves freely in a plane; the left foot stands at the origin."""
    m = lw.Model("walker")
    m.world = lw.World(g=9.81)
    m.hips = joints.Planar(n=[0, 0, 1], s_x=lw.guess(-0.2), s_y=lw.guess(0.72), phi=lw.guess(-0.05), v_x=lw.guess(0.6),
                           v_y=lw.guess(0.0), w=lw.guess(0.0))
    m.torso = parts.BodyShape(m=12, r=[0, 0.625, 0], r_cm=[0, 0.24, 0], inertia=[0.01, 0.01, 0.64])
    m.chain(m.world, m.hips, m.torso)
    for side, hip in (("left", 0.45), ("right", -0.1)):
        own = {"hip": joints.Revolute(phi=lw.guess(hip), w=lw.guess(0.0)),
               "thigh": parts.BodyShape(m=6.8, r=[0, -0.4, 0], r_cm=[0, -0.11, 0], inertia=[0.01, 0.01, 0.39]),
               "knee": joints.Revolute(phi=lw.guess(-0.4), w=lw.guess(0.0)),
               "shank": parts.BodyShape(m=3.2, r=[0, -0.4, 0], r_cm=[0, -0.24, 0], inertia=[0.01, 0.01, 0.05])}
        for name, part in own.items():
            setattr(m, f"{side}_{name}", part)
        m.chain(m.hips, *own.values())
        for joint in ("hip", "knee"):
            motor = rotational.Torque()
            setattr(m, f"{side}_{joint}_motor", motor)
            m.connect(own[joint].axis, motor.flange)
    m.stance, m.foot = constraints.Ball(), sensors.AbsoluteVelocity()
    m.connect(m.world.frame_b, m.stance.frame_a)
    m.connect(m.stance.frame_b, m.left_shank.frame_b)
    m.connect(m.right_shank.frame_b, m.foot.frame_a)
    return m


def gait(m: lw.Model, intervals: int = 20):
    """The plan of one step."""
    motors = [getattr(m, f"{joint}_motor").tau for joint in JOINTS]
    effort = sum((lw.integral(tau**2) for tau in motors[1:]), lw.integral(motors[0] ** 2))
    other = {"left": "right", "right": "left"}
    # angles and speeds of one side are those of the other after the impact; where the hips are follows from the foot
    swapped = {f"{joint}.{x}": f"{other[joint.split('_')[0]]}_{joint.split('_')[1]}.{x}"
               for joint in JOINTS for x in ("phi", "w")} | {"hips.phi": "hips.phi", "hips.w": "hips.w"}
    free = dict.fromkeys([*swapped, "hips.s_x", "hips.s_y", "hips.v_x", "hips.v_y"])
    height = "right_shank.frame_b.r_0[1]"
    return lw.control(
        m, {f"{joint}_motor.tau": (-150, 150) for joint in JOINTS}, minimize=0.1 * effort, time=TIME, start=free,
        end={"right_shank.frame_b.r_0[0]": STEP, height: 0.0}, periodic=swapped, impact=["foot.v[0]", "foot.v[1]"],
        bounds={height: (-1e-3, 0.3), "hips.phi": (-0.4, 0.4), "left_knee.phi": (-1.5, -0.05),
                "right_knee.phi": (-1.5, -0.05), **{f"{joint}.w": (-10, 10) for joint in JOINTS}},
        intervals=intervals, tries=1)


m = walker()

if __name__ == "__main__":
    plan = gait(m)
    kinetic = plan["kinetic_energy"]
    print(f"{plan.message} after {plan.counters['iterations']} iterations: {STEP / TIME:.2f} m/s, at most "
          f"{max(np.abs(plan[f'{joint}_motor.tau']).max() for joint in JOINTS):.1f} N m; an impact takes "
          f"{kinetic[-1] - kinetic[0]:.2f} J")
    r = lw.simulate(m, TIME, state=plan.start, inputs=plan.inputs)
    foot = r["right_shank.frame_b.r_0"][-1]
    print(f"a run with these torques sets the foot down {np.hypot(foot[0] - STEP, foot[1]):.1e} m off")
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 7), height_ratios=(2, 1))
    shown = plan.at(np.linspace(0, TIME, 6))
    for step in range(3):
        for k in range(6):
            hips = shown["hips.frame_b.r_0"][k, :2] + [step * STEP, 0]
            lines = [[hips, shown["torso.frame_b.r_0"][k, :2] + [step * STEP, 0]]]
            for side in ("left", "right"):
                lines.append([hips, *[shown[f"{side}_{part}.frame_b.r_0"][k, :2] + [step * STEP, 0]
                                      for part in ("thigh", "shank")]])
            for line, color in zip(lines, ("0.3", *(("C0", "C1") if step % 2 == 0 else ("C1", "C0"))), strict=True):
                above.plot(*np.array(line).T, color=color, alpha=0.25 + 0.12 * k, linewidth=2)
    above.set(aspect="equal", xlabel="x / m", ylabel="y / m")
    above.axhline(0, color="black", linewidth=0.8)
    for joint in JOINTS:
        below.plot(plan.t, plan[f"{joint}_motor.tau"], label=joint.replace("_", " "))
    below.set(xlabel="t / s", ylabel="torque / N m")
    below.legend()
    figure.tight_layout()
    figure.savefig("walker.png", dpi=80)
    plt.close("all")
