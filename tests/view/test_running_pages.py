"""Pages that run a mechanism: the bits of a simulation in a headless browser, sliders, pulling, refusals by name."""

import contextlib
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from browser import headless, open_page, wait_until
from view_models import chain, fourbar, hanging_spring, pendulum

import linkwright as lw
from linkwright import contact, flexible, joints, parts, rotational
from linkwright.view.animation_files import result_animation

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def browser():
    with headless() as found:
        yield found


def end_of(model, stop, **options):
    """The state that a simulation ends in."""
    r = lw.simulate(model, stop, **options)
    return np.concatenate([r.end.q, r.end.u, r.end.z]).tolist()


def test_a_controlled_cart_pole_runs_in_a_page_with_the_bits_of_a_simulation(browser, tmp_path):
    model = runpy.run_path(str(EXAMPLES / "cart_pole.py"))["model"]
    path = tmp_path / "cart.html"
    assert lw.export(model, path, sliders={"wind": (-2, 2)}, plots=["rev.phi", "pole.frame_b.r_0[0]"]) == []
    with open_page(browser, path.as_uri(), (900, 700), scale=0.3) as (page, errors):
        assert wait_until(page, lambda: page.evaluate("!!window.linkwright"))
        run = page.evaluate("(() => {const t = performance.now(); const r = linkwright.runTo(10);"
                            " return {...r, seconds: (performance.now() - t) / 1000}})()")
        assert run["done"] and run["state"] == end_of(model, 10.0)
        assert run["seconds"] < 10.0
        # it runs by itself, curves grow, what is shown is where the simulation is
        assert wait_until(page, lambda: page.evaluate("linkwright.time") > 0.3)
        page.evaluate("linkwright.playing = false")
        shown = page.evaluate("[linkwright.time, linkwright.plotTimes.at(-1),"
                              " ...linkwright.curves.map((c) => c[0].at(-1))]")
        r = lw.simulate(model, shown[0] + 0.5).at(shown[0])
        assert shown[0] == shown[1] > 0.3
        np.testing.assert_allclose(shown[2:], [r["rev.phi"], r["pole.frame_b.r_0"][0]], atol=1e-6)
        # a slider changes the motion as an input does
        place = page.evaluate("Object.values(linkwright.run.sliders)")
        assert len(place) == 1
        page.evaluate(f"(linkwright.reset(), linkwright.set({place[0]}, 1.5))")
        assert page.evaluate("linkwright.runTo(2).state") == end_of(model, 2.0, inputs={"wind": 1.5})
        text = page.locator("body").inner_text()
        for label in ("wind", "Pause", "Reset", "Speed", "rev.phi / rad", "Camera follows", "Trace of", "Click a part"):
            assert label in text
        assert errors == []


@contextlib.contextmanager
def without_picture(browser, path):
    """The scripts of a page without its client: it runs, and nothing is drawn."""
    html = path.read_text(encoding="utf-8")
    film, *scripts = re.findall(r"<script>(.*?)</script>", html[: html.index("</head>")], flags=re.S)[:3]
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda e: errors.append(str(e)))
    try:
        for script in (film, *scripts):
            page.add_script_tag(content=script)
        page.evaluate("""async () => {
            const tools = window.linkwrightTools, film = await tools.unpacked(window.linkwrightFilm);
            (await tools.begin(film, () => {})).show(); }""")
        yield page
        assert errors == []
    finally:
        page.close()


PULLED = """({body, step, pulled}) => {
    const show = linkwright, [first, count] = show.run.forces, place = first - 1 - show.run.n;
    show.reset();
    show.pull = {body: (body + show.bodies.length) % show.bodies.length, p: [0, 0, 0]};
    const aim = show.pull.target = show.held().map((x, j) => x + step[j]);
    const pull = show.pull;
    if (!pulled) show.pull = null;
    show.go(show.time + 1, Infinity); // a second without a picture
    show.look();
    show.pull = pull;
    const far = Math.hypot(...show.held().map((x, j) => x - aim[j]));
    show.letGo();
    return {far, status: show.stepper.status, left: Array.from(show.stepper.given.slice(place, place + count))}; }"""


