"""Beams: bending, frequencies, spin, against closed forms and values that converged elsewhere."""

from __future__ import annotations

from math import pi

import casadi as ca
import numpy as np
import pytest

import linkwright as lw
from linkwright import flexible, forces, joints, parts, rotational
from linkwright.algebra import VelocityMotor
from linkwright.mechanism import Bending
from linkwright.mechanism.kinds import Strained

#: roots of cosh β cos β = −1, squared (Blevins 1979, table 8-1)
CLAMPED = np.array([3.516015269, 22.034491564, 61.697214410, 120.901916052, 199.859530116])
#: a rotating beam clamped at its hub, across the plane of rotation: frequencies over √(EI/ρAL⁴) by the spin in the same
#: unit (Wright, Smith, Thresher and Wang 1982, J. Appl. Mech. 49, 197)
FLAPPING = {3: (4.79727853, 23.32026367, 62.98496748), 12: (13.17015049, 37.60311233, 79.61447849)}

#: EI = 1, ρA = 1 and hardly any inertia of the cross-section
UNIT = {"section": flexible.Section(A=1.0, Iy=1e-12, Iz=1e-12, It=1e-12),
        "material": flexible.Material(E=1e12, nu=0.3, rho=1.0)}


def clamped(**given):
    m = lw.Model("clamped")
    m.world = lw.World(gravity=None)
    m.beam = flexible.Beam(**given)
    m.connect(m.world.frame_b, m.beam.frame_a)
    return m


def loaded(force=None, torque=None, **given):
    m = clamped(**given)
    m.load = forces.WorldForce() if force is not None else forces.WorldTorque()
    setattr(m.load, "force" if force is not None else "torque", force if force is not None else torque)
    m.connect(m.load.frame_b, m.beam.frame_b)
    return lw.equilibrium(m)


@pytest.mark.parametrize("degrees", [(2, 2, 2, -1, -1, -1), (1, 0, 1, 1, 0, 0), (-1, -1, 2, -1, -1, -1)])
def test_bias_is_the_derivative_of_kinetic_energy(degrees):
    """Two routes: carried from point to point, and by differentiating T = ½ V·MV + V·N q̇ + ½ q̇ᵀH q̇."""
    points = {1: 4, 2: 5}[max(degrees)]
    element = Strained(0.5, degrees, ((1.0, 1e-3, 2e-3),) * points, (0.1, 0.2, 0.3))
    q, u, v = ca.SX.sym("q", element.size), ca.SX.sym("u", element.size), ca.SX.sym("v", 6)
    found = []
    for route in (element.bias, lambda *x: Bending.bias(element, *x)):
        p, along = route(q, u, VelocityMotor.from_vector(v))
        found.append(ca.vertcat(p.vector(), *along))
    random = np.random.default_rng(1)
    values = ca.Function("f", [q, u, v], found)(*[random.normal(size=s.numel()) for s in (q, u, v)])
    carried, derived = (np.array(value) for value in values)
    assert carried == pytest.approx(derived, rel=1e-12, abs=1e-12 * np.abs(derived).max())


def test_frequencies():
    found = lw.modes(clamped(length=1.0, strains="planar", **UNIT)).frequency * 2 * pi
    assert found[0] == pytest.approx(CLAMPED[0], rel=1e-5)
    assert found[1] == pytest.approx(CLAMPED[1], rel=2e-3)


@pytest.mark.slow
def test_frequencies_of_many_elements():
    found = lw.modes(clamped(length=1.0, strains="planar", elements=10, **UNIT)).frequency[:5] * 2 * pi
    assert found[0] == pytest.approx(CLAMPED[0], rel=1e-9)
    assert found == pytest.approx(CLAMPED, rel=1e-4)


#: −u_x of a small load, to its second order: a² L⁵/15 + (F/kGA − F/EA) a L³/3 with a = F/EI
SMALL_LOAD = 1.8884921e-7


