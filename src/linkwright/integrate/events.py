"""Finding where witness functions change sign within a step, on the projected interpolant.

A witness crosses when it goes from one sign to the other or to exactly zero; leaving zero is no crossing, so an event
is not found twice.  A *guard* (sense −2) is positive by right, whatever rounding says where a run is taken up: one that
leaves zero on the negative side crosses at once.  The step is looked at in a few pieces so that several roots in one
step are found in order.
"""

from __future__ import annotations

from .dense import state_at
from .jit import inlined, part
from .model_call import call
from .record import BEFORE, G_CROSSED, G_HIGH, G_LOW, G_SENSE, G_TRIAL

MAX_ITERATIONS = 100
NOT_LEFT = 1e-3  # of the first value after a restart: what is below that at the restart counts as zero


@part
def witness(r, G, row):
    """Witness functions at the state in the input vector into row `row` of G."""
    call(r.events, r.p_in, r.p_g + row * G.shape[1] * 8, r.p_work)
    r.witnesses += 1


@part
def crossings(r, G, low, high):
    """Mark in G_CROSSED which witnesses cross from row `low` to `high` in their sense (+1, −1, −2; 0 for both); any?"""
    found = False
    for i in range(r.n_events):
        a, b, sense = G[low, i], G[high, i], G[G_SENSE, i]
        G[G_CROSSED, i] = 0.0
        if a > 0.0 and b <= 0.0 and sense <= 0.0:
            G[G_CROSSED, i] = -1.0
            found = True
        elif a < 0.0 and b >= 0.0 and sense >= 0.0:
            G[G_CROSSED, i] = 1.0
            found = True
    return found


@part
def right_guards(r, G):
    """Guards that start at zero to rounding and leave it on the negative side: their start is taken as positive."""
    for i in range(r.n_events):
        a, b = G[G_LOW, i], G[G_HIGH, i]
        if G[G_SENSE, i] == -2.0 and b < a <= 0.0 and a >= NOT_LEFT * b:
            G[G_LOW, i] = 1e-300


@part
def copy_row(G, source, target):
    for i in range(G.shape[1]):
        G[target, i] = G[source, i]


@inlined
def find_event(r, inp, out, quaternions, V, F, G):
    """Fraction θ of the step just after its first event, or 2 where there is none.

    Afterwards the input vector holds the state at θ, V[BEFORE] the state just before, G_CROSSED the senses of the
    crossings; without an event G_LOW holds the witnesses at the step's end.
    """
    low = 0.0
    # after a restart look once very early: a ball that leaves the floor must be seen above it before it falls again
    first = 0 if r.restart else 1
    for piece in range(first, r.n_sub + 1):
        high = piece / r.n_sub if piece > 0 else 1e-4 / r.n_sub
        state_at(r, high, inp, out, quaternions, V, F)
        witness(r, G, G_HIGH)
        if r.restart and piece <= 1:
            right_guards(r, G)
        if crossings(r, G, G_LOW, G_HIGH):
            return narrow(r, low, high, inp, out, quaternions, V, F, G)
        copy_row(G, G_HIGH, G_LOW)
        low = high
    return 2.0


@inlined
def narrow(r, low, high, inp, out, quaternions, V, F, G):
    """Shrink (low, high] around its first crossing to the time tolerance: Illinois steps, each fourth a bisection."""
    h = r.t1 - r.t0
    width = max(r.time_tolerance, 8.9e-16 * max(abs(r.t0), abs(r.t1))) / h
    weight_low = weight_high = 1.0
    side = 0
    for iteration in range(MAX_ITERATIONS):
        if high - low <= width:
            break
        # the earliest root by interpolation among the witnesses that cross
        crossings(r, G, G_LOW, G_HIGH)
        theta = high
        for i in range(r.n_events):
            if G[G_CROSSED, i] != 0.0:
                a, b = abs(G[G_LOW, i]) * weight_low, abs(G[G_HIGH, i]) * weight_high
                theta = min(theta, low + (high - low) * (a / (a + b)))
        if iteration % 4 == 3:
            theta = 0.5 * (low + high)
        # stay off the ends, so that a good guess closes the window from both sides
        margin = min(0.5 * width, 0.5 * (high - low))
        theta = min(max(theta, low + margin), high - margin)
        if not low < theta < high:
            break
        state_at(r, theta, inp, out, quaternions, V, F)
        witness(r, G, G_TRIAL)
        if crossings(r, G, G_LOW, G_TRIAL):
            high = theta
            copy_row(G, G_TRIAL, G_HIGH)
            weight_low = 0.5 * weight_low if side == 1 else 1.0
            weight_high = 1.0
            side = 1
        else:
            low = theta
            copy_row(G, G_TRIAL, G_LOW)
            weight_high = 0.5 * weight_high if side == -1 else 1.0
            weight_low = 1.0
            side = -1
    crossings(r, G, G_LOW, G_HIGH)
    state_at(r, low, inp, out, quaternions, V, F)
    r.t_before = inp[0]
    for i in range(r.n):
        V[BEFORE, i] = inp[1 + i]
    state_at(r, high, inp, out, quaternions, V, F)
    return high
