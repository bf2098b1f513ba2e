"""Plots: a diagram per unit, names and units on the axes, results over one another."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright.result import unit_of


def run(phi=1.0):
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=phi)
    m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return lw.simulate(m, 1.0, step=0.05)


@pytest.fixture(scope="module")
def result():
    return run()


def labels(axis):
    return [line.get_label() for line in axis.lines if not line.get_label().startswith("_")]


def test_one_diagram_per_unit_with_names_and_units(result):
    axes = result.plot("rev.phi", "rev.w", "body.r_0", "rev.frame_a.f", "body.frame_a.r_0", "kinetic_energy").axes
    assert [axis.get_ylabel() for axis in axes] == ["rev.phi / rad", "rev.w / rad/s", "body.r_0, body.frame_a.r_0 / m",
                                                    "rev.frame_a.f / N", "kinetic_energy / J"]
    assert labels(axes[2])[:3] == ["body.r_0[0]", "body.r_0[1]", "body.r_0[2]"]
    assert axes[-1].get_xlabel() == "t / s"
    assert np.array_equal(axes[0].lines[0].get_ydata(), result["rev.phi"])


def test_entries_of_vectors_have_its_unit(result):
    axes = result.plot("body.r_0[0]", "body.r_0[1]", "body.v_0[1]").axes
    assert [axis.get_ylabel() for axis in axes] == ["body.r_0[0], body.r_0[1] / m", "body.v_0[1] / m/s"]


def test_units_are_written_as_people_do(result):
    assert result.plot("rev.a").axes[0].get_ylabel() == "rev.a / rad/s²"
    assert result.plot("rev.frame_a.t").axes[0].get_ylabel() == "rev.frame_a.t / N·m"


def test_results_over_one_another_keep_a_variables_colour(result):
    other = run(0.5)
    (axis,) = result.plot("rev.phi", compare={"half": other}).axes
    first, second = axis.lines[:2]
    assert first.get_color() == second.get_color() and first.get_linestyle() != second.get_linestyle()
    assert np.array_equal(second.get_ydata(), other["rev.phi"])
    assert labels(axis) == ["rev.phi", "this run", "half"]
    assert labels(result.plot("rev.phi", compare=[other]).axes[0]) == ["rev.phi", "run 1", "run 2"]
    assert len(result.plot("rev.phi", compare=other).axes) == 1


def test_a_stored_result_keeps_its_units_and_can_be_compared(result, tmp_path):
    result.save(tmp_path / "run.nc", ["rev.phi", "rev.w"])
    again = lw.load(tmp_path / "run.nc")
    assert [axis.get_ylabel() for axis in again.plot("rev.phi", "rev.w", compare=[result]).axes] == [
        "rev.phi / rad", "rev.w / rad/s"]


def test_bad_names_and_results_are_refused(result, tmp_path):
    with pytest.raises(lw.ModelError, match=r"'rev.fi'.*Did you mean 'rev.phi'"):
        result.plot("rev.fi")
    result.save(tmp_path / "run.csv", ["rev.phi"])
    with pytest.raises(lw.ModelError, match=r"run 2.*'rev.w'"):
        result.plot("rev.w", compare=[lw.load(tmp_path / "run.csv")])
    with pytest.raises(lw.ModelError, match="give results"):
        result.plot("rev.phi", compare=["rev.w"])
    with pytest.raises(lw.ModelError, match="too many"):
        result.plot("rev.phi", compare=[result] * 5)
    with pytest.raises(lw.ModelError, match="names of the variables"):
        result.plot()


def test_a_parameter_of_a_class_of_models_has_its_unit():
    class Arm(lw.Model):
        length = lw.parameter(0.7, "length of the arm", unit="m")

        def __init__(self, **given):
            super().__init__(**given)
            self.rev, self.bar = joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[self.length, 0, 0])
            self.connect(self.rev.frame_b, self.bar.frame_a)

    m = lw.Model("arms")
    m.world, m.arm = lw.World(), Arm()
    m.connect(m.world.frame_b, m.arm.rev.frame_a)
    r = lw.simulate(m, 0.1)
    assert [unit_of(r, name) for name in ("arm.length", "arm.rev.w", "arm.bar.r_0[1]")] == ["m", "rad/s", "m"]
