"""Impulses of many contacts at once by nonsmooth Gauss–Seidel sweeps over the speeds (Moreau 1999; Jean 1999).

For every contact, normal first, then two tangents, with the speeds v = G u + b that are left:

    0 ≤ v_n ⊥ Λ_n ≥ 0,      |Λ_t| ≤ μ Λ_n;   v_t ≠ 0 ⇒ Λ_t = −μ Λ_n v_t/|v_t|

one contact after another takes what its own cone allows, and u follows at once, u ← u + Y ΔΛ with Y = M⁻¹ Gᵀ: the
matrix G Y of all contacts is never formed.  Directions of friction are those of the slip, not sides of a pyramid.
"""

from __future__ import annotations

import numpy as np

from ..cache_folder import kept_loop

loop = kept_loop(error_model="numpy")


@loop
def sweep(u: np.ndarray, impulses: np.ndarray, G: np.ndarray, g_places: np.ndarray, Y: np.ndarray,
          y_places: np.ndarray, W: np.ndarray, b: np.ndarray, mu: np.ndarray, sweeps: int,
          tolerance: float) -> tuple[int, float]:
    """Sweeps until no impulse changes a speed by more than `tolerance`; how many there were, and the last change.

    `impulses` (n, 3), `G` (n, 3, a) at `g_places` (n, a) of u, `Y` (n, 3, c) at `y_places`; places of −1 are none.
    `W` (n, 4) is G Y of a contact alone: the normal, the larger way along its tangents, and ∂v_t/∂Λ_n.
    """
    n, width, reach = G.shape[0], G.shape[2], Y.shape[2]
    v, change = np.zeros(3), np.zeros(3)
    largest = 0.0
    for count in range(sweeps):
        largest = 0.0
        for c in range(n):
            for i in range(3):
                total = b[c, i]
                for k in range(width):
                    at = g_places[c, k]
                    if at >= 0:
                        total += G[c, i, k] * u[at]
                v[i] = total
            # the normal first
            before = impulses[c, 0]
            after = max(0.0, before - v[0] / W[c, 0])
            change[0] = after - before
            # then friction, at the slip that the normal leaves
            limit = mu[c] * after
            slip_1, slip_2 = v[1] + W[c, 2] * change[0], v[2] + W[c, 3] * change[0]
            x, y = impulses[c, 1] - slip_1 / W[c, 1], impulses[c, 2] - slip_2 / W[c, 1]
            size = np.sqrt(x * x + y * y)
            if size > limit:
                x, y = x * limit / size, y * limit / size
            change[1], change[2] = x - impulses[c, 1], y - impulses[c, 2]
            impulses[c, 0], impulses[c, 1], impulses[c, 2] = after, x, y
            for i in range(3):
                if change[i] != 0.0:
                    for k in range(reach):
                        at = y_places[c, k]
                        if at >= 0:
                            u[at] += Y[c, i, k] * change[i]
            largest = max(largest, abs(change[0]) * W[c, 0], abs(change[1]) * W[c, 1], abs(change[2]) * W[c, 1])
        if largest <= tolerance:
            return count + 1, largest
    return sweeps, largest


@loop
def lift(shift: np.ndarray, pushes: np.ndarray, G: np.ndarray, g_places: np.ndarray, Y: np.ndarray,
         y_places: np.ndarray, W: np.ndarray, gaps: np.ndarray, sweeps: int, tolerance: float) -> float:
    """The same along the normals, for a shift of positions: 0 ≤ gap + G shift ⊥ push ≥ 0; the last change of a gap."""
    n, width, reach = G.shape[0], G.shape[2], Y.shape[2]
    largest = 0.0
    for _ in range(sweeps):
        largest = 0.0
        for c in range(n):
            gap = gaps[c]
            for k in range(width):
                at = g_places[c, k]
                if at >= 0:
                    gap += G[c, 0, k] * shift[at]
            after = max(0.0, pushes[c] - gap / W[c, 0])
            change = after - pushes[c]
            pushes[c] = after
            if change != 0.0:
                for k in range(reach):
                    at = y_places[c, k]
                    if at >= 0:
                        shift[at] += Y[c, 0, k] * change
            largest = max(largest, abs(change) * W[c, 0])
        if largest <= tolerance:
            break
    return largest


