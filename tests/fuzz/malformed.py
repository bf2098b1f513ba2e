"""Models with a mistake in them, one for every seed: each is refused by an error of ours that names it, or right.

A sound mechanism (`random_models`) is taken and spoilt in one way: a number that is none, a vector of the wrong length,
a part connected to nothing or twice, start values that contradict one another, names that do not exist.  Some of these
change nothing that matters; then the model must run, and be right.
"""

from __future__ import annotations

import warnings

import numpy as np
from random_models import begin, tree

import linkwright as lw
from balance import imbalances
from linkwright import constraints, forces, joints, parts, rotational
from linkwright import planar as pl
from linkwright.language.fields import Parameter

WRONG = (float("nan"), float("inf"), -1.0, 0.0, 1e300, 1e-300, "two", None, [1, 2], [[1]], {}, object(), True, 10**400,
         complex(1, 2), np.array([np.nan, 0, 0]), lambda x: x, b"x", [0, 0, 0])


class Mistaken(AssertionError):
    """A mistake that was let through, or refused in words that are not ours."""


def sound(seed: int):
    """A small sound model."""
    k = begin(seed, "malformed")
    tree(k, int(k.random.integers(1, 4)))
    return k


# --- ways to spoil it: each gives the names of which one must be in the message (none: any)


def wrong_parameter(k) -> list[str]:
    """A parameter set to something else."""
    part = k.random.choice(np.array([c for c in k.model.leaves() if type(c).fields()], dtype=object))
    names = [name for name, field in type(part).fields().items() if isinstance(field, Parameter)]
    name = str(k.random.choice(names))
    value = WRONG[k.random.integers(len(WRONG))]
    setattr(part, name, value)
    return [part.path, name]


def wrong_start(k) -> list[str]:
    part = k.random.choice(np.array([c for c in k.model.leaves() if isinstance(c, joints.Joint)], dtype=object))
    name = str(k.random.choice(["phi", "w", "s", "v", "q", "angles", "w_rel_a", "phi_a"]))
    setattr(part, name, WRONG[k.random.integers(len(WRONG))])
    return [part.path, name]


def floating(k) -> list[str]:
    """A part that nothing leads to."""
    made = [parts.FixedTranslation(r=[1, 0, 0]), joints.Revolute(), forces.Spring(c=1.0), constraints.Rod(length=1.0),
            rotational.Spring(c=1.0), parts.Body(m=0.0)][k.random.integers(6)]
    k.model.lonely = made
    return ["lonely"]


def half_connected(k) -> list[str]:
    made = [joints.Revolute(), forces.Spring(c=1.0), constraints.Rod(length=1.0),
            joints.SphericalSpherical(rod_length=1.0), joints.FreeMotion()][k.random.integers(5)]
    k.model.lonely = made
    k.model.connect(k.frames[-1], made.frame_a)
    return ["lonely"]


def wrong_kinds(k) -> list[str]:
    """Connectors of different kinds joined, or something that is none."""
    k.model.shaft, k.model.flat = rotational.Inertia(J=1.0), pl.Body(m=1, I=1)
    other = [k.model.shaft.flange_a, k.model.flat.frame_a, k.model.shaft, 3, None, "frame_b"][k.random.integers(6)]
    k.model.connect(k.frames[-1], other)
    return [k.frames[-1].path, "shaft", "flat", "connect"]


def both_ends_on_one_part(k) -> list[str]:
    k.model.stuck = joints.Revolute()
    k.model.connect(k.frames[-1], k.model.stuck.frame_a, k.model.stuck.frame_b)
    return ["stuck"]


def two_worlds(k) -> list[str]:
    k.model.second = lw.World()
    return ["second"]


def ring_that_does_not_close(k) -> list[str]:
    k.model.gap = parts.FixedTranslation(r=[5, 0, 0])
    k.model.connect(k.frames[0], k.model.gap.frame_a)
    k.model.bridge = parts.FixedTranslation(r=[1, 1, 1])
    k.model.connect(k.model.gap.frame_b, k.model.bridge.frame_a)
    k.model.connect(k.model.bridge.frame_b, k.frames[0])
    return ["gap", "bridge", "world"]


