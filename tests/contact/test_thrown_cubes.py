"""A cube of eight corners thrown with spin at random: nothing fails or sinks in, energy never rises, rest in the end.

A thousand throws in twenty parts; `pytest -m slow tests/contact/test_thrown_cubes.py -k "[0]"` runs the first fifty.
"""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, parts

THROWS, PART = 1000, 50


@pytest.fixture(scope="module")
def cube():
    m = lw.Model("cube")
    m.world, m.floor, m.skin = lw.World(g=9.81), contact.Plane(n=[0, 1, 0]), contact.Box(size=[1, 1, 1])
    m.body = parts.Body(m=1, inertia=[1 / 6] * 3, r_0=[0, 2, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.5, mu=0.5))
    return lw.compile(m, tunable=["touch.law.mu", "touch.law.restitution"])


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, THROWS, PART))
def test_thrown_cubes_come_to_rest(cube, first):
    for seed in range(first, first + PART):
        rng, s = np.random.default_rng(seed), cube.state()
        turned = rng.normal(size=4)
        s.q[:] = [*turned / np.linalg.norm(turned), 0, 1.2, 0]
        s.u[:] = [*5 * rng.normal(size=3), *rng.normal(size=3)]
        s.set("touch.law.restitution", rng.uniform(0, 0.9))
        s.set("touch.law.mu", rng.uniform(0.2, 1.2))
        r = lw.simulate(cube, 15.0, state=s)
        energy = r["kinetic_energy"] + r["potential_energy"]
        assert r["touch.gap"].min() >= -1e-9, seed
        assert r["kinetic_energy"][-1] <= 1e-12, seed
        assert np.diff(energy).max() <= 1e-7 * energy[0], seed
