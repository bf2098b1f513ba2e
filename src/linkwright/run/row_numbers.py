"""What the rows and contacts of all runs of a model have in common: sizes, tables, where their numbers lie."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from ..system import System, alone, proportional
from ..system.event_programs import is_given, place, sharing, witnesses_of
from . import contact_record as cr
from . import row_record as rr
from . import tolerances as tol

#: arrays of whole numbers among those that change
WHOLE = ("numbers", "holding", "crossed", "known", "parts", "log", "contact_numbers", "which", "held", "kinds_of",
         "partners", "slides", "order", "contact_log")
#: witnesses by what they tell
KINDS = rr.WITNESSES | cr.WITNESSES


@dataclass(frozen=True)
class RowNumbers:
    """`sizes` of the record, arrays that never change (`known`), shapes of those that do, how those begin that last."""

    names: list[str]  # of rows
    contacts: list[str]
    sizes: dict[str, int]
    known: dict[str, np.ndarray]
    shapes: dict[str, tuple[int, ...]]
    begins: dict[str, np.ndarray]
    course: tuple[int, int]  # of the course of contacts, where somebody asks for it
    needs_jumps: bool  # whether impulses may be asked for

    @property
    def n_lasting(self) -> int:
        """Numbers of the arrays that last, which come first, and of those between them."""
        names = list(self.shapes)
        last = 1 + max(names.index(name) for name in rr.LASTING)
        return sum(prod(self.shapes[name]) for name in names[:last])

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays of a run that has not begun, in one piece of memory; those that last come first."""
        room, out = np.empty(sum(map(prod, self.shapes.values()))), {}
        end = 0
        for name, shape in self.shapes.items():
            part, end = room[end : end + prod(shape)], end + prod(shape)
            out[name] = (part.view(np.int64) if name in WHOLE else part).reshape(shape)
        self.begin(out)
        return out

    def begin(self, arrays: dict[str, np.ndarray]) -> None:
        """Give what lasts in the arrays of a run the values with which runs begin."""
        for name, numbers in self.begins.items():
            arrays[name][...] = numbers
        arrays["x_before"][:] = 0.0
        arrays["slack"][:] = 0.0


def row_numbers(system: System) -> RowNumbers:
    """Made once for all systems on the same code."""
    return system.code.once(("rows",), lambda: _row_numbers(system))


