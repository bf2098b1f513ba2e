"""Studies of measured motions: tables, inverse kinematics and dynamics over time, static optimisation."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, muscles, parts, sensors


def arm(muscled=False):
    """Two links on hinges about z, markers on both."""
    m = lw.Model("arm")
    m.world = lw.World()
    m.shoulder = joints.Revolute(phi=0.1)
    m.upper = parts.BodyShape(r=[0.3, 0, 0], r_cm=[0.15, 0, 0], m=2.0, inertia=[0.01, 0.02, 0.02])
    m.elbow = joints.Revolute(phi=0.2)
    m.lower = parts.BodyShape(r=[0.25, 0, 0], r_cm=[0.12, 0, 0], m=1.2, inertia=[0.01, 0.01, 0.01])
    m.chain(m.world, m.shoulder, m.upper, m.elbow, m.lower)
    for name, body, r in (("A", m.upper, [0.1, 0.04, 0.03]), ("B", m.upper, [0.28, -0.02, -0.03]),
                          ("C", m.lower, [0.1, 0.03, 0.02]), ("D", m.lower, [0.25, 0, 0])):
        setattr(m, name, sensors.Marker(r=r))
        m.connect(body.frame_a, getattr(m, name).frame_a)
    if muscled:
        at = (m.world.frame_b, m.upper.frame_a, m.lower.frame_a)
        for name, route, strength in (
                ("front", [(at[0], [0, 0.06, 0]), (at[1], [0.12, 0.03, 0])], 900.0),
                ("back", [(at[0], [0, -0.06, 0]), (at[1], [0.12, -0.03, 0])], 900.0),
                ("long", [(at[0], [0, 0.05, 0.01]), (at[1], [0.26, 0.045, 0.01]), (at[2], [0.06, 0.02, 0.01])], 600.0),
                ("flexor", [(at[1], [0.15, 0.03, 0]), (at[2], [0.05, 0.03, 0])], 700.0),
                ("extensor", [(at[1], [0.15, -0.03, 0]), (at[2], [0.03, -0.03, 0])], 500.0)):
            length = 0.13 if name != "long" else 0.31
            setattr(m, name, muscles.Thelen2003(route, F_max=strength, l_opt=0.6 * length, l_slack=0.45 * length))
    return m


T = np.linspace(0, 1, 41)
MOTION = {"shoulder.phi": 0.3 * np.sin(2 * T), "elbow.phi": 0.4 + 0.5 * T**2}


@pytest.fixture(scope="module")
def system():
    return lw.compile(arm())


@pytest.fixture(scope="module")
def seen(system):
    """The markers along the motion."""
    state, found = system.state(), {name: [] for name in "ABCD"}
    for k in range(len(T)):
        for name, course in MOTION.items():
            state.set(name, course[k])
        for name, places in found.items():
            places.append(state.get(f"{name}.r_0"))
    return {"t": T, **{name: np.array(places) for name, places in found.items()}}


# --- tables ---


def test_tables_of_every_kind(tmp_path):
    (tmp_path / "a.trc").write_text(
        "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n60\t60\t2\t2\tmm\n"
        "Frame#\tTime\tR.ASIS\t\t\tHeel\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n1\t0\t100\t200\t300\t1\t2\t3\n2\t0.1\t\t\t\t4\t5\t6\n")
    table = lw.read_table(tmp_path / "a.trc")
    assert table.names == ["R.ASIS", "Heel"] and table.units["Heel"] == "m"
    assert table["R.ASIS"][0] == pytest.approx([0.1, 0.2, 0.3]) and np.isnan(table["R.ASIS"][1]).all()
    (tmp_path / "b.mot").write_text("walk\r\nversion=1\r\ninDegrees=yes\r\nendheader\r\ntime\tknee\tty\r\n0\t90\t1\r\n"
                                    "0.5\t45\t2\r\n")
    table = lw.read_table(tmp_path / "b.mot")
    assert table.degrees and table["knee"] == pytest.approx([90, 45]) and len(table.t) == 2
    (tmp_path / "c.sto").write_text("DataType=Quaternion\nendheader\ntime\tthigh\n0\t1,0,0,0\n1\t0.5,0.5,0.5,0.5\n")
    assert lw.read_table(tmp_path / "c.sto")["thigh"].shape == (2, 4)
    (tmp_path / "old.mot").write_text("name x\ndatacolumns 2\ndatarows 2\nendheader\ntime q\n0 1\n1 2\n")
    assert lw.read_table(tmp_path / "old.mot").degrees  # SIMM's are
    (tmp_path / "d.csv").write_text("t,x\n0,1\n1,\n")
    assert np.isnan(lw.read_table(tmp_path / "d.csv")["x"][1])


def test_motions_are_written_in_degrees_and_read_in_radians(system, tmp_path):
    ik = lw.inverse_kinematics(system, coordinates={"t": T, **MOTION})
    again = lw.read_table(ik.motion.save(tmp_path / "arm.mot"))
    assert again.degrees and again["elbow.phi"] == pytest.approx(np.degrees(MOTION["elbow.phi"]), abs=1e-9)
    found = lw.inverse_kinematics(system, coordinates=tmp_path / "arm.mot")
    assert found["elbow.phi"] == pytest.approx(MOTION["elbow.phi"], abs=1e-10)


@pytest.mark.parametrize(("text", "said"), [
    ("x\ntime\tq\n0\t1\n", "endheader"), ("endheader\ntime\tq\n0\t1\n1\n", "line 4: 2 numbers"),
    ("endheader\ntime\tq\n0\tx\n", "'x' is no number"), ("endheader\nq\n1\n", "no column of times"),
    ("endheader\ntime\tq\n1\t1\n0\t1\n", "increasing"), ("", "empty")])
def test_broken_tables_are_refused(tmp_path, text, said):
    (tmp_path / "x.mot").write_text(text)
    with pytest.raises(lw.ModelError, match=said):
        lw.read_table(tmp_path / "x.mot")


# --- inverse kinematics ---


def test_markers_give_the_motion_back(system, seen):
    ik = lw.inverse_kinematics(system, markers=seen)
    for name, course in MOTION.items():
        assert ik[name] == pytest.approx(course, abs=1e-8)
    assert ik.rms.max() < 1e-8 and ik.worst.max() < 1e-8 and not ik.unused
    assert "inverse kinematics: 41 frames" in str(ik)


def test_a_marker_that_is_not_seen_does_not_count(system, seen):
    hidden = {name: column.copy() for name, column in seen.items()}
    hidden["C"][10:20] = np.nan
    hidden["E"] = hidden["A"]  # one the model does not have
    ik = lw.inverse_kinematics(system, markers=hidden, time=(0.19, 0.58))
    assert ik["elbow.phi"] == pytest.approx(MOTION["elbow.phi"][8:24], abs=1e-8)
    assert np.isnan(ik.errors["C"][2:12]).all() and ik.unused == ["E"]


def test_weights_share_what_contradicts(system, seen):
    """One marker that is off by d pulls with its weight: w |d − x|² + |x|² over a slide along d is least at
    x = w d/(1 + w)."""
    m = lw.Model("cart")
    m.world = lw.World()
    m.rail = joints.Prismatic(n=[1, 0, 0])
    m.cart = parts.Body(m=1.0)
    m.P, m.Q = sensors.Marker(), sensors.Marker(r=[0, 1, 0])
    m.chain(m.world, m.rail, m.cart)
    m.connect(m.cart.frame_a, m.P.frame_a)
    m.connect(m.cart.frame_a, m.Q.frame_a)
    places = {"t": [0.0, 1.0], "P": [[0.3, 0, 0]] * 2, "Q": [[0, 1, 0]] * 2}
    ik = lw.inverse_kinematics(m, markers=places, weights={"P": 4.0})
    assert ik["rail.s"] == pytest.approx([0.24, 0.24], abs=1e-9)
    assert ik.worst == pytest.approx([0.24, 0.24])
    ik = lw.inverse_kinematics(m, markers=places, coordinates={"t": [0, 1], "rail.s": [0.1, 0.1]},
                               weights={"Q": 0, "rail.s": 3})
    assert ik["rail.s"] == pytest.approx([0.15, 0.15], abs=1e-9)


def test_bounds_hold_and_the_rest_is_nearest(system, seen):
    ik = lw.inverse_kinematics(system, markers=seen, bounds={"elbow.phi": (0.0, 0.6)})
    free = MOTION["elbow.phi"] < 0.6
    assert ik["elbow.phi"].max() <= 0.6 + 1e-12
    assert ik["elbow.phi"][free] == pytest.approx(MOTION["elbow.phi"][free], abs=1e-7)
    assert np.all(ik["elbow.phi"][~free] == pytest.approx(0.6, abs=1e-10))
    # at the bound the other coordinate is the best that is left: no small change is better
    k, state = 40, ik.states[40].copy()

    def cost(change):
        state.set("shoulder.phi", ik["shoulder.phi"][k] + change)
        return sum(np.sum((state.get(f"{name}.r_0") - seen[name][k]) ** 2) for name in "ABCD")

    assert cost(0.0) < min(cost(1e-4), cost(-1e-4))


def test_orientations_turn_bodies():
    m = lw.Model("top")
    m.world = lw.World()
    m.ball = joints.Spherical()
    m.body = parts.Body(m=1.0, r_cm=[0.1, 0, 0])
    m.chain(m.world, m.ball, m.body)
    quaternions = np.array([[np.cos(a / 2), *(np.sin(a / 2) * np.array([0.6, 0, 0.8]))] for a in np.linspace(0, 2, 9)])
    ik = lw.inverse_kinematics(m, orientations={"t": np.linspace(0, 1, 9), "body": quaternions})
    for state, q in zip(ik.states, quaternions, strict=True):
        R = np.asarray(lw.algebra.rotation_from_quaternion(q))
        assert pytest.approx(R, abs=1e-9) == np.asarray(state.get("body.frame_a.R.T")).T
    assert ik.errors["body"].max() < 1e-8


def test_loops_stay_closed_on_the_way():
    m = lw.Model("four-bar")
    m.world = lw.World()
    m.a, m.b, m.c, m.d = (joints.Revolute(phi=lw.guess(x)) for x in (1.2, -0.9, -1.0, 0.7))
    m.crank = parts.BodyShape(r=[0.2, 0, 0], m=1.0)
    m.rod = parts.BodyShape(r=[0.5, 0, 0], m=1.0)
    m.rocker = parts.BodyShape(r=[0.4, 0, 0], m=1.0)
    m.ground = parts.FixedTranslation(r=[0.5, 0, 0])
    m.chain(m.world, m.a, m.crank, m.b, m.rod, m.c)
    m.chain(m.world, m.ground, m.d, m.rocker)
    m.connect(m.rocker.frame_b, m.c.frame_b)
    m.P = sensors.Marker(r=[0.25, 0.1, 0])
    m.connect(m.rod.frame_a, m.P.frame_a)
    system, t = lw.compile(m), np.linspace(0, 1, 15)
    state, places = system.state(), []
    turned = float(state.get("a.phi")) + 1.5 * t
    for phi in turned:
        state = lw.assemble(system, near=state, goals={"a.phi": phi})
        places.append(state.get("P.r_0"))
    ik = lw.inverse_kinematics(system, markers={"t": t, "P": np.array(places)})
    assert ik["a.phi"] == pytest.approx(turned, abs=1e-7)
    assert max(np.abs(system.evaluate(state, "position_error")).max() for state in ik.states) < 1e-10


def test_what_is_missing_is_said(system, seen):
    with pytest.raises(lw.ModelError, match="give markers="):
        lw.inverse_kinematics(system)
    with pytest.raises(lw.ModelError, match="no marker, body or coordinate"):
        lw.inverse_kinematics(system, markers={"t": T, "hip": seen["A"]})
    with pytest.raises(lw.ModelError, match="knee is measured nowhere"):
        lw.inverse_kinematics(system, markers=seen, weights={"knee": 2})
    with pytest.raises(lw.ModelError, match="holds none of the frames"):
        lw.inverse_kinematics(system, markers=seen, time=(3, 4))
    with pytest.raises(lw.ModelError, match="wrong order"):
        lw.inverse_kinematics(system, markers=seen, bounds={"elbow.phi": (1, 0)})


# --- inverse dynamics ---


def test_a_motion_in_a_table_needs_the_torques_of_its_formula(system):
    table = lw.inverse_dynamics(system, {"t": T, **MOTION}, t=T[8:33])
    exact = lw.inverse(system, {"shoulder.phi": 0.3 * lw.sin(2 * lw.time), "elbow.phi": 0.4 + 0.5 * lw.time**2},
                       T[8:33])
    for name in MOTION:  # the ends of the spline are not the formula's
        assert table[name] == pytest.approx(exact[name], abs=1e-4)


def test_forces_from_outside_are_those_of_the_same_force_in_the_model(system):
    grf = {"t": T, "fx": 5 * np.cos(T), "fy": 20 + T, "fz": 0 * T, "px": 0.4 + 0 * T, "py": 0.1 * T, "pz": 0 * T,
           "mx": 0 * T, "my": 0 * T, "mz": 1 + T}
    t = T[::5]
    force = lw.ExternalForce("lower", grf, force="f", point="p", torque="m")
    with_it = lw.inverse_dynamics(system, {"t": T, **MOTION}, t=t, external=force)
    m = arm()
    x, p = m.lower.frame_a.r_0, [0.4, 0.1 * lw.time, 0]
    m.push = forces.WorldForceAndTorque(
        force=[5 * lw.cos(lw.time), 20 + lw.time, 0],
        torque=[0, 0, 1 + lw.time + (p[0] - x[0]) * (20 + lw.time) - (p[1] - x[1]) * 5 * lw.cos(lw.time)])
    m.connect(m.lower.frame_a, m.push.frame_b)
    same = lw.inverse_dynamics(m, {"t": T, **MOTION}, t=t)
    for name in MOTION:
        assert with_it[name] == pytest.approx(same[name], abs=1e-5)
    with pytest.raises(lw.ModelError, match="no columns ax"):
        lw.inverse_dynamics(system, {"t": T, **MOTION}, external=lw.ExternalForce("lower", grf, force="a"))
    with pytest.raises(lw.ModelError, match="'foot', which is no body"):
        lw.inverse_dynamics(system, {"t": T, **MOTION}, external=lw.ExternalForce("foot", grf, force="f"))


def test_the_filter_leaves_the_phase_and_takes_what_its_formula_says():
    """|H|² of a Butterworth filter of order three, run forwards and backwards: 1/(1 + (ω/ω_c)⁶), frequencies warped."""
    from linkwright.studies.motions import low_pass

    h, cutoff, f = 0.01, 6.0, 4.0
    t = np.arange(0, 20, h)
    y = low_pass(np.sin(2 * np.pi * f * t), h, cutoff)[800:1200]
    gain = 1 / (1 + (np.tan(np.pi * f * h) / np.tan(np.pi * cutoff * h)) ** 6)
    assert y == pytest.approx(gain * np.sin(2 * np.pi * f * t)[800:1200], abs=1e-9)
    with pytest.raises(lw.ModelError, match="below half the rate"):
        low_pass(t, h, 60.0)


# --- static optimisation ---


@pytest.fixture(scope="module")
def pulled():
    return lw.compile(arm(muscled=True))


def test_activations_balance_the_motion_with_the_least_effort(pulled, system):
    t = T[5:-5:6]
    found = lw.static_optimization(pulled, {"t": T, **MOTION}, t=t)
    without = lw.inverse_dynamics(system, {"t": T, **MOTION}, t=t)
    names = ("front", "back", "long", "flexor", "extensor")
    for k, state in enumerate(found.inverse.states):
        arms = np.array([[pulled.moment_arm(state, f"{name}.l", q) for name in names] for q in MOTION])
        a, f = (np.array([table[name][k] for name in names]) for table in (found.activation, found.force))
        # muscles that pull as found do what the same arm without muscles needs
        assert arms @ f == pytest.approx([without[q][k] for q in MOTION], abs=1e-6)
        # Kuhn–Tucker: 2 a = Aᵀ λ for those that pull, less for those at zero
        A = arms * np.where(a > 1e-9, f / np.maximum(a, 1e-12), 0)
        on = a > 1e-9
        multipliers = np.linalg.lstsq(A[:, on].T, 2 * a[on], rcond=None)[0]
        assert A[:, on].T @ multipliers == pytest.approx(2 * a[on], abs=1e-6)
        assert np.all(a >= 0) and np.all(a <= 1)
    assert found["flexor.a"] == pytest.approx(found.activation["flexor"])
    assert "static optimisation" in str(found)


def test_other_powers_share_otherwise_and_reserves_help(pulled):
    t = T[10:13]
    second, third = (lw.static_optimization(pulled, {"t": T, **MOTION}, t=t, power=p) for p in (2, 3))
    largest = [max(found.activation[name][0] for name in found.activation) for found in (second, third)]
    assert largest[1] < largest[0]  # a higher power spreads the effort
    helped = lw.static_optimization(pulled, {"t": T, **MOTION}, t=t, reserves={"elbow.phi": 50.0})
    assert sum(a[0] ** 2 for a in helped.activation.values()) < sum(a[0] ** 2 for a in second.activation.values())


def test_a_motion_that_muscles_cannot_make_is_said(pulled, system):
    with pytest.raises(lw.ModelError, match="elbow.phi lacks"):
        lw.static_optimization(pulled, {"t": T, **MOTION}, t=T[:2],
                               external=lw.ExternalForce("lower", {"t": [0, 1], "mx": [0, 0], "my": [0, 0],
                                                                   "mz": [500.0, 500.0]}, torque="m"))
    with pytest.raises(lw.ModelError, match="no muscle"):
        lw.static_optimization(system, {"t": T, **MOTION})
