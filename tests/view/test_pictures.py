"""What pictures show, and in which proportions: sizes from the mechanism, arrows by the largest load, a floor below."""

import numpy as np
import pytest
from view_models import pendulum

import linkwright as lw
from linkwright import contact, forces, joints, parts, planar, sensors
from linkwright.view.animation_files import result_animation
from linkwright.view.ground import FADE
from linkwright.view.motion import Animation
from linkwright.view.picture import Renderer
from linkwright.view.scene import camera


def item(animation, name):
    return next(i for i in animation.items if i.shape.name == name)


def scaled(size: float, load: float, **world):
    """A pendulum of a size with a load on it."""
    m = lw.Model("scaled")
    m.world = lw.World(**world)
    m.rev = joints.Revolute(phi=-1.2)
    m.rod = parts.FixedTranslation(r=[size, 0, 0])
    m.body = parts.Body(m=1.0)
    m.push = forces.WorldForce(force=[load, 0, 0])
    m.chain(m.world, m.rev, m.rod, m.body)
    m.connect(m.body.frame_a, m.push.frame_b)
    return result_animation(lw.simulate(m, 0.1))


def test_a_small_machine_looks_like_a_large_one():
    """All sizes grow with the mechanism, and arrows do not depend on how large the loads are."""
    small, large = scaled(0.01, 1e-3), scaled(10.0, 7e4)
    for one, other in zip(small.items, large.items, strict=True):
        if one.mesh is not None and one.shape.name not in ("rod.shape", "world.floor"):  # that carries the motion
            assert np.allclose(1000 * one.scale, other.scale, rtol=1e-2, atol=1e-3), one.shape.name
    head, shaft = (item(large, f"push.frame_b.force.{part}") for part in ("head", "shaft"))
    assert head.scale[0, 0] + shaft.scale[0, 0] == pytest.approx(0.3 * 10.0 * np.sin(1.2), rel=1e-6)


def test_the_camera_sees_the_mechanism_and_not_the_arrows():
    far, near = (np.linalg.norm(np.subtract(*camera(scaled(1.0, 7e3, default_n_to_m=scale))[:2]))
                 for scale in (1.0, 1e9))
    assert far == pytest.approx(near, rel=1e-9)


def test_rods_of_all_lengths_are_equally_thick():
    m = lw.Model("rods")
    m.world = lw.World()
    m.rev = joints.Revolute()
    m.long, m.short = parts.FixedTranslation(r=[1, 0, 0]), parts.FixedTranslation(r=[0, 0.3, 0])
    m.body = parts.Body(m=1.0)
    m.chain(m.world, m.rev, m.long, m.short, m.body)
    a = result_animation(lw.simulate(m, 0.1))
    assert item(a, "long.shape").scale[1] == item(a, "short.shape").scale[1]


def flat():
    m = lw.Model("planets")
    m.world = planar.World(default_z_position=0.3)
    m.fixed, m.sun, m.arm = planar.Fixed(), planar.Revolute(phi=0.1), planar.Revolute(phi=0.2)
    m.rod, m.cut, m.body = planar.FixedTranslation(r=[0.5, 0]), planar.CutForceAndTorque(), planar.Body(m=1, I=0.1)
    m.chain(m.fixed, m.arm, m.rod, m.cut, m.body)
    m.connect(m.fixed.frame, m.sun.frame_a)
    m.wheel = planar.Body(m=1, I=0.1)
    m.connect(m.sun.frame_b, m.wheel.frame_a)
    return m


def test_planar_mechanisms_are_seen_from_the_front_where_they_are_drawn():
    a = result_animation(lw.simulate(flat(), 0.1))
    position, look_at, _ = camera(a)
    view = position - look_at
    assert np.allclose(view / np.linalg.norm(view), [0, 0, 1])
    assert item(a, "rod.shape").p[2] == pytest.approx(0.3)
    assert not any(i.shape.name == "world.axes.z" for i in a.items)
    # the cut sensor shows what it measures
    names = {i.shape.name for i in a.items}
    assert {"cut.fx.shaft", "cut.fy.head", "cut.t.head2"} <= names


def test_what_would_be_drawn_over_itself_is_drawn_once():
    """Two joints in one place have one axis: equal faces flicker."""
    a = result_animation(lw.simulate(flat(), 0.1))
    assert sum(i.shape.name in ("sun.axis", "arm.axis") for i in a.items) == 1


def test_names_and_ranges_wait_until_they_are_switched_on():
    m = lw.Model("limited")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.5, phi_min=-1, phi_max=1)
    m.slide = joints.Prismatic(n=[1, 0, 0], s_min=0.1, s_max=0.4, s=0.2)
    m.body = parts.Body(m=1)
    m.chain(m.world, m.rev, m.slide, m.body)
    from linkwright.view.live import Viewer, model_animation

    with Viewer(model_animation(m), playing=False) as viewer:
        handles = viewer.scene.handles
        assert {shape.data for shape, _ in viewer.scene.by_shape if shape.layer == "names"} == {"rev", "slide", "body"}
        assert len(handles["limits"]) == 4
        assert not any(h.visible for layer in ("names", "limits") for h in handles[layer])
        viewer.controls._switch("limits", True)
        assert all(h.visible for h in handles["limits"])
        # the ends of the arc are where the joint would stop
        arc = next(shape for shape, _ in viewer.scene.by_shape if shape.name == "rev.range").data[0]
        assert np.arccos(arc[0] @ arc[-1] / (arc[0] @ arc[0])) == pytest.approx(2.0)


