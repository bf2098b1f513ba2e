"""The live viewer: a page on this machine that plays a result, with controls; and models before any simulation."""

from __future__ import annotations

import os
import sys
import threading
import time
import webbrowser
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from .animation_files import body_frames, result_animation, up_direction
from .default_shapes import model_shapes, world_of
from .ground import stand
from .motion import Animation, animation_of
from .recorded_page import page
from .scene import Scene, quiet_server, stop_server
from .tolerances import LATE, LEAST_WAIT, TIME_ROUNDING, UPDATES_PER_SECOND

if TYPE_CHECKING:
    import viser

    from ..language import Model
    from ..result import Result


class Viewer:
    """A running page: `address`, `play()`, `pause()`, `seek(t)`, `stop()`; also a context manager."""

    def __init__(self, animation: Animation, result: Result | None = None, plots: Sequence[str] = (),
                 playing: bool = True, port: int | None = None, server: viser.ViserServer | None = None) -> None:
        self.animation, self.result = animation, result
        self.server = quiet_server(port, animation.title) if server is None else server
        self.address = f"http://127.0.0.1:{self.server.get_port()}"
        self.scene = Scene(self.server, animation, aspect=0.9, shift=0.2)  # the panel covers the right of the picture
        self.playing = playing and len(animation.t) > 1
        self.time, self.speed = float(animation.t[0]), 1.0
        self._shown, self._follow = 0, None
        self._stopped = threading.Event()
        self._lock = threading.RLock()
        from .controls import Controls

        self.controls = Controls(self, plots)
        self._thread = None
        if len(animation.t) > 1:
            self._thread = threading.Thread(target=self._run, name="linkwright viewer", daemon=True)
            self._thread.start()

    def play(self) -> None:
        """Go on; from the start where the end is reached."""
        if self.time >= self.animation.t[-1]:
            self.time = float(self.animation.t[0])
        self.playing = True
        self.controls.show_playing()

    def pause(self) -> None:
        """Stand still."""
        self.playing = False
        self.controls.show_playing()

    def seek(self, t: float) -> None:
        """Show the time t."""
        with self._lock:
            self.time = float(np.clip(t, self.animation.t[0], self.animation.t[-1]))
            self._show(sought=True)

    def follow(self, path: str | None) -> None:
        """Let the camera move with a frame; None lets it stand."""
        self._follow = None if path is None else self.animation.frames[path]

    def stop(self) -> None:
        """Close the page's server and end its threads."""
        if not self._stopped.is_set():
            self._stopped.set()
            if self._thread is not None and self._thread is not threading.current_thread():
                self._thread.join(timeout=5)
            stop_server(self.server)

    def wait(self) -> None:
        """Stay until Ctrl-C, then stop."""
        try:
            while not self._stopped.wait(0.5):
                pass
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Viewer({self.animation.title!r}, {'stopped' if self._stopped.is_set() else self.address})"

    def _run(self) -> None:
        """Advance time by the clock and send poses, sixty times a second.

        Time advances from tick to tick, not by when a thread happened to wake up, so that no picture is shown twice or
        left out; a thread that wakes late catches up, unless it is far behind.
        """
        last = due = time.perf_counter()
        while not self._stopped.wait(max(due - time.perf_counter(), LEAST_WAIT)):
            tick = due if time.perf_counter() - due < LATE else time.perf_counter()
            due = tick + 1.0 / UPDATES_PER_SECOND
            if self.playing:
                with self._lock:
                    self.time += (tick - last) * self.speed
                    if self.time > self.animation.t[-1]:
                        self.time = float(self.animation.t[0])
                    self._show()
            last = tick

    def _show(self, sought: bool = False) -> None:
        k = int(np.searchsorted(self.animation.t, self.time + TIME_ROUNDING, side="right")) - 1
        if k != self._shown:
            with self.server.atomic():
                self.scene.show(k)
                self._move_cameras(self._shown, k)
            self.server.flush()  # at once: viser would wait for more and drop a pose where two meet
            self._shown = k
            if sought or k % 4 == 0:
                self.controls.show(self.time)

    def _move_cameras(self, before: int, k: int) -> None:
        if self._follow is None:
            return
        number, p, _ = self._follow
        if number < 0:
            return
        body = self.animation.bodies[number]
        step = body.p[k] + body.R[k] @ p - body.p[before] - body.R[before] @ p
        for client in self.server.get_clients().values():
            target = client.camera.look_at + step
            client.camera.position = client.camera.position + step
            client.camera.look_at = target


