"""A page that runs: the live page with the mechanism's own code in it, as WebAssembly, and a stepper (`runner.js`).

    page, still = running_page(model, sliders={"spring.c": (10, 100)}, plots=["rev.phi"])

The page takes the steps of `simulate`, with its bits.  It shows what the step as a program can do (see
`integrate.step_programs`); what it cannot is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ..codegen import Program
from ..compiler import system_of
from ..errors import ModelError, SimulationError
from ..integrate import FAILURES
from ..result import Result, Trajectory
from ..start import decisive_slots, prepare
from ..studies import simulate
from ..studies.lane_runs import LaneRuns
from ..system import INPUTS, State, System, written_as
from ..system.programs import build_program
from .animation_files import up_direction
from .controls import SPEEDS
from .default_shapes import model_shapes, world_of
from .flexible_shapes import bent_surfaces
from .ground import stand
from .inside import document, doubles, plain, raw, shown, told
from .motion import Item, animation_of
from .plotted import AXES, COLOURS, labelled
from .resized import resized
from .runnable import refuse
from .scene import Scene, quiet_server, stop_server
from .scene_data import Point
from .sliders import Slider, sliders_of
from .tolerances import ENDLESS, NO_EXTENT, PREVIEW, PREVIEW_ACCURACY

if TYPE_CHECKING:
    import viser

    from ..language import Model

POINTED = 20  # of a mechanism's own frequency √(g/size): how much faster a point follows the mouse


def running_page(model: Model, *, sliders: Sequence[str] | Mapping[str, Sequence[float]] | None = None,
                 plots: Sequence[str] = (), method: str = "auto", accuracy: float = 1e-8,
                 fixed_step: float | None = None) -> tuple[str, list[str]]:
    """The page as text, and the names of what stands still in it though it should change.

    `sliders` are names of inputs and parameters, or a dict from names to (lowest, highest); by default all inputs.
    `plots` are variables whose curves grow in the panel; `method`, `accuracy` and `fixed_step` are those of `simulate`.
    """
    wanted = sliders_of(model, sliders)
    system = page_system(model, method, fixed_step, **({"tunable": list(wanted.tunable)} if wanted.tunable else {}))
    runs = LaneRuns(system, prepare(system, None, 0.0, {}), ENDLESS, method=method, accuracy=accuracy, h=fixed_step,
                    alone=True)
    server = quiet_server()
    try:
        film = Film(model, system, runs, wanted.placed(system), plots)
        made = film.made(server)
    finally:
        stop_server(server)
    return document(model.title, made, "runner.js"), film.still()


def page_system(model: Model, method: str = "auto", h: float | None = None, **options: Any) -> System:
    """The system whose steps a page takes; an error that says why where it cannot.

    At a dead point `simulate` goes on with other states of a loop, which nobody does in a page: a mechanism that comes
    to one in its first seconds is stepped in all its coordinates.
    """
    system = system_of(model, **options)
    refuse(model, system)
    if system.minimal and _preview(system, system.state()).counters["exchanges"]:
        system = system_of(model, formulation="projection", **options)
    return system


def _preview(system: System, state: State) -> Result:
    """The first seconds of the motion, as far as it goes."""
    try:
        return simulate(system, state.t + PREVIEW, state=state, start=state.t, accuracy=PREVIEW_ACCURACY,
                        progress=False)
    except SimulationError as error:
        return error.result


#: numbers of a lane that the page reads and sets, by their names in its record
PLACES = {"doing": "doing", "cause": "status", "t": "t", "target": "target", "horizon": "horizon", "t0": "t0",
          "t1": "t1", "end": "t_end", "trying": "trying", "fraction": "fraction", "input": "at.inp", "work": "at.work",
          "fresh": "fresh", "changed": "changed", "jumped": "jumped", "points": "n_steps"}


class Film:
    """Everything the page needs, by the names that `runner.js` knows."""

    def __init__(self, model: Model, system: System, runs: LaneRuns, sliders: Sequence[Slider],
                 plots: Sequence[str]) -> None:
        self.model, self.system, self.runs, self.sliders, self.plots = model, system, runs, sliders, list(plots)
        # a lane that ends where the ordinary run would take over has nobody to hand over to: it goes on
        self.step = replace(runs.program, n_holds=0, n_laws=(0, 0, 0), watch_strain=False,
                            watch_stiffness=runs.program.changes, shows=True)
        state = runs.state
        x = np.concatenate([state.q, state.u, state.z])[None, :]
        self.series = Trajectory(system, np.array([state.t]), x, state.d, state.p, state.y)
        shapes = model_shapes(model, system)
        if not shapes:
            raise ModelError(f"model {model.title!r} shows nothing: its World has enable_animation=False, or every "
                             "component animation=False.", model)
        title, up = model.title, up_direction(world_of(model))
        frames = [port.path for c in model.leaves() for port in c._connectors.values()
                  if port.kind == "frame" and port.path in system.mechanism.frames]
        first = _preview(system, state)  # what the camera is to see
        seen = first.at(np.linspace(first.t[0], first.t[-1], 60))
        self.seen = animation_of(seen, system, shapes, title, up)
        self.animation = animation_of(self.series, system, shapes, title, up, None, frames, self.seen.peaks)
        stand(self.animation, model, self.seen)
        self.seen.flat = self.animation.flat
        self.surfaces = bent_surfaces([item.shape for item in self.animation.items])
        self._tell()

    def _tell(self) -> None:
        """The program that gives poses of bodies, what stretches shapes, and curves; and where in its results."""
        names = [f"{body.name}.{what}" for body in self.animation.bodies for what in ("r_0", "R.T")]
        for item in self._spanning():
            names += [name for point in (item.shape.span.start, item.shape.span.end)
                      for name in (point.variable, point.place) if name is not None]
        names += [name for item in self.animation.items if item.colours is not None and item.vertices is None
                  for name in item.shape.data.variables]
        self.curves = labelled(self.series, self.plots)
        names = list(dict.fromkeys([*names, *(curve.whole for curve in self.curves)])) or ["kinetic_energy"]
        self.program = self.system.function(INPUTS, tuple(names)).program
        self.places, at = {}, 0
        for name, size in self.program.outputs:
            self.places[name] = [at, size]
            at += size

    def _spanning(self) -> list[Item]:
        return [item for item in self.animation.items if item.shape.span is not None]

    def place(self, name: str | None) -> list[int] | None:
        """(first, count) of a variable among the results."""
        return None if name is None else self.places[written_as(name)]

    def made(self, server: viser.ViserServer) -> dict[str, object]:
        server.gui.configure_theme(show_logo=False, show_share_button=False)
        server.gui.set_panel_label(self.model.title)
        scene = Scene(server, self.animation, aspect=0.9, shift=0.2, live=True, seen=self.seen)
        gui, points, sliders = self._panel(server)
        plots = self._plots(server)
        layers, names = shown(server, scene, gui)
        return {**told(server, self.seen), "gui": gui, "points": points, "layers": layers, "names": names,
                "plots": plots, "letters": scene.lettering(),
                "run": {**self._code(), "sliders": sliders, **self._scene(scene)}}

    # --- the panel ---

    def _panel(self, server: viser.ViserServer) -> tuple[dict[str, str], dict[str, dict], dict[str, int]]:
        gui = server.gui
        bodies = {frame.rsplit(".", 1)[0]: frame for frame, (body, _, _) in self.animation.frames.items() if body >= 0}
        points = {label: self._point(Point(frame)) for label, frame in bodies.items()}
        widgets = {"clock": gui.add_markdown("t = 0.00 s"), "button": gui.add_button("Pause"),
                   "reset": gui.add_button("Reset"), "speed": gui.add_dropdown("Speed", SPEEDS, initial_value="1x")}
        sliders = {}
        for slider in self.sliders:
            handle = gui.add_slider(slider.label, slider.low, slider.high, (slider.high - slider.low) / 200,
                                    slider.value)
            sliders[handle._impl.uuid] = slider.place
        if points:
            widgets["follow"] = gui.add_dropdown("Camera follows", ("nothing", *points), initial_value="nothing")
            widgets["trace"] = gui.add_dropdown("Trace of", ("nothing", *points), initial_value="nothing")
        return {name: handle._impl.uuid for name, handle in widgets.items()}, points, sliders

    def _plots(self, server: viser.ViserServer) -> list[dict[str, object]]:
        """A plot for each unit, empty yet."""
        from viser import uplot

        units = list(dict.fromkeys(curve.unit for curve in self.curves))
        out, colour = [], 0
        for unit in units:
            lines = [curve for curve in self.curves if curve.unit == unit]
            series = [uplot.Series(label="t")]
            for curve in lines:
                series.append(uplot.Series(label=f"{curve.label} / {unit}" if unit else curve.label, width=2,
                                           stroke=COLOURS[colour % len(COLOURS)]))
                colour += 1
            handle = server.gui.add_uplot(data=(np.zeros(1), *[np.zeros(1)] * len(lines)), series=tuple(series),
                                          aspect=1.6 if len(units) == 1 else 2.2,
                                          axes=AXES, scales={"x": uplot.Scale(time=False), "y": uplot.Scale(auto=True)})
            places = [self.place(curve.whole)[0] + curve.entry for curve in lines]
            out.append({"uuid": handle._impl.uuid, "places": places})
        return out

    # --- what moves ---

    def _scene(self, scene: Scene) -> dict[str, object]:
        bodies = [{"name": name, "p": self.place(f"{body.name}.r_0")[0], "R": self.place(f"{body.name}.R.T")[0]}
                  for name, body in zip(scene.body_names, self.animation.bodies, strict=True)]
        names = {id(shape): handle.name for shape, handle in scene.by_shape}
        items, parts, painted = [], [], []
        sizes = resized(self.model, self.system, self.series, self.animation, self.sliders)
        for item in self.animation.items:
            shape = item.shape
            if shape.span is not None:
                span, cut = shape.span, shape.span.cut
                items.append({"name": names[id(shape)], "kind": shape.kind, "scale": item.scale[0].tolist(),
                              "start": self._point(span.start), "end": self._point(span.end),
                              "roll": list(span.roll), "rollFrame": self._frame(span.roll_frame),
                              "cutBegin": list(cut.begin), "cutEnd": list(cut.end), "beyond": cut.beyond})
            elif item.body >= 0 and item.mesh is not None and self._pulls(item.body):
                parts.append({"name": names[id(shape)], "body": item.body, "p": item.p.tolist(),
                              "R": item.R.ravel().tolist(), "scale": item.scale.tolist()})
        for item in self.animation.items:
            data = item.shape.data
            if item.colours is not None and item.vertices is None:
                painted.append({"name": names[id(item.shape)], "place": self.place(data.variables[0]), **data.told()})
        follows = [{"name": names[id(item.shape)], "sliders": sizes[item.shape.name]} for item in self.animation.items
                   if item.shape.name in sizes]
        return {"bodies": bodies, "items": items, "parts": parts, "painted": painted, "resized": follows,
                "bent": plain(self._bent(names))}

    def _bent(self, names: Mapping[int, str]) -> list[dict[str, object]]:
        """Surfaces of parts that bend, and where among the results of the program "bends" their numbers are."""
        at, out = 0, []
        for surface in self.surfaces:
            size = surface.of.told(ca.SX.sym("q", surface.of.part.size)).numel()
            out.append(surface.record([names[id(self.animation.items[k].shape)] for k, _ in surface.shown], [at, size]))
            at += size
        return out

    def still(self) -> list[str]:
        """Names of what changes by functions in Python, which a page does not have."""
        bent = {k for surface in self.surfaces for k, _ in surface.shown}
        return [item.shape.name.rpartition(".")[0] for k, item in enumerate(self.seen.items)
                if item.vertices is not None and k not in bent
                and np.ptp(item.vertices, axis=0).max(initial=0.0) > NO_EXTENT]

    def _frame(self, path: str | None) -> dict[str, object] | None:
        if path is None:
            return None
        body, p, R = self.animation.frames[path]
        return {"body": body, "p": np.asarray(p, float).tolist(), "R": np.asarray(R, float).ravel().tolist()}

    def _point(self, point: Point) -> dict[str, object]:
        scale = float(point.scale) / (self.seen.peaks[point.load] if point.relative else 1.0)
        return {"frame": self._frame(point.frame), "offset": list(map(float, point.offset)),
                "variable": self.place(point.variable), "scale": scale, "axes": self._frame(point.axes),
                "direction": None if point.direction is None else list(map(float, point.direction)),
                "toward": self._frame(point.toward), "place": self.place(point.place)}

    # --- the code ---

    def _code(self) -> dict[str, object]:
        from ..integrate.step_programs import EVENTFUL, wasm_step

        step, layout, mechanism = self.step, self.system.layout, self.system.mechanism
        programs = {"scene": self.program}
        pulled = mechanism.nu > 0 and bool(self.animation.bodies)
        if pulled:
            programs["push"] = self._push()
        if self.surfaces:
            programs["bends"] = build_program("bends", self.system.layout, {"bends": ca.vertcat(*[
                surface.of.told(ca.SX(self.system.expression(f"{surface.of.part.path}.q")))
                for surface in self.surfaces])}, INPUTS)
        code = wasm_step(step, programs)
        inputs, lane = self.runs.lane_of(self.runs.state, step)
        forces = layout.places["f"]
        low, high = self.seen.bounds()
        reach = float(np.linalg.norm(high - low))
        told = [sum(size for _, size in program.outputs) for program in (*step.roles.values(), *programs.values())]
        return {
            "code": raw(code.code), "sources": dict(code.sources), "room": code.room, "nWork": code.n_work,
            "nTold": max(told),
            "nArguments": layout.n_in + 6 * len(self.animation.bodies),
            "slots": step.memory.slots, "first": {name: step.memory[path] for name, path in PLACES.items()},
            "n": step.n, "nIn": step.n_in,
            "fixed": step.fixed, "target": ENDLESS, "start": doubles(inputs),
            "lane": doubles(lane), "kept": [*step.carry[1], *step.changing],
            "switching": step.lane_events is not None, "deciding": list(decisive_slots(self.system)),
            "forces": [forces.start, forces.stop - forces.start], "speeds": [mechanism.nq, mechanism.nu],
            "push": {"reach": reach,
                     "rate": float(np.clip(np.sqrt(POINTED * 9.81 / max(reach, 1e-3)), 4.0, 25.0))} if pulled else None,
            "reasons": {str(cause): text for cause, (_, text) in FAILURES.items()}, "eventful": EVENTFUL,
        }

    def _pulls(self, body: int) -> bool:
        """Whether a body can be pulled: points between force elements, which no body carries, cannot."""
        return self.animation.bodies[body].name in self.system.mechanism.frames

    def _push(self) -> Program:
        """Forces on the mobilities of a torque and a force at the origin of every body that is shown, in world axes."""
        wrench, total = ca.SX.sym("wrench", 6 * len(self.animation.bodies)), ca.SX.zeros(self.system.mechanism.nu)
        for k, body in enumerate(self.animation.bodies):
            if not self._pulls(k):
                continue
            R_BW = self.system.expression(f"{body.name}.R.T")
            J = self.system.expression(f"jacobian({body.name})")
            at = wrench[6 * k : 6 * k + 6]
            total += J.T @ ca.vertcat(R_BW @ at[:3], R_BW @ at[3:])
        return build_program("push", self.system.layout, {written_as("f"): total}, INPUTS, extra={"wrench": wrench})

