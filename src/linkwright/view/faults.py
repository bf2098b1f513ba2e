"""`error.show()`: the mechanism where a computation failed, with the components the error is about marked in red."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiler import system_of
from ..errors import LinkwrightError, ModelError
from ..language import Component, Model
from ..result import Trajectory
from .animation_files import up_direction
from .default_shapes import model_shapes, world_of
from .ground import stand
from .motion import Animation, Item, animation_of
from .scene_data import Shape
from .tolerances import NO_EXTENT

if TYPE_CHECKING:
    from ..system import State, System

CULPRIT, OTHERS = (208, 48, 40), (176, 182, 188)
PALE = 0.45  # opacity of parts that are not to blame


def show_error(error: LinkwrightError, **options: Any) -> Any:
    """Open the view with the culprits marked; the message, with the change that would help, is printed too."""
    from .live import NotebookPage, Viewer, _open, in_notebook
    from .recorded_page import page

    animation = fault_animation(error)
    print(f"{type(error).__name__}: {error}", flush=True)
    if in_notebook() and options.get("browser") is None:
        return NotebookPage(page(animation))
    return _open(Viewer(animation, playing=False, port=options.get("port")), None, options.get("browser"),
                 options.get("block"))


def fault_animation(error: LinkwrightError) -> Animation:
    """The scene of an error: culprits red, all else pale, gaps of open loops as red lines."""
    model = _model_of(error)
    if model is None:
        raise ModelError("error.show(): this error is about no model that could be drawn; its message says what is "
                         "wrong.")
    names = tuple(part.path if isinstance(part, Component) else str(part) for part in error.components)
    result = getattr(error, "result", None)
    state = error.state
    if state is None:
        state = result.end if result is not None and len(result.t) else _posed(system_of(model))
    system = state.system
    x = np.concatenate([state.q, state.u, state.z])[None, :]
    series = Trajectory(system, np.array([state.t]), x, state.d.copy(), state.p.copy(), state.y.copy())
    shapes = [_marked(shape, names) for shape in model_shapes(model, system)]
    if not shapes:
        raise ModelError(f"model {model.title!r} shows nothing: its World has enable_animation=False, or every "
                         "component animation=False.", model)
    frames = [port.path for part in model.leaves() for port in part._connectors.values()
              if port.kind == "frame" and port.path in system.mechanism.frames]
    title = f"{model.title}: {type(error).__name__}"
    animation = animation_of(series, system, shapes, title, up_direction(world_of(model)), None, frames)
    animation.items += _gaps(model, animation, names)
    return stand(animation, model)


def _model_of(error: LinkwrightError) -> Model | None:
    """The model that an error is about: its own, that of its result, or that of the components it names."""
    if error.model is not None:
        return error.model
    result = getattr(error, "result", None)
    if result is not None and result.system.origin is not None:
        return result.system.origin.model
    for part in error.components:
        while isinstance(part, Component) and getattr(part, "_parent", None) is not None:
            part = part._parent
        if isinstance(part, Model):
            return part
    return None


def _posed(system: System) -> State:
    """The initial state, or where it does not exist, the given values with loops open."""
    try:
        return system.state()
    except LinkwrightError:
        state = system.state_from_defaults()
        for name, value in system.initial.items():
            state.set(name, value)
        return state


def _marked(shape: Shape, names: tuple[str, ...]) -> Shape:
    owners = [shape.name[:k] for k, letter in enumerate(shape.name) if letter == "."] + [shape.name]
    # an error may name a component, or one of its variables
    if any(name in owners or name.rpartition(".")[0] in owners for name in names):
        return replace(shape, colour=CULPRIT, opacity=1.0)
    return replace(shape, colour=OTHERS, opacity=PALE * shape.opacity) if shape.layer != "world" else shape


def _gaps(model: Model, animation: Animation, names: tuple[str, ...]) -> list[Item]:
    """A red line across the gap of every joint named by the error whose two frames lie apart."""
    lines = []
    for name in names:
        ends = [_place(animation, f"{name}.{port}") for port in ("frame_a", "frame_b")]
        if all(end is not None for end in ends) and np.linalg.norm(ends[0] - ends[1]) > NO_EXTENT:
            lines.append((name, np.array(ends)))
    return [Item(Shape(f"{name}.gap", "lines", (0.0, 0.0, 0.0), CULPRIT, data=[line]), None, -1, np.zeros(3), np.eye(3),
                 np.ones(3)) for name, line in lines]


def _place(animation: Animation, path: str) -> np.ndarray | None:
    """The origin of a frame in the world."""
    if path not in animation.frames:
        return None
    number, p, _ = animation.frames[path]
    if number < 0:
        return p
    body = animation.bodies[number]
    return body.p[0] + body.R[0] @ p
