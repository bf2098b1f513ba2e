"""Boxes on boxes, stepped: stacks and walls stand, bars lie crosswise, what is pushed falls and gains no energy."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, parts

G = 9.80665


def boxes(places, sizes, mu=0.5, speeds=None):
    """Boxes of 1 kg on a floor; z points upwards."""
    m = lw.Model("boxes")
    m.world, m.floor = lw.World(n=[0, 0, -1]), contact.Plane(n=[0, 0, 1])
    m.connect(m.world.frame_b, m.floor.frame_a)
    bodies = []
    for k, (place, (a, b, c)) in enumerate(zip(places, sizes, strict=True)):
        inertia = [(b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12]
        bodies.append(parts.Body(m=1, inertia=inertia, r_0=list(place), v_0=list((speeds or {}).get(k, (0, 0, 0)))))
    m.body = bodies
    m.skin = [contact.Box(size=list(size)) for size in sizes]
    for body, skin in zip(m.body, m.skin, strict=True):
        m.connect(body.frame_a, skin.frame_a)
    m.contacts(law=contact.Rigid(mu=mu))
    return m


def farthest(r, places):
    return max(np.linalg.norm(r[f"body[{k}].r_0"][-1] - place) for k, place in enumerate(places))


def test_a_stack_of_ten_stands():
    places = [(0.01 * (-1) ** k, 0, 0.1 + 0.2 * k) for k in range(10)]
    r = lw.simulate(boxes(places, [(0.2, 0.2, 0.2)] * 10), 0.1, method="time_stepping", fixed_step=2e-3)
    assert farthest(r, places) < 1e-8
    assert max(np.abs(r[f"body[{k}].v_0"][-1]).max() for k in range(10)) < 1e-7


@pytest.mark.parametrize("steps", [5, pytest.param(100, marks=pytest.mark.slow)])
def test_a_wall_of_fifty_stands(steps):
    places = [((k + 0.5 * (row % 2)) * 0.2, 0, 0.05 + 0.1 * row) for row in range(10) for k in range(5)]
    m = boxes(places, [(0.2, 0.1, 0.1)] * 50)
    r = lw.simulate(m, steps * 2e-3, method="time_stepping", fixed_step=2e-3)
    assert farthest(r, places) < 1e-8


def test_bars_lie_crosswise():
    """Each on the middle of the one below, which they cross on a square."""
    sizes = [(1, 0.1, 0.1) if k % 2 else (0.1, 1, 0.1) for k in range(4)]
    places = [(0, 0, 0.05 + 0.1 * k) for k in range(4)]
    r = lw.simulate(boxes(places, sizes), 0.3, method="time_stepping", fixed_step=3e-3)
    assert farthest(r, places) < 1e-8


def test_a_tower_that_is_struck_falls():
    """The fifth box is thrown at; friction takes the fourth along, and energy is only lost."""
    places = [(0, 0, 0.1 + 0.2 * k) for k in range(5)]
    m = boxes(places, [(0.2, 0.2, 0.2)] * 5, mu=0.6, speeds={4: (2.5, 0, 0)})
    r = lw.simulate(m, 1.0, method="time_stepping", fixed_step=2e-3)
    assert r["body[4].r_0"][-1][2] < 0.5  # it was at 0.9 m
    v, z = (np.array([r[f"body[{k}].{name}"] for k in range(5)]) for name in ("v_0", "r_0"))
    energy = 0.5 * np.sum(v**2, axis=(0, 2)) + G * z[:, :, 2].sum(axis=0)
    assert energy.max() <= energy[0] * (1 + 1e-9)  # what turns has more than that, not less
    assert z[:, -1, 2].min() > 0.09
