"""What a file of links and joints does not hold is told by name: what acts on a run beside components, too."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, visualizers


def arm():
    m = lw.Model("arm")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return m


def reflected(m):
    m.when(m.rev.phi < 0, {m.rev.w: -m.rev.w})
    return r"when\(rev.phi < 0\)"


def ended(m):
    m.terminate(m.rev.phi < 0, "down")
    return r"terminate\(rev.phi < 0\)"


def held(m):
    m.lock(m.rev, when=m.rev.phi > 0)
    return r"lock\(rev\)"


def controlled(m):
    @m.every(0.1)
    def pushes(t, y):
        return None

    return "the controller 'pushes'"


@pytest.mark.parametrize("suffix", [".xml", ".urdf"])
@pytest.mark.parametrize("add", [reflected, ended, held, controlled])
def test_actions_locks_and_controllers_are_told(tmp_path, add, suffix):
    m = arm()
    said = add(m)
    with pytest.raises(lw.ModelError, match=f"does not hold {said}"):
        lw.export(m, tmp_path / f"arm{suffix}", strict=True)
    assert not (tmp_path / f"arm{suffix}").exists()
    with pytest.warns(UserWarning, match=said):
        assert len(lw.export(m, tmp_path / f"arm{suffix}")) == 1


@pytest.mark.parametrize("direction", [[0, 1, 0], [1, 0, 0], [0, 0.6, 0.8]])
def test_shapes_along_their_own_width_are_drawn_as_here(tmp_path, direction):
    """Length along y, as the default of the width is: any axes across will do, and they are those of the pictures."""
    m = arm()
    m.shape = visualizers.FixedShape(shape_type="box", length_direction=direction, length=0.4, width=0.1, height=0.2)
    m.connect(m.body.frame_a, m.shape.frame_a)
    lw.export(m, tmp_path / "arm.xml", strict=True)
    back = lw.read(tmp_path / "arm.xml")
    shapes = [part for part in back.leaves() if isinstance(part, visualizers.FixedShape)]
    assert len(shapes) == 1
    assert sorted([shapes[0].length, shapes[0].width, shapes[0].height]) == pytest.approx([0.1, 0.2, 0.4])
    assert np.isfinite(shapes[0].length_direction).all()


def test_constraints_without_a_word_are_refused_by_name(tmp_path):
    import runpy
    from pathlib import Path

    m = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "rolling_pendulum.py"))["m"]
    with pytest.raises(lw.ModelError, match=r"spin\.axis: .*has no place in MJCF"):
        lw.export(m, tmp_path / "rolling.xml", strict=True)
