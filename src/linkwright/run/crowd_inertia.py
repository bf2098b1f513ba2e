"""The inertia of what hangs together, factored: how impulses become speeds.

With M = L Lᵀ of a block, and Q an orthonormal basis of what the rows G of loops, locks and given motions take (of
G L⁻ᵀ), the inverse inertia of the motions that are left is

    M_c⁻¹ = L⁻ᵀ (1 − QᵀQ) L⁻¹ = FᵀF,      F = (1 − QᵀQ) L⁻¹

Where parts without mass make M singular, κ GᵀG is added to it, which changes no motion that G leaves.  The factor is
kept as Lᵀ, by rows, with 1/L_jj on its diagonal.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..codegen.dialect import real, sqrt
from ..integrate.record import View
from .crowd_record import integers, matrix, vector
from .tolerances import DEPENDENT, HELD_RANK, TINY


def factor(c: View) -> None:
    """Factors and left-out directions of all blocks."""
    M, U = matrix(c.inertia, c.n_blocks, c.block, c.block), matrix(c.factors, c.n_blocks, c.block, c.block)
    sizes, n_basis = integers(c.block_sizes, c.n_blocks), integers(c.n_basis, c.n_blocks)
    held = integers(c.block_of_row, c.n_rows)
    for block in range(c.n_blocks):
        n = sizes[block]
        for i in range(n):
            for j in range(i, n):
                U[block, i, j] = M[block, i, j]
        n_basis[block] = 0
        if not triangular(U[block], n):
            stiffen(c, block, n, M[block], U[block])
            triangular(U[block], n)
    for k in range(c.n_rows):
        n_basis[held[k]] = -1
    for block in range(c.n_blocks):
        if n_basis[block] < 0:
            n_basis[block] = leave_out(c, block, sizes[block], U[block])


def triangular(U: real[:, :], n: int) -> bool:
    """Lᵀ in the place of the upper half of M = L Lᵀ, 1/L_jj on the diagonal; false where M is singular.

    A speed that has no inertia then is not moved by anything.
    """
    good, largest = True, 0.0
    for j in range(n):
        largest = max(largest, U[j, j])
    for j in range(n):
        pivot = U[j, j]
        if not pivot > DEPENDENT * largest:
            good = good and pivot > DEPENDENT * DEPENDENT * largest
        own = 1.0 / sqrt(pivot) if pivot > DEPENDENT * DEPENDENT * largest else 0.0
        U[j, j] = own
        for i in range(j + 1, n):
            U[j, i] *= own
        for i in range(j + 1, n):
            along = U[j, i]
            if along != 0.0:
                for k in range(i, n):
                    U[i, k] -= along * U[j, k]
    return good


def stiffen(c: View, block: int, n: int, M: real[:, :], U: real[:, :]) -> None:
    """U = M + κ GᵀG, where κ GᵀG is as large as M."""
    G, held = matrix(c.rows, c.n_rows, c.nu), integers(c.block_of_row, c.n_rows)
    members, largest = integers(c.members, c.n_blocks, c.block), 0.0
    for i in range(n):
        largest = max(largest, M[i, i])
        for j in range(i, n):
            U[i, j] = M[i, j]
    for k in range(c.n_rows):
        size = 0.0
        for i in range(n):
            size = max(size, abs(G[k, members[block, i]])) if held[k] == block else 0.0
        if size > 0.0:
            for i in range(n):
                along = largest * G[k, members[block, i]] / (size * size)
                for j in range(i, n):
                    U[i, j] += along * G[k, members[block, j]]


def leave_out(c: View, block: int, n: int, U: real[:, :]) -> int:
    """An orthonormal basis of G L⁻ᵀ, the row that is left the longest first; how many there are."""
    G, held = matrix(c.rows, c.n_rows, c.nu), integers(c.block_of_row, c.n_rows)
    members, Q = integers(c.members, c.n_blocks, c.block), matrix(c.basis, c.n_blocks, c.block, c.block)[block]
    rows, count, found = matrix(c.scratch, c.n_rows, c.block), 0, 0
    for k in range(c.n_rows):
        if held[k] == block:
            length = 0.0
            for i in range(n):
                rows[count, i] = G[k, members[block, i]]
            forward(U, n, rows[count])
            for i in range(n):
                length += rows[count, i] * rows[count, i]
            if length > 0.0:
                for i in range(n):
                    rows[count, i] /= sqrt(length)
                count += 1
    for _ in range(min(count, n)):
        longest, most = -1, HELD_RANK * HELD_RANK
        for k in range(count):
            length = 0.0
            for i in range(n):
                length += rows[k, i] * rows[k, i]
            if length > most:
                longest, most = k, length
        if longest < 0:
            break
        # once more, against rounding
        for q in range(found):
            strip(Q[q], n, rows[longest])
        length = 0.0
        for i in range(n):
            length += rows[longest, i] * rows[longest, i]
        for i in range(n):
            Q[found, i] = rows[longest, i] / sqrt(length + TINY)
        for k in range(count):
            strip(Q[found], n, rows[k])
        for i in range(n):
            rows[longest, i] = 0.0
        found += 1
    return found


def strip(q: real[:], n: int, x: real[:]) -> None:
    """x ← x − q (q · x)."""
    along = 0.0
    for i in range(n):
        along += q[i] * x[i]
    for i in range(n):
        x[i] -= along * q[i]


def forward(U: real[:, :], n: int, x: real[:]) -> None:
    """x ← L⁻¹ x."""
    for j in range(n):
        x[j] *= U[j, j]
        if x[j] != 0.0:
            for i in range(j + 1, n):
                x[i] -= U[j, i] * x[j]


def backward(U: real[:, :], n: int, x: real[:]) -> None:
    """x ← L⁻ᵀ x."""
    for turn in range(n):
        j = n - 1 - turn
        total = x[j]
        for i in range(j + 1, n):
            total -= U[j, i] * x[i]
        x[j] = total * U[j, j]


def pass_on(c: View, block: int, x: real[:]) -> None:
    """x ← F x for numbers of the speeds of a block."""
    n, n_basis = integers(c.block_sizes, c.n_blocks)[block], integers(c.n_basis, c.n_blocks)
    forward(matrix(c.factors, c.n_blocks, c.block, c.block)[block], n, x)
    Q = matrix(c.basis, c.n_blocks, c.block, c.block)
    for q in range(n_basis[block]):
        strip(Q[block, q], n, x)


def pass_back(c: View, block: int, x: real[:]) -> None:
    """x ← Fᵀ x."""
    n, n_basis = integers(c.block_sizes, c.n_blocks)[block], integers(c.n_basis, c.n_blocks)
    Q = matrix(c.basis, c.n_blocks, c.block, c.block)
    for q in range(n_basis[block]):
        strip(Q[block, q], n, x)
    backward(matrix(c.factors, c.n_blocks, c.block, c.block)[block], n, x)


def give(c: View, forces: real[:], both: bool) -> None:
    """forces ← M_c⁻¹ forces on all speeds; or (not `both`) ← Fᵀ forces."""
    members, sizes = integers(c.members, c.n_blocks, c.block), integers(c.block_sizes, c.n_blocks)
    own = vector(c.scratch, c.block)
    for block in range(c.n_blocks):
        for i in range(sizes[block]):
            own[i] = forces[members[block, i]]
        if both:
            pass_on(c, block, own)
        pass_back(c, block, own)
        for i in range(sizes[block]):
            forces[members[block, i]] = own[i]
