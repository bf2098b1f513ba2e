"""Contacts that can only be stepped: every route steps them, or refuses by name; none runs the model without them."""

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, parts


def boxes(*masses: float):
    """Boxes above one another over a floor: so many points that no rows are made for them."""
    m = lw.Model("boxes")
    m.world, m.floor = lw.World(n=[0, 0, -1]), contact.Plane(n=[0, 0, 1])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.box = [parts.Body(m=mass, inertia=[0.1] * 3, r_0=[0, 0, 0.26 + 0.55 * k], v_0=[0.1 * k, 0, 0])
             for k, mass in enumerate(masses)]
    m.skin = [contact.Box(size=[0.5, 0.5, 0.5]) for _ in masses]
    for body, skin in zip(m.box, m.skin, strict=True):
        m.connect(body.frame_a, skin.frame_a)
    m.contacts(law=contact.Rigid(mu=0.5))
    return m


@pytest.fixture(scope="module")
def model():
    m = boxes(1.0, 1.0, 1.0, 1.0)
    assert lw.compile(m).mechanism.events.stepped
    return m


def test_a_sweep_has_the_bits_of_simulate(model):
    masses = [1.0, 1.5]
    study = lw.sweep(model, {"box[0].m": masses}, 0.1, outputs=["box[1].r_0", "box[0].r_0"], output_step=0.05)
    for k, mass in enumerate(masses):
        r = lw.simulate(boxes(mass, 1.0, 1.0, 1.0), 0.1, output_step=0.05)
        for name in ("box[0].r_0", "box[1].r_0"):
            np.testing.assert_array_equal(study.data[name].values[k], r[name])
    assert abs(study.data["box[0].r_0"].values[:, -1, 2] - 0.25).max() < 1e-6  # on the floor


def test_steps_of_a_simulator_are_those_of_one_run():
    h = 2.0**-10  # a power of two: sums of steps are exact
    m = boxes(1.001, 1.0, 1.0, 1.0)
    r, sim = lw.simulate(m, 120 * h, fixed_step=h, output_step=h), lw.Simulator(m, h)
    for k in range(1, 121):
        np.testing.assert_array_equal(sim.step()["box[1].r_0"], r["box[1].r_0"][k])
        np.testing.assert_array_equal(sim["box[0].v_0"], r["box[0].v_0"][k])


@pytest.mark.parametrize("suffix", [".fmu", ".c", ".html"])
def test_files_without_contact_are_refused(model, suffix, tmp_path):
    with pytest.raises(lw.ModelError, match="they can only be stepped"):
        lw.export(model, tmp_path / f"boxes{suffix}", **({"sliders": ["box[0].m"]} if suffix == ".html" else {}))
    assert not (tmp_path / f"boxes{suffix}").exists()


def test_derivatives_and_plans_are_refused(model):
    for study in (lambda: lw.simulate(model, 0.1, sensitivities=["box[0].m"]),
                  lambda: lw.gradient(model, lw.final("box[0].r_0[2]"), 0.1, ["box[0].m"])):
        with pytest.raises(lw.ModelError, match=r"floor/skin\[0\].*no derivative.*contact\.Pair"):
            study()
    with pytest.raises(lw.ModelError, match="smooth models.*floor/skin"):
        lw.control(model, {}, minimize=lw.final("box[0].r_0[2]"), time=0.1)


def test_a_linear_model_says_what_it_leaves_out(model):
    with pytest.warns(UserWarning, match=r"boxes: .*touch, which the linear model leaves out"):
        lw.linearize(model, lw.simulate(model, 0.4).end)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lw.linearize(model)  # above the floor
