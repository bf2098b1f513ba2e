"""Locks, and constraints that hold only while a condition is true: they begin to hold by an impulse.

    M Δu + Gᵀ Λ = 0,   G (u + Δu) = 0      G: the lock's rows and all others in force

Friction of a given torque passes on no impulse.  Stops that touch are struck afterwards, if they are approached then.
"""

# mypy: ignore-errors
# (types are those of the dialect, which its compiler looks at)

from __future__ import annotations

from ..integrate.record import View
from . import tolerances as tol
from .row_impulses import course, no_impulse, note, rest, solve
from .row_modes import look
from .row_record import APART, FINE, HELD, N_FIXED, STRUCK, integers, vector


def engage(r: View) -> int:
    """Bring to rest what is locked from now on; `changed` says whether a lock has begun or ceased to hold."""
    look(r)
    held, wanted = integers(r.holding, r.n_conditional), vector(r.conditions, r.n_conditional)
    begins = False
    for k in range(r.n_conditional):
        holds = 1 if wanted[k] != 0.0 else 0
        if holds != held[k]:
            held[k], r.changed = holds, 1
            note(r, r.n + k, 1 if holds != 0 else -1)
            if holds != 0:
                begins = True
                if is_apart(r, k):
                    r.culprit = r.n + k
                    return APART
    if begins:
        catch(r)
    return FINE


def is_apart(r: View, k: int) -> bool:
    """Whether the parts that a lock shall hold together are apart (`open_by`): they would jump."""
    meets, gaps = integers(r.meets, r.n_conditional, 2), vector(r.gaps, r.n_equations)
    r.open_by = 0.0
    if meets[k, 1] > 0:
        if r.jump == 0:
            r.needs_jump = 1
            return False
        no_impulse(r)
        solve(r, False)
        for i in range(meets[k, 0], meets[k, 0] + meets[k, 1]):
            r.open_by = max(r.open_by, abs(gaps[i]))
    return r.open_by > tol.OPEN


def catch(r: View) -> None:
    """The impulse, with friction and stops out of force."""
    F, inp, aside = integers(r.fixed, N_FIXED, r.n), vector(r.inp, r.n_in), vector(r.inputs_aside, r.n_in)
    for k in range(r.n):
        aside[F[HELD, k]] = inp[F[HELD, k]]
    for k in range(r.n):
        inp[F[HELD, k]] = 0.0
    course(r, STRUCK, False)
    rest(r)
    for k in range(r.n):
        inp[F[HELD, k]] = aside[F[HELD, k]]


def hold(r: View) -> None:
    """Take off what steps of a fixed size have left of the speeds that are held."""
    held, some = integers(r.holding, r.n_conditional), False
    for k in range(r.n_conditional):
        some = some or held[k] != 0
    if some:
        rest(r)
