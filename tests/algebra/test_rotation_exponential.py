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
    # Ẋ X⁻¹ = T(Ω) Ω̇, T = Σ adᵏ/(k + 1)!, and X⁻¹ Ẋ = T(−Ω) Ω̇
    for sign in (1, -1):
        T = term = np.eye(6)
        for k in range(1, 30):
            term = sign * term @ ad / (k + 1)
            T = T + term
        found = Tangent(VelocityMotor(sign * w, sign * v)) @ VelocityMotor(dw, dv)
        assert np.concatenate([found.resultant, found.moment]) == pytest.approx(T @ [*dw, *dv], abs=3e-15)


@pytest.mark.parametrize("size", [0.0, 0.5, 1.5])
def test_bias_of_the_tangent(size):
    """Ṫ Ω̇ beside the difference of T Ω̇ a little later and a little earlier."""
    random = np.random.default_rng(1)
    w, v, dw, dv = random.normal(size=(4, 3))
    w *= size / np.linalg.norm(w)
    rate, h = VelocityMotor(dw, dv), 1e-5
    later, earlier = ((Tangent(VelocityMotor(w + s * dw, v + s * dv)) @ rate).vector() for s in (h, -h))
    assert Tangent(VelocityMotor(w, v)).bias(rate).vector() == pytest.approx((later - earlier) / (2 * h), abs=1e-9)
