"""A parameter, as it is read, acts as its number and remembers where it came from."""

import copy
import math
import pickle

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts, visualizers
from linkwright.language.formulas import Formula

BODY = parts.Body(m=2.0, r_cm=[1.0, 2.0, 3.0], inertia=[[4.0, 0.5, 0], [0.5, 5.0, 0], [0, 0, 6.0]])
M, R, I = 2.0, np.array([1.0, 2.0, 3.0]), np.array([[4.0, 0.5, 0], [0.5, 5.0, 0], [0, 0, 6.0]])
LIST = [3.0, 2.0, 1.0]

SAME = {
    "float": lambda m, r, i: float(m), "int": lambda m, r, i: int(m), "bool": lambda m, r, i: bool(m),
    "round": lambda m, r, i: round(m, 1), "divmod": lambda m, r, i: divmod(m, 3), "hash": lambda m, r, i: hash(m),
    "operators": lambda m, r, i: [m + 1, 1 - m, 3 * m, m / 4, 1 / m, m**3, 2**m, -m, abs(-m), m // 3, m % 3, 7 % m],
    "comparisons": lambda m, r, i: [m > 1, m <= 1, m == 2, m != 2.0, m in (1, 2), max(m, 1), min(m, 1), max(1, m)],
    "math": lambda m, r, i: [math.sin(m), math.floor(m), math.hypot(m, 1), math.isfinite(m)],
    "format": lambda m, r, i: [f"{m:.3f}", str(m), repr(m), str(r)],
    "numpy": lambda m, r, i: [np.sin(m), np.hypot(m, 1), np.clip(m, 0, 1), np.float64(3) * m, np.linspace(0, m, 3)],
    "arrays": lambda m, r, i: [np.array([m, 0, 1]), np.arange(3) * m, np.full(2, m), m * np.eye(2)],
    "vectors": lambda m, r, i: [2 * r, r + r, r - LIST, r @ r, r[1], r[:2], r / m, sum(r), r.tolist(), r.sum()],
    "linear algebra": lambda m, r, i: [np.linalg.norm(r), np.linalg.inv(i), np.cross(r, LIST), np.dot(i, r), i @ r,
                                       np.eye(3) @ r, r * i, i * r, i.T, i[0], i[1, 0], i[:, 1]],
    "shapes": lambda m, r, i: [len(r), r.shape, i.shape, [x for x in r], np.allclose(r, LIST), (r == LIST).tolist()],
    "complex": lambda m, r, i: m + 1j, "copies": lambda m, r, i: [copy.deepcopy(m), copy.copy(r)],
    "pickle": lambda m, r, i: [pickle.loads(pickle.dumps(m)), pickle.loads(pickle.dumps(r))],
    "ours": lambda m, r, i: [lw.sin(m), lw.sqrt(m), lw.fmax(m, 5), lw.where(m > 1, m, 0), lw.deg(m), lw.atan2(m, 1),
                             lw.dot(r, LIST), lw.dot([m, 0, 1], r), lw.rotation_z(m), lw.rotation_x(m) @ r],
}


def plain(value):
    """Formulas as what they act as."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return np.asarray(value).tolist() if isinstance(value, (Formula, np.ndarray)) else value


@pytest.mark.parametrize("use", SAME)
def test_it_acts_as_the_number(use):
    assert plain(SAME[use](BODY.m, BODY.r_cm, BODY.inertia)) == plain(SAME[use](M, R, I))


def test_what_a_number_refuses_is_refused():
    for wrong in (lambda m: m + None, lambda m: m * "a", lambda m: m + [1.0], lambda m: m[0], lambda m: len(m),
                  lambda m: m.width, lambda m: m()):
        with pytest.raises((TypeError, AttributeError, IndexError)):
            wrong(BODY.m)
    with pytest.raises(lw.ModelError, match=r"Body.r_cm: .* the whole of it"):
        BODY.r_cm[0] = 5.0


@pytest.mark.parametrize("function", [
    lambda m, r: 3 * m**2 / (1 + m), lambda m, r: np.sqrt(m) - lw.cos(m), lambda m, r: (m * np.array([2, 1.0]))[0],
    lambda m, r: r @ r * m, lambda m, r: (lw.rotation_y(m) @ [m, 1, 0])[2], lambda m, r: np.deg2rad(m) + abs(-m),
    lambda m, r: (np.eye(3) @ r)[1] - sum(r),
])
def test_a_formula_follows_the_parameters_in_it(function):
    m = springs()
    m.second.c = function(m.first.c, m.arm.r)
    m.first.c, m.arm.r = 0.7, [0.1, -0.2, 0.4]
    assert float(m.second.c) == pytest.approx(float(function(0.7, np.array([0.1, -0.2, 0.4]))), rel=1e-14)


def springs():
    m = lw.Model("springs")
    m.world = lw.World()
    m.first, m.second, m.third = forces.Spring(c=2.0), forces.Spring(c=3.0), forces.Spring(c=4.0)
    m.arm = parts.FixedTranslation(r=[1.0, 2.0, 3.0])
    return m


def test_a_chain_of_formulas_follows():
    m = springs()
    m.second.c = 2 * m.first.c
    m.third.c = m.second.c + m.first.c
    m.first.c = 5.0
    assert (float(m.second.c), float(m.third.c)) == (10.0, 15.0)
    m.second.c = 1.0
    assert float(m.third.c) == 6.0


def test_a_parameter_changed_by_its_own_value_stays_a_number():
    m = springs()
    m.first.c *= 2
    m.first.c += 1
    assert m.first.c == 5.0
    m.second.c = 3 * m.first.c
    m.second.c *= 2
    m.first.c = 1.0
    assert m.second.c == 6.0


def test_a_ring_of_formulas_is_refused():
    m = springs()
    m.second.c = 2 * m.first.c
    m.third.c = 2 * m.second.c
    with pytest.raises(lw.ModelError, match=r"first.c would follow from itself through third.c; use float"):
        m.first.c = m.third.c - 1
    assert m.first.c == 2.0


def test_numbers_read_before_a_change_are_the_old_ones():
    m = springs()
    old = m.first.c
    m.first.c = 5.0
    assert old == 2.0
    product = old * m.first.c
    assert product == 10.0
    m.second.c = product  # in a formula both are the parameter
    assert m.second.c == 25.0


def test_checks_see_the_numbers_that_follow():
    m = lw.Model("negative")
    m.world = lw.World()
    m.rev, m.first, m.second = joints.Revolute(), parts.Body(m=1.0), parts.Body(m=1.0)
    m.chain(m.world, m.rev, m.first)
    m.connect(m.rev.frame_b, m.second.frame_a)
    m.second.m = m.first.m - 0.5
    m.first.m = 0.2
    with pytest.raises(lw.ModelError, match="second.m = -0.3: a mass cannot be negative"):
        lw.compile(m)


def test_a_formula_that_does_not_fit_is_refused():
    m = springs()
    with pytest.raises(lw.ModelError, match="second.c must be finite, got nan"):
        m.second.c = m.first.c * math.nan
    with pytest.raises(lw.ModelError, match="arm.r: expected 3 numbers"):
        m.arm.r = [m.first.c, 0]
    assert m.second.c == 3.0


def test_a_parameter_may_change_its_shape():
    body = parts.Body(m=1.0, inertia=[1, 2, 3])
    assert len(body.inertia) == 3
    body.inertia = np.diag([4.0, 5.0, 6.0])
    assert (2 * body.inertia)[1, 1] == 10.0
    assert body.inertia.expression.shape == (3, 3)


def test_what_is_shown_follows_too():
    m = springs()
    m.arm.color = [255, 0, 0]
    m.box = parts.BodyBox(r=[1, 0, 0])
    m.box.width = m.first.c / 10
    m.look = visualizers.FixedShape(length=m.first.c, width=m.box.width)
    m.first.c = 5.0
    assert (m.look.length, m.look.width) == (5.0, 0.5)


def test_reading_is_not_using():
    """A value printed, or put into a formula, is not noted; one compared with or given to math is."""
    m = springs()
    f"{m.first.c:g} {m.first.c}"
    m.second.c = 2 * m.first.c
    assert not m.first._used_plainly
    math.sin(m.first.c)
    assert "test_formulas.py, line" in m.first._used_plainly["c"][0]
