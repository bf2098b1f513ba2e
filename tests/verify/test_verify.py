"""`lw.verify`: what it compares, that it finds what differs, and that it leaves the model as it was."""

import json
import runpy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts, rotational, translational
from linkwright.cli import main
from linkwright.compiler import fingerprint
from linkwright.verify import tolerances
from linkwright.verify.cases import Case
from linkwright.verify.routes import ACCURACY, BITS, Pair, Route
from linkwright.verify.verify import ROUTES, _row

EXAMPLES = Path(__file__).parents[2] / "examples"


def pendulum():
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.damper = rotational.Damper(d=0.1)
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.support, m.damper.flange_a)
    m.connect(m.rev.axis, m.damper.flange_b)
    return m


def thrown():
    """Six freedoms, an action and an output."""
    m = lw.Model("thrown")
    m.world = lw.World()
    m.body = parts.Body(m=1.0, inertia=[0.1, 0.2, 0.35], r_0=[0, 0, 0], v_0=[1, 2, 0], w_a=[0.1, 3.0, 0.2])
    m.output("height", m.body.r_0[1])
    m.terminate(m.body.r_0[1] < -0.5, "down")
    return m


def resting():
    """A mass on a spring that begins at rest: what it starts with follows from its acceleration."""
    m = lw.Model("resting")
    m.world, m.body = lw.World(), parts.Body(m=1.0)
    m.rail = joints.Prismatic(n=[0, 1, 0], s=lw.guess(-0.1), v=0, a=0)
    m.chain(m.world, m.rail, m.body)
    m.spring = translational.SpringDamper(c=100.0, d=1.0)
    m.connect(m.rail.support, m.spring.flange_a)
    m.connect(m.rail.axis, m.spring.flange_b)
    return m


#: routes that begin no other process and compile no C
INSIDE = ["numbers", "parameter", "in two", "model", "system", "result", "formulation", "method dop", "method radau",
          "method rk4", "sweep in lanes", "sweep with", "sweep in two", "Simulator", "MJCF", "URDF"]


@pytest.mark.parametrize("make", [pendulum, thrown])
def test_every_route_says_the_same(make):
    report = lw.verify(make(), 0.5, INSIDE)
    assert report and report.exit_code == 0, report
    assert {report[name].status for name in ("sweep in lanes", "Simulator", "model pickled")} == {"same bits"}
    assert report["method radau"].status == "same to accuracy" and report["method radau"].gap < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("make", [pendulum, thrown])
def test_every_route_there_is(make):
    report = lw.verify(make(), 0.5, limit=300)
    assert report, report
    assert not any(row.status == "left out" for row in report if row.route in ("FMU", "C", "page", "sweep by Dask"))


def test_the_page_and_c_of_a_pendulum():
    report = lw.verify(pendulum(), 0.5, ["C", "page"])
    assert report, report
    assert all(row.status in ("same to accuracy", "same bits", "not installed") for row in report)


@pytest.mark.parametrize("events", [False, True])
def test_the_page_of_a_loop_begins_as_simulations_do(events):
    """Bricard's ring has an equation too many: each time it is closed again, speeds change in their last bit."""
    m = runpy.run_path(str(EXAMPLES / "bricard.py"))["m"]
    if events:
        m.terminate(m.rev[1].phi > 100, "far")
    (row,) = lw.verify(m, 0.1, ["page"])
    assert row.status in ("same bits", "not installed"), row


def test_a_page_begins_behind_an_impact_at_the_start():
    """A ball that meets the floor as the run begins: `simulate` keeps its speed before, a page shows the one after."""
    m = lw.Model("ball")
    m.world, m.floor = lw.World(), contact.Plane(n=[0, 1, 0])
    m.ball, m.skin = parts.Body(m=1, r_0=[0, 0.1, 0], v_0=[0.3, -1, 0]), contact.Sphere(radius=0.1)
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.pair = contact.Pair(m.floor, m.skin, law=contact.Rigid(mu=0.5, restitution=0.5))
    (row,) = lw.verify(m, 0.1, ["page"])
    assert row.status in ("same bits", "not installed"), row


def by_hand(compared, off, at=0.3):
    """A route that is off by a little from some time on."""
    def run(case):
        values = {name: v + np.where(case.reference.t >= at, off, 0.0) for name, v in case.reference.values.items()}
        found = replace(case.reference, values=values)
        yield Pair(case.reference if compared == BITS else case.finer, found)

    return Route("by hand", compared, run)


@pytest.mark.parametrize("compared, off, status", [
    (BITS, 0.0, "same bits"), (BITS, 1e-15, "differs"), (ACCURACY, 1e-10, "same to accuracy"),
    (ACCURACY, 1e-5, "differs"), (ACCURACY, np.nan, "differs")])
def test_what_differs_is_found_with_its_name_and_time(compared, off, status):
    case = Case(pendulum(), 0.5, 1e-8, 60)
    row = _row(by_hand(compared, off), case)
    assert row.status == status
    if status == "differs":
        first = case.reference.t[case.reference.t >= 0.3][0]
        assert "rev.phi" in row.said and f"t = {first:.6g} s" in row.said


def test_refusals_that_are_not_allowed_count():
    def refuses(case):
        raise lw.ModelError("rev: this is not in it yet.")
        yield

    case = Case(pendulum(), 0.1, 1e-8, 60)
    assert _row(Route("x", BITS, refuses, ("is not in it yet",)), case).status == "refuses"
    assert _row(Route("x", BITS, refuses), case).status == "refuses unexpectedly"