def _row_numbers(system: System) -> RowNumbers:
    e, layout = system.equations, system.layout
    m, h, d = e.mechanism, e.mechanism.events, layout.places["d"]
    slots = {name: d.start + k for k, name in enumerate(system.part_names("d"))}
    n, n_conditional, n_contacts = (len(some) for some in (h.bounded, h.conditional, h.contacts))
    n_sliding = sum(row.slides for row in h.bounded)
    single, witnesses = {row: (at, slope) for row, at, slope in alone(e)}, witnesses_of(e)
    switched = [(r.name, kept) for r in e.rows if r.mode is not None for kept in r.kept]
    number = {row: k for k, row in enumerate(switched)}
    fixed, reals = _by_row(system, slots, single, [name for name, _ in switched])
    contact_fixed = _by_contact(system, slots, number)
    own = contact_fixed[list(cr.OWN)].ravel()
    balls = np.array([slots[ball.held.name()] for ball in h.balls if not ball.holds_impacts], np.int64)
    beside = np.zeros((n_sliding, n_sliding), np.int64)
    for k, others in sharing(e).items():
        beside[k, others] = 1
    known = {
        "fixed": fixed, "contact_fixed": contact_fixed, "beside": beside, "own": np.concatenate([own, balls]),
        "meets": _table([(start, rows.G.shape[0] * (rows.level == "position"))
                         for start, rows in (place(e, row.name) for row in h.conditional)], 2),
        "alone": _table([(row, at) for row, (at, _) in single.items()], 2),
        "alone_slopes": np.array([slope for _, slope in single.values()]),
        "kinds": np.array([KINDS.get(w.what, rr.OTHER) for w in witnesses], np.int64),
        "owners": np.array([w.number for w in witnesses], np.int64),
        "start_y": np.array(layout.start_y, dtype=float)}
    most = n_contacts + n - n_sliding if n_contacts else 0
    impacts = any(row.half_line for row in h.bounded)
    held_alone = np.all((fixed[rr.ALONE, :n_sliding] >= 0) | (fixed[rr.GIVEN, :n_sliding] != 0))
    sizes = {
        "n": n, "n_sliding": n_sliding, "n_conditional": n_conditional, "n_contacts": n_contacts,
        "n_in": layout.n_in, "nx": m.nq + m.nu + layout.size("z"), "nq": m.nq, "nu": m.nu,
        "n_d": d.stop - d.start, "d_at": d.start, "n_y": len(layout.start_y), "y_at": layout.places["y"].start,
        "n_equations": sum(r.G.shape[0] for r in e.rows), "n_switched": len(switched), "n_alone": len(single),
        "n_witnesses": len(witnesses), "n_own": len(own), "n_own_and_balls": len(own) + len(balls),
        "n_known": tol.IMPACT_SEARCH * (1 + n) if n else 0, "n_rubbing": len(proportional(e)), "most": most,
        "size": 3 * most, "shared": int(beside.any()), "impacts": int(impacts),
        "permanent": int(any(r.mode is None for r in e.rows) or n_conditional > 0)}
    begins = {"numbers": np.zeros((rr.N_NUMBERS, n), np.int64), "reals": reals,
              "holding": np.zeros(n_conditional, np.int64),
              "contact_numbers": np.zeros((cr.N_NUMBERS, n_contacts), np.int64),
              "contact_reals": np.zeros((cr.N_REALS, n_contacts))}
    begins["contact_numbers"][cr.UNIQUE] = 1
    course = 2 * tol.CONTACT_ROUNDS * (1 + tol.RESTITUTION_HALVINGS), 2 + most + layout.n_in
    return RowNumbers([row.name for row in h.rows], [c.name for c in h.contacts], sizes, known,
                      _shapes(sizes), begins, course, impacts or n_conditional + n_contacts > 0 or not held_alone)


def _table(lines: list[tuple[int, ...]], width: int) -> np.ndarray:
    return np.array(lines, np.int64).reshape(-1, width)


def _shapes(sizes: dict[str, int]) -> dict[str, tuple[int, ...]]:
    """Of the arrays that change; those of contacts are empty where there are none."""
    n, n_in, nx, nu, n_conditional, n_contacts, most, size, n_witnesses = (sizes[name] for name in (
        "n", "n_in", "nx", "nu", "n_conditional", "n_contacts", "most", "size", "n_witnesses"))
    lines = 2 * tol.CONTACT_ROUNDS * (1 + n_contacts) + 2 * n_contacts if n_contacts else 0
    of_all = {
        "numbers": (rr.N_NUMBERS, n), "reals": (rr.N_REALS, n), "holding": (n_conditional,), "crossed": (n_witnesses,),
        "contact_numbers": (cr.N_NUMBERS, n_contacts), "contact_reals": (cr.N_REALS, n_contacts),
        "slack": (n_witnesses,), "known": (sizes["n_known"],), "x_before": (nx,), "inputs_before": (n_in,),
        "inputs_aside": (n_in if n else 0,), "parts": (n,), "impulse": (nu if n else 0,),
        "tried_y": (sizes["n_y"] if n else 0,),
        "log": (4 * n + n_conditional + n_witnesses + 8, 2), "course": (n + 4, 1 + n + n_in)}
    by_row = ("b", "v", "steps", "force", "first_phase", "motion", "best", "cone_x", "cone_F", "cone_change",
              "cone_tried", "cone_walked", "order", "present", "wanted", "found", "shift_of")
    by_one = ("which", "held", "give", "kinds_of", "partners", "least", "slides", "strain", "own_mu")
    of_contacts = {
        "aside": (sizes["n_own"],), "rows_aside": (n if n_contacts else 0,),
        "speeds": (nu,), "W": (size, size), "changes": (size, nu), "laws": (most, 3), "ways": (most, 2),
        "cone_right": (2 * size,), "cone_J": (2 * size, size), "A": (size, size), "L": (size, size),
        "basis": (size, size), **dict.fromkeys(by_row, (size,)), **dict.fromkeys(by_one, (most,)),
        "contact_log": (lines, 3), "contact_values": (lines, 3)}
    return of_all | (of_contacts if n_contacts else {name: (0,) * len(shape) for name, shape in of_contacts.items()})


