"""Pictures, films, glTF; what is refused."""

import json
import struct

import numpy as np
import pytest
from view_models import pendulum

import linkwright as lw
from linkwright import ModelError, parts, visualizers


@pytest.fixture(scope="module")
def run():
    return lw.simulate(pendulum(), 2.0)


def test_picture_shows_the_body_where_it_is(run, tmp_path):
    from PIL import Image

    seen = []
    for t in (0.0, 0.5):
        run.save(tmp_path / "x.png", t=t, size=(300, 200))
        image = np.asarray(Image.open(tmp_path / "x.png")).astype(int)
        assert image.shape == (200, 300, 3)
        blue = image[..., 2] - image[..., 0] > 60  # the body alone is as blue
        assert blue.sum() > 60
        seen.append(np.argwhere(blue).mean(axis=0))
    # from φ = 1 it falls: the body is lower (a greater row) half a second later
    assert seen[1][0] > seen[0][0] + 10


def test_gif_has_a_picture_for_every_time(run, tmp_path):
    from PIL import Image

    run.save(tmp_path / "x.gif", fps=5, size=(120, 80))
    with Image.open(tmp_path / "x.gif") as film:
        assert film.n_frames == 11
        film.seek(5)
        image = np.asarray(film.convert("RGB")).astype(int)
    assert np.sum(image[..., 2] - image[..., 0] > 60) > 10  # a thin part keeps its colour, though the sky is wide


def test_mp4_needs_ffmpeg_and_says_so(run, tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ModelError, match="ffmpeg"):
        run.save(tmp_path / "x.mp4")


def test_glb_holds_meshes_and_the_motion(run, tmp_path):
    run.save(tmp_path / "x.glb", fps=30)
    data = (tmp_path / "x.glb").read_bytes()
    magic, version, total = struct.unpack("<4sII", data[:12])
    assert (magic, version, total) == (b"glTF", 2, len(data))
    length = struct.unpack("<I", data[12:16])[0]
    document = json.loads(data[20:20 + length])
    moving = [c for c in document["animations"][0]["channels"] if c["target"]["path"] == "rotation"]
    assert len(moving) == 1  # one body
    binary = data[20 + length + 8:]
    sampler = document["animations"][0]["samplers"][moving[0]["sampler"]]
    accessor = document["accessors"][sampler["output"]]
    start = document["bufferViews"][accessor["bufferView"]]["byteOffset"]
    q = np.frombuffer(binary, np.float32, accessor["count"] * 4, start).reshape(-1, 4)
    # about z by phi: (0, 0, sin φ/2, cos φ/2), scalar last
    t = np.arange(accessor["count"]) / 30
    phi = run.at(t)["rev.phi"]
    expected = np.column_stack([0 * phi, 0 * phi, np.sin(phi / 2), np.cos(phi / 2)])
    assert np.allclose(np.abs(np.sum(q * expected, axis=1)), 1.0, atol=1e-6)
    assert np.all(np.sum(q[1:] * q[:-1], axis=1) > 0)


def test_glb_of_a_run_that_begins_late_plays_from_its_start(tmp_path):
    """Times of the file count from the beginning of the run, so that nothing stands still first."""
    lw.simulate(pendulum(), 5.5, start=5.0).save(tmp_path / "x.glb", fps=20)
    data = (tmp_path / "x.glb").read_bytes()
    length = struct.unpack("<I", data[12:16])[0]
    document, binary = json.loads(data[20:20 + length]), data[20 + length + 8:]
    times = {sampler["input"] for sampler in document["animations"][0]["samplers"]}
    for accessor in (document["accessors"][number] for number in times):
        start = document["bufferViews"][accessor["bufferView"]]["byteOffset"]
        t = np.frombuffer(binary, np.float32, accessor["count"], start)
        np.testing.assert_allclose(t, np.arange(11) / 20, atol=1e-6)
        assert (accessor["min"], accessor["max"]) == ([0.0], [pytest.approx(0.5)])


