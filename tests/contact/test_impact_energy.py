"""Impacts with friction: Poisson's law never gains energy; Newton's can, is guarded, and the result says so."""

# mypy: ignore-errors

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact
from linkwright import planar as pl
from linkwright.codegen.dialect import compiled
from linkwright.run import contact_record as cr
from linkwright.run.contact_cone import prepare_cone
from linkwright.run.contact_impacts import phases
from linkwright.run.row_record import ROWS, rows_at

G = 9.81


def random_impact(rng):
    """(W, v, μ, e) of a body with one to four corners on a floor that arrives there somehow."""
    n = rng.integers(1, 5)
    arms, spread = rng.normal(size=(n, 3)), rng.normal(size=(3, 3))
    arms[:, 1] = -abs(arms[0, 1])  # all of them on one floor
    rows = np.array([[*np.cross(arm, way), *way] for arm in arms for way in ([0, 1, 0], [1, 0, 0], [0, 0, 1])])
    inertia = np.zeros((6, 6))  # its inverse
    inertia[:3, :3] = np.linalg.inv(spread @ spread.T + 0.05 * np.eye(3))
    inertia[3:, 3:] = np.eye(3) / rng.uniform(0.5, 2)
    speeds = rng.normal(size=6)
    return rows @ inertia @ rows.T, rows @ speeds, rng.uniform(0, 1.5, n), rng.uniform(0, 1, n)


@compiled
def both_phases(address: int, scale: float) -> bool:
    """Compression and expansion over a record of contacts."""
    r = rows_at(address)
    prepare_cone(r)
    return phases(r, 1.0, scale)


def impulses_of(W, v, mu, e, newton):
    """Impulses of compression and of expansion."""
    n, size = len(mu), len(v)
    memory, r = ROWS.new()
    laws, fixed = np.zeros((n, 3)), np.zeros((cr.N_FIXED, n), np.int64)
    laws[:, 0], fixed[cr.NEWTON] = mu, newton
    whole = {name: np.zeros(size, np.int64) for name in ("kinds_of", "partners", "slides")}
    arrays = {"W": W.copy(), "v": v, "give": e, "laws": laws, "contact_fixed": fixed, "which": np.arange(n), **whole,
              "ways": np.zeros((n, 2)), "cone_right": np.zeros(2 * size), "cone_J": np.zeros((2 * size, size)),
              **{name: np.zeros(size) for name in ("b", "steps", "least", "force", "first_phase", "motion", "best",
                                                   "cone_x", "cone_F", "cone_change", "cone_tried", "cone_walked")}}
    r.put(n_contacts=n, most=n, size=size, n_which=n, **{name: array.ctypes.data for name, array in arrays.items()})
    found = both_phases(memory.ctypes.data, float(np.abs(v).max()))
    return [arrays["first_phase"], arrays["best"]] if found else None


def gain(W, v, phases):
    """The change of the kinetic energy over what the speeds at the contacts stand for."""
    impulse = sum(phases)
    return impulse @ (v + W @ impulse / 2) / (np.abs(impulse) @ np.abs(v) + 1e-300)


@pytest.mark.parametrize("count", [600, pytest.param(5000, marks=pytest.mark.slow)])
def test_impacts_by_poissons_law_never_gain_energy(count):
    """Some of these take the last resorts of the cone problem: none is left without a solution."""
    rng, impacts = np.random.default_rng(1), 0
    while impacts < count:
        W, v, mu, e = random_impact(rng)
        if v[0::3].min() >= 0:
            continue
        phases = impulses_of(W, v, mu, e, np.zeros(len(mu), dtype=bool))
        assert phases is not None
        assert gain(W, v, phases) <= 1e-11
        assert (v + W @ sum(phases))[0::3].min() >= -1e-9 * np.abs(v).max()
        impacts += 1


def test_newtons_law_can_gain_energy():
    """The reason why a run guards it."""
    rng, gained = np.random.default_rng(1), 0
    for _ in range(300):
        W, v, mu, e = random_impact(rng)
        if v[0::3].min() < 0:
            phases = impulses_of(W, v, mu, e, np.ones(len(mu), dtype=bool))
            gained += phases is not None and gain(W, v, phases) > 1e-6
    assert gained > 0


