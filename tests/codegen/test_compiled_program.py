"""The object a compiled program is: calls, checks, timing, threads."""

from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import numpy as np
import pytest

from linkwright.codegen import Program, Solve, Straight, compile_program, machine, native_lanes
from linkwright.codegen.module import emit_module
from linkwright.errors import ModelError


@pytest.fixture
def program():
    q, u = ca.SX.sym("q", 2), ca.SX.sym("u", 3)
    f = ca.Function("f", [q, u], [ca.sin(q), u * q[0]])
    return Program("pair", [("q", 2), ("u", 3)], [("s", 2), ("w", 3)], [Straight(f, ("q", "u"), ("s", "w"))])


def test_sizes_slices_and_values(program):
    c = compile_program(program)
    assert (c.n_in, c.n_out, c.instructions, c.tier) == (5, 5, 5, "optimised")
    assert c.slice_out("w") == slice(2, 5)
    out = np.empty(5)
    assert c([0.5, 1, 1, 2, 3], out) is out
    np.testing.assert_allclose(out, [np.sin(0.5), np.sin(1), 0.5, 1, 1.5], rtol=1e-15)
    assert 0 < c.time([0.5, 1, 1, 2, 3], n=10, repeat=2) < 1
    assert c.address and c.loop_address and c.batch_address


def test_wrong_calls_are_refused(program):
    c = compile_program(program)
    with pytest.raises(ModelError, match=r"shape \(5,\), got \(4,\)"):
        c(np.zeros(4))
    with pytest.raises(ModelError, match="numbers"):
        c(["a"] * 5)
    with pytest.raises(ModelError, match="out must be"):
        c(np.zeros(5), np.zeros(4))
    with pytest.raises(ModelError, match="out must be"):
        c(np.zeros(5), np.zeros(5, dtype=np.float32))
    with pytest.raises(ModelError, match="rows"):
        c.batch(np.zeros((3, 4)))
    with pytest.raises(ModelError, match="'w'"):
        c.slice_out("ww")
    with pytest.raises(ModelError, match="tier"):
        compile_program(program, "slow")
    with pytest.raises(ModelError, match="lanes"):
        compile_program(program, lanes=3)


def test_empty_batch(program):
    for lanes in (1, 8):
        assert compile_program(program, lanes=lanes).batch(np.zeros((0, 5))).shape == (0, 5)


def test_threads_with_their_own_workspaces(program):
    c = compile_program(program, "quick", lanes=native_lanes())
    rows = np.random.default_rng(0).normal(size=(2000, 5))
    expected = c.batch(rows)
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: c.batch(rows), range(16)):
            np.testing.assert_array_equal(result, expected)


def test_programs_compile_in_threads(program):
    with ThreadPoolExecutor(4) as pool:
        compiled = list(pool.map(lambda k: compile_program(program, "quick", 2**k), [0, 1, 2, 3, 0, 1]))
    for c in compiled:
        np.testing.assert_array_equal(c(np.ones(5)), compiled[0](np.ones(5)))


def test_long_code_is_compiled_quickly_by_default():
    x = ca.SX.sym("x", 2)
    y = x[0]
    for k in range(7_000):
        y = y * x[1] + (0.1 if k % 2 else x[0])
    f = ca.Function("f", [x], [y])
    c = compile_program(Program("long", [("x", 2)], [("y", 1)], [Straight(f, ("x",), ("y",))]))
    assert c.tier == "quick" and c.instructions == 14_000
    np.testing.assert_allclose(c([0.3, 0.9])[0], float(f([0.3, 0.9])), rtol=1e-14)


def test_program_without_segments_copies():
    c = compile_program(Program("copy", [("x", 2), ("z", 1)], [("z", 1), ("x", 2)], []), lanes=2)
    np.testing.assert_array_equal(c.batch(np.arange(9.0).reshape(3, 3)), [[2, 0, 1], [5, 3, 4], [8, 6, 7]])


def test_vectors_may_be_empty():
    x, none = ca.SX.sym("x", 2), ca.SX.sym("n", 0)
    f = ca.Function("f", [none, x], [x * 2, ca.SX(0, 1)])
    segments = [Straight(f, ("none", "x"), ("y", "nothing")), Solve("nothing", "nothing", "void", 0)]
    c = compile_program(Program("empty", [("none", 0), ("x", 2)], [("y", 2), ("void", 0)], segments), lanes=2)
    np.testing.assert_array_equal(c([1.0, 2.0]), [2.0, 4.0])


def test_called_sx_functions_are_written_in_place():
    a, b = ca.SX.sym("a", 2), ca.SX.sym("b")
    kernel = ca.Function("kernel", [a, b], [a * b, ca.sin(b)], {"never_inline": True})
    x = ca.SX.sym("x", 3)
    first, second = kernel(x[:2], x[2])
    f = ca.Function("f", [x], [first + second])
    c = compile_program(Program("calls", [("x", 3)], [("y", 2)], [Straight(f, ("x",), ("y",))]))
    np.testing.assert_allclose(c([1.0, 2.0, 3.0]), [3 + np.sin(3), 6 + np.sin(3)], rtol=1e-15)


def test_wide_registers_are_used(program):
    if native_lanes() < 8:
        pytest.skip("no registers of 512 bits here")
    text = emit_module(program, 8, False, 8, machine.function_attributes(8)).text
    llvm = machine._binding()
    assembly = machine._target_machine(2).emit_assembly(llvm.parse_assembly(text))
    assert "zmm" in assembly
