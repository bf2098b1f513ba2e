"""How much code an element of a beam becomes: arithmetic instructions of accelerations, counted."""

from itertools import pairwise

import casadi as ca
import pytest

import linkwright as lw
from linkwright import flexible
from linkwright.codegen import count_instructions
from linkwright.equations import Equations


def counted(strains, degree, elements):
    m = lw.Model("cantilever")
    m.world = lw.World(gravity=None)
    m.beam = flexible.Beam(length=0.25 * elements, section=flexible.Circle(diameter=0.006), material=flexible.Steel,
                           elements=elements, degree=degree, strains=strains)
    m.connect(m.world.frame_b, m.beam.frame_a)
    e = Equations(lw.compile(m).mechanism)
    return count_instructions(ca.Function("f", [e.symbols[name] for name in "tquzdpf"], [e.udot]))


@pytest.mark.parametrize(("strains", "degree", "most"), [
    ("planar", 2, 1300), pytest.param("bending", 0, 2400, marks=pytest.mark.slow),
    pytest.param("bending", 1, 6400, marks=pytest.mark.slow), ("bending", 2, 11250)])
def test_instructions_of_an_element(strains, degree, most):
    """Of one more element, no more than counted when this was written; a rigid link takes 257."""
    assert counted(strains, degree, 2) - counted(strains, degree, 1) <= most


@pytest.mark.slow
@pytest.mark.parametrize(("strains", "degree"), [("planar", 2), ("bending", 1), ("bending", 2)])
def test_instructions_grow_in_proportion(strains, degree):
    counts = [counted(strains, degree, n) for n in (1, 2, 3, 4)]
    each = [after - before for before, after in pairwise(counts)]
    assert max(each) < 1.01 * min(each), counts
