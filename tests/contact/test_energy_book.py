"""The energy book of every example with contact: what is there, what was lost and what was brought keep the balance.

    kinetic + potential + stored + lost (∫ loss_power dt, and `loss` in r.contacts) − brought by drives = constant

to ten times the accuracy of the run, relative to the peak of what is in the book.  Powers are integrated by Gauss's
rule over the steps of the run, on its dense output.
"""

import runpy
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

EXAMPLES = Path(__file__).parents[2] / "examples"
#: example → seconds of its run; stepped ones (pool_break) have no accuracy to hold against
STOPS = {"bouncing_ball": 5.0, "box_on_a_slope": 1.2, "cam_drive": 1.0, "diving_board": 1.2, "dominoes": 0.6,
         "gear_pair": 0.08, "gripper": 2.5, "landing": 4.0, "quadruped": 3.0, "rattleback": 5.0, "tippe_top": 5.0,
         "trolley": 2.0, "woodpecker": 2.0}
STEPPED = ("pool_break",)
ACCURACY = 1e-8  # of `simulate`, unless told otherwise
#: example → (power by the names of results, sign) that is brought from outside
BROUGHT = {
    "gear_pair": [(10.0, "driver.w", 1.0), (10.0 * 23 / 17, "driven.w", 1.0)],
    "gripper": [("post.f", "post.v", 1.0), *[(8.0, f"rail[{k}].v", -1.0) for k in range(2)]],
    "quadruped": [(f"leg[{k}].drive[{j}].tau", f"leg[{k}].joint[{j}].w", 1.0) for k in range(4) for j in range(3)],
}
PLACES, WEIGHTS = np.polynomial.legendre.leggauss(16)


def has_contact(path):
    """Whether an example has contact."""
    text = path.read_text(encoding="utf-8")
    return "contact.Pair(" in text or "m.contacts(" in text


def test_every_example_with_contact_is_in_the_book():
    assert {path.stem for path in EXAMPLES.glob("*.py") if has_contact(path)} == {*STOPS, *STEPPED}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(STOPS))
def test_the_energy_book_balances(name):
    model = next(v for v in runpy.run_path(str(EXAMPLES / f"{name}.py")).values() if isinstance(v, lw.Model))
    r = lw.simulate(model, STOPS[name], accuracy=ACCURACY, dense=True)
    ends = np.unique([*r._stepper.steps_t, *[row.time for row in r.contacts], r.t[0], r.t[-1]])
    width, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    times = (middle[:, None] + width[:, None] * PLACES).ravel()
    losses = [name for name in r.names if name.endswith(".loss_power")]
    there = r.at(times)

    def read(what):
        return what if isinstance(what, float) else there[what]

    power = sum((there[name] for name in losses), np.zeros(len(times)))
    lost = np.concatenate([[0.0], np.cumsum((power.reshape(-1, len(PLACES)) @ WEIGHTS) * width)])
    power = sum((sign * read(f) * read(v) for f, v, sign in BROUGHT.get(name, [])), np.zeros(len(times)))
    brought = np.concatenate([[0.0], np.cumsum((power.reshape(-1, len(PLACES)) @ WEIGHTS) * width)])
    hits = np.array([(row.time, row.loss) for row in r.contacts if row.loss]).reshape(-1, 2)
    struck = np.array([hits[hits[:, 0] < t, 1].sum() for t in ends])
    at = r.at(ends)
    potential = at["potential_energy"] - at["potential_energy"][0]
    stored = at["elastic_energy"] if "elastic_energy" in r else np.zeros(len(ends))
    book = at["kinetic_energy"] + potential + stored + lost + struck - brought
    peak = max(np.abs(x).max() for x in (at["kinetic_energy"], potential, stored, lost + struck, brought))
    assert np.abs(book - book[0]).max() <= 10 * ACCURACY * peak, np.abs(book - book[0]).max() / (ACCURACY * peak)
