"""Letters of axes: flat outlines without cards, which face whoever looks, in pages and in the live view."""

import numpy as np
import pytest
from browser import headless, open_page
from view_models import pendulum

import linkwright as lw
from linkwright import visualizers
from linkwright.algebra import axis_rotation, rotation_from_quaternion
from linkwright.view.animation_files import result_animation
from linkwright.view.letters import letters
from linkwright.view.scene import Scene, quaternions, quiet_server, stop_server


def area(points):
    """Shoelace formula; holes have the other sign than what they are in."""
    x, y = points[:-1].T
    return 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1))


@pytest.mark.parametrize("text", ["x", "o", "B", "axis $1$"])
def test_triangles_fill_what_the_outlines_enclose(text):
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    path = TextPath((0, 0), text.replace("$", r"\$"), size=100, prop=FontProperties(family="DejaVu Sans"))
    wanted = abs(sum(area(outline) for outline in path.to_polygons())) / 100**2
    v, f = letters(text)
    got = 0.5 * np.linalg.norm(np.cross(v[f[:, 1]] - v[f[:, 0]], v[f[:, 2]] - v[f[:, 0]]), axis=1).sum()
    assert got == pytest.approx(wanted, rel=1e-9)
    assert np.allclose(v.min(axis=0), -v.max(axis=0), atol=1e-12)  # around the origin
    assert letters(" ") is None


def swinging():
    m = pendulum()
    m.marks = visualizers.FixedFrame(length=0.3)
    m.connect(m.body.frame_a, m.marks.frame_a)
    return lw.simulate(m, 1.0)


def test_letters_face_the_camera_wherever_their_body_turns():
    animation = result_animation(swinging())
    server = quiet_server()
    try:
        scene = Scene(server, animation)
        scene.show(20)
        R = axis_rotation([1.0, 2.0, 3.0], 0.7)
        scene.face(quaternions(R))
        for k in (20, 7):
            scene.show(k)
            assert len(scene.letters) == 6  # of the world and of the body
            for handle, body in scene.letters:
                turn = np.asarray(rotation_from_quaternion(handle.wxyz))
                seen = turn if body < 0 else animation.bodies[body].R[k] @ turn
                assert np.allclose(seen, R, atol=1e-12)
        sent = server._websock_server._broadcast_buffer.message_from_id.values()
        cards = [m.name for m in sent if type(m).__name__ == "LabelMessage"]
        assert not any(name.endswith(".label") for name in cards)  # only names of parts have them, once switched on
    finally:
        stop_server(server)


def test_letters_of_a_page_face_its_camera(tmp_path):
    swinging().save(tmp_path / "marks.html")
    turned = """(() => {
        const show = window.linkwright, got = {};
        show.playing = false;
        show.send = (batch) => batch.forEach((m) => { if (m.type === 'SetOrientationMessage') got[m.name] = m.wxyz; });
        show.time = show.t[12];
        show.show(true);
        show.hear({type: 'ViewerCameraMessage', wxyz: [0.5, 0.5, 0.5, 0.5], position: [0, 0, 1], look_at: [0, 0, 0]});
        const named = show.film.letters.map((l) => ({q: got[l.name], parent: l.parent}));
        return {named, turns: show.turns};
    })()"""
    with headless() as browser, open_page(browser, (tmp_path / "marks.html").as_uri(), scale=0.25) as (page, errors):
        page.wait_for_function("window.linkwright !== undefined && window.linkwright.shown >= 0")
        got = page.evaluate(turned)
        assert errors == []
    assert len(got["named"]) == 6
    for letter in got["named"]:
        R = np.asarray(rotation_from_quaternion(letter["q"]))
        if letter["parent"]:
            R = np.asarray(rotation_from_quaternion(got["turns"][letter["parent"]])) @ R
        wanted = np.asarray(rotation_from_quaternion([0.5, 0.5, 0.5, 0.5]))
        assert np.allclose(R, wanted, atol=1e-3)  # turns of bodies are sent in steps of 2⁻¹⁴
