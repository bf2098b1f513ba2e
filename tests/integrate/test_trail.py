"""The files that one step, and the location of one event, go through are few, and are those that are documented."""

import re
import sys
from pathlib import Path

import integrate_models as models
import pytest
from test_plain_pieces import as_python

from linkwright.integrate import jit

ROOM = Path(jit.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"


def files_of_one_step(functions, until, monkeypatch):
    """Names of the files in which functions are called in the step after the time `until`."""
    monkeypatch.setattr(jit, "load", as_python)
    s = models.stepper("dopri5", functions, 5, 0, (2, 2, 0), [0.5, 0.0, 0.0, 1.7], n_events="events" in functions,
                       accuracy=1e-5)
    s.run(until)
    s._make_room(2)
    s._point()
    s._r.chunk, s._r.target, s._r.horizon = 1, 2.0, 2.0
    found = set()

    def called(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.parent == ROOM and frame.f_code.co_name[0] not in "_<":
            found.add(path.name)

    sys.setprofile(called)
    try:
        s._advance(s._memory.ctypes.data, 0)
    finally:
        sys.setprofile(None)
    assert s.counters["events_found"] == ("events" in functions)
    return found


@pytest.fixture
def told():
    """The files that the page names, of a step and of an event beside it."""
    section = PAGE.read_text().split("## One step, and one event")[1].split("## ")[0]
    step = re.findall(r"^\| `integrate/(\w+\.py)`", section, re.MULTILINE)
    event = section.split("An event is located")[1].split("All of them")[0]
    return set(step), set(re.findall(r"`integrate/(\w+\.py)`", event))


def test_an_explicit_step(monkeypatch, told):
    step, _ = told
    assert files_of_one_step({"rhs": models.kepler.address}, 0.05, monkeypatch) == step
    assert len(step) <= 6


def test_the_location_of_an_event(monkeypatch, told):
    step, event = told
    functions = {"rhs": models.kepler.address, "events": models.height.address}
    # the orbit crosses x = 0 at 0.608
    assert files_of_one_step(functions, 0.5, monkeypatch) == step | event
    assert len({"loop.py"} | event) <= 4
