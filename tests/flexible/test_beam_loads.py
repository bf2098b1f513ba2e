"""Loads along beams, starts at rest, planar twins, advice: against closed forms and laws."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright import flexible, forces, joints, parts
from linkwright import planar as pl

STEEL = {"length": 1.0, "section": flexible.Rectangle(height=0.02, width=0.01), "material": flexible.Steel}
EI = 2.1e11 * 0.01 * 0.02**3 / 12


def clamped(**given):
    m = lw.Model("clamped")
    m.world = lw.World(gravity=None)
    m.beam = flexible.Beam(**{**STEEL, **given})
    m.connect(m.world.frame_b, m.beam.frame_a)
    return m


@pytest.mark.parametrize(("shape", "expected"), [(None, 1 / 8), (lambda s: s, 11 / 120)])
def test_a_load_along_a_cantilever(shape, expected):
    """f L⁴/8EI of an even load, 11 f L⁴/120EI of one that grows from nothing (Timoshenko, Strength of Materials)."""
    m = clamped(strains="planar", line_shape=shape)
    m.beam.line_force = [0, -20.0, 0]
    assert lw.equilibrium(m).get("beam.deflection")[1] == pytest.approx(-expected * 20 / EI, rel=1e-5)


def test_drag_damps_every_mode_by_half_of_it():
    m = clamped(strains="planar", elements=1, drag=2.0)
    values = np.linalg.eigvals(lw.linearize(m).A)
    assert values.real == pytest.approx(-1.0, rel=0.05)  # rotary inertia is not dragged
    assert values.real[np.argmin(np.abs(values.imag))] == pytest.approx(-1.0, rel=1e-3)


def swinging(gravity="uniform", **given):
    """A spatial beam on a hinge, already in motion."""
    m = lw.Model("swinging")
    m.world = lw.World(gravity=gravity)
    m.rev = joints.Revolute(n=[0, 1, 1], phi=0.3, w=2.0)
    m.beam = flexible.Beam(**{"length": 0.7, "section": flexible.Rectangle(height=0.004, width=0.006), "degree": 1,
                              "material": flexible.Aluminium, "elements": 1, "qd": [0.5, -1.0, 0.7, 0.3, 0.2, 0.1],
                              **given})
    m.chain(m.world, m.rev, m.beam)
    return m


def test_a_load_along_cancels_weight():
    """Two routes: gravity acts through the inertia of the beam, the load through its points."""
    held = swinging()
    held.beam.line_force = [0, 2700 * 0.004 * 0.006 * 9.80665, 0]
    free = swinging(gravity=None)
    held, free = (lw.compile(m).state().get("beam.qdd") for m in (held, free))
    assert held == pytest.approx(free, abs=1e-9 * np.abs(free).max())


@pytest.mark.slow
def test_power_of_loads_at_every_frame():
    """T + U grows by what the loads do, less what drag and damping take."""
    m = swinging(drag=0.5, damping=1e-4, frames=[0.4], elements=2, qd=[0.5, -1.0, 0.7, 0.3, 0.2, 0.1] * 2)
    loads = {"one": (m.beam.frame[0], [0.2, -0.3, 0.4]), "two": (m.beam.frame_b, [-0.1, 0.2, 0.3]),
             "three": (m.beam.frame_a, [0.3, 0.1, 0.2])}
    for name, (frame, f) in loads.items():
        setattr(m, name, forces.WorldForce())
        getattr(m, name).force = f
        m.connect(frame, getattr(m, name).frame_b)
    r = lw.simulate(m, 0.1, accuracy=1e-10, output_step=1e-4)
    energy = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"]
    power = sum(r[f"beam.{frame.name}.v_0"] @ np.array(f) for frame, f in loads.values()) - r["beam.loss_power"]
    work = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * 1e-4)])
    assert np.abs(energy - energy[0] - work).max() < 1e-4 * np.ptp(energy)


def test_a_start_at_rest_under_loads():
    m = clamped(strains="planar", elements=1, start="static")
    m.beam.line_force = [0, -20.0, 0]
    r = lw.simulate(m, 0.05)
    assert r["beam.deflection"][:, 1] == pytest.approx(-20 / 8 / EI, rel=1e-3)
    assert np.ptp(r["beam.deflection"][:, 1]) < 1e-8


def test_a_modal_body_starts_at_rest_too():
    m = lw.Model("clamped")
    m.world, m.load = lw.World(gravity=None), forces.WorldForce()
    data = flexible.beam_modes(1.0, STEEL["section"], STEEL["material"], 3)
    m.arm = flexible.ModalBody(data, start="static")
    m.load.force = [0, -20.0, 0]
    m.connect(m.world.frame_b, m.arm.frame_a)
    m.connect(m.arm.frame_b, m.load.frame_b)
    r = lw.simulate(m, 0.02)
    assert np.abs(r["arm.qd"][0]).max() < 1e-12
    assert np.abs(r["arm.qd"]).max() < 1e-6  # released straight, it moves at 0.02
    assert r["arm.frame_b.r_0"][-1, 1] == pytest.approx(-20 / 3 / EI, rel=2e-3)  # F L³/3EI, less what three shapes miss


def test_the_motion_does_not_depend_on_the_axes_of_the_world():
    """The same swing in a world that is turned as a whole, gravity with it: 1e-9."""
    accelerations = []
    for turned in (False, True):
        m = lw.Model("swinging")
        angle, axis = 0.7, np.array([1.0, 2.0, -1.0]) / np.sqrt(6)
        K = np.cross(np.eye(3), axis).T * -1
        R = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K if turned else np.eye(3)
        m.world = lw.World(n=(R @ [0, -1, 0]).tolist())
        m.turn = parts.FixedRotation(n=axis.tolist(), angle=angle if turned else 0.0)
        m.rev = joints.Revolute(n=[0, 1, 1], phi=0.3, w=2.0)
        m.beam = flexible.Beam(length=0.7, section=flexible.Rectangle(height=0.004, width=0.006), degree=1, elements=1,
                               material=flexible.Aluminium, q=[0.1, 0, 0.3, 0.2, -0.4, 0.1],
                               qd=[0.5, -1, 0.7, 0.3, 0, 0])
        m.chain(m.world, m.turn, m.rev, m.beam)
        accelerations.append(lw.compile(m).state().get("beam.qdd"))
    assert accelerations[0] == pytest.approx(accelerations[1], abs=1e-9 * np.abs(accelerations[0]).max())


def test_a_planar_beam_is_the_spatial_one():
    given = {"length": 0.8, "section": flexible.Circle(diameter=0.004), "material": flexible.Aluminium, "elements": 2}

    def planar():
        m = lw.Model("planar")
        m.world, m.fixed, m.rev = pl.World(), pl.Fixed(), pl.Revolute(phi=0.4)
        m.beam, m.tip = pl.flexible.Beam(**given), pl.Body(m=0.05, I=1e-5)
        m.chain(m.fixed, m.rev, m.beam, m.tip)
        return m

    def spatial():
        m = lw.Model("spatial")
        m.world, m.rev = lw.World(), joints.Revolute(phi=0.4)
        m.beam = flexible.Beam(strains="planar", **given)
        m.tip = parts.Body(m=0.05, r_cm=[0, 0, 0], inertia=np.diag([5e-6, 5e-6, 1e-5]))
        m.chain(m.world, m.rev, m.beam, m.tip)
        return m

    systems = [lw.compile(make()) for make in (planar, spatial)]
    assert len({system.function(["q", "u"], ["udot"]).instructions for system in systems}) == 1
    flat, deep = (lw.simulate(system, 0.3, accuracy=1e-8) for system in systems)
    assert flat["beam.frame_b.x"] == pytest.approx(deep["beam.frame_b.r_0"][:, 0], abs=1e-8)
    turned = 0.4 + 0.4 * (flat["beam.q"][0, 0] + flat["beam.q"][0, 3])
    assert flat["beam.frame_b.phi"][0] == pytest.approx(turned, abs=1e-12)
    with pytest.raises(lw.ModelError, match="choose one of 'planar'"):
        pl.flexible.Beam(strains="bending", **given)


def test_a_free_beam_keeps_energy_and_momentum():
    m = lw.Model("free")
    m.world = lw.World(gravity=None)
    m.beam = flexible.Beam(length=0.8, section=flexible.Circle(diameter=0.004), material=flexible.Aluminium, elements=1,
                           degree=1, r_0=[1, 2, 3], v_0=[0.1, 0, 0], w_a=[0, 3.0, 5.0], qd=[1.0, 2, 0.5] * 2)
    r = lw.simulate(m, 0.1, accuracy=1e-9)
    energy = r["kinetic_energy"] + r["elastic_energy"]
    assert r["beam.r_0"][0] == pytest.approx([1, 2, 3])
    assert np.ptp(energy) < 1e-9 * energy[0]
    assert np.abs(np.ptp(r["momentum"], axis=0)).max() < 1e-10


def test_advice_names_what_goes_too_far():
    m = clamped(section=flexible.Circle(diameter=0.04), E=1e6, G=4e5, elements=1, strains="planar", damping=0.05)
    m.load = forces.WorldTorque()
    m.load.torque = [0, 0, 0.25]
    m.connect(m.beam.frame_b, m.load.frame_b)
    with pytest.warns(UserWarning, match=r"beam: from t = .* strained by more than 2 %"):
        lw.simulate(m, 1.0)
    m.load.torque = [0, 0, 0.8]
    with pytest.raises(lw.SimulationError, match=r"bent by .* rad between two places.*use more elements"):
        lw.simulate(m, 1.0)
    assert "the highest, of bending, sets the step" in " ".join(str(lw.compile(m)).split())


def test_advice_on_modal_bodies():
    data = flexible.beam_modes(1.0, flexible.Rectangle(height=0.002, width=0.02), flexible.Steel, 1)
    m = lw.Model("rotor")
    m.world, m.hub = lw.World(gravity=None), joints.Revolute(w=5.0)
    m.blade = flexible.ModalBody(data, stiffening=False, qd=[3.0])
    m.chain(m.world, m.hub, m.blade)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        lw.simulate(m, 0.5)
    said = " ".join(str(one.message) for one in told)
    assert "bends too far" in said and "without geometric stiffening" in said
    m = lw.Model("rotor of one shape")
    m.world, m.hub = lw.World(gravity=None), joints.Revolute(w=15.0)
    m.blade = flexible.ModalBody(data)
    m.chain(m.world, m.hub, m.blade)
    with pytest.warns(UserWarning, match=r"blade: .* turns fast, at 15 rad/s .* with 1 shapes; take more"):
        lw.simulate(m, 0.1)


def test_frequencies_before_compiling():
    m = clamped(strains="all", elements=1, degree=1)
    assert m.beam.frequencies() / 2 / np.pi == pytest.approx(np.sort(lw.modes(m).frequency), rel=1e-6)