def test_large_bending_of_a_cantilever():
    """Nachbagauer, Pechstein, Irschik and Gerstmayr 2011: all strains, converged 0.15097114, 0.71056860."""
    E, nu, h, w = 2.07e11, 0.3, 0.5, 0.1
    given = {"length": 2.0, "section": flexible.Rectangle(height=h, width=w, nu=nu), "strains": "planar all",
             "material": flexible.Material(E, nu, 7850.0)}
    x, y, _ = loaded(force=[0, 5e8 * h**3, 0], **given).get("beam.deflection")
    assert (-x, y) == pytest.approx((0.15097114, 0.71056860), rel=3e-5)
    x, y, _ = loaded(force=[0, 5e5 * h**3, 0], **given).get("beam.deflection")
    assert (-x, y) == (pytest.approx(SMALL_LOAD, rel=3e-5), pytest.approx(8.0990325e-4, rel=1e-6))


@pytest.mark.slow
def test_large_bending_of_more_elements_of_first_degree():
    E, nu, h, w = 2.07e11, 0.3, 0.5, 0.1
    x, y, _ = loaded(force=[0, 5e8 * h**3, 0], length=2.0, section=flexible.Rectangle(height=h, width=w, nu=nu),
                     strains="planar all", material=flexible.Material(E, nu, 7850.0), elements=8,
                     degree=1).get("beam.deflection")
    assert (-x, y) == pytest.approx((0.15097114, 0.71056860), rel=1e-6)
    x, y, _ = loaded(force=[0, 5e5 * h**3, 0], length=2.0, section=flexible.Rectangle(height=h, width=w, nu=nu),
                     strains="planar all", material=flexible.Material(E, nu, 7850.0), elements=8,
                     degree=1).get("beam.deflection")
    assert (-x, y) == pytest.approx((SMALL_LOAD, 8.0990325e-4), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("elements", "turns"), [(4, 1), (10, 2)])
def test_roll_up(elements, turns):
    """A moment 2π EI/L bends a beam into a circle: its tip comes back to the root."""
    state = loaded(torque=[0, 0, 2 * pi * turns], length=1.0, strains="planar", elements=elements, **UNIT)
    assert np.linalg.norm(state.get("beam.frame_b.r_0")) < 1e-12
    assert state.get("beam.strain")[:, 2] == pytest.approx(2 * pi * turns, rel=1e-9)


PRINCETON = {  # load in N → (y, z) of the tip at 0, 15 … 90° from the stiff axis: ANSYS beam elements
    8.896: ((.0107142, .0106133, .0101117, .0088372, .0066047, .0035389, 0),
            (0, .0420823, .0793948, .1089879, .1298876, .1421944, .1462460)),
    13.345: ((.0160642, .0164583, .0166587, .0151862, .0115784, .0062490, 0),
             (0, .0643581, .1177360, .1564672, .1818616, .1960971, .2006777))}


@pytest.mark.slow
@pytest.mark.parametrize(("load", "number"), [(load, k) for load in PRINCETON for k in range(7)])
def test_princeton_beam(load, number):
    """Dowell and Traybar 1975; bending, twist and their coupling at large deflections."""
    angle = np.radians(15 * number)
    state = loaded(force=[0, load * np.cos(angle), load * np.sin(angle)], length=0.508,
                   section=flexible.Rectangle(height=12.3777e-3, width=3.2024e-3),
                   material=flexible.Material(71.7e9, 0.31, 2700.0))
    _, y, z = state.get("beam.deflection")
    expected = PRINCETON[load][0][number], PRINCETON[load][1][number]
    assert (y, z) == pytest.approx(expected, abs=1.7e-4)
    assert np.hypot(y, z) == pytest.approx(np.hypot(*expected), rel=3e-3)


