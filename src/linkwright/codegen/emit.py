"""Straight-line code as LLVM IR, scalar or over W lanes.

Long code is cut into functions of about `CHUNK` instructions, because LLVM's time grows faster than linearly with
the length of a function, and its quick code gets worse.  Values used in a later function go through slots of the
workspace; all others stay in registers.
"""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca

from linkwright.codegen.active_equations import closed_code, is_closed
from linkwright.codegen.best_row import is_least
from linkwright.codegen.best_row_code import least_code
from linkwright.codegen.instruction_order import interleaved
from linkwright.codegen.instructions import CALLED, COS_PART, LOAD, SIN_PART, SINCOS, Code
from linkwright.codegen.loop_code import loop_code
from linkwright.codegen.piece import Lanes, Piece, Places, Support
from linkwright.codegen.register_plan import deep_first, plan, turned
from linkwright.codegen.rolled import roll
from linkwright.codegen.rolled_code import RolledPiece, lay_out
from linkwright.codegen.routines import is_routine, routine_code
from linkwright.codegen.surfaces import is_surface, surface_code
from linkwright.codegen.switched import Part, parts_of

from .tolerances import CHUNK, WHOLE

_VOID = "ptr noalias readonly %in, ptr noalias %out, ptr noalias %work"
#: what is called, and how it is written; anything else is a loop over rows
_WRITTEN = ((is_closed, closed_code), (is_routine, routine_code), (is_least, least_code),
            (is_surface, surface_code))


def split(code: Code, live: list[int], size: int) -> list[list[int]]:
    """`live` cut into pieces of about `size` computed values; the parts of a SINCOS stay with it."""
    pieces: list[list[int]] = [[]]
    count = 0
    for v in live:
        op = code.op[v]
        if op == ca.OP_CONST or op == LOAD:
            continue
        if count >= size and op not in (SIN_PART, COS_PART):
            pieces.append([])
            count = 0
        pieces[-1].append(v)
        count += 1
    return pieces


def crossing_slots(code: Code, pieces: list[list[int]],
                   laid_down: list[list[tuple[int, int]]]) -> tuple[dict[int, int], int]:
    """Workspace slot of every value used in a later piece than its own, and how many slots that takes.

    A slot is free again after the last piece that reads it; `laid_down` are arguments of calls, by pieces.
    """
    already = {argument for piece in laid_down for argument in piece}
    piece_of: dict[int, int] = {}
    last: dict[int, int] = {}
    for p, piece in enumerate(pieces):
        read = [code.calls[code.left[call]][1][k] for call, k in laid_down[p]]
        for v in piece:
            piece_of[v] = p
            read += [a for k, a in enumerate(code.operands(v)) if (v, k) not in already]
        for a in read:
            # results of a call are read from memory
            if piece_of.get(a, p) != p and code.op[a] != CALLED:
                last[a] = p
    slots: dict[int, int] = {}
    free: list[int] = []
    used = 0
    ending: list[list[int]] = [[] for _ in pieces]
    for p, piece in enumerate(pieces):
        for v in piece:
            if v in last:
                if free:
                    slots[v] = free.pop()
                else:
                    slots[v] = used
                    used += 1
                ending[last[v]].append(slots[v])
        free.extend(ending[p])
    return slots, used


