"""Compliant contact of shapes made of arrays: convex bodies, meshes, height fields; beds of springs."""

import itertools

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, geometry, parts
from linkwright.algebra import Transform
from linkwright.errors import ModelError

SLAB = np.array(list(itertools.product([-1, 1], [-1, 1], [-0.5, 0])))
CUBE = np.array(list(itertools.product([-0.1, 0.1], repeat=3)))


def dropped(floor, skin, law, r_0=(0, 0, 0.3), w=(1, 2, 3), v=(0, 0, 0)) -> lw.Model:
    """A body of 1 kg over a floor that stays."""
    m = lw.Model("dropped")
    m.world = lw.World(n=[0, 0, -1])
    m.floor, m.skin = floor, skin
    m.body = parts.Body(m=1, inertia=[1e-2] * 3, r_0=list(r_0), w_a=list(w), v_0=list(v))
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law)
    m.integral(m.touch.loss_power, name="lost")
    return m


def ball_mesh(radius: float, subdivisions: int):
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions, radius)
    return {"vertices": np.array(ball.vertices), "faces": np.array(ball.faces)}


def hills(n: int = 21):
    x = np.linspace(-2, 2, n)
    return contact.HeightField(x, x, 0.1 * x[:, None] ** 2 + 0.1 * np.sin(2 * x))


CASES = {
    "cube on a slab": lambda: dropped(contact.Convex(SLAB), contact.Convex(CUBE),
                                      contact.Linear(1e5, dissipation=0.2, mu=0.3)),
    "ball on hills": lambda: dropped(hills(), contact.Sphere(radius=0.1), contact.HuntCrossley(1e7, mu=0.3),
                                     v=(1, 0.7, 0)),
    "wheel on hills": lambda: dropped(hills(), contact.Torus(R=0.15, r=0.05), contact.Linear(1e5, mu=0.5),
                                      v=(1, 0.7, 0)),
    "mesh on a plane": lambda: dropped(contact.Plane(n=[0, 0, 1]), contact.Mesh(**ball_mesh(0.1, 1)),
                                       contact.Linear(1e5, mu=0.3), v=(1, 0, 0)),
    "bed of springs": lambda: dropped(contact.Plane(n=[0, 0, 1]), contact.Mesh(**ball_mesh(0.1, 2)),
                                      contact.ElasticFoundation(1e8, dissipation=0.2, mu=0.3), v=(1, 0, 0)),
}


@pytest.mark.parametrize("name", [name if name in ("ball on hills", "wheel on hills")
                                  else pytest.param(name, marks=pytest.mark.slow) for name in CASES])
def test_energy_is_kept_in_the_book(name):
    r = lw.simulate(CASES[name](), 0.4, accuracy=1e-7)
    total = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"] + r["lost"]
    assert len(r.contacts) >= 2 and r["touch.gap"].min() < -1e-4
    # the round law's force has a root of the depth, which costs some steps more than they tell
    assert np.ptp(total) <= (1e-5 if "ball" in name else 1e-6) * r["kinetic_energy"].max()


def test_a_cube_comes_to_rest_on_four_corners():
    """Each carries a quarter of the weight, at the depth f/k."""
    m = dropped(contact.Convex(SLAB), contact.Convex(CUBE), contact.Linear(1e5, dissipation=2, mu=0.5), (0, 0, 0.101),
                (0, 0, 0))
    r = lw.simulate(m, 1.0)
    f = np.sort(r["touch.f_n"][-1])[::-1]
    assert f[:4] == pytest.approx([9.80665 / 4] * 4, rel=1e-4) and not f[4:].any()
    assert r["body.r_0"][-1, 2] == pytest.approx(0.1 - 9.80665 / 4e5, abs=1e-8)


def test_a_short_contact_with_a_mesh_is_not_stepped_over():
    """A contact of two milliseconds within ten seconds of flight: a ball against a wall of triangles."""
    vertices, faces = geometry.Convex(10 * SLAB).hull()
    m = dropped(contact.Mesh(vertices=vertices, faces=faces), contact.Sphere(radius=0.1), contact.Linear(1e6),
                (0, 0, 5.1), (0, 0, 0), (0, 0, -1))
    m.world.g = 0.0
    r = lw.simulate(m, 10.0)
    assert len(r.contacts) == 2
    # half a period of the spring, and the speed turned round
    assert r.contacts[1].time - r.contacts[0].time == pytest.approx(np.pi * 1e-3, rel=1e-5)
    assert r["body.v_0"][-1, 2] == pytest.approx(1.0, abs=1e-5)


