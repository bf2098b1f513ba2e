"""A run shown while it is computed: poses go to a page on this machine whenever the stepper pauses.

Sliders of the page move inputs and tunable parameters; at its end the run becomes a player of what was computed.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from ..result import Result, Trajectory
from ..run import Again
from .animation_files import body_frames, result_animation, up_direction
from .default_shapes import model_shapes, world_of
from .ground import stand
from .live import UPDATES_PER_SECOND, Viewer, announce
from .motion import Animation, animation_of
from .scene import Scene, quiet_server, stop_server
from .sliders import Slider, live_sliders
from .tolerances import MOST_PICTURES, PICTURES_PER_SECOND, PICTURES_SHARE

if TYPE_CHECKING:
    from ..integrate import Stepper
    from ..system import State, System


class Stream:
    """The page of a running simulation: `address`, `frames` sent so far, `stop()`; at its end `player`.

    `pace` True shows what has just been computed, as fast as it comes; a number plays everything that is computed, at
    most so many times as fast as real time.
    """

    def __init__(self, system: System, state: State, pace: bool | float = True, port: int | None = None,
                 browser: bool | None = None) -> None:
        if pace is not True and not (isinstance(pace, (int, float)) and np.isfinite(pace) and pace > 0):
            raise ModelError(f"live = {pace!r}: give True, or how many times as fast as real time (a number > 0).")
        model = getattr(system, "model", None)
        if model is None:
            raise ModelError("live=True needs a model; a mechanism without one has no shapes to show.")
        self.pace, self.frames = pace, 0
        self.at_once = None if pace is True else 1  # a run by the clock does not go ahead of what is shown
        self._system = system
        self._shapes = model_shapes(model, system)
        if not self._shapes:
            raise ModelError(f"model {model.title!r} shows nothing: its World has enable_animation=False, or every "
                             "component animation=False.", model)
        self._up, self._title = up_direction(world_of(model)), model.title
        self._stopped, self.player = False, None
        self._peaks: dict[str, float] = {}  # the largest loads so far, which arrows are measured by
        self._begin(state)
        self.server = quiet_server(port, self._title)
        self.address = f"http://127.0.0.1:{self.server.get_port()}"
        first = self._animation(state.t, np.concatenate([state.q, state.u, state.z]), state.d, state.p, state.y)
        # the motion may go beyond what is seen at first
        self.scene = Scene(self.server, stand(first, model), aspect=0.8, live=True)
        self._panel(live_sliders(system))
        announce(self.address, self._title, browser)

    def _begin(self, state: State) -> None:
        self._state, self._shown, self._next = state, state.t, 0.0
        self.paused, self._again, self._moved = False, False, {}

    def again(self, state: State) -> Stream:
        """The same page for a run that begins again, on a system of the same model."""
        self._begin(state)
        self._system = state.system
        self._button.label = "Pause"
        return self

    # --- the panel ---

    def _panel(self, sliders: Sequence[Slider]) -> None:
        gui = self.server.gui
        self._clock = gui.add_markdown(f"t = {self._state.t:.2f} s")
        self._button, restart = gui.add_button("Pause"), gui.add_button("Restart")
        self.sliders = {slider.name_of_entry: slider for slider in sliders}
        self.values = {name: slider.value for name, slider in self.sliders.items()}
        for name, slider in self.sliders.items():
            handle = gui.add_slider(slider.label, slider.low, slider.high, (slider.high - slider.low) / 200,
                                    slider.value)
            handle.on_update(lambda event, name=name: self.move(name, event.target.value))
        self._button.on_click(lambda _: self.pause(not self.paused))
        restart.on_click(lambda _: self.restart())

    def move(self, name: str, value: float) -> None:
        """Set an input or parameter that has a slider; it is in force when the stepper pauses next."""
        self.values[name] = float(value)
        self._moved[self.sliders[name].place] = float(value)

    def pause(self, paused: bool) -> None:
        """Let the run wait, or go on."""
        self.paused = paused
        self._button.label = "Continue" if paused else "Pause"

    def restart(self) -> None:
        """Let the run begin again, with the values of the sliders."""
        self._again, self.paused = True, False

    # --- the run ---

    def show(self, stepper: Stepper) -> bool:
        """Called when the stepper pauses; whether inputs were changed."""
        if self.pace is True:
            began = time.perf_counter()
            if began >= self._next:
                self._send(stepper, stepper.t, stepper.x)
                took = time.perf_counter() - began
                self._next = began + took / PICTURES_SHARE
            return self._heed(stepper)
        # play what is new by the clock; the stepper waits meanwhile
        step = self.pace / PICTURES_PER_SECOND
        while self._shown + step <= stepper.t:
            began = time.perf_counter()
            self._shown += step
            self._send(stepper, self._shown, stepper.dense(np.array([self._shown]))[0])
            if self._heed_wishes():
                break
            time.sleep(max(0.0, 1 / PICTURES_PER_SECOND - (time.perf_counter() - began)))
        return self._heed(stepper)

    def _heed_wishes(self) -> bool:
        """Wait while paused; whether the run is to begin again."""
        while self.paused and not self._stopped:
            time.sleep(0.05)
        return self._again

    def _heed(self, stepper: Stepper) -> bool:
        """Do what was asked for in the page; whether inputs were changed."""
        if self._heed_wishes():
            self._again = False
            raise Again(self._values_by_name())
        moved, self._moved = self._moved, {}
        for place, value in moved.items():
            stepper.inputs[place] = value
        return bool(moved)

    def _values_by_name(self) -> dict[str, object]:
        """The values of all sliders; those of a vector together."""
        out: dict[str, object] = {}
        for entry, slider in self.sliders.items():
            if slider.entry is None:
                out[slider.name] = self.values[entry]
            else:
                out[slider.name] = [*out.get(slider.name, []), self.values[entry]]
        return out

    def show_end(self, stepper: Stepper, result: Result) -> None:
        """Called when the run is over: play the rest, unless interrupted; then the page plays the whole run."""
        with contextlib.suppress(KeyboardInterrupt):
            if self.pace is not True:
                self.show(stepper)
        self._send(stepper, stepper.t, stepper.x)
        span = float(result.t[-1] - result.t[0])
        if span > 0:
            fps = min(UPDATES_PER_SECOND, MOST_PICTURES / span)
            animation = result_animation(result, fps, extra_frames=body_frames(result))
            with self.server.atomic():
                self.server.gui.reset()
                self.server.scene.reset()
                self.player = Viewer(animation, result, server=self.server)

    def _animation(self, t: float, x: np.ndarray, d: np.ndarray, p: np.ndarray, y: np.ndarray) -> Animation:
        """The scene at one instant."""
        series = Trajectory(self._system, np.array([t]), np.asarray(x)[None, :], d, p, y)
        animation = animation_of(series, self._system, self._shapes, self._title, self._up, peaks=self._peaks)
        self._peaks = animation.peaks
        return animation

    def _send(self, stepper: Stepper, t: float, x: np.ndarray) -> None:
        parts = self._system.layout.unpack(stepper.inputs)
        with self.server.atomic():
            self.scene.replace(self._animation(t, x, *(parts[part].copy() for part in "dpy")))
            self._clock.content = f"t = {t:.2f} s"
        self.server.flush()
        self.frames += 1

    def stop(self) -> None:
        """Close the page's server."""
        if not self._stopped:
            self._stopped = True
            if self.player is not None:
                self.player.stop()
            else:
                stop_server(self.server)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is not None:
            self.stop()

    def __repr__(self) -> str:
        return f"Stream({self._title!r}, {'stopped' if self._stopped else self.address})"
