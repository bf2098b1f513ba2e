"""Assembly of loops, diagnosis of singular positions, and the translation report."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra import Inertia, Transform, axis_frame
from linkwright.errors import AssemblyError, ModelError, SingularError
from linkwright.mechanism import MechanismBuilder, Prismatic, Revolute, Spherical
from linkwright.system import compile_mechanism
from mechanisms import chain


def four_bar(ground: float = 1.0, **options):
    """Planar four-bar: crank 0.3, coupler 0.9, rocker 0.6 (reference/README.md), closed at the rocker's foot."""
    b = MechanismBuilder("four-bar", gravity=[0, -9.81, 0])
    R, parent, before = axis_frame([0, 0, 1]), "world", 0.0
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.6)):
        rod = Inertia(1.0, [length / 2, 0, 0], np.diag([0, length**2 / 12, length**2 / 12]))
        b.body(name, parent, Revolute(), Transform(R, [before, 0, 0]), Transform(R), rod)
        parent, before = name, length
    b.frame("foot", "rocker", Transform(None, [0.6, 0, 0]))
    b.frame("ground", "world", Transform(None, [ground, 0, 0]))
    b.constraint("foot joint", b.relative_pose("ground", "foot").p)
    return compile_mechanism(b.build(), **options)


def test_assembly_holds_the_initial_values_given():
    system = four_bar(initial={"crank.phi": np.pi / 3, "crank.u": 5.0})
    s = system.state()
    assert s.q[0] == np.pi / 3
    assert s.u[0] == 5.0
    assert np.max(np.abs(s.get("position_error"))) < 1e-12
    assert np.max(np.abs(s.get("velocity_error"))) < 1e-12
    assert abs(s.u[1]) > 0.1


def test_assembly_stays_near_where_it_starts():
    system = four_bar()
    closed = system.state()
    disturbed = closed.copy()
    disturbed.q = closed.q + 1e-4 * np.array([1.0, -2.0, 0.5])
    again = system.assemble(disturbed)
    assert np.linalg.norm(again.q - disturbed.q) <= np.linalg.norm(closed.q - disturbed.q) * (1 + 1e-3)


def test_weights_decide_what_moves():
    system = four_bar(initial={"crank.phi": 1.0})
    s = system.state()
    s.q = s.q + [0.0, 0.02, 0.0]
    stiff = system.assemble(s, weights=[1e8, 1, 1])
    assert abs(stiff.q[0] - 1.0) < 1e-6


def test_what_cannot_close_is_named_with_its_gap():
    with pytest.raises(AssemblyError, match=r"foot joint \(0\.2\)") as caught:
        four_bar(ground=2.0).state()
    assert caught.value.components == ("foot joint",)


def test_assembly_keeps_quaternions_of_unit_length():
    b = MechanismBuilder("tied ball")
    b.body("arm", "world", Spherical(), inertia=Inertia(1, [0.5, 0, 0], np.eye(3)))
    b.frame("tip", "arm", Transform(None, [1, 0, 0]))
    b.frame("wall", "world", Transform(None, [0, 0, 0.6]))
    p = b.relative_pose("wall", "tip").p
    b.constraint("height", p[2])
    s = compile_mechanism(b.build()).state()
    assert np.linalg.norm(s.q) == pytest.approx(1, abs=1e-14)
    assert abs(s.get("position_error")[0]) < 1e-12


def test_report_of_a_tree():
    system = compile_mechanism(chain(3))
    assert (system.dof, system.loops, system.redundant) == (3, (), 0)
    assert system.states == ["b0.phi", "b1.phi", "b2.phi", "der(b0.phi)", "der(b1.phi)", "der(b2.phi)"]
    assert system.n_compiled == 0
    assert "3 bodies" in str(system)
    assert system.n_compiled == 1
    assert str(system.instructions) in str(system)


def test_report_of_a_loop():
    system = four_bar(initial={"crank.phi": 1.0})
    assert system.dof == 1
    assert system.redundant == 0
    (loop,) = system.loops
    assert loop == ("foot joint", 2, ("crank", "coupler", "rocker"))
    assert "foot joint: 2 equations over crank, coupler, rocker" in system.report(full=True)
    assert "1 (foot joint), 2 equations" in system.report()


def test_a_mobility_without_inertia_is_named():
    """A massless arm carries a slider: at s = 0 nothing resists the arm's turning."""
    b = MechanismBuilder("arm", gravity=[0, -9.81, 0])
    b.body("arm", "world", Revolute(), joint="rev")
    b.body("bead", "arm", Prismatic(), Transform(axis_frame([1, 0, 0])), inertia=Inertia(1.0))
    system = compile_mechanism(b.build())
    with pytest.raises(SingularError, match="rev: nothing resists this motion") as caught:
        system.state().get("udot")
    assert caught.value.components == ("rev",)
    assert np.isfinite(system.state().set("bead.s", 0.5).get("udot")).all()


@pytest.mark.parametrize(("options", "message"), [
    ({"tier": "slow"}, "tier = 'slow'"),
    ({"formulation": "maximal"}, "formulation = 'maximal'"),
    ({"tunable": ["b0.m"]}, "no 'b0.m'"),
])
def test_unknown_options_are_refused(options, message):
    with pytest.raises(ModelError, match=message):
        compile_mechanism(chain(1), **options)


def test_reactions_suggest_the_name_of_a_joint():
    system = compile_mechanism(chain(2))
    with pytest.raises(ModelError, match="'b00'.*Did you mean 'b0'"):
        system.reactions(system.state())["b00"]


def test_the_report_of_a_large_mechanism_is_one_screen():
    """73 bodies in 36 loops: one screen; the long report names every loop."""
    system = lw.compile(runpy.run_path(str(Path(__file__).parents[2] / "examples/strandbeest.py"))["m"], tier="quick")
    lines = str(system).splitlines()
    assert len(lines) <= 15 and all(len(line) <= 100 for line in lines)
    assert "pair[0].left.pin1 and" not in system.report(full=True)
    assert all(loop.name in system.report(full=True) for loop in system.loops)
    assert repr(system.report()) == str(system)
