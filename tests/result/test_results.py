"""Results: variables by name, dense output, tables, files, plots."""

import casadi as ca
import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright.algebra import Inertia
from linkwright.errors import ModelError
from linkwright.mechanism import MechanismBuilder, Revolute
from linkwright.result import load
from linkwright.studies import simulate
from linkwright.system import compile_mechanism
from mechanisms import chain


@pytest.fixture(scope="module")
def result():
    """A pendulum with outputs of every shape."""
    b = MechanismBuilder("pendulum", gravity=[0, -9.81, 0])
    b.body("rev", "world", Revolute(), inertia=Inertia(1.0, [0.5, 0, 0], np.diag([0.1, 0.1, 0.1])))
    phi, a = b.variable("q", "rev"), b.variable("udot", "rev")
    b.output("rev.a", a)
    b.output("body.r_0", ca.vertcat(ca.cos(phi), ca.sin(phi), 0))
    mechanism = b.build()
    c, s = ca.cos(phi), ca.sin(phi)
    mechanism.outputs["body.R.T"] = ca.vertcat(ca.horzcat(c, s, 0), ca.horzcat(-s, c, 0), ca.horzcat(0, 0, 1))
    return simulate(compile_mechanism(mechanism), 2.0, accuracy=1e-11)


def test_shapes(result):
    nt = len(result.t)
    assert nt == 501
    assert result["rev.phi"].shape == (nt,)
    assert result["body.r_0"].shape == (nt, 3)
    assert result["body.R.T"].shape == (nt, 3, 3)
    np.testing.assert_array_equal(result["body.R.T"][:, 0, 1], -result["body.R.T"][:, 1, 0])
    np.testing.assert_allclose(result["body.R.T"][:, 0, 1], np.sin(result["rev.phi"]), rtol=1e-12, atol=1e-15)


def test_accelerations_follow_from_the_states(result):
    expected = -9.81 * 0.5 * np.cos(result["rev.phi"]) / (0.1 + 0.25)
    np.testing.assert_allclose(result["rev.a"], expected, rtol=1e-12, atol=1e-12)


def test_any_time_at_the_accuracy_of_the_run(result):
    """The energy at times between outputs is that of the start."""
    t = np.linspace(0, 2, 77)
    there = result.at(t)
    E = there["kinetic_energy"] + there["potential_energy"]
    np.testing.assert_allclose(E, 0, atol=1e-8)
    assert isinstance(float(result.at(1.2345)["rev.phi"]), float)
    assert result.at(result.t[7])["rev.phi"] == pytest.approx(result["rev.phi"][7], abs=1e-12)
    for t, said in ((-0.1, "not covered"), (2.1, "not covered"), (float("nan"), "is needed, got nan")):
        with pytest.raises(ModelError, match=said):
            result.at(t)
    with pytest.raises(ModelError, match="side"):
        result.at(1.0, side="left")


def test_names_are_listed_and_suggested(result):
    assert {"rev.phi", "rev.a", "body.r_0", "body.R.T"} <= set(result.names)
    assert "rev.phi" in result and "rev.psi" not in result
    with pytest.raises(KeyError, match="Did you mean 'rev.phi'"):
        result["rev.phy"]
    with pytest.raises(ModelError):
        result["rev.phy"]
    with pytest.raises(ModelError, match="string"):
        result[3]


def test_names_asked_for_together_are_compiled_together(result):
    before = result.system.n_compiled
    result.get_many(["rev.q", "rev.u", "rev.udot"])
    assert result.system.n_compiled == before + 1
    result.get_many(["rev.u", "rev.q"])
    assert result.system.n_compiled == before + 1


def test_several_entries_of_one_variable_are_asked_for_together(result):
    there = result.at(np.array([0.1, 0.7]))
    both = there.get_many(["body.r_0[0]", "body.r_0[1]", "body.r_0"])
    np.testing.assert_array_equal(np.column_stack([both["body.r_0[0]"], both["body.r_0[1]"]]), both["body.r_0"][:, :2])



