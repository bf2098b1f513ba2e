"""The controls of the live viewer: playing, time, speed, what is shown, what the camera follows, plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .annotations import HIDDEN
from .plotted import AXES, COLOURS, curves, limits

if TYPE_CHECKING:
    import viser

    from .live import Viewer
    from .scene_data import Shape

#: how fast, and layers that can be switched, in order, with what they are called
SPEEDS = ("0.1x", "0.25x", "0.5x", "1x", "2x", "4x", "8x")
SWITCHES = {"world": "World", "parts": "Parts", "joints": "Joints", "forces": "Forces", "sensors": "Sensors",
            "shapes": "Shapes", "reactions": "Reactions", "traces": "Traces", "names": "Names of parts",
            "limits": "Ranges of joints"}


class Controls:
    """Widgets in the page's panel, wired to a viewer."""

    def __init__(self, viewer: Viewer, plots: Sequence[str] = ()) -> None:
        self.viewer = viewer
        self._frames: list | None = None
        self._updating = False
        self._plots: list[Plot] = []
        self._last_plot = None
        if len(viewer.animation.t) > 1:
            self._player()
        self._what_is_shown()
        self._names()
        if plots and viewer.result is not None:
            self._add_plots(plots)

    # --- player ---

    def _player(self) -> None:
        viewer, gui, t = self.viewer, self.viewer.server.gui, self.viewer.animation.t
        self.button = gui.add_button("Pause" if viewer.playing else "Play")
        step = float(t[-1] - t[0]) / 1000
        self.slider = gui.add_slider("Time / s", float(t[0]), float(t[-1]), step, float(t[0]))
        self.speed = gui.add_dropdown("Speed", SPEEDS, initial_value="1x")
        bodies = {frame.rsplit(".", 1)[0]: frame for frame, (body, _, _) in viewer.animation.frames.items()
                  if body >= 0}
        self.follow = gui.add_dropdown("Camera follows", ("nothing", *bodies), initial_value="nothing")
        self.trace = gui.add_dropdown("Trace of", ("nothing", *bodies), initial_value="nothing")

        @self.button.on_click
        def _(_event: viser.GuiEvent) -> None:
            if viewer.playing:
                viewer.pause()
            else:
                viewer.play()

        @self.slider.on_update
        def _(event: viser.GuiEvent) -> None:
            if not self._updating and event.client is not None:
                viewer.pause()
                viewer.seek(self.slider.value)

        @self.speed.on_update
        def _(_event: viser.GuiEvent) -> None:
            viewer.speed = float(self.speed.value.rstrip("x"))

        @self.follow.on_update
        def _(_event: viser.GuiEvent) -> None:
            viewer.follow(bodies.get(self.follow.value))

        @self.trace.on_update
        def _(_event: viser.GuiEvent) -> None:
            if self.trace.value in bodies:
                self._add_trace(bodies[self.trace.value])

    def _add_trace(self, path: str) -> None:
        """The path of a body's centre of mass."""
        from .animation_files import centre_of_mass, model_of

        viewer = self.viewer
        owner = path.rsplit(".", 1)[0]
        component = next(c for c in model_of(viewer.result).leaves() if c.path == owner)
        body, p, R = viewer.animation.frames[path]
        b = viewer.animation.bodies[body]
        viewer.scene.add_trace(owner, b.p + b.R @ (p + R @ np.asarray(centre_of_mass(component))))

    def show_playing(self) -> None:
        """Let the button say what a click would do."""
        if hasattr(self, "button"):
            self.button.label = "Pause" if self.viewer.playing else "Play"

    def show(self, time: float) -> None:
        """Follow the player: slider and plot cursor."""
        if hasattr(self, "slider"):
            self._updating = True
            try:
                self.slider.value = float(time)
            finally:
                self._updating = False
            self._move_cursor(time)

    # --- what is shown ---

    def _what_is_shown(self) -> None:
        viewer, gui = self.viewer, self.viewer.server.gui
        with gui.add_folder("Show", expand_by_default=False):
            for layer, label in SWITCHES.items():
                there = layer in viewer.scene.handles
                if not there and not (layer == "reactions" and viewer.result is not None):
                    continue
                box = gui.add_checkbox(label, there and layer not in HIDDEN)
                box.on_update(lambda event, layer=layer: self._switch(layer, event.target.value))
            frames = gui.add_checkbox("Frames", False)
            frames.on_update(lambda event: self._switch_frames(event.target.value))

    def _switch(self, layer: str, value: bool) -> None:
        if layer == "reactions" and layer not in self.viewer.scene.handles and value:
            self._add_reactions()
        for handle in self.viewer.scene.handles.get(layer, []):
            handle.visible = value

    def _add_reactions(self) -> None:
        """Compute the reactions when they are wanted for the first time, and add their arrows."""
        from .animation_files import model_of, up_direction
        from .default_shapes import world_of
        from .motion import animation_of
        from .reactions import reaction_shapes

        viewer = self.viewer
        model = model_of(viewer.result)
        world = world_of(model)
        more = animation_of(viewer.result.at(viewer.animation.t), viewer.result.system,
                            reaction_shapes(model, world, viewer.result.system), model.title, up_direction(world))
        viewer.scene.add(more.items)

    def _switch_frames(self, value: bool) -> None:
        """Axes of every frame, made when they are wanted for the first time; coinciding ones once."""
        viewer = self.viewer
        if self._frames is None:
            low, high = viewer.animation.bounds()
            length = 0.08 * float(np.linalg.norm(high - low))
            self._frames, seen = [], set()
            for path, (body, p, R) in viewer.animation.frames.items():
                key = (body, tuple(np.round(p, 6)), tuple(np.round(R, 6).ravel()))
                if key not in seen:
                    seen.add(key)
                    self._frames.append(viewer.scene.add_axes(path, body, p, R, length))
        for handle in self._frames:
            handle.visible = value

    def _names(self) -> None:
        """A click on a shape tells what it is."""
        gui = self.viewer.server.gui
        self.what = gui.add_markdown("*Click a part to see its name.*")
        for shape, handle in self.viewer.scene.by_shape:
            def tell(_event: viser.SceneNodePointerEvent, shape: Shape = shape) -> None:
                self.what.content = f"**{shape.name}** ({shape.kind})"
            if hasattr(handle, "on_click") and shape.kind not in ("label", "lines", "ground"):
                handle.on_click(tell)

    # --- plots ---

    def _add_plots(self, plots: Sequence[str]) -> None:
        """A plot for each unit, and in it a line that stands at the present time."""
        from viser import uplot

        self._plot_t, bands = curves(self.viewer.result, plots)
        colour = 0
        for unit, lines in bands.items():
            series = [uplot.Series(label="t")]
            for label, _ in lines:
                series.append(uplot.Series(label=f"{label} / {unit}" if unit else label, width=2,
                                           stroke=COLOURS[colour % len(COLOURS)]))
                colour += 1
            series.append(uplot.Series(label="now", stroke="#dd0000", width=1))
            plot = Plot([values for _, values in lines], limits(lines))
            plot.handle = self.viewer.server.gui.add_uplot(
                data=plot.data(self._plot_t, float(self._plot_t[0])), series=tuple(series),
                aspect=1.6 if len(bands) == 1 else 2.2,
                axes=AXES, scales={"x": uplot.Scale(time=False), "y": uplot.Scale(range=plot.range)})
            self._plots.append(plot)

    def _move_cursor(self, time: float) -> None:
        if self._last_plot is None or abs(time - self._last_plot) > 0.05:
            self._last_plot = time
            for plot in self._plots:
                plot.handle.data = plot.data(self._plot_t, time)


@dataclass
class Plot:
    """Curves of one unit in the panel."""

    curves: list[np.ndarray]
    range: tuple[float, float]
    handle: object = None

    def data(self, t: np.ndarray, time: float) -> tuple[np.ndarray, ...]:
        """The curves, and a spike from far below at the present time, which shows as a vertical line."""
        low, high = self.range
        now = np.full(len(t), low - 1000 * (high - low))
        now[int(np.clip(np.searchsorted(t, time), 0, len(now) - 1))] = high
        return (t, *self.curves, now)
