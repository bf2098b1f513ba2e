"""Slips that would end in Python's own errors, or in a NaN without a word, are told in ours."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts


def pendulum():
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return m


@pytest.mark.parametrize("option, said", [("nope", "it takes model, tunable"), ("tuneable", "did you mean tunable")])
def test_options_that_compile_does_not_take(option, said):
    with pytest.raises(lw.ModelError, match=said):
        lw.compile(pendulum(), **{option: ["body.m"]})


@pytest.mark.parametrize("slip", [lambda x: x ** "x", lambda x: "x" * x, lambda x: x + "rev.w", lambda x: x < "1"])
def test_text_in_formulas(slip):
    with pytest.raises(lw.ModelError, match="which is text") as error:
        slip(pendulum().rev.phi)
    assert isinstance(error.value, TypeError)


def test_the_length_of_a_number_and_of_a_vector():
    m = pendulum()
    with pytest.raises(lw.ModelError, match="rev.phi is a single number, and has no length"):
        len(m.rev.phi)
    assert len(m.body.r_0) == 3


@pytest.mark.parametrize("change", [lambda leg: leg.append(1), lambda leg: leg.__setitem__(0, 1),
                                    lambda leg: leg.pop()])
def test_lists_of_parts_stay_as_they_were_assigned(change):
    m = pendulum()
    m.leg = [parts.Body(m=1), parts.Body(m=2)]
    with pytest.raises(lw.ModelError, match="assign the list when it is complete"):
        change(m.leg)
    with pytest.raises(lw.ModelError, match="assign the list"):
        m.leg += [parts.Body(m=1)]
    assert [body.m for body in m.leg] == [1, 2]


def test_outputs_that_are_no_numbers_are_told():
    m = pendulum()
    m.output("root", lw.sqrt(m.rev.phi))
    m.output("fine", lw.fabs(m.rev.phi))
    r = lw.simulate(m, 1.0)
    assert np.isfinite(r["fine"]).all() and not r.messages
    with pytest.warns(UserWarning, match=r"root is not finite at \d+ of 501 output times, first at t = 0\.39"):
        assert np.isnan(r["root"][-1])
    assert any("root is not finite" in message for message in r.messages)
