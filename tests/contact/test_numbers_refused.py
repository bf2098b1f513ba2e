"""What is no number, or none that makes sense, is refused where it is given: by name, with what would do.

All laws, materials and shapes take part by themselves, a new one too.
"""

import inspect

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, parts
from linkwright import planar as pl
from linkwright.language.fields import Appearance, Parameter, Record

BAD = {"word": "stiff", "none": None, "nan": np.nan, "inf": np.inf, "complex": 1j, "array": [1.0, 2.0],
       "negative": -1.0, "object": object(), "truth": True}
CORNERS = 0.1 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])

LAWS = [kind for kind in vars(contact).values() if isinstance(kind, type) and issubclass(kind, tuple)]
#: entries that may be left out, may be negative, or are no numbers
MAY_BE_NONE = {("mu_s", None), ("radius", None), ("restitution", contact.HuntCrossley), ("grip_damping", None)}
MAY_BE_NEGATIVE = {"offset"}

SHAPES = {
    contact.Point: {}, contact.Plane: {}, contact.Sphere: {"radius": 0.1},
    contact.Capsule: {"radius": 0.1, "length": 1},
    contact.Box: {"size": [1, 1, 1]}, contact.Cylinder: {"radius": 0.1, "length": 1}, contact.Disc: {"radius": 0.1},
    contact.Torus: {"R": 0.2, "r": 0.1}, contact.Ellipsoid: {"radii": [1, 2, 3]}, contact.Convex: {"points": CORNERS},
    contact.Mesh: {"vertices": CORNERS, "faces": [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]},
    contact.HeightField: {"x": np.arange(4), "y": np.arange(4), "z": np.zeros((4, 4))},
    contact.Curve: {"points": [[0, 0], [1, 0], [1, 1], [0, 1]]}, pl.contact.Point: {}, pl.contact.Line: {},
    pl.contact.Circle: {"radius": 0.1}, pl.contact.Polygon: {"points": [[0, 0], [1, 0], [0, 1]]},
    pl.contact.Curve: {"points": [[0, 0], [1, 0], [1, 1], [0, 1]]}}


def given_to_a_pair(law):
    m = lw.Model("ball")
    m.world, m.floor, m.skin = lw.World(), contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.1)
    m.body = parts.Body(m=1, inertia=[4e-3] * 3, r_0=[0, 0.1, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    if isinstance(law, contact.Material):
        m.skin.material = law
    else:
        m.touch = contact.Pair(m.floor, m.skin, law=law)


def makes_sense(kind, name, what):
    return (what == "none" and {(name, None), (name, kind)} & MAY_BE_NONE
            or what == "negative" and name in MAY_BE_NEGATIVE)


@pytest.mark.parametrize("kind", LAWS, ids=lambda kind: kind.__name__)
def test_every_number_of_every_law(kind):
    for name in kind._fields:
        if kind is contact.Smooth and name == "model":
            continue  # it is not given
        asked = "at" if name == "at_speed" else name
        first = {"stiffness": 1e6} if "stiffness" in kind._fields else {}
        for what, value in BAD.items():
            if makes_sense(kind, name, what):
                continue
            with pytest.raises(lw.ModelError) as told:
                given_to_a_pair(kind(**{**first, asked: value}))
            said = str(told.value)
            assert name in said and (";" in said or "must be one of" in said or "must lie between" in said), said
            assert "skin" in said or "touch" in said, said


def test_every_shape_is_here():
    own = {kind for room in (contact, pl.contact) for kind in vars(room).values()
           if inspect.isclass(kind) and issubclass(kind, contact.ContactShape) and not kind.__name__.endswith("Shape")}
    assert own == set(SHAPES)


@pytest.mark.parametrize("kind", SHAPES, ids=lambda kind: f"{kind.__module__.split('.')[-2]}.{kind.__name__}")
def test_every_size_of_every_shape(kind):
    kind(**SHAPES[kind])
    sizes = [name for name, field in kind.fields().items()
             if isinstance(field, Parameter) and not isinstance(field, Appearance | Record)]
    for name in sizes:
        for what, value in BAD.items():
            if what == "truth" or what == "none" and kind.fields()[name].default is None \
                    or (name, what) in {("n", "array"), ("start", "negative"), ("closed", "none")}:
                continue  # two numbers are an axis in the plane; a start may be anywhere
            with pytest.raises(lw.ModelError, match=name):
                kind(**{**SHAPES[kind], name: value})


def test_laws_for_all_pairs_are_checked_where_they_are_given():
    m = lw.Model("heap")
    with pytest.raises(lw.ModelError, match="heap.law: mu = -1 cannot be negative"):
        m.contacts(law=contact.Rigid(mu=-1))
    with pytest.raises(lw.ModelError, match="is no law of contact; give one of contact's"):
        m.contacts(law="rigid")
    with pytest.raises(lw.ModelError, match=r"contact.Rigid\(…\)"):
        m.contacts(law=contact.Rigid)
