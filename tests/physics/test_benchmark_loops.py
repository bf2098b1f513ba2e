"""Published mechanisms with loops (numbers from reference/README.md)."""

import casadi as ca
import numpy as np
import pytest

from linkwright.algebra import ForceMotor, Inertia, Transform
from linkwright.mechanism import MechanismBuilder, Revolute
from linkwright.studies import simulate
from linkwright.system import compile_mechanism


def rod(length, mass=1.0):
    return Inertia(mass, [length / 2, 0, 0], np.diag([0, 1, 1]) * mass * length**2 / 12)


@pytest.mark.parametrize(("accuracy", "error"), [(1e-8, 1e-4), (1e-12, 1e-8)])
def test_four_bar_free_running(accuracy, error):
    """Ground 1.0, crank 0.3, coupler 0.9, rocker 0.6; from 60° at 5 rad/s: 79.4412268629 rad in 10 s, 9.713 J."""
    b = MechanismBuilder("four-bar", gravity=[0, -9.81, 0])
    parent, before = "world", 0.0
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.6)):
        b.body(name, parent, Revolute(), Transform(None, [before, 0, 0]), inertia=rod(length))
        parent, before = name, length
    b.frame("foot", "rocker", Transform(None, [0.6, 0, 0]))
    b.frame("ground", "world", Transform(None, [1.0, 0, 0]))
    b.constraint("foot", b.relative_pose("ground", "foot").p)
    system = compile_mechanism(b.build())
    state = system.state(assembled=False)
    state.q, state.u = [np.pi / 3, -0.5, -1.5], [5, 0, 0]
    state = system.assemble(state, weights=[np.inf, 1, 1])
    result = simulate(system, 10.0, state=state, accuracy=accuracy)
    assert result["crank.phi"][-1] - np.pi / 3 == pytest.approx(79.4412268629, abs=error)
    energy = result["kinetic_energy"] + result["potential_energy"]
    assert energy[0] == pytest.approx(9.713, abs=5e-4)
    assert np.ptp(energy) < 100 * accuracy
    assert result.closure < 1e-12


A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)

#: name, parent, pin on the parent, mass, central inertia, centre of mass
SQUEEZER = [
    ("K1", "world", (0, 0), 0.04325, 2.194e-6, (0.00092, 0)),
    ("K2", "K1", (0.007, 0), 0.00365, 4.410e-7, (-0.0115, 0)),
    ("K3", "world", B, 0.02373, 5.255e-6, (0.01043, -0.01874)),
    ("K5", "world", A, 0.07050, 1.169e-5, (0.02308, 0.00916)),
    ("K4", "K5", (0.04, 0), 0.00706, 5.667e-7, (0, -0.02 + 0.01421)),
    ("K7", "world", A, 0.05498, 1.912e-5, (-0.01228, -0.00449)),
    ("K6", "K7", (0, -0.04), 0.00706, 5.667e-7, (0.02 - 0.01421, 0)),
]
POINT_P = {"K2": (-0.028, 0), "K3": (0, -0.035), "K4": (0, -0.02), "K6": (0.02, 0)}
#: β, Θ, γ, δ, Φ, ε, Ω in the order of the bodies above
START = [-0.0617138900142764, 0, 0.455279819163070, 0.487364979543843, 0.222668390165886, 1.23054744454982,
         -0.222668390165886]
END = [15.81077119629904, -15.75637105984298, 0.04082224013073101, 0.5244099658805304, -0.5347301163226948,
       1.048080741042263, 0.5347301163226948]


def squeezer():
    """Andrews' squeezing mechanism (IVP test set): seven bodies, three loops through P, driven at K1."""
    b = MechanismBuilder("Andrews' squeezer")
    for name, parent, pin, mass, inertia, com in SQUEEZER:
        b.body(name, parent, Revolute(), Transform(None, [*pin, 0]),
               inertia=Inertia(mass, [*com, 0], np.diag([0, 0, inertia])))
    for name, point in POINT_P.items():
        b.frame(f"P{name}", name, Transform(None, [*point, 0]))
    for name in ("K3", "K4", "K6"):
        b.constraint(f"P{name}", b.relative_pose("PK2", f"P{name}").p)
    b.mobility_force("drive", "K1", 0.033)
    b.frame("spring", "K3", Transform(None, [0.02, -0.018, 0]))
    reach = b.pose("spring").p - ca.DM([*C, 0])
    length = ca.sqrt(ca.dot(reach, reach))
    b.force("spring", "spring", ForceMotor(-4530 * (length - 0.07785) * reach / length, [0, 0, 0]), axes="world")
    return compile_mechanism(b.build())


def test_andrews_squeezing_mechanism():
    system = squeezer()
    state = system.state(assembled=False)
    state.q = START
    assert np.max(np.abs(state.get("position_error"))) < 1e-15
    udot = state.get("udot")
    assert udot[0] == pytest.approx(14222.4439199541, rel=1e-8)
    assert udot[1] == pytest.approx(-10666.8329399656, rel=1e-8)
    assert system.mechanism.nu - np.linalg.matrix_rank(system.constraint_matrix(state)) == 1
    result = simulate(system, 0.03, state=state, accuracy=1e-10, time_scale=1e-3)
    np.testing.assert_allclose(result.states[-1, :7], END, atol=1e-6)
    assert result.closure < 1e-10
