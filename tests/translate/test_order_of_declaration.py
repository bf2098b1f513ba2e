"""What is declared first does not matter: the same base, the same eigenvalues, the same motion."""

import math
import runpy
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, translational

EXAMPLES = Path(__file__).parents[2] / "examples"
#: Meijaard, Papadopoulos, Ruina, Schwab (2007), Proc. R. Soc. A 463, table 2: the benchmark bicycle at 5 m/s
BICYCLE = [-14.078389692798, -0.775341882196 - 4.464867713788j, -0.775341882196 + 4.464867713788j, -0.322866429004]


def shuffled(m, seed):
    """The model with its parts and connections in another order."""
    random = np.random.default_rng(seed)
    for part in m.models():
        names = list(part._children)
        part.__dict__["_children"] = {names[k]: part._children[names[k]] for k in random.permutation(len(names))}
        connections = part._connections
        part.__dict__["_connections"] = [connections[k] for k in random.permutation(len(connections))]
    return m


def bicycle(enforced=False):
    w, trail, tilt, r_rear, r_front, v = 1.02, 0.08, math.pi / 10, 0.3, 0.35, 5.0
    head = np.array([w + trail, 0, 0])
    m = lw.Model("bicycle")
    m.world = lw.World(n=[0, 0, -1], g=9.81)
    m.rear = parts.RollingWheel(radius=r_rear, m=2, I_axis=0.12, I_long=0.0603, x=0, y=0, angles=[0, 0, 0],
                                der_angles=[0, v / r_rear, 0], enforce_states=enforced)
    m.rear_hub = joints.Revolute(n=[0, 1, 0], phi=0, w=lw.guess(-v / r_rear))
    m.frame = parts.Body(m=85, r_cm=[0.3, 0, 0.9 - r_rear], inertia=[[9.2, 0, -2.4], [0, 11, 0], [-2.4, 0, 2.8]])
    m.tube = parts.FixedTranslation(r=head - [0, 0, r_rear])
    m.steer = joints.Revolute(n=[-math.sin(tilt), 0, math.cos(tilt)], phi=0, w=0)
    m.fork = parts.Body(m=4, r_cm=np.array([0.9, 0, 0.7]) - head,
                        inertia=[[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]])
    m.leg = parts.FixedTranslation(r=np.array([w, 0, r_front]) - head)
    m.front_hub = joints.Revolute(n=[0, 1, 0], phi=0, w=lw.guess(v / r_front))
    m.front = parts.RollingWheel(radius=r_front, m=3, I_axis=0.28, I_long=0.1405, x=lw.guess(w), y=lw.guess(0),
                                 angles=[lw.guess(0)] * 3, der_angles=[lw.guess(0), lw.guess(v / r_front), lw.guess(0)])
    m.connect(m.rear.frame_a, m.rear_hub.frame_a)
    m.connect(m.rear_hub.frame_b, m.frame.frame_a, m.tube.frame_a)
    m.chain(m.tube, m.steer, m.leg, m.front_hub)
    m.connect(m.steer.frame_b, m.fork.frame_a)
    m.connect(m.front_hub.frame_b, m.front.frame_a)
    return m


@pytest.mark.parametrize("seed", range(4))
def test_a_bicycle_has_its_published_eigenvalues_in_any_order(seed):
    found = np.linalg.eigvals(lw.linearize(shuffled(bicycle(), seed)).A)
    for value in BICYCLE:
        assert np.abs(found - value).min() < 1e-10


def test_eigenvalues_of_one_instant_of_a_spinning_base_are_remarked_on():
    with pytest.warns(UserWarning, match=r"rear.*turns at 16\.7 rad/s.*enforce_states"):
        lw.linearize(bicycle(enforced=True))


def test_a_floating_base_at_rest_and_a_steady_one_are_not_remarked_on(recwarn):
    lw.linearize(bicycle())
    lw.modes(hung())
    assert not [w for w in recwarn if "turns at" in str(w.message)]


