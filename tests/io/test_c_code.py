"""Exported C: it compiles without a warning, and gives the same numbers."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts, rotational

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


class Library:
    """Exported code, compiled as strictly as the compiler can, and called."""

    def __init__(self, model, folder, **options):
        assert lw.export(model, folder / "m.c", **options) == []
        subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-shared", "-fPIC", "-o",
                        str(folder / "m.so"), str(folder / "m.c"), "-lm"], check=True)
        self.code = ctypes.CDLL(str(folder / "m.so"))
        sizes = dict(line.split()[1:3] for line in (folder / "m.h").read_text().splitlines() if "define M_N" in line)
        self.x, self.u, self.p, self.y = (np.zeros(int(sizes[f"M_N{k}"])) for k in "XUPY")
        self.call("start", self.x, self.u, self.p)

    def call(self, name, *arguments):
        getattr(self.code, f"m_{name}")(*[
            a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) if isinstance(a, np.ndarray) else ctypes.c_double(a)
            for a in arguments])

    def rhs(self, t, x):
        dx = np.zeros_like(self.x)
        self.call("rhs", t, x, self.u, self.p, dx)
        return dx


def arm():
    """Two joints and a free body, with an input, a state of its own and an output."""
    m = lw.Model("arm")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=1.0, w=0.3)
    m.rod = parts.BodyShape(m=1.0, r=[0.5, 0, 0], r_cm=[0.25, 0, 0])
    m.ball = joints.Spherical(angles=[0.1, 0.2, 0.3])
    m.body = parts.Body(m=0.7, r_cm=[0.2, 0.1, 0], inertia=[0.02, 0.03, 0.04])
    m.motor = rotational.Torque()
    push = m.input("push", 0.4)
    m.motor.tau = push - 2 * m.rev.w - m.integral(m.rev.phi - 0.5, name="error")
    m.chain(m.world, m.rev, m.rod, m.ball, m.body)
    m.connect(m.rev.axis, m.motor.flange)
    return m


def springs_in_series():
    """A point without mass between springs: its place is found by Newton's method."""
    m = lw.Model("springs")
    m.world = lw.World()
    m.body = parts.Body(m=1.0, r_0=[0.3, -0.8, 0.2], inertia=[0.1, 0.1, 0.1])
    m.left, m.right = parts.Fixed(r=[-0.5, 0, 0]), parts.Fixed(r=[0.5, 0, 0])
    m.one, m.two = (forces.Spring(c=c, s_unstretched=0.1) for c in (20, 30))
    m.three = forces.Spring(c=40, s_unstretched=0.1)
    m.connect(m.left.frame_b, m.one.frame_a)
    m.connect(m.right.frame_b, m.two.frame_a)
    m.connect(m.one.frame_b, m.two.frame_b, m.three.frame_a)
    m.connect(m.three.frame_b, m.body.frame_a)
    return m


def fourbar():
    m = lw.Model("fourbar")
    m.world = lw.World()
    m.a = joints.Revolute(phi=1.0)
    m.b, m.c, m.d = (joints.Revolute() for _ in range(3))
    m.base = parts.FixedTranslation(r=[1, 0, 0])
    m.crank = parts.BodyShape(m=1.0, r=[0.3, 0, 0], r_cm=[0.15, 0, 0])
    m.coupler = parts.BodyShape(m=1.0, r=[1.0, 0, 0], r_cm=[0.5, 0, 0])
    m.rocker = parts.BodyShape(m=1.0, r=[0, 0.6, 0], r_cm=[0, 0.3, 0])
    m.chain(m.world, m.a, m.crank, m.b, m.coupler, m.c)
    m.chain(m.world, m.base, m.d, m.rocker)
    m.connect(m.rocker.frame_b, m.c.frame_b)
    return m


@pytest.mark.parametrize("make", [arm, springs_in_series, fourbar])
def test_the_right_hand_side_is_the_same(tmp_path, make):
    """To 1e-12 of the largest rate: another library's sine, and the same operations."""
    model = make()
    library, system = Library(model, tmp_path), lw.compile(model, formulation="projection")
    state = system.state()
    np.testing.assert_array_equal(library.x, np.concatenate([state.q, state.u, state.z]))
    random = np.random.default_rng(0)
    for k in range(5):
        state.u = state.u + 0.3 * random.normal(size=len(state.u)) * (k > 0)
        state.t = 0.1 * k
        wanted = np.concatenate([np.ravel(system.evaluate(state, name)) for name in ("qdot", "udot", "zdot")])
        found = library.rhs(state.t, np.concatenate([state.q, state.u, state.z]))
        np.testing.assert_allclose(found, wanted, atol=1e-12 * np.abs(wanted).max())


def test_steps_follow_the_simulation(tmp_path):
    """A thousand steps of 1 ms: order four leaves an error far below 1e-8, and quaternions of length one."""
    model = arm()
    library = Library(model, tmp_path, outputs=["body.r_0", "rev.phi"], tunable=["body.m"])
    assert library.p.tolist() == [0.7] and library.u.tolist() == [0.4]
    for k in range(1000):
        library.call("step", k * 1e-3, 1e-3, library.x, library.u, library.p)
    library.call("outputs", 1.0, library.x, library.u, library.p, library.y)
    r = lw.simulate(model, 1.0, accuracy=1e-10)
    np.testing.assert_allclose(library.y, [*r["body.r_0"][-1], r["rev.phi"][-1]], atol=1e-8)
    names = [line.split()[2] for line in (tmp_path / "m.h").read_text().splitlines() if line.startswith(" *   x[")]
    k = names.index("ball.Q_0")
    assert np.linalg.norm(library.x[k:k + 4]) == pytest.approx(1, abs=1e-15)


def test_events_are_refused_by_name(tmp_path):
    m = arm()
    m.rev.friction = lw.Coulomb(tau=1.0)
    with pytest.raises(lw.ModelError, match="rev.friction: friction needs events"):
        lw.export(m, tmp_path / "m.c")
