"""A law that changes between two compilations: what has no friction has no rows of it, whatever was compiled before."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, parts

G = 9.81
LAWS = {
    contact.Rigid: {"mu": 0.4}, contact.Hertz: {"stiffness": 1e6}, contact.HuntCrossley: {"stiffness": 1e6},
    contact.Linear: {"stiffness": 1e5}, contact.Smooth: {"stiffness": 1e6}, contact.Exponential: {"mu": 0.4},
    contact.ElasticFoundation: {"stiffness": 1e6},
}
VALUES = {"mu": 0.4, "mu_s": 0.6, "patch": 1e-3}


def ball(law, slope=0.0, height=0.1):
    m = lw.Model("ball")
    m.world, m.floor = lw.World(g=G, n=[np.sin(slope), -np.cos(slope), 0]), contact.Plane(n=[0, 1, 0])
    soft = isinstance(law, contact.ElasticFoundation)
    m.skin = contact.Mesh(**tetrahedron()) if soft else contact.Sphere(radius=0.1)
    m.body = parts.Body(m=1, inertia=[4e-3] * 3, r_0=[0, height, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law)
    return m


def tetrahedron():
    points = 0.1 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    return {"vertices": points, "faces": np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])}


def structure(law):
    """Rows, states and what contacts have, of a system compiled now."""
    m = lw.compile(ball(law)).mechanism
    return ([c.name for c in m.constraints], len(m.states), [c.drags is None for c in m.events.contacts],
            [c.newton for c in m.events.contacts])


def test_all_laws_are_here():
    """A new law takes part by itself."""
    own = {kind for kind in vars(contact).values()
           if isinstance(kind, type) and issubclass(kind, tuple) and kind is not contact.Material}
    assert own == set(LAWS)


SWITCHES = [(kind, name) for kind, numbers in LAWS.items() for name in kind(**numbers).switches]


@pytest.mark.parametrize("kind, name", SWITCHES, ids=[f"{kind.__name__}.{name}" for kind, name in SWITCHES])
def test_a_switch_is_part_of_the_structure(kind, name):
    """On, off and on again, and the other way round: the same structure as the first time."""
    off = kind(**{**LAWS[kind], "mu": 0.0})
    on = off._replace(**{"mu_s" if name == "mu_s" else name: VALUES.get(name, 1e-2)})
    first, *others = [structure(law) for law in (on, off, on, off)]
    assert first == others[1] and others[0] == others[2]


def test_entries_that_are_left_out_are_part_of_the_structure():
    for one, other in ((contact.Rigid(mu=0.4), contact.Rigid(mu=0.4, mu_s=0.6)),
                       (contact.Rigid(impact="newton"), contact.Rigid(impact="poisson")),
                       (contact.HuntCrossley(1e6, 0.1), contact.HuntCrossley(1e6, restitution=0.5))):
        first, *others = [structure(law) for law in (one, other, one, other)]
        assert first == others[1] and others[0] == others[2]


def test_what_was_a_patch_sticks_again():
    """A contact that never sticks, then one that does: a slope below its friction angle holds it, to rounding."""
    slope = 0.3
    for law in (contact.Rigid(mu=0.5, rolling=0.05, patch=1e-3), contact.Rigid(mu=0.5)):
        m = ball(law, slope)
        r = lw.simulate(m, 0.01, accuracy=1e-6)
    rolling = 5 / 7 * G * np.sin(slope)
    assert r["body.v_0"][-1, 0] == pytest.approx(0.01 * rolling, abs=1e-9)
    assert any(row.what == "stick" for row in r.contacts) or not any(row.what == "slide" for row in r.contacts)


def test_a_bed_of_springs_has_the_numbers_it_was_given():
    """Three stiffnesses in turn: each presses in proportion, none with that of another."""
    forces = []
    for stiffness in (1e6, 2e6, 3e6):
        m = ball(contact.ElasticFoundation(stiffness=stiffness), height=0.05)
        forces.append(float(lw.simulate(m, 1e-4)["touch.f_n"][0]))
    assert forces == pytest.approx([forces[0] * k for k in (1, 2, 3)], rel=1e-9)


def test_laws_of_one_shape_are_told_apart_where_pairs_are_found():
    """Two laws with the same entries are two laws."""
    found = []
    for law in (contact.Linear(stiffness=1e5), contact.ElasticFoundation(stiffness=1e5)):
        m = lw.Model("found")
        m.world, m.floor, m.skin = lw.World(g=G), contact.Plane(n=[0, 1, 0]), contact.Mesh(**tetrahedron())
        m.body = parts.Body(m=1, inertia=[4e-3] * 3, r_0=[0, 0.09, 0])
        m.connect(m.world.frame_b, m.floor.frame_a)
        m.connect(m.body.frame_a, m.skin.frame_a)
        m.contacts(law=law)
        found.append(np.sum(lw.simulate(m, 1e-4)["floor/skin.f_n"][0]))
    assert found[0] != pytest.approx(found[1], rel=0.1)
