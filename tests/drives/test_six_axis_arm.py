"""The six-axis arm of the examples: what it does, and what its code costs."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import blocks
from linkwright.algebra import Inertia, Transform, axis_frame
from linkwright.mechanism import MechanismBuilder, Revolute

PATH = Path(__file__).parents[2] / "examples" / "six_axis_arm.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("six_axis_arm", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def direct(example):
    """The same arm described to the engine: rotors as armature, the PI states by hand."""
    b = MechanismBuilder("arm", gravity=[0, 0, -9.80665])
    path = blocks.kinematic_ptp(example.END, example.BEGIN, [a[6] for a in example.AXES], [a[7] for a in example.AXES],
                                start_time=0.2)
    parent, before = "world", np.zeros(3)
    for k, (n, r, mass, ratio, J, gain, _, _) in enumerate(example.AXES):
        r, X = np.array(r), Transform(axis_frame(n))
        inertia = Inertia(mass, r / 2, [mass * (0.02 + r @ r / 12)] * 3)
        if k == 5:
            inertia = inertia + Inertia(example.PAYLOAD, r + [0.1, 0, 0], [example.PAYLOAD * 0.01] * 3)
        name = f"joint{k + 1}"
        b.body(name, parent, Revolute(), Transform(None, before) @ X, X, inertia, armature=J * ratio**2)
        phi, w = b.variable("q", name) * ratio, b.variable("u", name) * ratio
        error = ratio * path.qd[k] + 20.0 * (ratio * path.q[k] - phi) - w
        x = b.state(f"x{k}", lambda x, error=error: error / 0.08)
        b.mobility_force(f"drive{k}", name, gain * (x + error) * ratio)
        parent, before = name, r
    return b.build()


def test_arm_follows_its_reference_and_comes_to_rest(example):
    r = lw.simulate(example.model, 3.0)
    for k in range(6):
        assert np.abs(r[f"joint{k + 1}.phi"] - r[f"reference{k + 1}"]).max() < 0.01
        assert r[f"joint{k + 1}.phi"][-1] == pytest.approx(example.END[k], abs=1e-6)
    # at rest the motor carries the weight beyond the joint through the gear
    for k, axis in enumerate(example.AXES):
        assert r[f"joint{k + 1}.tau"][-1] == pytest.approx(axis[3] * r[f"drive{k + 1}.motor.tau"][-1], abs=1e-3)


def test_connecting_parts_costs_nothing_at_run_time(example):
    """Instructions of the right-hand side: components and connections against the engine's own description."""
    assert lw.compile(example.build()).instructions == lw.compile(direct(example)).instructions


def test_arm_and_direct_description_agree(example):
    system, plain = lw.compile(example.model), lw.compile(direct(example))
    f, g = system.function(["t", "q", "u", "z"], ["udot"]), plain.function(["t", "q", "u", "z"], ["udot"])
    rng = np.random.default_rng(3)
    q, u, z = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6)
    assert np.ravel(f(0.1, q, u, z)) == pytest.approx(np.ravel(g(0.1, q, u, z)), rel=1e-9)
