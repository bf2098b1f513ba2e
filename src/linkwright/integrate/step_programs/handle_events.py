"""Events, lane by lane: relations switch, actions act, until all agree; then the run goes on.

The order is that of the ordinary run (`run.run.EventRun`): modes whose witness crossed are switched, by stages; actions
whose condition became true set their targets, all from the values before; relations are made to agree with the new
state; and again, until nothing changes.  Cases of which the ordinary run has more to report (modes that alternate,
events without end, an `m.terminate`) end the lane, and the ordinary run takes over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...codegen import Value, floor, magnitude, where
from ..record import OK
from ..tolerances import CHATTERING, CHATTERING_TIME, FITS, NEVER, ROUNDS, TURN
from .pieces import Pieces
from .restart import restart
from .step_program import DONE, RUNNING, UNDECIDED, StepProgram
from .writer import StepWriter, larger, smaller


def at_event(step: StepProgram, w: StepWriter) -> None:
    """Lanes in which witnesses have crossed (`event_found`) or a known instant has come (`reached`)."""
    p, n = Pieces(step, w), step.n
    instant = Instant(p)
    running = w.load("status").equals(float(RUNNING))
    event = running & w.load("event_found").differs(0.0)
    lanes = event | running & w.load("reached").differs(0.0)
    w.store(float(OK), "trial")
    p.set_input(w.load("t"), "x0")
    for k, slot in enumerate(step.lane_events.slots):
        w.store(w.load("input", slot), "slots_before", k)
    w.if_any(event, lambda: instant.cross(event))
    instant.agree(lanes)
    w.if_any(event, lambda: chattering(w, event))
    # what has changed
    changed = w.truth(False)
    for k, slot in enumerate(step.lane_events.slots):
        changed = changed | w.load("input", slot).differs(w.load("slots_before", k))
    apart = w.reduce(n, w.real(0.0), lambda i, apart: where(
        w.load("input", i, 1).differs(w.load("x0", i)), 1.0, apart))
    jumped = lanes & apart.differs(0.0)
    changed = lanes & changed | jumped
    p.copy_where(jumped, "input", "x0", 0, 1)
    instant.aim(lanes)
    w.store(0.0, "event_found")
    w.store(0.0, "reached")
    again = (event | changed) & w.load("status").equals(float(RUNNING))
    w.if_any(again, lambda: restart(p, again, changed, jumped))
    lanes = lanes & w.load("status").equals(float(RUNNING))
    w.store_where(lanes & (w.load("t") >= w.load("stop")), float(DONE), "status")


def chattering(w: StepWriter, event: Value) -> None:
    """Events that follow each other without time passing end the lane."""
    t = w.load("t")
    for k in range(CHATTERING - 1):
        w.store_where(event, w.load("recent", k + 1), "recent", k)
    w.store_where(event, t, "recent", CHATTERING - 1)
    span = t - w.load("recent")
    w.store_where(event & (span <= CHATTERING_TIME * larger(magnitude(t), 1.0)), float(UNDECIDED), "status")


class Instant:
    """Writes the code for one instant; the state is in the input."""

    def __init__(self, p: Pieces):
        self.p, self.w, self.step = p, p.w, p.step
        self.lane_events = p.step.lane_events
        self.places = self.lane_events.places

    def look(self) -> None:
        """The situation, into `out`."""
        self.w.call("situation", "input", "out")

    def decided(self, what: str, k: int) -> Value:
        return self.w.load("out", self.places[what] + k)

    def count(self, lanes: Value) -> None:
        self.w.store_where(lanes, self.w.load("n_events") + 1.0, "n_events")

    # --- relations ---

    def first(self, lanes: Value) -> None:
        """Values of relations at the start of a run; conditions that are true then count as true before."""
        w = self.w
        self._refresh(lanes, "fresh", False)
        self.look()
        for k, action in enumerate(self.lane_events.actions):
            true = self.decided("conditions", k).differs(0.0)
            w.store_where(lanes, where(true, 1.0, 0.0), "before", k)
            if action.ends:
                w.store_where(lanes & true, float(UNDECIDED), "status")

    def _refresh(self, lanes: Value, what: str, counted: bool) -> None:
        """Values of all relations at the present state, inner ones first; `altered` where one has changed."""
        w = self.w
        w.store(where(lanes, 1.0, 0.0), "refreshing")
        w.store(0.0, "altered")

        def once() -> Value:
            self.look()
            going, again = w.load("refreshing").differs(0.0), w.truth(False)
            for k, held in enumerate(self.lane_events.relations):
                value, was = self.decided(what, k), w.load("input", held.slot)
                differs = going & ((value < was) | (value > was))
                w.store_where(differs, value, "input", held.slot)
                if counted:
                    self.count(differs)
                again = again | differs
            w.store_where(again, 1.0, "altered")
            w.store(where(again, 1.0, 0.0), "refreshing")
            return again

        if self.lane_events.relations:
            w.repeat(len(self.lane_events.relations) + 1, once)

    def agree(self, lanes: Value) -> None:
        """Relations and actions brought to agree, round after round."""
        w = self.w
        w.store(where(lanes, 1.0, 0.0), "agreeing")

        def once() -> Value:
            going = w.load("agreeing").differs(0.0)
            self._refresh(going, "values", True)
            more = w.load("altered").differs(0.0)
            if self.lane_events.actions:
                more = more | self._rising(going)
            going = going & more
            w.store(where(going, 1.0, 0.0), "agreeing")
            return going

        w.repeat(ROUNDS, once)
        w.store_where(w.load("agreeing").differs(0.0), float(UNDECIDED), "status")

    def _switch(self, number: int, lanes: Value) -> None:
        """The mode of a relation whose witness crossed zero."""
        w, held = self.w, self.lane_events.relations[number]
        if held.kind in ("sign", "floor"):
            w.if_any(lanes, self.look)
        d, witness = w.load("input", held.slot), self.decided("witnesses", number)
        if held.kind == "sign":
            sign = where(witness > 0.0, 1.0, where(witness < 0.0, -1.0, 0.0))
            new = where(d.differs(0.0), -d, sign)
        elif held.kind == "floor":
            whole = floor(witness)
            new = where(witness > d + 0.5, larger(whole, d + 1.0), smaller(whole, d - 1.0))
        else:
            new = 1.0 - d
        w.store_where(lanes, new, "input", held.slot)
        self.count(lanes)

    # --- witnesses that crossed ---

    def cross(self, event: Value) -> None:
        """Switch and act, stage by stage; a witness of a later stage only if it is still not positive."""
        w, witnesses = self.w, self.lane_events.witnesses
        w.store(where(event, 1.0, 0.0), "back")
        stages = sorted({item.stage for item in witnesses})
        for stage in stages:
            now = {i: event & w.load("crossed", i).differs(0.0)
                   for i, item in enumerate(witnesses) if item.stage == stage}
            some = _any(w, now.values())
            w.if_any(some, lambda now=now: self._handle(now))
            later = [i for i, item in enumerate(witnesses) if item.stage > stage]
            if later:
                pending = some & _any(w, [w.load("crossed", i).differs(0.0) for i in later])
                w.if_any(pending, lambda later=later, pending=pending: self._look_again(later, pending))

    def _look_again(self, later: Sequence[int], lanes: Value) -> None:
        """Which witnesses are still not positive, after those of earlier stages have acted."""
        w = self.w
        w.store_where(lanes, 0.0, "back")
        self.agree(lanes)
        w.call("events", "input", "g_now")
        for i in later:
            w.store_where(lanes & ~(w.load("g_now", i) <= 0.0), 0.0, "crossed", i)

    def _handle(self, now: Mapping[int, Value]) -> None:
        """Witnesses of one stage have crossed."""
        w, witnesses = self.w, self.lane_events.witnesses
        relations: dict[int, Value] = {}
        fired: dict[int, Value] = {}
        for i, lanes in now.items():
            found = relations if witnesses[i].relation else fired
            number = witnesses[i].number
            found[number] = found[number] | lanes if number in found else lanes
        for number, lanes in relations.items():
            self._switch(number, lanes)
        if fired:
            self._act(fired, True)
            for number, lanes in fired.items():
                w.store_where(lanes, 1.0, "before", number)

    # --- actions ---

    def _rising(self, lanes: Value) -> Value:
        """Let actions of the earliest stage act whose condition has become true; in which lanes one has."""
        w, actions = self.w, self.lane_events.actions
        self.look()
        now = [self.decided("conditions", k).differs(0.0) for k in range(len(actions))]
        before = [w.load("before", k).differs(0.0) for k in range(len(actions))]
        rising = {k: lanes & now[k] & ~before[k] for k in range(len(actions))}
        earlier = w.truth(False)
        for stage in sorted({action.stage for action in actions}):
            own = [k for k, action in enumerate(actions) if action.stage == stage]
            found = _any(w, [rising[k] for k in own])
            for k in own:
                rising[k] = rising[k] & ~earlier
            earlier = earlier | found
        for k in range(len(actions)):
            w.store_where(lanes, where(before[k] & now[k] | rising[k], 1.0, 0.0), "before", k)
        some = _any(w, rising.values())
        w.if_any(some, lambda: self._act(rising, False))
        return some

    def _act(self, fired: Mapping[int, Value], from_event: bool) -> None:
        """Set the targets of actions; where one reverses the motion, the state goes back to the side it came from."""
        w, n, actions = self.w, self.step.n, self.lane_events.actions
        for k, lanes in fired.items():
            self.count(lanes)
            if actions[k].ends:
                w.store_where(lanes, float(UNDECIDED), "status")
        resets = [lanes for k, lanes in fired.items() if any(slot <= n for slot, _ in actions[k].targets)]
        if not (resets and from_event):
            self._set(fired)
            return
        back = _any(w, resets) & w.load("back").differs(0.0)
        for i in range(n):
            w.store(w.load("input", i, 1), "saved", i)
            w.store_where(back, w.load("x_before", i), "input", i, 1)
        for k, slot in enumerate(self.lane_events.slots):
            w.store(w.load("input", slot), "saved", k, n)
        w.store_where(back, 0.0, "back")
        self._set(fired)
        onwards = back & self._goes_on(fired)

        def from_beyond() -> None:
            for i in range(n):
                w.store_where(onwards, w.load("saved", i), "input", i, 1)
            for k, slot in enumerate(self.lane_events.slots):
                w.store_where(onwards, w.load("saved", k, n), "input", slot)
            self._set({k: lanes & onwards for k, lanes in fired.items()})

        w.if_any(onwards, from_beyond)

    def _set(self, fired: Mapping[int, Value]) -> None:
        """New values, all computed from the values before."""
        w = self.w
        self.look()
        new: dict[int, tuple[Value, Value]] = {}
        bad = w.truth(False)
        for k, lanes in fired.items():
            action = self.lane_events.actions[k]
            count = len(action.targets)
            for i, (slot, slope) in enumerate(action.targets):
                old, wanted = w.load("out", action.news + i), w.load("out", action.news + count + i)
                value = w.load("input", slot) + (wanted - old) / slope
                bad = bad | lanes & ~(value * 0.0).equals(0.0)
                if slot in new:
                    others, other = new[slot]
                    bad = bad | lanes & others & (magnitude(other - value) > FITS * magnitude(value))
                    value, lanes_of_slot = where(lanes, value, other), lanes | others
                else:
                    lanes_of_slot = lanes
                new[slot] = lanes_of_slot, value
        for slot, (lanes, value) in new.items():
            w.store_where(lanes, value, "input", slot)
        w.store_where(bad, float(UNDECIDED), "status")

    def _goes_on(self, fired: Mapping[int, Value]) -> Value:
        """Whether the motion goes on through the conditions: two short steps of Euler's method tell."""
        w, n, witnesses = self.w, self.step.n, self.lane_events.witnesses
        w.call("events", "input", "g_high")
        self.p.copy("input", "x1", 0, 1)
        for _ in range(2):
            w.call("rhs", "input", "slope")
            w.each(n, lambda i: w.store(w.load("input", i, 1) + TURN * w.load("slope", i), "input", i, 1))
        w.call("events", "input", "g_now")
        self.p.copy("x1", "input", 1)
        return _any(w, [fired[item.number] & (w.load("g_now", i) < w.load("g_high", i))
                        for i, item in enumerate(witnesses) if not item.relation and item.number in fired])

    def aim(self, lanes: Value) -> None:
        """The next instant that is known beforehand; the run lands on it."""
        w = self.w
        stop = w.load("stop")
        if "instant" not in self.places:
            w.store_where(lanes, NEVER, "instant")
            w.store_where(lanes, stop, "target")
            return
        self.look()
        instant = self.decided("instant", 0)
        w.store_where(lanes, instant, "instant")
        w.store_where(lanes, where((instant > w.load("t")) & (instant < stop), instant, stop), "target")


def _any(w: StepWriter, conditions: Iterable[Value]) -> Value:
    some = w.truth(False)
    for condition in conditions:
        some = some | condition
    return some
