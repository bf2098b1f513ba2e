"""Muscles: their laws at states that OpenSim and MuJoCo were asked about, equilibrium at the start, energy, inputs.

Numbers are those of OpenSim 4.6 (Thelen2003Muscle, Millard2012EquilibriumMuscle, DeGrooteFregly2016Muscle,
RigidTendonMuscle) and MuJoCo 4.0, written with twelve digits; errors of the last digit of a length are multiplied by
the stiffness of a tendon.
"""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, muscles, parts

#: activation, length of the fibre, of the way, excitation
STATES = [(.632593557273, .159193518107, .385338015239, .300166284911),
          (.876082376488, .0610791835022, .281960491563, .467934952844),
          (.316971778283, .0911268173311, .30603687765, .504548258958),
          (.562427405033, .170005031178, .39664710646, .988960147682),
          (.231002524271, .0781233237244, .297845865878, .0356802787736)]
NUMBERS = {"F_max": 1200.0, "l_opt": 0.11, "l_slack": 0.22, "alpha": 0.3, "v_max": 10.0}


def rig(kind, length, speed=0.0, **given):
    """A muscle between the ground and a slider."""
    m = lw.Model("rig")
    m.world = lw.World(gravity=None)
    m.slider, m.body = joints.Prismatic(n=[1, 0, 0], s=length, v=speed), parts.Body(m=1.0)
    m.chain(m.world, m.slider, m.body)
    m.muscle = kind([m.world.frame_b, m.body.frame_a], **given)
    return m


def told(m, *names):
    for name in ("a", "f_tendon"):
        if name in type(m.muscle).fields():
            m.output(f"{name}_rate", lw.der(getattr(m.muscle, name)))
    state = lw.compile(m).state()
    return [float(np.ravel(state.get(name))[0]) for name in names]


THELEN = [(1363.1290565244, 2.3692605574, -9.6330132463), (1538.5465023136, 4.5955737411, -14.8085971824),
          (13.7045742993, -.4416691708, 12.8197246577), (1428.5165914082, 1.7532886168, 21.1630293363),
          (734.7374150467, 3.4063355949, -3.3068204077)]
MILLARD = [(1003.9000850580, .9599888146, -12.0412665579), (1118.9187096912, 8.1670178622, -18.5107464780),
           (33.4203319700, -.4285945114, 19.2295869866), (1046.7737245449, .6620176797, 31.7445440045),
           (602.3897679165, 3.2875968561, -4.1335255096)]


@pytest.mark.parametrize(("kind", "expected"), [(muscles.Thelen2003, THELEN), (muscles.Millard2012, MILLARD)])
def test_force_and_rates_are_those_of_opensim(kind, expected):
    for (a, fibre, length, e), numbers in zip(STATES, expected, strict=True):
        m = rig(kind, length, a=a, l_fiber=fibre, excitation=e, **NUMBERS)
        assert told(m, "muscle.f", "muscle.v_fiber", "a_rate") == pytest.approx(numbers, rel=1e-9)


def test_degroote_fregly_is_that_of_opensim():
    rows = [(0, .76983798329, .385338015239, -.439668496015, 923.8055799486, 4.5103164222, -813.5778495388,
             -11.5408515450),
            (2, .032478234646, .30603687765, -.0878779105878, 38.9738815752, -.8025338828, 29.7985636878, 8.0262586479),
            (3, .816058444846, .39664710646, .195486767106, 979.2701338156, .2659304220, -12.7408060641, 15.6048845192),
            (4, .419989589351, .297845865878, -.729692787262, 503.9875072216, 27.0273757488, -3138.0979689556,
             -8.9458728419)]
    for k, f, length, speed, *expected in rows:
        m = rig(muscles.DeGrooteFregly2016, length, speed, a=STATES[k][0], f_tendon=f, excitation=STATES[k][3],
                **NUMBERS)
        assert told(m, "muscle.f", "muscle.v_fiber", "f_tendon_rate", "a_rate") == pytest.approx(expected, rel=3e-9)


