"""A crank that drives each of the loop assemblies, with a mass on every part; a wheel suspension."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright import assemblies, joints, parts, translational

#: name → arguments of the assembly; where frame_b is; the crank's axis and direction; what else to know of it
ASSEMBLIES = {
    "JointSSR": ({"rod1_length": 1.0, "n_b": [0, 0, 1], "r_rod2_ib": [0, 0.5, 0]}, [0.9, 0.1, 0.2], [1, 0, 0]),
    "JointSSP": ({"rod1_length": 1.0, "n_b": [1, 0, 0], "r_rod2_ib": [0, 0.1, 0], "s_guess": 0.9}, [0, 0.1, 0.2],
                 [1, 0, 0]),
    "JointUSR": ({"n1_a": [0, 1, 0], "n_b": [0, 0, 1], "r_rod1_ia": [1.0, 0, 0], "r_rod2_ib": [0, 0.5, 0]},
                 [0.9, 0.1, 0.2], [1, 0, 0]),
    "JointUSP": ({"n1_a": [0, 1, 0], "n_b": [1, 0, 0], "r_rod1_ia": [1.0, 0, 0], "r_rod2_ib": [0, 0, 0],
                  "s_guess": 0.1}, [0.9, 0.1, 0.2], [1, 0, 0]),
    "JointSUR": ({"n1_b": [0, 1, 0], "n_b": [0, 0, 1], "r_rod1_ia": [1.0, 0, 0], "r_rod2_ib": [0, 0.5, 0]},
                 [0.9, 0.1, 0.2], [1, 0, 0]),
    "JointSUP": ({"n1_b": [0, 1, 0], "n_b": [1, 0, 0], "r_rod1_ia": [1.0, 0, 0], "r_rod2_ib": [0, 0.1, 0],
                  "s_guess": 0.1}, [0.9, 0.1, 0.2], [1, 0, 0]),
    "JointUPS": ({"n1_a": [0, 1, 0], "n_axis_ia": [1.0, 0, 0.1], "s_offset": 0.2}, [0.9, 0.1, 0.2], [1, 0, 0]),
    "JointRRR": ({"r_rod1_ia": [0.8, 0, 0], "r_rod2_ib": [0, 0.6, 0]}, [0.9, 0.1, 0], [0, 0, 1]),
    "JointRRP": ({"r_rod1_ia": [0.8, 0, 0], "r_rod2_ib": [0, 0.05, 0], "n_b": [1, 0, 0], "s_guess": 0.9}, [0, 0.1, 0],
                 [0, 0, 1]),
    "JointRPR": ({"n_axis_ia": [0.8, -0.1, 0], "s_offset": 0.1}, [0.9, 0.1, 0], [0, 0, 1]),
    "JointRPP": ({"n_im": [0.2, 1, 0], "n_b": [1, 0, 0], "r_rod2_ib": [0.1, 0, 0]}, [0, 0.1, 0], [0, 0, 1]),
    "JointPRP": ({"n_a": [1, 0, 0], "n_b": [0, 1, 0], "r_rod1_ia": [0.3, 0, 0], "r_rod2_ib": [0, 0.05, 0]},
                 [0.5, 0.1, 0], [0, 0, 1]),
}


def driven(name: str) -> lw.Model:
    """A crank of 0.2 m at frame_a of the assembly, whose frame_b stands on the ground."""
    given, far, axis = ASSEMBLIES[name]
    m = lw.Model(name)
    m.world = lw.World(g=9.81, n=[0, -1, 0])
    turn = 0.8 if name == "JointPRP" else 5.0  # its slides become parallel
    m.drive = joints.Revolute(n=axis, phi=0.3, w=turn)
    m.crank = parts.BodyShape(m=4, r=[0, 0.2, 0], r_cm=[0, 0.1, 0], inertia=[0.05, 0.01, 0.05])
    m.far = parts.Fixed(r=far)
    m.joint = getattr(assemblies, name)(**given)
    m.chain(m.world, m.drive, m.crank)
    m.connect(m.crank.frame_b, m.joint.frame_a)
    m.connect(m.far.frame_b, m.joint.frame_b)
    for frame in ("frame_ia", "frame_ib"):
        if frame in m.joint._connectors:
            body = parts.Body(m=0.5, r_cm=[0.1, 0.05, 0], inertia=[0.02, 0.03, 0.04])
            setattr(m, f"on_{frame}", body)
            m.connect(getattr(m.joint, frame), body.frame_a)
    return m


def moving(m: lw.Model) -> list[str]:
    """Names of the motions of all parts with mass, and of what the crank's bearing carries."""
    names = ["drive.phi", "crank.frame_b.r_0", "drive.frame_b.f", "drive.frame_b.t"]
    return names + [f"{name}.{what}" for name in ("on_frame_ia", "on_frame_ib") if hasattr(m, name)
                    for what in ("frame_a.r_0", "frame_a.R.T", "v_0", "a_0")]


