"""Points that may touch within a step, and the rows by which they act on the speeds.

G is b's velocity against a's at a point along the normal and two tangents, or of its turning about these; with
M⁻¹ = FᵀF of what hangs together, A = G Fᵀ is what Newton's method reads, Y = Fᵀ Aᵀ = M⁻¹ Gᵀ what sweeps read, and
W = A Aᵀ of a three what it gives way by itself.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import inf

from ..codegen.dialect import real, reals, sqrt
from ..integrate.record import View
from .crowd_inertia import pass_back, pass_on
from .nearness import find_near, measure
from .stepped_record import N_LAWS, PATCH, ROLLING, SPINNING, crowd_at, integers, matrix, vector
from .tolerances import NEAR, TINY


def find_touching(r: View) -> None:
    """What may touch within the step: margins by the speeds of the shapes, then points that are within them."""
    c = crowd_at(r.crowd)
    jacobians, columns = matrix(c.jacobians, c.n_shapes, 6, c.width), integers(c.columns, c.n_shapes, c.width)
    reach, margins, u = vector(c.reach, c.n_shapes), vector(r.margins, c.n_shapes), vector(r.u, r.nu)
    for s in range(c.n_shapes):
        turning, moving = 0.0, 0.0
        for i in range(6):
            speed = 0.0
            for k in range(c.width):
                if columns[s, k] < 0:
                    break
                speed += jacobians[s, i, k] * u[columns[s, k]]
            turning += speed * speed if i < 3 else 0.0
            moving += speed * speed if i >= 3 else 0.0
        margins[s] = 2 * r.h * (sqrt(moving) + (reach[s] * sqrt(turning) if reach[s] < inf else 0.0)) + NEAR
    find_near(c, margins)
    take_points(r, margins)


def take_points(r: View, margins: real[:]) -> None:
    """Points of near encounters whose gap is at most the sum of the margins of their shapes."""
    c = crowd_at(r.crowd)
    near, shapes = integers(c.near, c.n_near), integers(c.meet_shapes, c.n_meets, 2)
    first, counts = integers(c.first_point, c.n_meets), integers(c.n_points, c.n_meets)
    r.n_touching = 0
    for k in range(c.n_near):
        meet = near[k]
        measure(c, meet)
        wide = margins[shapes[meet, 0]] + margins[shapes[meet, 1]]
        for point in range(first[meet], first[meet] + counts[meet]):
            take(r, c, meet, point, wide)


def take(r: View, c: View, meet: int, point: int, wide: float) -> None:
    """A point, if it is near enough."""
    found = matrix(c.points, point + 1, 10)
    if found[point, 0] <= wide:
        n = r.n_touching
        meets, numbers, gaps = integers(r.meets, n + 1), integers(r.numbers, n + 1), vector(r.gaps, n + 1)
        normals, places = matrix(r.normals, n + 1, 3), matrix(r.places, n + 1, 3)
        meets[n], numbers[n], gaps[n] = meet, integers(c.point_numbers, point + 1)[point], found[point, 0]
        for i in range(3):
            normals[n, i] = found[point, 1 + i]
            places[n, i] = 0.5 * (found[point, 4 + i] + found[point, 7 + i])
        r.n_touching = n + 1


def turns(r: View, meet: int) -> bool:
    """Whether an encounter has rows of turning."""
    c = crowd_at(r.crowd)
    laws = matrix(r.laws, N_LAWS, c.n_meets)
    return laws[ROLLING, meet] > 0.0 or laws[SPINNING, meet] > 0.0 or laws[PATCH, meet] > 0.0


def pull(r: View, row: int, point: int, turning: bool) -> None:
    """G of a point, or of its turning, into a row."""
    c = crowd_at(r.crowd)
    half = c.width
    wide = max(2 * half, c.single_width)
    G, places = matrix(r.G, row + 1, 3, wide), integers(r.g_places, row + 1, wide)
    poses, jacobians = matrix(c.poses, c.n_shapes, 12), matrix(c.jacobians, c.n_shapes, 6, half)
    columns, shapes = integers(c.columns, c.n_shapes, half), integers(c.meet_shapes, c.n_meets, 2)
    meet, spot = integers(r.meets, point + 1)[point], matrix(r.places, point + 1, 3)
    frame, arm, turned = reals(3, 3), reals(3), reals(3)
    set_frame(matrix(r.normals, point + 1, 3)[point], frame)
    G[row], places[row] = 0.0, -1
    for side in range(2):
        shape, sign = shapes[meet, side], -1.0 if side == 0 else 1.0
        R = poses[shape]
        for k in range(3):
            arm[k] = spot[point, k] - R[9 + k]
        for k in range(half):
            if columns[shape, k] < 0:
                break
            places[row, side * half + k] = columns[shape, k]
        for i in range(3):
            d, along = frame[i], 1.0
            turned[0] = arm[1] * d[2] - arm[2] * d[1]
            turned[1] = arm[2] * d[0] - arm[0] * d[2]
            turned[2] = arm[0] * d[1] - arm[1] * d[0]
            if turning:
                turned[0], turned[1], turned[2], along = d[0], d[1], d[2], 0.0
            for j in range(3):
                moment = sign * (R[j] * turned[0] + R[3 + j] * turned[1] + R[6 + j] * turned[2])
                force = sign * along * (R[j] * d[0] + R[3 + j] * d[1] + R[6 + j] * d[2])
                for k in range(half):
                    if columns[shape, k] < 0:
                        break
                    G[row, i, side * half + k] += moment * jacobians[shape, j, k] + force * jacobians[shape, 3 + j, k]


def set_frame(normal: real[:], frame: real[3, 3]) -> None:
    """The normal, and two tangents (Duff et al. 2017)."""
    x, y, z = normal[0], normal[1], normal[2]
    s = 1.0 if z >= 0 else -1.0
    a = -1.0 / (s + z)
    frame[0] = x, y, z
    frame[1] = 1 + s * x * x * a, s * x * y * a, -s * x
    frame[2] = x * y * a, s + y * y * a, -y


def speed_of(r: View, row: int, i: int, u: real[:]) -> float:
    """Entry i of G u of a row."""
    c = crowd_at(r.crowd)
    wide = max(2 * c.width, c.single_width)
    G, places, total = matrix(r.G, row + 1, 3, wide), integers(r.g_places, row + 1, wide), 0.0
    for k in range(wide):
        if places[row, k] >= 0:
            total += G[row, i, k] * u[places[row, k]]
    return total


def respond(r: View, row: int, ways: int, sweeps: bool) -> None:
    """How bodies answer to a row along its first `ways`: A, or (for `sweeps`) Y and W; over one or two blocks."""
    c = crowd_at(r.crowd)
    size = c.block
    wide = max(2 * c.width, c.single_width)
    G, places = matrix(r.G, row + 1, 3, wide), integers(r.g_places, row + 1, wide)
    block_of, place_in = integers(c.block_of, c.nu), integers(c.place_in, c.nu)
    members, sizes = integers(c.members, c.n_blocks, size), integers(c.block_sizes, c.n_blocks)
    A, a_places = matrix(r.A, row + 1, 3, 2 * size), integers(r.a_places, row + 1, 2 * size)
    Y, y_places = matrix(r.Y, row + 1, 3, 2 * size), integers(r.y_places, row + 1, 2 * size)
    W, own = matrix(r.W, row + 1, 4), matrix(r.dense, 3, size)
    along = reals(3)
    first, second, filled, cross = -1, -1, 0, 0.0
    for i in range(3):
        along[i] = 0.0
    for k in range(wide):
        if places[row, k] >= 0:
            block = block_of[places[row, k]]
            if first < 0:
                first = block
            elif block != first:
                second = block
    if sweeps:
        W[row], Y[row], y_places[row] = 0.0, 0.0, -1
    else:
        A[row], a_places[row] = 0.0, -1
    for side in range(2):
        block = first if side == 0 else second
        if block < 0:
            continue
        n = sizes[block]
        for i in range(ways):
            for k in range(n):
                own[i, k] = 0.0
            for k in range(wide):
                if places[row, k] >= 0 and block_of[places[row, k]] == block:
                    own[i, place_in[places[row, k]]] += G[row, i, k]
            pass_on(c, block, own[i])
        if not sweeps:
            for k in range(n):
                # a TURN reads the places that its contact does
                some = r.turns != 0
                for i in range(ways):
                    some = some or own[i, k] != 0.0
                    A[row, i, filled] = own[i, k]
                if some:
                    a_places[row, filled] = members[block, k]
                    filled += 1
            continue
        for k in range(n):
            for i in range(ways):
                along[i] += own[i, k] * own[i, k]
            if ways == 3:
                cross += own[1, k] * own[2, k]
                W[row, 2] += own[1, k] * own[0, k]
                W[row, 3] += own[2, k] * own[0, k]
        for i in range(ways):
            pass_back(c, block, own[i])
            for k in range(n):
                Y[row, i, side * size + k] = own[i, k]
        for k in range(n):
            y_places[row, side * size + k] = members[block, k]
    if sweeps:
        # what the row gives way by itself
        middle, apart = (along[1] + along[2]) / 2, (along[1] - along[2]) / 2
        W[row, 0] = along[0] + TINY
        W[row, 1] = middle + sqrt(apart * apart + cross * cross) + TINY
