"""Starts of one system that differ in numbers only, and in what friction, stops, locks and contacts do there.

They are not searched for one by one; each has the bits of a search of its own.
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts
from linkwright.start import OtherStarts, prepare
from linkwright.start.other_numbers import begun


def block(**given):
    m = lw.Model("block")
    m.world = lw.World(n=[-0.5, -1, 0])
    m.slide = joints.Prismatic(n=[1, 0, 0], friction=lw.Coulomb(f=3.0, peak=1.5, viscous=2.0), **given)
    m.body = parts.Body(m=1.0)
    m.chain(m.world, m.slide, m.body)
    return m


def falling():
    m = lw.Model("falling")
    m.world, m.rail = lw.World(), joints.Prismatic(n=[0, 1, 0], s=1.0, v=0.0, s_min=0.0, restitution=0.8)
    m.body = parts.Body(m=1.0)
    m.chain(m.world, m.rail, m.body)
    return m


def ball():
    m = lw.Model("ball")
    m.world, m.floor, m.skin = lw.World(n=[0.3, -1, 0]), contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.1)
    m.rail, m.body = joints.Planar(n=[0, 0, 1], s_y=0.1, v_x=0.0), parts.Body(m=1.0, inertia=[4e-3] * 3)
    m.chain(m.world, m.rail, m.body)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(mu=0.4))
    return m


def locked():
    m = lw.Model("locked")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=0.4, w=0.0), parts.Body(m=1.0, r_cm=[0.3, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.lock(m.rev, when=m.rev.phi > 0.3)
    return m


#: model, columns of numbers, whether one search is enough
CASES = {
    "speeds": (lambda: block(s=0.0, v=0.0), {"slide.v": [-1.0, -1e-9, 0.0, 1e-9, 0.5]}, True),
    "friction": (lambda: block(s=0.0, v=0.0), {"slide.friction.tau": [0.5, 3.0, 4.9, 20.0]}, True),
    "acceleration": (lambda: block(s=0.0, a=0.5), {"slide.friction.tau": [0.5, 1.0, 3.0]}, False),
    "stops": (falling, {"rail.s": [0.0, 0.5, 1e-13], "rail.v": [0.0, -1.0, 0.0]}, True),
    "contact": (ball, {"rail.v_x": [0.0, 1.0, -2.0], "rail.s_y": [0.1, 0.1, 0.5]}, True),
    "locks": (locked, {"rev.phi": [0.2, 0.4], "rev.w": [0.0, 0.0]}, False),
    "mass in contact": (ball, {"body.m": [0.5, 1.0, 2.0], "rail.v_x": [0.0, 0.0, 1.0]}, True),
}


@pytest.mark.parametrize("case", CASES)
def test_they_have_the_bits_of_a_search_for_each(case):
    build, columns, once = CASES[case]
    columns = {name: np.array(column) for name, column in columns.items()}
    m = build()
    tuned = [name for name in columns if name.rsplit(".", 1)[1] in ("tau", "m")]
    system = lw.compile(m, tunable=tuned) if tuned else lw.compile(m)
    starts = OtherStarts(system, prepare(system, None, 0.0, {}), list(columns))
    assert starts.plain == once
    rows, failed = starts.rows(columns)
    assert not failed
    for k in range(len(rows)):
        values = {name: column[k : k + 1] for name, column in columns.items()}
        numbers = {name: value for name, value in values.items() if name in tuned}
        one = begun(system, 0.0, numbers, {name: value for name, value in values.items() if name not in tuned})
        assert np.array_equal(rows[k], system.layout.pack(one)), (case, k)
        assert starts.state({name: column[k] for name, column in columns.items()}).begins
    modes = np.unique(rows[:, system.layout.places["d"]], axis=0)
    assert len(modes) > 1 or case in ("acceleration", "mass in contact")


def test_threads_that_share_them_do_not_meet():
    """Runs of a sweep by threads ask the same object; what they decide with is their own."""
    system = lw.compile(block(s=0.0, v=0.0))
    starts = OtherStarts(system, prepare(system, None, 0.0, {}), ["slide.v"])
    columns = [{"slide.v": np.tile([-1.0, 0.0, 1e-9, 0.5][k:] + [-1.0, 0.0, 1e-9, 0.5][:k], 40)} for k in range(4)]
    alone = [starts.rows(column)[0] for column in columns]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            together = [rows for rows, _ in threads.map(starts.rows, columns)]
    finally:
        sys.setswitchinterval(before)
    assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))
