"""Random mechanisms with random start conditions, one for every seed.

To a mechanism of `random_models` comes what may be asked of a start: values that are given, guesses, accelerations that
vanish, initial equations, parameters that are solved for, drives, friction at rest, inputs.  Conditions are put on a
further arm that a spring holds, so that there is a place where they hold; it rides on any body, in loops too.
"""

from __future__ import annotations

from random_models import FAMILIES, Machine, machine

import linkwright as lw
from linkwright import joints, rotational, translational

#: what is asked of a start
KINDS = ("fixed", "guessed", "acceleration", "equation", "freed", "speeds", "driven", "friction at rest", "input")
#: families in the plane, which begin as they are
FLAT = ("flat", "geared", "flat with events")


def machine_with_start(seed: int) -> tuple[Machine, str]:
    """The mechanism of a seed, and what is asked of its start; families and kinds take turns."""
    kind = KINDS[(seed // len(FAMILIES)) % len(KINDS)]
    k = machine(seed)
    if FAMILIES[seed % len(FAMILIES)] in FLAT:
        return k, "as it is"
    joint = _arm(k)
    ASKED[kind](k, joint)
    return k, kind


def _arm(k: Machine):
    """A joint that carries a body, and that a spring holds."""
    parent, letter = int(k.random.integers(len(k.places))), str(k.random.choice(list("RP")))
    joint = k.joint(letter, speed=None)
    k.body(parent, joint, k.anywhere(parent))
    room = rotational if letter == "R" else translational
    k.spring_of_arm = k.put(room.SpringDamper(c=float(k.random.uniform(30, 90)), d=0.5))
    k.model.connect(joint.support, k.spring_of_arm.flange_a)
    k.model.connect(joint.axis, k.spring_of_arm.flange_b)
    k.conserves = False
    return joint


def _names(joint) -> tuple[str, str]:
    """Coordinate and speed."""
    return ("phi", "w") if isinstance(joint, joints.Revolute) else ("s", "v")


def _small(k: Machine) -> float:
    return float(k.random.uniform(-0.2, 0.2))


def fixed(k: Machine, joint) -> None:
    q, u = _names(joint)
    joint.start_at(**{q: _small(k), u: _small(k)})


def guessed(k: Machine, joint) -> None:
    q, u = _names(joint)
    joint.start_at(**{q: lw.guess(_small(k)), u: _small(k)})


def acceleration(k: Machine, joint) -> None:
    """At rest, wherever that is."""
    q, u = _names(joint)
    joint.start_at(**{q: lw.guess(_small(k)), u: 0.0, "a": 0.0})


def equation(k: Machine, joint) -> None:
    q, u = _names(joint)
    joint.start_at(**{q: lw.guess(_small(k)), u: lw.guess(0.0)})
    choice = k.random.integers(3)
    if choice == 0:
        k.model.init(joint.a, float(k.random.uniform(-0.5, 0.5)))
        k.model.init(getattr(joint, u), 0.0)
    elif choice == 1:
        k.model.init(getattr(joint, q) + 0.3 * lw.sin(getattr(joint, q)), _small(k))
    else:
        k.model.init(getattr(joint, u) + 2 * getattr(joint, q), _small(k))


def freed(k: Machine, joint) -> None:
    """The spring's length is solved for."""
    q, u = _names(joint)
    joint.start_at(**{q: _small(k), u: 0.0, "a": 0.0})
    setattr(k.spring_of_arm, "phi_rel0" if q == "phi" else "s_rel0", lw.free(0.0))


def speeds(k: Machine, joint) -> None:
    q, u = _names(joint)
    joint.start_at(**{u: float(k.random.uniform(-1, 1))})


def driven(k: Machine, joint) -> None:
    """A further arm on a course, and this one at rest beside it."""
    acceleration(k, joint)
    other = k.joint("R", speed=None)
    k.body(int(k.random.integers(len(k.places))), other, k.anywhere(0))
    k.model.prescribe(other.phi, 0.3 * lw.sin(2 * lw.time + 0.5))


def friction_at_rest(k: Machine, joint) -> None:
    q, u = _names(joint)
    joint.start_at(**{q: _small(k), u: 0.0})
    joint.friction = lw.Coulomb(tau=float(k.random.uniform(0.5, 20)))
    k.switches = True


def given_input(k: Machine, joint) -> None:
    """A force from outside decides where rest is."""
    acceleration(k, joint)
    turning = isinstance(joint, joints.Revolute)
    push = k.put(rotational.Torque(tau=1.5) if turning else translational.Force(f=1.5))
    k.model.connect(joint.axis, push.flange)


ASKED = dict(zip(KINDS, (fixed, guessed, acceleration, equation, freed, speeds, driven, friction_at_rest, given_input),
                 strict=True))
