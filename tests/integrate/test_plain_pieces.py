"""The steppers run as checked Python, piece by piece, with the bits of compiled code."""

import ctypes
from types import SimpleNamespace

import integrate_models as models
import numpy as np
import pytest

import linkwright as lw
from linkwright import translational
from linkwright.codegen.dialect import plain
from linkwright.integrate import jit, root_finding
from linkwright.integrate.methods import METHODS
from linkwright.integrate.prepare import pieces
from linkwright.integrate.record import PIECE
from linkwright.studies.adjoint import gradient_of
from linkwright.studies.goal_changes import Look
from linkwright.studies.sensitivities import Together

_alive = []  # callbacks outlive the steppers that call them
_ran = []


def as_python(piece):
    """A piece that is Python itself, at an address as compiled ones are."""
    _ran.append(piece)
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


def kicked_backward():
    """A mass that passes a short force, by steps repeated to look between them, and its derivative by the adjoint."""
    m = lw.Model("kicked")
    m.world = lw.World()
    m.x = translational.Mass(m=1, s=0, v=1)
    m.push = translational.Force(f=lw.exp(-(((m.x.s - 0.523) / 1e-2) ** 2)))
    m.connect(m.push.flange, m.x.flange_a)
    r = lw.simulate(m, 0.6, method="dopri5", accuracy=1e-3, sensitivities=Together(["x.m"]), dense=True)
    return r["x.v"].tolist(), float(r.at(0.4)["x.s"]), gradient_of(r, [Look("x.v", 0.6, 1.0)]).tolist()


def test_every_piece_is_among_them(monkeypatch):
    """Those that runs with events do not need, too."""
    expected = kicked_backward()
    assert expected[0][-1] > 1.001
    _ran.clear()
    monkeypatch.setattr(jit, "load", as_python)
    assert kicked_backward() == expected
    here = {*_ran, root_finding.locate, *(method.load()[0] for method in METHODS.values())}
    assert here == set(pieces())
