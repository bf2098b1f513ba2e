"""Routes through files of other programs: a model written as MJCF, URDF or Modelica, read back, and run.

Such files hold a mechanism and not where it starts, so the motion begins with the coordinates and speeds of the model.
What a format has no words for is not compared: the file is refused (`strict`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ..compiler import system_of
from ..io import export, read
from ..language import Model, World
from ..system import State, System, split_entry
from .cases import Case
from .motions import Motion
from .routes import ACCURACY, NotComparedError, Pair, Route
from .tolerances import FINER


def written_and_read(suffix: str, case: Case) -> Iterator[Pair]:
    """Coordinates and speeds that the file's model has too, from the same start."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model{suffix}"
        export(case.fresh(), path, strict=True)
        model = read(path)
    if suffix == ".urdf":
        _with_gravity_of(case.template, model)
    system = system_of(model)
    state = _started(case, system)
    # a URDF stands on its feet: z is up there, and positions are turned
    names = {name: _there(name, system) for name in case.names if suffix != ".urdf" or _is_coordinate(name)}
    kept = {name: other for name, other in names.items() if other in system.names_table}
    if not kept:
        raise NotComparedError("its variables have no name in the file")

    def course(accuracy: float) -> Motion:
        found = case.run(system, accuracy, list(kept.values()), state=state)
        return Motion(found.t, {name: found.values[other] for name, other in kept.items()}, found.ended, found.failed,
                      found.events)

    yield Pair(_only(case.finer, kept), course(case.accuracy), course(case.accuracy / FINER))


def _only(motion: Motion, names: dict[str, str]) -> Motion:
    return Motion(motion.t, {name: motion.values[name] for name in names}, motion.ended, motion.failed, motion.events)


def _is_coordinate(name: str) -> bool:
    return not name.endswith(("r_0", "v_0", "w_a", "R.T", ".x", ".y", ".z"))


def _with_gravity_of(one: Model, other: Model) -> None:
    """URDF does not say how strong gravity is."""
    (source,), (target,) = ([part for part in model.leaves() if isinstance(part, World)] for model in (one, other))
    if source.gravity != "uniform":
        raise NotComparedError("URDF says nothing of gravity, and this one is not uniform")
    target.g = source.g


def _there(name: str, system: System) -> str:
    """What a variable is called in the model that was read: no brackets for lists, a joint where a body floats."""
    plain = name.replace("[", "_").replace("].", ".").replace("])", ")")
    owner, _, rest = plain.rpartition(".")
    free = f"body_of_{owner}_free.{rest}"
    return free if free in system.part_names("q") or free in system.part_names("u") else plain


def _started(case: Case, system: System) -> State:
    """The start of the model, coordinate by coordinate."""
    begun, state = case.system.state(), system.state(assembled=False)
    for part in "qu":
        known = dict(zip(case.system.part_names(part), getattr(begun, part), strict=True))
        there = {_speed(name) if split_entry(name)[1] else _there(name, system): value for name, value in known.items()}
        values = getattr(state, part).copy()
        for k, name in enumerate(system.part_names(part)):
            if name not in there:
                raise NotComparedError(f"the file's {name} is no coordinate of the model")
            values[k] = there[name]
        setattr(state, part, values)
    return system.assemble(state)


def _speed(name: str) -> str:
    """A speed of a floating body, "body.u[3]", as the joint that the file gives it has it."""
    owner, _, rest = name.rpartition(".")
    return f"body_of_{owner}_free.{rest}"


#: what a format has no words for
NO_WORDS = ("the format has no words for them", "has no place in", "no other constraint", "knows uniform gravity only",
            "the Modelica Standard Library has no", "the Standard Library's", "not written as Modelica")

ROUTES: tuple[Route, ...] = (
    Route("MJCF", ACCURACY, partial(written_and_read, ".xml"), NO_WORDS),
    Route("URDF", ACCURACY, partial(written_and_read, ".urdf"), NO_WORDS),
    Route("Modelica", ACCURACY, partial(written_and_read, ".mo"), NO_WORDS),
)
