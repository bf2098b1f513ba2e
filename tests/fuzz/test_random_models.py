"""Random mechanisms obey every law, in both formulations; malformed models are refused by name, or right.

A failure names its seed: `check(seed)` in `laws.py`, `judge(seed)` in `malformed.py`.  `make fuzz` looks at thousands.
"""

import pytest
from laws import check
from malformed import judge


@pytest.mark.parametrize("seed", [seed if seed < 20 else pytest.param(seed, marks=pytest.mark.slow)
                                  for seed in range(42)])
def test_random_mechanisms_obey_the_laws(seed):
    check(seed)


@pytest.mark.parametrize("seed", range(60))
def test_malformed_models_are_refused_by_name_or_right(seed):
    judge(seed)
