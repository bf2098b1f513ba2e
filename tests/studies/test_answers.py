"""Questions of newcomers are answered where they arise."""

import subprocess
import sys

import pytest

import linkwright as lw
from linkwright import blocks, joints, parts, rotational


def pendulum() -> lw.Model:
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.motor = rotational.Torque()
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.motor.flange)
    return m


def test_a_parameter_of_the_code_says_how_to_tune_it():
    with pytest.raises(lw.ModelError, match=r"tunable=\['body.m'\]"):
        lw.compile(pendulum()).state().set("body.m", 2.0)


def test_a_gain_inside_a_block_says_how_to_make_it_a_parameter():
    m = pendulum()
    m.motor.tau = blocks.pid(1.0, k=2.0, measured=m.rev.phi, name="pid")
    with pytest.raises(lw.ModelError, match=r"k = lw.parameter\(…\), and write self.k"):
        lw.simulate(m, 1.0, sensitivities=["pid.k"])


def test_to_control_says_which_package_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(lw.ModelError, match="pip install control"):
        lw.linearize(pendulum()).to_control()


def test_completion_shows_what_users_need():
    m = pendulum()
    assert not {"check_numbers", "formerly", "pins"} & {*dir(m), *dir(m.rev)}
    assert {"chain", "connect", "rev", "show"} <= set(dir(m)) and {"phi", "axis", "frame_b"} <= set(dir(m.rev))


def test_a_list_that_nobody_reads_to_its_end_ends_quietly():
    reader = "import sys; sys.stdin.readline()"
    code = "from linkwright.cli import main; raise SystemExit(main(['examples']))"
    writer = subprocess.Popen([sys.executable, "-c", code],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    subprocess.run([sys.executable, "-c", reader], stdin=writer.stdout, check=True)
    writer.stdout.close()
    assert writer.stderr.read() == b""
