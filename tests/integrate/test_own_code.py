"""Code of one kind of run has the bits of the code that travels with the package, and comes when worth its time."""

import hashlib
import runpy
from pathlib import Path

import pytest

import linkwright as lw
from linkwright import forces, joints, parts
from linkwright.codegen.dialect import Layout
from linkwright.integrate import own_code
from linkwright.integrate.methods import METHODS
from linkwright.integrate.step_programs import through

FOUR_BAR = Path(__file__).parents[2] / "examples" / "fourbar.py"
EXPLICIT = [name for name, method in METHODS.items() if not method.implicit]
FOREVER = 1e9


@pytest.fixture(scope="module")
def machine():
    """A pendulum with a relation and a law with a short feature."""
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.push = forces.WorldForce(force=[100 * lw.exp(-((lw.time - 0.6) / 0.001) ** 2), 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.connect(m.body.frame_a, m.push.frame_b)
    m.output("side", lw.where(m.rev.phi > 0, 1.0, -1.0))
    return lw.compile(m)


@pytest.fixture(scope="module")
def tumbling():
    """A free body, with a quaternion."""
    m = lw.Model("tumbling")
    m.world = lw.World()
    m.spin = parts.Body(m=1.0, I_11=1, I_22=2, I_33=3, r_0=[1, 1, 1], v_0=[1, 0, 0], w_0=[3, 2, 1])
    return lw.compile(m)


@pytest.fixture(autouse=True)
def no_code_yet():
    own_code._kind.cache_clear()
    yield
    own_code._kind.cache_clear()


def run(system, method, after, monkeypatch, **options):
    """The result, and a digest of all its numbers, with code of its own after so many seconds."""
    monkeypatch.setattr(own_code, "COMPILED_AFTER", after)
    monkeypatch.setattr(own_code, "FETCHED_AFTER", FOREVER)
    result = lw.simulate(system, 1.0, method=method, accuracy=1e-7,
                         fixed_step=None if METHODS[method].adaptive else 0.01, **options)
    between = [result._stepper.dense(t).tobytes() for t in (0.333, 0.777)]
    told = repr((result.events, result.counters, result.messages)).encode()
    return result, hashlib.sha256(b"".join([result.states.tobytes(), *between, told])).hexdigest()


@pytest.mark.parametrize(("model", "method"), [*(("machine", name) for name in EXPLICIT), ("tumbling", "dopri5")])
def test_a_run_may_go_on_with_its_own_code_after_any_step(model, method, request, monkeypatch):
    """The first steps are those of the shipped code, the others of its own: with the bits of a run that stayed."""
    machine = request.getfixturevalue(model)
    stayed, expected = run(machine, method, FOREVER, monkeypatch)
    assert stayed._stepper._kind.code is None
    went_on, found = run(machine, method, 0.0, monkeypatch)
    assert went_on._stepper._kind.code is not None
    assert found == expected
    again, whole = run(machine, method, 0.0, monkeypatch)  # all of it by its own
    assert again._stepper._kind is went_on._stepper._kind
    assert whole == expected


def test_loops_that_are_projected(monkeypatch):
    """How well constraints hold is watched, which makes arrays wider than they were when the stepper was made."""
    system = lw.compile(runpy.run_path(str(FOUR_BAR))["model"], formulation="projection")
    assert run(system, "dop853", 0.0, monkeypatch)[1] == run(system, "dop853", FOREVER, monkeypatch)[1]


@pytest.mark.parametrize("method", sorted(set(METHODS) - set(EXPLICIT)))
def test_implicit_methods_keep_the_code_of_the_package(method, machine, monkeypatch):
    result, _ = run(machine, method, 0.0, monkeypatch)
    assert result._stepper._kind is None


def test_it_is_compiled_once_runs_have_taken_long_and_fetched_earlier(monkeypatch):
    kind, made = own_code.Kind(METHODS["rk4"], ()), []
    monkeypatch.setattr(kind, "make", lambda: made.append(kind._seconds))
    monkeypatch.setattr(own_code.Kind, "_constants", {})
    monkeypatch.setattr(own_code.Machine, "is_kept", lambda *given, **more: False)
    for _ in range(10):
        kind.note(0.11)
    assert [round(s, 2) for s in made] == [1.1]  # after a second of work
    monkeypatch.setattr(own_code.Machine, "is_kept", lambda *given, **more: True)
    kind, made[:] = own_code.Kind(METHODS["rk4"], ()), []
    monkeypatch.setattr(kind, "make", lambda: made.append(kind._seconds))
    kind.note(0.04)
    assert not made
    kind.note(0.04)
    assert len(made) == 1


def test_whether_decisions_are_in_the_cache_is_looked_up_once(monkeypatch):
    """To look takes longer than many a run, which asks after a few events."""
    looks = []
    monkeypatch.setattr(through.Machine, "is_kept", staticmethod(lambda *_, **__: bool(looks.append(1))))
    rows = Layout("nothing", (), 0)
    for _ in range(3):
        through.is_made_through(rows)
    assert len(looks) <= 1
