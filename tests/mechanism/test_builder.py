"""What the builder refuses, in messages that name the part; and how it places frames and inertia."""

import casadi as ca
import numpy as np
import pytest

from linkwright.algebra import ForceMotor, Inertia, Transform, axis_frame
from linkwright.errors import ModelError
from linkwright.mechanism import (
    Free,
    LineOrientation,
    MechanismBuilder,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    Weld,
)
from mechanisms import every_joint, random_inertia, random_pose, trace

BALL = Inertia(1.0, [0.1, 0.2, 0.3], [0.1, 0.1, 0.1])


def refused(pattern):
    return pytest.raises(ModelError, match=pattern)


def test_zero_axis_has_no_direction():
    with refused(r"\(0, 0, 0\) has no direction"):
        axis_frame([0, 0, 0])


def test_mass_must_be_a_finite_number():
    with refused("bob: inertia must be of type Inertia, got 1.0"):
        MechanismBuilder().body("bob", "world", Revolute(), inertia=1.0)
    with refused("mass = nan"):
        Inertia(np.nan)
    with refused("mass = -1"):
        Inertia(-1.0)


def test_vectors_have_three_entries():
    with refused(r"bob: X_PF must be of type Transform, got \[1.0, 2.0\]"):
        MechanismBuilder().body("bob", "world", Revolute(), X_PF=[1.0, 2.0])
    with refused("gravity: expected 3 numbers"):
        MechanismBuilder("m", gravity=[0, 1])
    with refused("position: expected 3 numbers"):
        Transform(None, [1.0, 2.0])


def test_parent_must_exist():
    builder = MechanismBuilder()
    builder.body("crank", "world", Revolute(), inertia=BALL)
    with refused("rod: .*'cranc'.*Did you mean 'crank'"):
        builder.body("rod", "cranc", Revolute(), inertia=BALL)


def test_names_are_unique():
    builder = MechanismBuilder()
    builder.body("rod", "world", Revolute(), inertia=BALL)
    with refused("rod: a body of this name exists already"):
        builder.body("rod", "world", Revolute(), inertia=BALL)
    with refused("tip: a frame of this name exists already"):
        builder.frame("tip", "rod")
        builder.frame("tip", "rod")
    with refused("other: the name 'rod' is taken"):
        builder.body("other", "world", Revolute(), inertia=BALL, joint="rod")


@pytest.mark.parametrize(("kind", "inertia", "weak"), [
    (Revolute(), Inertia(1.0), "bob.phi"),  # a point mass on the axis
    (Prismatic(), Inertia(0.0, central=[1, 1, 1]), "bob.s"),
    (Universal(), Inertia(), "bob.phi_"),
    (Spherical(), Inertia(1.0, [0.3, 0.4, 0]), r"bob.u\[1\]"),  # nothing resists the spin about its own radius
    (Free(), Inertia(1.0, [0.3, 0, 0]), r"bob.u\[0\]"),
])
def test_movable_leaf_needs_inertia(kind, inertia, weak):
    builder = MechanismBuilder()
    builder.body("bob", "world", kind, inertia=inertia)
    with refused(f"bob: a movable leaf without inertia; nothing resists {weak}"):
        builder.build()


def test_leaf_may_borrow_inertia_from_what_is_welded_to_it():
    builder = MechanismBuilder()
    builder.body("bob", "world", Revolute())
    builder.body("weight", "bob", Weld(), Transform(None, [1.0, 0, 0]), inertia=Inertia(1.0))
    builder.body("needle", "world", LineOrientation(), inertia=Inertia(1.0, [0, 0, 0.5]))
    assert builder.build().nu == 3


def test_loads_and_frames_name_what_exists():
    builder = MechanismBuilder()
    builder.body("bob", "world", Revolute(), inertia=BALL)
    with refused("tip: .*'bib'"):
        builder.frame("tip", "bib")
    builder.mobility_force("motor", "bob", 1.0, index=1)
    with refused("motor: joint 'bob' has 1 mobilities, there is no number 1"):
        builder.build()
    other = MechanismBuilder()
    other.body("bob", "world", Revolute(), inertia=BALL)
    other.force("wind", "bop", ForceMotor([1, 0, 0]))
    with refused("'bop'.*Did you mean 'bob'"):
        other.build()
    with refused("wind: axes are 'frame' or 'world'"):
        other.force("wind", "bob", ForceMotor([1, 0, 0]), axes="body")


def test_inertia_and_frames_do_not_depend_on_where_the_joint_is():
    """The builder turns bodies into their M frames; mass, first moment and a named frame stay where they are."""
    random = np.random.default_rng(0)
    X_WF, X_BM, X_BQ, inertia = (random_pose(random), random_pose(random), random_pose(random),
                                 random_inertia(random))
    builder = MechanismBuilder()
    builder.body("bob", "world", Revolute(), X_WF, X_BM, inertia)
    builder.frame("tip", "bob", X_BQ)
    kin = trace(builder.build())
    X_WB = X_WF @ Revolute().transform([0.4]) @ X_BM.inverse()
    X_WQ, X_WM = kin.pose(kin.mechanism.frame("tip")), kin.X_WB[0]
    com = X_WM @ kin.mechanism.bodies[0].inertia.com()
    p_WQ, p_WC = ca.Function("points", [kin.q, kin.u], [X_WQ.p, com])(0.4, 0.0)
    np.testing.assert_allclose(np.asarray(p_WQ).ravel(), (X_WB @ X_BQ).p, atol=1e-14)
    np.testing.assert_allclose(np.asarray(p_WC).ravel(), X_WB @ inertia.com(), atol=1e-14)


def test_slices_cover_all_coordinates_in_order():
    m = every_joint()
    q_slices, u_slices = m.slices()
    assert [s.start for s in q_slices[1:]] == [s.stop for s in q_slices[:-1]]
    assert (q_slices[-1].stop, u_slices[-1].stop) == (m.nq, m.nu) == (len(m.default_q()), m.nu)


def test_rotors_and_prescribed_motion_resist_like_inertia():
    builder = MechanismBuilder()
    builder.body("wheel", "world", Revolute(), armature=[0.1])
    builder.body("hand", "world", Universal(), prescribed=[1.0, 2.0])
    m = builder.build()
    assert m.bodies[0].armature == (0.1,) and m.bodies[1].prescribed.numel() == 2
    with refused("arm: armature needs one value for each of 2 mobilities, got 1"):
        builder.body("arm", "world", Universal(), armature=[0.1])
