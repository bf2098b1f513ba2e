"""What belongs to a model lives and dies with it."""

import gc

import pytest

import linkwright as lw
from linkwright import blocks, joints, parts, rotational
from linkwright.language import placeholders


def discarded(compiled: bool) -> None:
    """A model with a derivative, a filter and a delay in its signals, written and thrown away."""
    m = lw.Model("discarded")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.motor = rotational.Torque()
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.motor.flange)
    m.motor.tau = blocks.first_order(lw.der(m.rev.phi), T=0.1) + 0.1 * blocks.delay(m.rev.phi, 0.5)
    if compiled:
        lw.compile(m)


def sizes() -> tuple[int, int]:
    gc.collect()
    return len(placeholders._owners), len(placeholders._of_time)


def test_discarded_models_leave_nothing_behind():
    """Models that were never compiled leave nothing, those that were only the code that is kept for the next."""
    discarded(compiled=True)
    discarded(compiled=True)
    before = sizes()
    for _ in range(200):
        discarded(compiled=False)
    assert sizes() == before
    for _ in range(5):
        discarded(compiled=True)
    assert sizes() == before


def test_formulas_of_time_alone_are_bounded():
    for k in range(placeholders.PLACEHOLDERS + 100):
        lw.der(lw.sin(k * lw.time))
    assert len(placeholders._of_time) <= placeholders.PLACEHOLDERS


def test_a_derivative_of_time_alone_is_known_when_the_model_is_compiled():
    m = lw.Model("driven")
    m.world = lw.World(gravity=None)
    m.rev = joints.Revolute(phi=0.0, w=0.0)
    m.body = parts.Body(m=1.0, inertia=[1.0, 1.0, 1.0])
    m.motor = rotational.Torque(tau=lw.der(lw.sin(2 * lw.time)))
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.motor.flange)
    r = lw.simulate(m, 1.0)
    # w' = 2 cos 2t, so w = sin 2t, up to the accuracy of the run
    assert abs(r["rev.w"][-1] - lw.sin(2.0)) < 1e-7


def test_a_block_outlives_a_part_that_it_read_once():
    """It reads a part that is gone and one that is there: the error names the one that is gone."""
    m = lw.Model("half")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=1.0)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.motor = rotational.Torque()
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.motor.flange)
    m.motor.tau = blocks.first_order(joints.Revolute().phi - m.rev.phi, T=0.1, name="filter")
    gc.collect()
    with pytest.raises(lw.ModelError, match=r"^filter reads .*phi, which is no variable of the model 'half'"):
        lw.compile(m)
