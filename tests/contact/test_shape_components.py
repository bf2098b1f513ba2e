"""Shapes of contact as components: what they take, what they refuse, how they look."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, geometry, joints, parts
from linkwright import planar as pl
from linkwright.errors import ModelError
from linkwright.view.default_shapes import shapes_of

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
CUBE_FACES = geometry.Convex(CUBE).hull()[1]
OUTLINE = [[np.cos(a), 0.7 * np.sin(a)] for a in np.linspace(0, 2 * np.pi, 12, endpoint=False)]

MADE = [
    contact.Point(), contact.Plane(n=[0, 0, 2]), contact.Sphere(radius=0.1), contact.Capsule(radius=0.1, length=0.5),
    contact.Box(size=[1, 2, 3]), contact.Cylinder(radius=0.2, length=0.4, n=[1, 0, 0]), contact.Disc(radius=0.3),
    contact.Torus(R=0.3, r=0.05, feet=0), contact.Ellipsoid(radii=[0.1, 0.2, 0.3]), contact.Convex(CUBE, radius=0.01),
    contact.Mesh(vertices=CUBE, faces=CUBE_FACES), contact.HeightField(np.arange(5), np.arange(4), np.zeros((5, 4))),
    contact.Curve(OUTLINE), contact.Curve(function=lambda s: (lw.cos(s), lw.sin(s))),
    pl.contact.Point(), pl.contact.Line(n=[1, 1]), pl.contact.Circle(radius=0.2), pl.contact.Curve(OUTLINE),
    pl.contact.Polygon([[0, 0], [1, 0], [0, 1]]),
]


@pytest.mark.parametrize("component", MADE, ids=lambda c: type(c).__module__.split(".")[-2] + "." + type(c).__name__)
def test_every_shape_is_built_and_seen(component):
    assert isinstance(component.shape(component), geometry.Shape)
    seen = shapes_of(component, lw.World())
    assert seen and all(np.all(np.isfinite(shape.size if shape.kind == "ground" else shape.data[0])) for shape in seen)


def test_surfaces_face_outward_and_enclose_the_volume():
    """∑ a·(b × c)/6 over the triangles that are shown, near the volume of the shape (facets cut a few per cent off)."""
    for component, volume in ((contact.Sphere(radius=0.1), 4 / 3 * np.pi * 1e-3), (contact.Box(size=[1, 2, 3]), 6.0),
                              (contact.Cylinder(radius=0.2, length=0.4, n=[1, 2, 0]), np.pi * 0.016),
                              (contact.Capsule(radius=0.1, length=0.5), np.pi * 0.005 + 4 / 3 * np.pi * 1e-3),
                              (contact.Torus(R=0.3, r=0.05), 2 * np.pi**2 * 0.3 * 0.0025),
                              (contact.Ellipsoid(radii=[0.1, 0.2, 0.3]), 4 / 3 * np.pi * 0.006),
                              (contact.Convex(CUBE), 1.0), (contact.Mesh(vertices=CUBE, faces=CUBE_FACES), 1.0)):
        vertices, faces = shapes_of(component, lw.World())[0].data
        a, b, c = (vertices[faces[:, k]] for k in range(3))
        assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(volume, rel=0.04), type(component)


@pytest.mark.parametrize("make, message", [
    (lambda: contact.Sphere(radius=-0.1), "radius = -0.1 must be positive"),
    (lambda: contact.Sphere(), "radius .* must be given"),
    (lambda: contact.Plane(n=[0, 0, 0]), "n = .* has no direction"),
    (lambda: contact.Capsule(radius=0.1, length=0), "length = 0 must be positive"),
    (lambda: contact.Box(size=[1, -1, 1]), "size = .* must be three positive lengths"),
    (lambda: contact.Box(size=[1, 1]), "expected 3 numbers"),
    (lambda: contact.Disc(radius=0.1, feet=-1), "feet = -1 must be a count"),
    (lambda: contact.Torus(R=0.1, r=0.2), "must be smaller than R"),
    (lambda: contact.Ellipsoid(radii=[1, 0, 1]), "three positive lengths"),
    (lambda: contact.Convex([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]), "enclose no volume"),
    (lambda: contact.Convex([[0, 0, 0]]), "at least 3 points"),
    (lambda: contact.Mesh(vertices=CUBE, faces=CUBE_FACES[1:]), r"Mesh\(.*not closed: .*Repair the mesh"),
    (lambda: contact.Mesh("nowhere.stl"), "no mesh file 'nowhere.stl'"),
    (lambda: contact.Mesh(), "give a file, or vertices= and faces="),
    (lambda: contact.HeightField([0, 1, 2, 2], [0, 1, 2, 3], np.zeros((4, 4))), "must increase"),
    (lambda: contact.HeightField([0, 1, 2, 3], [0, 1, 2, 3], np.zeros((4, 3))), r"must be \(4, 4\)"),
    (lambda: contact.Curve([[0, 0], [1, 0]]), "at least four finite"),
    (lambda: contact.Curve(function=lambda s: (s, 0.0)), "to be closed, but begins at"),
    (lambda: pl.contact.Polygon([[0, 0], [1, 0], [0.2, 0.2], [0, 1]]), "not convex at point 2"),
    (lambda: pl.contact.Circle(radius=0), "radius = 0 must be positive"),
    (lambda: pl.contact.Line(n=[0, 0]), "has no length"),
])
def test_what_is_no_shape_is_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_a_flat_mesh_has_no_volume():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=float)
    with pytest.raises(ModelError, match="encloses no volume"):
        contact.Mesh(vertices=vertices, faces=[[0, 1, 2], [0, 2, 1]])


def test_a_mesh_turned_inside_out_is_turned_back():
    mesh = geometry.Mesh(CUBE, CUBE_FACES[:, ::-1])
    assert np.array_equal(mesh.faces, CUBE_FACES) or geometry.Mesh(CUBE, CUBE_FACES).faces.shape == mesh.faces.shape
    from linkwright.geometry.hulls import mesh_volume

    assert mesh_volume(mesh.vertices, mesh.faces) == pytest.approx(1.0)


def test_a_shape_on_no_frame_is_refused():
    m = lw.Model("loose")
    m.world = lw.World()
    m.skin = contact.Sphere(radius=0.1)
    with pytest.raises(lw.LinkwrightError, match="skin"):
        lw.compile(m)


def test_a_shape_rides_along_and_puts_no_load_on_its_frame():
    def pendulum(skin):
        m = lw.Model("pendulum")
        m.world = lw.World()
        m.rev = joints.Revolute(phi=1.0)
        m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
        m.chain(m.world, m.rev, m.body)
        if skin:
            m.skin = contact.Sphere(radius=0.1)
            m.connect(m.body.frame_a, m.skin.frame_a)
        return lw.simulate(m, 1.0)

    assert np.array_equal(pendulum(False)["rev.phi"], pendulum(True)["rev.phi"])


def test_a_mesh_given_by_place_is_told_how():
    with pytest.raises(lw.ModelError, match="vertices=…, faces=…"):
        contact.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