#: of eight elements with constant shear, at 15, 30 … 75° under 13.345 N, converged to 1e-5 m
PRINCETON_OWN = ((.0164999, .0167747, .0153392, .0117141, .0063272), (.0644919, .1178953, .1565799, .1819131, .1961166))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, 6))
def test_princeton_beam_with_all_strains(number):
    """Beside a computation of its own with other elements: 1e-5 m, a tenth of what programs differ by."""
    angle, load = np.radians(15 * number), 13.345
    given = flexible.Rectangle(height=12.3777e-3, width=3.2024e-3)
    assert given.It == pytest.approx(1.1342e-10, rel=1e-4)  # Saint-Venant
    section = flexible.Section(A=given.A, Iy=given.Iy, Iz=given.Iz, It=given.It, ky=5 / 6, kz=5 / 6)
    state = loaded(force=[0, load * np.cos(angle), load * np.sin(angle)], length=0.508, section=section, strains="all",
                   material=flexible.Material(71.7e9, 0.31, 2700.0))
    assert state.get("beam.deflection")[1:] == pytest.approx([own[number - 1] for own in PRINCETON_OWN], abs=1e-5)


def rotor(speed, blade):
    m = lw.Model("rotor")
    m.world = lw.World(gravity=None)
    m.hub, m.drive, m.blade = joints.Revolute(n=[0, 0, 1]), rotational.Speed(exact=True), blade
    m.drive.w_ref = speed
    m.connect(m.hub.axis, m.drive.flange)
    m.chain(m.world, m.hub, m.blade)
    return m


@pytest.mark.parametrize(("speed", "elements", "tolerance"), [
    (12, 2, (5e-4, 5e-4, 1e-3)), pytest.param(3, 4, (1e-5, 1e-5, 5e-4), marks=pytest.mark.slow),
    pytest.param(12, 4, (1e-5, 1e-4, 1e-4), marks=pytest.mark.slow)])
def test_flapping_of_a_blade_that_spins(speed, elements, tolerance):
    blade = flexible.Beam(length=1.0, elements=elements, **UNIT)
    values = np.linalg.eigvals(lw.linearize(rotor(speed, blade)).A)
    found = np.sort(values.imag[values.imag > 0])
    for expected, relative in zip(FLAPPING[speed], tolerance, strict=True):
        assert np.min(np.abs(found - expected)) < relative * expected


@pytest.mark.slow
@pytest.mark.parametrize(("speed", "shapes", "tolerance"), [
    (3, 2, 4e-4), (12, 6, 3e-4)])
def test_flapping_of_a_modal_blade(speed, shapes, tolerance):
    """Shapes of the beam at rest, and the shortening of its axis."""
    data = flexible.beam_modes(1.0, UNIT["section"], UNIT["material"], shapes, planes="xz")
    values = np.linalg.eigvals(lw.linearize(rotor(speed, flexible.ModalBody(data))).A)
    found = np.sort(values.imag[values.imag > 0])
    assert found[0] == pytest.approx(FLAPPING[speed][0], rel=tolerance)


def test_a_blade_without_stiffening_says_so():
    data = flexible.beam_modes(1.0, UNIT["section"], UNIT["material"], 2)
    assert "without geometric stiffening" in str(data.without_stiffening())
    # without it the spin softens the blade in its plane, until it is driven out at the speed of its first frequency
    values = np.linalg.eigvals(lw.linearize(rotor(3.6, flexible.ModalBody(data, stiffening=False))).A)
    assert np.max(values.real) > 0.1
    values = np.linalg.eigvals(lw.linearize(rotor(3.6, flexible.ModalBody(data))).A)
    assert np.max(values.real) < 1e-6


def test_stretch_of_a_bar_that_spins():
    """u(L) = ρΩ²/E (tan λL/λ…) to first order ρΩ²L³/3E; with the longer bar's own inertia 5.143175e-4 m at 6 rad/s."""
    m = rotor(6.0, flexible.Beam(length=10.0, section=flexible.Section(A=1.2, Iy=6e-4, Iz=6e-4, It=1e-3),
                                 E=2.8e7 / 1.2, G=1e7 / 1.2, rho=1.0, strains="stretch", elements=1, damping=1e-2))
    r = lw.simulate(m, 1.0)
    assert r["blade.deflection"][-1, 0] == pytest.approx(5.143175e-4, abs=1e-9)


