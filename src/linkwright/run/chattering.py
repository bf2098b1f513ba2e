"""Chattering: events that follow each other while no time passes are noticed, and the modes that alternate named."""

from __future__ import annotations

from collections import deque

import numpy as np

from ..system.event_programs import Witness
from .tolerances import CHATTERING, CHATTERING_TIME
from .trouble import Trouble

ADVICE = ("Likely: each mode drives back into the other, or bounces that become ever smaller. Give the switch a "
          "hysteresis (m.discrete with two m.when), a smooth law (lw.smooth_where, lw.tanh), or let it come to rest "
          "(friction=lw.Coulomb, a stop on the joint).")
SLIDING = {"slide", "hold+", "hold-"}
SLIDING_ADVICE = ("Likely: friction on a motion that something else holds at rest. Put a compliance (a spring with a "
                   "damper) between the two, or let the friction act on what is free to move.")
CONTACT = {"touch", "part", "slow", "fast", "halt", "slip"}
CONTACT_ADVICE = ("Likely: bodies that touch in many points at once, or strike one that others touch already. Take "
                  "lw.simulate(…, method=\"time_stepping\"), which steps all contacts together; or a compliant law "
                  "(contact.HuntCrossley, contact.Linear), which has forces in place of impacts.")


class Chattering:
    """Remembers the last events of a run."""

    def __init__(self, modes: list[str]):
        self.modes = modes  # names of the discrete variables
        self.recent: deque = deque(maxlen=CHATTERING)

    def notice(self, t: float, crossed: list[Witness], d: np.ndarray) -> Trouble | None:
        """Note an event; trouble where two modes alternate for ever, or bounces come closer and closer without end."""
        self.recent.append((t, crossed, d.copy()))
        span = t - self.recent[0][0]
        if len(self.recent) < CHATTERING or span > CHATTERING_TIME * max(1.0, abs(t)):
            return None
        (_, *before), (_, *last) = self.recent[-2], self.recent[-1]
        one, two = (", ".join(w.name for w in crossed) for crossed, _ in (before, last))
        differ = np.flatnonzero(before[1] != last[1])
        modes = [", ".join(f"{self.modes[k]} = {values[k]:g}" for k in differ) for _, values in (before, last)]
        which = f"the modes ({modes[0]}) and ({modes[1]}) alternate" if len(differ) else \
            f"'{two}' happens again and again"
        kinds = {w.what for w in (*before[0], *last[0])}
        advice = SLIDING_ADVICE if kinds <= SLIDING else CONTACT_ADVICE if kinds <= CONTACT else ADVICE
        return Trouble(f"at t = {t:.9g} s events follow each other without time passing: {which} ({CHATTERING} events "
                       f"in {span:.2g} s; the last ones {one} and {two}). {advice}")


def brief(names: str) -> str:
    """The first of a list of names, and how many more there are."""
    first, *others = names.split(", ")
    return names if len(others) < 4 else f"{', '.join([first, *others[:2]])} and {len(others) - 2} more"
