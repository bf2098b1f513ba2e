"""Where loops leave a freedom, guesses choose the start: the closed position nearest to them, wherever one cuts."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import linkwright as lw
from linkwright import assemblies, joints, parts, rotational

EXAMPLES = Path(__file__).parents[2] / "examples"


def bricard(turned=0, backwards=False):
    """Bricard's loop of the example, its joints declared in another order, or its parts backwards."""
    m = runpy.run_path(str(EXAMPLES / "bricard.py"))["m"]
    if backwards:
        m.__dict__["_children"] = dict(reversed(m._children.items()))
        m.__dict__["_connections"] = list(reversed(m._connections))
    if turned:
        connections = m._connections
        m.__dict__["_connections"] = connections[turned:] + connections[:turned]
    return m


def angles(m):
    state = lw.compile(m).state()
    return np.array([state.get(f"rev[{k}].phi") for k in range(6)])


@pytest.mark.parametrize("options", [{"backwards": True}, {"turned": 5}, {"turned": 9, "backwards": True}])
def test_a_loop_starts_in_the_same_place_wherever_it_is_cut(options):
    assert angles(bricard(**options)) == pytest.approx(angles(bricard()), abs=1e-10)


def test_it_is_the_nearest_to_the_guesses():
    """Positions of three-fold symmetry satisfy cos α + cos β + cos α cos β = 0 (Chen, You, Tarnai 2005): of
    these the one with (α − 1.7)² + (β − 1.4)² least."""
    def other(alpha):
        return np.arccos(-np.cos(alpha) / (1 + np.cos(alpha)))

    alpha = minimize_scalar(lambda a: (a - 1.7) ** 2 + (other(a) - 1.4) ** 2, bounds=(1.6, 1.8), method="bounded",
                            options={"xatol": 1e-12}).x
    assert angles(bricard()) == pytest.approx([alpha, other(alpha)] * 3, abs=1e-8)


def directions(crank, lengths, ground):
    """The directions of coupler and rocker of a four-bar, whose coupler lies to the right of its crank's end."""
    a, b, c = lengths
    d = np.array([ground - a * np.cos(crank), -a * np.sin(crank)])
    coupler = np.arctan2(d[1], d[0]) + np.arccos((b * b + d @ d - c * c) / (2 * b * np.hypot(*d)))
    rocker = np.arctan2(d[1] - b * np.sin(coupler), d[0] - b * np.cos(coupler))
    return coupler, rocker


LENGTHS, GROUND = (0.4, 1.0, 0.8), 1.1


def guessed_four_bar(guesses, order):
    """A four-bar in the plane, declared in an order; None is a joint of which nothing is said."""
    m = lw.Model("four-bar")
    made = {f"joint{k}": joints.Revolute(**({} if angle is None else {"phi": lw.guess(angle)}))
            for k, angle in enumerate(guesses)}
    made |= {f"bar{k}": parts.BodyShape(m=1, r=[length, 0, 0], r_cm=[length / 2, 0, 0])
             for k, length in enumerate(LENGTHS)}
    made["end"] = parts.Fixed(r=[GROUND, 0, 0])
    m.world = lw.World()
    for k in order:
        name = [*made][k]
        setattr(m, name, made[name])
    m.chain(m.world, *(made[f"{kind}{k}"] for k in range(3) for kind in ("joint", "bar")), made["joint3"])
    m.connect(made["joint3"].frame_b, made["end"].frame_b)
    return m


