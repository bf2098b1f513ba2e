"""What cannot be read is refused by name, with file, line and class."""

import random
import re

import modelica_texts as texts
import pytest
from modelica_texts import read_text

import linkwright as lw


@pytest.mark.parametrize("change, words", [
    (("damper(d=0.1);", "damper(d=0.1)"), ["M.mo, line", "';' was expected"]),
    (("Components.Damper", "Components.Dumper"),
     ["M.mo, line 10", "in Pendulum", "no class Rotational.Components.Dumper", "MODELICAPATH"]),
    (("m=1.0,", "m=2*mass,"), ["M.mo, line 11", "in Pendulum", "there is no mass here"]),
    (("m=1.0,", "m=-1.0,"), ["M.mo, line 11", "component body", "m"]),
    (("angle = 0.3", "angle = 2*angle"), ["M.mo, line 8", "depends on itself"]),
    (("connect(body.frame_a, rev.frame_b);", "connect(body.frame_a, rev.axis);"),
     ["M.mo, line", "cannot connect", "flange"]),
    (("connect(body.frame_a, rev.frame_b);", "connect(body.frame_c, rev.frame_b);"),
     ["M.mo, line 16", "body", "has no frame_c"]),
    (("damper(d=0.1)", "damper(d=angle[2])"), ["M.mo, line", "index 2"]),
    (("equation\n", "  Real x;\nequation\n  when sample(0, 0.1) then x = 1; end when;\n"), ["M.mo, line 14", "sample"]),
], ids=lambda value: value[1][:30] if isinstance(value, tuple) else "")
def test_a_mistake_is_named_with_its_place(tmp_path, change, words):
    assert change[0] in texts.PENDULUM
    with pytest.raises(lw.LinkwrightError) as told:
        lw.simulate(read_text(texts.PENDULUM.replace(*change), tmp_path, "M.mo"), 0.1)
    for word in words:
        assert word in str(told.value), str(told.value)


def test_text_of_the_standard_library_is_asked_for_where_it_is_needed(tmp_path, monkeypatch):
    monkeypatch.delenv("MODELICAPATH", raising=False)
    with pytest.raises(lw.ModelError, match=r"GasForce.*MODELICAPATH"):
        read_text("model M\n  Modelica.Mechanics.MultiBody.Examples.Loops.Utilities.GasForce force;\nend M;", tmp_path)


def test_what_is_outside_is_refused_by_name(tmp_path):
    external = 'model M\n function f input Real x; output Real y; external "C" y = f(x); end f;\n' \
               "parameter Real a = f(2);\n Real b = a;\nend M;"
    with pytest.raises(lw.ModelError, match=r"Model.mo, line 3, in M: M.f is written in another language"):
        read_text(external, tmp_path)


def test_a_package_asks_which_model_is_meant(tmp_path):
    with pytest.raises(lw.ModelError, match=r"Two is a package; name the model in it.*Two.A, Two.B"):
        read_text("package Two model A end A; model B end B; end Two;", tmp_path, "Two.mo")


def test_an_unknown_class_says_where_was_looked(tmp_path, monkeypatch):
    monkeypatch.delenv("MODELICAPATH", raising=False)
    with pytest.raises(lw.ModelError, match=r"Lib.Nothing: there is no such file, and no class of this name; looked"):
        lw.read("Lib.Nothing", search=[tmp_path])
    with pytest.raises(lw.ModelError, match=r"robot.urdf: there is no such file"):
        lw.read("robot.urdf")


def test_what_has_no_place_is_reported_and_refused_when_strict(tmp_path):
    text = texts.PENDULUM.replace("m=1.0,", "m=1.0, wobble=3,")
    m = read_text(text, tmp_path, "M.mo")
    assert "M.mo:11 body: wobble is not used" in str(m.import_report)
    m = read_text(texts.SIGNALS.replace("error;", "error(gain=3);"), tmp_path, "Controlled.mo")
    assert "error: gain is not used" in str(m.import_report)
    with pytest.raises(lw.ModelError, match="strict=True"):
        read_text(text, tmp_path, "M.mo", strict=True)


def test_a_signal_that_nothing_determines_is_named(tmp_path):
    text = texts.SIGNALS.replace("  connect(wanted.y, error.u1);\n", "")
    with pytest.raises(lw.ModelError, match=r"no equation determines the derivative of control.x. Open are .*error.u1"):
        read_text(text, tmp_path, "Controlled.mo")


def test_equations_that_leave_nothing_to_determine_are_refused(tmp_path):
    text = texts.PENDULUM.replace("equation\n", "equation\n  rev.phi = 2*rev.w;\n", 1)
    with pytest.raises(lw.ModelError, match=r"M.mo, line 13, in Pendulum: this equation is not solved; it relates rev"):
        read_text(text, tmp_path, "M.mo")


def test_broken_texts_are_refused_in_our_words(tmp_path):
    """Texts with a word missing, doubled or exchanged are read or refused, and never end in a fault of the reader."""
    generator = random.Random(1)
    kinds = [name for name in dir(texts) if name.isupper() and name != "HEAD"]
    refused = 0
    for _ in range(60):
        words = re.findall(r"\w+|\s+|[^\w\s]", getattr(texts, generator.choice(kinds)))
        place = generator.randrange(len(words))
        words[place] = generator.choice(["", words[place] * 2, generator.choice(words)])
        try:
            read_text("".join(words), tmp_path)
        except lw.LinkwrightError:
            refused += 1
    assert 10 < refused < 60
