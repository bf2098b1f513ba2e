"""Kinetic, potential and elastic energy, and what dampers turn into heat, are one sum that does not change."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts, rotational, translational
from linkwright import planar as pl


def on_rail(element, s=0.4):
    """A mass held by a 1-D element to the wall."""
    m = lw.Model("rail")
    m.world = lw.World()
    m.wall, m.element, m.mass = translational.Fixed(), element, translational.Mass(m=2.0, s=s, v=-1.0)
    m.connect(m.wall.flange, m.element.flange_a)
    m.connect(m.element.flange_b, m.mass.flange_a)
    return m


def on_shaft(element):
    m = lw.Model("shaft")
    m.world = lw.World()
    m.wall, m.element, m.wheel = rotational.Fixed(), element, rotational.Inertia(J=0.5, phi=0.6, w=1.0)
    m.connect(m.wall.flange, m.element.flange_a)
    m.connect(m.element.flange_b, m.wheel.flange_a)
    return m


def hung(element):
    """A ball that flies on a line."""
    m = lw.Model("hung")
    m.world = lw.World()
    m.free = joints.FreeMotion(r_rel_a=[0.3, -0.5, 0.1], v_rel_a=[0, 0.5, 0.7])
    m.ball = parts.Body(m=0.7, r_cm=[0, 0, 0])
    m.element = element
    m.chain(m.world, m.free, m.ball)
    m.connect(m.world.frame_b, m.element.frame_a)
    m.connect(m.element.frame_b, m.ball.frame_a)
    return m


def in_plane(element):
    m = lw.Model("plane")
    m.world = pl.World()
    m.fixed, m.element = pl.Fixed(), element
    m.body = pl.Body(m=1.3, I=0.2, r=[0.4, 0.1], v=[0, 0.3], phi=0.2, w=1.0)
    m.connect(m.fixed.frame, m.element.frame_a)
    m.connect(m.element.frame_b, m.body.frame_a)
    return m


MODELS = {
    "spring": lambda: on_rail(translational.Spring(c=80.0, s_rel0=0.1)),
    "spring and damper": lambda: on_rail(translational.SpringDamper(c=80.0, d=3.0, s_rel0=0.1)),
    "gap": lambda: on_rail(translational.ElastoGap(c=900.0, d=4.0, s_rel0=0.1)),
    "round faces": lambda: on_rail(translational.ElastoGap(c=900.0, s_rel0=0.1, n=1.5)),
    "torsion spring": lambda: on_shaft(rotational.Spring(c=12.0, phi_rel0=-0.3)),
    "torsion damper": lambda: on_shaft(rotational.SpringDamper(c=12.0, d=0.3)),
    "backlash": lambda: on_shaft(rotational.ElastoBacklash(c=40.0, d=0.2, b=0.3)),
    "line": lambda: hung(forces.Spring(c=60.0, s_unstretched=0.3)),
    "line with a damper": lambda: hung(forces.SpringDamperParallel(c=60.0, d=2.0, s_unstretched=0.3)),
    "damper behind a spring": lambda: hung(forces.SpringDamperSeries(c=60.0, d=9.0, s_unstretched=0.3)),
    "planar spring": lambda: in_plane(pl.Spring(c_x=30.0, c_y=50.0, c_phi=4.0, s_relx0=0.2, phi_rel0=0.1)),
    "planar damper": lambda: in_plane(pl.SpringDamper(c_x=30.0, c_y=50.0, c_phi=4.0, d_x=1.0, d_phi=0.1)),
}


@pytest.mark.parametrize("name", MODELS)
def test_no_energy_is_lost(name):
    m = MODELS[name]()
    if "loss_power" in type(m.element).fields():
        m.integral(m.element.loss_power, name="heat")
    r = lw.simulate(m, 2.0, accuracy=1e-10)
    heat = r["heat"] if "heat" in r.names else 0.0
    total = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"] + heat
    assert np.ptp(r["elastic_energy"]) > 0.1
    np.testing.assert_allclose(total, total[0], atol=1e-7)
    np.testing.assert_allclose(r["element.energy"], r["elastic_energy"], atol=0)


def test_all_springs_of_a_model_count_and_none_is_said_where_there_are_none():
    m = on_rail(translational.Spring(c=80.0, s_rel0=0.1))
    m.second = translational.Spring(c=20.0)
    m.connect(m.wall.flange, m.second.flange_a)
    m.connect(m.second.flange_b, m.mass.flange_b)
    r = lw.simulate(m, 0.1)
    assert r["elastic_energy"] == pytest.approx(40 * (r["mass.s"] - 0.1) ** 2 + 10 * r["mass.s"] ** 2, abs=1e-12)
    m = lw.Model("free")
    m.world = lw.World()
    m.mass = translational.Mass(m=1.0, s=0, v=1)
    with pytest.raises(lw.ModelError, match="elastic_energy"):
        lw.simulate(m, 0.1)["elastic_energy"]


def test_a_planar_spring_with_free_lengths_keeps_the_energy():
    m = lw.Model("offset")
    m.world = pl.World(g=0)
    m.fixed, m.body = pl.Fixed(), pl.Body(m=1, I=0.1, r=[0.3, 0.1], v=[0.2, -0.4], phi=0.3, w=1.0)
    m.spring = pl.Spring(c_x=20, c_y=30, c_phi=2, s_relx0=0.2, s_rely0=-0.3, phi_rel0=0.5)
    m.connect(m.fixed.frame, m.spring.frame_a)
    m.connect(m.spring.frame_b, m.body.frame_a)
    r = lw.simulate(m, 1.0, accuracy=1e-10)
    total = r["kinetic_energy"] + r["elastic_energy"]
    np.testing.assert_allclose(total, total[0], atol=1e-7)