@pytest.mark.parametrize("said", [(0, 1, 2, 3), (0, 1, 2), (1, 2, 3), (0, 3), (1, 3)])
def test_a_loop_in_closed_form_starts_nearest_to_all_guesses_in_any_order(said):
    """Whichever joint is the independent one: min Σ (φ_k − guess_k)² over the crank's angle."""
    def angles_at(crank):
        coupler, rocker = directions(crank, LENGTHS, GROUND)
        return np.array([crank, coupler - crank, rocker - coupler, -rocker])

    meant = angles_at(1.0) + [0.12, -0.1, 0.07, 0.09]

    def off(crank):
        away = (angles_at(crank) - meant)[list(said)]
        return np.sum((np.remainder(away + np.pi, 2 * np.pi) - np.pi) ** 2)

    crank = minimize_scalar(off, bounds=(0.5, 1.6), method="bounded", options={"xatol": 1e-12}).x
    guesses = [angle if k in said else None for k, angle in enumerate(meant)]
    found = []
    for order in (range(8), range(7, -1, -1), (3, 2, 6, 1, 5, 0, 4, 7), (1, 0, 2, 3, 7, 6, 5, 4)):
        system = lw.compile(guessed_four_bar(guesses, order))
        assert system.mechanism.closures
        state = system.state()
        found.append([state.get(f"joint{k}.phi") for k in range(4)])
    np.testing.assert_allclose(found, [found[0]] * len(found), atol=1e-9)
    away = found[0] - angles_at(crank)
    np.testing.assert_allclose(np.remainder(away + np.pi, 2 * np.pi) - np.pi, 0, atol=1e-7)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("phi_guess, side", [(0.0, 1), (-2.0, -1)])
def test_the_guess_of_an_assembly_chooses_a_side_and_moves_no_crank(backwards, phi_guess, side):
    m = lw.Model("crank and assembly")
    made = {"crank": joints.Revolute(phi=lw.guess(0.9)), "arm": parts.BodyShape(m=1, r=[0.4, 0, 0], r_cm=[0.2, 0, 0]),
            "leg": assemblies.JointRRR(r_rod1_ia=[1.0, 0, 0], r_rod2_ib=[0.8, 0, 0], phi_guess=phi_guess),
            "foot": parts.Fixed(r=[GROUND, 0, 0]), "tip": parts.Body(m=1)}
    m.world = lw.World()
    for name in reversed(made) if backwards else made:
        setattr(m, name, made[name])
    m.chain(m.world, m.crank, m.arm)
    m.connect(m.arm.frame_b, m.leg.frame_a)
    m.connect(m.foot.frame_b, m.leg.frame_b)
    m.connect(m.leg.frame_im, m.tip.frame_a)
    state = lw.compile(m).state()
    assert state.get("crank.phi") == pytest.approx(0.9, abs=1e-12)
    assert np.sign(state.get("tip.r_0")[1]) == side


def hung(backwards=False):
    """A parallel crank mechanism, and on its coupler an arm at rest on a spring: an acceleration is given."""
    m = lw.Model("hung")
    m.world = lw.World()
    m.crank, m.pin, m.rocker, m.end = (joints.Revolute(n=[0, 0, 1]) for _ in range(4))
    m.arm = joints.Revolute(n=[0, 0, 1], phi=lw.guess(0.0), w=0.0, a=0.0)
    m.bar = [parts.BodyShape(m=1, r=r, r_cm=[0.2, 0, 0]) for r in ([0.3, 0.4, 0], [0.6, 0.1, 0], [-0.1, 0.5, 0])]
    m.base, m.bob = parts.FixedTranslation(r=[1, 0, 0]), parts.Body(m=0.5, r_cm=[0.3, 0, 0])
    m.chain(m.world, m.crank, m.bar[0], m.pin, m.bar[1], m.end)
    m.chain(m.world, m.base, m.rocker, m.bar[2])
    m.connect(m.bar[2].frame_b, m.end.frame_b)
    m.chain(m.bar[1], m.arm, m.bob)
    m.spring = rotational.SpringDamper(c=40.0, d=0.5)
    m.connect(m.arm.support, m.spring.flange_a)
    m.connect(m.arm.axis, m.spring.flange_b)
    return m


@pytest.mark.parametrize("formulation", [None, "projection", "minimal"])
def test_a_given_acceleration_moves_nothing_before_loops_are_closed(formulation):
    """The arm sags by about m g r/c; the loop, which closes where its guesses are, hardly moves, in no formulation."""
    system = lw.compile(hung(), **({"formulation": formulation} if formulation else {}))
    state = system.state()
    assert abs(state.get("arm.a")) < 1e-10
    moved = [state.get(f"{name}.phi") for name in ("crank", "pin", "rocker", "end", "arm")]
    wanted = [lw.compile(hung()).state().get(f"{name}.phi") for name in ("crank", "pin", "rocker", "end", "arm")]
    assert max(map(abs, moved)) < 0.1 and moved == pytest.approx(wanted, abs=1e-12)
