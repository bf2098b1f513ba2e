"""Where loops leave a freedom, guesses choose the start: the closed position nearest to them, wherever one cuts."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import linkwright as lw
from linkwright import joints, parts, rotational

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
