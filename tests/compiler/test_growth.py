"""The work of translating a model grows as the model does: counted in calls, which no other process disturbs."""

import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts


def chain(n):
    m = lw.Model("chain")
    m.world = lw.World()
    m.j = [joints.Revolute(n=np.eye(3)[k % 3], phi=0.01) for k in range(n)]
    m.b = [parts.BodyShape(m=1.0, r=[0.1, 0, 0], r_cm=[0.05, 0, 0]) for _ in range(n)]
    last = m.world.frame_b
    for joint, body in zip(m.j, m.b, strict=True):
        m.connect(last, joint.frame_a)
        m.connect(joint.frame_b, body.frame_a)
        last = body.frame_b
    return m


def ladder(n):
    """Four-bars side by side, each of them driven by the crank of the one before."""
    m = lw.Model("ladder")
    m.world = lw.World()
    m.crank = [joints.Revolute(phi=1.0, w=1.0)] + [joints.Revolute(phi=lw.guess(1.0)) for _ in range(n)]
    m.arm = [parts.BodyShape(m=1.0, r=[0.3, 0, 0], r_cm=[0.15, 0, 0]) for _ in range(n + 1)]
    m.foot = [parts.FixedTranslation(r=[0.9 * k, 0.01 * (k % 2), 0]) for k in range(n + 1)]
    m.pin, m.end = [joints.Revolute(phi=lw.guess(-1.0)) for _ in range(n)], [joints.Revolute() for _ in range(n)]
    m.coupler = [parts.BodyShape(m=1.0, r=[0.9, 0.01 * (1 - 2 * (k % 2)), 0], r_cm=[0.45, 0, 0]) for k in range(n)]
    for k in range(n + 1):
        m.chain(m.world, m.foot[k], m.crank[k], m.arm[k])
    for k in range(n):
        m.chain(m.arm[k], m.pin[k], m.coupler[k], m.end[k])
        m.connect(m.end[k].frame_b, m.arm[k + 1].frame_b)
    return m


def calls(action) -> int:
    """How many functions of Python and of C an action calls."""
    count = [0]

    def note(frame, event, argument):
        count[0] += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count[0]


def translated_and_started(model):
    system = lw.compile(model, tier="quick")
    state = system.state()
    system.names  # noqa: B018 - the list is worked out when it is asked for
    return state


@pytest.mark.parametrize("make", [chain, ladder])
def test_translating_and_starting_grow_linearly(make):
    translated_and_started(make(3))
    small, large = (calls(lambda n=n: translated_and_started(make(n))) for n in (20, 80))
    assert large < 4**1.15 * small


def test_outputs_are_read_together():
    """As many calls for each output, however many there are."""
    def read(n):
        m = chain(1)
        for k in range(n):
            m.output(f"o{k}", lw.sin(k * m.j[0].phi))
        r = lw.simulate(m, 0.01)
        return calls(lambda: r.get_many([f"o{k}" for k in range(n)]))

    assert read(400) < 4 * read(100) * 1.1


def test_a_large_start_is_the_small_one():
    """Matrices kept sparse give the state that dense ones do."""
    from linkwright.system import least_norm

    found = []
    for large in (10_000, 10):
        before, least_norm.SPARSE_FROM = least_norm.SPARSE_FROM, large
        try:
            found.append(lw.compile(ladder(12), tier="quick").state())
        finally:
            least_norm.SPARSE_FROM = before
    np.testing.assert_allclose(found[0].q, found[1].q, atol=1e-11)
    np.testing.assert_allclose(found[0].u, found[1].u, atol=1e-11)


def test_damped_steps_are_steps_of_least_norm():
    """A block too large for singular values: redundant rows, and as good as none of a direction that hardly holds."""
    from linkwright.system import least_norm

    random = np.random.default_rng(1)
    J = random.normal(size=(8, 14))
    J[5] = J[0] + J[1]  # redundant
    r = J @ random.normal(size=14)
    from scipy.sparse import csr_array

    np.testing.assert_allclose(least_norm._damped(csr_array(J), r), np.linalg.lstsq(J, r, rcond=1e-8)[0], atol=1e-9)
