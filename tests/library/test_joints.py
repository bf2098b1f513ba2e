"""Every joint: start values, motion forwards and reversed, and laws it must obey whatever its kind."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import constraints, joints, parts


class Knee(joints.Joint):
    dof = 1

    def transform(self, q):
        return lw.Transform(lw.rotation_z(q[0]), [0.01 * lw.sin(q[0]), 0, 0])


class Slot(joints.Joint):
    """A pin in a curved slot, turning: two coordinates, a parameter in the formula."""

    dof = 2
    radius = lw.parameter(0.8, "radius of the slot", unit="m")

    def transform(self, q):
        return lw.Transform(lw.rotation_y(q[1]), [self.radius * lw.sin(q[0]), 0, self.radius * (1 - lw.cos(q[0]))])


def spiral(q):
    return 0.3 * q[0] + 0.1 * lw.sin(q[1])


CASES = {
    "Revolute": (joints.Revolute, {"n": [0.1, 0.2, 1]}, {"phi": 0.3}, {"w": 0.7}),
    "Prismatic": (joints.Prismatic, {"n": [1, 0.5, 0.2]}, {"s": 0.3}, {"v": 0.7}),
    "Cylindrical": (joints.Cylindrical, {"n": [0.3, 1, 0]}, {"s": 0.2, "phi": 0.4}, {"v": 0.3, "w": -0.6}),
    "Screw": (joints.Screw, {"n": [0, 1, 0.2], "pitch": 0.1}, {"phi": 0.4}, {"w": 0.5}),
    "Universal": (joints.Universal, {}, {"phi_a": 0.3, "phi_b": -0.4}, {"w_a": 0.5, "w_b": 0.8}),
    "Universal askew": (joints.Universal, {"n_b": [0.5, 1, 0]}, {"phi_a": 0.3, "phi_b": -0.4}, {"w_a": 0.5}),
    "Planar": (joints.Planar, {"n": [0, 0.2, 1]}, {"s_x": 0.1, "s_y": -0.2, "phi": 0.3},
               {"v_x": 0.3, "v_y": 0.1, "w": -0.9}),
    "Spherical": (joints.Spherical, {}, {"angles": [0.1, 0.2, 0.3]}, {"w_rel_a": [0.3, -0.5, 0.8]}),
    "Spherical by angles": (joints.Spherical, {"use_quaternions": False}, {"angles": [0.1, 0.2, 0.3]},
                            {"w_rel_a": [0.3, -0.5, 0.8]}),
    "FreeMotion": (joints.FreeMotion, {}, {"angles": [0.1, 0.2, 0.3], "r_rel_a": [0.4, 0.1, -0.3]},
                   {"w_rel_a": [0.3, -0.5, 0.8], "v_rel_a": [0.1, 0.6, 0.2]}),
    "Gimbal": (joints.Gimbal, {}, {"q": [0.1, 0.2, 0.3]}, {"u": [0.3, -0.5, 0.8]}),
    "BendStretch": (joints.BendStretch, {}, {"q": [0.4, 0.9]}, {"u": [0.6, -0.2]}),
    "Translation": (joints.Translation, {}, {"q": [0.1, 0.2, 0.3]}, {"u": [0.3, -0.5, 0.8]}),
    "Bushing": (joints.Bushing, {}, {"q": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}, {"u": [0.3, -0.5, 0.8, 0.1, 0.2, -0.3]}),
    "CantileverFreeBeam": (joints.CantileverFreeBeam, {"length": 1.2}, {"q": [0.1, 0.2, 0.3]}, {"u": [0.3, -0.5, 0.8]}),
    "SphericalCoords": (joints.SphericalCoords, {"zenith_offset": 0.1, "radial_axis": "x", "negative_azimuth": True},
                        {"q": [0.1, 0.7, 0.9]}, {"u": [0.3, -0.5, 0.4]}),
    "Ellipsoid": (joints.Ellipsoid, {"radii": [0.5, 0.6, 0.8]}, {}, {"u": [0.3, -0.5, 0.8]}),
    "LineOrientation": (joints.LineOrientation, {}, {}, {"u": [0.3, -0.5]}),
    "FreeLine": (joints.FreeLine, {}, {}, {"u": [0.3, -0.5, 0.2, 0.4, -0.1]}),
    "FunctionBased": (joints.FunctionBased, {"degrees": 2, "functions": (None, spiral, lambda q: q[1], None, None,
                                                                         lambda q: q[0] ** 2)},
                      {"q": [0.4, 0.2]}, {"u": [0.3, 0.9]}),
    "own with one": (Knee, {}, {"q": 0.3}, {"u": 0.7}),
    "own with two": (Slot, {"radius": 0.7}, {"q": [0.3, 0.4]}, {"u": [0.7, -0.3]}),
}
LINES = {"LineOrientation", "FreeLine"}  # a line has no inertia about itself and cannot be turned over


def swinging(name, swapped=False, **more):
    """A body on the joint; `swapped` connects the joint the other way round."""
    kind, parameters, position, speed = CASES[name]
    m = lw.Model(name)
    m.world = lw.World()
    m.base = parts.FixedRotation(r=[0.1, 0.2, 0.3], n=[1, 1, 0], angle=0.4)
    m.joint = kind(**parameters, **position, **speed, **more)
    spin = 0.0 if name in LINES else 0.3
    m.body = parts.Body(m=1.3, r_cm=[0, 0, 0.2] if name in LINES else [0.2, 0.1, -0.3], inertia=[0.4, 0.4, spin])
    m.connect(m.world.frame_b, m.base.frame_a)
    near, far = (m.joint.frame_b, m.joint.frame_a) if swapped else (m.joint.frame_a, m.joint.frame_b)
    m.connect(m.base.frame_b, near)
    m.connect(far, m.body.frame_a)
    return m


@pytest.mark.parametrize("name", CASES)
def test_start_values_hold(name):
    _, _, position, speed = CASES[name]
    r = lw.simulate(swinging(name), 0.01)
    for variable, value in {**position, **speed}.items():
        assert r[f"joint.{variable}"][0] == pytest.approx(value, abs=1e-9), variable


@pytest.mark.parametrize("name", CASES)
def test_energy_is_kept(name):
    r = lw.simulate(swinging(name), 0.5, accuracy=1e-11)
    energy = r["kinetic_energy"] + r["potential_energy"]
    assert energy == pytest.approx(energy[0], abs=1e-7)
    assert np.ptp(r["body.r_0"]) > 1e-3 or np.ptp(r["body.frame_a.R.T"]) > 1e-3


TURNING = {"Spherical", "Spherical by angles", "FreeMotion"}


@pytest.mark.parametrize("name", sorted(TURNING))
def test_start_values_between_frames_mean_the_same_reversed(name):
    """angles, w_rel_a and r_rel_a are said of frame_b in frame_a, whichever way the coordinates are counted."""
    one = lw.simulate(swinging(name, reverse=True), 0.3, accuracy=1e-11)
    two = lw.simulate(swinging(name), 0.3, accuracy=1e-11)
    assert one["body.r_0"] == pytest.approx(two["body.r_0"], abs=1e-8)
    assert one["body.frame_a.R.T"] == pytest.approx(two["body.frame_a.R.T"], abs=1e-8)


@pytest.mark.parametrize("name", [name for name in CASES if name not in LINES | TURNING])
def test_reversed_is_connected_the_other_way_round(name):
    """reverse=True moves as the same joint with its frames swapped, with the same coordinates."""
    one = lw.simulate(swinging(name, reverse=True), 0.3, accuracy=1e-11)
    two = lw.simulate(swinging(name, swapped=True), 0.3, accuracy=1e-11)
    assert one["body.r_0"] == pytest.approx(two["body.r_0"], abs=1e-8)
    assert one["body.frame_a.R.T"] == pytest.approx(two["body.frame_a.R.T"], abs=1e-8)
    _, _, position, _ = CASES[name]
    for variable in position:
        assert one[f"joint.{variable}"] == pytest.approx(two[f"joint.{variable}"], abs=1e-8), variable


@pytest.mark.parametrize("name", CASES)
def test_what_enters_a_joint_leaves_it(name):
    """Forces and torques at the two frames of a massless joint balance, and do no work but the drive's (none here)."""
    r = lw.simulate(swinging(name), 0.3)
    R_a, R_b = (r[f"joint.{frame}.R.T"].transpose(0, 2, 1) for frame in ("frame_a", "frame_b"))
    f_a, f_b = (np.einsum("tij,tj->ti", R, r[f"joint.{frame}.f"]) for R, frame in ((R_a, "frame_a"), (R_b, "frame_b")))
    t_a, t_b = (np.einsum("tij,tj->ti", R, r[f"joint.{frame}.t"]) for R, frame in ((R_a, "frame_a"), (R_b, "frame_b")))
    arm = r["joint.frame_b.r_0"] - r["joint.frame_a.r_0"]
    assert f_a + f_b == pytest.approx(0 * f_a, abs=1e-9)
    assert t_a + t_b + np.cross(arm, f_b) == pytest.approx(0 * t_a, abs=1e-9)
    power = (r["body.v_0"] * f_b).sum(1) + (r["body.w_0"] * t_b).sum(1)
    assert power == pytest.approx(0 * power, abs=1e-8)
    # the body needs exactly what the joint gives
    assert r["body.frame_a.f"] == pytest.approx(-r["joint.frame_b.f"], abs=1e-8)
    assert r["body.frame_a.t"] == pytest.approx(-r["joint.frame_b.t"], abs=1e-8)


