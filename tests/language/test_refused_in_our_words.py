"""Whatever is given where it makes no sense is refused by an error of ours that names it and says what to do."""

import math

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, joints, parts


def pendulum(gravity="uniform", **given):
    m = lw.Model("pendulum")
    m.world = lw.World(gravity=gravity)
    m.rev = joints.Revolute(**({"phi": 1.0} | given))
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return m


def raises(r):
    raise ValueError("no such place")


def forgets(base):
    class Forgetful(base):
        def __init__(self):
            self.size = 1

    return Forgetful


def given(m, name, value):
    setattr(m, name, value)


GRID = np.linspace(0, 1, 7)
RUN = lambda m=None: lw.simulate(m or pendulum(), 0.1)  # noqa: E731

CASES = {
    "a number too large": (lambda p: given(pendulum().body, "m", 10**400), r"body\.m"),
    "a number with too many digits to write": (lambda p: given(pendulum().body, "m", 10**5000), r"body\.m"),
    "a time too large": (lambda p: lw.simulate(pendulum(), 10**400), "stop"),
    "an accuracy too large": (lambda p: lw.simulate(pendulum(), 1, accuracy=10**400), "accuracy"),
    "three diameters": (lambda p: parts.BodyCylinder(r=[1, 0, 0], diameter=[0, 0, 0]), "diameter"),
    "two limits at one end": (lambda p: pendulum(phi_max=[1, 2]), "phi_max"),
    "an array of limits": (lambda p: pendulum(phi_min=np.zeros(3)), "phi_min"),
    "friction by another name": (lambda p: lw.Coulomb(force=3), "Coulomb.*tau"),
    "friction with too much": (lambda p: lw.Coulomb(1, 2, 3, 4, 5, 6, 7, 8), "Coulomb.*takes"),
    "friction of no number": (lambda p: RUN(pendulum(friction=lw.Coulomb(tau="x"))), "friction: tau"),
    "an elastic stop by another name": (lambda p: lw.CompliantStop(k=3), "CompliantStop.*c"),
    "contact without stiffness": (lambda p: contact.Hertz(), "Hertz.*stiffness"),
    "contact by another name": (lambda p: contact.Rigid(e=0.3), "Rigid.*restitution"),
    "gravity that raises": (lambda p: RUN(pendulum(raises)), "world: gravity.*no such place"),
    "gravity without a place": (lambda p: RUN(pendulum(lambda: [0, 0, 0])), "world: gravity"),
    "gravity in a plane": (lambda p: RUN(pendulum(lambda r: [0, 1])), "world: gravity.*three"),
    "a word for a time": (lambda p: RUN().at("x"), "time in seconds"),
    "a word among times": (lambda p: RUN().at([0.05, "x"]), "time in seconds"),
    "no time": (lambda p: RUN().at(None), "time in seconds"),
    "a time after the end": (lambda p: RUN().at(3), "0 s to 0.1 s"),
    "a file of noise": (lambda p: lw.load(written(p / "a.csv", bytes(range(128, 256)))), "a.csv"),
    "a file without times": (lambda p: lw.load(written(p / "b.csv", b"junk\n1,2,a\n,,\n")), "b.csv.*'t'"),
    "a file with words": (lambda p: lw.load(written(p / "c.csv", b"t,a\n0,x\n")), "c.csv.*number"),
    "an empty file": (lambda p: lw.load(written(p / "d.csv", b"")), "d.csv"),
    "a folder of times": (lambda p: lw.load(written(p / "e.nc", bytes(99))), "e.nc"),
    "a stage by a word": (lambda p: lw.compile(pendulum()).realize(lw.compile(pendulum()).state(), "x"), "Stage"),
    "no state": (lambda p: lw.compile(pendulum()).realize("x", lw.Stage.POSITION), "expected a state"),
    "nothing to follow": (lambda p: lw.inverse(pendulum(), {}, GRID), "coordinates that are driven"),
    "a word to follow": (lambda p: lw.inverse(pendulum(), {"rev.phi": "x"}, GRID), r"rev\.phi"),
    "a course of a variable": (lambda p: lw.inverse(m := pendulum(), {"rev.phi": m.rev.w}, GRID), "lw.time alone"),
    "a goal too short": (lambda p: lw.assemble(pendulum(), goals={"body.r_0": [1, 2]}), r"body\.r_0.*3"),
    "a goal too long": (lambda p: lw.assemble(pendulum(), goals={"rev.phi": [1, 2]}), r"rev\.phi.*1"),
    "a word for a goal": (lambda p: lw.assemble(pendulum(), goals={"rev.phi": "x"}), r"rev\.phi"),
    "goals without names": (lambda p: lw.assemble(pendulum(), goals=[1]), "by name"),
    "a goal that asks nothing": (lambda p: lw.assemble(pendulum(), goals={"body.r_0": math.nan}), r"body\.r_0.*NaN"),
    "a component that was never made": (lambda p: forgets(parts.Body)(), r"Forgetful.*super\(\)\.__init__"),
    "a model that was never made": (lambda p: given(pendulum(), "part", forgets(lw.Model)()), r"super\(\)\.__init__"),
    "a part called connect": (lambda p: given(pendulum(), "connect", joints.Revolute()), "connect.*another"),
    "a part called path": (lambda p: given(pendulum(), "path", joints.Revolute()), "path.*another"),
    "a part called _children": (lambda p: given(pendulum(), "_children", joints.Revolute()), "_children.*another"),
}


def written(path, data: bytes):
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("case", CASES)
def test_refused_by_name(case, tmp_path):
    attempt, said = CASES[case]
    with pytest.raises(lw.LinkwrightError, match=f"(?s){said}") as raised:
        attempt(tmp_path)
    assert len(str(raised.value)) < 500


def test_outputs_may_be_quotients_by_name(tmp_path):
    m = pendulum()
    m.output("f/g", m.rev.phi / 2)
    r = RUN(m)
    r.save(tmp_path / "a.nc")
    np.testing.assert_array_equal(lw.load(tmp_path / "a.nc")["f/g"], r["f/g"])


def test_courses_are_expressions_of_time():
    phi = 0.3 + 0.2 * lw.sin(3 * lw.time)
    forces = [lw.inverse(pendulum(), {"rev.phi": course}, GRID)["rev.phi"]
              for course in (phi, lambda t: 0.3 + 0.2 * lw.sin(3 * t))]
    np.testing.assert_allclose(*forces, rtol=1e-12)
