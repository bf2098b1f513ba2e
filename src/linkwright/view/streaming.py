"""A run shown while it is computed: poses go to a page on this machine whenever the stepper pauses."""

from __future__ import annotations

import contextlib
import time

import numpy as np

from ..errors import ModelError
from ..result import Trajectory
from .defaults import model_shapes, world_of
from .files import up_direction
from .live import announce
from .motion import animation_of
from .scene import Scene, quiet_server, stop_server

PICTURES_PER_SECOND = 30
SHARE = 0.25  # of the computing time, at most, spent on pictures


class Stream:
    """The page of a running simulation: `address`, `frames` sent so far, `stop()`.

    `pace` True shows what has just been computed, as fast as it comes; a number plays everything that is computed, at
    most so many times as fast as real time.
    """

    def __init__(self, system, state, pace: bool | float = True, port: int | None = None, browser: bool | None = None):
        if pace is not True and not (isinstance(pace, (int, float)) and np.isfinite(pace) and pace > 0):
            raise ModelError(f"live = {pace!r}: give True, or how many times as fast as real time (a number > 0).")
        model = getattr(system, "model", None)
        if model is None:
            raise ModelError("live=True needs a model; a mechanism without one has no shapes to show.")
        self.pace, self.frames = pace, 0
        self._system, self._state = system, state
        self._shapes = model_shapes(model)
        if not self._shapes:
            raise ModelError(f"model {model.title!r} shows nothing: its World has enable_animation=False, or every "
                             "component animation=False.", model)
        self._up, self._title = up_direction(world_of(model)), model.title
        self._shown, self._next, self._stopped = state.t, 0.0, False
        x = np.concatenate([state.q, state.u, state.z])
        first = self._animation(state.t, x, state.d, state.y)
        self.server = quiet_server(port, self._title)
        self.address = f"http://127.0.0.1:{self.server.get_port()}"
        self.scene = Scene(self.server, first, aspect=0.8, live=True)  # the motion may go beyond what is seen at first
        self._clock = self.server.gui.add_markdown(f"t = {state.t:.2f} s")
        announce(self.address, self._title, browser)

    def _animation(self, t: float, x, d, y):
        """The scene at one instant."""
        series = Trajectory(self._system, np.array([t]), np.asarray(x)[None, :], d, self._state.p, y)
        return animation_of(series, self._system, self._shapes, self._title, self._up)

    def show(self, stepper) -> None:
        """Called when the stepper pauses."""
        if self.pace is True:
            began = time.perf_counter()
            if began >= self._next:
                self._send(stepper, stepper.t, stepper.x)
                took = time.perf_counter() - began
                self._next = began + took / SHARE
            return
        # play what is new by the clock; the stepper waits meanwhile
        step = self.pace / PICTURES_PER_SECOND
        while self._shown + step <= stepper.t:
            began = time.perf_counter()
            self._shown += step
            self._send(stepper, self._shown, stepper.dense(np.array([self._shown]))[0])
            time.sleep(max(0.0, 1 / PICTURES_PER_SECOND - (time.perf_counter() - began)))

    def show_end(self, stepper) -> None:
        """Called when the run is over: play the rest, unless interrupted, and show the last state."""
        with contextlib.suppress(KeyboardInterrupt):
            if self.pace is not True:
                self.show(stepper)
        self._send(stepper, stepper.t, stepper.x)

    def _send(self, stepper, t: float, x) -> None:
        parts = self._state.system.layout.unpack(stepper.inputs)
        with self.server.atomic():
            self.scene.replace(self._animation(t, x, parts["d"].copy(), parts["y"].copy()))
            self._clock.content = f"t = {t:.2f} s"
        self.server.flush()
        self.frames += 1

    def stop(self) -> None:
        """Close the page's server."""
        if not self._stopped:
            self._stopped = True
            stop_server(self.server)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind, *error) -> None:
        if kind is not None:
            self.stop()

    def __repr__(self) -> str:
        return f"Stream({self._title!r}, {'stopped' if self._stopped else self.address})"