class NotebookPage:
    """A page inside a notebook cell, complete in itself."""

    def __init__(self, html: str, height: int = 480) -> None:
        self.html, self.height = html, height

    def _repr_html_(self) -> str:
        import html

        return (f'<iframe srcdoc="{html.escape(self.html, quote=True)}" width="100%" height="{self.height}" '
                'frameborder="0"></iframe>')


def in_notebook() -> bool:
    """Whether this runs in a notebook's kernel."""
    shell = sys.modules.get("IPython")
    instance = shell.get_ipython() if shell is not None else None
    return instance is not None and "IPKernelApp" in getattr(instance, "config", {})


def has_display() -> bool:
    """Whether a browser could open a window here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("BROWSER"))


def animate(result: Result, *, fps: float = UPDATES_PER_SECOND, plots: Sequence[str] = (), traces: Sequence[str] = (),
            reactions: bool = False, browser: bool | None = None, block: bool | None = None,
            port: int | None = None) -> Viewer | NotebookPage:
    """Play a result: in a notebook as a cell, else as a page in the browser, served on this machine only.

    `plots` are variables drawn beside the scene, `traces` frames or components whose paths are drawn, `reactions`
    shows the reactions of joints.  A script waits until Ctrl-C unless `block=False`; without a display the address is
    printed and nothing waits unless `block=True`.
    """
    if in_notebook() and browser is None:
        return NotebookPage(page(result_animation(result, 30, traces, reactions, body_frames(result)), result, plots))
    frames = body_frames(result) if getattr(result.system, "model", None) is not None else []
    if plots:
        result.get_many(list(plots))  # an unknown name is refused before a server starts
    viewer = Viewer(result_animation(result, fps, traces, reactions, frames), result, plots, port=port)
    return _open(viewer, f"r.save('{viewer.animation.title}.html')", browser, block)


def show_model(model: Model, *, browser: bool | None = None, block: bool | None = None,
               port: int | None = None) -> Viewer | NotebookPage:
    """Show a model at its assembled initial state; a click on a part tells its name."""
    animation = model_animation(model)
    if in_notebook() and browser is None:
        return NotebookPage(page(animation))
    return _open(Viewer(animation, playing=False, port=port), None, browser, block)


def model_animation(model: Model) -> Animation:
    """The scene of a model at its assembled initial state."""
    from ..compiler import system_of
    from ..result import Trajectory

    system = system_of(model)
    shapes = model_shapes(model, system)
    if not shapes:
        raise ModelError(f"model {model.title!r} shows nothing: its World has enable_animation=False, or every "
                         "component animation=False.", model)
    state = system.state()
    x = np.concatenate([state.q, state.u, state.z])[None, :]
    series = Trajectory(system, np.array([state.t]), x, state.d.copy(), state.p.copy(), state.y.copy())
    frames = [port.path for c in model.leaves() for port in c._connectors.values()
              if port.kind == "frame" and port.path in system.mechanism.frames]
    return stand(animation_of(series, system, shapes, model.title, up_direction(world_of(model)), None, frames), model)


def _open(viewer: Viewer, keep: str | None, browser: bool | None, block: bool | None) -> Viewer:
    """Open the page, or say where it is."""
    show = announce(viewer.address, viewer.animation.title, browser, keep)
    script = not hasattr(sys, "ps1") and not sys.flags.interactive and not in_notebook()
    if block or (block is None and show and script):
        viewer.wait()
    return viewer


def announce(address: str, title: str, browser: bool | None, keep: str | None = None) -> bool:
    """Open a page in the browser and say whether that went well; else print where it is."""
    show = has_display() if browser is None else browser
    if show and webbrowser.open(address):
        return True
    hint = f" To keep it as a page that needs no server: {keep}" if keep else ""
    print(f"{title}: animation at {address} (this machine only; viewer.stop() ends it).{hint}", flush=True)
    return False
