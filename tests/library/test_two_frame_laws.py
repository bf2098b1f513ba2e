"""Laws between two frames of one's own: what they are told of the motion is the motion, seen from frame_a."""

import numpy as np

import linkwright as lw
from linkwright import forces, joints, parts


class Drag(forces.TwoFrameForce):
    """Against the velocity of frame_b in frame_a."""

    def wrench(self, X_ab, V_ab):
        return lw.ForceMotor(-0.3 * V_ab.moment, -0.01 * V_ab.resultant)


def test_a_law_is_told_the_velocity_of_frame_b_as_seen_from_frame_a():
    """f = −0.3 d(p_AB)/dt and τ = −0.01 ω_AB in frame_a, which turns and moves; ω_AB by differences of R_AB."""
    m = lw.Model("drag")
    m.world = lw.World()
    m.arm, m.hand = joints.Revolute(n=[0, 0, 1], phi=0.3, w=2.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.body = parts.Body(m=1.0, inertia=[0.1, 0.2, 0.3], r_0=[1.0, 0.2, 0.4], v_0=[0.5, 1.0, -0.3],
                        angles=[0.3, 0.2, 0.1], w_a=[1.0, -2.0, 3.0])
    m.drag = Drag()
    m.chain(m.world, m.arm, m.hand)
    m.connect(m.hand.frame_a, m.drag.frame_a)
    m.connect(m.body.frame_a, m.drag.frame_b)
    r = lw.simulate(m, 0.2, accuracy=1e-11, step=1e-4)
    R_WA, R_WB = (np.swapaxes(r[f"{name}.frame_a.R.T"], 1, 2) for name in ("hand", "body"))
    p = np.einsum("tji,tj->ti", R_WA, r["body.r_0"] - r["hand.r_0"])
    R_AB = np.einsum("tji,tjk->tik", R_WA, R_WB)
    rate, turning = (np.gradient(x, r.t, axis=0) for x in (p, R_AB))
    spin = np.einsum("tij,tkj->tik", turning, R_AB)
    w = np.column_stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]])
    # the element pushes on the body with minus the load that it feels itself
    pushed, twisted = (-np.einsum("tij,tj->ti", R_AB, r[f"drag.frame_b.{x}"]) for x in "ft")
    np.testing.assert_allclose(pushed[2:-2], -0.3 * rate[2:-2], atol=1e-5)
    np.testing.assert_allclose(twisted[2:-2], -0.01 * w[2:-2], atol=1e-5)
