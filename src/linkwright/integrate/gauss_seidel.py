"""Impulses of many contacts at once by nonsmooth Gauss–Seidel sweeps over the speeds (Moreau 1999; Jean 1999).

Impulses come in threes, of a kind each, with the speeds v = G u + b that are left:

    CONTACT    0 ≤ v_n ⊥ Λ_n ≥ 0,      |Λ_t| ≤ μ Λ_n;   v_t ≠ 0 ⇒ Λ_t = −μ Λ_n v_t/|v_t|
    TURN       spin about the normal of a contact and rolling about its tangents, each by its arm:
               |Λ_s| ≤ spinning Λ_n,   |Λ_r| ≤ rolling Λ_n,   against the turning where there is any
    SINGLE     one speed, low ≤ Λ ≤ high:   v > 0 ⇒ Λ = low,   v < 0 ⇒ Λ = high     (stops, friction, freewheels)

and where a contact is spread over a patch of radius a, slip v and spin ω rub together (Zhuravlev 1998), |ω| being
√(ω² + creep²):

    Λ_t = −μ Λ_n v/(|v| + 8/(3π) a |ω|),      Λ_s = −μ a Λ_n 3π/16 · a ω/(a |ω| + 15π/16 |v|)

One three after another takes what its own law allows, and u follows at once, u ← u + Y ΔΛ with Y = M⁻¹ Gᵀ: the matrix
G Y of all contacts is never formed.  Directions of friction are those of the slip, not sides of a pyramid.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from math import pi

from ..codegen.dialect import compiled, real, reals, sqrt, whole
from .tolerances import SPIN_HALVINGS

CONTACT, TURN, SINGLE = 0, 1, 2


def speed(c: int, i: int, u: real[:], G: real[:, 3, :], places: whole[:, :], b: real[:, 3]) -> float:
    """Entry i of v = G u + b of a three."""
    total = b[c, i]
    for k in range(places.shape[1]):
        at = places[c, k]
        if at >= 0:
            total += G[c, i, k] * u[at]
    return total


@compiled
def sweep(u: real[:], impulses: real[:, 3], G: real[:, 3, :], g_places: whole[:, :], Y: real[:, 3, :],
          y_places: whole[:, :], W: real[:, 4], b: real[:, 3], kinds: whole[:], partners: whole[:], laws: real[:, 3],
          sweeps: int, tolerance: float) -> tuple[int, float]:
    """Sweeps until no impulse changes a speed by more than `tolerance`; how many there were, and the last change.

    `impulses` (n, 3), `G` (n, 3, a) at `g_places` (n, a) of u, `Y` (n, 3, c) at `y_places`; places of −1 are none.
    `W` (n, 4) is G Y of a three alone: the first, the larger way along the other two, and ∂v₂,₃/∂Λ₁.  `kinds` (n) and
    `laws` (n, 3): μ, patch and creep of a CONTACT, arms of spin and rolling of a TURN, low and high of a SINGLE;
    `partners` (n) are the TURN of a CONTACT (−1: none), and the CONTACT of a TURN.
    """
    n, reach = G.shape[0], Y.shape[2]
    v, other, change = reals(3), reals(3), reals(3)
    largest = 0.0
    for count in range(sweeps):
        largest = 0.0
        for c in range(n):
            kind, partner = kinds[c], partners[c]
            patch = 0.0 if kind == SINGLE else laws[c if kind == CONTACT else partner, 1]
            for i in range(3):
                v[i] = speed(c, i, u, G, g_places, b)
                other[i] = speed(partner, i, u, G, g_places, b) if patch > 0.0 else 0.0
            # the first one: what presses, spins, or is single
            before = impulses[c, 0]
            after, limit = before - v[0] / W[c, 0], 0.0
            if kind == CONTACT:
                after = max(0.0, after)
                limit = laws[c, 0] * after
            elif kind == TURN:
                pressing, slip = impulses[partner, 0], sqrt(other[1] * other[1] + other[2] * other[2])
                limit = laws[c, 1] * pressing
                holds = laws[c, 0] * pressing
                rubs = laws[partner, 0] * patch * 3 * pi / 16 * patch * pressing
                free = max(0.0, abs(after) - holds)
                if patch > 0.0 and free > 0.0:
                    # ω + W rubs ω/(a |ω| + 15π/16 |v|) = W free, which grows with ω
                    low, high = 0.0, W[c, 0] * free
                    for _ in range(SPIN_HALVINGS):
                        spin = (low + high) / 2
                        whirl = patch * sqrt(spin * spin + laws[partner, 2] ** 2) + 15 * pi / 16 * slip
                        if spin + W[c, 0] * rubs * spin / whirl > W[c, 0] * free:
                            high = spin
                        else:
                            low = spin
                    holds = abs(after) - low / W[c, 0]
                after = min(max(after, -holds), holds)
            else:
                after = min(max(after, laws[c, 0]), laws[c, 1])
            change[0] = after - before
            # then the other two, at the speeds that the first leaves
            slip_1, slip_2 = v[1] + W[c, 2] * change[0], v[2] + W[c, 3] * change[0]
            x, y = impulses[c, 1] - slip_1 / W[c, 1], impulses[c, 2] - slip_2 / W[c, 1]
            size = sqrt(x * x + y * y)
            if kind == CONTACT and patch > 0.0 and size > 0.0:
                # s + W μ Λ_n s/(s + k) = W size
                spread = 8 / (3 * pi) * patch * sqrt(other[0] * other[0] + laws[c, 2] ** 2)
                half = (W[c, 1] * (size - limit) - spread) / 2
                root = sqrt(half * half + spread * W[c, 1] * size)
                left = half + root if half > 0 else spread * W[c, 1] * size / (root - half)
                limit = size - left / W[c, 1]
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


@compiled
def lift(shift: real[:], pushes: real[:], G: real[:, 3, :], g_places: whole[:, :], Y: real[:, 3, :],
         y_places: whole[:, :], W: real[:, 4], gaps: real[:], sweeps: int, tolerance: float) -> float:
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
