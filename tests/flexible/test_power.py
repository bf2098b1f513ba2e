"""Power of loads at every frame: d/dt (T + U) = Σ f·v + t·ω − losses, at one instant, by the equations of motion.

The rate of the energy is its derivative along the motion, ∂E/∂q q̇ + ∂E/∂u u̇.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import linkwright as lw
from linkwright import flexible, forces, joints


def loaded(part, frames):
    """The part on two hinges, with a force and a torque at every frame."""
    m = lw.Model("loaded")
    m.world = lw.World()
    m.one, m.two = joints.Revolute(n=[0, 0, 1], phi=0.4, w=1.5), joints.Revolute(n=[0.3, 1, 0.2], phi=-0.3, w=-2.0)
    m.part = part
    m.chain(m.world, m.one, m.two)
    m.connect(m.two.frame_b, getattr(m.part, frames[0]) if "[" not in frames[0] else m.part.frame[0])
    random, loads = np.random.default_rng(3), []
    for k, name in enumerate(frames):
        frame = m.part.frame[int(name[6:-1])] if "[" in name else getattr(m.part, name)
        push, turn = forces.WorldForce(), forces.WorldTorque()
        push.force, turn.torque = f, t = random.normal(size=(2, 3)).tolist()
        setattr(m, f"push{k}", push)
        setattr(m, f"turn{k}", turn)
        m.connect(frame, push.frame_b, turn.frame_b)
        loads.append((f"part.{name}", f, t))
    return m, loads


def rod():
    random, strains = np.random.default_rng(1), np.array([0.05] * 6 + [1e-4] * 2)  # of twist and bending, and stretch
    return flexible.Beam(length=0.7, section=flexible.Rectangle(height=0.004, width=0.006), material=flexible.Aluminium,
                         degree=1, elements=2, frames=[0.4], damping=1e-3, drag=0.3,
                         strains="bending+stretch", q=(np.tile(strains, 2) * random.normal(size=16)).tolist(),
                         qd=(20 * np.tile(strains, 2) * random.normal(size=16)).tolist())


def shapes(**given):
    data = flexible.beam_modes(0.8, flexible.Rectangle(height=0.01, width=0.02), flexible.Steel, 1, planes="xy xz",
                               frames=(0.5, 1.0))
    return flexible.ModalBody(data, zeta=0.02, q=[0.02, 0.03], qd=[0.5, -1.0], **given)


CASES = {
    "a beam": (rod, ["frame_a", "frame[0]", "frame_b"]),
    "a beam hung by its end": (rod, ["frame_b", "frame[0]", "frame_a"]),
    "a modal body": (shapes, ["frame_a", "frame[0]", "frame_b"]),
    "a modal body hung by a frame inside": (shapes, ["frame[0]", "frame_a", "frame_b"]),
    "a modal body that does not stiffen": (lambda: shapes(stiffening=False), ["frame_b", "frame[0]", "frame_a"]),
}


@pytest.mark.parametrize("name", [k if k == "a modal body" else pytest.param(k, marks=pytest.mark.slow) for k in CASES])
def test_power_of_loads_at_every_frame(name):
    part, frames = CASES[name]
    model, loads = loaded(part(), frames)
    system = lw.compile(model)
    state = system.state()
    energies = system.function(["q", "u"], ["kinetic_energy", "potential_energy", "elastic_energy"]).casadi
    udot, qdot = (np.asarray(x).ravel() for x in system.function(["q", "u"], ["udot", "qdot"])(state.q, state.u))
    q, u = ca.SX.sym("q", len(qdot)), ca.SX.sym("u", len(udot))
    slope = ca.jtimes(sum(energies(q, u)), ca.vertcat(q, u), ca.vertcat(qdot, udot))
    rate = float(ca.Function("rate", [q, u], [slope])(state.q, state.u))
    power = -float(state.get("part.loss_power"))
    for frame, f, t in loads:
        R = state.get(f"{frame}.R.T")
        power += np.dot(f, state.get(f"{frame}.v_0")) + np.dot(t, R.T @ state.get(f"{frame}.R.w"))
    scale = sum(abs(np.dot(f, state.get(f"{frame}.v_0"))) for frame, f, _ in loads) + abs(rate)
    assert rate == pytest.approx(power, abs=1e-9 * scale)
