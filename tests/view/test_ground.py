"""The ground: endless in pages and pictures, fading into the background; a piece of a plane where it is no ground."""

import numpy as np
import pytest
from view_models import pendulum

import linkwright as lw
from linkwright import contact, parts, visualizers
from linkwright.view import light
from linkwright.view.animation_files import result_animation
from linkwright.view.ground import FADE
from linkwright.view.picture import Renderer
from linkwright.view.scene import Scene, quiet_server, stop_server


def over(plane, **world):
    """A ball over a plane that is fixed on the world."""
    m = lw.Model("ball over a plane")
    m.world, m.plane = lw.World(**world), plane
    m.ball = parts.Body(m=1, inertia=[1, 1, 1], r_0=[0.1, 0.6, 0])
    m.connect(m.world.frame_b, m.plane.frame_a)
    return m, result_animation(lw.simulate(m, 1e-3))


def of(animation, name):
    return next(item for item in animation.items if item.shape.name.endswith(name))


def test_the_floor_lies_below_the_whole_motion_where_gravity_has_a_direction():
    a = result_animation(lw.simulate(pendulum(n=[0, 0, -1]), 3.0))
    floor = of(a, ".floor")
    assert floor.shape.kind == "ground" and np.allclose(floor.R[:, 2], [0, 0, 1])
    assert floor.p[2] < a.points()[:, 2].min()
    for world in ({"g": 0.0}, {"gravity": None}, {"animate_floor": False}, {"animate_ground": True}):
        a = result_animation(lw.simulate(pendulum(**world), 0.1))
        assert not any(i.shape.name.endswith(".floor") for i in a.items), world


@pytest.mark.parametrize(("plane", "endless"), [
    (lambda: contact.Plane(n=[0.3, 1, 0]), True), (lambda: contact.Plane(n=[0, 1, 0], length=3.0), False),
    (lambda: contact.Plane(n=[1, 0, 0]), False), (lambda: contact.Plane(n=[0, 1, 0], transparency=0.5), False),
    (lambda: visualizers.Ground(), True), (lambda: visualizers.Ground(length_u=2.0), False)])
def test_planes_to_stand_on_have_no_end_unless_a_size_is_given(plane, endless):
    model, a = over(plane())
    item = next(i for i in a.items if i.shape.name.startswith("plane."))
    assert (item.shape.kind == "ground") is endless
    if endless:  # no second floor below it, and it does not move the camera away
        assert not any(i.shape.name.endswith(".floor") for i in a.items)
        assert np.ptp(a.points(), axis=0).max() < 2.0
    else:
        corners = item.mesh[0] * item.scale
        assert 1e-3 < np.ptp(corners, axis=0).max() <= 3.0


def test_a_plane_that_moves_is_a_piece():
    m = lw.Model("tray")
    m.world, m.tray, m.plane = lw.World(), parts.Body(m=1, inertia=[1, 1, 1]), contact.Plane(n=[0, 1, 0])
    m.connect(m.tray.frame_a, m.plane.frame_a)
    assert of(result_animation(lw.simulate(m, 0.1)), "plane.surface").shape.kind == "surface"


def test_a_picture_shows_the_ground_near_by_and_the_background_far_away():
    """What is left of the ground falls in proportion to the distance from below the camera: 1 − d/(FADE·reach)."""
    model, a = over(contact.Plane(n=[0, 1, 0], color=[100, 150, 200]), animate_world=False, animate_gravity=False)
    eye = np.array([0.0, 0.5, 4.0])
    renderer = Renderer(a, (160, 160), (eye, np.array([0.0, 0.5, 0.0]), np.array([0.0, 1.0, 0.0])))
    image = renderer.draw(0).astype(float)
    back = light.background(160, 160)
    from linkwright.view.ground import line_colour

    low, high = (np.array(c, dtype=float) for c in (line_colour((100, 150, 200)), (100, 150, 200)))
    for d in (3.0, 8.0, 20.0):
        u, v, _ = renderer._screen(np.array([[0.2 * d, 0.0, 4.0 - d]]))[0] / 2
        left = 1 - np.hypot(d, 0.2 * d) / (FADE * 4.0)
        row, got = back[int(v), int(u)], image[int(v), int(u)]
        assert np.all(got >= left * low + (1 - left) * row - 2) and np.all(got <= left * high + (1 - left) * row + 2)
    assert np.allclose(image[79, 10], back[79, 10], atol=8)  # the horizon itself
    assert np.allclose(image[20, 20], back[20, 20], atol=1)


def test_a_page_has_the_same_ground():
    model, a = over(contact.Plane(n=[0, 1, 0], color=[100, 150, 200]))
    server = quiet_server()
    try:
        scene = Scene(server, a)
        sent = list(server._websock_server._broadcast_buffer.message_from_id.values())
    finally:
        stop_server(server)
    grids = [m.props for m in sent if type(m).__name__ == "GridMessage"]
    assert len(grids) == 1
    assert grids[0].infinite_grid and grids[0].plane_opacity == 1.0 and tuple(grids[0].plane_color) == (100, 150, 200)
    assert grids[0].fade_distance == pytest.approx(FADE * scene._reach) and grids[0].shadow_opacity > 0