@pytest.mark.parametrize("model, body, step", [
    (lambda: chain(4), -1, [-0.2, 0.1, 0.0]), (fourbar, 1, [0.0, 0.02, 0.0]),
])
def test_a_part_that_is_pulled_follows_the_mouse(browser, model, body, step, tmp_path):
    """Through a chain and through a loop, the force that does it is gone afterwards."""
    path = tmp_path / "pulled.html"
    lw.export(model(), path)
    with without_picture(browser, path) as page:
        free, held = (page.evaluate(PULLED, {"body": body, "step": step, "pulled": pulled}) for pulled in (False, True))
        assert held["status"] == 0 and not any(held["left"])
        assert held["far"] < 0.1 < free["far"]


def test_the_part_under_the_mouse_is_found(browser, tmp_path):
    path = tmp_path / "pendulum.html"
    lw.export(pendulum(), path)
    with without_picture(browser, path) as page:
        # a ray from above through the ball at (cos 1, sin 1)/2, and one beside it
        hit = page.evaluate("linkwright.pick({origin: [0.5 * Math.cos(1), 5, 0], direction: [0, -1, 0]})")
        assert "body" in hit["name"] and 4.0 < hit["distance"] < 5.0
        assert page.evaluate("linkwright.pick({origin: [3, 5, 0], direction: [0, -1, 0]})") is None


def example(name):
    return lambda: next(value for value in runpy.run_path(str(EXAMPLES / f"{name}.py")).values()
                        if isinstance(value, lw.Model))


def thrown():
    """A ball that an action throws back, again and again."""
    m = lw.Model("ball")
    m.world, m.rail, m.ball = lw.World(), joints.Prismatic(n=[0, 1, 0], s=1.0), parts.Body(m=1)
    m.chain(m.world, m.rail, m.ball)
    m.when(m.rail.s < 0, {m.rail.v: -0.9 * m.rail.v})
    return m


def rubbing():
    """A pendulum between stops, and one that friction brings to rest."""
    m = pendulum()
    m.rev2 = joints.Revolute(phi=0.5, phi_min=-2.0, phi_max=0.8, restitution=0.6, friction=lw.Coulomb(tau=0.1))
    m.b2 = parts.Body(m=1, r_cm=[0.1, 0, 0])
    m.chain(m.world, m.rev2, m.b2)
    return m


def over_a_bump():
    """A torque from a bump that a point passes."""
    m = pendulum()
    x = 20 * m.rev.phi
    height = lw.where((x > 0) & (x < 1), 0.5 - 0.5 * lw.cos(2 * np.pi * x), 0)
    m.push = rotational.Torque(tau=lw.where(height - 0.1 > 0, height - 0.1, 0))
    m.connect(m.rev.axis, m.push.flange)
    return m


def bouncing():
    """A ball with spin that bounces on a floor, slides and rolls."""
    m = lw.Model("bouncing ball")
    m.world, m.floor, m.skin = lw.World(), contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.1)
    m.ball = parts.Body(m=1, inertia=[4e-3] * 3, r_0=[0, 0.3, 0], v_0=[1.0, 0, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.ball.frame_a, m.skin.frame_a)
    m.touch = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.5, mu=0.3))
    return m


def locked():
    """A pendulum that a lock catches in its swing and lets go."""
    m = pendulum()
    m.lock(m.rev, when=lw.logical_and(lw.time > 0.2, lw.time < 0.5))
    return m


def bending():
    """A beam on a hinge, softer or stiffer by a slider."""
    m = lw.Model("beam on a hinge")
    m.world, m.rev = lw.World(), joints.Revolute(phi=0.4)
    m.beam = flexible.Beam(length=0.8, section=flexible.Circle(diameter=0.004), material=flexible.Aluminium,
                           strains="planar", elements=1, degree=1, damping=1e-4)
    m.chain(m.world, m.rev, m.beam)
    return m


