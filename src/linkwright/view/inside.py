"""A saved page is the live page with a small server inside it (`inside.js`): scene, panel and player, offline.

viser's client keeps its socket in a web worker, with plain objects as messages.  In the page that worker is replaced by
an object that answers with the same messages a server would send, and plays recorded poses, all of one instant at once.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import numpy as np

from .controls import SPEEDS, SWITCHES
from .files import escaped
from .motion import Animation
from .plotted import COLOURS, curves, limits
from .scene import Scene, quiet_server, stop_server

HINT = "*Click a part to see its name.*"


def page(animation: Animation, result=None, plots: Sequence[str] = ()) -> str:
    """The page as text."""
    server = quiet_server()
    try:
        film = _film(server, animation, result, plots)
    finally:
        stop_server(server)
    packed = base64.b64encode(zlib.compress(json.dumps(film, separators=(",", ":")).encode(), 6)).decode()
    script = resources.files(__package__).joinpath("inside.js").read_text(encoding="utf-8")
    head = (f"<title>{escaped(animation.title)}</title><script>window.linkwrightFilm=\"{packed}\";</script>"
            f"<script>{script}</script>")
    return _client().replace("<title>Viser</title>", head)


def _client() -> str:
    """viser's client, one file."""
    import viser

    return (Path(viser.__file__).parent / "client" / "build" / "index.html").read_text(encoding="utf-8")


def _film(server, animation: Animation, result, plots: Sequence[str]) -> dict[str, object]:
    """Everything the page needs: the messages that build the scene and the panel, the poses, who is who."""
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    scene = Scene(server, animation, aspect=0.9, shift=0.2)
    moving = len(animation.t) > 1
    gui, points = _panel(server, animation, scene) if moving else ({}, {})
    layers, names = _shown(server, scene, gui)
    line = server.scene.add_line_segments("/traces/template", np.zeros((1, 2, 3), np.float32), colors=(255, 120, 0))
    line.visible = False
    drawn, times = _plots(server, result, plots)
    server.flush()
    said = [m.as_serializable_dict() for m in server._websock_server._broadcast_buffer.message_from_id.values()]
    template = next(m for m in said if m.get("name") == "/traces/template" and "props" in m)
    return {"scene": [_plain(m) for m in said], "t": _floats(animation.t), "movers": scene.recorded(_floats, _bytes),
            "gui": gui, "points": points, "layers": layers, "names": names, "line": _plain(template), "plots": drawn,
            "plotTimes": times}


def _panel(server, animation: Animation, scene: Scene) -> tuple[dict[str, str], dict[str, dict]]:
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


def _shown(server, scene: Scene, gui: dict[str, str]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Switches of layers with the nodes they switch, and what a click on a node says."""
    layers = {}
    with server.gui.add_folder("Show"):
        for layer, label in SWITCHES.items():
            if layer in scene.handles:
                box = server.gui.add_checkbox(label, True)
                layers[box._impl.uuid] = [handle.name for handle in scene.handles[layer]]
    gui["names"] = server.gui.add_markdown(HINT)._impl.uuid
    names = {}
    for shape, handle in scene.by_shape:
        if hasattr(handle, "on_click") and shape.kind not in ("label", "lines"):
            handle.on_click(lambda _event: None)  # the node becomes one that can be clicked
            names[handle.name] = f"**{shape.name}** ({shape.kind})"
    return layers, names


def _plots(server, result, plots: Sequence[str]) -> tuple[list[dict], str | None]:
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
                                      aspect=1.6 if len(bands) == 1 else 2.2,
                                      scales={"x": uplot.Scale(time=False), "y": uplot.Scale(range=(low, high))})
        out.append({"uuid": handle._impl.uuid, "low": low, "high": high,
                    "curves": [_floats(values) for _, values in lines]})
    return out, _floats(t)


def _plain(x):
    """A message as JSON: bytes and arrays are text."""
    if isinstance(x, (np.ndarray, memoryview)):
        array = np.ascontiguousarray(x)
        return {"$b": _bytes(array.tobytes()), "$t": array.dtype.str.lstrip("<|=")}
    if isinstance(x, (bytes, bytearray)):
        return {"$b": _bytes(bytes(x)), "$t": "u1"}
    if isinstance(x, (np.floating, np.integer, np.bool_)):
        return x.item()
    if isinstance(x, dict):
        return {key: _plain(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [_plain(value) for value in x]
    return x


def _bytes(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _floats(values: np.ndarray) -> str:
    return _bytes(np.ascontiguousarray(values, dtype=np.float32).tobytes())

