"""Reports of planar models speak of the plane alone."""

import re

import pytest

import linkwright as lw
from linkwright import planar as pl


def parallel_cranks(count):
    m = lw.Model("cranks")
    m.world = pl.World()
    m.foot = [pl.Fixed(r=[x, 0]) for x in range(count)]
    m.pivot = [pl.Revolute(phi=0.3, w=1.0) if k == 0 else pl.Revolute() for k in range(count)]
    m.crank, m.body = [pl.FixedTranslation(r=[0, 1]) for _ in range(count)], [pl.Body(m=1, I=0.1) for _ in range(count)]
    m.pin = [pl.Revolute() for _ in range(count)]
    m.rod = [pl.FixedTranslation(r=[1, 0]) for _ in range(count - 1)]
    for k in range(count):
        m.connect(m.foot[k].frame, m.pivot[k].frame_a)
        m.chain(m.pivot[k], m.crank[k], m.pin[k])
        m.connect(m.crank[k].frame_b, m.body[k].frame_a)
        m.connect(m.pin[k].frame_b, *([m.rod[k].frame_a] if k < count - 1 else []),
                  *([m.rod[k - 1].frame_b] if k else []))
    return m


@pytest.mark.parametrize("count", [2, 3])
def test_nothing_is_said_of_directions_across_the_plane(count):
    system = lw.compile(parallel_cranks(count))
    assert system.dof == 1 and system.redundant == count - 2
    said = system.report(full=True)
    assert "Constraint" in said and not re.search(r"along z|about x|about y", said)
