"""exp of a velocity motor and its tangent, beside the exponential and the series of matrices."""

import numpy as np
import pytest
from scipy.linalg import expm

from linkwright.algebra import Tangent, VelocityMotor, exponential, skew


@pytest.mark.parametrize("size", [0.0, 1e-9, 0.5, 1.5])
def test_exponential_and_tangent(size):
    random = np.random.default_rng(0)
    w, v, dw, dv = random.normal(size=(4, 3))
    w *= size / np.linalg.norm(w)
    A, ad = np.zeros((4, 4)), np.zeros((6, 6))
    A[:3, :3], A[:3, 3] = skew(w), v
    ad[:3, :3] = ad[3:, 3:] = skew(w)
    ad[3:, :3] = skew(v)
    X = exponential(VelocityMotor(w, v))
    assert np.column_stack([X.R, X.p]) == pytest.approx(expm(A)[:3], abs=3e-15)
    # X⁻¹ Ẋ = T(Ω) Ω̇, T = Σ (−ad)ᵏ/(k + 1)!
    T = term = np.eye(6)
    for k in range(1, 30):
        term = -term @ ad / (k + 1)
        T = T + term
    found = Tangent(VelocityMotor(w, v)) @ VelocityMotor(dw, dv)
    assert np.concatenate([found.resultant, found.moment]) == pytest.approx(T @ [*dw, *dv], abs=3e-15)
