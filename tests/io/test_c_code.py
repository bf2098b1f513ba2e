"""Exported C: it compiles without a warning, and gives the same numbers."""

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest
from fmu_models import bouncing_ball, by_tables, controlled, four_bar, pendulum, spinning_top

import linkwright as lw
from linkwright import forces, joints, molecules, parts, rotational

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


def argon():
    """Three atoms that attract one another: a sum over pairs, written as a loop."""
    field = molecules.ForceField()
    field.atom_class("Ar", "Ar", 0.188, 1.0)
    field.atom_type("argon", "Ar")
    atoms = [(f"A{k}", "argon", place) for k, place in enumerate([[0, 0, 0], [0.4, 0.05, 0], [0.1, 0.37, 0.1]])]
    m = lw.Model("argon")
    m.world = lw.World(gravity=None)
    m.gas = molecules.Molecule(atoms, [], field, "cartesian")
    return m


@pytest.mark.parametrize("make", [arm, springs_in_series, fourbar, by_tables, argon])
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


@pytest.mark.parametrize("make", [arm, fourbar, by_tables])
def test_steps_of_fixed_length_have_the_bits_of_the_simulation(tmp_path, make):
    """Loops closed after every step, unit quaternions; steps of 1/1024 s, whose multiples are exact."""
    model, h = make(), 2.0**-10
    library = Library(model, tmp_path)
    system = lw.compile(model, formulation="projection")
    first, last = lw.simulate(system, 256 * h, method="rk4", fixed_step=h, output_step=256 * h).states
    np.testing.assert_allclose(library.x, first, atol=1e-14)  # closed once more, where there are loops
    library.x[:] = first
    for k in range(256):
        library.call("step", k * h, h, library.x, library.u, library.p)
    np.testing.assert_array_equal(library.x, last)


def test_friction_and_fixed_steps_across_events_are_refused_by_name(tmp_path):
    m = arm()
    m.rev.friction = lw.Coulomb(tau=1.0)
    with pytest.raises(lw.ModelError, match="rev.friction: friction needs events"):
        lw.export(m, tmp_path / "m.c", adaptive=False)
    with pytest.raises(lw.ModelError, match="slide.s < 0.*: a reset needs events"):
        lw.export(bouncing_ball(), tmp_path / "m.c", adaptive=False)


class Run:
    """A run of exported C with events."""

    def __init__(self, model, folder, **options):
        assert lw.export(model, folder / "m.c", **options) == []
        subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-shared", "-fPIC", "-o",
                        str(folder / "m.so"), str(folder / "m.c"), "-lm"], check=True)
        self.code, self.header = ctypes.CDLL(str(folder / "m.so")), (folder / "m.h").read_text()
        self.code.m_begin.restype = ctypes.c_void_p
        self.code.m_time.restype, self.code.m_reason.restype = ctypes.c_double, ctypes.c_char_p
        self.run = ctypes.c_void_p(self.code.m_begin())
        self.outputs = int(re.search(r"M_NY (\d+)", self.header).group(1))

    def course(self, times) -> np.ndarray:
        """Outputs at the times."""
        rows = []
        for t in times:
            status = self.code.m_advance(self.run, ctypes.c_double(t))
            assert status == 0, self.code.m_reason(status)
            y = (ctypes.c_double * self.outputs)()
            self.code.m_outputs(self.run, y)
            rows.append(list(y))
        return np.array(rows)


@pytest.mark.parametrize("make, outputs", [(bouncing_ball, ["height", "slide.v"]), (controlled, ["angle", "body.r_0"]),
                                           (four_bar, ["rocking"]), (spinning_top, ["tip"]),
                                           (by_tables, ["angle"])])
def test_a_run_with_events_is_that_of_the_simulation(tmp_path, make, outputs):
    """Both at accuracy 1e-13, where the error of the whole is that of rounding; loops and quaternions too.

    Steps end at the times that are asked for, so these runs differ by rounding (`test_same_bits`: those that do not).
    """
    times, m = np.linspace(0.1, 1.2, 12), make()
    run = Run(m, tmp_path, outputs=outputs, adaptive=True, accuracy=1e-13)
    wanted = lw.simulate(m, 1.2, accuracy=1e-13).at(times)
    columns = np.column_stack([wanted[name] for name in outputs])
    # 30 rad/s: rounding of 35 rad
    scale = 10 if make is spinning_top else 1
    np.testing.assert_allclose(run.course(times), columns, rtol=1e-12, atol=1e-12 * scale)


def test_runs_are_apart_start_again_and_take_inputs(tmp_path):
    run = Run(pendulum(), tmp_path, outputs=["rev.phi"], tunable=["body.m"], adaptive=True, accuracy=1e-12)
    assert "u[0]  motor.tau" in run.header and "p[0]  body.m" in run.header
    times = [0.3, 0.6]
    first = run.course(times)
    others = [run.code.m_begin() for _ in range(4)]
    assert all(others[:3]) and not others[3]  # four at a time
    run.code.m_restart(run.run)
    np.testing.assert_array_equal(run.course(times), first)
    run.code.m_restart(run.run)
    run.code.m_set_inputs(run.run, (ctypes.c_double * 1)(2.0))
    run.code.m_set_parameters(run.run, (ctypes.c_double * 1)(1.5))
    m = pendulum()
    m.body.m = 1.5
    wanted = lw.simulate(m, 0.6, accuracy=1e-12, inputs={"motor.tau": 2.0}).at(np.array(times))["rev.phi"]
    np.testing.assert_allclose(run.course(times)[:, 0], wanted, atol=1e-11)