LENGTHS = (.37583920135, .27171022266, .305131529454, .386868184793, .291038962408)


@pytest.mark.parametrize(("kind", "more", "speeds", "forces"), [
    (muscles.DeGrooteFregly2016, {"tendon": "rigid", "damping": 0.05},
     (-.439668496015, .475311086003, -.0878779105878, .195486767106, -.729692787262),
     (472.2147858114, 204.7700785563, 250.7161225805, 980.6916826422, .2641757554)),
    (muscles.RigidTendon, {}, (-.395701646414, .427779977403, -.079090119529, .175938090395, -.656723508536),
     (948.766286801, 491.972529382, 242.389578408, 2141.684779327, 25.313058340))])
def test_rigid_tendons_are_those_of_opensim(kind, more, speeds, forces):
    for (a, *_), length, speed, force in zip(STATES, LENGTHS, speeds, forces, strict=True):
        own = {"excitation": a} if kind is muscles.RigidTendon else {"a": a}
        m = rig(kind, length, speed, **own, **more, **NUMBERS)
        assert told(m, "muscle.f") == pytest.approx([force], rel=2e-9)


@pytest.mark.parametrize(("l", "v", "a", "e", "smooth", "force", "rate"), [
    (.192824583572, -.631654784169, .801274465206, .61502685049, 0, 9.6984851183, -7.9244248544),
    (.19706432112, -.160495343432, .479051298141, .0236344804919, 0, 40.1655885760, -13.8740108840),
    (.517288575705, -.927187152189, .391228190496, .52343625567, 0, 124.5930834083, 12.1644204415),
    (.517288575705, -.927187152189, .391228190496, .52343625567, .3, 124.5930834083, 12.1093780575),
    (.365314010207, .208316571452, .737837787292, 1.13877415677, 0, 350.5919612885, 16.3162360436),
    (.292100581874, .356513296992, .69621599667, .209809048617, 0, 271.8953553293, -18.7792480304)])
def test_mujocos_muscle(l, v, a, e, smooth, force, rate):
    m = rig(muscles.MujocoMuscle, l, v, a=a, excitation=e, F_max=400.0, lengthrange=[.2, .45], range=[.7, 1.1],
            tausmooth=smooth)
    assert told(m, "muscle.f", "a_rate") == pytest.approx([force, rate], rel=1e-9)


@pytest.mark.parametrize("kind", [muscles.Thelen2003, muscles.Millard2012, muscles.DeGrooteFregly2016])
@pytest.mark.parametrize("length", [0.29, 0.33, 0.37])
def test_fibres_start_in_equilibrium(kind, length):
    m = rig(kind, length, a=0.3, **NUMBERS)
    rate, stretch = told(m, "muscle.v_fiber", "slider.s")
    assert abs(rate) < 1e-9
    assert stretch == length


def test_the_start_of_fibres_moves_no_joint():
    m = lw.Model("arm")
    m.world = lw.World()
    m.rev, m.body = joints.Revolute(), parts.Body(m=1.0, r_cm=[0, -0.2, 0])
    m.chain(m.world, m.rev, m.body)
    m.muscle = muscles.Thelen2003([(m.world.frame_b, [.05, .1, 0]), (m.body.frame_a, [.04, -.2, 0])], **{
        **NUMBERS, "l_slack": 0.18})
    assert float(lw.compile(m).state().get("rev.phi")) == 0.0


def test_elastic_energy_is_what_the_springs_take_up():
    """Without activation worth mentioning, tendon and passive fibre are springs in series: energy goes to and fro."""
    m = rig(muscles.DeGrooteFregly2016, 0.36, tendon="rigid", activation=None, excitation=0.0, **NUMBERS)
    m.body.m = 300.0
    r = lw.simulate(m, 0.3, accuracy=1e-10)
    E = 150 * r["slider.v"] ** 2 + r["elastic_energy"]
    assert np.ptp(r["elastic_energy"]) > 1
    assert np.abs(E - E[0]).max() < 1e-7 * E[0]


