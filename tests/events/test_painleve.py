"""Friction in proportion to a reaction that it increases itself: solutions where there are any, named where not.

A cart of mass M on a rough rail carries a mass m on a light rod of length l at the angle φ.  With the friction force f
on the cart the rail presses with

    N = A + B f,   B = r cos φ sin φ/(1 + r cos² φ),   A = M g + sin φ m (g sin φ − l ω²)/(1 + r cos² φ),   r = m/M

and f = −mu |N| sign(v): for mu |B| > 1 there are two solutions or none (Painlevé 1895).
"""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts

M, m, LENGTH, g = 1.0, 50.0, 1.0, 10.0


def rod(phi, v, w, mu):
    model = lw.Model("painleve")
    model.world = lw.World(g=g)
    model.s = joints.Prismatic(n=[1, 0, 0], s=0.0, v=v, friction=lw.Coulomb(mu=mu))
    model.cart = parts.Body(m=M, r_cm=[0, 0, 0])
    model.rev = joints.Revolute(phi=phi, w=w)
    model.mass = parts.Body(m=m, r_cm=[LENGTH, 0, 0], inertia=[0, 0, 0])
    model.chain(model.world, model.s, model.cart, model.rev, model.mass)
    return model


def by_hand(phi, v, w, mu):
    """Every normal force that the friction it causes agrees with."""
    r, c, s = m / M, np.cos(phi), np.sin(phi)
    B = r * c * s / (1 + r * c * c)
    A = M * g + s * m * (g * s - LENGTH * w * w) / (1 + r * c * c)
    gain = mu * B * np.sign(v)
    return [N for N, side in ((A / (1 + gain), 1), (A / (1 - gain), -1)) if N * side > 0]


@pytest.mark.parametrize("v", [-1.0, 1.0])
@pytest.mark.parametrize("w", [0.0, 6.0])
@pytest.mark.parametrize("mu", [0.44, 0.46, 2.0])
@pytest.mark.parametrize("phi", [1.2, -1.0])
def test_it_slides_with_a_force_that_agrees_or_is_refused_by_name(phi, v, w, mu):
    """B = 2.23 at φ = 1.2: beyond mu = 0.448 not every motion has accelerations."""
    known = by_hand(phi, v, w, mu)
    model = rod(phi, v, w, mu)
    if not known:
        with pytest.raises(lw.InitialError, match="s.friction.*Painlevé"):
            lw.compile(model).state()
        return
    system = lw.compile(model)
    N = -system.evaluate(system.state(), "s.frame_b.f")[1]
    assert min(abs(N - each) / abs(each) for each in known) < 1e-9


def test_the_paradox_is_named_where_a_run_comes_to_it():
    """The rod falls while the cart is pulled along; the normal force grows without end as mu B comes to 1."""
    model = rod(1.2, -1.0, 0.0, 0.3)
    model.when(lw.time > 0.1, {model.s.v: -1.0})
    r = lw.simulate(model, 0.2)
    assert r.t[-1] == 0.2
    model = rod(0.9, -3.0, 3.0, 0.6)
    mu = model.discrete("jump", 0)
    model.when(model.rev.phi > 1.0, {mu: 1, model.rev.phi: 1.25, model.s.v: -1.0})
    with pytest.raises(lw.SimulationError, match="s.friction.*Painlevé") as caught:
        lw.simulate(model, 0.5)
    phi, v, w = (caught.value.result.at(caught.value.time)[name] for name in ("rev.phi", "s.v", "rev.w"))
    assert phi <= 1.0 + 1e-9 and by_hand(phi, v, w, 0.6) and not by_hand(1.25, -1.0, w, 0.6)


def test_where_one_solution_ends_another_is_found():
    """From rest: the force at which it gives way agrees with neither direction on its own branch, but on another."""
    r = lw.simulate(rod(1.2, 0.0, 3.3, 0.6), 0.5, accuracy=1e-10)
    sliding = np.abs(r["s.v"]) > 1e-6
    assert sliding.any() and (r["s.friction_mode"] == 0).any()
    for k in np.flatnonzero(sliding)[::7]:
        known = by_hand(r["rev.phi"][k], r["s.v"][k], r["rev.w"][k], 0.6)
        assert min(abs(-r["s.frame_b.f"][k, 1] - N) / abs(N) for N in known) < 1e-6


def test_a_reaction_that_grows_without_end_is_named_too():
    """A light slider under a heavy rod: determinant (M + m)(I + m) − m sin φ (m sin φ − mu m cos φ) falls to zero on
    the way, slowly: the accelerations grow beyond all bounds before there are none."""
    model = lw.Model("jam")
    model.world = lw.World()
    model.s = joints.Prismatic(n=[1, 0, 0], s=0.0, v=1.0, friction=lw.Coulomb(mu=0.3))
    model.rev = joints.Revolute(phi=2.2, w=-3.0)
    model.cart = parts.Body(m=0.01, r_cm=[0, 0, 0])
    model.mass = parts.Body(m=1.0, r_cm=[1, 0, 0], inertia=[0.001] * 3)
    model.other = joints.Prismatic(n=[1, 0, 0], s=0.0, v=1.0, friction=lw.Coulomb(mu=0.3))
    model.block = parts.Body(m=1.0, r_cm=[0, 0, 0])
    model.chain(model.world, model.s, model.cart, model.rev, model.mass)
    model.chain(model.world, model.other, model.block)
    with pytest.raises(lw.SimulationError, match=r"at t = 0\.1479.* s s\.friction: .*jams.*Painlevé") as caught:
        lw.simulate(model, 1.0)
    phi = caught.value.result["rev.phi"][-1]
    determinant = 1.01 * 1.001 - np.sin(phi) * (np.sin(phi) - 0.3 * np.cos(phi))
    assert abs(determinant) < 1e-3 and "s.friction" in caught.value.components
