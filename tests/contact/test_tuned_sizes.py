"""Sizes of shapes of contact are numbers: they are tuned and swept on one code where the kind of a pair stays."""

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, parts
from linkwright.compiler import afresh

LAWS = {"rigid": contact.Rigid(mu=0.3, restitution=0.2), "linear": contact.Linear(stiffness=1e4, mu=0.3),
        "hertz": contact.Hertz(stiffness=1e6, mu=0.3, radius=0.1)}
#: shape: its sizes, others to be tuned to
SHAPES = {"Sphere": ({"radius": 0.1}, {"radius": 0.16}), "Capsule": ({"radius": 0.1, "length": 0.3}, {"length": 0.5}),
          "Box": ({"size": [0.2, 0.3, 0.4]}, {"size": [0.25, 0.2, 0.5]}),
          "Cylinder": ({"radius": 0.1, "length": 0.3}, {"radius": 0.15}), "Disc": ({"radius": 0.1}, {"radius": 0.15}),
          "Torus": ({"R": 0.2, "r": 0.05}, {"r": 0.08}),
          "Ellipsoid": ({"radii": [0.1, 0.2, 0.3]}, {"radii": [0.2] * 3})}
SOON = {*(("linear", shape, "Plane") for shape in SHAPES), ("rigid", "Sphere", "Plane"), ("rigid", "Box", "Sphere"),
        ("hertz", "Capsule", "Sphere")}
CASES = [pytest.param(law, shape, floor, marks=[] if (law, shape, floor) in SOON else pytest.mark.slow)
         for law in LAWS for shape in SHAPES for floor in ("Plane", "Sphere")]


def thrown(shape, sizes, law, floor="Plane", found=False):
    m = lw.Model("thrown")
    m.world = lw.World(n=[0, 0, -1])
    m.floor = contact.Plane(n=[0, 0, 1]) if floor == "Plane" else contact.Sphere(radius=0.5)
    m.connect(m.world.frame_b, m.floor.frame_a)
    height = 0.42 if floor == "Plane" else 0.95
    m.body = parts.Body(m=1.0, inertia=[0.01, 0.02, 0.015], r_0=[0.03, 0.02, height], v_0=[0.3, 0.1, -1.0],
                        angles=[0.3, 0.2, 0.1], w_0=[0.3, 0.2, 0.1])
    m.skin = getattr(contact, shape)(**sizes)
    m.connect(m.body.frame_a, m.skin.frame_a)
    if found:
        m.contacts(law=law)
    else:
        m.pair = contact.Pair(m.floor, m.skin, law=law)
    return m


@pytest.mark.parametrize("law, shape, floor", CASES)
def test_a_tuned_size_is_that_of_a_model_made_with_it(law, shape, floor):
    own, other = SHAPES[shape]
    names = [f"skin.{name}" for name in other]
    system = lw.compile(thrown(shape, own, LAWS[law], floor), tunable=names)
    with afresh():
        wanted = lw.simulate(thrown(shape, {**own, **other}, LAWS[law], floor), 0.25, step=0.05)
    found = lw.simulate(system, 0.25, step=0.05, inputs={f"skin.{name}": value for name, value in other.items()})
    np.testing.assert_allclose(found["body.r_0"], wanted["body.r_0"], rtol=0, atol=1e-6)
    assert len(found.events) == len(wanted.events)
    before = lw.simulate(system, 0.25, step=0.05)
    assert np.abs(before["body.r_0"] - found["body.r_0"]).max() > 1e-4  # it counts


@pytest.mark.parametrize("shape", ["Sphere", "Box"])
def test_stepped_contacts_have_the_sizes_of_the_state(shape):
    own, other = SHAPES[shape]
    options = {"method": "moreau", "step": 0.05}
    system = lw.compile(thrown(shape, own, LAWS["rigid"], found=True), tunable=[f"skin.{name}" for name in other])
    with afresh():
        wanted = lw.simulate(thrown(shape, {**own, **other}, LAWS["rigid"], found=True), 0.2, **options)
    found = lw.simulate(system, 0.2, inputs={f"skin.{name}": value for name, value in other.items()}, **options)
    np.testing.assert_allclose(found["body.r_0"], wanted["body.r_0"], rtol=0, atol=1e-9)


def test_a_sweep_compiles_once():
    m = thrown("Sphere", {"radius": 0.1}, LAWS["rigid"])
    radii = [0.08, 0.1, 0.12, 0.14]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = lw.sweep(m, {"skin.radius": radii}, 0.25, step=0.05, outputs=["body.r_0"])
    for k, radius in enumerate(radii):
        m.skin.radius = radius
        np.testing.assert_allclose(study.data["body.r_0"].values[k], lw.simulate(m, 0.25, step=0.05)["body.r_0"],
                                   rtol=0, atol=1e-9)


def test_a_distance_has_the_size_of_the_state():
    system = lw.compile(thrown("Sphere", {"radius": 0.1}, LAWS["linear"]), tunable=["skin.radius"])
    near, far = system.state().set("skin.radius", 0.2), system.state()
    assert abs(system.distance(far, "floor", "skin").gap - system.distance(near, "floor", "skin").gap - 0.1) < 1e-12


def test_a_size_that_a_search_over_arrays_holds_is_structure():
    m = thrown("Capsule", {"radius": 0.1, "length": 0.3}, LAWS["linear"])
    m.other = contact.Box(size=[0.1, 0.1, 0.1])
    m.connect(m.world.frame_b, m.other.frame_a)
    m.pair2 = contact.Pair(m.other, m.skin, law=LAWS["linear"])
    with pytest.raises(lw.ModelError, match="skin.radius"):
        lw.compile(m, tunable=["skin.radius"])
