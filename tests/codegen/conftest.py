"""Every run of these tests starts from an empty cache of its own."""

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen import Program, Straight


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "object-cache"
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(folder))
    return folder


@pytest.fixture
def straight():
    """Makes a program of one straight segment x → y from an expression builder on n symbols."""

    def make(build, n, name="straight"):
        x = ca.SX.sym("x", n)
        y = ca.vertcat(*np.atleast_1d(build(x)).tolist()) if not isinstance(build(x), ca.SX) else build(x)
        f = ca.Function(name, [x], [y])
        return f, Program(name, [("x", n)], [("y", f.numel_out(0))], [Straight(f, ("x",), ("y",))])

    return make
