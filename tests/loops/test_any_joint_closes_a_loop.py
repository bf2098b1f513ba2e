"""Whichever joint closes a loop, motion, coordinates, accelerations and reactions are the same."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright.mechanism import Mobilizer, kinds

KINDS = {
    "Revolute": (lambda **k: joints.Revolute(n=[0.2, 1, 0.3], **k), ("phi", "w", "a")),
    "Prismatic": (lambda **k: joints.Prismatic(n=[1, 0.2, 0.3], **k), ("s", "v", "a")),
    "Cylindrical": (lambda **k: joints.Cylindrical(n=[1, 0.1, 0.2], **k), ("phi", "s", "w", "v", "a", "wd")),
    "Universal": (lambda **k: joints.Universal(n_a=[1, 0, 0], n_b=[0, 1, 0], **k),
                  ("phi_a", "phi_b", "w_a", "w_b", "a_a", "a_b")),
    "Planar": (lambda **k: joints.Planar(n=[0, 0.3, 1], **k),
               ("phi", "s_x", "s_y", "w", "v_x", "v_y", "a_x", "a_y", "wd")),
    "Spherical": (lambda **k: joints.Spherical(**k), ("w_rel_a", "z_rel_a")),
    "Screw": (lambda **k: joints.Screw(n=[0.2, 1, 0.3], pitch=0.1, **k), ("phi", "w", "a")),
    "Gimbal": (lambda **k: joints.Gimbal(**k), ("q", "u", "a")),
    "reversed": (lambda **k: joints.Universal(n_a=[1, 0, 0], n_b=[0, 1, 0], reverse=True, **k),
                 ("phi_a", "phi_b", "w_a", "w_b")),
    "BendStretch": (lambda **k: joints.BendStretch(**k), ("q", "u")),
}


def states_its_equations(name: str) -> bool:
    """Whether the kind of a joint states the equations by which it closes a loop; with six freedoms there are none."""
    kind = getattr(kinds, name, Mobilizer)
    return kind.closing is not Mobilizer.closing and kind.nu < 6


#: all further ones that do; a new joint enters by itself
KINDS |= {name: (getattr(joints, name), ("q", "u")) for name in joints.__all__
          if name not in KINDS and states_its_equations(name)}


def loop(kind: str, cut: bool, floating: bool = False) -> lw.Model:
    """Ball – body – joint – body – ball between two points (of the ground, or of a third body that floats)."""
    make, _ = KINDS[kind]
    m = lw.Model(kind)
    m.world = lw.World(g=9.81)
    if floating:
        m.base = parts.Body(m=3, inertia=[0.5, 0.6, 0.7], r_0=[0, 0, 0], v_0=[0.1, 0, 0], angles=[0, 0, 0],
                            w_0=[0.1, 0.2, 0.3])
        base = m.base.frame_a
    else:
        base = m.world.frame_b
    m.far = parts.FixedTranslation(r=[0.8, 0.2, 0.1])
    m.ball1 = joints.Spherical(enforce_states=cut, angles=lw.guess([0.1, -0.2, 0.15]), w_rel_a=lw.guess([0.5, 1, 0.3]))
    m.ball2 = joints.Spherical(enforce_states=cut, angles=lw.guess([0.2, 0.1, -0.1]), w_rel_a=lw.guess([0.2, -1, 0.4]))
    m.one = parts.BodyShape(m=1, r=[0.5, 0.2, 0.1], r_cm=[0.2, 0.1, 0], inertia=[0.03, 0.05, 0.04])
    m.two = parts.BodyShape(m=1.5, r=[-0.5, 0.1, 0.2], r_cm=[-0.2, 0, 0.1], inertia=[0.04, 0.03, 0.05])
    m.joint = make(enforce_states=not cut)
    m.connect(base, m.ball1.frame_a, m.far.frame_a)
    m.chain(m.ball1, m.one, m.joint)
    m.chain(m.far, m.ball2, m.two)
    m.connect(m.joint.frame_b, m.two.frame_b)
    return m


QUICK = ("Revolute", "Universal", "Planar", "Screw")
CASES = [pytest.param(kind, floating, marks=() if kind in QUICK and not floating else pytest.mark.slow)
         for kind, floating in [*((kind, False) for kind in KINDS), ("Revolute", True), ("Universal", True)]]


@pytest.mark.parametrize(("kind", "floating"), CASES)
def test_cut_or_kept_it_is_the_same_joint(kind, floating):
    kept = lw.compile(loop(kind, cut=False, floating=floating))
    closed = lw.compile(loop(kind, cut=True, floating=floating))
    assert closed.loops[0].name.startswith("joint") and not kept.loops[0].name.startswith("joint")
    here = kept.state()
    # the same positions and velocities of all bodies
    bodies = ["one", "two", *(["base"] if floating else [])]
    goals = {f"{b}.frame_a.{q}": here.get(f"{b}.frame_a.{q}") for b in bodies for q in ("r_0", "R.T")}
    there = lw.assemble(closed, goals=goals)
    J = np.vstack([closed.jacobian(there, f"{b}.frame_a") for b in bodies])
    V = np.concatenate([kept.jacobian(here, f"{b}.frame_a") @ here.u for b in bodies])
    there.u = np.linalg.lstsq(J, V, rcond=1e-10)[0]
    # the speeds of a welded copy, which no body shows, follow from the weld
    there = closed.assemble(there, np.where(np.any(np.abs(J) > 1e-12, axis=0), np.inf, 1.0))
    assert np.linalg.norm(V) > 0.3 and np.max(np.abs(there.get("velocity_error"))) < 1e-8
    names = [f"joint.{name}" for name in KINDS[kind][1]] + [f"{b}.{q}" for b in bodies for q in ("a_0", "z_a")]
    names += [f"joint.{end}.{load}" for end in ("frame_a", "frame_b") for load in "ft"]
    for name, a, b in zip(names, closed.evaluate(there, *names), kept.evaluate(here, *names), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6 * (1 + np.max(np.abs(b))), err_msg=name)
