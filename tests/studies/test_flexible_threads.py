"""Parts that bend on a GPU: the thread's IR, run on this processor, has the bits of lanes and of single runs."""

import re

import numpy as np
import pytest
from test_gpu_threads import on_this_processor
from test_lane_runs import DONE, ordinary, starts

import linkwright as lw
from linkwright import flexible, joints, parts
from linkwright.integrate.step_programs.thread import threads
from linkwright.studies.lane_runs import LaneRuns


def beam():
    m = lw.Model("beam")
    m.world, m.rev = lw.World(), joints.Revolute(phi=0.4)
    m.beam = flexible.Beam(length=0.8, section=flexible.Circle(diameter=0.004), material=flexible.Aluminium,
                           strains="planar", elements=1, degree=1, damping=1e-4)
    m.chain(m.world, m.rev, m.beam)
    return m


def shapes():
    m = lw.Model("shapes")
    m.world, m.rev = lw.World(), joints.Revolute(n=[0, 1, 1], phi=0.4, w=2.0)
    section = flexible.Rectangle(height=0.02, width=0.005)
    m.arm = flexible.ModalBody(flexible.beam_modes(1.0, section, flexible.Steel, 2))
    m.tip = parts.PointMass(m=0.1)
    m.chain(m.world, m.rev, m.arm, m.tip)
    return m


@pytest.mark.slow
@pytest.mark.parametrize(("model", "name", "value"), [(beam, "beam.E", 7e10), (shapes, "arm.stiffness_scale", 1.0)])
def test_a_thread_has_the_bits_of_a_lane_and_of_a_single_run(model, name, value):
    system = lw.compile(model(), tunable=[name])
    states = starts(system, 3)
    for k, state in enumerate(states):
        state.set(name, value * (1 + 0.1 * k))
    runs = LaneRuns(system, states[0], 0.02, step=0.005, lanes=4)
    packed = runs.starts(states)
    expected = runs.run(packed)
    assert np.all(expected.status == DONE)
    for k, state in enumerate(states):
        stepper, _ = ordinary(system, state, runs, 0.02, {})
        np.testing.assert_array_equal(expected.grid_x[k], stepper.grid_x)
    status, grid_x, _ = on_this_processor(runs, packed, 10**9)
    np.testing.assert_array_equal(status, expected.status)
    np.testing.assert_array_equal(grid_x, expected.grid_x)
    code = threads(LaneRuns(system, states[0], 0.02, device="gpu").program)
    assert ".visible .entry runs(" in code.ptx and "fma." not in code.ptx and ".extern" not in code.ptx
    assert not re.search(r"\b(add|mul|div|sqrt)\.f64", code.ptx)
