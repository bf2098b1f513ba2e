"""Events of a model (actions, rows, contacts), written in the engine's symbols."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import casadi as ca
import numpy as np

from ..errors import ModelError
from ..language import Action, Model, PartsList
from ..language.parts_list_entries import Meeting, Restraint
from ..language.reads import action_paths
from ..mechanism import (
    TIME,
    Ball,
    Clock,
    Constraint,
    Contact,
    Events,
    MobilityLoad,
    Named,
    Row,
    Update,
    When,
    sentence,
)
from .bodies import Bodies
from .definitions import Definitions
from .resets import SetAnew


@dataclass
class Translated:
    """The events, and what they add to the mechanism."""

    events: Events = field(default_factory=Events)
    modes: list[Named] = field(default_factory=list)
    loads: list[MobilityLoad] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)


def translate_events(plan: PartsList, bodies: Bodies, definitions: Definitions) -> Translated:
    """All events of a model, with the modes, loads and constraints that they need."""
    expand, register = definitions.expand, definitions.register
    out = Translated()
    told = sorted(plan.rows, key=lambda told: (told.row.opens, told.row.conditional))
    rows = [_row(each, out, expand, register) for each in told if not each.row.conditional]
    contacts = [_contact(c, out, expand, register) for c in plan.contacts]
    balls = [_ball(ball, push, out, expand, register) for ball, push in plan.balls]
    rows += [_row(each, out, expand, register) for each in told if each.row.conditional]
    rows += [Row(told.path, expand(told.condition), conditional=True) for told in plan.constraints
             if told.condition is not None]
    out.loads = [MobilityLoad(f"{told.joint.path}.friction", told.joint.path, told.index, expand(told.value))
                 for told in plan.mobility_loads]
    delayed = tuple(expand(block.results["u"]) for block in plan.blocks if block.delay is not None)
    _check_samples(plan.model)
    whens = tuple(_whens(plan, SetAnew(bodies, definitions), expand, out))
    out.events = Events((), whens, tuple(rows), tuple(_updates(plan, expand)),
                        tuple(contacts), tuple(plan.encounters), tuple(plan.pressed), tuple(balls),
                        delayed)
    return out


def _row(told: Restraint, out: Translated, expand: Callable[[ca.SX], ca.SX], register: Callable[..., None]) -> Row:
    """A row, with its constraint and modes."""
    row = told.row
    register(told.push, "lambda", row.name)
    own = {name: expand(e) for name in ("held", "speed", "gap", "limit", "back", "sliding")
           if (e := getattr(row, name)) is not None}
    row = replace(row, **own)
    along, level = row.constraint
    out.constraints.append(Constraint(row.name, along, level, row.held))
    out.modes += [Named(name, symbol, np.full(1, value)) for name, symbol, value in row.modes]
    return row


def _ball(ball: Ball, push: ca.SX, out: Translated, expand: Callable[[ca.SX], ca.SX],
          register: Callable[..., None]) -> Ball:
    """Dry friction along several speeds, with its rows and modes."""
    register(push, "lambda", ball.name)
    speed = expand(ball.speed)
    out.constraints.append(Constraint(ball.name, speed, "velocity", ball.held))
    out.modes += [Named(name, symbol, np.full(symbol.numel(), value)) for name, symbol, value in ball.modes]
    return replace(ball, speed=speed, limit=expand(ball.limit), sliding=expand(ball.sliding))


def _contact(told: Meeting, out: Translated, expand: Callable[[ca.SX], ca.SX],
             register: Callable[..., None]) -> Contact:
    """A point of rigid contact, with its rows and modes."""
    c = told.contact
    own = {name: expand(e) for name in ("gap", "slip", "place", "dragged", "drags")
           if (e := getattr(c, name)) is not None}
    c = replace(c, **own)
    register(told.push, "lambda", c.normal)
    if c.tangent:
        register(told.hold, "lambda", c.tangent)
    out.constraints += [Constraint(*each, may_repeat=True) for each in c.constraints]
    out.modes += [Named(name, symbol, np.full(symbol.numel(), value)) for name, symbol, value in c.modes]
    return c


def _whens(plan: PartsList, anew: SetAnew, expand: Callable[[ca.SX], ca.SX], out: Translated) -> Iterator[When]:
    for action in (*_actions(plan), *[action for block in plan.blocks for action in block.actions], *plan.ends):
        if action.each_step:
            continue
        clock = None if action.period is None else _clock(action.period, out)
        changes = [(expand(target), expand(value), name) for target, value, name in anew.rewritten(action.changes)]
        if clock is not None:
            changes += [(target, value, target.name()) for target, value in clock.ticked(TIME)]
        targets, values, names = zip(*changes, strict=True) if changes else ((), (), ())
        yield When(action.name or sentence(action.condition), expand(action.condition), targets, values,
                   action.message, names=names, clock=clock)


def _clock(period: float, out: Translated) -> Clock:
    """A clock, with the discrete variables that keep its time."""
    number = 1 + sum(mode.name.endswith(".count") for mode in out.modes)
    count, first = (ca.SX.sym(f"sample {number}.{what}") for what in ("count", "first"))
    out.modes += [Named(symbol.name(), symbol, np.zeros(1)) for symbol in (count, first)]
    return Clock(period, count, first)


def _check_samples(model: Model) -> None:
    """A sample sets discrete variables only."""
    discretes = {symbol.element_hash() for part in model.models() for symbol, _ in part._inputs.values()}
    for part in model.models():
        for target in (t for action in part._actions if action.period for t in action.changes):
            if not target.is_symbolic() or target.element_hash() not in discretes:
                raise ModelError(f"{part.path}: sample sets discrete variables (m.discrete, m.input), and {target} is "
                                 "none; states change by their derivatives, or at instants by m.when.", part)


def _actions(plan: PartsList, *parts: Model) -> Iterator[Action]:
    """The actions of all models, or of some, with their formulas as they are in the plan."""
    for part in parts or plan.model.models():
        for k, action in enumerate(part._actions):
            condition, *values = [plan.formula(path, e) for path, e in
                                  zip(action_paths(part, k), (action.condition, *action.changes.values()), strict=True)]
            yield replace(action, condition=condition, changes=dict(zip(action.changes, values, strict=True)))


def _updates(plan: PartsList, expand: Callable[[ca.SX], ca.SX]) -> Iterator[Update]:
    discretes = {symbol.element_hash() for part in plan.model.models() for symbol, _ in part._inputs.values()}
    taken = set()
    for part in plan.model.models():
        for target, value in ((t, v) for a in _actions(plan, part) if a.each_step for t, v in a.changes.items()):
            if not target.is_symbolic() or target.element_hash() not in discretes:
                raise ModelError(f"{part.path}: each_step sets discrete variables (m.discrete), and {target} is none; "
                                 "states change by their derivatives, or at instants by m.when.", part)
            if target.element_hash() in taken:
                raise ModelError(f"{part.path}: each_step sets {target} twice; give it one new value.", part)
            taken.add(target.element_hash())
            yield Update(expand(target), expand(value))
