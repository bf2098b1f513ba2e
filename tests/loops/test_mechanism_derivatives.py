"""Derivatives of machines of the literature by ten numbers each: a length, masses, inertia, a spring, start values.

Sensitivities at accuracy 1e-10 are compared with differences of runs at 1e-12, in every formulation; forward and
backward, on the same steps, agree to rounding.
"""

import numpy as np
import pytest
from loop_mechanisms import fourbar1, stewart, v_engine
from scipy.linalg import expm

import linkwright as lw
from linkwright import joints, parts, rotational, translational
from linkwright import planar as pl
from linkwright.compiler import changed, number_at, with_numbers
from linkwright.studies.adjoint import gradient_of
from linkwright.studies.goal_changes import Look
from linkwright.studies.sensitivities import Together

STOP = 2.0


def pendulum():
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=1.0, w=0.3)
    m.body = parts.BodyShape(m=1.0, r=[0.6, 0, 0], r_cm=[0.5, 0.1, 0], inertia=[0.01, 0.01, 0.02])
    m.tip = parts.Body(m=0.2)
    m.spring, m.damper = rotational.Spring(c=2.0, phi_rel0=0.1), rotational.Damper(d=0.1)
    m.chain(m.world, m.rev, m.body, m.tip)
    for element in (m.spring, m.damper):
        m.connect(m.rev.support, element.flange_a)
        m.connect(m.rev.axis, element.flange_b)
    return m, ["body.r[0]", "body.r_cm[0]", "body.r_cm[1]", "body.m", "body.inertia[2]", "tip.m", "spring.c",
               "damper.d", "rev.phi", "rev.w"], "rev.phi"


def planar_pendulum():
    m = lw.Model("planar pendulum")
    m.world, m.fixed = pl.World(g=9.81), pl.Fixed()
    m.rev, m.rod = pl.Revolute(phi=1.0, w=0.3), pl.FixedTranslation(r=[0.6, 0.1])
    m.body, m.spring = pl.Body(m=1.0, I=0.05), rotational.Spring(c=2.0, phi_rel0=0.1)
    m.rev2, m.rod2 = pl.Revolute(phi=0.4, w=0.0), pl.FixedTranslation(r=[0.3, 0])
    m.end = pl.Body(m=0.3, I=0.01)
    m.chain(m.fixed, m.rev, m.rod, m.body)
    m.chain(m.rod, m.rev2, m.rod2, m.end)
    m.connect(m.rev.support, m.spring.flange_a)
    m.connect(m.rev.axis, m.spring.flange_b)
    return m, ["rod.r[0]", "rod.r[1]", "rod2.r[0]", "body.m", "body.I", "end.m", "end.I", "spring.c", "rev.phi",
               "rev2.w"], "end.r[0]"


def chain(planar, phi=0.3):
    m = lw.Model("chain of seven")
    m.world, last = lw.World(g=9.81), None
    for k in range(7):
        axis = [0, 0, 1] if planar else [float(k % 3 == i) for i in range(3)]
        joint = joints.Revolute(n=axis, phi=phi, w=0)
        link = parts.BodyShape(m=1.0, r=[0, -1, 0], r_cm=[0, -0.5, 0], inertia=[0.1, 0.02, 0.1])
        setattr(m, f"j{k}", joint)
        setattr(m, f"b{k}", link)
        m.chain(m.world if last is None else last, joint, link)
        last = link
    m.spring = rotational.Spring(c=3.0)
    m.connect(m.j2.support, m.spring.flange_a)
    m.connect(m.j2.axis, m.spring.flange_b)
    return m, ["b0.r[1]", "b4.r[0]", "b2.r_cm[1]", "b0.m", "b6.m", "b3.inertia[2]", "spring.c", "world.g", "j0.phi",
               "j5.w"], "b6.frame_b.r_0[0]"


def planar_chain():
    return chain(True)


def spatial_chain():
    return chain(False)


def fourbar():
    """Fourbar1 with a spring and a weight."""
    m = fourbar1()
    m.spring, m.weight = translational.Spring(c=50.0, s_rel0=-0.1), parts.Body(m=0.5, inertia=[0.01, 0.02, 0.03])
    m.connect(m.j2.support, m.spring.flange_a)
    m.connect(m.j2.axis, m.spring.flange_b)
    m.connect(m.b3.frame_b, m.weight.frame_a)
    return m, ["b1.r[1]", "b1.r[2]", "b2.r[1]", "b3.r[0]", "b0.r[0]", "weight.m", "weight.inertia[1]", "b1.density",
               "spring.c", "j1.w"], "j2.s"


