"""One grammar of names: what reads an entry of a variable reads it by `system.entries`, lists of parts included."""

import ast
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright.result import unit_of

ROOT = Path(lw.__file__).parent
#: rooms of other people's formats, with grammars of their own; and the code generator, which knows no names of users
ELSEWHERE = ("io", "codegen", "library")


#: methods of strings that find a place in them
CUTS = ("partition", "rpartition", "split", "rsplit", "endswith", "find", "index", "rindex")


def reads_brackets(tree):
    """Lines that take a name apart at its bracket."""
    for node in ast.walk(tree):
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CUTS
                and any(isinstance(arg, ast.Constant) and arg.value in ("[", "]") for arg in node.args)):
            yield node.lineno


def test_nobody_takes_names_apart_by_himself():
    found = [f"{path.relative_to(ROOT)}:{line}" for path in sorted(ROOT.rglob("*.py"))
             if path.relative_to(ROOT).parts[0] not in ELSEWHERE
             for line in reads_brackets(ast.parse(path.read_text(encoding="utf-8")))]
    assert not found, found


def arms():
    m = lw.Model("arms")
    m.world = lw.World()
    m.rev = [joints.Revolute(phi=0.3 + 0.1 * k) for k in range(2)]
    m.body = [parts.Body(m=1.0, r_cm=[0.5, 0, 0]) for _ in range(2)]
    for k in range(2):
        m.chain(m.world, m.rev[k], m.body[k])
    return m


def test_units_and_files_know_entries_and_lists_of_parts(tmp_path):
    r = lw.simulate(arms(), 0.1, step=0.05)
    assert unit_of(r, "body[1].r_0[2]") == unit_of(r, "body[1].r_0") == "m" and unit_of(r, "rev[0].phi") == "rad"
    assert unit_of(r, "body[0].frame_a.R.T[0,2]") == "1"
    names = ["rev[0].phi", "body[1].r_0", "body[0].frame_a.R.T"]
    r.save(tmp_path / "whole.csv", names)
    back = lw.load(tmp_path / "whole.csv")
    for name in names:
        assert np.array_equal(back[name], r[name])
    assert np.array_equal(back["body[1].r_0[1]"], r["body[1].r_0[1]"])


def test_a_file_of_some_entries_does_not_make_up_the_others(tmp_path):
    r = lw.simulate(arms(), 0.1, step=0.05)
    r.save(tmp_path / "some.csv", ["body[1].r_0[1]", "rev[1].phi"])
    back = lw.load(tmp_path / "some.csv")
    assert np.array_equal(back["body[1].r_0[1]"], r["body[1].r_0[1]"])
    with pytest.raises(lw.ModelError):
        back["body[1].r_0"]