def test_power_of_the_fibre_goes_into_the_load_and_the_springs():
    m = rig(muscles.Thelen2003, 0.33, a=0.05, excitation=1.0, **NUMBERS)
    m.body.m = 20.0
    r = lw.simulate(m, 0.12, accuracy=1e-9, step=1e-5)
    work = np.trapezoid(r["muscle.power"], r.t)
    gained = 10 * (r["slider.v"][-1] ** 2) + r["elastic_energy"][-1] - r["elastic_energy"][0]
    assert work == pytest.approx(gained, rel=1e-4)
    assert work > 1


@pytest.mark.parametrize(("given", "said"), [({"l_opt": 0.0}, "l_opt = 0 must be positive"),
                                             ({"F_max": -3.0}, "F_max = -3 must be positive"),
                                             ({"alpha": 1.6}, "less than 90"),
                                             ({"tendon": "soft"}, "choose 'elastic' or 'rigid'")])
def test_bad_numbers_are_refused(given, said):
    with pytest.raises(lw.ModelError, match=said):
        rig(muscles.Millard2012, 0.3, **{**NUMBERS, **given})


@pytest.mark.parametrize("kind", [muscles.Thelen2003, muscles.Millard2012, muscles.DeGrooteFregly2016])
def test_a_way_too_short_for_any_equilibrium_is_refused_by_name(kind):
    m = lw.Model("elbow")
    m.world = lw.World()
    m.elbow, m.forearm = joints.Revolute(phi=0.3), parts.Body(m=1.5, r_cm=[0, -0.18, 0], inertia=[0.02] * 3)
    m.chain(m.world, m.elbow, m.forearm)
    m.flexor = kind([(m.world.frame_b, [0.03, 0.26, 0]), (m.forearm.frame_a, [0.025, -0.05, 0])], F_max=600.0,
                    l_opt=0.12, l_slack=0.9)
    with pytest.raises(lw.InitialError, match="flexor: fibre and tendon have no equilibrium.*l_slack = 0.9 m"):
        lw.compile(m).state()


@pytest.mark.parametrize("kind", [muscles.Thelen2003, muscles.Millard2012, muscles.DeGrooteFregly2016])
def test_a_rigid_tendon_pulls_as_the_law_of_the_fibre_says(kind):
    """f_rigid, at full activation, isometric: F_max f_al cos α of the fibre that the slack tendon leaves."""
    m = lw.Model("pull")
    m.world = lw.World()
    m.rail, m.load = joints.Prismatic(n=[1, 0, 0], s=0.33), parts.Body(m=1.0)
    m.chain(m.world, m.rail, m.load)
    m.muscle = kind([(m.world.frame_b, [0, 0, 0]), (m.load.frame_a, [0, 0, 0])], F_max=1200.0, l_opt=0.11, l_slack=0.22,
                    alpha=0.3)
    state = lw.compile(m).state()
    width, along = 0.11 * np.sin(0.3), 0.33 - 0.22
    length = np.hypot(width, along)
    assert float(state.get("muscle.l_fiber_rigid")) == pytest.approx(length, rel=1e-12)
    pull = float(state.get("muscle.f_rigid")) / (1200.0 * along / length)
    if kind is muscles.Thelen2003:
        assert pull == pytest.approx(np.exp(-((length / 0.11 - 1) ** 2) / 0.45), rel=1e-12)
    assert 0.9 < pull < 1.01
    # shortening at full speed nothing is left, where the law has such a speed
    state.set("rail.v", -10 * 0.11 * length / along)
    if kind is not muscles.DeGrooteFregly2016:
        assert float(state.get("muscle.f_rigid")) == pytest.approx(0.0, abs=1e-9)
