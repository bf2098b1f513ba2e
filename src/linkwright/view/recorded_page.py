"""A saved page plays recorded poses: the live page's scene and panel, all poses of one instant at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .controls import SPEEDS
from .inside import document, floats, raw, shown, told
from .motion import Animation
from .plotted import AXES, COLOURS, curves, limits
from .scene import Scene, quiet_server, stop_server

if TYPE_CHECKING:
    import viser

    from ..result import Result


def page(animation: Animation, result: Result | None = None, plots: Sequence[str] = ()) -> str:
    """The page as text."""
    server = quiet_server()
    try:
        return document(animation.title, _film(server, animation, result, plots), "player.js")
    finally:
        stop_server(server)


def _film(server: viser.ViserServer, animation: Animation, result: Result | None, plots: Sequence[str]) -> dict[str,
          object]:
    """Everything the page needs: the messages that build the scene and the panel, the poses, who is who."""
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    server.gui.set_panel_label(animation.title)
    scene = Scene(server, animation, aspect=0.9, shift=0.2)
    moving = len(animation.t) > 1
    gui, points = _panel(server, animation, scene) if moving else ({}, {})
    layers, names = shown(server, scene, gui)
    drawn, times = _plots(server, result, plots)
    return {**told(server, animation), "t": floats(animation.t), "movers": scene.recorded(floats, raw), "gui": gui,
            "points": points, "layers": layers, "names": names, "letters": scene.lettering(), "plots": drawn,
            "plotTimes": times}


def _panel(server: viser.ViserServer, animation: Animation, scene: Scene) -> tuple[dict[str, str], dict[str, dict]]:
    """The player's widgets, and the points the camera can follow, by the names in their lists."""
    t, gui = animation.t, server.gui
    bodies = {frame.rsplit(".", 1)[0]: (body, p) for frame, (body, p, _) in animation.frames.items() if body >= 0}
    places = {number: k for k, number in enumerate(scene.moving_bodies())}
    points = {label: {"mover": places[body], "p": np.asarray(p, dtype=float).tolist()}
              for label, (body, p) in bodies.items() if body in places}
    widgets = {"button": gui.add_button("Pause"),
               "slider": gui.add_slider("Time / s", float(t[0]), float(t[-1]), float(t[-1] - t[0]) / 1000, float(t[0])),
               "speed": gui.add_dropdown("Speed", SPEEDS, initial_value="1x")}
    if points:
        widgets["follow"] = gui.add_dropdown("Camera follows", ("nothing", *points), initial_value="nothing")
        widgets["trace"] = gui.add_dropdown("Trace of", ("nothing", *points), initial_value="nothing")
    return {name: handle._impl.uuid for name, handle in widgets.items()}, points


def _plots(server: viser.ViserServer, result: Result | None, plots: Sequence[str]) -> tuple[list[dict], str | None]:
    """Plots in the panel, a band for each unit, with a line at the present time."""
    if not plots or result is None:
        return [], None
    from viser import uplot

    t, bands = curves(result, plots)
    out, colour = [], 0
    for unit, lines in bands.items():
        low, high = limits(lines)
        series = [uplot.Series(label="t")]
        for label, _ in lines:
            series.append(uplot.Series(label=f"{label} / {unit}" if unit else label, width=2,
                                       stroke=COLOURS[colour % len(COLOURS)]))
            colour += 1
        series.append(uplot.Series(label="now", stroke="#dd0000", width=1))
        now = np.full(len(t), low - 1000 * (high - low))
        handle = server.gui.add_uplot(data=(t, *(values for _, values in lines), now), series=tuple(series),
                                      aspect=1.6 if len(bands) == 1 else 2.2, axes=AXES,
                                      scales={"x": uplot.Scale(time=False), "y": uplot.Scale(range=(low, high))})
        out.append({"uuid": handle._impl.uuid, "low": low, "high": high,
                    "curves": [floats(values) for _, values in lines]})
    return out, floats(t)
