"""A bushing: springs and dampers on the angles and distances between two frames."""

from __future__ import annotations

import casadi as ca

from ...algebra import ForceMotor, Transform, VelocityMotor, rotation_angles
from ...language.fields import parameter
from .wrenches import TwoFrameForce


class Bushing(TwoFrameForce):
    """−c q − d q̇ on the angles about the moving x, y, z and the distances along x, y, z of frame_a.

    With ω = E(q) q̇ of the angles the torque is E⁻ᵀ f, so that its power is f·q̇ (Simbody's and OpenSim's bushing).

    >>> m.mount = forces.Bushing(c_turn=[50, 50, 10], c=[2e4, 2e4, 5e4], d=[30, 30, 60])
    >>> m.connect(m.frame.frame_b, m.mount.frame_a); m.connect(m.mount.frame_b, m.engine.frame_a)
    """

    c_turn = parameter((0.0, 0.0, 0.0), "stiffness of the angles", "N.m/rad", shape=(3,))
    c = parameter((0.0, 0.0, 0.0), "stiffness of the distances", "N/m", shape=(3,))
    d_turn = parameter((0.0, 0.0, 0.0), "damping of the angles", "N.m.s/rad", shape=(3,))
    d = parameter((0.0, 0.0, 0.0), "damping of the distances", "N.s/m", shape=(3,))

    def wrench(self, X_ab: Transform, V_ab: VelocityMotor) -> ForceMotor:
        angles = rotation_angles(X_ab.R, (1, 2, 3), 0.0)
        a, b = angles[0], angles[1]
        # axes of the three turns in frame_a: x, then y turned by a, then z turned by both
        E = ca.horzcat(ca.SX([1, 0, 0]), ca.vertcat(0, ca.cos(a), ca.sin(a)),
                       ca.vertcat(ca.sin(b), -ca.sin(a) * ca.cos(b), ca.cos(a) * ca.cos(b)))
        inverse = ca.inv_minor(E)
        rates = inverse @ V_ab.resultant
        turn = [-self.c_turn[k] * angles[k] - self.d_turn[k] * rates[k] for k in range(3)]
        push = [-self.c[k] * X_ab.p[k] - self.d[k] * V_ab.moment[k] for k in range(3)]
        return ForceMotor(ca.vertcat(*push), inverse.T @ ca.vertcat(*turn))
