"""Colours as people give them: names, hex strings, red green blue; anything else is refused where it is given."""

import pytest

import linkwright as lw
from linkwright import joints, parts, visualizers
from linkwright.view.default_shapes import shapes_of


@pytest.mark.parametrize("given, drawn", [("red", (255, 0, 0)), ("#4682b4", (70, 130, 180)), ((1, 2, 3), (1, 2, 3)),
                                          ([0, 0, 0], (0, 0, 0)), ("steelblue", (70, 130, 180))])
def test_a_colour_is_drawn_as_given(given, drawn):
    world = lw.World()
    assert shapes_of(joints.Prismatic(box_color=given), world)[0].colour == drawn
    assert shapes_of(visualizers.FixedShape(color=given), world)[0].colour == drawn


@pytest.mark.parametrize("given, said", [("redd", "'redd' is no colour"), ((0.8, 0.8, 0.8), r"\(204, 204, 204\)"),
                                         ((300, 0, 0), "0 to 255"), ((-1, 0, 0), "0 to 255"), ((1, 2), "0 to 255")])
def test_what_is_no_colour_is_refused_where_it_is_given(given, said):
    with pytest.raises(lw.ModelError, match=said):
        parts.Body(m=1, sphere_color=given)
