"""What may be read of components while a model is built."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import assemblies, joints, parts, rotational
from linkwright import planar as pl


@pytest.mark.parametrize("body", [parts.BodyCylinder(r=[0.4, 0, 0], diameter=0.1), parts.BodyBox(r=[0, 0.3, 0.4])])
def test_inertia_that_follows_from_a_shape_is_the_inertia_of_the_run(body):
    m = lw.Model("falling")
    m.world, m.body = lw.World(), body
    r = lw.simulate(m, 0.01)
    np.testing.assert_allclose(np.asarray(body.I, dtype=float), r["body.I"][0], rtol=1e-14, atol=1e-15)


def test_the_direction_of_a_strut():
    strut = assemblies.JointUPS(n_axis_ia=[0.7, 1.2, 0])
    np.testing.assert_allclose(strut.e_axis_ia, np.array([0.7, 1.2, 0]) / 1.93**0.5)


def test_a_flange_is_not_joined_to_a_plane_by_way_of_space():
    m = lw.Model("kinds")
    m.body, m.shaft, m.other = pl.Body(m=1, I=1), rotational.Inertia(J=1.0), parts.Body(m=1.0)
    with pytest.raises(lw.ModelError) as flange:
        m.connect(m.body.frame_a, m.shaft.flange_a)
    with pytest.raises(lw.ModelError, match="planar.To3D"):
        m.connect(m.body.frame_a, m.other.frame_a)
    assert "To3D" not in str(flange.value)


@pytest.mark.parametrize("body, names", [
    (parts.BodyBox(r=[0.4, 0, 0.3]), ("length", "width", "height", "inner_height")),
    (parts.BodyCylinder(r=[0.4, 0, 0.3], inner_diameter=0.01), ("length", "diameter")),
])
def test_sizes_that_were_not_given_are_those_that_the_mass_is_made_of(body, names):
    given = {name: float(getattr(body, name)) for name in names}
    again = type(body)(r=body.r, inner_diameter=0.01, **given) if "diameter" in given else type(body)(r=body.r, **given)
    assert float(again.m) == pytest.approx(float(body.m), rel=1e-14)
    np.testing.assert_allclose(np.asarray(again.I, float), np.asarray(body.I, float), rtol=1e-14, atol=1e-16)


def test_a_size_that_follows_from_a_tunable_one_follows_it():
    m = lw.Model("rods")
    m.world, m.rev, m.rod = lw.World(), joints.Revolute(phi=1.0), parts.BodyBox(r=[1, 0, 0])
    m.tip = parts.BodyShape(m=1.0, r=[m.rod.width, 0, 0], r_cm=[0, 0, 0])
    m.chain(m.world, m.rev, m.rod, m.tip)
    state = lw.compile(m, tunable=["rod.r"]).state().set("rod.r", [2, 0, 0])
    gap = state.get("tip.frame_b.r_0") - state.get("tip.frame_a.r_0")
    assert np.linalg.norm(gap) == pytest.approx(0.1)


def four_bar(rod):
    m = lw.Model("four-bar")
    m.world, m.left, m.right = lw.World(), joints.Revolute(phi=0.3, w=1.0), joints.Revolute(phi=1.2)
    m.arms = [parts.BodyShape(m=1, r=[x, 0, 0], r_cm=[0.2, 0, 0], inertia=[0.1] * 3) for x in (0.5, 0.7)]
    m.wall, m.rod = parts.Fixed(r=[2, 0.3, 0]), rod
    m.chain(m.world, m.left, m.arms[0])
    m.chain(m.wall, m.right, m.arms[1])
    m.connect(m.arms[0].frame_b, m.rod.frame_a)
    m.connect(m.rod.frame_b, m.arms[1].frame_b)
    return m


@pytest.mark.parametrize("kind", [joints.SphericalSpherical, joints.UniversalSpherical])
def test_a_rod_can_take_its_length_from_the_start(kind):
    r = lw.simulate(four_bar(kind(compute_rod_length=True)), 0.3)
    assert (r["left.phi"][0], r["right.phi"][0]) == pytest.approx((0.3, 1.2), abs=1e-9)
    distance = np.linalg.norm(r["arms[0].frame_b.r_0"] - r["arms[1].frame_b.r_0"], axis=1)
    np.testing.assert_allclose(distance, r["rod.rod_length"][0], atol=1e-8)


@pytest.mark.parametrize("rod", [joints.SphericalSpherical(compute_rod_length=True),
                                 joints.UniversalSpherical(compute_rod_length=True)])
def test_no_power_stays_in_a_rod(rod):
    r = lw.simulate(four_bar(rod), 0.3)
    end = "rod.frame_a" if isinstance(rod, joints.SphericalSpherical) else "rod.universal.frame_a"
    force = np.einsum("tji,tj->ti", r[f"{end}.R.T"], r[f"{end}.f"])
    through = np.max(np.abs(np.sum(force * np.gradient(r[f"{end}.r_0"], r.t, axis=0), axis=1)))
    assert through > 0.1 and np.max(np.abs(r["rod.total_power"])) < 1e-10 * through


@pytest.mark.parametrize("assembly", [assemblies.JointUSR, assemblies.JointUSP, assemblies.JointSUR])
def test_the_direction_of_the_first_rod_of_an_assembly(assembly):
    made = assembly(r_rod1_ia=[0.3, 0, 0.4], **({"n1_b": [0, 1, 0]} if assembly is assemblies.JointSUR
                                                 else {"n1_a": [0, 1, 0]}))
    np.testing.assert_allclose(made.e_rod1_ia, [0.6, 0, 0.8])


def test_wheels_are_where_modelica_has_them_and_old_names_are_understood():
    sizes = {"m_wheel": 0.5, "track": 0.4, "der_theta1": 5.0, "der_theta2": 4.0}

    def run(wheels):
        m = lw.Model("wheels")
        m.world, m.set = lw.World(n=[0, 0, -1]), wheels
        return lw.simulate(m, 0.5)["set.x"][-1]

    now = run(parts.RollingWheelSet(R_wheel=0.1, I_wheel_axis=0.01, I_wheel_long=0.02, **sizes))
    with pytest.warns(FutureWarning, match="is called (R_wheel|I_wheel_axis|I_wheel_long) now"):
        before = parts.RollingWheelSet(radius=0.1, I_axis=0.01, I_long=0.02, **sizes)
    assert run(before) == now
    with pytest.warns(FutureWarning, match="actuated_revolute_a"):
        assert joints.GearConstraint(ratio=2.0).actuated_a.n[0] == 1


def test_a_wheel_without_mass_rolls_like_one_with_it():
    """A body on joints.RollingWheel is parts.RollingWheel."""
    start = {"x": 0.1, "y": 0.2, "angles": [0.0, 0.0, 0.1], "der_angles": [0.0, 4.0, 0.3]}
    paths = []
    for massless in (False, True):
        m = lw.Model("wheel")
        m.world = lw.World(n=[0, 0, -1])
        if massless:
            m.wheel = joints.RollingWheel(radius=0.3, **start)
            m.body = parts.Body(m=2.0, r_cm=[0, 0, 0], inertia=[0.045, 0.09, 0.045])
            m.connect(m.wheel.frame_a, m.body.frame_a)
        else:
            m.wheel = parts.RollingWheel(radius=0.3, m=2.0, I_axis=0.09, I_long=0.045, **start)
        r = lw.simulate(m, 0.5, accuracy=1e-10)
        paths.append((r["wheel.x"][-1], r["wheel.y"][-1]))
    np.testing.assert_allclose(*paths, atol=1e-8)


def test_start_values_of_a_flange_can_be_switched_off():
    def angle(**given):
        m = lw.Model("shaft")
        m.world, m.shaft = lw.World(), rotational.Inertia(J=1.0)
        m.start = rotational.InitializeFlange(phi_start=2.0, w_start=1.0, **given)
        m.connect(m.shaft.flange_a, m.start.flange)
        return lw.simulate(m, 0.1)["shaft.phi"][0]

    assert angle() == pytest.approx(2.0) and angle(use_phi_start=False) == 0.0


def test_no_power_stays_in_an_assembly_that_is_driven():
    """What a torque on its axis brings leaves it through its frames."""
    m = lw.Model("driven")
    m.world, m.crank, m.arm = lw.World(), joints.Revolute(phi=1.0, w=1.0), parts.BodyShape(
        m=1, r=[0.3, 0, 0], r_cm=[0.1, 0, 0], inertia=[0.02] * 3)
    m.wall = parts.Fixed(r=[1.0, 0, 0])
    m.pair = assemblies.JointRRR(r_rod1_ia=[0.8, 0, 0], r_rod2_ib=[0.5, 0, 0], phi_guess=1.5)
    m.motor, m.mass = rotational.Torque(tau=2.0), parts.Body(m=0.5, r_cm=[0.1, 0, 0], inertia=[0.01] * 3)
    m.chain(m.world, m.crank, m.arm)
    m.connect(m.arm.frame_b, m.pair.frame_a)
    m.connect(m.wall.frame_b, m.pair.frame_b)
    m.connect(m.pair.frame_ib, m.mass.frame_a)
    m.connect(m.motor.flange, m.pair.axis)
    r = lw.simulate(m, 0.3)
    brought = np.abs(2.0 * np.gradient(r["pair.phi"], r.t))
    assert np.max(brought) > 1 and np.max(np.abs(r["pair.total_power"])) < 1e-9 * np.max(brought)


def test_sizes_that_the_world_decides_are_read_while_building():
    """Modelica's rules: a tenth of the nominal length is a joint's, and what was given stays."""
    m = lw.Model("sizes")
    m.world = lw.World(nominal_length=2.0, default_joint_width=0.3, axis_length=0.5)
    w = m.world
    assert [w.default_joint_length, w.default_joint_width, w.default_body_diameter] == [0.2, 0.3, 2 / 9]
    assert [m.world.axis_diameter, m.world.gravity_arrow_length] == [0.5 / 40, 0.25]
    assert m.world.gravity_arrow_diameter == 0.25 / 20 and m.world.ground_length_v == 2.0
    m.body = parts.Body(m=1.0, sphere_diameter=2 * m.world.default_body_diameter)
    assert m.body.sphere_diameter == 4 / 9


@pytest.mark.parametrize("world", (lw.World, pl.World))
def test_sizes_that_nobody_gave_are_modelicas_numbers(world):
    """nominal_length 1 m and its fractions; what is drawn follows the mechanism all the same."""
    m = lw.Model("sizes")
    m.world = world()
    assert m.world.nominal_length == 1.0 and 2 * m.world.nominal_length > 1
    assert [m.world.default_n_to_m, m.world.default_nm_to_m] == [1000.0, 1000.0]
    if world is lw.World:
        assert [m.world.default_joint_length, m.world.axis_length] == [0.1, 0.5]
        m.body = parts.Body(m=1.0, sphere_diameter=2 * m.world.default_body_diameter)
        assert m.body.sphere_diameter == 2 / 9
    assert all(type(m.world).fields()[name].number(m.world) is None for name in ("nominal_length", "default_n_to_m"))
