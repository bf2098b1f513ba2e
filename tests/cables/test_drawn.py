"""Pictures of cables: colours of activation, and of ropes that are slack."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import cables, joints, muscles, parts
from linkwright.view.animation_files import result_animation


def tubes_of(r, name):
    return [item for item in result_animation(r).items if item.shape.name.startswith(f"{name}.tube")]


def test_muscles_are_blue_at_rest_and_red_at_full_activation():
    m = lw.Model("elbow")
    m.world = lw.World()
    m.elbow, m.forearm = joints.Revolute(phi=0.3), parts.Body(m=1.5, r_cm=[0, -0.18, 0], inertia=[0.02] * 3)
    m.chain(m.world, m.elbow, m.forearm)
    m.flexor = muscles.Thelen2003([(m.world.frame_b, [0.03, 0.26, 0]), (m.forearm.frame_a, [0.025, -0.05, 0])],
                                  F_max=60.0, l_opt=0.12, l_slack=0.18, a=0.05)
    r = lw.simulate(m, 0.4, inputs={"flexor.excitation": 1.0})
    (tube,) = tubes_of(r, "flexor")
    a = r.at(result_animation(r).t)["flexor.a"]
    blue, red = (np.array(m.flexor.color_relaxed), np.array(m.flexor.color))
    assert tube.colours == pytest.approx(np.round(blue + a[:, None] * (red - blue)))
    assert tube.colours[-1] == pytest.approx(red, abs=3)
    assert tube.colours[0] == pytest.approx(blue, abs=10)


def test_a_rope_is_grey_while_it_is_slack():
    m = lw.Model("falling")
    m.world = lw.World()
    m.slide, m.load = joints.Prismatic(n=[0, -1, 0], s=0.5), parts.Body(m=1.0)
    m.chain(m.world, m.slide, m.load)
    m.rope = cables.Rope([m.world.frame_b, m.load.frame_a], length=1.0)
    r = lw.simulate(m, 1.0)
    for tube in tubes_of(r, "rope"):
        assert tube.colours[0] == pytest.approx([165, 165, 170])
        assert tube.colours[-1] == pytest.approx(m.rope.color)
