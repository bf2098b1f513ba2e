"""Drawings as shapes: the faces of a DXF file, as Modelica's CAD shapes are kept."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.geometry import file_mesh

ezdxf = pytest.importorskip("ezdxf")


@pytest.fixture
def drawing(tmp_path):
    """A unit square as one 3DFACE and a cube as a MESH, 4 m further along x."""
    from ezdxf.render.forms import cube

    document = ezdxf.new()
    space = document.modelspace()
    space.add_3dface([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
    cube().translate(4.0, 0.0, 0.0).render_mesh(space)
    document.saveas(tmp_path / "part.dxf")
    return tmp_path / "part.dxf"


def area(vertices, faces):
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2


def test_faces_become_triangles_of_the_same_area(drawing):
    vertices, faces = file_mesh(str(drawing), "shape")
    assert area(vertices, faces) == pytest.approx(1 + 6)
    assert vertices[:, 0].max() == pytest.approx(4.5)


def test_a_drawing_of_lines_is_refused_by_name(tmp_path):
    document = ezdxf.new()
    document.modelspace().add_line((0, 0), (1, 1))
    document.saveas(tmp_path / "lines.dxf")
    with pytest.raises(lw.ModelError, match=r"cover: .*lines\.dxf holds no faces"):
        file_mesh(str(tmp_path / "lines.dxf"), "cover")


def test_what_is_no_drawing_is_refused_by_name(tmp_path):
    (tmp_path / "bad.dxf").write_text("nothing")
    with pytest.raises(lw.ModelError, match="cover"):
        file_mesh(str(tmp_path / "bad.dxf"), "cover")