def _by_row(system: System, slots: dict[str, int], single: dict[int, tuple[int, float]],
            switched: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """The whole and real numbers of every row."""
    e, h = system.equations, system.mechanism.events
    numbers, reals = (np.zeros((lines, len(h.bounded)), kind)
                      for lines, kind in ((rr.N_FIXED, np.int64), (rr.N_REALS, float)))
    rubbing = {k: number for number, k in enumerate(proportional(e))}
    axes = {us.start: qs.start for qs, us in zip(*e.mechanism.slices(), strict=True)
            if qs.stop - qs.start == us.stop - us.start == 1}
    number = {name: k for k, name in enumerate(switched)}
    for k, row in enumerate(h.bounded):
        at = place(e, row.name)[0]
        numbers[rr.HELD, k] = slots[row.held.name()]
        numbers[rr.WAY, k] = -1 if row.direction is None else slots[row.direction.name()]
        numbers[rr.HALF_LINE, k], numbers[rr.FIRM, k] = row.half_line, row.holds_impacts
        numbers[rr.GIVEN, k] = row.slides and is_given(e, row.name)
        numbers[rr.RUB, k] = -1 if row.holds_impacts else rubbing.get(k, -1)
        numbers[rr.PLACE, k], numbers[rr.SWITCHED, k] = at, number.get(row.name, -1)
        numbers[rr.ALONE, k], reals[rr.SLOPE, k] = single.get(at, (-1, 0.0))
        numbers[rr.AXIS, k] = axes.get(int(numbers[rr.ALONE, k]), -1)
        numbers[rr.INSIDE, k] = row.starts_inside
    reals[rr.PATIENCE], reals[rr.LEFT] = 1.0, -np.inf
    return numbers, reals


def _by_contact(system: System, slots: dict[str, int], number: dict[tuple[str, int], int]) -> np.ndarray:
    """The whole numbers of every contact that stay as they are."""
    e, contacts = system.equations, system.mechanism.events.contacts
    pairs = {pair: k for k, pair in enumerate(dict.fromkeys(c.pair for c in contacts))}
    F = np.zeros((cr.N_FIXED, len(contacts)), np.int64)
    for k, c in enumerate(contacts):
        for line, mode in ((cr.CLOSED, c.closed), (cr.STUCK, c.stuck), (cr.ARMED, c.armed), (cr.SLOW, c.slow)):
            F[line, k] = slots[mode.name()]
        for first, name, count in ((cr.WAY_1, "direction", 2), (cr.SHARE_1, "share", 3), (cr.ANCHOR_1, "anchor", 2)):
            F[first : first + count, k] = [slots[f"{c.name}.{name}[{i}]"] for i in range(count)]
        F[cr.NORMAL, k], F[cr.PLACE, k] = number.get((c.normal, 0), -1), place(e, c.normal)[0]
        F[[cr.ACROSS_1, cr.ACROSS_2], k] = [-1 if c.tangent is None else number.get((c.tangent, i), -1)
                                            for i in range(2)]
        F[cr.RUBS, k], F[cr.NEWTON, k], F[cr.PAIR, k] = c.tangent is not None, c.newton, pairs[c.pair]
    return F


def situation_parts(system: System) -> dict[str, int]:
    """Where in the situation the tables lie that the record points at."""
    situation = system.code.situation
    told = [name for name, _ in situation.program.outputs]
    parts = {"table": "rows", "touching": "contacts", "conditions": "conditional", "scales": "scales"}
    return {name: situation.slice_out(part).start if part in told else 0 for name, part in parts.items()}


def jump_parts(system: System) -> tuple[dict[str, int], dict[str, int]]:
    """Where the parts lie of a jump's inputs, and of its outputs."""
    jump, n_in, nu = system.code.jump, system.layout.n_in, system.mechanism.nu
    told = {name: jump.slice_out(name).start for name, _ in jump.program.outputs if name in rr.JUMP}
    return {"sent": n_in, "bottom": n_in + nu + 1}, told
