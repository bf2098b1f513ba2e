"""The connection diagram: every component a box, the tree and what closes loops marked, nothing on top of another."""

import re
import xml.etree.ElementTree as ET

import pytest
from view_models import fourbar, hanging_spring, pendulum

import linkwright as lw
from linkwright import parts


def boxes(diagram):
    """(x, y, width, height) of every component's box."""
    root = ET.fromstring(diagram.svg)
    space = "{http://www.w3.org/2000/svg}"
    return [tuple(float(rect.get(k)) for k in ("x", "y", "width", "height"))
            for group in root.iter(f"{space}g") for rect in group.iter(f"{space}rect")]


def test_loop_of_a_fourbar_is_closed_by_one_joint():
    d = fourbar().diagram()
    closing = [path for path, role in d.roles.items() if role == "closing"]
    assert len(closing) == 1 and list(d.loops) == closing
    assert set(d.loops[closing[0]]) == set(d.roles)  # everything is on the loop
    assert sum(kind == "closing" for *_, kind in d.lines) == 2
    assert sum(kind == "tree" for *_, kind in d.lines) == len(d.roles) - 2
    assert f"closed by {closing[0]}" in d.svg


def test_flanges_and_forces_are_not_part_of_the_tree():
    kinds = {frozenset((a, b)): kind for a, b, kind in pendulum().diagram().lines}
    assert kinds[frozenset(("world", "rev"))] == "tree" and kinds[frozenset(("rev", "damper"))] == "flange"
    d = hanging_spring().diagram()
    assert d.roles["spring"] == "other" and d.loops == {}
    assert {kind for a, b, kind in d.lines if "spring" in (a, b)} == {"force"}


def test_a_free_body_is_the_root_of_its_tree():
    m = lw.Model("free & easy")
    m.world = lw.World()
    m.body = parts.Body(m=1.0)
    d = m.diagram()
    assert d.roles == {"world": "world", "body": "root"}
    assert "free &amp; easy" in d.svg


def test_boxes_do_not_overlap_and_lie_inside():
    d = fourbar().diagram()
    width, height = map(float, re.search(r'viewBox="0 0 (\d+) (\d+)"', d.svg).groups())
    found = boxes(d)
    assert len(found) == len(d.roles)
    for k, (x, y, w, h) in enumerate(found):
        assert x >= 0 and x + w <= width and y >= 0 and y + h <= height
        for a, b, c, e in found[:k]:
            assert x + w <= a or a + c <= x or y + h <= b + 1e-6 or b + e <= y + 1e-6


def test_depth_draws_sub_models_as_one_box():
    m = lw.Model("two")
    m.world = lw.World()
    m.left = pendulum_part()
    m.connect(m.world.frame_b, m.left.frame)
    assert set(m.diagram().roles) == {"world", "left.rev", "left.body"}
    assert set(m.diagram(depth=1).roles) == {"world", "left"}
    with pytest.raises(lw.ModelError, match="depth"):
        m.diagram(depth=0)


def pendulum_part():
    part = lw.Model()
    part.frame = lw.Frame()
    part.rev, part.body = lw.joints.Revolute(), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    part.connect(part.frame, part.rev.frame_a)
    part.connect(part.rev.frame_b, part.body.frame_a)
    return part


def test_saving_and_showing(tmp_path):
    d = pendulum().diagram()
    d.save(tmp_path / "pendulum.svg")
    assert (tmp_path / "pendulum.svg").read_text(encoding="utf-8") == d._repr_svg_() == str(d)
    with pytest.raises(lw.ModelError, match=r"\.svg"):
        d.save(tmp_path / "pendulum.png")
