"""What a terminal and a notebook show of models, systems, results and studies: short, and what matters."""

import re

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts


def pendulum():
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return m


def test_studies_print_short_tables():
    m, t = pendulum(), np.linspace(0, 1, 400)
    forces = lw.inverse(m, {"rev.phi": 0.3 * t}, t)
    for shown in (forces, lw.linearize(m), lw.modes(m), lw.simulate(m, 0.1).events):
        assert len(str(shown)) < 1500
        assert shown._repr_html_().startswith("<table>")
    assert "force on rev.phi" in str(forces) and "…" in str(forces)
    assert re.search(r"0\.703\d*", str(lw.modes(m)))


def test_notebooks_show_diagram_report_and_motion():
    m = pendulum()
    assert "<svg" in m._repr_html_() and "Revolute" in m._repr_html_()
    assert "1 degree" in lw.compile(m)._repr_html_()
    shown = lw.simulate(m, 0.2)._repr_html_()
    assert "<iframe" in shown and "data:image/png" in shown


def test_an_unfinished_model_says_what_is_missing():
    m = lw.Model("loose")
    m.world, m.rev = lw.World(), joints.Revolute()
    assert "rev" in m._repr_html_()


def test_entries_of_vectors_have_names():
    r = lw.simulate(pendulum(), 0.2)
    np.testing.assert_array_equal(r["body.r_0[1]"], r["body.r_0"][:, 1])
    np.testing.assert_array_equal(r["body.frame_a.R.T[0,1]"], r["body.frame_a.R.T"][:, 0, 1])
    assert r.at(0.1)["body.r_0[1]"] == r.at(0.1)["body.r_0"][1]
    assert len(r.plot("body.r_0[1]", "kinetic_energy").axes) == 2
    with pytest.raises(lw.ModelError, match="counted from 0"):
        r["body.r_0[3]"]
    with pytest.raises(lw.ModelError, match="has no 'body.r_00"):
        r["body.r_00[1]"]


def test_figures_belong_to_pyplot():
    import matplotlib.pyplot as plt

    plt.close("all")
    figure = lw.simulate(pendulum(), 0.1).plot("rev.phi")
    assert plt.get_fignums() == [figure.number]
    plt.close("all")
