"""How far a state has been computed (Simbody's stages)."""

from __future__ import annotations

from enum import IntEnum


class Stage(IntEnum):
    """Stages in the order in which they are reached; a change of a variable takes the state back below one of them.

    | changed | first stage to be computed again |
    |---|---|
    | p, d | INSTANCE |
    | t | TIME |
    | q | POSITION |
    | u | VELOCITY |
    | z | DYNAMICS |
    """

    EMPTY = 0
    TOPOLOGY = 1
    MODEL = 2
    INSTANCE = 3
    TIME = 4
    POSITION = 5
    VELOCITY = 6
    DYNAMICS = 7
    ACCELERATION = 8
    REPORT = 9


#: the first stage that depends on each part of a state
DEPENDS = {
    "p": Stage.INSTANCE,
    "d": Stage.INSTANCE,
    "t": Stage.TIME,
    "q": Stage.POSITION,
    "u": Stage.VELOCITY,
    "z": Stage.DYNAMICS,
}