@pytest.mark.parametrize("model, slider, stop, options", [
    (hanging_spring, "spring.c", 1.0, {"method": "rk4", "h": 1e-3}), (fourbar, None, 1.0, {}),
    (lambda: chain(6), None, 1.0, {}), (example("engine_v6"), None, 10.0, {}), (thrown, None, 2.0, {}),
    (rubbing, None, 4.0, {}), (over_a_bump, None, 2.0, {}), (bouncing, None, 1.0, {}),
    (locked, None, 1.0, {}), (bending, "beam.E", 1.0, {}),
])
def test_runs_in_a_page_have_the_bits_of_simulations(browser, model, slider, stop, options, tmp_path):
    """With fixed steps, through loops, in trees, through thousands of events; a parameter with a slider is an input."""
    model, path = model(), tmp_path / "run.html"
    lw.export(model, path, sliders=[slider] if slider else None, **options)
    with without_picture(browser, path) as page:
        run = page.evaluate(f"(() => {{const t = performance.now(); const r = linkwright.runTo({stop});"
                            " return {...r, seconds: (performance.now() - t) / 1000}})()")
        assert run["done"] and run["seconds"] < stop
        assert run["state"] == end_of(lw.compile(model, tunable=[slider] if slider else None), stop, **options)


def coloured_board():
    """A block that swings, coloured by its stress."""
    m = lw.Model("board on a hinge")
    m.world, m.rev = lw.World(), joints.Revolute(phi=0.4)
    m.board = flexible.Block([0.5, 0.02, 0.05], flexible.Rubber, interfaces={"root": "x-", "far": "x+"}, modes=1,
                             divisions=[4, 1, 1], color_by="stress", zeta=0.1)
    m.chain(m.world, m.rev)
    m.connect(m.rev.frame_b, m.board.root)
    return m


def coloured_beam():
    m = bending()
    m.beam.color_by = "displacement"
    return m


@pytest.mark.parametrize("make", [bending, coloured_beam, coloured_board])
def test_parts_bend_in_a_page_as_in_pictures(browser, make, tmp_path):
    """Vertices and colours that the page shows, beside those of a film at the same instant."""
    model, path = make(), tmp_path / "run.html"
    assert lw.export(model, path) == []
    with without_picture(browser, path) as page:
        page.evaluate("linkwright.go(0.25, Infinity)")
        shown = page.evaluate("""(() => {
            for (const { patches } of linkwright.bent) for (const patch of patches) patch.shown = null;
            let said = []; linkwright.send = (batch) => { said = batch; }; linkwright.show();
            return said.filter((m) => m.updates && m.updates.vertices)
                .map((m) => [Array.from(m.updates.vertices), m.updates.color || null, linkwright.time]); })()""")
    film = result_animation(lw.simulate(model, 0.25), times=[0.0, 0.25])
    bent = [item for item in film.items if item.vertices is not None]
    assert len(shown) == len(bent) and len(bent) == (1 if make is bending else len(bent)) > 0
    for (vertices, color, t), item in zip(shown, bent, strict=True):
        assert t == 0.25
        moved = np.abs(item.vertices[1] - item.vertices[0]).max()
        np.testing.assert_allclose(np.reshape(vertices, (-1, 3)), item.vertices[1], atol=1e-4 * max(moved, 1e-3))
        assert (color is None) == (make is bending)
    if make is not bending:
        assert len({tuple(color) for _, color, _ in shown}) > 4


def test_a_page_begins_where_a_simulation_begins(browser, tmp_path):
    """Loops beside events are closed to rounding by the first step, and are shown so before it is made."""
    m, path = runpy.run_path(str(EXAMPLES / "fourbar.py"))["model"], tmp_path / "run.html"
    names = ["rev3.phi", "rev4.phi"]
    m.terminate(m.rev1.phi > 100, "far")
    lw.export(m, path, plots=names)
    with without_picture(browser, path) as page:
        shown = page.evaluate("(linkwright.playing = false, linkwright.reset(),"
                              " [linkwright.plotTimes[0], ...linkwright.curves.flat().map((c) => c[0])])")
    r = lw.simulate(m, 0.1)
    assert shown == [0.0, *(float(r[name][0]) for name in names)]


def commanded():
    m = pendulum()
    m.motor = rotational.Torque(tau=m.input("torque"))
    m.connect(m.rev.axis, m.motor.flange)

    @m.every(0.01)
    def balance(t, y):
        return {"torque": -y["rev.phi"]}

    return m