def test_parameters_of_an_own_joint_are_tunable():
    runs = [lw.simulate(_with_radius(radius), 0.3)["body.r_0"] for radius in (0.6, 0.7, 0.9)]
    again = lw.simulate(_with_radius(0.7), 0.3)["body.r_0"]
    assert runs[1] == pytest.approx(again, abs=1e-12)
    assert np.abs(runs[0] - runs[2]).max() > 1e-3


def _with_radius(radius):
    m = swinging("own with two")
    m.joint.radius = radius
    return m


def test_start_values_of_a_vector_entry_by_entry():
    """None leaves an entry open, a guess may move: the body hangs where the other entries put it."""
    m = lw.Model("entries")
    m.world = lw.World()
    m.body = parts.Body(m=1, r_0=[None, 0.3, lw.guess(0.7)], v_0=[0.1, None, None], angles=[0, 0, 0])
    state = lw.compile(m).state()
    assert state.get("body.r_0") == pytest.approx([0, 0.3, 0.7], abs=1e-12)
    assert state.get("body.v_0") == pytest.approx([0.1, 0, 0], abs=1e-12)


def test_wrong_number_of_start_values():
    with pytest.raises(lw.ModelError, match="q needs 3 numbers, got 2"):
        joints.Gimbal(q=[0.1, 0.2])
    with pytest.raises(lw.ModelError, match="q needs 3 numbers, got 0.1"):
        joints.Gimbal(q=0.1)


