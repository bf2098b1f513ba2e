"""The table of laws and targets (docs/events.md, "Which law runs where") says what happens when each is run."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from fmu_models import between_stops, bouncing_ball, box_on_a_slope, caught, pendulum, sampled, stick_slip, thrown_ball
from test_every_target import TARGETS, needs

import linkwright as lw
from linkwright import blocks, constraints, contact, joints, parts
from linkwright.io.fmu.contents import refuse
from linkwright.start import prepare
from linkwright.studies.stepped_runs import refusal_of

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs"))
import build_contact_pictures as pictures  # noqa: E402
from pair_scenes import LAWS  # noqa: E402

COLUMNS = ["sweeps, `Simulator`", "GPU", "FMU", "exported C", "page"]
#: the name of a column's target among those of `test_every_target`
RUN_BY = dict(zip(COLUMNS, TARGETS, strict=True))
#: pairs that rigid laws know; a cylinder on hills tumbles, which the scalar solver does not finish either
RIGID = [two for kinds in (pictures.SPATIAL, pictures.PLANAR) for _, twos in pictures.rows(kinds) for two in twos
         if two.known and "rigid" in two.laws and two.name != "heightfield_cylinder"]


class Rope(constraints.Constraint):
    """A rope without mass between two points: their distance is at most its length."""

    length = lw.parameter(1.0, unit="m")

    def residual(self, X_a, X_b):
        d = X_b.p - X_a.p
        return [self.length - lw.sqrt(lw.dot(d, d))]


def rope():
    m = lw.Model("rope")
    m.world, m.ball = lw.World(), parts.PointMass(m=2.0, r_0=[0, -0.8, 0], v_0=[5.2, 0, 0])
    m.tie = Rope(length=0.8, one_way=True)
    m.connect(m.world.frame_b, m.tie.frame_a)
    m.connect(m.ball.frame_a, m.tie.frame_b)
    m.output("place", m.ball.r_0[1])
    return m


def held_while():
    """A ball that a distance holds for a while."""
    m = lw.Model("held for a while")
    m.world, m.ball = lw.World(), parts.PointMass(m=2.0, r_0=lw.guess([0.8, 0, 0]), v_0=lw.guess([0, -1, 0]))
    m.tie = constraints.Rod(length=0.8, when=lw.time < 0.5)
    m.connect(m.world.frame_b, m.tie.frame_a)
    m.connect(m.ball.frame_a, m.tie.frame_b)
    m.output("place", m.ball.r_0[1])
    return m


def ball_joint():
    m = lw.Model("ball joint")
    m.world, m.ball = lw.World(gravity=None), joints.Spherical(w_rel_a=[3.0, 8.0, -4.0], friction=lw.Coulomb(tau=0.5))
    m.body = parts.Body(m=1.0, inertia=[0.02, 0.03, 0.04])
    m.chain(m.world, m.ball, m.body)
    return m


def boxes():
    """So many contacts that they are stepped."""
    m = lw.Model("boxes")
    m.world, m.floor = lw.World(), contact.Plane(n=[0, 1, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.box = [parts.Body(m=1, inertia=[1 / 150] * 3, r_0=[0.02 * k, 0.11 + 0.21 * k, 0]) for k in range(3)]
    m.skin = [contact.Box(size=[0.2] * 3) for _ in m.box]
    for box, skin in zip(m.box, m.skin, strict=True):
        m.connect(box.frame_a, skin.frame_a)
    m.contacts(law=contact.Rigid(mu=0.5))
    m.output("place", m.box[2].r_0[1])
    return m


def gone():
    """An action beside stepped contact."""
    m = boxes()
    m.body = parts.Body(m=1.0)
    m.terminate(m.body.r_0[1] < -5, "gone")
    return m


def searched():
    m = lw.Model("capsule on a box")
    m.world, m.under, m.upper = lw.World(), contact.Box(size=[1, 0.2, 1]), contact.Capsule(radius=0.1, length=0.3)
    m.body = parts.Body(m=1.0, inertia=[0.01] * 3, r_0=[0, 0.3, 0])
    m.connect(m.world.frame_b, m.under.frame_a)
    m.connect(m.body.frame_a, m.upper.frame_a)
    m.contacts(law=contact.Rigid(mu=0.3))
    return m


def thrown_back():
    """An action sets the speed of a joint that has friction and a stop."""
    m = stick_slip()
    m.slide.s_max = 5.0
    m.when(m.slide.s > 0.02, {m.slide.v: -m.slide.v})
    return m


def commanded():
    m = pendulum()
    m.motor.tau = m.input("torque")
    m.every(0.01)(lambda t, y: {"torque": -y["rev.phi"]})
    return m


def delayed():
    m = pendulum()
    m.motor.tau = blocks.delay(-m.rev.phi, 0.1, name="late")
    return m


#: the rows of the table
MODELS = {
    "conditions in formulas, `m.when`, `m.sample`, `m.discrete`": [bouncing_ball, sampled],
    "dry friction of joints and drives, brakes, clutches, freewheels": [stick_slip, between_stops],
    "stops, ropes and other one-way constraints": [between_stops, rope],
    "locks, constraints with `when=`": [caught, held_while],
    "rigid contact of every pair marked R": [thrown_ball, box_on_a_slope],
    "dry friction on `Spherical`, `Planar` and `Cylindrical` joints": [ball_joint],
    "time-stepped contact": [boxes],
    "time-stepped contact of pairs whose gap is searched, or with actions": [searched, gone],
    "actions that set coordinates or speeds beside loops, friction or stops": [thrown_back],
    "controllers in Python (`m.every`), delays": [commanded, delayed],
}


def table():
    """law → column → cell."""
    page = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    lines = page[page.index("## Which law runs where"):].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    assert rows[0] == ["law", *COLUMNS]
    return {re.sub(r"\[(\w+)\]\([^)]*\)", r"\1", row[0]): dict(zip(COLUMNS, row[1:], strict=True)) for row in rows[2:]}


TABLE = table()
CELLS = [(law, build) for law, builds in MODELS.items() for build in builds]
one_of_each = pytest.mark.parametrize("law, build", CELLS, ids=[build.__name__ for _, build in CELLS])


def test_the_table_has_these_rows():
    assert list(TABLE) == list(MODELS)


@one_of_each
def test_targets_take_or_refuse_what_the_table_says(law, build, tmp_path):
    m, row = build(), TABLE[law]
    system = lw.compile(m)
    why = refusal_of(system, prepare(system, None, 0.0, {}), "auto")
    assert (why is None) == (row["sweeps, `Simulator`"] == "yes") == (row["GPU"] == "yes")
    for column, name in (("FMU", "m.fmu"), ("exported C", "m.c"), ("page", "m.html")):
        if row[column] == "no":
            with pytest.raises(lw.ModelError):
                lw.export(m, tmp_path / name)
            assert not (tmp_path / name).exists()
    if row["FMU"] == "yes":
        refuse(system, "an FMU")


@pytest.mark.parametrize("build", [build for law, build in CELLS if "scalar solver" in TABLE[law].values()])
def test_what_lanes_do_not_take_a_sweep_runs_by_the_scalar_solver(build):
    study = lw.sweep(build(), {"body.m": [1.0, 1.3]}, 0.1, step=0.1, outputs=["kinetic_energy"])
    r = lw.simulate(build(), 0.1, step=0.1)
    assert (study.data["status"] == "ok").all()
    np.testing.assert_array_equal(study.data["kinetic_energy"].values[0], r["kinetic_energy"])


@pytest.mark.slow
@pytest.mark.parametrize("build, column", [
    pytest.param(build, column, marks=needs.get(RUN_BY[column], ()), id=f"{build.__name__}-{RUN_BY[column]}")
    for law, build in CELLS for column in COLUMNS if TABLE[law][column] == "yes"])
def test_what_the_table_has_is_run_with_the_bits_of_the_scalar_solver(build, column, tmp_path):
    run, whole = TARGETS[RUN_BY[column]]
    output = next(name for name in ("place", "height", "angle") if name in lw.compile(build()).names_table)
    r = lw.simulate(build(), 1.2, step=1.2)
    wanted = np.concatenate([r.end.q, r.end.u, r.end.z]).tolist() if whole else float(r[output][-1])
    for found in run(build(), 1.2, output, tmp_path):
        assert found == wanted


@pytest.mark.slow
@pytest.mark.parametrize("two", RIGID, ids=lambda two: two.name)
def test_every_rigid_pair_has_its_bits_in_an_fmu_and_in_c(two, tmp_path):
    """Dropped on one another; lanes are in tests/studies/test_lane_contacts.py."""
    m = two.model(two.height)
    m.touch = contact.Pair(m.a, m.b, law=LAWS["rigid"])
    m.output("place", m.body.r[1] if two.flat else m.body.r_0[2])
    r = lw.simulate(m, 0.5, step=0.5)
    assert r.events
    for target in ("FMU", "C"):
        run, _ = TARGETS[target]
        assert run(m, 0.5, "place", tmp_path) == [float(r["place"][-1])]
