"""Code that repeats itself becomes loops for a thread of a GPU, with the bits of the code written out."""

import ctypes
from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen import (
    AT_ONCE,
    NEAR_STRIDE,
    Program,
    Room,
    Straight,
    Written,
    compile_program,
    link_text,
    single_module,
)
from linkwright.codegen.instructions import Code
from linkwright.codegen.machine import Loaded, object_code
from linkwright.codegen.register_plan import deep_first, turned
from linkwright.codegen.rolled import Rolled, roll

ROOM = Room(100, 112)
NEAR = f"""
@near = internal addrspace(3) global [{ROOM.near * NEAR_STRIDE} x double] zeroinitializer, align 16
define ptr addrspace(3) @lw_near() #0 {{
  ret ptr addrspace(3) @near
}}
define i1 @{AT_ONCE}(i64 %bits) #0 {{
  ret i1 true
}}
"""


def recursion(n: int, period: int = 1, uneven: int | None = None,
              along: Callable[[ca.SX], ca.SX] | None = None) -> ca.Function:
    """Out along n links, back, and out again, as the articulated-body recursion goes; first and last are special."""
    q, u = ca.SX.sym("q", n), ca.SX.sym("u", n)
    velocity, out = [ca.SX(1), ca.SX(0.5), ca.SX(0)], []
    velocities = []
    for k in range(n):
        s, c = ca.sin(q[k]), ca.cos(q[k])
        x, y, z = velocity
        turned_about = (k % period)
        x, y = (c * x + s * y, c * y - s * x) if turned_about == 0 else (c * x - s * z, y + s * x * u[k])
        if k == uneven:
            x = x * ca.exp(y)
        velocity = [x, y, z + u[k]]
        velocities.append(velocity)
    inertia, force = ca.SX(1), [ca.SX(0)] * 3
    gains = [None] * n
    for k in reversed(range(n)):
        x, y, z = velocities[k]
        s, c = ca.sin(q[k]), ca.cos(q[k])
        pull = [x * y - 0.5 * z, y * z + force[0], z * x + force[1] * force[2]]
        pull = [pull[0] - 0.3 * x * z, pull[1] + 0.2 * y * y, pull[2] * 0.7 - x * x * z]
        pull = [a * b - 0.1 * c for a, b, c in zip(pull, (x, y, z), pull[1:] + pull[:1], strict=True)]
        gains[k] = (force[2] + pull[0]) / (inertia + 2)
        inertia = 1 + inertia * c * c - gains[k] * gains[k] / (inertia + 3)
        force = [c * pull[0] + s * pull[1], c * pull[1] - s * pull[0], pull[2] - gains[k] * inertia]
    acceleration = ca.SX(0)
    for k in range(n):
        given = gains[k] - acceleration * ca.cos(q[k]) * 0.1
        out.append(given)
        acceleration = given + velocities[k][0] * ca.sin(q[k])
    qdot = u if along is None else along(q)
    return ca.Function("f", [q, u], [qdot, ca.vertcat(*out)], ["q", "u"], ["qdot", "udot"])


def program_of(function: ca.Function) -> Program:
    n = function.numel_in(0)
    return Program("recursion", [("q", n), ("u", n)], [("qdot", n), ("udot", n)],
                   [Straight(function, ("q", "u"), ("qdot", "udot"))])


def rolled_of(function: ca.Function) -> Rolled | None:
    code = Code()
    n = function.numel_in(0)
    results = code.add(function, [code.vector(k, n) for k in range(2)])
    stores = [(v, 2 + k, j) for k, result in enumerate(results) for j, v in enumerate(result)]
    live = deep_first(code, [v for v, _, _ in stores])
    return roll(code, live, stores, turned(code, live, ROOM)[1])


def on_this_processor(program: Program, x: np.ndarray, rolls: bool = True) -> np.ndarray:
    """What a thread of a GPU computes."""
    text = link_text({"rhs": program}, Written("", frozenset(), frozenset()), 1, vector=1, room=ROOM)
    assert ("roll0:" in text.programs) == rolls
    loaded = Loaded(object_code(single_module(text, NEAR, "", ("model_rhs",)), 1))
    out, work = np.full(len(x), np.nan), np.full(max(text.n_work, 1), np.nan)
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(loaded.address("model_rhs"))(
        x.ctypes.data, out.ctypes.data, work.ctypes.data)
    return out


@pytest.mark.parametrize(("n", "period"), [(54, 1), (55, 2), (56, 3)])
def test_loops_have_the_bits_of_what_they_stand_for(n, period):
    function = recursion(n, period)
    rolled = rolled_of(function)
    assert rolled is not None and len(rolled.loops) == 3
    assert [loop.direction for loop in rolled.loops] == [1, -1, 1]
    # of each loop nearly all repetitions; what is left over is a few links at both ends
    assert all(len(loop.times) >= n // period - 6 for loop in rolled.loops)
    program = program_of(function)
    x = np.random.default_rng(n).normal(size=2 * n)
    np.testing.assert_array_equal(on_this_processor(program, x), compile_program(program)(x))


def test_a_link_unlike_the_others_is_written_out():
    function = recursion(54, uneven=3)
    assert rolled_of(function) is not None
    program = program_of(function)
    x = np.random.default_rng(1).normal(size=108)
    np.testing.assert_array_equal(on_this_processor(program, x), compile_program(program)(x))


def without_repetitions(qdot: Callable[[ca.SX], ca.SX]) -> ca.Function:
    """Long code at random."""
    rng = np.random.default_rng(2)
    x = ca.SX.sym("x", 20)
    values = [x[k] for k in range(20)]
    for _ in range(3000):
        a, b = (values[i] for i in rng.integers(max(0, len(values) - 40), len(values), 2))
        values.append(a * b if rng.random() < 0.5 else a - 0.5 * b)
    return ca.Function("f", [x, ca.SX.sym("y", 20)], [qdot(x), ca.vertcat(*values[-20:])], ["q", "u"],
                       ["qdot", "udot"])


def test_code_without_repetitions_stays_as_it_is():
    assert rolled_of(without_repetitions(lambda x: x)) is None


@pytest.mark.parametrize("function", [without_repetitions(ca.sin), recursion(54, along=ca.sin)], ids=["long", "rolled"])
def test_sines_that_are_results_themselves_are_stored(function):
    """They are taken in a loop before all else, and belong to no order of what is computed after it."""
    program = program_of(function)
    x = np.random.default_rng(3).uniform(-0.1, 0.1, size=2 * function.numel_in(0))
    np.testing.assert_array_equal(on_this_processor(program, x, rolls=rolled_of(function) is not None),
                                  compile_program(program)(x))
