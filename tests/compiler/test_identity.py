"""What tells one value of a user from another: by what it does, in this process and in others."""

import functools
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright.compiler import UNTOLD, fingerprint, identity

FACTOR = 2.0


def of_a(number, name="x"):
    return lambda t: number * t if name else None


class Ramp:
    def __init__(self, slope):
        self.slope = slope

    def __call__(self, t):
        return self.slope * t


def reads_a_global(t):
    return FACTOR * t


def twice(t):
    return reads_a_global(reads_a_global(t))


def again_and_again(n):
    return n * again_and_again(n - 1) if n else 1


@pytest.mark.parametrize("one, same, other", [
    (lambda t: 2 * t, lambda t: 2 * t, lambda t: 3 * t),
    (lambda t: np.sin(t), lambda t: np.sin(t), lambda t: np.cos(t)),
    (lambda t, a=1.0: a * t, lambda t, a=1.0: a * t, lambda t, a=2.0: a * t),
    (lambda t: [k * t for k in (1, 2)], lambda t: [k * t for k in (1, 2)], lambda t: [k * t for k in (1, 3)]),
    (lambda t: t in {"a", "b", "c"}, lambda t: t in {"c", "b", "a"}, lambda t: t in {"a", "b", "d"}),
    (of_a(1.0), of_a(1.0), of_a(2.0)),
    (of_a(np.arange(3.0)), of_a(np.arange(3.0)), of_a(np.arange(3.0) + 1e-9)),
    (functools.partial(of_a, 1.0), functools.partial(of_a, 1.0), functools.partial(of_a, 2.0)),
    (Ramp(1.0), Ramp(1.0), Ramp(2.0)),
    (Ramp(1.0).__call__, Ramp(1.0).__call__, Ramp(2.0).__call__),
    (lw.final("rev.phi"), lw.final("rev.phi"), lw.largest("rev.phi")),
    (lw.final("rev.phi", at=1.0), lw.final("rev.phi", at=1.0), lw.final("rev.phi", at=2.0)),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 2, "b": 1}),
    (np.sin, np.sin, np.cos), ((1, 2.0), (1, 2.0), (1, 2)),
])
def test_values_are_alike_that_do_the_same(one, same, other):
    assert identity(one) == identity(same) != identity(other)
    assert not identity(one).startswith(UNTOLD)


def test_what_a_function_reads_is_part_of_it(monkeypatch):
    before = identity(reads_a_global), identity(twice)
    assert identity(again_and_again) == identity(again_and_again)
    monkeypatch.setattr(sys.modules[__name__], "FACTOR", 3.0)
    assert all(a != b for a, b in zip(before, (identity(reads_a_global), identity(twice)), strict=True))


def test_what_cannot_be_told_says_so():
    lock = threading.Lock()
    assert identity(lambda t: lock and t).startswith(UNTOLD)


def test_other_processes_tell_the_same():
    code = textwrap.dedent("""
        from linkwright.compiler import identity
        import linkwright as lw, numpy as np
        def helper(t): return t + 1
        print(identity([lambda t: np.sin(helper(t)) if t in {"a", "b", "c"} else 2.5, {"x", "y", "z"},
                        lw.largest("rev.w"), lw.batch.normal(1, 0.1)]))
    """)
    said = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                           env=os.environ | {"PYTHONHASHSEED": seed}).stdout for seed in "12"}
    assert len(said) == 1


def model(phi=1.0, gain=2.0, period=0.1):
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=phi), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.input("brake", default=0.0)

    @m.every(period)
    def control(t, y):
        return {"brake": gain * y["rev.w"]}

    return m


def test_models_differ_by_starts_and_controllers():
    told = [fingerprint(model()), fingerprint(model(phi=1.1)), fingerprint(model(gain=3.0)),
            fingerprint(model(period=0.2))]
    assert len(set(told)) == 4 and not any(each.startswith(UNTOLD) for each in told)
    assert told[0] == fingerprint(model())
