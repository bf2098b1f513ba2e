"""An action sets a speed inside a loop that has further freedoms: what the others do, wherever the loop is cut."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts

Z = [0, 0, 1]
BARS = (1.0, 0.7, 1.3, 0.5)  # kg


def five_bar(backwards=False):
    """Two cranks, two rods and a bob that hangs on one of them; at 0.1 s one crank is thrown back."""
    m = lw.Model("five-bar")
    m.world = lw.World()
    m.r1, m.r2 = joints.Revolute(n=Z, phi=1.4, w=0.7), joints.Revolute(n=Z, phi=lw.guess(-1.0))
    m.r3, m.r4 = joints.Revolute(n=Z, phi=1.3, w=-0.4), joints.Revolute(n=Z, phi=lw.guess(0.9))
    m.r5, m.r6 = joints.Revolute(n=Z), joints.Revolute(n=Z, phi=0.3, w=1.0)
    m.bar = [parts.BodyShape(m=mass, r=[0.6, 0, 0], r_cm=[0.25, 0.03, 0], inertia=[0.01, 0.03, 0.03]) for mass in BARS]
    m.base, m.bob = parts.FixedTranslation(r=[0.8, 0, 0]), parts.Body(m=0.4, r_cm=[0.2, 0, 0])
    m.chain(m.world, m.r1, m.bar[0], m.r2, m.bar[1], m.r5)
    m.chain(m.world, m.base, m.r3, m.bar[2], m.r4, m.bar[3])
    m.connect(m.bar[3].frame_b, m.r5.frame_b)
    m.chain(m.bar[1], m.r6, m.bob)
    m.when(lw.time > 0.1, {m.r1.w: -0.5 * m.r1.w})
    if backwards:
        m.__dict__["_children"] = dict(reversed(m._children.items()))
        m.__dict__["_connections"] = list(reversed(m._connections))
    return m


NAMES = ("r1.w", "r2.w", "r3.w", "r4.w", "r5.w", "r6.w")


def sides(r):
    return (np.array([r.at(0.1, side=side)[name] for name in NAMES]) for side in ("before", "after"))


@pytest.fixture(scope="module")
def run():
    return lw.simulate(five_bar(), 0.2, output_step=0.1, accuracy=1e-10)


def test_it_does_not_matter_where_the_loop_is_cut(run):
    other = lw.simulate(five_bar(backwards=True), 0.2, output_step=0.1, accuracy=1e-10)
    assert run.system.part_names("q") != other.system.part_names("q")
    for found, expected in zip(sides(other), sides(run), strict=True):
        assert found == pytest.approx(expected, abs=1e-8)
    for k in (1, 3, 6):
        assert other[f"r{k}.phi"][-1] == pytest.approx(run[f"r{k}.phi"][-1], abs=1e-8)


def test_the_others_change_as_little_as_they_can(run):
    """Of all changes with that of the crank and none of the bob's joint, none has a smaller kinetic energy."""
    system, (before, after) = run.system, sides(run)
    assert after[0] == pytest.approx(-0.5 * before[0], abs=1e-12) and after[5] == pytest.approx(before[5], abs=1e-12)
    state = lw.simulate(system, 0.1, accuracy=1e-10).end
    names = [name.replace(".phi", ".w") for name in system.part_names("q")]
    change = (after - before)[[NAMES.index(name) for name in names]]
    M, G = (np.asarray(getattr(system, what)(state)) for what in ("mass_matrix", "constraint_matrix"))
    held = np.eye(len(names))[[names.index("r1.w"), names.index("r6.w")]]
    free = np.linalg.svd(np.vstack([G, held]))[2][np.linalg.matrix_rank(np.vstack([G, held]), tol=1e-9):]
    assert len(free) == 1 and np.abs(G @ change).max() < 1e-9
    assert abs(free @ M @ change).max() < 1e-9


def test_its_derivative_is_that_of_neighbouring_runs():
    names = ["r1.w", "r3.w", "bar[2].m"]
    r = lw.simulate(five_bar(), 0.2, output_step=0.1, accuracy=1e-10, sensitivities=names)
    for name, h in zip(names, (1e-5, 1e-5, 1e-5), strict=True):
        runs = []
        for step in (h, -h):
            m = five_bar()
            if name.endswith(".m"):
                m.bar[2].m = BARS[2] + step
            else:
                joint = getattr(m, name.partition(".")[0])
                joint.start_at(w={"r1.w": 0.7, "r3.w": -0.4}[name] + step)
            runs.append(lw.simulate(m, 0.2, output_step=0.1, accuracy=1e-12))
        for output in ("r3.w", "r4.w", "r6.w"):
            slope = (runs[0][output][-1] - runs[1][output][-1]) / (2 * h)
            assert r.sensitivity(output, name)[-1] == pytest.approx(slope, abs=2e-6), (output, name)
