"""Pages that need no server: viser's client with a small server inside it (`inside.js`), offline.

The client keeps its socket in a web worker, with plain objects as messages.  In the page that worker is replaced by an
object that answers with the same messages a server would send; what it shows is one of two scripts: `player.js` plays
recorded poses (`recorded_page`), `runner.js` runs the mechanism itself (`running`).
"""

from __future__ import annotations

import base64
import json
import zlib
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .animation_files import escaped
from .annotations import HIDDEN
from .controls import SWITCHES
from .motion import Animation
from .scene import Scene, camera
from .tolerances import UPRIGHT

if TYPE_CHECKING:
    import viser

HINT = "*Click a part to see its name.*"


def document(title: str, film: dict[str, object], script: str) -> str:
    """The page as text: the client, what it is shown, and who shows it."""
    packed = base64.b64encode(zlib.compress(json.dumps(film, separators=(",", ":")).encode(), 6)).decode()
    scripts = "".join(f"<script>{_script(name)}</script>" for name in ("inside.js", script))
    head = f"<title>{escaped(title)}</title><script>window.linkwrightFilm=\"{packed}\";</script>{scripts}"
    return _client().replace("<title>Viser</title>", head)


def _script(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _client() -> str:
    """viser's client, one file."""
    import viser

    return (Path(viser.__file__).parent / "client" / "build" / "index.html").read_text(encoding="utf-8")


def told(server: viser.ViserServer, seen: Animation) -> dict[str, object]:
    """The messages that build scene and panel, the one that a line is made from, and the camera on an upright phone."""
    position, look_at, _ = camera(seen, UPRIGHT)
    line = server.scene.add_line_segments("/traces/template", np.zeros((1, 2, 3), np.float32), colors=(255, 120, 0))
    line.visible = False
    server.flush()
    said = [m.as_serializable_dict() for m in server._websock_server._broadcast_buffer.message_from_id.values()]
    template = next(m for m in said if m.get("name") == "/traces/template" and "props" in m)
    return {"scene": [plain(m) for m in said], "line": plain(template),
            "upright": {"position": position.tolist(), "look_at": look_at.tolist()}}


def shown(server: viser.ViserServer, scene: Scene, gui: dict[str, str]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Switches of layers with the nodes they switch, and what a click on a node says."""
    layers = {}
    with server.gui.add_folder("Show", expand_by_default=False):
        for layer, label in SWITCHES.items():
            if layer in scene.handles:
                box = server.gui.add_checkbox(label, layer not in HIDDEN)
                layers[box._impl.uuid] = [handle.name for handle in scene.handles[layer]]
    gui["names"] = server.gui.add_markdown(HINT)._impl.uuid
    names = {}
    for shape, handle in scene.by_shape:
        if hasattr(handle, "on_click") and shape.kind not in ("label", "lines", "ground"):
            handle.on_click(lambda _event: None)  # the node becomes one that can be clicked
            names[handle.name] = f"**{shape.name}** ({shape.kind})"
    return layers, names


def plain(x: Any) -> Any:
    """A message as JSON: bytes and arrays are text."""
    if isinstance(x, (np.ndarray, memoryview)):
        array = np.ascontiguousarray(x)
        return {"$b": raw(array.tobytes()), "$t": array.dtype.str.lstrip("<|=")}
    if isinstance(x, (bytes, bytearray)):
        return {"$b": raw(bytes(x)), "$t": "u1"}
    if isinstance(x, (np.floating, np.integer, np.bool_)):
        return x.item()
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(value) for value in x]
    return x


def raw(content: bytes) -> str:
    return base64.b64encode(content).decode()


def floats(values: np.ndarray) -> str:
    return raw(np.ascontiguousarray(values, dtype=np.float32).tobytes())


def doubles(values: np.ndarray) -> str:
    return raw(np.ascontiguousarray(values, dtype=np.float64).tobytes())
