"""Heat: closed forms of networks, the balance at every node, losses that arrive, and what is refused."""

import copy
import pickle

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, forces, heat, joints, parts, rotational, translational


def alone():
    m = lw.Model("heat")
    m.world = lw.World()
    m.idle = rotational.Inertia(J=1.0, phi=0, w=0)
    return m


def test_two_masses_meet_in_the_middle():
    """Modelica Thermal.HeatTransfer.Examples.TwoMasses: T₁ − T₂ decays with G (1/C₁ + 1/C₂), C₁T₁ + C₂T₂ stays."""
    m = alone()
    m.hot, m.cold = heat.HeatCapacitor(C=15.0, T=373.15), heat.HeatCapacitor(C=30.0, T=273.15)
    m.bar = heat.ThermalConductor(G=10.0)
    m.sensor, m.difference = heat.celsius.TemperatureSensor(), heat.RelTemperatureSensor()
    m.connect(m.hot.port, m.bar.port_a, m.sensor.port, m.difference.port_a)
    m.connect(m.bar.port_b, m.cold.port, m.difference.port_b)
    r = lw.simulate(m, 3.0, accuracy=1e-10)
    gap = 100 * np.exp(-10.0 * (1 / 15 + 1 / 30) * r.t)
    np.testing.assert_allclose(r["difference.T_rel"], gap, atol=1e-6)
    np.testing.assert_allclose(r["hot.T"], (15 * 373.15 + 30 * 273.15) / 45 + gap * 2 / 3, atol=1e-6)
    np.testing.assert_allclose(r["sensor.T"], r["hot.T"] - 273.15, atol=1e-12)
    np.testing.assert_allclose(r["bar.Q_flow"], 10 * gap, atol=1e-5)
    np.testing.assert_allclose(r["hot.port.Q_flow"] + r["bar.port_a.Q_flow"], 0, atol=1e-12)
    np.testing.assert_allclose(r["hot.der_T"], -r["bar.Q_flow"] / 15, atol=1e-12)


def test_places_without_capacity_follow_from_balance():
    """Convection and radiation in a row, driven by a heat flow: both temperatures in closed form at every instant."""
    m = alone()
    m.source = heat.PrescribedHeatFlow(Q_flow=500 * lw.sin(lw.time) ** 2)
    m.film = heat.Convection(Gc=4.0 + lw.time)
    m.shine = heat.BodyRadiation(Gr=2.0)
    m.sky = heat.celsius.FixedTemperature(T=-20)
    m.connect(m.source.port, m.film.solid)
    m.connect(m.film.fluid, m.shine.port_a)
    m.connect(m.shine.port_b, m.sky.port)
    r = lw.simulate(m, 3.0)
    Q = 500 * np.sin(r.t) ** 2
    middle = (253.15**4 + Q / (2.0 * 5.670374419e-8)) ** 0.25
    np.testing.assert_allclose(r["shine.port_a.T"], middle, rtol=1e-9)
    np.testing.assert_allclose(r["source.port.T"], middle + Q / (4 + r.t), rtol=1e-9)
    np.testing.assert_allclose(r["sky.Q_flow"], Q, atol=1e-8)


def test_sources_may_depend_on_temperature():
    """C Ṫ = Q (1 + α (T − T_ref)) grows exponentially."""
    m = alone()
    m.source = heat.FixedHeatFlow(Q_flow=50.0, T_ref=300.0, alpha=0.02)
    m.block = heat.HeatCapacitor(C=10.0, T=300.0)
    m.connect(m.source.port, m.block.port)
    r = lw.simulate(m, 10.0, accuracy=1e-10)
    np.testing.assert_allclose(r["block.T"], 300 + 50 * (np.exp(0.1 * r.t) - 1), rtol=1e-8)


def test_joined_capacities_are_one():
    m = alone()
    m.a, m.b = heat.HeatCapacitor(C=10.0, T=300.0), heat.HeatCapacitor(C=30.0)
    m.fire, m.leak = heat.PrescribedHeatFlow(Q_flow=80.0), heat.ThermalResistor(R=0.5)
    m.room = heat.PrescribedTemperature(T=300 + lw.time)
    m.connect(m.a.port, m.b.port, m.fire.port, m.leak.port_a)
    m.connect(m.leak.port_b, m.room.port)
    r = lw.simulate(m, 5.0, accuracy=1e-10)
    # Ṫ = 2 − (T − 300 − t)/20
    np.testing.assert_allclose(r["a.T"], 300 + r.t + 20 * (1 - np.exp(-r.t / 20)), atol=1e-7)
    np.testing.assert_allclose(r["b.T"], r["a.T"], atol=1e-12)
    np.testing.assert_allclose(r["b.Q_flow"], 3 * r["a.Q_flow"], atol=1e-9)


