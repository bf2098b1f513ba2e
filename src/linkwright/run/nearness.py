"""Which of many shapes may be near each other, remembered from one step to the next; and their gaps.

A gap that was measured need not be measured again before the shapes have gone as far.  Between two poses of a shape no
point of it goes farther than

    |Δp| + reach |ΔR|          (|ΔR| = |ΔR|_F/√2: the chord of the angle by which it has turned)

and all of that added up is how far it has `gone`, as by an odometer.  Shapes that were g apart when they had gone a and
b are at least g + a + b − gone_a − gone_b apart; so one number for a pair, g + a + b, says when it must be looked at.

Only pairs whose boxes overlap are looked at all, each box wider by a skin (Verlet 1967): the list of them, found by
sweeping along one axis (`broad_phase`), holds until some shape has used up its skin.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import inf

from ..codegen.dialect import real, sqrt
from ..integrate.record import View
from .broad_phase import overlapping
from .crowd_record import call, integers, matrix, vector
from .tolerances import SKIN_OF_MARGIN, SKIN_OF_REACH


def move(c: View) -> None:
    """The shapes are at the poses of the last look now."""
    poses, last = matrix(c.poses, c.n_shapes, 12), matrix(c.last_poses, c.n_shapes, 12)
    reach, gone, sweeping = vector(c.reach, c.n_shapes), vector(c.gone, c.n_shapes), integers(c.sweeping, c.n_shapes)
    distant = integers(c.distant, c.n_shapes)
    for s in range(c.n_shapes):
        turn, way, bounded = 0.0, 0.0, reach[s] < inf
        for i in range(12):
            change = poses[s, i] - last[s, i]
            turn += change * change if i < 9 else 0.0
            way += change * change if i >= 9 else 0.0
            last[s, i] = poses[s, i]
        turn = sqrt(turn / 2)
        if c.looks == 0:
            # at the first look nothing is known of any way; what is far from the origin of a shape without bounds
            # may be anywhere when it turns
            sweeping[s] = 1 if not bounded and distant[s] == 0 else 0
            continue
        gone[s] += sqrt(way) + (reach[s] * turn if bounded else 0.0)
        if not bounded and turn > 0.0:
            sweeping[s] = 1
    c.looks += 1
    c.n_measured = 0


def find_near(c: View, margins: real[:]) -> None:
    """Encounters whose shapes may be closer than the sum of their margins, in `near`."""
    reach, gone = vector(c.reach, c.n_shapes), vector(c.gone, c.n_shapes)
    skin, before, sweeping = vector(c.skin, c.n_shapes), vector(c.before, c.n_shapes), integers(c.sweeping, c.n_shapes)
    shapes, apart = integers(c.meet_shapes, c.n_meets, 2), vector(c.apart, c.n_meets)
    listed, near = integers(c.list, c.n_meets), integers(c.near, c.n_meets)
    used_up = False
    for s in range(c.n_shapes):
        used_up = used_up or reach[s] < inf and gone[s] - before[s] + margins[s] > skin[s]
    if used_up or c.n_listed < 0:
        look_around(c, margins)
    c.n_near = 0
    for k in range(c.n_listed):
        meet = listed[k]
        a, b = shapes[meet, 0], shapes[meet, 1]
        far = apart[meet] - gone[a] - gone[b] > margins[a] + margins[b]
        if not far or sweeping[a] + sweeping[b] > 0:
            near[c.n_near] = meet
            c.n_near += 1


def look_around(c: View, margins: real[:]) -> None:
    """The list anew, with skins for some steps."""
    poses, reach, gone = matrix(c.poses, c.n_shapes, 12), vector(c.reach, c.n_shapes), vector(c.gone, c.n_shapes)
    skin, before = vector(c.skin, c.n_shapes), vector(c.before, c.n_shapes)
    low, high = matrix(c.low, c.n_shapes, 3), matrix(c.high, c.n_shapes, 3)
    shapes, apart = integers(c.meet_shapes, c.n_meets, 2), vector(c.apart, c.n_meets)
    is_listed, listed = integers(c.listed, c.n_meets), integers(c.list, c.n_meets)
    for s in range(c.n_shapes):
        skin[s] = (SKIN_OF_REACH * reach[s] if reach[s] < inf else 0.0) + SKIN_OF_MARGIN * margins[s]
        before[s] = gone[s]
        for i in range(3):
            low[s, i], high[s, i] = poses[s, 9 + i] - reach[s] - skin[s], poses[s, 9 + i] + reach[s] + skin[s]
    for meet in range(c.n_meets):
        is_listed[meet] = 0
    overlapping(low, high, integers(c.order, c.n_shapes), integers(c.meets, c.n_shapes, c.n_shapes), is_listed)
    c.n_listed = 0
    for meet in range(c.n_meets):
        if is_listed[meet] != 0:
            listed[c.n_listed] = meet
            c.n_listed += 1
            # the balls that hold two shapes may be apart
            a, b, way = shapes[meet, 0], shapes[meet, 1], 0.0
            for i in range(3):
                way += (poses[a, 9 + i] - poses[b, 9 + i]) * (poses[a, 9 + i] - poses[b, 9 + i])
            apart[meet] = max(apart[meet], sqrt(way) - reach[a] - reach[b] + gone[a] + gone[b])


def measure(c: View, meet: int) -> None:
    """The points of an encounter as the shapes are now, unless it was measured at this look already."""
    at, first, count = (integers(c.measured_at, c.n_meets), integers(c.first_point, c.n_meets),
                        integers(c.n_points, c.n_meets))
    if at[meet] == c.looks:
        return
    at[meet], first[meet] = c.looks, c.n_measured
    shapes, kinds = integers(c.meet_shapes, c.n_meets, 2), integers(c.kind_of, c.n_shapes)
    a, b = shapes[meet, 0], shapes[meet, 1]
    i, j = kinds[a], kinds[b]
    code, wanted = integers(c.code, c.n_kinds, c.n_kinds), integers(c.points_of, c.n_kinds, c.n_kinds)
    numbered, searched = integers(c.numbered, c.n_kinds, c.n_kinds), integers(c.searched, c.n_kinds, c.n_kinds)
    points, numbers = vector(c.points, 10 * (c.n_measured + wanted[i, j])), integers(c.point_numbers,
                                                                                     c.n_measured + wanted[i, j])
    given, out, work = vector(c.gap_in, c.n_gap_in), vector(c.gap_out, c.n_gap_out), vector(c.work, 1)
    describe(c, a, b, searched[i, j] != 0)
    begin, found = 10 * c.n_measured, 0
    if c.gaps != 0:
        # code of one model knows its kinds of pairs by their numbers
        out[0] = float(i * c.n_kinds + j)
        call(c.gaps, given, out, work)
    else:
        call(code[i, j], given, out, vector(c.gap_work, 1))
    if numbered[i, j] == 0:
        found = wanted[i, j]
        for k in range(found):
            numbers[c.n_measured + k] = k
            for l in range(10):
                points[begin + 10 * k + l] = out[10 * k + l]
    else:
        for k in range(wanted[i, j]):
            if out[10 * wanted[i, j] + k] >= 0.0:
                numbers[c.n_measured + found] = int(out[10 * wanted[i, j] + k])
                for l in range(10):
                    points[begin + 10 * found + l] = out[10 * k + l]
                found += 1
    count[meet] = found
    c.n_measured += found
    distant, boxes = integers(c.distant, c.n_shapes), integers(c.boxes, c.n_shapes)
    least = inf
    for k in range(found):
        least = min(least, points[begin + 10 * k])
    if least < inf and distant[a] + distant[b] == 2 and boxes[a] + boxes[b] < 2:
        apart, gone = vector(c.apart, c.n_meets), vector(c.gone, c.n_shapes)
        apart[meet] = least + gone[a] + gone[b]


def describe(c: View, a: int, b: int, searched: bool) -> None:
    """What the code of a pair reads: sizes of both, or their numbers, then their poses."""
    given, sizes, at = vector(c.gap_in, c.n_gap_in), vector(c.sizes, c.n_sizes), integers(c.size_at, c.n_shapes + 1)
    poses, axes = matrix(c.poses, c.n_shapes, 12), matrix(c.axes, c.n_shapes, 9)
    turned, end = integers(c.turned, c.n_shapes), 0
    for side in range(2):
        shape = a if side == 0 else b
        if searched:
            given[end] = float(shape)
            end += 1
        else:
            for k in range(at[shape], at[shape + 1]):
                given[end] = sizes[k]
                end += 1
    for side in range(2):
        shape = a if side == 0 else b
        for i in range(12):
            given[end + i] = poses[shape, i]
        if turned[shape] != 0 and not searched:
            for i in range(3):
                for j in range(3):
                    given[end + 3 * i + j] = (poses[shape, 3 * i] * axes[shape, j]
                                              + poses[shape, 3 * i + 1] * axes[shape, 3 + j]
                                              + poses[shape, 3 * i + 2] * axes[shape, 6 + j])
        end += 12
