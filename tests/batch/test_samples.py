"""Samples of sweeps: the same values whoever asks and however many, with the distributions that were named."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.batch.distributions import choice, lognormal, normal, truncated, uniform
from linkwright.batch.samples import sampled
from linkwright.batch.sobol import sobol_indices


@pytest.mark.parametrize("sampler", ["sobol", "halton", "random", "saltelli"])
def test_earlier_samples_stay_when_more_are_asked_for(sampler):
    given = {"a": normal(1, 0.1), "b": uniform(-1, 1)}
    few, many = (sampled(given, False, n, sampler, 3) for n in (100, 1000))
    for name in given:
        np.testing.assert_array_equal(few.values[name], many.values[name][: few.n])
    assert np.any(sampled(given, False, 100, sampler, 4).values["a"] != few.values["a"])
    np.testing.assert_array_equal(few.seeds(3), many.seeds(3)[: few.n])
    assert len(set(many.seeds(3))) == many.n


@pytest.mark.parametrize("sampler", ["sobol", "halton", "latin"])
def test_low_discrepancy_samples_fill_every_tenth_of_the_range(sampler):
    values = sampled({"a": uniform(0, 1), "b": uniform(0, 1)}, False, 200, sampler, 0).values
    for column in values.values():
        assert np.histogram(column, 10, (0, 1))[0].min() >= 15


@pytest.mark.parametrize("of, mean, deviation", [
    (uniform(2, 4), 3.0, 2 / np.sqrt(12)), (normal(1.0, 0.2), 1.0, 0.2),
    (lognormal(2.0, 0.5), 2 * np.exp(0.125), 2 * np.exp(0.125) * np.sqrt(np.exp(0.25) - 1)),
    (choice([1, 3], [3, 1]), 1.5, np.sqrt(0.75)),
    (truncated(normal(0, 1), 0, 8), np.sqrt(2 / np.pi), np.sqrt(1 - 2 / np.pi)),
])
def test_distributions_have_their_mean_and_deviation(of, mean, deviation):
    x = sampled({"a": of}, False, 2**15, "sobol", 1).values["a"]
    assert x.mean() == pytest.approx(mean, rel=1e-3)
    assert x.std() == pytest.approx(deviation, rel=3e-3)


def test_grids_and_pairs():
    grid = sampled({"a": [1, 2], "b": [3, 4, 5]}, False, None, "sobol", 0)
    assert [tuple(grid.row(k).values()) for k in range(grid.n)] == [(1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5)]
    pairs = sampled({"a": [1, 2], "b": [3, 4], "c": lambda v: v["a"] + v["b"]}, True, None, "sobol", 0)
    assert [tuple(pairs.row(k).values()) for k in range(2)] == [(1, 3, 4), (2, 4, 6)]
    vectors = sampled({"r": [[1, 0, 0], [0, 1, 0]]}, False, None, "sobol", 0)
    np.testing.assert_array_equal(vectors.row(1)["r"], [0, 1, 0])


@pytest.mark.parametrize("call, said", [
    (lambda: uniform(1, 1), "less than the second"), (lambda: normal(1, -1), "positive"),
    (lambda: lognormal(-1, 1), "positive"), (lambda: choice([]), "as many weights"),
    (lambda: truncated(normal(0, 1), 40, 41), "nothing of the distribution"), (lambda: uniform("a", 1), "finite"),
    (lambda: sampled({"a": [1, 2], "b": [1, 2, 3]}, True, None, "sobol", 0), "a has 2, b has 3"),
    (lambda: sampled({"a": normal(0, 1)}, False, None, "sobol", 0), "how many samples"),
    (lambda: sampled({"a": normal(0, 1)}, False, 10, "sobl", 0), "choose one of"),
    (lambda: sampled({"a": [1]}, False, 10, "sobol", 0), "goes with distributions"),
    (lambda: sampled({"a": normal(0, 1), "b": [1, 2]}, False, 8, "sobol", 0), "lw.choice"),
    (lambda: sampled({"a": ["x"]}, False, None, "sobol", 0), "list of numbers"),
    (lambda: sampled({"a": [1], "b": lambda v: v["c"]}, False, None, "sobol", 0), "its formula fails for run 0"),
    (lambda: sampled({}, False, None, "sobol", 0), "values by name"),
])
def test_what_makes_no_sense_is_refused_before_anything_runs(call, said):
    with pytest.raises(lw.ModelError, match=said):
        call()


def ishigami(n: int, seed: int) -> tuple[list[str], np.ndarray]:
    """f = sin x₁ + 7 sin² x₂ + 0.1 x₃⁴ sin x₁ on (−π, π)³ (Ishigami, Homma 1990), at the points of the indices."""
    names = ["x1", "x2", "x3"]
    x = sampled({name: uniform(-np.pi, np.pi) for name in names}, False, n, "saltelli", seed).values
    return names, np.sin(x["x1"]) + 7 * np.sin(x["x2"]) ** 2 + 0.1 * x["x3"] ** 4 * np.sin(x["x1"])


def test_sobol_indices_of_ishigamis_function():
    """S = 0.3139, 0.4424, 0, within the standard error 1/√n of n independent samples, which those of Sobol beat."""
    names, f = ishigami(2**13, 5)
    found = sobol_indices(f, names)
    for name, first, total in zip(names, (0.313905, 0.442411, 0.0), (0.557589, 0.442411, 0.243684), strict=True):
        assert found[name]["first"] == pytest.approx(first, abs=0.01)
        assert found[name]["total"] == pytest.approx(total, abs=0.01)


def test_sobol_indices_do_not_depend_on_unit_and_origin():
    """Those of 3 f + 1e4 are those of f: the estimate of the first order is of the deviations from the mean."""
    names, f = ishigami(2**8, 5)
    here, there = sobol_indices(f, names), sobol_indices(3 * f + 1e4, names)
    for name in names:
        for kind in ("first", "total"):
            assert there[name][kind] == pytest.approx(here[name][kind], abs=1e-9)
