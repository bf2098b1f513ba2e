"""Generalised Born: what atoms take of each other's surroundings, by the integral itself; no data from outside."""

import casadi as ca
import pytest
from scipy.integrate import quad

from linkwright.library.molecules.surroundings import _shadow


@pytest.mark.parametrize("r, rho, S", [(3.0, 1.0, 1.2), (1.5, 1.2, 1.1), (0.5, 0.3, 1.5), (1.0, 2.2, 1.5),
                                       (0.4, 1.0, 1.7), (0.9, 2.6, 1.5)])
def test_what_an_atom_shadows_is_the_integral_over_its_ball(r, rho, S):
    """(1/4π) ∫ d³x/|x|⁴ over the ball of radius S at distance r, outside of ρ (Hawkins, Cramer, Truhlar 1996, eq. 8):
    shells of radius x lie inside with the share (S² − (r − x)²)/(4 r x), wholly below S − r."""
    low, high = max(rho, abs(r - S)), r + S
    wanted = quad(lambda x: (S**2 - (r - x) ** 2) / (4 * r * x) / x**2, low, high)[0] if low < high else 0.0
    if rho < S - r:
        wanted += 1 / rho - 1 / (S - r)
    found = float(ca.DM(ca.evalf(_shadow(ca.SX(r), ca.SX(rho), ca.SX(S)))))
    assert found == pytest.approx(wanted, rel=1e-10, abs=1e-14)
