"""How several contacts share a load where statics leaves it open: four legs on a floor, a cube on a slope.

Forces of the null space of W move nothing, and may be added to any solution.  Of all solutions the one is taken in
which every contact uses about the same part of its cone: that with the least Σ w (|f_t|² + μ² (f_n − f̄_n)²)/(μ f̄_n),
where 1/(μ f_n) are the weights of Coulomb's law, and w grows for contacts that use most.  The reference f̄_n is the
normal force of the least-norm solution, or where that leaves the cone, of a solution of the cone problem.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import hypot, real, sqrt, whole
from ..integrate.record import View
from . import tolerances as tol
from .cone_search import nearest
from .contact_record import (
    CLOSED,
    EASE,
    HOLD_1,
    HOLD_2,
    MU,
    MU_S,
    N_COLUMNS,
    N_FIXED,
    N_NUMBERS,
    PUSH,
    RELEASED,
    RUBS,
    SHARE_1,
    SHARE_2,
    SHARE_3,
    STUCK,
    UNIQUE,
    WAY_1,
    WAY_2,
)  # fmt: skip
from .row_modes import look
from .row_record import integers, matrix, vector

# --- ranges and null spaces of symmetric matrices ---


def factor(n: int, A: real[:, :], L: real[:, :], order: whole[:], small: float) -> int:
    """A ≈ L Lᵀ by Cholesky's method with the largest pivots first; the rank, up to pivots that are small (relative).

    `order` has the rows in the order of their pivots.  A is overwritten.
    """
    largest = 0.0
    for i in range(n):
        order[i] = i
        largest = max(largest, A[i, i])
    for step in range(n):
        best = step
        for i in range(step, n):
            if A[order[i], order[i]] > A[order[best], order[best]]:
                best = i
        pivot = order[best]
        order[best] = order[step]
        order[step] = pivot
        most = A[pivot, pivot]
        if not most > small * largest:
            return step
        root = sqrt(most)
        for i in range(n):
            L[order[i], step] = A[order[i], pivot] / root if i >= step else 0.0
        for i in range(step + 1, n):
            for j in range(step + 1, n):
                A[order[i], order[j]] -= L[order[i], step] * L[order[j], step]
    return n


def straighten(n: int, rank: int, L: real[:, :]) -> None:
    """Columns made orthonormal (Gram and Schmidt, twice)."""
    for k in range(rank):
        again = 0
        while again < 2:
            for j in range(k):
                total = 0.0
                for i in range(n):
                    total += L[i, j] * L[i, k]
                for i in range(n):
                    L[i, k] -= total * L[i, j]
            again += 1
        total = 0.0
        for i in range(n):
            total += L[i, k] * L[i, k]
        length = sqrt(total)
        for i in range(n):
            L[i, k] /= length


def null_space(n: int, rank: int, L: real[:, :], order: whole[:], basis: real[:, :]) -> None:
    """Columns x with Lᵀ x = 0, each with a one at one of the rows behind the pivots."""
    for f in range(n - rank):
        for i in range(n):
            basis[i, f] = 0.0
        basis[order[rank + f], f] = 1.0
        for turn in range(rank):
            at = rank - 1 - turn
            total = L[order[rank + f], at]
            for j in range(at + 1, rank):
                total += L[order[j], at] * basis[order[j], f]
            basis[order[at], f] = -total / L[order[at], at]


# --- which forces are unique ---


def evenly(r: View, scale: float) -> None:
    """The forces with those of contacts that hold, and neither leave nor slide, of least norm, if cones allow that.

    A solution of the cone problem may leave contacts without a force that could bear as much as their neighbours: the
    corners of a face that lies on another.  Such a contact would open, and close again at the next change of load.
    """
    if r.n_contacts < 2:
        return
    N, held, n = integers(r.contact_numbers, N_NUMBERS, r.n_contacts), integers(r.held, r.most), 0
    which, known, C = integers(r.which, r.most), integers(r.slides, r.most), matrix(r.touching, r.n_contacts, N_COLUMNS)
    W, A, L = matrix(r.W, r.size, r.size), matrix(r.A, r.size, r.size), matrix(r.L, r.size, r.size)
    best, motion, least = vector(r.best, r.size), vector(r.motion, r.size), vector(r.found, r.size)
    still = tol.NO_FORCE * scale
    for i in range(r.n_which):
        moves = max(abs(motion[3 * i]), abs(motion[3 * i + 1]), abs(motion[3 * i + 2]))
        if known[i] == 0 and N[RELEASED, which[i]] == 0 and moves <= still:
            held[n] = i
            n += 1
    if n < 2:
        return
    copy_part(r, n)
    rank = factor(3 * n, A, L, integers(r.order, r.size), tol.MOVES_NOTHING)
    straighten(3 * n, rank, L)
    least[: 3 * n] = 0.0
    for j in range(rank):
        total = 0.0
        for i in range(3 * n):
            total += L[i, j] * best[3 * held[i // 3] + i % 3]
        for i in range(3 * n):
            least[i] += total * L[i, j]
    for j in range(n):
        limit = (1 - tol.NO_FORCE) * C[which[held[j]], MU_S] * least[3 * j]
        if not hypot(least[3 * j + 1], least[3 * j + 2]) <= limit:
            return
    most_moved, most = 0.0, 0.0
    for i in range(3 * r.n_which):
        moved, moves = 0.0, 0.0
        for j in range(3 * n):
            at = 3 * held[j // 3] + j % 3
            moved += W[i, at] * (least[j] - best[at])
            moves += abs(W[i, at]) * abs(best[at])
        most_moved, most = max(most_moved, abs(moved)), max(most, moves)
    if most_moved > tol.SAME_MOTION * most:
        return
    for j in range(3 * n):
        best[3 * held[j // 3] + j % 3] = least[j]


def copy_part(r: View, n: int) -> None:
    """A = W of the contacts in `held`; what nothing moves (with a one in W, see `prepare_cone`) is left out."""
    W, A, held = matrix(r.W, r.size, r.size), matrix(r.A, r.size, r.size), integers(r.held, r.most)
    for i in range(3 * n):
        for j in range(3 * n):
            A[i, j] = W[3 * held[i // 3] + i % 3, 3 * held[j // 3] + j % 3]


def open_ones(r: View) -> None:
    """Closed contacts whose forces are not UNIQUE: there are forces along their rows that move nothing.

    A contact that sticks has a normal and two tangents; one that slides has a single force, tilted by friction.
    """
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    which, C = integers(r.which, r.most), matrix(r.touching, r.n_contacts, N_COLUMNS)
    W, A, L = matrix(r.W, r.size, r.size), matrix(r.A, r.size, r.size), matrix(r.L, r.size, r.size)
    tilt, owner = matrix(r.basis, r.size, r.size), integers(r.order, r.size)
    count, contacts = 0, 0
    for i in range(r.n_which):
        k = which[i]
        N[UNIQUE, k] = 1
        if inp[F[CLOSED, k]] != 0.0:
            slides = F[RUBS, k] != 0 and inp[F[STUCK, k]] == 0.0
            contacts += 1
            for row in range(3):
                if row == 0 or not slides and F[RUBS, k] != 0 and moves(r, i, row):
                    # its weights along the three rows of the contact
                    tilt[count, 0], tilt[count, 1], tilt[count, 2] = 0.0, 0.0, 0.0
                    tilt[count, row] = 1.0
                    if slides:
                        tilt[count, 1] = -C[k, MU] * inp[F[WAY_1, k]]
                        tilt[count, 2] = -C[k, MU] * inp[F[WAY_2, k]]
                    owner[count] = i
                    count += 1
    if contacts < 2:
        return
    for i in range(count):
        for j in range(count):
            total = 0.0
            for one in range(3):
                for two in range(3):
                    total += tilt[i, one] * W[3 * owner[i] + one, 3 * owner[j] + two] * tilt[j, two]
            A[i, j] = total
    size = vector(r.found, r.size)
    for i in range(count):
        size[i] = sqrt(max(A[i, i], tol.TINY))
    for i in range(count):
        A[i, :count] /= size[i] * size[:count]
    parts = vector(r.present, r.size)
    for i in range(count):
        # the order of pivots takes the place of the owners
        parts[i] = float(which[owner[i]])
    rank = factor(count, A, L, owner, tol.MOVES_NOTHING_LEANING)
    straighten(count, rank, L)
    for i in range(count):
        left = 1.0
        for j in range(rank):
            left -= L[i, j] * L[i, j]
        if left > tol.NO_PART * tol.NO_PART and rank < count:
            N[UNIQUE, int(parts[i])] = 0


def moves(r: View, i: int, row: int) -> bool:
    """Whether a tangent of what takes part moves anything."""
    W = matrix(r.W, r.size, r.size)
    alone = W[3 * i + row, 3 * i + row] == 1.0
    for j in range(3 * r.n_which):
        alone = alone and (j == 3 * i + row or W[3 * i + row, j] == 0.0)
    return not alone


# --- the shares ---


def give_shares(r: View) -> None:
    """Find which forces are not unique; those of contacts that hold are shared by their cones.

    The forces that are shifted between contacts must move nothing, also where other contacts slide.
    """
    look(r)
    F, N = integers(r.contact_fixed, N_FIXED, r.n_contacts), integers(r.contact_numbers, N_NUMBERS, r.n_contacts)
    inp = vector(r.inp, r.n_in)
    C, W, best = matrix(r.touching, r.n_contacts, N_COLUMNS), matrix(r.W, r.size, r.size), vector(r.best, r.size)
    which, held, mu = integers(r.which, r.most), integers(r.held, r.most), vector(r.own_mu, r.most)
    present, wanted = vector(r.present, r.size), vector(r.wanted, r.size)
    N[UNIQUE, :r.n_contacts] = 1
    if r.n_contacts < 2:
        return
    open_ones(r)
    n, presses = 0, True
    for i in range(r.n_which):
        k = which[i]
        if inp[F[CLOSED, k]] != 0.0 and (inp[F[STUCK, k]] != 0.0 or F[RUBS, k] == 0) and N[UNIQUE, k] == 0:
            held[n], mu[n] = i, C[k, MU_S]
            present[3 * n], present[3 * n + 1], present[3 * n + 2] = C[k, PUSH], C[k, HOLD_1], C[k, HOLD_2]
            presses = presses and C[k, PUSH] > 0.0
            n += 1
    if n == 0:
        return
    wanted[: 3 * n] = present[: 3 * n]
    if presses:
        share(r, n)
    if not agrees(r, n):
        for i in range(3 * n):
            wanted[i] = best[3 * held[i // 3] + i % 3]
        share(r, n)
    changed, largest, most_moved, most = 0.0, 0.0, 0.0, 0.0
    for j in range(3 * n):
        changed, largest = max(changed, abs(wanted[j] - present[j])), max(largest, abs(wanted[j]))
    for i in range(3 * r.n_which):
        moved, causes = 0.0, 0.0
        for j in range(3 * n):
            at = 3 * held[j // 3] + j % 3
            moved += W[i, at] * (wanted[j] - present[j])
            causes += abs(W[i, at]) * abs(wanted[j])
        most_moved, most = max(most_moved, abs(moved)), max(most, causes)
    if changed > tol.MOVES_NOTHING * largest and most_moved <= tol.SAME_MOTION * most:
        for j in range(n):
            k = which[held[j]]
            inp[F[SHARE_1, k]] = wanted[3 * j] - present[3 * j]
            inp[F[SHARE_2, k]] = wanted[3 * j + 1] - present[3 * j + 1]
            inp[F[SHARE_3, k]] = wanted[3 * j + 2] - present[3 * j + 2]


def agrees(r: View, n: int) -> bool:
    """Whether the forces that are wanted press, and lie within their cones."""
    C, wanted, mu = matrix(r.touching, r.n_contacts, N_COLUMNS), vector(r.wanted, r.size), vector(r.own_mu, r.most)
    which, held = integers(r.which, r.most), integers(r.held, r.most)
    small = tol.NO_FORCE * r.forces
    for j in range(n):
        ease = C[which[held[j]], EASE]
        within = hypot(wanted[3 * j + 1], wanted[3 * j + 2]) - (1 - tol.NO_FORCE) * mu[j] * wanted[3 * j]
        if wanted[3 * j] * ease < -small or within * ease > 0.0:
            return False
    return True


def use(n: int, f: real[:], mu: real[:], j: int) -> float:
    """|f_t|/(μ f_n) of a contact."""
    return hypot(f[3 * j + 1], f[3 * j + 2]) / max(mu[j] * f[3 * j], tol.TINY)


def most_used(n: int, f: real[:], mu: real[:]) -> float:
    """The largest of all."""
    most = 0.0
    for j in range(n):
        most = max(most, use(n, f, mu, j))
    return most


def share(r: View, n: int) -> None:
    """Forces as good as those in `wanted`, shared more evenly; they take their place."""
    A, L, basis = matrix(r.A, r.size, r.size), matrix(r.L, r.size, r.size), matrix(r.basis, r.size, r.size)
    order, mu, strain = integers(r.order, r.size), vector(r.own_mu, r.most), vector(r.strain, r.most)
    J, right, z = matrix(r.cone_J, 2 * r.size, r.size), vector(r.cone_right, 2 * r.size), vector(r.cone_x, r.size)
    now, best = vector(r.shift_of, r.size), vector(r.wanted, r.size)
    copy_part(r, n)
    rank = factor(3 * n, A, L, order, tol.MOVES_NOTHING)
    free = 3 * n - rank
    if free == 0:
        return
    null_space(3 * n, rank, L, order, basis)
    used = most_used(n, best, mu)
    now[: 3 * n] = best[: 3 * n]
    strain[:n] = 1.0
    turn = 0
    while turn < tol.SHARING_ROUNDS:
        load = 0.0
        for j in range(n):
            load = max(load, now[3 * j])
        for i in range(3 * n):
            c = i // 3
            weight = sqrt(strain[c] / (max(mu[c], tol.LEAST_FRICTION) * max(now[3 * c], tol.LEAST_LOAD * load)))
            weight = weight * mu[c] if i % 3 == 0 else weight
            J[i, :free] = weight * basis[i, :free]
            right[i] = 0.0 if i % 3 == 0 else -weight * now[i]
        largest = 0.0
        for f in range(free):
            for i in range(3 * n):
                largest = max(largest, abs(J[i, f]))
        for i in range(free):
            # a little damping: where nothing rubs, weights vanish
            for f in range(free):
                J[3 * n + i, f] = tol.SHARE_DAMPING * largest if i == f else 0.0
            right[3 * n + i] = 0.0
        nearest(3 * n + free, free, J, right, z)
        negative = False
        for i in range(3 * n):
            total = 0.0
            for f in range(free):
                total += basis[i, f] * z[f]
            now[i] += total
        for j in range(n):
            negative = negative or now[3 * j] < 0.0
        if negative:
            return
        most = most_used(n, now, mu)
        if most < used:
            used = most
            best[: 3 * n] = now[: 3 * n]
        # nothing rubs
        if most == 0.0:
            return
        if turn > 0:
            for j in range(n):
                part = use(n, now, mu, j) / most
                strain[j] *= part * part
        turn += 1
