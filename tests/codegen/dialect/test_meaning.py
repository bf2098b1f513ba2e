"""What the dialect means: checked Python and machine code have the same bits, for all operands."""

import ctypes

import numpy as np
import pytest
from dialect_functions import (
    CORNERS,
    FACES,
    Run,
    advance,
    areas,
    arrays,
    both_sizes,
    by_addresses,
    functions,
    numbers,
    rate,
    smeared,
    turned,
)

from linkwright.codegen.dialect import Astray, ByName, Machine, layout, plain, text_of

REALS = [0.0, -0.0, 1.0, -1.5, 2.5, 1e-310, 1e300, -1e19, 9.3e18, np.inf, -np.inf, np.nan]
WHOLES = [0, 1, -1, 2, -7, 63, 64, -(2**63), 2**63 - 1, 3]


def same(a, b):
    """Equal bits, every NaN being the same."""
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    assert (np.isnan(a) == np.isnan(b)).all()
    np.testing.assert_array_equal(a[~np.isnan(a)].view(np.int64), b[~np.isnan(b)].view(np.int64))


def every_pair(values):
    first, second = np.meshgrid(values, values)
    return first.ravel(), second.ravel()


def test_every_operation_on_every_pair_of_numbers():
    a, b = every_pair(np.array(REALS))
    i, j = every_pair(np.array(WHOLES))
    count = max(len(a), len(i))
    a, b, i, j = (np.resize(v, count) for v in (a, b, i, j))
    results = []
    for run in (numbers, numbers.plain):
        out, into = np.zeros((count, 8)), np.zeros((count, 10), dtype=np.int64)
        run(a, b, i, j, out, into)
        results.append((out, into))
    same(results[0][0], results[1][0])
    nan = np.isnan(a)  # bits of a NaN are nobody's promise
    np.testing.assert_array_equal(results[0][1][~nan], results[1][1][~nan])


def test_whole_numbers_are_those_that_are_documented():
    out, into = np.zeros((1, 8)), np.zeros((1, 10), dtype=np.int64)

    def of(x, n, m):
        numbers(np.array([x]), np.array([0.0]), np.array([n]), np.array([m]), out, into)
        return into[0].tolist()

    assert of(np.nan, -7, 0)[2:5] == [0, 0, 0]  # by zero, and int(NaN)
    assert of(1e300, -7, 2)[2:5] == [-4, 1, 2**63 - 1]
    assert of(-1e300, -(2**63), -1)[2:5] == [-(2**63), 0, -(2**63)]
    assert of(-2.9, 1, 65)[4:6] == [-2, 2]  # cut off; shifts by their count modulo 64


def test_elementary_functions_have_one_text():
    for x, y in np.random.default_rng(0).normal(size=(20, 2)) * 5:
        assert functions(x, y) == functions.plain(x, y)
    assert functions(0.5, 2.0)[:2] == (0.25, np.hypot(0.5, 2.0))


def test_records_are_memory_of_numpy():
    dtype = layout(Run).dtype
    assert dtype.itemsize == layout(Run).slots * 8 == 8 * (1 + 3 + 2 + 6 + 1)
    runs = np.zeros(2, dtype=dtype)
    runs["h"] = 0.25
    assert advance(runs[:1], 7) == advance.plain(runs[1:], 7)
    assert runs[0] == runs[1] and runs[0]["counts"]["steps"] == 7 and runs[0]["marks"][1].tolist() != [0, 0, 0]


def test_a_record_may_have_its_sizes_put_in():
    assert layout(Run, N=5).slots == 1 + 5 + 2 + 10 + 1


def test_views_and_functions_by_address():
    n, slots = 4, layout(Run).slots
    memory = np.zeros(3 * n + slots)
    memory[: 2 * n] = np.arange(2 * n) + 0.5
    memory[2 * n : 3 * n].view(np.int64)[:] = [1, 2, 3, 4]
    memory[-1] = 100.0  # h of the record

    @ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_int64, ctypes.POINTER(ctypes.c_double))
    def called(x, k, row):
        return x * k + row[1]

    function = ctypes.cast(called, ctypes.c_void_p).value
    v = memory[: 2 * n].reshape(n, 2)
    expected = 100.0 + sum(v[k, 0] * (k + 1) + v[k, 1] for k in range(n))
    assert by_addresses(memory.ctypes.data, n, function) == expected
    assert by_addresses.plain(memory.ctypes.data, n, function) == expected


def test_own_memory_has_the_size_that_the_caller_knows():
    assert both_sizes(2.0) == both_sizes.plain(2.0) == 2.0 * 3 + 2.0 * 21


def test_loops_inside_loops_count_for_themselves():
    import dialect_functions as functions

    assert functions.nested(40) == functions.nested.plain(40) == functions.nested.function(40)