@loop
def rows(pairs: np.ndarray, normals: np.ndarray, points: np.ndarray, poses: np.ndarray, jacobians: np.ndarray,
         columns: np.ndarray, blocks: np.ndarray, block_of: np.ndarray, place_in: np.ndarray, members: np.ndarray,
         G: np.ndarray, g_places: np.ndarray, Y: np.ndarray, y_places: np.ndarray, W: np.ndarray) -> None:
    """G, Y = M⁻¹ Gᵀ and W of contacts.

    `pairs` (n, 2) are shapes a and b; `normals`, `points` (n, 3) in world axes; `poses` (shapes, 12) rotations by rows,
    then positions; `jacobians` (shapes, 6, a) rows (ω, v) in the axes of the shape, at `columns` (shapes, a) of u.
    `blocks` (m, c, c) are inverse inertias of what hangs together, `members` (m, c) their places in u; `block_of` and
    `place_in` say where each speed is.
    """
    n, half, size = len(pairs), columns.shape[1], members.shape[1]
    frame, arm, turned, along = np.zeros((3, 3)), np.zeros(3), np.zeros(3), np.zeros(3)
    for c in range(n):
        x, y, z = normals[c]
        # two tangents (Duff et al. 2017)
        s = 1.0 if z >= 0 else -1.0
        a = -1.0 / (s + z)
        frame[0] = x, y, z
        frame[1] = 1 + s * x * x * a, s * x * y * a, -s * x
        frame[2] = x * y * a, s + y * y * a, -y
        g_places[c], y_places[c] = -1, -1
        G[c], Y[c] = 0.0, 0.0
        for side in range(2):
            shape, sign = pairs[c, side], -1.0 if side == 0 else 1.0
            R = poses[shape]
            for k in range(3):
                arm[k] = points[c, k] - R[9 + k]
            for i in range(3):
                d = frame[i]
                turned[0] = arm[1] * d[2] - arm[2] * d[1]
                turned[1] = arm[2] * d[0] - arm[0] * d[2]
                turned[2] = arm[0] * d[1] - arm[1] * d[0]
                for k in range(half):
                    if columns[shape, k] < 0:
                        break
                    total = 0.0
                    for j in range(3):
                        moment = R[j] * turned[0] + R[3 + j] * turned[1] + R[6 + j] * turned[2]
                        force = R[j] * d[0] + R[3 + j] * d[1] + R[6 + j] * d[2]
                        total += moment * jacobians[shape, j, k] + force * jacobians[shape, 3 + j, k]
                    G[c, i, side * half + k] = sign * total
                    g_places[c, side * half + k] = columns[shape, k]
        # Y over the blocks that a and b belong to: one, or two
        used = 0
        first = -1
        for side in range(2):
            column = columns[pairs[c, side], 0]
            block = block_of[column] if column >= 0 else -1
            if block < 0 or block == first:
                continue
            start = used * size
            for k in range(size):
                y_places[c, start + k] = members[block, k]
            for i in range(3):
                for k in range(2 * half):
                    at = g_places[c, k]
                    if at >= 0 and block_of[at] == block and G[c, i, k] != 0.0:
                        for j in range(size):
                            Y[c, i, start + j] += blocks[block, j, place_in[at]] * G[c, i, k]
            first = block
            used += 1
        # what the contact gives way by itself
        for i in range(3):
            along[i] = 0.0
        cross = 0.0
        W[c, 2], W[c, 3] = 0.0, 0.0
        for k in range(2 * half):
            at = g_places[c, k]
            if at < 0:
                continue
            for j in range(2 * size):
                if y_places[c, j] == at:
                    for i in range(3):
                        along[i] += G[c, i, k] * Y[c, i, j]
                    cross += G[c, 1, k] * Y[c, 2, j]
                    W[c, 2] += G[c, 1, k] * Y[c, 0, j]
                    W[c, 3] += G[c, 2, k] * Y[c, 0, j]
        middle, apart = (along[1] + along[2]) / 2, (along[1] - along[2]) / 2
        W[c, 0] = along[0] + 1e-300
        W[c, 1] = middle + np.sqrt(apart * apart + cross * cross) + 1e-300