def test_counters_and_closure(result):
    assert result.counters["steps"] > 0
    assert result.closure == 0.0
    assert result.events == [] and result.messages == []


def test_tables(result):
    table = result.to_xarray()
    assert table["body.R.T"].shape == (501, 3, 3)
    frame = result.to_pandas(["rev.phi", "body.r_0", "body.R.T"])
    assert list(frame.columns)[:3] == ["rev.phi", "body.r_0[0]", "body.r_0[1]"]
    np.testing.assert_array_equal(frame["body.R.T[0,1]"], result["body.R.T"][:, 0, 1])


@pytest.mark.parametrize("suffix", [".nc", ".csv"])
def test_files_give_back_what_was_saved(result, tmp_path, suffix):
    path = tmp_path / f"run{suffix}"
    result.save(path, ["rev.phi", "body.r_0", "body.R.T"])
    again = load(path)
    np.testing.assert_array_equal(again.t, result.t)
    for name in ("rev.phi", "body.r_0", "body.R.T"):
        np.testing.assert_array_equal(again[name], result[name])
    assert again.at(1.2345)["rev.phi"] == pytest.approx(result.at(1.2345)["rev.phi"], abs=1e-7)
    with pytest.raises(KeyError, match="rev.phi"):
        again["rev.phy"]
    assert again.plot("rev.phi").axes


def test_bad_files_are_refused(result, tmp_path):
    with pytest.raises(ModelError, match="saved as"):
        result.save(tmp_path / "run.xyz")
    with pytest.raises(ModelError, match="no such file"):
        load(tmp_path / "missing.nc")
    with pytest.raises(ModelError, match="read from"):
        load(tmp_path / "run.pkl")
    for name, text in (("a.csv", "1,2\n3,4\n"), ("b.csv", "t,x\n0,word\n"), ("c.nc", "no data")):
        (tmp_path / name).write_text(text)
        with pytest.raises(ModelError):
            load(tmp_path / name)


def test_plots_group_by_unit(result):
    assert len(result.plot("rev.phi", "body.r_0").axes) == 1
    with pytest.raises(ModelError, match="names"):
        result.plot()


def test_a_long_chain_gives_its_variables():
    result = simulate(compile_mechanism(chain(20)), 0.1, step=0.05)
    values = result.get_many([f"b{k}.phi" for k in range(20)])
    assert all(v.shape == (3,) for v in values.values())


def test_files_keep_events_counters_and_messages(result, tmp_path):
    m = lw.Model("hop")
    m.world = lw.World(g=0.0)
    m.slide = joints.Prismatic(s=0.0, v=1.0)
    m.body = parts.Body(m=1.0)
    m.chain(m.world, m.slide, m.body)
    m.output("side", lw.where(m.slide.s > 0.5, 1.0, -1.0))
    m.terminate(m.slide.s > 0.8, "far enough")
    run = simulate(m, 2.0)
    assert run.events and run.messages
    run.save(tmp_path / "run.nc", ["slide.s"])
    stored = load(tmp_path / "run.nc")
    assert (stored.events, stored.counters, stored.messages) == (run.events, run.counters, run.messages)
    assert stored.events[0].time == run.events[0].time
    stored.save(tmp_path / "again.nc")
    assert load(tmp_path / "again.nc").events == run.events
    run.save(tmp_path / "run.csv", ["slide.s"])
    assert load(tmp_path / "run.csv").events == []


def test_a_missing_folder_is_said_plainly(result, tmp_path):
    with pytest.raises(ModelError, match="the folder .*nowhere does not exist"):
        result.save(tmp_path / "nowhere" / "r.nc")


def test_outputs_have_the_unit_they_are_given():
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    m.output("height", m.body.frame_a.r_0[1], unit="m")
    m.output("ratio", m.rev.w / 2)
    r = lw.simulate(m, 0.1)
    table = r.to_xarray(["height", "ratio"])
    assert table["height"].attrs["units"] == "m" and "units" not in table["ratio"].attrs
    with pytest.raises(lw.ModelError, match="unit = 3"):
        m.output("mistake", m.rev.w, unit=3)
