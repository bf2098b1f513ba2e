"""`m.contacts` that finds nothing says what it looked at, once, in the report and as a warning."""

import warnings

import pytest

import linkwright as lw
from linkwright import contact, joints, parts


def model(*shapes, on=("world", "body")):
    m = lw.Model("table")
    m.world, m.body = lw.World(), parts.Body(m=1, inertia=[0.01] * 3)
    for k, (shape, where) in enumerate(zip(shapes, on, strict=False)):
        setattr(m, f"shape{k}", shape)
        m.connect(m.world.frame_b if where == "world" else m.body.frame_a, shape.frame_a)
    m.contacts(law=contact.Rigid())
    return m


def arm():
    m = model(contact.Plane(), contact.Sphere(radius=0.1))
    m.hinge = joints.Revolute()
    m.connect(m.world.frame_b, m.hinge.frame_a)
    m.connect(m.hinge.frame_b, m.body.frame_a)
    return m


def named():
    m = model(contact.Plane(), contact.Sphere(radius=0.1))
    m.touch = contact.Pair(m.shape0, m.shape1, law=contact.Rigid())
    return m


ball = contact.Sphere


@pytest.mark.parametrize("build, said", [
    (model, "there is no shape of contact in table, and a pair takes two. Put shapes on frames"),
    (lambda: model(contact.Plane()), "there is the one shape shape0 in table"),
    (lambda: model(ball(radius=0.1), ball(radius=0.2), on=("body", "body")),
     r"among 2 shapes \(shape0, shape1\): 1 on one body, which cannot touch itself"),
    (arm, "1 on bodies that a joint connects"),
    (named, "1 that the model has already by contact.Pair"),
    (lambda: model(contact.Plane(), contact.Plane(n=[1, 0, 0])),
     r"1 of kinds that cannot meet, Plane and Plane \(shape0, shape1\)"),
], ids=["no shape", "one shape", "one body", "a joint", "named", "kinds"])
def test_what_was_looked_at_is_said(build, said):
    with pytest.warns(UserWarning, match=said) as told:
        system = lw.compile(build())
    assert len(told) == 1
    (remark,) = [line for line in system.mechanism.remarks if "m.contacts" in line]
    assert remark in system.report(full=True) and str(told[0].message) == remark + "."


def test_kinds_that_cannot_meet_are_remarked_beside_those_that_can():
    m = model(contact.Plane(), contact.Sphere(radius=0.1), contact.Plane(n=[0, 0, 1]), on=("world", "body", "body"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system = lw.compile(m)
    (remark,) = system.mechanism.remarks
    assert "left out 1 of kinds that cannot meet, Plane and Plane (shape0, shape2)" in remark


def test_contacts_can_be_read_before_a_run():
    m = lw.Model("two balls")
    m.world = lw.World()
    m.floor, m.ball = contact.Plane(), [parts.Body(m=1, inertia=[0.01] * 3) for _ in range(2)]
    m.skin = [contact.Sphere(radius=0.1) for _ in range(2)]
    m.connect(m.world.frame_b, m.floor.frame_a)
    pairs = m.contacts(law=contact.Rigid())
    for body, skin in zip(m.ball, m.skin, strict=True):
        m.connect(body.frame_a, skin.frame_a)
    assert pairs.names() == ["floor/skin[0]", "floor/skin[1]", "skin[0]/skin[1]"] == repr(pairs).split(", ")
    assert len(pairs) == 3 and pairs[0] == (m.floor, m.skin[0]) and list(pairs)[2] == (m.skin[0], m.skin[1])
    m.hinge = joints.Revolute()                             # neighbours do not touch: the model has grown
    m.chain(m.ball[0], m.hinge, m.ball[1])
    assert len(pairs) == 2
