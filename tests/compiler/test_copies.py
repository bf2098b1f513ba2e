"""Models, systems and states can be pickled and copied; what is read back moves alike and shares nothing."""

import copy
import pickle

import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks, forces, joints, parts, rotational


def machine():
    """Signals with derivatives, blocks, integrals, parameters that follow from others, actions, lists of parts."""
    m = lw.Model("machine")
    m.world = lw.World()
    m.arm = [parts.BodyBox(r=[0.4, 0, 0]), parts.BodyBox(r=[0.3, 0, 0])]
    m.joint = [joints.Revolute(phi=0.5), joints.Revolute(phi=lw.guess(0.2), friction=lw.Coulomb(tau=0.1))]
    m.chain(m.world, m.joint[0], m.arm[0], m.joint[1], m.arm[1])
    m.arm[1].density = 0.5 * m.arm[0].density
    m.motor = rotational.Torque()
    m.motor.tau = 5 * blocks.first_order(lw.sin(lw.time), T=0.1, name="lag") - 0.2 * lw.der(m.joint[0].phi)
    m.connect(m.motor.flange, m.joint[0].axis)
    m.push = forces.WorldForce()
    m.connect(m.push.frame_b, m.arm[1].frame_b)
    m.integral(m.joint[0].phi, name="area")
    count = m.discrete("count", 0)
    m.when(m.joint[0].w > 0, {count: count + 1})
    m.output("reach", m.arm[1].frame_b.r_0[0])
    return m


WAYS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "deepcopy": copy.deepcopy, "copy": copy.copy}
NAMES = ("joint[0].phi", "area", "count", "reach", "lag")


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_of_a_model_moves_alike_and_shares_nothing(way):
    m = machine()
    before = lw.simulate(m, 0.5)
    other = WAYS[way](m)
    assert other.arm[0] is not m.arm[0] and other.arm[0].path == "arm[0]"
    after = lw.simulate(other, 0.5)
    for name in NAMES:
        np.testing.assert_array_equal(after[name], before[name])
    # a change of one is none of the other; parameters that follow do so in the copy
    other.arm[0].density = 1000.0
    assert float(other.arm[1].density) == 500.0 and float(m.arm[1].density) == 3850.0
    other.push.force = [0.0, other.joint[0].phi, 0.0]
    assert np.max(np.abs(lw.simulate(other, 0.5)["push.force"])) > 0
    assert np.max(np.abs(lw.simulate(m, 0.5)["push.force"])) == 0


def test_systems_and_states_are_compiled_again():
    system = lw.compile(machine(), tunable=["arm[0].density"])
    state = system.state().set("joint[0].phi", 0.7).set("arm[0].density", 5000.0)
    again, there = (pickle.loads(pickle.dumps(x)) for x in (system, state))
    assert again.part_names("p") == system.part_names("p") == ["arm[0].density"]
    assert there.get("joint[0].a") == state.get("joint[0].a")
    np.testing.assert_array_equal(lw.simulate(again, 0.3, state=there)["reach"],
                                  lw.simulate(system, 0.3, state=state)["reach"])


def test_what_has_no_name_can_be_copied_but_not_pickled():
    m = lw.Model("field")
    m.world = lw.World(gravity=lambda r: [0, -1, 0])
    m.body = parts.Body(m=1.0, r_0=[0, 0, 0])
    assert lw.simulate(copy.deepcopy(m), 1.0)["body.r_0"][-1, 1] == pytest.approx(-0.5)
    with pytest.raises(lw.ModelError, match="cannot be pickled"):
        pickle.dumps(m)


@pytest.mark.parametrize("method", ("dopri5", "dop853", "radau"))
@pytest.mark.parametrize("carry", (copy.deepcopy, copy.copy, lambda r: pickle.loads(pickle.dumps(r))))
def test_results_are_carried_with_all_they_know(carry, method):
    """Bits at the output times, between them the interpolant of the method, both sides of jumps, the end."""
    m = lw.Model("bouncing pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=1.0, phi_min=-1.0, restitution=0.5)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    r = lw.simulate(m, 2.0, method=method)
    other = carry(r)
    np.testing.assert_array_equal(other["body.r_0"], r["body.r_0"])
    times = np.linspace(0, 2, 777)
    np.testing.assert_allclose(other.at(times)["rev.w"], r.at(times)["rev.w"], atol=1e-11)
    assert other.events == r.events and len(r.events) and other.messages == r.messages
    hit = r.events[0].time
    for side in ("before", "after"):
        assert other.at(hit, side=side)["rev.w"] == r.at(hit, side=side)["rev.w"]
    on = [lw.simulate(m, 3.0, start=2.0, state=result.end)["rev.phi"] for result in (r, other)]
    np.testing.assert_array_equal(*on)
    assert copy.copy(other).at(0.3)["rev.phi"] == other.at(0.3)["rev.phi"]