def test_rows_tuples_and_slices():
    results = []
    for run in (areas, areas.plain):
        into = np.zeros(8)
        results.append((run(CORNERS, FACES, into), into.tolist()))
    a, b, c = (CORNERS[FACES[:, k]] for k in range(3))
    expected = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    assert results[0] == results[1]
    np.testing.assert_allclose(results[0][1][:5], expected, rtol=1e-15)
    assert results[0][1][5:] == [results[0][0]] * 3


@pytest.mark.parametrize("lanes", [2, 8])
def test_rows_by_an_index_that_differs_from_lane_to_lane(lanes):
    rng = np.random.default_rng(6)
    faces = rng.integers(0, 8, (lanes, 5, 3))
    expected = np.array([areas(CORNERS, f, np.zeros(8)) for f in faces])
    machine = Machine(areas, lanes, shared=("corners",))
    pointer, whole = ctypes.c_void_p, ctypes.c_int64
    call = ctypes.CFUNCTYPE(None, pointer, whole, pointer, whole, pointer, whole, pointer)(machine.address)
    wide, into, back = np.ascontiguousarray(faces.transpose(1, 2, 0)), np.zeros((8, lanes)), np.zeros(lanes)
    call(CORNERS.ctypes.data, 8, wide.ctypes.data, 5, into.ctypes.data, 8, back.ctypes.data)
    same(back, expected)
    same(into[5], expected)


def test_complex_numbers():
    rng = np.random.default_rng(7)
    z = rng.normal(size=4) + 1j * rng.normal(size=4)
    machine, checked = z.copy(), z.copy()
    assert turned(machine.ctypes.data, 4) == turned.plain(checked.ctypes.data, 4)
    same(machine.view(float), checked.view(float))
    for k in range(4):
        for factor in (2.0, -0.5):
            z[k] = z[k] * (0.5 + 2.0j) / (1.0 - 1.0j - z[k]) * factor
        z[k] -= k in (0, 2)
    np.testing.assert_allclose(machine[1:], z[1:], rtol=1e-13)
    np.testing.assert_allclose(machine[0], z.sum() + 0.25j, rtol=1e-13)


def test_a_model_is_put_in_by_its_name():
    def double(x, y):
        y.data[:] = x.data * 3.0
        y.written[:] = True

    out = np.zeros(2)
    plain(rate, {"model": ByName("model_rhs", 2, double)})(np.array([1.0, 2.0]), out)
    assert out.tolist() == [6.0, 12.0]
    text = text_of(rate, constants={"SIZE": 4})
    assert "call void @model_rhs(ptr" in text and "[4 x double]" in text


def test_what_is_handed_in_is_looked_at():
    with pytest.raises(TypeError, match=r"corners is real\[:, 3\].* got float64 of shape \(8, 2\)"):
        areas(np.zeros((8, 2)), FACES, np.zeros(8))
    with pytest.raises(TypeError, match="not in C order"):
        areas(np.zeros((3, 8)).T, FACES, np.zeros(8))
    with pytest.raises(TypeError, match="faces is whole.* got float64"):
        areas(CORNERS, FACES.astype(float), np.zeros(8))


def test_checked_python_finds_what_goes_astray():
    with pytest.raises(Astray, match=r"dialect_functions.py:\d+: in areas: index 9 in dimension 0"):
        areas.plain(CORNERS, FACES + 9 - FACES, np.zeros(8))
    with pytest.raises(Astray, match="handed in twice"):
        numbers.plain(np.zeros(3), np.zeros(3), *(np.zeros(3, dtype=np.int64),) * 2, *overlapping())


def overlapping():
    memory = np.zeros(54)
    return memory[:24].reshape(3, 8), memory[10:40].view(np.int64).reshape(3, 10)


def test_code_is_kept_by_all_that_it_is_made_of(own_cache):
    from linkwright.codegen.dialect.fingerprint import fingerprint

    assert fingerprint(rate.function, {}) == fingerprint(rate.function, {})
    assert len({fingerprint(rate.function, constants) for constants in ({}, {"SIZE": 3}, {"SIZE": 4})}) == 3
    Machine(areas)
    before = {path.name for path in own_cache.iterdir()}
    Machine(areas)
    assert {path.name for path in own_cache.iterdir()} == before


def test_whole_arrays():
    results = []
    for run in (arrays, arrays.plain, arrays.function):
        a, n = np.arange(20.0).reshape(4, 5), np.array([1, -2, 2**62, 7])
        with np.errstate(over="ignore"):
            run(a, np.array([0.1, -2.0, 3.5, 1e200, 0.7]), n)
        results.append((a, n))
    for a, n in results[1:]:
        same(a, results[0][0])
        np.testing.assert_array_equal(n, results[0][1])


def test_entries_that_are_written_before_they_are_read():
    with pytest.raises(Astray, match="written before they are read"):
        smeared.plain(np.arange(5.0))
