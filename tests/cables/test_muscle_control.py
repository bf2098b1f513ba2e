"""Optimal control with muscles: excitations that lift a forearm with the least effort."""

import pytest

import linkwright as lw
from linkwright import joints, muscles, parts


@pytest.mark.slow
def test_excitations_that_reach_a_pose_at_rest():
    m = lw.Model("elbow")
    m.world = lw.World()
    m.elbow, m.forearm = joints.Revolute(phi=0.3, w=0), parts.Body(m=1.5, r_cm=[0, -0.18, 0], inertia=[0.02] * 3)
    m.chain(m.world, m.elbow, m.forearm)
    for name, side in (("flexor", 1), ("extensor", -1)):
        setattr(m, name, muscles.DeGrooteFregly2016(
            [(m.world.frame_b, [0.03 * side, 0.26, 0]), (m.forearm.frame_a, [0.025 * side, -0.05, 0])], F_max=600.0,
            l_opt=0.12, l_slack=0.18, a=0.05))
    plan = lw.control(m, {"flexor.excitation": (0.01, 1), "extensor.excitation": (0.01, 1)},
                      minimize=lw.integral(m.flexor.excitation**2 + m.extensor.excitation**2),
                      end={"elbow.phi": 1.0, "elbow.w": 0.0}, time=0.6)
    assert plan.success and plan["elbow.phi"][-1] == pytest.approx(1.0, abs=1e-6)
    assert abs(plan.miss["elbow.phi"]) < 1e-2  # a run with these excitations ends there too
    assert plan["flexor.excitation"].max() > plan["extensor.excitation"].max()
