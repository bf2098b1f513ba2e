"""What lanes that are off must not do: branches inside branches, ways out of loops, stores, calls under a condition."""

from __future__ import annotations

import ctypes
import itertools

import numpy as np
import pytest

from linkwright.codegen.dialect import ByName, Compiled, Machine, real, reals, text_of, whole
from linkwright.codegen.machine import Loaded, object_code


def inside(a: real[4], m: whole[4], out: real[4]) -> float:
    """A condition inside another, and what is otherwise."""
    x = 1.0
    if a[0] > 0.0:
        x = x + a[2]
        if a[1] > 0.0:
            out[0] = 3.0
            x = 5.0 * x
        else:
            out[1] = 4.0
            x = x - 7.0
    else:
        out[2] = x
    return x


def left(a: real[4], m: whole[4], out: real[4]) -> float:
    """`break` and `continue` inside conditions of which some lanes have left the outer one."""
    x = 0.0
    for k in range(9):
        out[3] += 1.0  # a lane that has left counts no more
        if a[0] > 0.0:
            if a[1] > 0.0 and k > m[0]:
                break
            if a[2] > 0.0 and k > m[1]:
                continue
        x += 1.0
        out[m[2]] += float(k)
    return x


def loops(a: real[4], m: whole[4], out: real[4]) -> float:
    """A loop in a loop, and a return out of both."""
    x = 0.0
    for k in range(6):
        j = 0
        while j < m[1]:
            j += 1
            if a[0] > 0.0 and k > m[0] and j > 1:
                return -x
            out[m[2]] += x
        x += 1.0
    return x


def out_of_few(a: real[4], m: whole[4], out: real[4]) -> float:
    """Ways out of a loop over constants, which is written out."""
    x = 0.0
    for step in (0.5, 1.0, 2.0, 4.0):
        out[3] += step
        if a[1] > 0.0 and step > 1.0:
            continue
        if a[0] > 0.0 and x > 0.5:
            return -x
        if a[2] > 0.0 and step > 0.5:
            break
        x += step
        out[m[2]] += 1.0
    return x


def put(a: real[4], place: int, out: real[4]) -> float:
    if a[1] > 0.0:
        out[place] = 2.0 * a[2]
        return 1.0
    out[3] = out[3] + 1.0
    return -1.0


def calls(a: real[4], m: whole[4], out: real[4]) -> float:
    """A function that writes, called under a condition; the right of `and` and `or` only where the left asks for it."""
    x = 0.5
    if a[0] > 0.0:
        x = put(a, m[2], out)
    if a[2] > 0.0 and put(a, m[1] & 1, out) > 0.0:
        x += 8.0
    if a[1] > 0.0 or put(a, 2, out) > 0.0:
        x += 16.0
    return x


def arrays(a: real[4], m: whole[4], out: real[4]) -> float:
    """Whole arrays under a condition."""
    own = reals(2, 4)
    own[0], own[1] = a, -1.0
    if a[0] > 0.0:
        out[:] = 3.0 * a - own[1] / 7.0
        own[1, 1:4] += m[0:3]
        if a[1] > 0.0:
            out[0:2] = out[2:4] * own[1, 1:3]
        own[1, 0 : m[0]] = 2.0 * a[0 : m[0]]
        own[0, m[1] : 4] = 0.5
        own[1] += own[0]
    return own[1, 0] + own[1, 1] + own[1, 2] + own[1, 3]


@pytest.mark.parametrize("lanes", [2, 4])
@pytest.mark.parametrize("f", [inside, left, loops, out_of_few, calls, arrays])
def test_every_lane_does_what_a_run_alone_does(f, lanes):
    """All signs side by side, in an order in which neighbours differ."""
    a = np.array([[*sign, 1.0] for sign in itertools.product((-1.0, 2.0), repeat=3)] * 2)
    m = np.random.default_rng(0).integers(1, 4, (len(a), 4))
    machine, alone = Machine(f, lanes), Compiled(f).plain
    entry = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(machine.address)
    order = np.arange(len(a)).reshape(lanes, -1).T.ravel()
    for first in range(0, len(a), lanes):
        some = order[first : first + lanes]
        given, numbers = np.ascontiguousarray(a[some].T), np.ascontiguousarray(m[some].T)
        out, back = np.zeros((4, lanes)), np.zeros((1, lanes))
        entry(given.ctypes.data, numbers.ctypes.data, out.ctypes.data, back.ctypes.data)
        for lane, k in enumerate(some):
            wanted = np.zeros(4)
            assert back[0, lane] == alone(a[k].copy(), m[k].copy(), wanted)
            np.testing.assert_array_equal(out[:, lane], wanted)


twice = ByName("twice", 2, writes=1)
TWICE = """
define void @twice(ptr %a, ptr %out) {
  %x = load <2 x double>, ptr %a
  %y = fadd <2 x double> %x, %x
  store <2 x double> %y, ptr %out
  ret void
}
"""


def by_name(a: real[1], out: real[1]) -> float:
    if a[0] > 0.0:
        twice(a, out)
    return out[0]


def test_a_function_that_writes_all_lanes_leaves_those_that_are_off():
    """Code that others have written, called under a condition that one of two lanes meets."""
    text = text_of(by_name, 2)
    declared = next(line for line in text.splitlines() if line.startswith("declare void @twice"))
    code = Loaded(object_code(text.replace(declared, TWICE), 3, passes=True))
    entry = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(code.address("by_name"))
    a, out, back = np.array([3.0, -3.0]), np.array([1.0, 7.0]), np.zeros(2)
    entry(a.ctypes.data, out.ctypes.data, back.ctypes.data)
    assert out.tolist() == [6.0, 7.0] and back.tolist() == [6.0, 7.0]