def rod(law):
    m = lw.Model("thrown")
    m.world, m.floor, m.fixed = pl.World(g=G), pl.contact.Line(n=[0, 1]), pl.Fixed()
    m.skin = pl.contact.Polygon([[-0.5, -0.1], [0.5, -0.1], [0.5, 0.1], [-0.5, 0.1]])
    m.body = pl.Body(m=1, I=0.02, r=[0, 1])
    m.connect(m.fixed.frame, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law)
    return lw.compile(m)


@pytest.mark.parametrize("law", ["poisson", "newton"])
def test_a_thrown_rod_gains_no_energy(law):
    """Kinetic energy after an impact is never more than before; where Newton's law would gain some, that is told."""
    rng, told = np.random.default_rng(3), 0
    system = rod(contact.Rigid(restitution=0.9, mu=0.8, impact=law))
    for _ in range(12):
        s = system.state()
        s.q[:], s.u[:] = [rng.uniform(0, 6), 0, 1.5], [5 * rng.normal(), *rng.normal(size=2)]  # phi, x, y
        r = lw.simulate(system, 1.0, state=s)
        energy = r["kinetic_energy"] + r["potential_energy"]
        assert np.diff(energy).max() <= 1e-7 * energy[0]
        assert all(row.loss >= -1e-9 * energy[0] for row in r.contacts)
        assert r["touch.gap"].min() >= -1e-9
        told += sum("would have gained energy" in message for message in r.messages)
    assert (told > 0) == (law == "newton")


def dropped(law):
    """A slanting rod whose corner strikes the floor, arriving straight down: its arm, speeds and impulse there."""
    m = lw.Model("dropped")
    m.world, m.floor, m.fixed = pl.World(g=0.0), pl.contact.Line(n=[0, 1]), pl.Fixed()
    m.skin = pl.contact.Polygon([[-0.5, -0.1], [0.5, -0.1], [0.5, 0.1], [-0.5, 0.1]])
    m.body = pl.Body(m=1.0, I=0.0867, r=[0, 0.6], phi=0.6, v=[0, -2.0])
    m.connect(m.fixed.frame, m.floor.frame_a)
    m.connect(m.body.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=law)
    r = lw.simulate(m, 0.15)
    (hit,) = [row for row in r.contacts if row.what == "hit"]
    after = r.at(hit.time, side="after")
    c, s = np.cos(0.6), np.sin(0.6)
    x, y = -0.5 * c + 0.1 * s, -0.5 * s - 0.1 * c
    return (x, y), after["body.v"] + after["body.w"] * np.array([-y, x]), hit.impulse


@pytest.mark.parametrize("mu_s, sticks", [(0.7, True), (0.5, False), (None, False)])
def test_a_blow_without_slip_is_held_by_friction_at_rest(mu_s, sticks):
    """The impulse that holds the corner leans by x y/(I/m + y²) = 0.59, between μ = 0.4 and μ_s = 0.7; where it does
    not hold, the corner slides during the blow by the coefficient that was to hold it."""
    (x, y), speed, impulse = dropped(contact.Rigid(mu=0.4, mu_s=mu_s))
    W = np.eye(2) + np.outer([-y, x], [-y, x]) / 0.0867  # along the floor, and up
    lean = -W[0, 1] / W[0, 0]
    assert 0.5 < lean < 0.7
    held = lean if sticks else mu_s or 0.4
    assert impulse == pytest.approx(2.0 / (W[1, 1] + W[1, 0] * held), rel=1e-9)
    assert speed == pytest.approx([(W[0, 1] + W[0, 0] * held) * impulse, 0.0], abs=1e-9)


@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_by_newtons_law_a_corner_leaves_at_its_share_of_the_speed(mu):
    """v_n⁺ = −e v_n⁻, whatever rubs."""
    (x, y), speed, impulse = dropped(contact.Rigid(restitution=0.5, mu=mu, impact="newton"))
    assert speed[1] == pytest.approx(0.5 * 2.0, rel=1e-9)
    assert impulse == pytest.approx(1.5 * 2.0 / (1 + (x * x - mu * x * y) / 0.0867), rel=1e-9)