def test_free_motion_scalar_init_by_hand():
    """A free body: position, one angle and its rate, spin in frame_b, each given as a scalar."""
    m = lw.Model("scalar")
    m.world = lw.World(gravity=None)
    m.body = parts.Body(m=1, inertia=[1, 2, 3], r_cm=[0, 0, 0])
    m.start = joints.FreeMotionScalarInit(r_rel_a_1=0.2, r_rel_a_3=-0.4, v_rel_a_2=1.5, angle_1=0, angle_2=0,
                                          angle_3=0.3, w_rel_b_1=0.5, w_rel_b_2=0, w_rel_b_3=2.0)
    m.connect(m.world.frame_b, m.start.frame_a)
    m.connect(m.body.frame_a, m.start.frame_b)
    r = lw.simulate(m, 0.1)
    assert r["body.r_0"][0] == pytest.approx([0.2, 0, -0.4], abs=1e-10)
    assert r["body.v_0"][0] == pytest.approx([0, 1.5, 0], abs=1e-10)
    assert r["body.w_a"][0] == pytest.approx([0.5, 0, 2.0], abs=1e-10)
    c, s = np.cos(0.3), np.sin(0.3)
    assert r["body.frame_a.R.T"][0] == pytest.approx(np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]), abs=1e-10)
    # angles 1-2-3: ω in b = (φ1' c2 c3 + φ2' s3, −φ1' c2 s3 + φ2' c3, φ1' s2 + φ3') at φ = (0, 0, 0.3)
    rates = np.linalg.solve([[c, s, 0], [-s, c, 0], [0, 0, 1]], [0.5, 0, 2.0])
    assert [r[f"start.angle_d_{k}"][0] for k in (1, 2, 3)] == pytest.approx(rates, abs=1e-10)
    # Euler: I ω̇ = −ω × I ω
    assert [r[f"start.z_rel_b_{k}"][0] for k in (1, 2, 3)] == pytest.approx([0, (3 - 1) * 2.0 * 0.5 / 2, 0], abs=1e-10)
    numeric = np.gradient(r["start.angle_d_2"], r.t, edge_order=2)
    assert r["start.angle_dd_2"][5:-5] == pytest.approx(numeric[5:-5], abs=1e-4)


def test_start_values_make_no_events():
    """A start condition that is written with comparisons (angles of a rotation) says nothing of the run."""
    m = lw.Model("hinge")
    m.world, m.turned = lw.World(), parts.FixedRotation(n=[1, 0, 0], angle=0.5)
    m.hinge, m.body = constraints.Revolute(n=[0, 1, 0]), parts.Body(m=1, r_cm=[0.2, 0, 0.1])
    m.start = joints.FreeMotionScalarInit(angle_d_2=0.3)
    m.chain(m.world, m.turned, m.hinge, m.body)
    m.connect(m.turned.frame_b, m.start.frame_a)
    m.connect(m.body.frame_a, m.start.frame_b)
    r = lw.simulate(m, 2.0)
    assert not r.events
    assert r["start.angle_d_2"][0] == pytest.approx(0.3)


def test_a_free_line_starts_anywhere_in_any_direction():
    m = lw.Model("line")
    m.world = lw.World(gravity=None)
    m.line = joints.FreeLine(r_rel_a=[1, 2, 3], v_rel_a=[0.1, 0.2, 0.3], e_rel_a=[0.6, 0, 0.8], e_rate_a=[0, 2.0, 0])
    m.body = parts.Body(m=2.0, inertia=[0.1, 0.1, 1e-9])
    m.chain(m.world, m.line, m.body)
    r = lw.simulate(m, 1.0)
    np.testing.assert_allclose(r["body.r_0"], [1, 2, 3] + r.t[:, None] * [0.1, 0.2, 0.3], atol=1e-8)
    # it turns evenly in the plane of its direction and that of its motion
    expected = np.cos(2 * r.t)[:, None] * [0.6, 0, 0.8] + np.sin(2 * r.t)[:, None] * [0, 1, 0]
    np.testing.assert_allclose(r["line.e_rel_a"], expected, atol=1e-7)