def too_short(k) -> list[str]:
    """A rod that cannot reach."""
    k.model.rod = joints.SphericalSpherical(rod_length=0.01)
    k.model.base, k.model.far = parts.Fixed(r=[50, 0, 0]), parts.Fixed(r=[60, 0, 0])
    k.model.connect(k.model.base.frame_b, k.model.rod.frame_a)
    k.model.connect(k.model.rod.frame_b, k.model.far.frame_b)
    return ["rod"]


def contradicting_starts(k) -> list[str]:
    k.model.one = joints.Revolute(phi=0.1)
    k.model.mass = parts.Body(m=1)
    k.model.chain(k.model.world, k.model.one, k.model.mass)
    k.model.init(k.model.one.phi, 0.7)
    return ["one", "initial equation"]


def given_twice(k) -> list[str]:
    k.model.one, k.model.mass = joints.Revolute(), parts.Body(m=1)
    k.model.chain(k.model.world, k.model.one, k.model.mass)
    k.model.prescribe(k.model.one.phi, lw.time)
    [lambda: k.model.lock(k.model.one), lambda: k.model.prescribe(k.model.one.w, 1.0)][k.random.integers(2)]()
    return ["one"]


def massless_leaf(k) -> list[str]:
    k.model.one, k.model.arm = joints.Revolute(), parts.FixedTranslation(r=[1, 0, 0])
    k.model.chain(k.frames[-1].owner, k.model.one, k.model.arm)
    return ["one", "arm"]


def wrong_law(k) -> list[str]:
    """A law of one's own that returns nonsense or raises."""
    value = [None, "f", float("nan"), [1, 2], lw.time > 1, object()][k.random.integers(6)]
    raising = k.random.random() < 0.3

    class Law(forces.LineForce):
        def force(self, s, v):
            if raising:
                raise ValueError("no such force")
            return value

    k.model.law = Law()
    k.model.connect(k.model.world.frame_b, k.model.law.frame_a)
    k.model.connect(k.model.law.frame_b, k.frames[-1])
    return ["law"]


def wrong_signal(k) -> list[str]:
    k.model.push = forces.WorldForce()
    k.model.connect(k.frames[-1], k.model.push.frame_b)
    k.model.push.force = WRONG[k.random.integers(len(WRONG))]
    return ["push"]


def wrong_run(k) -> list[str]:
    """Arguments of a study."""
    random, m = k.random, k.model
    bad = WRONG[random.integers(len(WRONG))]
    call = [lambda: lw.simulate(m, bad), lambda: lw.simulate(m, 0.1, accuracy=bad),
            lambda: lw.simulate(m, 0.1, step=bad), lambda: lw.simulate(m, 0.1, inputs=bad),
            lambda: lw.simulate(m, 0.1, state=bad),
            lambda: lw.simulate(m, 0.1, method=bad), lambda: lw.compile(m, tunable=bad),
            lambda: lw.compile(m, formulation=bad)][random.integers(7)]
    k.model.__dict__["_spoilt_call"] = call
    return []


WAYS = (wrong_parameter, wrong_parameter, wrong_start, wrong_start, floating, half_connected, wrong_kinds,
        both_ends_on_one_part, two_worlds, ring_that_does_not_close, too_short, contradicting_starts, given_twice,
        massless_leaf, wrong_law, wrong_signal, wrong_run)


def judge(seed: int) -> str:
    """"refused" or "right"; raises `Mistaken` for anything else."""
    k = sound(seed)
    way = WAYS[seed % len(WAYS)]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        names: list[str] = []
        try:
            names = way(k)
            call = k.model.__dict__.pop("_spoilt_call", None)
            r = call() if call is not None else lw.simulate(lw.compile(k.model, tier="quick"), 0.05, step=0.01)
        except lw.LinkwrightError as error:
            text = str(error)
            if names and not any(name in text for name in names):
                raise Mistaken(f"{way.__name__}: refused without the name of {names}: {text[:200]}") from error
            return "refused"
        except Exception as error:
            raise Mistaken(f"{way.__name__}: {type(error).__name__}: {str(error)[:200]}") from error
        if isinstance(r, lw.Result):
            if not np.all(np.isfinite(r.states)):
                raise Mistaken(f"{way.__name__}: let through, and not finite")
            off = imbalances(r)
            if off:
                raise Mistaken(f"{way.__name__}: let through {names}, and out of balance: {off}")
    return "right"
