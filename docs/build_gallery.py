"""Write the gallery (docs/gallery.md) with a picture of every example; with --pages, the pages that play them.

    python docs/build_gallery.py [--pages] [NAME …]        only these are drawn anew
"""

from __future__ import annotations

import ast
import html
import math
import os
import re
import runpy
import sys
from pathlib import Path

import numpy as np
from PIL import Image

import linkwright as lw
from linkwright.view.picture import film_palette

DOCS = Path(__file__).parent
EXAMPLES = DOCS.parent / "examples"
FILM, SECONDS, FRAMES = (360, 240), 4.0, 48  # films of the gallery: pixels, length, pictures
#: example → (seconds to simulate, instant of the picture, options of the picture); plots where there is nothing to see
SHOWN = {
    "alanine_dipeptide": (3.0, 0.0, {"own": ""}),
    "arm_identification": (2.0, None, {"own": ""}),
    "arm_with_a_mesh": (0.8, 0.3, {}),
    "balanced_cart_pole": (6.0, None, {"own": ""}),
    "body_from_a_sid_file": (1.5, 0.3, {}),
    "belt_drive": (0.6, 0.3, {}),
    "bouncing_ball": (3.0, 1.5, {"traces": ["ball"]}),
    "bow": (0.34, 0.2, {}),
    "box_on_a_slope": (1.2, 0.8, {}),
    "bricard": (10.0, 0.4, {}),
    "butane": (5.0, 0.0, {}),
    "bump": (2.0, None, {"own": ""}),
    "cable_finger": (1.0, 0.45, {}),
    "cam_drive": (1.0, 0.2, {}),
    "car_drive_line": (2.3, 1.9, {}),
    "cart_pole": (5.0, 0.6, {}),
    "cart_pole_learning": (1.0, 0.5, {}),
    "diving_board": (1.2, 0.68, {}),
    "dominoes": (0.6, 0.46, {}),
    "double_pendulum_map": (3.0, 0.0, {"own": "--points 80"}),
    "engine_v6": (1.01, 0.1, {}),
    "flexible_slider_crank": (0.08, 0.0054, {}),
    "four_bar_synthesis": (1.0, None, {"own": ""}),
    "four_bar_tolerances": (1e-3, 0.0, {}),
    "free_body": (10.0, 1.2, {}),
    "gear_pair": (0.08, 0.03, {}),
    "gripper": (2.5, 1.2, {}),
    "hot_brake": (300.0, None, {"plot": ("discs.T", "car.v", "brake.loss_power")}),
    "landing": (4.0, 1.5, {"own": ""}),
    "leg_from_markers": (1.5, 0.4, {}),
    "line_force_with_mass": (3.0, 0.1, {}),
    "macpherson": (4.0, 0.55, {}),
    "one_axis_drive": (1.6, None, {"plot": ("load.w", "motor.flange.tau")}),
    "pendulum": (5.0, 0.4, {"traces": ["body"]}),
    "pendulum_against_a_stop": (10.0, 0.417, {}),
    "pendulum_as_fmu": (3.0, 0.4, {}),
    "planar_crane_crab": (10.0, 0.5, {}),
    "planar_damped_crane_crab": (10.0, 0.4, {"traces": ["load"]}),
    "pool_break": (0.6, 0.45, {}),
    "planar_double_pendulum": (3.0, 2.4, {"traces": ["body2"]}),
    "point_gravity": (5.0, 0.5, {}),
    "quadruped": (2.0, 1.62, {}),
    "robot_from_urdf": (5.0, 1.0, {"traces": ["fore"]}),
    "rattleback": (5.0, 1.0, {}),
    "robot_r3": (4.0, 0.0, {"traces": ["load"]}),
    "rolling_pendulum": (20.0, 0.6, {}),
    "rotor_blade": (1.0, 0.25, {}),
    "six_axis_arm": (3.0, 1.0, {}),
    "stewart_platform": (2 * math.pi, 0.8, {"traces": ["platform"]}),
    "stick_slip": (5.0, None, {"plot": ("block.s", "block.v", "friction.f")}),
    "strandbeest": (math.pi, 0.5, {"traces": ["pair[0].left.lower.bar2.frame_b", "pair[0].right.lower.bar2.frame_b"]}),
    "swaying_crane": (9.0, 4.5, {}),
    "swing_up": (3.0, None, {"own": ""}),
    "three_springs": (10.0, 0.3, {}),
    "tippe_top": (2.0, 1.0, {}),
    "trolley": (2.0, 1.2, {}),
    "tuning_fork": (0.02, 0.0006, {}),
    "walker": (0.5, None, {"own": ""}),
    "woodpecker": (0.4, 0.2125, {}),
}
#: examples in which nothing moves: they have a picture, and neither a film nor a page that plays
STILL = {"four_bar_tolerances"}
#: examples that are shown as pages that run, with what is given to lw.export
RUNNING = {
    "cart_pole": {"sliders": {"wind": (-2, 2)}, "plots": ["rev.phi", "rail.s"]},
    "engine_v6": {"plots": ["load.w"]},
    "pendulum": {"sliders": ["body.m"], "plots": ["rev.phi"]},
    "planar_double_pendulum": {},
    "strandbeest": {},
    "three_springs": {},
}