@pytest.mark.parametrize("model, said", [
    (commanded, ("balance", "Python", "formula")),
])
def test_what_a_page_cannot_run_is_refused_by_name(model, said, tmp_path):
    with pytest.raises(lw.ModelError) as error:
        lw.export(model(), tmp_path / "x.html")
    for word in said:
        assert word in str(error.value)
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize("sliders, said", [
    (["body.mass"], "body.m"), ({"body.m": (3, 1)}, "lowest"), ({"body.m": (-1, 1)}, "body.m"), ([3], "names"),
])
def test_sliders_that_do_not_fit_are_refused(sliders, said, tmp_path):
    with pytest.raises(lw.ModelError, match=said):
        lw.export(pendulum(), tmp_path / "x.html", sliders=sliders)


def test_points_that_no_body_carries_are_shown_and_cannot_be_pulled(browser, tmp_path):
    """Springs that meet in a point without mass."""
    path = tmp_path / "springs.html"
    lw.export(example("three_springs")(), path)
    with without_picture(browser, path) as page:
        assert page.evaluate("linkwright.runTo(0.2).done")
        assert page.evaluate("linkwright.run.parts.every((part) => !part.name.includes('spring1'))")


SENT = """(place, value) => {
    const show = linkwright, send = show.send, last = {};
    show.playing = false;
    show.send = (batch) => { for (const b of batch) last[b.name] = {...last[b.name], ...b, ...b.updates}; };
    if (place !== null) show.set(place, value);
    show.show();
    show.send = send;
    return last; }"""


def test_drawings_follow_sliders_of_lengths(browser, tmp_path):
    """A rod that becomes twice as long is drawn so, keeps its thickness, and what hangs on it moves along."""
    m = lw.Model("rod")
    m.world, m.rev, m.rev2 = lw.World(), joints.Revolute(phi=0.0), joints.Revolute()
    m.rod, m.tip = parts.BodyCylinder(r=[0.5, 0, 0], diameter=0.05), parts.BodyBox(r=[0.2, 0, 0], width=0.1)
    m.chain(m.world, m.rev, m.rod, m.rev2, m.tip)
    path = tmp_path / "rod.html"
    assert lw.export(m, path, sliders={"rod.r": (0.2, 1.0), "rod.diameter": (0.01, 0.2)}) == []
    with without_picture(browser, path) as page:
        places = page.evaluate("Object.values(linkwright.run.sliders)")
        name = page.evaluate("linkwright.run.resized.map((r) => r.name).find((name) => name.endsWith('rod.cylinder'))")
        assert name
        long = page.evaluate(f"([p, v]) => ({SENT})(p, v)", [places[0], 1.0])
        np.testing.assert_allclose(long[name]["scale"], [1.0, 0.05, 0.05], atol=1e-12)
        tip = next(long[key] for key in long if "tip" in key and "position" in long[key])
        np.testing.assert_allclose(tip["position"], [1.0, 0, 0], atol=1e-9)
        thick = page.evaluate(f"([p, v]) => ({SENT})(p, v)", [places[3], 0.1])
        np.testing.assert_allclose(thick[name]["scale"], [1.0, 0.1, 0.1], atol=1e-12)


def test_colours_follow_a_field_and_functions_in_python_are_named(browser, tmp_path):
    m = pendulum()
    m.pipe = lw.visualizers.PipeWithScalarField(T=[m.rev.phi, 0.0], T_min=0.0, T_max=2.0, length=0.5, n_length=2)
    m.connect(m.body.frame_a, m.pipe.frame_a)
    m.sheet = lw.visualizers.Surface(function=lambda u, v, t: (u, v, 0.1 * np.sin(t) * u))
    m.connect(m.world.frame_b, m.sheet.frame_a)
    path = tmp_path / "painted.html"
    with pytest.warns(UserWarning, match="does not hold sheet"):
        assert lw.export(m, path) == ["sheet"]
    with without_picture(browser, path) as page:
        shown = [page.evaluate("linkwright.run.painted[0].shown")]
        page.evaluate("(linkwright.playing = false, linkwright.go(0.3, Infinity), linkwright.show())")
        shown.append(page.evaluate("linkwright.run.painted[0].shown"))
        table = page.evaluate("linkwright.run.painted[0].colours")
    # the first of two rings lies at a quarter of the pipe: 0.75 φ of the range 0 … 2
    for colour, phi in zip(shown, lw.simulate(m, 0.3, step=0.3)["rev.phi"], strict=True):
        assert colour == table[int(0.75 * phi / 2 * 63)]
    assert shown[0] != shown[1]