def largest_difference(one, other, names) -> float:
    """Of results, relative to the size of each."""
    return max(float(np.max(np.abs(one[n] - other[n])) / max(1.0, np.max(np.abs(other[n])))) for n in names)


def macpherson(plain: bool = False) -> lw.Model:
    """A MacPherson suspension, its upper mount and its rack fixed (Otter, Elmqvist, Mattsson 2003).

    The strut (JointUPS) from the mount to the wishbone's tip carries the steering (JointSSR): the tie rod from the rack
    to an arm of the wheel carrier, which turns about the strut.  `plain`: a revolute and a rod in place of the latter.
    """
    m = lw.Model("MacPherson")
    m.world = lw.World(g=9.81, n=[0, 0, -1])
    mount, tip, arm, rack = map(np.array, ([0.02, 0.3, 0.6], [0, 0.4, 0], [-0.12, 0.02, 0.05], [-0.12, 0.05, 0.08]))
    length, tie_rod = float(np.linalg.norm(tip - mount)), float(np.linalg.norm(tip + arm - rack))
    along = (tip - mount) / length
    m.mount, m.rack = parts.Fixed(r=mount), parts.Fixed(r=rack)
    m.wishbone_joint = joints.Revolute(n=[1, 0, 0], phi=0.4, w=0.0)
    m.wishbone = parts.BodyShape(m=3, r=tip, r_cm=tip / 2, inertia=[0.04, 0, 0.04])
    m.strut = assemblies.JointUPS(n1_a=[1, 0, 0], n_axis_ia=length * along)
    m.tube = parts.Body(m=1.0, r_cm=0.1 * along, inertia=[0.01] * 3)
    m.piston = parts.Body(m=2.0, r_cm=-0.1 * along, inertia=[0.01] * 3)
    m.carrier = parts.Body(m=12, r_cm=[0.0, 0.08, 0.05], inertia=[0.3] * 3)
    m.spring = translational.Spring(c=6000.0, s_rel0=length + 0.02)
    m.chain(m.world, m.wishbone_joint, m.wishbone)
    m.connect(m.mount.frame_b, m.strut.frame_a)
    m.connect(m.wishbone.frame_b, m.strut.frame_b)
    m.connect(m.strut.frame_ia, m.tube.frame_a)
    m.connect(m.strut.frame_ib, m.piston.frame_a)
    m.connect(m.strut.bearing, m.spring.flange_a)
    m.connect(m.strut.axis, m.spring.flange_b)
    if plain:
        m.turning, m.arm = joints.Revolute(n=along, phi=lw.guess(0.4)), parts.FixedTranslation(r=arm)
        m.tie_rod = joints.SphericalSpherical(rod_length=tie_rod, m=0.5)
        m.connect(m.strut.frame_ib, m.turning.frame_a)
        m.connect(m.turning.frame_b, m.carrier.frame_a, m.arm.frame_a)
        m.connect(m.rack.frame_b, m.tie_rod.frame_a)
        m.connect(m.arm.frame_b, m.tie_rod.frame_b)
    else:
        m.steering = assemblies.JointSSR(rod1_length=tie_rod, rod1_mass=0.5, n_b=along, r_rod2_ib=arm, phi_guess=0.4)
        m.connect(m.strut.frame_ib, m.steering.frame_b)
        m.connect(m.rack.frame_b, m.steering.frame_a)
        m.connect(m.steering.frame_ib, m.carrier.frame_a)
    return m
