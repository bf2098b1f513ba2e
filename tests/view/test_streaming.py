"""A run shown while it is computed: pictures come during the run, at the pace asked for, and the server stops."""

import socket
import threading
import time

import numpy as np
import pytest
from client import connected, moves
from view_models import hanging_spring, pendulum

import linkwright as lw


def closed(address: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(address.rsplit(":", 1)[1]))) != 0


@pytest.fixture(autouse=True)
def no_display(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")


def test_a_paced_run_is_played_while_it_is_computed(capsys):
    began = time.perf_counter()
    r = lw.simulate(pendulum(), 1.0, live=2.0)
    try:
        assert time.perf_counter() - began > 0.45
        assert r.viewer.address in capsys.readouterr().out and r.viewer.address.startswith("http://127.0.0.1:")
        assert r.viewer.frames == 16  # thirty a second over half a second of real time, and the end
        ball = next(i for i in r.viewer.scene.animation.items if i.shape.name == "body.sphere")
        p, R, scale = r.viewer.scene.animation.pose(ball, 0)
        phi = r["rev.phi"][-1]
        assert np.allclose(p + R @ (scale * [0.5, 0, 0]), 0.5 * np.array([np.cos(phi), np.sin(phi), 0]), atol=1e-9)
        assert not closed(r.viewer.address)
    finally:
        r.viewer.stop()
    assert closed(r.viewer.address)


def test_a_client_sees_the_motion_while_it_is_computed(monkeypatch):
    from linkwright.view import streaming

    addresses, results = [], []
    monkeypatch.setattr(streaming, "announce", lambda address, *_: addresses.append(address))
    run = threading.Thread(target=lambda: results.append(lw.simulate(pendulum(), 2.0, live=1.0)))
    run.start()
    while not addresses and run.is_alive():
        time.sleep(0.01)
    with connected(addresses[0]) as client:
        count = moves(client, "/body", 1.0, "SetOrientationMessage")
        assert run.is_alive() and not results
    run.join()
    results[0].viewer.stop()
    assert count > 5  # thirty a second on an idle machine


def test_unpaced_run_gives_the_same_result_and_shows_stretching_shapes():
    r = lw.simulate(hanging_spring(), 2.0, live=True)
    try:
        assert r.viewer.frames >= 1
        spring = next(i for i in r.viewer.scene.animation.items if i.shape.name == "spring.spring")
        assert np.isclose(spring.scale[0, 0], r["slide.s"][-1])
        assert np.array_equal(r["slide.s"], lw.simulate(hanging_spring(), 2.0)["slide.s"])
    finally:
        r.viewer.stop()


def test_bad_input_is_refused_and_a_failed_run_closes_its_page(capsys):
    with pytest.raises(lw.ModelError, match="live"):
        lw.simulate(pendulum(), 1.0, live=-1)
    with pytest.raises(lw.ModelError, match="shows nothing"):
        lw.simulate(pendulum(enable_animation=False), 1.0, live=True)
    m = pendulum()
    m.output("x", m.rev.phi)

    @m.every(0.1)
    def control(t, y):
        raise RuntimeError("no idea")

    with pytest.raises((lw.LinkwrightError, RuntimeError)):
        lw.simulate(m, 1.0, live=True)
    address = capsys.readouterr().out.split("animation at ")[1].split()[0]
    assert closed(address)
