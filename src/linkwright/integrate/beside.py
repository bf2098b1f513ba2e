"""What a run knows of its events, beside the stepper's record: tables, the present instant, and what is told of them.

A lane has these fields for one model (`step_programs.lane_record`); the ordinary run has them for all models, with the
addresses of tables, for code that takes it through its instants (`step_programs.through`).
"""

from __future__ import annotations

from .record import Fields

#: of witnesses, relations, actions and their targets, one table each; `room` is how many states, slots, relations,
#: actions and targets there may be at most
TABLES = ("owner", "number", "stage", "stages", "kind", "slot", "action_stage", "ends", "resets", "sampled",
          "slots", "target_action", "target_slot", "old", "wanted", "slope")
EVENTS = Fields((), (
    *TABLES,
    "n_relations", "n_actions", "n_sampled", "n_targets", "n_slots", "n_stages",
    "at_witnesses", "at_values", "at_fresh", "at_instant", "at_conditions", "room"))

#: what the ordinary run reads afterwards (`tells`), and what it needs to leave an instant to Python: the code of its
#: loop; the situation, its outputs, and the inputs that these belong to; lines of news, lines of instants, a place for
#: all that an instant changes; the record of rows and what lasts of their arrays; the first kind of lines of contacts
#: that is a message; those lengths; how many lines there are, and may be, and their length; events that were decided;
#: the time at which Python is asked
TOLD = Fields(
    ("go_on", "situation", "out", "seen", "news", "instants", "aside", "rows", "lasting"),
    ("tells", "messages_from", "n_rows_slots", "n_lasting", "n_news", "most_news", "n_instants", "most_instants",
     "width", "decided"),
    ("due",))
#: a line of news: when, what (an action, a relation, a row, a contact), its number, direction; of a line of the log of
#: contacts, its kind and its three values
N_NEWS = 8
NEWS_ACTION, NEWS_RELATION, NEWS_ROW, NEWS_CONTACT = range(4)
#: a line of an instant: when, accepted points so far, whether witnesses have crossed, whether inputs beside the state
#: have changed; then all inputs, and which witnesses have crossed
N_HEAD = 4

#: the record of rows (friction, stops, locks, contacts) and the piece that decides them, conditions that were true
#: before, the times of the last events; whether there are events, how many rows there are, what the run is doing, how
#: many events there were, whether witnesses have crossed at the instant, whether its state may still go back before it,
#: whether a step is tried and not accepted, whether it is led by others, whether it changes its method by itself, the
#: number (from 1) of the action that has ended it; the next instant that is known beforehand, the fraction of the step
#: to be shown, the finest error of a step, when the run began, when it is to end
LANE = Fields(("rows", "row_instant", "before", "recent"),
              ("has_events", "n_rows", "doing", "happened", "crossing", "back", "trying", "led", "changes", "ended"),
              ("instant", "fraction", "finest", "since", "until"), events=EVENTS, told=TOLD)
