"""The steppers run as checked Python, piece by piece, with the bits of compiled code."""

import ctypes
from types import SimpleNamespace

import integrate_models as models
import numpy as np
import pytest

from linkwright.codegen.dialect import plain
from linkwright.integrate import jit
from linkwright.integrate.methods import METHODS
from linkwright.integrate.record import PIECE

_alive = []  # callbacks outlive the steppers that call them


def as_python(piece):
    """A piece that is Python itself, at an address as compiled ones are."""
    _alive.append(PIECE(plain(piece)))
    return SimpleNamespace(address=ctypes.cast(_alive[-1], ctypes.c_void_p).value)


def run(method):
    """An orbit until it crosses x = 0, with output between steps, and a state looked up afterwards."""
    functions = {"rhs": models.kepler.address, "events": models.height.address}
    if METHODS[method].uses_qdot:
        functions["qdot"] = models.kepler_qdot.address
    h = None if METHODS[method].adaptive else 0.1
    s = models.stepper(method, functions, 5, 0, (2, 2, 0), [0.5, 0.0, 0.0, 1.7], n_events=1, h=h, accuracy=1e-5)
    ended = s.run(2.0, grid=np.linspace(0.0, 2.0, 11))
    return ended, s.t, s.x.tolist(), s.grid_x[:4].tolist(), s.counters, s.dense(0.123).tolist()


@pytest.mark.parametrize("method", METHODS)
def test_checked_python_has_the_bits_of_compiled_code(method, monkeypatch):
    expected = run(method)
    assert expected[0] == "event"
    monkeypatch.setattr(jit, "load", as_python)
    assert run(method) == expected
