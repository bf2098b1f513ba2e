"""Impulses by Newton's method: the laws they must obey, whatever the bodies and however many points they rest on."""

import numpy as np
import pytest

from linkwright.codegen.dialect import compiled, real
from linkwright.integrate import gauss_seidel
from linkwright.run import cone_newton, cone_projection


def problem(seed, contacts, speeds, singles=2):
    """Random rows over all speeds; some contacts are the same point twice, so that loads are indeterminate."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(contacts + singles, 3, speeds))
    A[contacts // 2 : 2 * (contacts // 2)] = A[: contacts // 2]
    A[contacts:, 1:] = 0.0
    kinds = np.full(contacts + singles, gauss_seidel.CONTACT)
    kinds[contacts:] = gauss_seidel.SINGLE
    laws = np.zeros((contacts + singles, 3))
    laws[:contacts, 0] = rng.uniform(0, 1, contacts)
    laws[contacts // 2 : 2 * (contacts // 2), 0] = laws[: contacts // 2, 0]
    laws[contacts:, 0], laws[contacts:, 1] = -rng.uniform(0, 1, singles), rng.uniform(0, 1, singles)
    b = np.einsum("cik,k->ci", A, rng.normal(size=speeds))
    b[contacts // 2 : 2 * (contacts // 2)] = b[: contacts // 2]
    return A, b, kinds, laws


def press(function, A, b, kinds, laws, partners=None):
    n, r = len(kinds), A.shape[2]
    partners = np.full(n, -1) if partners is None else partners
    places = np.tile(np.arange(r), (n, 1))
    y, impulses = np.zeros(r), np.zeros((n, 3))
    _, left = function(y, impulses, A, places, b, kinds, partners, laws, 1e-10,
                       *(np.zeros((n, 3)) for _ in range(3)), *(np.zeros(n) for _ in range(3)),
                       *(np.zeros(r) for _ in range(3)), np.zeros((r, r)),
                       np.zeros((r, r)), np.zeros(r, dtype=np.int64))
    return y, impulses, left


@pytest.mark.parametrize("seed", range(40))
def test_impulses_obey_their_laws(seed):
    """Contacts press or open, rub within the cone and against the slip; single rows keep their bounds."""
    contacts = 2 + seed % 7
    A, b, kinds, laws = problem(seed, contacts, 6 + seed % 5)
    y, impulses, left = press(cone_newton.press, A, b, kinds, laws)
    assert left <= 1e-8
    np.testing.assert_allclose(y, np.einsum("cik,ci->k", A, impulses), atol=1e-8)
    v, size = np.einsum("cik,k->ci", A, y) + b, np.abs(b).max()
    for speed, push, mu in zip(v[:contacts], impulses, laws[:, 0], strict=False):
        assert push[0] >= 0 and speed[0] >= -1e-7 * size and push[0] * abs(speed[0]) <= 1e-7 * size
        assert np.hypot(*push[1:]) <= mu * push[0] * (1 + 1e-9) + 1e-12
        slip = np.hypot(*speed[1:])
        if slip > 1e-6 * size and push[0] > 1e-6:
            np.testing.assert_allclose(push[1:], -mu * push[0] * speed[1:] / slip, atol=1e-5 * push[0])
    for speed, push, (low, high, _) in zip(v[contacts:, 0], impulses[contacts:, 0], laws[contacts:], strict=True):
        assert low <= push <= high
        assert abs(speed) <= 1e-7 * size or push == (low if speed > 0 else high)
    # ½ |u + y|² − ½ |u|² with b = A u: impulses only take energy
    assert 0.5 * y @ y + np.einsum("ci,ci->", b, impulses) <= 1e-8 * size


def test_loads_are_shared_whatever_they_were_before():
    """Two points that are one bear half each."""
    A, b, kinds, laws = problem(3, 4, 8, singles=0)
    _, impulses, _ = press(cone_newton.press, A, b, kinds, laws)
    np.testing.assert_allclose(impulses[:2], impulses[2:4], atol=1e-9)


@compiled
def pressed_without_friction(x: real[6], limits: real[3], p: real[6], D: real[6, 6]) -> None:
    cone_projection.allowed(gauss_seidel.CONTACT, 3, False, True, x, limits, 1.0, 1.0, p, D)


def test_what_has_no_friction_slides_also_where_nothing_says_which_way():
    """Its tangential impulse stays zero however it moves: else Newton's method begins beside the solution."""
    x, p, D = np.array([2.0, 0.0, 0.0, 0.0, 0.0, 0.0]), np.zeros(6), np.zeros((6, 6))
    for across in (0.0, 1e-3):
        x[1] = across
        pressed_without_friction(x, np.zeros(3), p, D)
        np.testing.assert_array_equal(p[:3], [2.0, 0.0, 0.0])
        np.testing.assert_array_equal(D[:3, :3], np.diag([1.0, 0.0, 0.0]))


def test_the_same_as_checked_python():
    """Machine code and the text it was made from."""
    given = problem(5, 3, 6)
    for one, other in zip(press(cone_newton.press, *given), press(cone_newton.press.plain, *given), strict=True):
        np.testing.assert_array_equal(one, other)


def turning_problem(seed, contacts, speeds):
    """Contacts that spin and roll, every other one without, after which come the threes of their turning."""
    rng = np.random.default_rng(seed)
    turns = np.arange(0, contacts, 2)
    A = rng.normal(size=(contacts + len(turns), 3, speeds))
    A[contacts:] *= 0.1
    kinds = np.where(np.arange(len(A)) < contacts, gauss_seidel.CONTACT, gauss_seidel.TURN)
    partners, laws = np.full(len(A), -1), np.zeros((len(A), 3))
    partners[turns], partners[contacts:] = np.arange(contacts, len(A)), turns
    laws[:contacts, 0] = rng.uniform(0, 1, contacts)
    laws[contacts:, :2] = rng.uniform(0, 0.1, (len(turns), 2))
    b = np.einsum("cik,k->ci", A, rng.normal(size=speeds))
    return A, b, kinds, laws, partners


@pytest.mark.parametrize("seed", range(40))
def test_turning_obeys_its_laws(seed):
    """Spin and rolling are held up to their arms times what presses, and rub against the turning beyond."""
    A, b, kinds, laws, partners = turning_problem(seed, 2 + seed % 5, 6 + seed % 9)
    y, impulses, left = press(cone_newton.press, A, b, kinds, laws, partners)
    assert left <= 1e-8
    np.testing.assert_allclose(y, np.einsum("cik,ci->k", A, impulses), atol=1e-8)
    v, size = np.einsum("cik,k->ci", A, y) + b, np.abs(b).max()
    for c, (kind, partner, law) in enumerate(zip(kinds, partners, laws, strict=True)):
        presses = impulses[c if kind == gauss_seidel.CONTACT else partner, 0]
        discs = [(slice(0, 1), law[0]), (slice(1, 3), law[1])]
        if kind == gauss_seidel.CONTACT:
            assert presses >= 0 and v[c, 0] >= -1e-7 * size and presses * abs(v[c, 0]) <= 1e-7 * size
            discs = [(slice(1, 3), law[0])]
        for part, arm in discs:
            moving = np.linalg.norm(v[c, part])
            assert np.linalg.norm(impulses[c, part]) <= arm * presses * (1 + 1e-9) + 1e-12
            if moving > 1e-5 * size and presses > 1e-6:
                np.testing.assert_allclose(impulses[c, part], -arm * presses * v[c, part] / moving, atol=1e-5 * presses)
    assert 0.5 * y @ y + np.einsum("ci,ci->", b, impulses) <= 1e-8 * size
