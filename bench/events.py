"""What an event costs: small models in which thousands of one kind happen."""

from __future__ import annotations

import linkwright as lw
from linkwright import forces, joints, parts

from .instants import cost


def slider(s=0.0, v=0.0, n=(1, 0, 0), force=None, **joint) -> lw.Model:
    """A unit mass that slides along n; `force` acts on it along x."""
    m = lw.Model("slider")
    m.world = lw.World(g=9.81)
    m.s = joints.Prismatic(n=list(n), s=s, v=v, **joint)
    m.body = parts.Body(m=1.0, r_cm=[0, 0, 0])
    m.chain(m.world, m.s, m.body)
    if force is not None:
        m.push = forces.WorldForce(force=[force(m), 0, 0])
        m.connect(m.body.frame_a, m.push.frame_b)
    return m


def relay() -> lw.Model:
    m = slider(force=lambda m: m.discrete("mode", 1))
    mode = m._inputs["mode"][0]
    m.when(m.s.v > 1e-3, {mode: -1})
    m.when(m.s.v < -1e-3, {mode: 1})
    return m


def thrown_back() -> lw.Model:
    m = slider(s=1e-3, n=(0, 1, 0))
    m.when(m.s.s < 0, {m.s.v: -m.s.v})
    return m


def sampled() -> lw.Model:
    m = slider(s=1.0, force=lambda m: m.input("u"))

    @m.every(0.01)
    def control(t, y):
        return {"u": -4 * y["s.s"] - 3 * y["s.v"]}

    return m


#: what happens → the model and the seconds of its run
MODELS = {
    "condition in a force": (lambda: slider(v=1.0, force=lambda m: 1e-3 * lw.sign(lw.sin(200 * m.s.s))), 60.0),
    "known instant": (lambda: slider(force=lambda m: lw.where(lw.floor(100 * lw.time)
                                                              - 2 * lw.floor(50 * lw.time) > 0.5, 1, -1)), 40.0),
    "discrete variable set": (relay, 10.0),
    "speed set": (thrown_back, 100.0),
    "sampled controller": (sampled, 40.0),
    "friction sticks or slips": (lambda: slider(force=lambda m: 10 * lw.sin(200 * lw.time),
                                                friction=lw.Coulomb(tau=4.0, peak=1.5)), 40.0),
    "stop hit": (lambda: slider(s=1e-3, n=(0, 1, 0), s_min=0.0, restitution=1.0), 100.0),
}


def events(repeat: int) -> None:
    """One line per kind of event; the best of some runs."""
    print("\nEvents: µs of a run by its instants, with its steps, and of deciding an instant")
    print(f"{'':26s}{'instants':>9s}{'run':>10s}{'instant':>10s}")
    for name, (build, stop) in MODELS.items():
        system = lw.compile(build())
        total, decided, r = cost(system, stop, repeat, output_step=stop)
        instants = len({event.time for event in r.events}) or round(stop / 0.01)
        print(f"{name:26s}{instants:9d}{1e6 * total / instants:10.1f}{1e6 * decided / instants:10.1f}", flush=True)
