"""Formulas of files against what they mean: springs given by times, splines beyond their points."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.io.osim.coordinate_functions import piecewise, simm_spline


def test_springs_given_by_a_time_and_a_damping_ratio(tmp_path):
    """springdamper="T ζ": J q̈ = −c q − d q̇ with d = 2 J/T and c = J/(T ζ)² (MuJoCo, XML reference, joint)."""
    time, ratio, m, length = 0.2, 0.7, 2.0, 0.5
    text = f"""<mujoco><option gravity="0 0 0"/><worldbody><body>
        <joint name="hinge" type="hinge" axis="0 1 0" springdamper="{time} {ratio}"/>
        <inertial pos="{length} 0 0" mass="{m}" diaginertia="1e-3 1e-3 1e-3"/>
    </body></worldbody></mujoco>"""
    (tmp_path / "spring.xml").write_text(text)
    model = lw.read(tmp_path / "spring.xml")
    system = lw.compile(model)
    for phi, w in ((0.3, 0.0), (0.0, 0.4), (-0.2, 0.1)):
        state = system.state().set("hinge.phi", phi).set("hinge.w", w)
        wanted = -phi / (time * ratio) ** 2 - 2 * w / time
        assert state.get("hinge.a") == pytest.approx(wanted, rel=1e-9)


def test_beyond_its_points_a_spline_goes_straight_on_with_its_last_slope():
    x = np.array([-1.0, 0.3, 1.1, 2.0])
    cubic = np.polynomial.Polynomial([0.1, -0.2, 0.3, 0.05])
    pieces = simm_spline(x, cubic(x))
    for beyond in (0.1, 0.7):
        right = cubic(2.0) + cubic.deriv()(2.0) * beyond
        left = cubic(-1.0) - cubic.deriv()(-1.0) * beyond
        assert float(piecewise(x, pieces, 2.0 + beyond, cubic(2.0))) == pytest.approx(right, abs=1e-12)
        assert float(piecewise(x, pieces, -1.0 - beyond, cubic(2.0))) == pytest.approx(left, abs=1e-12)