#: groups after the mechanisms, which are all the others
GROUPS = {
    "Bodies that bend": ("arm_with_a_mesh", "body_from_a_sid_file", "diving_board", "flexible_slider_crank",
                         "rotor_blade", "swaying_crane", "tuning_fork"),
    "Contact, friction, events": ("bouncing_ball", "box_on_a_slope", "bump", "dominoes", "gear_pair", "gripper",
                                  "hot_brake", "pendulum_against_a_stop", "pool_break", "rattleback", "stick_slip",
                                  "tippe_top", "trolley", "woodpecker"),
    "Control, design, data": ("arm_identification", "balanced_cart_pole", "cart_pole", "cart_pole_learning",
                              "double_pendulum_map", "four_bar_synthesis", "four_bar_tolerances", "landing",
                              "one_axis_drive", "pendulum_as_fmu", "robot_from_urdf", "swing_up", "walker"),
    "Molecules": ("alanine_dipeptide", "butane"),
}


def main(pages: bool, names: list[str]) -> None:
    (DOCS / ("animations" if pages else "pictures")).mkdir(exist_ok=True)
    for path in sorted(EXAMPLES.glob("*.py")):
        if not names or path.stem in names:
            draw(path, path.stem, pages)
    if not names and not pages:
        draw_home()
    if not pages:
        (DOCS / "gallery.md").write_text(gallery(), encoding="utf-8")


def gallery() -> str:
    """The page: a grid of cards, mechanisms first; where a film was made, a card moves when it is pointed at."""
    listed = [name for names in GROUPS.values() for name in names]
    others = [path.stem for path in sorted(EXAMPLES.glob("*.py")) if path.stem not in listed]
    text = ["# Gallery\n", "`linkwright examples NAME` runs an example; without a name it lists them. Point at a "
            "picture to see it move.\n"]
    for title, names in {"Mechanisms": others, **GROUPS}.items():
        text += [f"## {title}\n", '<div class="gallery">', *[card(name) for name in names], "</div>\n"]
    text += ["## The live viewer\n",
             "`r.animate(plots=[…])`: play, time, speed, what is shown, plots with a cursor.\n",
             "![live viewer](pictures/live_viewer.png)\n", "## A page that runs\n",
             "`lw.export(m, 'x.html', sliders=[…])`: the mechanism itself, offline; see [Robots in, models out]"
             "(formats.md#pages-that-run).\n", "## A saved page\n",
             "`r.save('x.html', plots=[…])`: complete in itself, offline.\n",
             "![saved page](pictures/page_with_plots.png)\n", "## A diagram\n",
             "`m.diagram()` of the planar kinematic loop: the joint in yellow closes the loop.\n",
             "![diagram](pictures/diagram.svg)\n"]
    return "\n".join(text)