def hung():
    """A frame between four springs with two bodies on it: modes of a base that floats."""
    m = lw.Model("hung")
    m.world = lw.World()
    m.plate = parts.Body(m=2.0, inertia=[0.02, 0.03, 0.02], r_0=[0, -0.3, 0])
    for k, (x, z) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        at, top = parts.FixedTranslation(r=[0.2 * x, 0, 0.15 * z]), parts.Fixed(r=[0.4 * x, 0.5, 0.3 * z])
        spring = lw.forces.Spring(c=60.0 + 10 * k, s_unstretched=0.3)
        setattr(m, f"at{k}", at), setattr(m, f"top{k}", top), setattr(m, f"spring{k}", spring)
        m.connect(m.plate.frame_a, at.frame_a)
        m.connect(at.frame_b, spring.frame_a)
        m.connect(spring.frame_b, top.frame_b)
    m.hinge, m.arm = joints.Revolute(n=[0, 0, 1]), parts.Body(m=0.3, r_cm=[0, -0.1, 0], inertia=[1e-3] * 3)
    m.rail, m.mass = joints.Prismatic(n=[1, 0, 0]), parts.Body(m=0.2)
    m.hold = translational.Spring(c=30.0)
    m.chain(m.plate, m.hinge, m.arm)
    m.chain(m.plate, m.rail, m.mass)
    m.connect(m.rail.support, m.hold.flange_a)
    m.connect(m.rail.axis, m.hold.flange_b)
    return m


def four_bar():
    return runpy.run_path(str(EXAMPLES / "fourbar.py"))["model"]


@pytest.mark.parametrize("make", [hung, four_bar])
def test_modes_and_equilibria_are_those_of_the_mechanism(make):
    """About an equilibrium eigenvalues do not depend on coordinates at all."""
    wanted = lw.modes(make())
    for seed in range(3):
        found = lw.modes(shuffled(make(), seed))
        np.testing.assert_allclose(np.sort(found.frequency), np.sort(wanted.frequency), atol=1e-6)
        energy = [lw.compile(m.state.system.model).potential_energy(m.state) for m in (wanted, found)]
        assert energy[0] == pytest.approx(energy[1], abs=1e-8)


def crawler():
    """A trunk whose place alone is given, with two legs: all else is a guess of zero."""
    m = lw.Model("crawler")
    m.world = lw.World()
    m.trunk = parts.Body(m=2.0, r_0=[0, 1, 0])
    for side in ("left", "right"):
        hip, thigh = joints.Revolute(n=[0, 0, 1], phi=0.4), parts.BodyShape(r=[0, -0.3, 0], m=0.5, r_cm=[0, -0.15, 0])
        knee, shank = joints.Revolute(n=[0, 0, 1], phi=-0.8), parts.Body(m=0.2, r_cm=[0, -0.1, 0])
        for name, part in (("hip", hip), ("thigh", thigh), ("knee", knee), ("shank", shank)):
            setattr(m, f"{side}_{name}", part)
        m.chain(m.trunk, hip, thigh, knee, shank)
    return m


@pytest.mark.parametrize("seed", range(3))
def test_what_is_not_given_of_a_start_is_zero_for_the_same_body(seed):
    m = shuffled(crawler(), seed)
    system = lw.compile(m)
    assert system.is_root("trunk.frame_a")
    wanted, found = lw.simulate(crawler(), 0.3), lw.simulate(m, 0.3)
    np.testing.assert_allclose(found["trunk.frame_a.R.T"][0], np.eye(3), atol=1e-12)
    np.testing.assert_allclose(found["left_shank.r_0"], wanted["left_shank.r_0"], atol=1e-7)


def test_bodies_that_are_alike_are_told_apart_by_name_not_by_order():
    m = lw.Model("pair")
    m.world = lw.World()
    m.b, m.rev, m.a = parts.Body(m=1.0, r_cm=[0.1, 0, 0]), joints.Revolute(), parts.Body(m=1.0, r_cm=[0.1, 0, 0])
    m.chain(m.b, m.rev, m.a)
    assert lw.compile(m).is_root("a.frame_a")