# --- what is lost arrives ---


def braked():
    m = lw.Model("brake")
    m.world = lw.World()
    m.wheel = rotational.Inertia(J=2.0, phi=0, w=50.0)
    m.part = rotational.Brake(fn_max=100.0, f_normalized=0.5, mu_pos=[[0, 0.4]])
    m.connect(m.wheel.flange_b, m.part.flange_a)
    return m, m.part, 2500.0


def damped():
    m = lw.Model("damper")
    m.world = lw.World(gravity=None)
    m.mass = translational.Mass(m=2.0, s=0, v=10.0)
    m.part, m.wall = translational.Damper(d=3.0), translational.Fixed()
    m.connect(m.mass.flange_b, m.part.flange_a)
    m.connect(m.part.flange_b, m.wall.flange)
    return m, m.part, 100.0 * (1 - np.exp(-2 * 3.0 * 5.0 / 2.0))


def bearing():
    m = lw.Model("joint")
    m.world = lw.World(gravity=None)
    m.part = joints.Revolute(phi=0, w=8.0, friction=lw.Coulomb(tau=0.5))
    m.body = parts.Body(m=1.0, r_cm=[0, 0, 0], inertia=[0.1, 0.1, 0.1])
    m.chain(m.world, m.part, m.body)
    return m, m.part, 0.1 * 64 / 2


def in_space():
    m = lw.Model("line")
    m.world = lw.World(gravity=None)
    m.rail = joints.Prismatic(n=[1, 0, 0], s=1.0, v=4.0)
    m.body = parts.Body(m=0.5, r_cm=[0, 0, 0])
    m.part = forces.Damper(d=2.0)
    m.chain(m.world, m.rail, m.body)
    m.connect(m.world.frame_b, m.part.frame_a)
    m.connect(m.part.frame_b, m.body.frame_a)
    return m, m.part, 0.5 * 16 / 2 * (1 - np.exp(-2 * 2.0 * 5.0 / 0.5))


def sliding():
    m = lw.Model("box")
    m.world = lw.World()
    m.box = parts.Body(m=1.0, r_cm=[0, 0, 0], inertia=[0.1] * 3, r_0=[0, 0, 0], v_0=[2.0, 0, 0])
    m.floor, m.foot = contact.Plane(n=[0, 1, 0]), contact.Point()
    m.part = contact.Pair(m.floor, m.foot, law=contact.Rigid(mu=0.3))
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.box.frame_a, m.foot.frame_a)
    return m, m.part, 2.0


@pytest.mark.parametrize("make", [braked, damped, bearing, in_space, sliding])
def test_what_is_lost_warms_something(make):
    """All that moved is heat in the end, to the accuracy of the run."""
    m, part, lost = make()
    m.block = heat.HeatCapacitor(C=7.0, T=300.0)
    m.connect(part.heat_port, m.block.port)
    m.integral(part.loss_power, name="lost")
    r = lw.simulate(m, 5.0, accuracy=1e-9)
    assert 7.0 * (r["block.T"][-1] - 300.0) == pytest.approx(lost, rel=1e-6)
    np.testing.assert_allclose(7.0 * (r["block.T"] - 300.0), r["lost"], atol=1e-9)
    np.testing.assert_allclose(r["part.heat_port.Q_flow"], -r["part.loss_power"], atol=1e-12)
    np.testing.assert_allclose(r["part.heat_port.T"], r["block.T"], atol=1e-12)


def test_a_motor_heats_its_winding():
    """A stalled motor: R i² into C, out through G: T − T_room = P/G (1 − exp(−G t/C))."""
    m = alone()
    m.motor = rotational.DCMotor(R=0.5, k=0.1, v=6.0)
    m.clamp = rotational.Fixed()
    m.winding, m.leak, m.room = (heat.HeatCapacitor(C=20.0), heat.ThermalConductor(G=2.0),
                                 heat.FixedTemperature(T=293.15))
    m.connect(m.motor.flange, m.clamp.flange)
    m.connect(m.motor.heat_port, m.winding.port, m.leak.port_a)
    m.connect(m.leak.port_b, m.room.port)
    r = lw.simulate(m, 30.0, accuracy=1e-10)
    np.testing.assert_allclose(r["winding.T"], 293.15 + 36.0 * (1 - np.exp(-r.t / 10)), atol=1e-6)


