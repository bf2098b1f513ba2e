"""Records of which code knows more than their memory tells: numbers, tables, functions, what nobody reads."""

import ctypes

import numpy as np
import pytest
from dialect_functions import scaled as scaled_elsewhere

from linkwright.codegen.dialect import IGNORED, ByAddress, Field, Layout, Machine, Table, known, reals_at

call = ByAddress(float, float)
Known = None  # the layout is put in as code is made


def doubled(x: float) -> float:
    return 2.0 * x


def scaled(x: float, k: known) -> float:
    """Of the same name as the one it calls."""
    return scaled_elsewhere(x) + float(k)


def work(r: Known) -> None:
    r.counted += 1
    total = 0.0
    for i in range(r.n):
        total += r.table[i] * r.x[i]
    if r.absent != 0:
        total = call(r.absent, total)  # by an address, which lanes cannot
    if r.gone:
        return
    r.y = call(r.f, total) + scaled(r.h, 3) + reals_at(r.x, r.n)[1]


def layout(**more):
    fields = [Field("n", "whole", (), 0, known=3), Field("absent", "whole", (), 0, known=0),
              Field("f", "whole", (), 0, known=doubled),
              Field("table", "real", (), 0, known=Table.real([1.0, 0.5, 4.0])),
              Field("counted", "whole", (), 0, known=IGNORED), Field("gone", "whole", (), 0, known=0),
              Field("x", "real", (3,), 0), Field("h", "real", (), 3, same=True), Field("y", "real", (), 4)]
    return Layout("Known", tuple(f._replace(**more.get(f.name, {})) for f in fields), 5)


@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_what_is_known_needs_no_memory(lanes):
    memory = np.zeros((5, lanes))
    memory[:3] = np.arange(3 * lanes).reshape(3, lanes)
    memory[3, 0] = 7.0  # the same for all lanes: read from the first
    machine = Machine(work, lanes, constants={"Known": layout()})
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(machine.address)(memory.ctypes.data)
    x = memory[:3]
    expected = 2.0 * (x[0] + 0.5 * x[1] + 4.0 * x[2]) + (scaled_elsewhere(7.0) + 3.0) + x[1]
    np.testing.assert_array_equal(memory[4], expected)


def test_what_follows_where_all_have_left_is_not_written():
    memory = np.zeros((5, 2))
    machine = Machine(work, 2, constants={"Known": layout(gone={"known": 1})})
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(machine.address)(memory.ctypes.data)
    assert not memory.any()