def card(name: str) -> str:
    """An example: its picture, its name, the first sentence of its description, where it plays and runs."""
    said = ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))) or ""
    first = html.escape(re.split(r"(?<=[.])\s", said.strip(), maxsplit=1)[0])
    plays = name not in STILL and not {"plot", "own"} & set(SHOWN.get(name, (0, 0, {}))[2])
    film = f'<span class="film" style="background-image: url(animations/{name}.gif)"></span>' if plays else ""
    links = [f"<code>examples/{name}.py</code>"]
    links += [f'<a href="animations/{name}.html">play it</a>'] if plays else []
    links += [f'<a href="animations/{name}_runs.html">run it</a>'] if name in RUNNING else []
    return (f'<figure><span class="view"><img src="pictures/{name}.png" alt="{name}" loading="lazy">{film}</span>\n'
            f"<figcaption><b>{name.replace('_', ' ')}</b> {first}<br>{' · '.join(links)}</figcaption></figure>")


def draw(path: Path, name: str, pages: bool) -> None:
    """The picture of an example, or the page that plays it."""
    model = next(v for v in runpy.run_path(str(path)).values() if isinstance(v, lw.Model))
    stop, instant, options = SHOWN.get(name, (10.0, 0.8, {}))
    if "own" in options:
        if not pages:
            draw_own(path, options["own"])
            shrink(DOCS / "pictures" / f"{name}.png")
        return
    result = lw.simulate(model, stop)
    if name == "planar_kinematic_loop":
        model.diagram().save(DOCS / "pictures" / "diagram.svg")
    picture = DOCS / "pictures" / f"{name}.png"
    if pages:
        if name not in STILL and "plot" not in options:
            result.save(DOCS / "animations" / f"{name}.html", **options)
            film(model, DOCS / "animations" / f"{name}.gif", min(stop, SECONDS), options)
        if name in RUNNING:
            lw.export(model, DOCS / "animations" / f"{name}_runs.html", **RUNNING[name])
    elif "plot" in options:
        result.plot(*options["plot"]).savefig(picture, dpi=80)
    else:
        result.save(picture, t=instant, size=(720, 480), **options)
        shrink(picture)


def film(model: lw.Model, file: Path, stop: float, options: dict) -> None:
    """A small film of the first seconds; what is shorter is shown slower."""
    lw.simulate(model, stop).save(file, fps=FRAMES / stop, size=FILM, **options)
    with Image.open(file) as moving:
        frames = [moving.seek(k) or moving.copy() for k in range(moving.n_frames)]
    frames[0].save(file, save_all=True, append_images=frames[1:], duration=1000 * SECONDS / FRAMES, loop=0)


def shrink(picture: Path) -> None:
    """A palette of 256 colours: half of the bytes, and nobody sees it."""
    drawn = Image.open(picture).convert("RGB")
    drawn.quantize(palette=film_palette([np.asarray(drawn)]), dither=Image.Dither.NONE).save(picture, optimize=True)


def draw_home() -> None:
    """The moving picture of the home page, by the code that stands below it."""
    code = (DOCS / "index.md").read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    names: dict = {}
    exec("\n".join(line for line in code.splitlines() if not line.startswith(("r.save", "r.plot"))), names)
    names["r"].save(DOCS / "pictures" / "home.gif", fps=12, size=(420, 280))


def draw_own(path: Path, arguments: str) -> None:
    """The picture that an example draws itself."""
    sys.argv[1:], before, where = arguments.split(), sys.argv[1:], Path.cwd()
    try:
        os.chdir(DOCS / "pictures")
        runpy.run_path(str(path), run_name="__main__")
    finally:
        os.chdir(where)
        sys.argv[1:] = before


if __name__ == "__main__":
    main("--pages" in sys.argv, [name for name in sys.argv[1:] if not name.startswith("-")])
