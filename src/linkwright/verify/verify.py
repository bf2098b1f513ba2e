"""`lw.verify`: a model on every route."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence

from ..compiler import afresh, model_of, names, number
from ..errors import LinkwrightError, unknown_name
from ..language import Model
from . import exported, files, here, many
from .cases import Case
from .comparison import Accuracy, differing, differing_bits
from .report import DIFFERS, LEFT_OUT, NOT_INSTALLED, REFUSES, SAME, SAME_BITS, UNEXPECTED, Report, Row
from .routes import BITS, NotComparedError, Route

#: in the order in which they are run: those that take long come last
ROUTES: tuple[Route, ...] = (*here.ROUTES, *many.ROUTES, *exported.ROUTES, *files.ROUTES, *here.SLOW_ROUTES)


def verify(m: Model, stop: float, routes: Sequence[str] | str | None = None, limit: float = 60.0,
           accuracy: float = 1e-8) -> Report:
    """Run a model on every route and compare the motions with that of `simulate`.

        print(lw.verify(m, 2.0))

    `routes` lists names of routes or their first letters ("method", "sweep", "fmu"); by default all are run, and no
    further route is started once `limit` seconds have passed.  The result is a table with one row per route: *same
    bits*, *same to accuracy*, *differs* (first where, and by how much), *refuses* (why), *not installed*, *left
    out*.  It is true if no row differs.  The model is not changed: every route gets a copy, including controllers in
    Python.
    """
    stop, limit, accuracy = number("stop", stop), number("limit", limit), number("accuracy", accuracy)
    chosen = _chosen(routes)
    began = time.monotonic()
    with warnings.catch_warnings(), afresh():
        warnings.simplefilter("ignore")
        case = Case(model_of(m), stop, accuracy, limit)
        rows = []
        for route in chosen:
            if time.monotonic() - began > limit:
                rows.append(Row(route.name, LEFT_OUT, f"{limit:g} s have passed"))
            else:
                rows.append(_row(route, case))
    return Report(case.template.title, stop, accuracy, tuple(rows))


def _chosen(routes: Sequence[str] | str | None) -> list[Route]:
    wanted = names("routes", routes)
    for name in wanted:
        if not any(route.name.startswith(name) for route in ROUTES):
            raise unknown_name(name, [route.name for route in ROUTES], "the list of routes")
    return [route for route in ROUTES if not wanted or route.name.startswith(wanted)]


def _row(route: Route, case: Case) -> Row:
    began = time.monotonic()

    def row(status: str, said: str = "", **found: float) -> Row:
        return Row(route.name, status, said, **found, seconds=round(time.monotonic() - began, 3))

    missing = route.missing()
    if missing is not None:
        return row(NOT_INSTALLED, missing)
    _ = case.reference, case.known  # a model that does not run at all is an error of the whole
    try:
        with afresh():
            status, said, numbers = _compared(route, case)
        return row(status, said, **numbers)
    except NotComparedError as error:
        return row(LEFT_OUT, str(error))
    except LinkwrightError as error:
        allowed = any(part in str(error) for part in route.may_refuse)
        return row(REFUSES if allowed else UNEXPECTED, f"{type(error).__name__}: {error}")


def _compared(route: Route, case: Case) -> tuple[str, str, dict[str, float]]:
    """(status, where it differs, until when it was compared and the largest difference)."""
    until, largest, bits = case.reference.ended, 0.0, route.compared == BITS
    for pair in route.run(case):
        what = f"{pair.label}: " if pair.label else ""
        if route.compared == BITS and pair.finer is None:
            found = differing_bits(pair.wanted, pair.found)
        else:
            known, bits = [case.known], False
            if pair.finer is not None:
                known.append(Accuracy.between(pair.found, pair.finer, case.scales))
            found, compared, gap = differing(pair.wanted, pair.found, case.accuracy, known, case.scales)
            until, largest = min(until, compared), max(largest, gap)
        if found is not None:
            return DIFFERS, f"{what}{found}", {}
    if bits:
        return SAME_BITS, "", {}
    if until <= 0:
        raise NotComparedError("the accuracy of the runs is spent at once")
    return SAME, "", {"gap": largest} | ({"until": until} if until < case.reference.ended else {})