def test_any_part_may_look_like_a_mesh_from_a_file(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / "part.stl"
    trimesh.creation.box((0.2, 0.1, 0.05)).export(file)
    m = lw.Model("meshes")
    m.world = lw.World()
    m.rev = joints.Revolute()
    m.arm = parts.BodyShape(m=1, r=[1, 0, 0], r_cm=[0.5, 0, 0], shape_type=str(file))
    m.link = parts.FixedTranslation(r=[0.5, 0, 0], shape_type=str(file))
    m.body, m.sensor = parts.Body(m=1), sensors.AbsolutePosition()
    m.chain(m.world, m.rev, m.arm, m.link, m.body)
    m.connect(m.link.frame_b, m.sensor.frame_a)
    a = result_animation(lw.simulate(m, 0.1))
    for name in ("arm.shape", "link.shape"):
        assert len(item(a, name).mesh[1]) == 12


def test_a_wheel_seen_from_above_is_seen_to_roll():
    """The mark on its tread stands upright at the start and turns forward, by the angle of the axle."""
    m = lw.Model("cart")
    m.world = planar.World(g=0)
    m.fixed, m.slide, m.body = planar.Fixed(), planar.Prismatic(r=[1, 0], s=0, v=0.4), planar.Body(m=1, I=0.1)
    m.wheel = planar.IdealWheelJoint(radius=0.2, r=[1, 0])
    m.chain(m.fixed, m.slide, m.body)
    m.connect(m.body.frame_a, m.wheel.frame_a)
    r = lw.simulate(m, 0.5)
    a = result_animation(r, times=np.array([0.0, 0.5]))
    mark = item(a, "wheel.mark")
    assert mark.vertices[0][:, 2].max() > 0.2  # it stands out of the tread
    turn = r.at(0.5)["wheel.phi_roll"] - r.at(0.0)["wheel.phi_roll"]
    assert turn == pytest.approx(1.0, rel=1e-6)
    top = np.argmax(mark.vertices[0][:, 2])
    x, _, z = mark.vertices[1][top]
    start = np.arctan2(mark.vertices[0][top][0], mark.vertices[0][top][2])
    assert np.arctan2(x, z) - start == pytest.approx(turn, abs=1e-6)


def test_pages_and_pictures_have_one_light_and_one_background():
    """Both come from `view.light`: a viser scene gets the same directions and intensities, and the same background."""
    from linkwright.view import light
    from linkwright.view.picture import Renderer
    from linkwright.view.scene import Scene, quiet_server, stop_server

    a = result_animation(lw.simulate(pendulum(animate_floor=False), 0.1))
    server = quiet_server()
    try:
        Scene(server, a, aspect=1.5)
        sent = [m for m in server._websock_server._broadcast_buffer.message_from_id.values()]
    finally:
        stop_server(server)
    key = next(m for m in sent if getattr(m, "name", "") == "/lights/key" and hasattr(m, "props"))
    assert key.props.intensity == pytest.approx(light.KEY * np.pi)
    place = next(m.position for m in sent if getattr(m, "name", "") == "/lights/key" and hasattr(m, "position"))
    renderer = Renderer(a, (480, 320))
    eye, look_at, _ = camera(a, 1.5)
    away = (np.asarray(place) - look_at) / np.linalg.norm(np.asarray(place) - look_at)
    assert np.allclose(away, renderer.light, atol=1e-9)
    assert any("BackgroundImage" in type(m).__name__ for m in sent)
    picture = renderer.draw(0)
    assert np.allclose(picture[0, 0], light.ABOVE, atol=2) and np.allclose(picture[-1, 0], light.BELOW, atol=2)


@pytest.mark.parametrize("slope", [0.0, 0.5])
def test_what_hangs_over_a_ground_darkens_it_straight_below(slope):
    """On a plane, level or inclined, a shadow takes 0.4 of the light that distance leaves, and nothing elsewhere."""
    m = lw.Model("ball over a plane")
    m.world, m.floor = lw.World(animate_world=False, animate_gravity=False), contact.Plane(n=[slope, 1, 0])
    m.ball, m.skin = parts.Body(m=1, inertia=[1, 1, 1], r_0=[0.1, 0.6, 0], animation=False), contact.Sphere(radius=0.2)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    animation = result_animation(lw.simulate(m, 1e-3))
    view = np.array([0.0, 1.5, 3.0]), np.array([0.0, 0.2, 0.0]), np.array([0.0, 1.0, 0.0])
    bare = Animation("bare", animation.t, [], [item(animation, "floor.surface")], animation.up)
    renderer = Renderer(animation, (200, 200), view)
    shaded, lit = renderer.draw(0).astype(float), Renderer(bare, (200, 200), view).draw(0).astype(float)

    def light(x):
        u, v, _ = renderer._screen(np.array([[x, -slope * x, 0.0]]))[0] / 2
        return (shaded[int(v), int(u)] / lit[int(v), int(u)]).mean()

    n = np.array([slope, 1.0, 0.0]) / np.hypot(slope, 1.0)
    foot = view[0] - n * (n @ view[0])
    left = 1 - np.linalg.norm(np.array([0.1, -0.1 * slope, 0.0]) - foot) / (FADE * np.linalg.norm(view[0] - view[1]))
    assert light(0.1) == pytest.approx(1 - 0.4 * left, abs=0.05) and light(-0.5) == pytest.approx(1.0, abs=0.01)
