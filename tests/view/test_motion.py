"""Shapes are where the mechanics says: poses against results, spans against lengths, meshes against volumes."""

import numpy as np
import pytest
from view_models import hanging_spring, pendulum

import linkwright as lw
from linkwright import forces, joints, parts
from linkwright.view.animation_files import frame_times, result_animation
from linkwright.view.meshes import unit_mesh
from linkwright.view.motion import Poses
from linkwright.view.scene import camera, quaternions


def item(animation, name):
    return next(i for i in animation.items if i.shape.name == name)


def test_frames_are_sampled_thirty_times_a_second_and_end_at_the_end():
    r = lw.simulate(pendulum(), 1.01)
    t = frame_times(r, 30)
    assert np.allclose(np.diff(t)[:-1], 1 / 30) and t[-1] == 1.01


def test_body_sphere_is_at_the_centre_of_mass():
    r = lw.simulate(pendulum(), 2.0)
    a = result_animation(r)
    ball = item(a, "body.sphere")
    series = r.at(a.t)
    for k in range(0, len(a.t), 7):
        p, R, scale = a.pose(ball, k)
        centre = p + R @ (scale * [0.5, 0, 0])
        expected = series["body.r_0"][k] + series["body.frame_a.R.T"][k].T @ [0.5, 0, 0]
        assert np.allclose(centre, expected, atol=1e-12)


def test_frames_of_one_body_share_one_moving_node():
    a = result_animation(lw.simulate(pendulum(), 0.5))
    assert len(a.bodies) == 1


def test_spring_and_slide_reach_from_end_to_end():
    r = lw.simulate(hanging_spring(), 2.0)
    a = result_animation(r)
    s = r.at(a.t)["slide.s"]
    for name, part in (("spring.spring", 1.0), ("slide.box", 0.98)):  # the box is a little shorter than the slide
        shape = item(a, name)
        assert np.allclose(shape.scale[:, 0], np.maximum(part * np.abs(s), 1e-6), atol=1e-9)
        ends = shape.p + shape.R[:, :, 0] * shape.scale[:, :1]
        assert np.allclose(ends[:, 1], -s * (1 + part) / 2, atol=1e-9)
        assert np.allclose(np.swapaxes(shape.R, 1, 2) @ shape.R, np.eye(3), atol=1e-12)


def test_force_arrow_ends_at_the_part_and_is_scaled():
    m = lw.Model("pushed")
    m.world = lw.World(default_n_to_m=100.0)
    m.free = joints.Prismatic(n=[1, 0, 0], s=0.5)
    m.body = parts.Body(m=1.0)
    m.push = forces.WorldForce(force=[30.0, 0, 0])
    m.chain(m.world, m.free, m.body)
    m.connect(m.body.frame_a, m.push.frame_b)
    r = lw.simulate(m, 0.1)
    a = result_animation(r)
    shaft, head = item(a, "push.frame_b.force.shaft"), item(a, "push.frame_b.force.head")
    tip = head.p + head.R[:, :, 0] * head.scale[:, :1]
    assert np.allclose(tip, r.at(a.t)["body.r_0"], atol=1e-12)
    assert np.allclose(shaft.scale[:, 0] + head.scale[:, 0], 30.0 / 100.0)
    assert np.allclose(shaft.R[:, :, 0], [1, 0, 0])


def test_reactions_carry_the_weight():
    m = lw.Model("hanging")
    m.world = lw.World(default_n_to_m=1000.0)
    m.rev = joints.Revolute(phi=0.0)
    m.body = parts.Body(m=2.0, r_cm=[0, -1, 0])
    m.chain(m.world, m.rev, m.body)
    a = result_animation(lw.simulate(m, 0.1), reactions=True)
    shaft, head = item(a, "rev.frame_b.force.shaft"), item(a, "rev.frame_b.force.head")
    assert shaft.shape.layer == "reactions"
    assert np.allclose(shaft.scale[0, 0] + head.scale[0, 0], 2.0 * 9.80665 / 1000.0, atol=2e-6)
    assert np.allclose(head.R[0, :, 0], [0, 1, 0], atol=1e-9)