def test_a_start_by_acceleration_is_seen_where_a_parameter_is_set_afterwards():
    """The same law on both sides: a(0) = 0 in the runs that are compared; a route that forgets it differs."""
    case = Case(resting(), 0.3, 1e-8, 60)

    def forgets(case):
        system = lw.compile(case.fresh())
        yield Pair(case.finer, case.run(system, state=system.state().set("rail.s", -0.1)))

    assert _row(Route("forgets", ACCURACY, forgets), case).status == "differs"
    assert lw.verify(resting(), 0.3, ["method dopri5", "model"])


remembered = []


def controlled():
    m = pendulum()
    m.motor = rotational.Torque(tau=m.input("torque"))
    m.connect(m.rev.axis, m.motor.flange)
    last = {"phi": 0.0}

    @m.every(0.01)
    def control(t, y):
        remembered.append(t)
        rate, last["phi"] = (y["rev.phi"] - last["phi"]) / 0.01, y["rev.phi"]
        return {"torque": -y["rev.phi"] - 0.01 * rate}

    return m, last


def test_the_model_is_left_as_it_was_and_so_is_what_its_controllers_remember():
    m, last = controlled()
    before = fingerprint(m)
    report = lw.verify(m, 0.1, ["method dopri5", "in two", "sweep with", "model"])
    assert [row.status for row in report if row.route.startswith("method")] == ["same to accuracy"]
    assert fingerprint(m) == before and not remembered and last == {"phi": 0.0}


def test_a_controller_that_cannot_be_copied_is_refused_by_name():
    m = pendulum()
    m.motor = rotational.Torque(tau=m.input("torque"))
    m.connect(m.rev.axis, m.motor.flange)
    lines = (line for line in "abc")  # a generator stands where it stands

    @m.every(0.01)
    def reads_on(t, y):
        next(lines, None)
        return {"torque": 0.0}

    with pytest.raises(lw.ModelError, match=r"'reads_on' cannot be copied.*m\.discrete"):
        lw.verify(m, 0.1)


def test_unknown_routes_are_refused_with_near_names():
    with pytest.raises(lw.ModelError, match="Simulator"):
        lw.verify(pendulum(), 0.1, ["Simulater"])


def test_no_route_is_begun_beyond_the_limit():
    report = lw.verify(pendulum(), 0.1, ["method"], limit=0.0)
    assert {row.status for row in report} == {"left out"} and report


def test_the_command_prints_the_table_writes_json_and_ends_with_its_code(tmp_path, capsys, monkeypatch):
    file = tmp_path / "model.py"
    file.write_text("import linkwright as lw\nfrom linkwright import joints, parts\nm = lw.Model('arm')\n"
                    "m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1, r_cm=[1, 0, 0])\n"
                    "m.chain(m.world, m.rev, m.body)\nstop = 0.2\n")
    path = tmp_path / "found.json"
    assert main(["verify", str(file), "--routes", "method dopri5", "model", "--json", str(path)]) == 0
    said = capsys.readouterr().out
    assert "arm, 0.2 s" in said and "same bits" in said and "1 same bits · 1 same to accuracy" in said
    told = json.loads(path.read_text())
    assert told["same"] and [row["route"] for row in told["routes"]] == ["model pickled", "method dopri5"]
    from linkwright.verify import verify as module  # noqa: F401

    monkeypatch.setattr(sys.modules["linkwright.verify.verify"], "ROUTES", (by_hand(BITS, 1e-3, 0.0),))
    assert main(["verify", str(file)]) == 1
    assert "DIFFERS" in capsys.readouterr().out


@pytest.mark.slow
def test_a_script_that_other_processes_cannot_import_is_told_so(tmp_path):
    """It has no `if __name__ == "__main__":`; that route is left out, the others are run."""
    script = tmp_path / "script.py"
    script.write_text("import linkwright as lw\nfrom linkwright import joints, parts\nm = lw.Model('arm')\n"
                      "m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1, r_cm=[1, 0, 0])\n"
                      "m.chain(m.world, m.rev, m.body)\n"
                      "print(lw.verify(m, 0.1, ['model', 'sweep in another']))\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "same bits" in done.stdout and "if __name__ == '__main__'" in done.stdout


#: tolerances of the comparison: the largest that they may ever be
LARGEST = {"TIMES_THE_GAP": 10.0, "SPENT": 1e-4, "LEAST_GAP": 1.0, "SMALLEST_SCALE": 1e-3, "NEAR_AN_EVENT": 1e-6,
           "SAME_END": 1e-6}
#: refusals that are allowed; this list may become shorter, and never longer
ALLOWED = {
    "this cannot be pickled", "that they can only be stepped",
    "executor='gpu': these runs cannot go to a GPU", "device = 'gpu'",
    "is not in an FMU yet", "is not in C yet", "are not in an FMU yet", "are not in C yet",
    "and do not go into an FMU", "and do not go into C",
    "which a page does not", "a page cannot run it:",
    "the format has no words for them", "has no place in", "no other constraint", "knows uniform gravity only",
    "the Modelica Standard Library has no", "the Standard Library's", "not written as Modelica",
}


def test_tolerances_and_allowed_refusals_do_not_grow():
    for name, largest in LARGEST.items():
        assert getattr(tolerances, name) <= largest, name
    assert tolerances.FINER >= 100
    assert {part for route in ROUTES for part in route.may_refuse} <= ALLOWED


def test_routes_inside_the_machine_are_compared_bit_by_bit():
    """Lanes, GPUs, executors, Simulators, copies and files of results: nothing is lost on the way."""
    bits = {route.name for route in ROUTES if route.compared == BITS}
    assert bits >= {"sweep in lanes", "sweep on a GPU", "sweep in two threads", "sweep in another process",
                    "sweep by Dask", "Simulator", "Simulator on a GPU", "model pickled", "system pickled",
                    "result pickled", "result saved as .nc", "result saved as .csv", "page"}