def test_a_pyramid_on_a_bed_of_springs():
    """Simbody's TestElasticFoundationForce: its base of 1 m² presses with k · depth."""
    base = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0.5, 0.5, 1]])
    mesh = geometry.Mesh(base, [[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    bed = geometry.bed(geometry.Plane([0, 0, 1]), mesh)
    for depth in (0.01, 0.05, 0.1):
        for speed in (0.0, 0.3, -0.3):
            y = bed.numeric(Transform(None, [0, 0, -depth]), [0, 0, 0, 0, 0, -speed], [1e9, 0.01, 0, 0, 0, 1, 0])
            assert y[1:4] == pytest.approx([0, 0, 1e9 * depth * (1 + 0.01 * speed)], rel=1e-12, abs=1e-3)
            assert y[10:13] == pytest.approx([0.5, 0.5, -depth], abs=1e-12)
            assert y[13] == pytest.approx(0.5e9 * depth**2, rel=1e-12)


def test_a_ball_on_a_bed_of_springs():
    """Simbody's TestElasticFoundationForce: k · π h² (3R − h)/3, as exact as its mesh."""
    mesh = geometry.Mesh(**ball_mesh(1.0, 6))
    bed = geometry.bed(geometry.Plane([0, 0, 1]), mesh)
    for k, tolerance in enumerate((0.15, 0.07, 0.03, 0.02, 0.01, 0.02)):
        h = 0.002 * 2**k
        y = bed.numeric(Transform(None, [0, 0, 1 - h]), law=[1e9, 0, 0, 0, 0, 1, 0])
        assert y[3] == pytest.approx(1e9 * np.pi * h**2 * (3 - h) / 3, rel=tolerance)


def test_two_meshes_press_on_each_other_and_share_their_springs():
    """Third law, and half of the springs each: a cube in a slab as if one of them had all."""
    slab, cube = (geometry.Mesh(*geometry.Convex(points).hull()) for points in (SLAB, CUBE))
    X, law = Transform(None, [0.3, 0.2, 0.09]), [1e6, 0, 0, 0, 0, 1, 0]
    one = geometry.bed(slab, cube).numeric(X, law=law)
    other = geometry.bed(cube, slab).numeric(X.inverse(), law=law)
    assert one[1:4] == pytest.approx(-other[1:4], abs=1e-9)
    # the slab's own two faces have their centroids elsewhere: the cube's springs alone, half of each
    assert one[3] == pytest.approx(0.5 * 1e6 * 0.04 * 0.01, rel=1e-9)


def test_friction_of_a_bed_is_that_of_the_laws():
    from linkwright.library.contact.friction import LAWS

    mesh = geometry.Mesh(*geometry.Convex(CUBE).hull())
    bed = geometry.bed(geometry.Plane([0, 0, 1]), mesh)
    for number, law in enumerate(LAWS.values()):
        for slip in (0.001, 0.005, 0.015, 0.1):
            y = bed.numeric(Transform(None, [0, 0, 0.09]), [0, 0, 0, slip, 0, 0],
                            [1e6, 0, 0.3, 0.5, 0.1, 0.01, number])
            mu = float(law(slip, 0.3, 0.5, 0.1, 0.01))
            assert y[1] == pytest.approx(-mu * y[3], rel=1e-9)
            assert y[14] == pytest.approx(mu * y[3] * slip, rel=1e-9)


def test_stiffness_of_a_layer():
    law = contact.ElasticFoundation.layer(young=1e6, poisson=0.25, thickness=0.01)
    assert law.stiffness == pytest.approx(0.75e6 / (1.25 * 0.5 * 0.01))


def test_sizes_within_a_search_are_structure():
    m = dropped(hills(), contact.Sphere(radius=0.1), contact.Linear(1e5))
    with pytest.raises(ModelError, match="skin.radius: this decides the structure"):
        lw.compile(m, tunable=["skin.radius"])
    first = lw.compile(m)
    m.skin.radius = 0.2
    second = lw.compile(m)
    gaps = [system.distance(system.state(), "floor", "skin").gap for system in (first, second)]
    assert gaps[1] == pytest.approx(gaps[0] - 0.1, abs=1e-6)
    r = lw.simulate(m, 0.01)
    assert r["touch.gap"][0] == pytest.approx(gaps[1], abs=1e-9)


def test_rigid_pairs_that_are_searched_for_are_refused_with_what_to_do():
    with pytest.raises(ModelError, match="floor, skin.*Convex and a Convex touch is found by a search.*m.contacts"):
        dropped(contact.Convex(SLAB), contact.Convex(CUBE), contact.Rigid())
    with pytest.raises(ModelError, match="elastic foundation needs a Mesh"):
        dropped(contact.Plane(), contact.Sphere(radius=0.1), contact.ElasticFoundation(1e6))


def test_pairs_that_are_found_press_too():
    m = lw.Model("heap")
    m.world = lw.World(n=[0, 0, -1])
    m.floor = contact.Convex(SLAB)
    m.connect(m.world.frame_b, m.floor.frame_a)
    for k in range(2):
        body = parts.Body(m=1, inertia=[1e-2] * 3, r_0=[0, 0, 0.1005 + 0.2005 * k])
        skin = contact.Convex(CUBE)
        setattr(m, f"body{k}", body)
        setattr(m, f"skin{k}", skin)
        m.connect(body.frame_a, skin.frame_a)
    m.contacts(law=contact.Linear(1e5, dissipation=20, mu=0.5))
    r = lw.simulate(m, 2.0)
    assert r["floor/skin0.f_n"][-1].sum() == pytest.approx(2 * 9.80665, rel=1e-3)
    assert r["skin0/skin1.f_n"][-1].sum() == pytest.approx(9.80665, rel=1e-3)


def test_stiff_steps_follow_the_slopes_of_a_search():
    """The implicit method needs derivatives, which are differences here; the motion is the same."""
    m = dropped(hills(), contact.Sphere(radius=0.1), contact.Linear(1e5, dissipation=1.0), v=(0.5, 0, 0))
    ends = [lw.simulate(m, 0.4, method=method, accuracy=1e-7)["body.r_0"][-1] for method in ("dop853", "radau")]
    assert ends[1] == pytest.approx(ends[0], abs=1e-5)
