"""Closed forms of rings of three joints: poses made from random coordinates give those coordinates back."""

import itertools
from functools import partial

import numpy as np
import pytest

from linkwright.algebra import Transform, rotation_from_vector, rotation_x, rotation_y, rotation_z
from linkwright.mechanism import closed_forms
from linkwright.mechanism.complex_numbers import Complex

PLANAR = {"rrr": 1, "rrp": 1, "rpr": 1, "prp": 0, "rpp": 0}
SPATIAL = {
    "UPS": closed_forms.ups, "URS": closed_forms.urs,
    "USR": partial(closed_forms.usx, "R"), "USP": partial(closed_forms.usx, "P"),
    "SUR": partial(closed_forms.sux, "R"), "SUP": partial(closed_forms.sux, "P"),
}


def motion(letter, theta, backwards=False, cosine=0.0):
    """T of a joint in space; a ball's coordinates are a rotation vector."""
    if letter == "R":
        return Transform(rotation_z(theta))
    if letter == "P":
        return Transform(None, [0, 0, theta])
    if letter == "S":
        return Transform(rotation_from_vector(theta))
    X = Transform(rotation_x(theta[0]) @ rotation_z(-np.arcsin(cosine)) @ rotation_y(theta[1]))
    return X.inverse() if backwards else X


def random_pose(rng):
    return Transform(rotation_from_vector(rng.uniform(-2, 2, 3)), rng.uniform(-1, 1, 3))


def random_coordinate(rng, letter):
    size = {"R": (), "P": (), "U": 2, "S": 3}[letter]
    return rng.uniform(-1.5, 1.5, size)


def planar(letter, theta):
    return (Complex(np.cos(theta), np.sin(theta)), Complex(0.0, 0.0)) if letter == "r" else (Complex(1.0, 0.0),
                                                                                         Complex(theta, 0.0))


def follow(first, *others):
    """Poses (e, p) of the plane one after another."""
    e, p = first
    for f, r in others:
        e, p = e * f, p + e * r
    return e, p


def near(found, expected, letters):
    """Whether coordinates agree, angles up to full turns and balls apart."""
    for a, b, letter in zip(found, expected, letters.upper(), strict=True):
        if letter == "S":
            continue
        change = np.atleast_1d(np.asarray(a, dtype=float) - b)
        if np.max(np.abs(change if letter == "P" else 2 * np.sin(change / 2))) > 1e-9:
            return False
    return True


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("letters", PLANAR)
def test_rings_in_a_plane(letters, seed):
    rng = np.random.default_rng(seed)
    theta = rng.uniform(-3, 3, 3)
    D1, D2 = ((Complex(np.cos(a), np.sin(a)), Complex(x, y)) for a, x, y in rng.uniform(-2, 2, (2, 3)))
    X = follow(planar(letters[0], theta[0]), D1, planar(letters[1], theta[1]), D2, planar(letters[2], theta[2]))
    found = []
    for signs in itertools.product((1, -1), repeat=PLANAR[letters]):
        values, discriminant = getattr(closed_forms, letters)(X, D1, D2, *signs)
        found.append(near(values, theta, letters))
        assert discriminant > 0
        # every solution closes the ring
        parts = [planar(letter, value) for letter, value in zip(letters, values, strict=True)]
        e, p = follow(parts[0], D1, parts[1], D2, parts[2])
        assert (e - X[0]).square < 1e-18 and (p - X[1]).square < 1e-16
    assert found.count(True) == 1


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("letters", SPATIAL)
def test_rings_in_space(letters, seed, backwards):
    rng = np.random.default_rng(seed)
    cosine = 0.0 if seed < 5 else rng.uniform(-0.6, 0.6)  # of the angle between the axes of a universal joint
    theta = [random_coordinate(rng, letter) for letter in letters]
    D1, D2 = random_pose(rng), random_pose(rng)
    T = [motion(letter, value, backwards, cosine) for letter, value in zip(letters, theta, strict=True)]
    X = T[0] @ D1 @ T[1] @ D2 @ T[2]
    found = 0
    for signs in itertools.product((1, -1), repeat=2):
        with np.errstate(invalid="ignore"):
            values, discriminant = SPATIAL[letters](X, D1, D2, signs, backwards, cosine)
        if near(values, theta, letters):
            found += 1
            assert discriminant > 0
    assert found == 1


def test_a_dead_point_has_no_discriminant():
    """A stretched pair of rods, a rod across its slide, a point on the axis that a universal joint cannot point at."""
    one = Complex(1.0, 0.0)
    _, rods = closed_forms.rrr((one, Complex(3.0, 0.0)), (one, Complex(1.0, 0.0)), (one, Complex(2.0, 0.0)), 1)
    _, slide = closed_forms.rrp((one, Complex(0.0, 2.0)), (one, Complex(2.0, 0.0)), (one, Complex(0.0, 0.0)), 1)
    _, pole = closed_forms.universal(np.array([1.0, 0, 0]), np.array([0.0, 0, 1.0]), 1)
    assert rods == slide == pole == 0