def spun_up(blade, stop=20.0, **options):
    """Kane, Ryan and Banerjee 1987: turned to 6 rad/s within 15 s; what the tip gains in length and how it lags."""
    m = lw.Model("spin-up")
    m.world = lw.World(gravity=None)
    m.hub, m.drive, m.blade = joints.Revolute(), rotational.Position(exact=True), blade
    t = lw.time
    ramp = 0.4 * (t**2 / 2 + (15 / (2 * pi)) ** 2 * (lw.cos(2 * pi * t / 15) - 1))
    m.drive.phi_ref = lw.where(t < 15, ramp, 6 * t - 45)
    m.connect(m.hub.axis, m.drive.flange)
    m.chain(m.world, m.hub, m.blade)
    r = lw.simulate(m, stop, step=0.01, **options)
    tip, angle = r["blade.frame_b.r_0"], r["hub.phi"]
    return (r.t, np.cos(angle) * tip[:, 0] + np.sin(angle) * tip[:, 1] - 10.0,
            np.cos(angle) * tip[:, 1] - np.sin(angle) * tip[:, 0])


#: ρA = 1.2, ρI = 6e-4, EA = 2.8e7, EI = 1.4e4 (Simo and Vu-Quoc 1986)
SPUN, SPUN_MATERIAL = flexible.Section(A=1.2, Iy=6e-4, Iz=6e-4, It=1e-3), flexible.Material(1.4e4 / 6e-4, 0.3, 1.0)


@pytest.mark.slow
def test_spin_up():
    """The beam's stretch to 1e-6 m of statics; a modal body with stiffening lags as the beam does, to 1 %."""
    t, gained, lag = spun_up(flexible.Beam(length=10.0, section=SPUN, E=2.8e7 / 1.2, G=1e7 / 1.2, rho=1.0, damping=1e-3,
                                           strains="planar+stretch", elements=1), method="radau")
    assert gained[-1] == pytest.approx(5.143175e-4, abs=1e-6)
    assert lag.min() == pytest.approx(-0.57, rel=0.05) and np.abs(lag[t > 16]).max() < 0.01
    _, _, modal = spun_up(flexible.ModalBody(flexible.beam_modes(10.0, SPUN, SPUN_MATERIAL, 3)))
    assert modal.min() == pytest.approx(lag.min(), rel=0.01)
    assert np.abs(modal - lag).max() < 0.01 * np.abs(lag).max()


def test_spin_up_without_stiffening_is_driven_out_and_named():
    """Beyond its first frequency, 3.8 rad/s, nothing holds the blade."""
    data = flexible.beam_modes(10.0, SPUN, SPUN_MATERIAL, 3)
    with pytest.warns(UserWarning, match=r"blade: .* without geometric stiffening"):
        _, _, lag = spun_up(flexible.ModalBody(data, stiffening=False), stop=14.0)
    assert np.abs(lag[-1]) > 10.0


@pytest.mark.slow
def test_hung_by_either_end():
    """A beam upside down in the tree: frame_b at the pivot, frame_a free, and the other way; mirrored motions."""
    tips = []
    for hung, loose in (("frame_a", "frame_b"), ("frame_b", "frame_a")):
        m = lw.Model("pendulum")
        m.world = lw.World()
        m.rev = joints.Revolute(phi=0.4 if hung == "frame_a" else 0.4 + pi)
        m.beam = flexible.Beam(length=0.8, section=flexible.Circle(diameter=0.004), material=flexible.Aluminium,
                               strains="planar", elements=1)
        m.tip = parts.PointMass(m=0.05)
        m.connect(m.world.frame_b, m.rev.frame_a)
        m.connect(m.rev.frame_b, getattr(m.beam, hung))
        m.connect(getattr(m.beam, loose), m.tip.frame_a)
        r = lw.simulate(m, 0.2, accuracy=1e-12, step=0.1)
        energy = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"]
        assert np.ptp(energy) < 1e-9 * np.ptp(r["kinetic_energy"])
        tips.append(r[f"beam.{loose}.r_0"][-1])
    assert tips[0] == pytest.approx(tips[1], abs=1e-9)