def planar_fourbar():
    m = lw.Model("planar four-bar")
    m.world, m.fixed = pl.World(g=9.81), pl.Fixed()
    m.rev1, m.rev2 = pl.Revolute(phi=1.0, w=5.0), pl.Revolute(phi=lw.guess(-0.6))
    m.rev3, m.rev4 = pl.Revolute(), pl.Revolute(phi=lw.guess(1.6))
    m.crank, m.coupler, m.rocker, m.ground = (pl.FixedTranslation(r=[r, 0]) for r in (0.3, 0.9, 0.6, 1.0))
    m.b1, m.b2, m.b3 = (pl.Body(m=mass, I=0.02) for mass in (0.5, 0.8, 0.6))
    m.spring = rotational.Spring(c=1.0)
    m.chain(m.fixed, m.rev1, m.crank, m.rev2, m.coupler, m.rev3)
    m.chain(m.fixed, m.ground, m.rev4, m.rocker)
    m.connect(m.rev3.frame_b, m.rocker.frame_b)
    for link, body in ((m.crank, m.b1), (m.coupler, m.b2), (m.rocker, m.b3)):
        m.connect(link.frame_b, body.frame_a)
    m.connect(m.rev4.support, m.spring.flange_a)
    m.connect(m.rev4.axis, m.spring.flange_b)
    return m, ["crank.r[0]", "coupler.r[0]", "coupler.r[1]", "ground.r[0]", "b1.m", "b2.I", "b3.m", "spring.c",
               "rev1.phi", "rev1.w"], "rev4.phi"


def v6():
    m = v_engine(6)
    m.spring = rotational.Spring(c=20.0)
    m.connect(m.bearing.support, m.spring.flange_a)
    m.connect(m.bearing.axis, m.spring.flange_b)
    return m, ["cylinder1.mid.r[1]", "cylinder1.rod.r[1]", "cylinder2.rod.r_cm[1]", "cylinder3.piston.m",
               "cylinder4.rod.m", "cylinder5.rod.inertia[0]", "crank.inertia[0]", "spring.c", "bearing.phi",
               "bearing.w"], "bearing.phi"


def platform():
    return stewart(), ["upper0.r[2]", "arm1.r[0]", "foot2.r[1]", "lower3.r_cm[2]", "platform.m", "lower4.m",
                       "platform.inertia[2]", "spring5.c", "platform.v_0[0]", "platform.w_0[2]"], "platform.r_0[0]"


TREES = [pendulum, planar_pendulum, planar_chain, spatial_chain]
LOOPS = [fourbar, planar_fourbar, v6, platform]
CASES = [*((made, None) for made in TREES), *((made, formulation) for made in LOOPS
                                              for formulation in (None, "projection", "minimal"))]
QUICK = [(pendulum, None), (planar_pendulum, None), (planar_fourbar, None), (planar_fourbar, "projection")]
CASES = [pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow,
                      id=f"{case[0].__name__}, {case[1] or 'default'}") for case in CASES]


def differences(m, name, output, formulation):
    """Of order four, from runs with the number changed by once and twice a small part of it."""
    value = float(number_at(m, name))
    h, found = 1e-4 * max(abs(value), 0.1), {}
    for k in (-2, -1, 1, 2):
        change, _ = with_numbers(m, {name: value + k * h})
        with changed(m, change):
            found[k] = lw.simulate(lw.compile(m, formulation=formulation), STOP, accuracy=1e-12, step=STOP)[output][-1]
    return (8 * (found[1] - found[-1]) - (found[2] - found[-2])) / (12 * h)


@pytest.mark.parametrize("made, formulation", CASES)
def test_ten_numbers(made, formulation):
    m, names, output = made()
    system = lw.compile(m, formulation=formulation)
    r = lw.simulate(system, STOP, accuracy=1e-10, step=STOP, sensitivities=names)
    exact = np.array([float(r.sensitivity(output, name)[-1]) for name in names])
    found = np.array([float(differences(m, name, output, formulation)) for name in names])
    sizes = np.array([max(abs(float(number_at(m, name))), 0.1) for name in names])
    assert np.max(np.abs(exact - found) * sizes) <= 1e-6 * np.max(np.abs(found) * sizes)
    # forward and backward on the same steps
    r = lw.simulate(system, STOP, accuracy=1e-10, step=STOP, sensitivities=Together(names), dense=True)
    backward = gradient_of(r, [Look(output, STOP, 1.0)])
    shares = np.linalg.lstsq(r.begun.columns.T, r._state.z[-r.system.equations.height:], rcond=None)[0]
    forward = float(r.sensitivity(output, "a companion")[-1])
    assert abs(shares @ backward - forward) <= 1e-11 * np.max(np.abs(shares * backward))
    assert np.max(np.abs(backward - exact) * sizes) <= 1e-6 * np.max(np.abs(exact) * sizes)


def test_a_chain_hanging_at_rest():
    """Its neighbours swing by the linearised equations, exp(A t): a run that stands still has to follow them."""
    m, *_ = chain(False, phi=0.0)
    linear, names = lw.linearize(m), [f"j{k}.{x}" for x in ("phi", "w") for k in range(7)]
    assert [name.replace("der(", "").replace(".phi)", ".w") for name in linear.states] == names
    r = lw.simulate(m, 5.0, sensitivities=names)
    found = np.array([[r.sensitivity(output, name)[-1] for name in names] for output in names])
    assert np.allclose(found, expm(5.0 * np.array(linear.A)), rtol=0, atol=1e-5)
