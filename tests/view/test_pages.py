"""Saved pages and the live viewer, in a headless browser: they render, move, and ask nobody for anything."""

import socket
import threading
import urllib.request

import numpy as np
import pytest
from browser import changed, coloured, cursor, headless, open_page, picture, settled, slide_to, wait_until
from client import connected, drain, moves
from view_models import chain, engine_v6, fourbar, hanging_spring, pendulum

import linkwright as lw
from linkwright import joints, parts
from linkwright.language.looks import JOINT_COLOR
from linkwright.view.live import NotebookPage, Viewer

#: how far the camera is from what it looks at
AWAY = "Math.hypot(...linkwright.camera.position.map((x, k) => x - linkwright.camera.look_at[k]))"


@pytest.fixture(scope="module")
def run():
    return lw.simulate(pendulum(), 4.0)


@pytest.fixture(scope="module")
def browser():
    with headless() as found:
        yield found


def test_saved_page_plays_on_load_and_goes_where_it_is_told(browser, run, tmp_path):
    path = tmp_path / "pendulum.html"
    run.save(path)
    assert path.stat().st_size < 3_000_000
    with open_page(browser, path.as_uri(), (1000, 700), scale=0.5) as (page, errors):
        # it renders: blue body, joint of dark metal
        assert wait_until(page, lambda: coloured(picture(page), (20, 110, 220)) > 25)
        assert wait_until(page, lambda: coloured(picture(page), JOINT_COLOR, 30) > 5)
        # it plays by itself
        before = page.evaluate("linkwright.time")
        assert wait_until(page, lambda: page.evaluate("linkwright.time") != before)
        # it stands still where it is put, also by its slider
        shots = []
        for time in (0.08, 0.8):
            page.evaluate(f"linkwright.seek({time})")
            shots.append(settled(page))
        assert changed(*shots) > 25
        slide_to(page, 0.5)
        assert page.evaluate("linkwright.time") == pytest.approx(2.0, abs=0.15)
        assert errors == []
        assert page.title() == "pendulum"


def test_saved_page_has_the_panel_of_the_live_viewer(browser, run, tmp_path):
    path = tmp_path / "plots.html"
    run.save(path, plots=["rev.phi", "rev.w"])
    with open_page(browser, path.as_uri(), (1000, 900)) as (page, errors):
        assert wait_until(page, lambda: page.evaluate("!!window.linkwright"))
        page.evaluate("linkwright.seek(0.4)")
        assert wait_until(page, lambda: page.locator(".uplot canvas").count() >= 2)
        before = cursor(page)
        page.evaluate("linkwright.seek(2.4)")
        assert wait_until(page, lambda: abs((cursor(page) - before) - 2.0 / 4.0) < 0.15)
        page.get_by_text("Show", exact=True).click()  # the switches of layers are folded away
        assert wait_until(page, lambda: "Joints" in page.locator("body").inner_text())
        text = page.locator("body").inner_text()
        for label in ("rev.phi", "rev.w", "Camera follows", "Trace of", "Parts", "Joints", "Click a part"):
            assert label in text
        assert errors == []


def test_on_an_upright_phone_all_is_seen_and_the_panel_begins_folded(browser, tmp_path):
    path = tmp_path / "fourbar.html"
    lw.simulate(fourbar(), 1.0).save(path)
    with open_page(browser, path.as_uri(), (390, 844)) as (page, errors):
        assert wait_until(page, lambda: page.evaluate("!!(window.linkwright && window.linkwright.camera)"))
        assert wait_until(page, lambda: not page.get_by_text("Camera follows").is_visible())
        far = page.evaluate(AWAY)
        assert page.get_by_text("four-bar").is_visible() and errors == []
    with open_page(browser, path.as_uri(), (1000, 700)) as (page, errors):
        assert wait_until(page, lambda: page.evaluate("!!(window.linkwright && window.linkwright.camera)"))
        assert page.get_by_text("Camera follows").is_visible()
        near = page.evaluate(AWAY)
        assert far > 1.2 * near and errors == []


def test_a_part_at_rest_at_the_start_is_where_it_belongs_in_every_round(browser, tmp_path):
    """A rail that begins to move after two seconds, beside a pendulum: nothing keeps the pose of another time."""
    m = lw.Model("rail")
    m.world, m.rail, m.cart = lw.World(), joints.Prismatic(n=[1, 0, 0]), parts.BodyBox(r=[0.3, 0, 0], width=0.1)
    m.rev, m.body = joints.Revolute(phi=-1.0), parts.Body(m=1, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rail, m.cart)
    m.chain(m.world, m.rev, m.body)
    m.prescribe(m.rail.s, lw.smooth_where(lw.time > 2, 0.2 * (lw.time - 2) ** 3, 0.0))
    path = tmp_path / "rail.html"
    lw.simulate(m, 4.0).save(path)
    # what the client was told last of every node must be its pose at the time that is shown, in any order of times
    told = """(rounds) => {
        const p = linkwright, last = {}, send = p.send, wrong = [];
        p.seek(0);
        for (const m of p.movers) last[m.name] = Array.from(m.p.subarray(0, 3));
        p.send = (batch) => {
            for (const b of batch) if (b.type === "SetPositionMessage") last[b.name] = b.position;
            send(batch); };
        for (let n = 0; n < rounds; n++) for (let k = 0; k < p.t.length; k += 7) {
            p.time = p.t[k]; p.show(false);
            for (const m of p.movers) for (let j = 0; j < 3; j++)
                if (last[m.name][j] !== m.p[3 * p.shown + j]) wrong.push([n, k, m.name]);
        }
        p.send = send;
        return wrong; }"""
    with open_page(browser, path.as_uri(), (1000, 700), scale=0.5) as (page, errors):
        assert wait_until(page, lambda: coloured(picture(page), (20, 110, 220)) > 25)
        page.evaluate("linkwright.seek(0.0)")
        first = settled(page)
        assert page.evaluate(told, 3) == []
        page.evaluate("linkwright.seek(0.0)")
        assert wait_until(page, lambda: changed(first, picture(page)) == 0)
        assert errors == []