def slider_crank(rod):
    """Jonker's: crank 0.15 m, rod 0.30 m, 150 rad/s, a slider of half the rod's mass."""
    speed, mass = 150.0, 7870 * pi * 0.006**2 / 4 * 0.3
    m = lw.Model("slider-crank")
    m.world = lw.World(gravity=None)
    m.crank, m.arm = joints.Revolute(phi=0.0), parts.FixedTranslation(r=[0.15, 0, 0])
    m.pin, m.drive, m.rod = joints.Revolute(phi=0.0, w=-1.5 * speed), rotational.Position(exact=True), rod
    m.drive.phi_ref = speed * lw.time
    m.connect(m.crank.axis, m.drive.flange)
    m.chain(m.world, m.crank, m.arm, m.pin, m.rod)
    m.gudgeon, m.slide = joints.Revolute(), joints.Prismatic(n=[1, 0, 0])
    m.piston = parts.Body(m=mass / 2, r_cm=[0, 0, 0])
    m.connect(m.rod.frame_b, m.gudgeon.frame_a)
    m.connect(m.gudgeon.frame_b, m.slide.frame_b, m.piston.frame_a)
    m.connect(m.world.frame_b, m.slide.frame_a)
    r = lw.simulate(m, 12 / speed, accuracy=1e-7, step=0.01 / speed)
    a, b, c = (r[f"rod.{name}.r_0"] for name in ("frame_a", "frame_b", "frame[0]"))
    chord, middle = b - a, c - a
    y = (chord[:, 0] * middle[:, 1] - chord[:, 1] * middle[:, 0]) / np.linalg.norm(chord, axis=1) / 0.3
    return np.array([y.max(), y.min(), *np.interp([pi / 2, pi, 2 * pi, 3 * pi], r.t * speed, y)])


ROD = {"section": flexible.Circle(diameter=0.006), "material": flexible.Material(2e11, 0.3, 7870.0)}
#: deflection of the rod's middle over its length: greatest, least, and at four angles of the crank (Exudyn, 16 cables)
MIDDLE = np.array([.01539, -.01553, .00562, .00303, .00051, -.00293])


@pytest.mark.slow
def test_slider_crank_with_a_modal_rod():
    data = flexible.beam_modes(0.3, ROD["section"], ROD["material"], 4, frames=(0.5, 1.0))
    assert slider_crank(flexible.ModalBody(data)) == pytest.approx(MIDDLE, abs=2e-4)


@pytest.mark.slow
def test_slider_crank_with_a_beam():
    rod = flexible.Beam(length=0.3, strains="planar", frames=[0.5], **ROD)
    assert slider_crank(rod) == pytest.approx(MIDDLE, abs=5e-5)


@pytest.mark.parametrize(("given", "said"), [
    ({"length": 0.0}, "length = 0"), ({"section": None}, "section"), ({"frames": [1.2]}, r"1.2 lies beyond the ends"),
    ({"degree": 3}, "0, 1 or 2"), ({"strains": "shear"}, "choose one of"), ({"elements": 0}, "one or more elements"),
    ({"frames": ["middle"]}, "a list of fractions"), ({"frames": 0.5}, "a list of fractions"),
    ({"material": "steel"}, "a material is needed"), ({"damping": -1.0}, "cannot be negative")])
def test_errors_name_what_is_wrong(given, said):
    whole = {"length": 1.0, "section": flexible.Circle(diameter=0.01), **given}
    if whole["section"] is None:
        del whole["section"]
    with pytest.raises(lw.ModelError, match=said):
        flexible.Beam(**whole)