def test_models_with_heat_are_copied_and_keep_their_parameters():
    m, part, _ = damped()
    m.block = heat.HeatCapacitor(C=7.0, T=300.0)
    m.connect(part.heat_port, m.block.port)
    end = lw.simulate(m, 1.0)["block.T"][-1]
    for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert lw.simulate(other, 1.0)["block.T"][-1] == pytest.approx(end, abs=1e-12)
    m.block.C = 14.0
    assert lw.simulate(m, 1.0)["block.T"][-1] - 300 == pytest.approx((end - 300) / 2, rel=1e-9)
    s = lw.simulate(m, 1.0, sensitivities=["block.C"])
    assert s.sensitivity("block.T", "block.C")[-1] == pytest.approx(-(s["block.T"][-1] - 300) / 14, rel=1e-6)


# --- refused ---


def test_heat_that_can_go_nowhere_is_refused():
    m, part, _ = damped()
    m.bar, m.sensor = heat.ThermalConductor(G=1.0), heat.TemperatureSensor()
    m.connect(part.heat_port, m.bar.port_a)
    m.connect(m.bar.port_b, m.sensor.port)
    with pytest.raises(lw.TopologyError, match=r"heat that flows here can go nowhere.*heat.HeatCapacitor"):
        lw.simulate(m, 1.0)


def test_two_given_temperatures_in_one_place_are_refused():
    m = alone()
    m.a, m.b = heat.FixedTemperature(T=300.0), heat.FixedTemperature(T=310.0)
    m.connect(m.a.port, m.b.port)
    with pytest.raises(lw.TopologyError, match=r"b and a both hold the temperature of one place"):
        lw.compile(m)


def test_a_capacity_at_a_given_temperature_is_refused():
    m = alone()
    m.a, m.b = heat.FixedTemperature(T=300.0), heat.HeatCapacitor(C=1.0)
    m.connect(m.a.port, m.b.port)
    with pytest.raises(lw.TopologyError, match=r"b: a holds its temperature"):
        lw.compile(m)


def test_joined_capacities_start_at_one_temperature():
    m = alone()
    m.a, m.b = heat.HeatCapacitor(C=1.0, T=300.0), heat.HeatCapacitor(C=1.0, T=310.0)
    m.connect(m.a.port, m.b.port)
    with pytest.raises(lw.ModelError, match=r"b.T = 310 K and a.T = 300 K at the start"):
        lw.compile(m)


def test_loose_ends_and_wrong_numbers_are_refused():
    m = alone()
    m.a, m.bar = heat.HeatCapacitor(C=1.0), heat.ThermalConductor(G=1.0)
    m.connect(m.a.port, m.bar.port_a)
    with pytest.raises(lw.TopologyError, match=r"bar.port_b is connected to nothing"):
        lw.compile(m)
    with pytest.raises(lw.ModelError, match=r"C = 0 must be positive"):
        heat.HeatCapacitor(C=0.0)
    with pytest.raises(lw.ModelError, match=r"T = -300 °C lies below absolute zero"):
        heat.celsius.FixedTemperature(T=-300)
    with pytest.raises(lw.ModelError, match=r"cannot connect .*heat port.*rotational flange"):
        m.connect(m.a.port, m.idle.flange_a)


def test_what_loses_nothing_has_no_heat_port():
    with pytest.raises(AttributeError, match=r"Spring has no heat_port, since it loses no power"):
        rotational.Spring(c=1.0).heat_port  # noqa: B018
    with pytest.raises(AttributeError, match=r"Revolute has no heat_port"):
        joints.Revolute().heat_port  # noqa: B018
    m = alone()
    m.damper = rotational.Damper(d=1.0)
    m.output("T", m.damper.heat_port.T)
    m.connect(m.idle.flange_b, m.damper.flange_a)
    with pytest.raises(lw.ModelError, match=r"damper.heat_port is connected to nothing and has no T"):
        lw.simulate(m, 1.0)["T"]