@pytest.mark.parametrize("model, stop", [pytest.param(engine_v6, 0.4, marks=pytest.mark.slow), (fourbar, 1.0)])
def test_pages_of_loops_open_and_move(browser, model, stop, tmp_path):
    path = tmp_path / "loops.html"
    lw.simulate(model(), stop).save(path)
    with open_page(browser, path.as_uri(), (1000, 700), scale=0.4) as (page, errors):
        assert wait_until(page, lambda: page.evaluate("!!window.linkwright"))
        shots = []
        for part in (0.1, 0.5):
            page.evaluate(f"linkwright.seek({part * stop})")
            shots.append(settled(page))
        # something is there beside the background, and it moves
        assert changed(shots[0], np.broadcast_to(shots[0][:1, :1], shots[0].shape)) > 100
        assert changed(*shots) > 15
        assert errors == []


def test_live_viewer_serves_moves_and_stops(browser, run):
    viewer = run.animate(browser=False, block=False, plots=["rev.phi"], traces=["body"])
    port = int(viewer.address.rsplit(":", 1)[1])
    try:
        assert viewer.address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(viewer.address) as answer:
            assert answer.status == 200
        with open_page(browser, viewer.address, (1000, 700)) as (page, errors):
            assert wait_until(page, lambda: coloured(picture(page), (20, 110, 220)) > 100)
            viewer.pause()
            viewer.seek(0.0)
            first = settled(page)
            viewer.seek(1.01)
            assert wait_until(page, lambda: changed(first, picture(page)) > 100)
            # the plot's cursor follows
            before = cursor(page)
            viewer.seek(3.0)
            assert wait_until(page, lambda: abs((cursor(page) - before) - (3.0 - 1.01) / 4.0) < 0.15)
            assert errors == []
    finally:
        viewer.stop()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
    assert not any(t.name == "linkwright viewer" for t in threading.enumerate())


def test_live_viewer_follows_switches_and_adds_reactions(run):
    from linkwright.view.animation_files import result_animation

    with Viewer(result_animation(run), run, playing=False) as viewer:
        controls = viewer.controls
        controls._switch("parts", False)
        assert not any(h.visible for h in viewer.scene.handles["parts"])
        assert "reactions" not in viewer.scene.handles
        controls._switch("reactions", True)
        assert len(viewer.scene.handles["reactions"]) == 5  # force: shaft and head; torque: two heads
        controls._switch_frames(True)
        assert controls._frames
        viewer.follow("body.frame_a")
        viewer.seek(2.0)
        assert viewer.time == 2.0
        viewer.seek(99.0)
        assert viewer.time == run.t[-1]


def test_model_is_shown_at_its_initial_state_before_any_simulation():
    with pendulum().show(browser=False, block=False) as viewer:
        a = viewer.animation
        assert len(a.t) == 1
        ball = next(i for i in a.items if i.shape.name == "body.sphere")
        p, R, scale = a.pose(ball, 0)
        assert np.allclose(p + R @ (scale * [0.5, 0, 0]), 0.5 * np.array([np.cos(1), np.sin(1), 0]), atol=1e-9)


def test_without_a_display_the_address_and_how_to_save_are_printed(run, capsys, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    with run.animate() as viewer:
        said = capsys.readouterr().out
        assert viewer.address in said and "r.save(" in said


def test_a_notebook_gets_a_cell(run, monkeypatch):
    monkeypatch.setattr("linkwright.view.live.in_notebook", lambda: True)
    cell = run.animate()
    assert isinstance(cell, NotebookPage)
    assert cell._repr_html_().startswith("<iframe srcdoc=")


def test_fifty_bodies_are_sent_many_times_a_second():
    """Counted at a client on the loopback interface.

    Sixty a second on an idle machine; the tests may run beside others, so a third of that is asked for.
    """
    from linkwright.view.animation_files import result_animation

    r = lw.simulate(chain(50), 4.0, accuracy=1e-4)
    with Viewer(result_animation(r, fps=60), r, playing=False) as viewer, connected(viewer.address) as client:
        drain(client)
        viewer.play()
        count = moves(client, viewer.scene.body_names[-1], 2.0)
        viewer.pause()
    assert len(viewer.animation.bodies) == 50
    assert count / 2.0 > 20


@pytest.mark.slow
def test_spring_page_renders(browser, tmp_path):
    path = tmp_path / "spring.html"
    lw.simulate(hanging_spring(), 2.0).save(path)
    with open_page(browser, path.as_uri()) as (page, errors):
        assert wait_until(page, lambda: coloured(picture(page), (230, 20, 20)) > 50)
        assert errors == []
