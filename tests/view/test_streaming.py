"""A run shown while it is computed: pictures come during the run, at the pace asked for, and the server stops."""

import socket
import threading
import time

import numpy as np
import pytest
from client import connected, moves
from view_models import hanging_spring, pendulum

import linkwright as lw
from linkwright import joints, parts, rotational


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


def pushed():
    """A pendulum with a torque as an input, and its mass as a parameter that can be moved."""
    m = lw.Model("pushed")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.motor = rotational.Torque(tau=m.input("torque"))
    m.connect(m.rev.axis, m.motor.flange)
    return lw.compile(m, tunable=["body.m"])


def while_running(monkeypatch, acts, *arguments, **options):
    """The result of a run to whose page something is done when it has sent so many pictures."""
    from linkwright.view import streaming

    send = streaming.Stream._send

    def sent(page, *given):
        send(page, *given)
        for act in acts.pop(page.frames, []):
            act(page)

    monkeypatch.setattr(streaming.Stream, "_send", sent)
    r = lw.simulate(*arguments, **options)
    r.viewer.stop()
    return r


def test_sliders_move_inputs_and_parameters_while_it_runs(monkeypatch):
    """The result knows what was in force when: power balances throughout."""
    acts = {10: [lambda page: page.move("torque", 3.0)], 25: [lambda page: page.move("body.m", 2.0)]}
    r = while_running(monkeypatch, acts, pushed(), 1.0, live=1.0)
    assert set(r.viewer.sliders) == {"torque", "body.m"}
    torque, mass = r["torque"], r["body.m"]
    assert set(torque) == {0.0, 3.0} and set(mass) == {1.0, 2.0} and np.all(np.diff(torque) >= 0)
    # dE/dt = torque · w between the changes
    E, w = r["kinetic_energy"] + r["potential_energy"], r["rev.w"]
    for piece in ((mass == 1.0) & (torque == 0.0), (mass == 1.0) & (torque == 3.0), (mass == 2.0)):
        inside = np.flatnonzero(piece)[1:-1]
        work = np.sum(0.5 * (w[inside][1:] + w[inside][:-1]) * np.diff(r.t[inside])) * torque[inside[-1]]
        assert len(inside) > 20 and np.isclose(E[inside[-1]] - E[inside[0]], work, atol=1e-4)
    assert r.end.p[0] == 2.0


def test_a_run_begins_again_with_the_values_of_its_sliders(monkeypatch):
    acts = {5: [lambda page: page.move("torque", 2.0)], 8: [lambda page: page.restart()]}
    r = while_running(monkeypatch, acts, pushed(), 0.5, live=1.0)
    assert set(r["torque"]) == {2.0} and r.t[0] == 0.0
    assert np.array_equal(r["rev.phi"], lw.simulate(pushed(), 0.5, inputs={"torque": 2.0})["rev.phi"])


def test_at_its_end_a_run_is_played():
    r = lw.simulate(pendulum(), 1.0, live=True)
    with r.viewer.player as player:
        assert player.address == r.viewer.address
        player.pause()
        player.seek(0.5)
        ball = next(i for i in player.animation.items if i.shape.name == "body.sphere")
        p, R, scale = player.animation.pose(ball, player._shown)
        phi = r.at(float(player.animation.t[player._shown]))["rev.phi"]
        assert np.allclose(p + R @ (scale * [0.5, 0, 0]), 0.5 * np.array([np.cos(phi), np.sin(phi), 0]), atol=1e-6)
    assert closed(r.viewer.address)
