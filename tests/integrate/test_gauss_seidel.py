"""Sweeps over contacts: a single one has a closed form, and a step begins with the impulses of the one before."""

import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact
from linkwright.integrate.gauss_seidel import CONTACT, sweep

sys.path.append(str(Path(__file__).parents[1] / "contact"))
from test_stepped import ball


@pytest.mark.parametrize("mu, slip", [(0.5, 0.5), (2.0, 0.0)])
def test_a_point_that_arrives_slides_on_or_sticks(mu, slip):
    """Of unit mass, at speed 1 along the normal and across: Λ = (1, −min(μ, 1) v_t), v = (0, (1 − min(μ, 1)) v_t)."""
    u, impulses, rows, places = np.array([-1.0, 0.6, 0.8]), np.zeros((1, 3)), np.eye(3)[None], np.arange(3)[None]
    sweep(u, impulses, rows.copy(), places, rows.copy(), places, np.array([[1.0, 1.0, 0.0, 0.0]]), np.zeros((1, 3)),
          np.array([CONTACT]), np.array([-1]), np.array([[mu, 0.0, 0.0]]), 10, 1e-12)
    np.testing.assert_allclose(impulses[0], [1.0, -0.6 * (1 - slip), -0.8 * (1 - slip)], atol=1e-12)
    np.testing.assert_allclose(u, [0.0, 0.6 * slip, 0.8 * slip], atol=1e-12)


def test_what_rests_needs_one_sweep_a_step():
    """Its impulses are those of the step before, which the sweep confirms; from nothing there would be two."""
    law = contact.Rigid(mu=0.3, patch=1e-3)  # a patch is swept
    r = lw.simulate(ball(law, r_0=[0, 0.1, 0]), 0.1, method="moreau", h=1e-3)
    assert r.counters["steps"] == 100 and r.counters["sweeps"] <= 102