def test_glb_opens_in_another_program(run, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    run.save(tmp_path / "x.glb")
    scene = trimesh.load(tmp_path / "x.glb")
    # the body swings as high as it began; its ball has a ninth of the mechanism's size as diameter
    top = 0.5 * np.sin(1.0)
    assert scene.bounds[1][1] == pytest.approx(top + top / 18, abs=0.02)


@pytest.mark.parametrize("suffix", [".stl", ".obj", ".ply", ".glb"])
def test_mesh_files_are_shown(tmp_path, suffix):
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / f"part{suffix}"
    trimesh.creation.box(extents=(0.2, 0.4, 0.6)).export(file)
    m = pendulum()
    m.hull = visualizers.FixedShape(shape_type=str(file))
    m.connect(m.body.frame_a, m.hull.frame_a)
    from linkwright.view.animation_files import result_animation

    a = result_animation(lw.simulate(m, 0.1))
    item = next(i for i in a.items if i.shape.name == "hull.shape")
    assert np.allclose(np.ptp(item.mesh[0], axis=0), (0.2, 0.4, 0.6)) and np.allclose(item.scale, 1)


def test_a_body_may_carry_a_mesh(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / "rod.stl"
    trimesh.creation.icosphere(radius=3.0).export(file)
    m = lw.Model("mesh")
    m.world = lw.World()
    m.rev = lw.joints.Revolute()
    m.rod = parts.BodyShape(m=1, r=[0.5, 0, 0], shape_type=str(file), extra=1, width=0.1)
    m.chain(m.world, m.rev, m.rod)
    from linkwright.view.animation_files import result_animation

    a = result_animation(lw.simulate(m, 0.1))
    item = next(i for i in a.items if i.shape.name == "rod.shape")
    v = item.mesh[0] * item.scale
    assert np.allclose(np.ptp(v, axis=0), (0.5, 0.1, 0.1), rtol=1e-6)


def test_bad_input_is_refused_with_a_name(run, tmp_path):
    with pytest.raises(ModelError, match="no mesh file 'nowhere.stl'"):
        visualizers.FixedShape(shape_type="nowhere.stl")
    with pytest.raises(ModelError, match="width = 0 leaves nothing"):
        visualizers.FixedShape(width=0)
    with pytest.raises(ModelError, match="no direction"):
        visualizers.FixedArrow(n=[0, 0, 0])
    with pytest.raises(KeyError, match="rev.phi"):
        run.save(tmp_path / "x.html", plots=["rev.phy"])
    with pytest.raises(KeyError, match="body"):
        run.save(tmp_path / "x.html", traces=["bodi"])
    with pytest.raises(ModelError, match="fps"):
        run.save(tmp_path / "x.html", fps=0)
    with pytest.raises(ModelError, match="goes from 0 to 2"):
        run.save(tmp_path / "x.png", t=7)
    with pytest.raises(ModelError, match="options of animations"):
        run.save(tmp_path / "x.csv", fps=3)
    still = lw.simulate(pendulum(enable_animation=False), 0.1)
    with pytest.raises(ModelError, match="enable_animation"):
        still.save(tmp_path / "x.html")
    m = pendulum()
    m.odd = visualizers.FixedShape(shape_type="banana")
    m.connect(m.body.frame_a, m.odd.frame_a)
    with pytest.raises(ModelError, match="odd.shape: shape_type is one of"):
        lw.simulate(m, 0.1).save(tmp_path / "x.html")


def test_stored_results_say_why_they_cannot_be_shown(run, tmp_path):
    run.save(tmp_path / "x.csv", ["rev.phi"])
    stored = lw.load(tmp_path / "x.csv")
    from linkwright.view import save_html

    with pytest.raises(ModelError, match="simulated from a model"):
        save_html(stored, tmp_path / "y.html")
