"""Where loops leave a freedom, guesses choose the start: the closed position nearest to them, wherever one cuts."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import linkwright as lw

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