def emit_straight(
    name: str,
    code: Code,
    stores: list[tuple[int, int, int]],
    places: Places,
    spill: int,
    lanes: Lanes,
    fast: bool,
    support: Support,
    quick: bool = False,
) -> tuple[list[str], int, int]:
    """IR of `void @name(in, out, work)` that computes `code` and stores (value, vector, element) for each of `stores`.

    `spill` is the first workspace slot for values that cross from one piece to the next.  Code for the `quick` tier
    keeps its order and is always cut: LLVM's fast register allocation likes neither long functions nor many values
    alive.  Returns the lines, the
    number of such slots, and the number of arithmetic instructions.
    """
    live = code.live([v for v, _, _ in stores])
    if support.room is not None:
        live = deep_first(code, [v for v, _, _ in stores])
        if len(live) > WHOLE:
            return _emit_planned(name, code, live, stores, places, spill, lanes, fast, support)
        parts = [Part((), live)]
    else:
        parts = parts_of(code, live, [v for v, _, _ in stores])
    size = CHUNK if quick or len(live) > WHOLE else WHOLE
    pieces: list[list[int]] = []
    owners: list[Part] = []
    for part in parts:
        own = part.values if support.room is not None or quick else interleaved(code, part.values)
        cut = split(code, own, size)
        pieces += cut
        owners += [part] * len(cut)
    calls, taken = code.call_places(live, spill)
    spill += taken
    _define_called(code, calls, support)
    laid_down = _laid_down(code, parts, pieces, owners)
    known = {argument for piece in laid_down for argument in piece}
    slots, used = crossing_slots(code, pieces, laid_down)
    targets: dict[int, list[tuple[int, int]]] = {}
    for v, vector, element in stores:
        targets.setdefault(v, []).append((vector, element))
    lines: list[str] = []
    # results that are inputs or constants, each piece that is always computed its share
    plain = [(v, *target) for v in targets if code.op[v] in (ca.OP_CONST, LOAD) for target in targets[v]]
    always = [p for p, part in enumerate(owners) if not part.conditions]
    for _ in range(-(-len(plain) // max(WHOLE, CHUNK)) - len(always)):
        always.append(len(pieces))
        pieces.append([])
        owners.append(Part(()))
        laid_down.append([])
    share = -(-len(plain) // max(len(always), 1))
    plain_of = {p: plain[k * share : (k + 1) * share] for k, p in enumerate(always)}
    whole = len(pieces) == 1 and not owners[0].conditions
    for p, piece in enumerate(pieces):
        writer = Piece(code, places, slots, spill, lanes, fast, support, calls, known)
        lines.append(f"define internal void @{name if whole else f'{name}_{p}'}({_VOID}) #0 {{\nentry:")
        for v, vector, element in plain_of.get(p, ()):
            writer.store(v, *places.of[vector], element)
        if lanes.width == 1:
            writer.sincos_together([v for v in piece if code.op[v] == SINCOS and code.op[code.left[v]] == LOAD])
        for v in piece:
            writer.compute(v)
            for vector, element in targets.get(v, ()):
                writer.store(v, *places.of[vector], element)
            if v in slots:
                writer.store(v, "%work", spill, slots[v])
        for call, k in laid_down[p]:
            writer.store(code.calls[code.left[call]][1][k], "%work", calls[call][0], k)
        lines.extend(writer.lines)
        lines.append("  ret void\n}")
    if not whole:
        writer = Piece(code, places, {}, spill, lanes, fast, support)
        for p, part in enumerate(owners):
            if p == 0 or owners[p - 1] is not part:
                writer.enter(part.conditions)
            writer.lines.append(f"  call void @{name}_{p}(ptr %in, ptr %out, ptr %work)")
        writer.enter(())
        lines.append(f"define internal void @{name}({_VOID}) #0 {{\nentry:")
        lines.extend(writer.lines)
        lines.append("  ret void\n}")
    return lines, taken + used, code.arithmetic(live)


def _laid_down(code: Code, parts: list[Part], pieces: list[list[int]],
               owners: list[Part]) -> list[list[tuple[int, int]]]:
    """Arguments of calls that each piece lays down: where they are computed, else in the first piece of their part."""
    out: list[list[tuple[int, int]]] = [[] for _ in pieces]
    for part in parts:
        own = [p for p, owner in enumerate(owners) if owner is part]
        piece_of = {v: p for p in own for v in pieces[p]}
        for call, k in part.arguments:
            out[piece_of.get(code.calls[code.left[call]][1][k], own[0])].append((call, k))
    return out


def _emit_planned(name: str, code: Code, live: list[int], stores: list[tuple[int, int, int]], places: Places,
                  spill: int, lanes: Lanes, fast: bool, support: Support) -> tuple[list[str], int, int]:
    """One function in which every value has a planned place (see `register_plan`); repetitions become loops."""
    calls, taken = code.call_places(live, spill)
    _define_called(code, calls, support)
    room = support.room
    loops, given = turned(code, live, room)
    used = 2 * sum(loop.count for loop in loops)
    rolled = roll(code, live, stores, given)
    if rolled is not None:
        layout = lay_out(rolled, used, room.near)
        support.near = max(support.near, layout.near)
        body = RolledPiece(code, stores, rolled, layout, places, spill, given, lanes, fast, support).write(loops)
        lines = [f"define internal void @{name}({_VOID}) #0 {{\nentry:", *body, "  ret void\n}"]
        return lines, layout.far, code.arithmetic(live)
    made = plan(code, live, room, given)
    writer = Piece(code, places, {}, 0, lanes, fast, support, calls)
    writer.begin_planned(spill + taken, used, given)
    for loop in loops:
        writer.turn(loop)
    targets: dict[int, list[tuple[int, int]]] = {}
    for v, vector, element in stores:
        if code.op[v] in (ca.OP_CONST, LOAD) or v in given:
            writer.store(v, *places.of[vector], element)
            writer.forget(v)
        else:
            targets.setdefault(v, []).append((vector, element))
    for k, v in enumerate(made.order):
        for a in made.fetched.get(k, ()):
            writer.fetch(a, made)
        writer.compute(v)
        for vector, element in targets.get(v, ()):
            writer.store(v, *places.of[vector], element)
        for a in made.put_away.get(k, ()):
            writer.put_away(a, made)
        for a in made.forgotten.get(k, ()):
            writer.forget(a)
    support.near = max(support.near, min(used + made.places, room.near))
    lines = [f"define internal void @{name}({_VOID}) #0 {{\nentry:", *writer.lines, "  ret void\n}"]
    return lines, taken + max(used + made.places - room.near, 0), code.arithmetic(live)


def _define_called(code: Code, calls: Iterable[int], support: Support) -> None:
    """The functions that are called, defined where they are linked."""
    for v in calls:
        function = code.calls[code.left[v]][0]
        written = next((code for kind, code in _WRITTEN if kind(function)), loop_code)
        support.define(*written(function, support.vector))
