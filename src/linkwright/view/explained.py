"""`lw.explain(m)`: what a model is, in sentences, with its picture; suspicious numbers; what sets the step."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiler import system_of
from ..errors import LinkwrightError, ModelError
from ..language import Model
from ..language.fields import Parameter
from ..language.one_dimensional import OneDimensional
from ..studies import linearize
from ..system import count, impossible_bodies, some, wrapped
from .tolerances import FAR_LONGER, LIGHT, NO_LENGTH, SHORT_TIME, STIFF, TURN, VERY_LONG

if TYPE_CHECKING:
    from ..language import Component
    from ..system import State, System

#: packages of the library whose parts drive, and kinds that only measure or hold
DRIVES = ("flange_sources", "electric_motors", "speed_dependent", "wrenches")


class Explanation(str):
    """Sentences about a model; a notebook shows its picture beside them, `picture()` draws it."""

    model: Model

    def __repr__(self) -> str:
        return str(self)

    def picture(self, size: tuple[int, int] = (480, 360)) -> Any:
        """The model at its initial state, as a PIL image."""
        from PIL import Image

        from .live import model_animation
        from .picture import Renderer

        return Image.fromarray(Renderer(model_animation(self.model), size).draw(0))

    def _repr_html_(self) -> str:
        drawn = ""
        try:
            data = io.BytesIO()
            self.picture().save(data, format="png")
            drawn = f'<img src="data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}"/>'
        except LinkwrightError:
            pass  # a model that shows nothing, or that cannot be assembled: the text says so
        return f"{drawn}<pre>{escape(self)}</pre>"


def explain(model: Model) -> Explanation:
    """Describe a model in sentences on one screen: bodies, degrees of freedom, loops, drives, sources of dissipation,
    suspicious numbers, and the motion that will limit the step size.

        print(lw.explain(m))

    A notebook shows the picture of the model too; `lw.explain(m).picture()` draws it.
    """
    if not isinstance(model, Model):
        raise ModelError(f"explain({type(model).__name__}): give a model, explain(m).")
    system, parts = system_of(model), list(model.leaves())
    lines = [*_structure(model, system), *_gravity(parts), *_drives(model, system, parts), *_losses(parts),
             *_reductions(parts)]
    doubts = list(_doubts(parts, system))
    lines += ["Suspicious numbers:" if doubts else "No number looks suspicious.", *(f"  - {doubt}" for doubt in doubts)]
    try:
        lines += _step(system, system.state())
    except LinkwrightError as error:
        lines.append(f"It has no consistent initial state: {error}")
    said = Explanation("\n".join(map(wrapped, lines)))
    said.model = model
    return said


def _structure(model: Model, system: System) -> Iterator[str]:
    """Bodies, joints, mass, loops, freedom."""
    m = system.mechanism
    mass = sum(_masses_of(system).values()) + sum(_number(system, mass) for mass, _ in system.equations.off_tree.masses)
    bodies = count(len(m.bodies), "moving body", "moving bodies")
    yield f"{model.title} has {bodies} with a total mass of {mass:.4g} kg{_kinds(system)}."
    loops = [rows for rows in system.equations.rows if rows.mode is None]
    try:
        free = f"It has {count(system.dof, 'degree')} of freedom"
    except LinkwrightError:
        free = "Its degrees of freedom are unknown, because it cannot be assembled"
    names = some([rows.name for rows in loops])
    yield f"{free}."
    if loops:
        yield f"It has {count(len(loops), 'loop or constraint', 'loops and constraints')}: {names}."


def _kinds(system: System) -> str:
    kinds: dict[str, int] = {}
    for body in system.mechanism.bodies:
        kind = type(body.mobilizer).__name__
        kinds[kind] = kinds.get(kind, 0) + 1
    return f", on joints of the kind {', '.join(f'{kind} ({n})' for kind, n in kinds.items())}" if kinds else ""


def _masses_of(system: System) -> dict[str, float]:
    """Body → mass (kg); of parts that bend, what they are made of counts too."""
    inertias = system.equations.kinematics.inertias
    return {body.name: _number(system, inertia.m)
            for body, inertia in zip(system.mechanism.bodies, inertias, strict=True)}


def _number(system: System, value: object) -> float:
    """A number, or an expression of coordinates and tunable parameters at their values."""
    import casadi as ca

    symbols, state = system.equations.symbols, system.state_from_defaults()
    return float(ca.Function("value", [symbols["q"], symbols["p"]], [ca.SX(value)])(state.q, state.p))


def _gravity(parts: Sequence[Component]) -> Iterator[str]:
    for part in parts:
        if type(part).__name__ == "World" and hasattr(part, "gravity"):
            if part.gravity == "uniform" and part.g:
                yield f"Gravity is {float(part.g):g} m/s² along {_direction(part.n)}."
            elif part.gravity is None or part.gravity == "uniform":
                yield "There is no gravity."


def _direction(n: object) -> str:
    vector = np.asarray(n, dtype=float)
    for axis, name in zip(np.eye(len(vector)), "xyz", strict=False):
        if abs(abs(vector @ axis) - np.linalg.norm(vector)) < NO_LENGTH:
            return f"{'+' if vector @ axis > 0 else '−'}{name}"
    return str([float(x) for x in vector])


def _drives(model: Model, system: System, parts: Sequence[Component]) -> Iterator[str]:
    """Sources of force and motion, prescribed joints, controllers, inputs."""
    names = [part.path for part in parts if type(part).__module__.rsplit(".", 1)[-1] in DRIVES
             or any(base.__module__.rsplit(".", 1)[-1] in DRIVES for base in type(part).__mro__)]
    names += [f"the prescribed motion of {body.joint}" for body in system.mechanism.bodies
              if body.prescribed is not None]
    names += [f"the controller {getattr(function, '__name__', 'in Python')}" for m in model.models()
              for function, _ in m._controllers]
    if names:
        yield f"It is driven by {some(names)}."
    else:
        yield "Nothing drives it: it moves from its initial state by gravity and springs alone."
    inputs = [name for m in model.models() for name in m._inputs]
    if inputs:
        yield f"Its inputs are {some(inputs)}."


def _losses(parts: Sequence[Component]) -> Iterator[str]:
    names = [part.path for part in parts if _loses(part)]
    if names:
        yield f"Energy is dissipated in {some(names)}."
    else:
        yield "Nothing dissipates energy: friction, damping and dissipative contact are absent."


def _reductions(parts: Sequence[Component]) -> Iterator[str]:
    """How fast bodies may bend that were reduced to a few shapes."""
    known = {part.path: left_out for part in parts if (left_out := getattr(part, "left_out", None)) is not None}
    if known:
        yield (f"The shapes of {some(list(known))} are right up to {min(known.values()) / 2:.3g} Hz, half of the first "
               "natural frequency that was left out.")


def _loses(part: Component) -> bool:
    """Whether a component turns work into heat with the numbers it has now."""
    try:
        loses = bool(part.loses_power())
    except (AttributeError, LinkwrightError):
        loses = False
    if isinstance(part, OneDimensional) and loses and "d" in part.fields() and len(part.fields()) < 8:
        return bool(part.d != 0)
    if hasattr(part, "is_damped"):  # parts that bend: by their numbers
        return bool(part.is_damped())
    return loses or getattr(part, "friction", None) is not None or _law_loses(getattr(part, "law", None))


def _law_loses(law: object) -> bool:
    return law is not None and any(bool(getattr(law, name, 0)) for name in ("mu", "dissipation")) \
        or law is not None and getattr(law, "restitution", 1) not in (1, None)


def _doubts(parts: Sequence[Component], system: System) -> Iterator[str]:
    """Numbers that are allowed but seldom meant."""
    yield from _angles(parts)
    yield from _lengths(parts)
    yield from _default_inertias(parts)
    yield from _masses(system)
    yield from impossible_bodies(system)
    yield from system.mechanism.remarks


def _angles(parts: Sequence[Component]) -> Iterator[str]:
    """Angles of more than a turn: most likely degrees."""
    for part in parts:
        fields = part.fields()
        for name, entries in {**{n: [value] for n, value in part._parameters.items()}, **part._initial}.items():
            if name in fields and fields[name].unit == "rad" and name not in part.counted:
                for entry in entries or ():
                    value = getattr(entry, "value", entry)
                    if isinstance(value, int | float) and abs(value) > TURN:
                        yield (f"{part.path}.{name} = {value:g} rad is {value / TURN:.3g} turns; "
                               f"if you mean degrees, write lw.deg({value:g})")


def _lengths(parts: Sequence[Component]) -> Iterator[str]:
    """Parts far longer than most."""
    lengths = {part.path: float(np.linalg.norm(np.asarray(part.r, dtype=float))) for part in parts
               if isinstance(part.fields().get("r"), Parameter) and _is_vector(part.r)}
    usual = float(np.median([x for x in lengths.values() if x > 0] or [0.0]))
    for path, length in lengths.items():
        if usual and length > FAR_LONGER * usual:
            yield f"{path} is {length:g} m long, {length / usual:.0f} times the usual {usual:g} m; check its unit"
    if usual > VERY_LONG:
        yield (f"parts are about {usual:g} m long; lengths are in metres, so {usual:g} mm would be "
               f"{usual / 1000:g}")


def _is_vector(value: object) -> bool:
    try:
        return np.asarray(value, dtype=float).shape in ((2,), (3,))
    except (TypeError, ValueError):
        return False


def _default_inertias(parts: Sequence[Component]) -> Iterator[str]:
    names = [part.path for part in parts if type(part).__name__ == "Body" and "inertia" in part.fields()
             and not {"inertia", "I_11", "I_22", "I_33"} & set(part._parameters) and part.numbers().m]
    if names:
        yield (f"{some(names)}: no inertia was given, so the default of 0.001 kg·m² about each axis is used; give "
               "inertia=[…], or use BodyBox or BodyCylinder, which compute it")


def _masses(system: System) -> Iterator[str]:
    masses = {name: mass for name, mass in _masses_of(system).items() if mass > 0}
    if masses:
        light, heavy = min(masses, key=masses.__getitem__), max(masses, key=masses.__getitem__)
        if masses[light] <= LIGHT * masses[heavy]:
            yield (f"{light} weighs {masses[light]:.3g} kg and {heavy} {masses[heavy]:.3g} kg; such ratios make the "
                   "equations stiff or hard to solve")


def _step(system: System, state: State) -> Iterator[str]:
    """The fastest motion about the initial state, which limits explicit steps."""
    if not len(system.states):
        yield "Its motion is prescribed: steps follow the given curves."
        return
    linear = linearize(system, state)
    values, vectors = np.linalg.eig(linear.A)
    if not len(values) or not np.all(np.isfinite(values)) or np.abs(values).max() < 1 / SHORT_TIME:
        yield "At its initial state all motions are slow; the accuracy sets the step."
        return
    k = int(np.argmax(np.abs(values)))
    name = linear.states[int(np.argmax(np.abs(vectors[:, k])))]
    rate = float(np.abs(values[k]))
    if abs(values[k].imag) > abs(values[k].real):
        yield (f"The step will be set by an oscillation of {name} at {abs(values[k].imag) / TURN:.3g} Hz (a period of "
               f"{TURN / abs(values[k].imag):.2g} s), as linearized at the initial state.")
    else:
        slowest = min((abs(v) for v in values if abs(v) > rate * STIFF**2), default=rate)
        is_stiff = rate * STIFF > slowest and values.real.max() < rate / 2
        stiff = ' The model is stiff; method="auto" continues with radau.' if is_stiff else ""
        yield (f"The step will be set by {name}, which changes with a time constant of {1 / rate:.2g} s at the initial "
               f"state.{stiff}")