@pytest.mark.parametrize("kind, extra, volume", [
    ("box", 0, 1.0), ("cylinder", 0, np.pi / 4), ("sphere", 0, np.pi / 6), ("cone", 0, np.pi / 12),
    ("cone", 0.5, np.pi / 12 * 1.75), ("pipe", 0.5, np.pi / 4 * 0.75), ("beam", 0, None), ("gearwheel", 20, None),
    ("gearwheel", -20, None), ("spring", 5, None)])
def test_meshes_are_closed_face_outwards_and_fill_the_unit_box(kind, extra, volume):
    v, f = unit_mesh(kind, extra, 4.0)
    a, b, c = (v[f[:, k]] for k in range(3))
    signed = np.sum(np.cross(a, b) * c) / 6
    assert signed > 0
    if volume is not None:
        assert signed == pytest.approx(volume, rel=0.03)
    # a closed surface: the area vectors cancel
    assert np.allclose(np.sum(np.cross(b - a, c - a), axis=0), 0, atol=1e-9)
    low, high = v.min(axis=0), v.max(axis=0)
    assert np.all(low >= [-0.13, -0.501, -0.501]) and np.all(high <= [1.13, 0.501, 0.501])


def test_quaternions_turn_like_their_matrices():
    rng = np.random.default_rng(3)
    q = rng.normal(size=(50, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    w, x, y, z = q.T
    R = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
                  1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
                  1 - 2 * (x * x + y * y)], -1).reshape(-1, 3, 3)
    assert np.allclose(np.abs(np.sum(quaternions(R) * q, axis=1)), 1.0, atol=1e-12)


@pytest.mark.parametrize("n", [[0, -1, 0], [0, 0, -1], [-1, 0, 0]])
def test_camera_sees_everything_upright(n):
    m = lw.Model("leaning")
    m.world = lw.World(n=n)
    m.rev = joints.Revolute(phi=0.5, w=3.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    a = result_animation(lw.simulate(m, 2.0))
    position, look_at, up = camera(a, 1.5)
    assert np.allclose(up, -np.array(n))
    back = (position - look_at) / np.linalg.norm(position - look_at)
    right = np.cross(up, back) / np.linalg.norm(np.cross(up, back))
    seen = (a.points() - position) @ np.column_stack([right, np.cross(back, right), back])
    slope = np.tan(np.radians(20.0))
    assert np.all(seen[:, 2] < 0)
    assert np.all(np.abs(seen[:, 1]) <= -seen[:, 2] * slope)
    assert np.all(np.abs(seen[:, 0]) <= -seen[:, 2] * slope * 1.5)


def test_frames_fixed_on_a_body_are_where_the_results_say_however_they_are_turned():
    """The body is led by the first of its frames; the others follow by R_0ᵀ (p − p_0) and R_0ᵀ R."""
    m = lw.Model("turned")
    m.world = lw.World()
    m.rev = joints.Revolute(n=[0, 0, 1], phi=0.4)
    m.first = parts.FixedRotation(n=[1, 2, 0.5], angle=50, r=[0.1, 0.2, -0.1])
    m.second = parts.FixedRotation(n=[0, 1, 1], angle=-35, r=[0.2, -0.1, 0.3])
    m.body = parts.Body(m=1, r_cm=[0.3, 0, 0.1])
    m.chain(m.world, m.rev, m.first, m.second, m.body)
    r = lw.simulate(m, 0.5)
    for frames in (["first.frame_b", "rev.frame_b", "second.frame_b", "body.frame_a"],
                   ["second.frame_b", "first.frame_b", "rev.frame_b"]):
        poses = Poses(r, r.system, frames, ())
        assert len(poses.bodies) == 1 and poses.bodies[0].name == frames[0]  # and that one is turned
        for path in frames:
            p, R = poses.frame(path)
            np.testing.assert_allclose(p, r[f"{path}.r_0"], atol=1e-12)
            np.testing.assert_allclose(np.swapaxes(R, 1, 2), r[f"{path}.R.T"], atol=1e-12)
