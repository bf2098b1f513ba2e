"""The thresholds of this room, each with its unit, its reason, and what breaks on either side.

`tests/verify` holds each of them to its value here or a smaller one: a comparison may become stricter, never laxer.
"""

from __future__ import annotations

#: Of the gap between runs at α and α/100: how far another way of computing the same motion may be off.  Errors of two
#: methods at one accuracy differ by a factor of a few; with 1 every second one differs, with 1000 a wrong start hides.
TIMES_THE_GAP = 10.0
#: Relative: a motion is compared up to where its gap passes this; beyond, it is chaotic or its accuracy is spent.
SPENT = 1e-4
#: Relative: what is allowed where the gap vanishes by chance (a body at rest, a prescribed motion), in accuracies.
LEAST_GAP = 1.0
#: How much finer the second run is: its error is nothing beside that of the first, and it takes twice as long.
FINER = 100.0
#: Variables of one unit are compared relative to the largest of them, but to no less than this (SI units): a coordinate
#: that stays at zero is compared with nothing else than rounding otherwise.
SMALLEST_SCALE = 1e-3
#: Of the run: output times this near to an event are not compared to accuracy; on which side they lie is rounding.
NEAR_AN_EVENT = 1e-6
#: Of the run: how far apart two runs may end that a model ends by itself.
SAME_END = 1e-6
#: Output intervals; a prime number, so that what happens at round times does not happen at output times.
INTERVALS = 47
#: Variables that are compared; of larger models these many, spread evenly.
MOST_WATCHED = 60
#: Fixed steps between two output times, at first; four times as many where they do not follow, tried so often.
FIXED_STEPS, REFINED = 40, 3
#: Of the time limit: fixed steps that have taken longer are not made shorter.
SHARE = 0.1
#: Part of a run that fixed steps have to follow before they are believed.
FOLLOWED = 0.5
#: Relative change of the parameter, and change of the start value in its unit, that runs side by side differ by.
CHANGED = 1e-3
#: Segments that a Simulator is advanced by; every one begins anew.
SEGMENTS = 4
#: Parameters that are tried before none is varied; each that cannot stay an input costs a translation.
TRIED = 6
#: s: for a C compiler, which takes a few for a small model; beyond, it will not end.
COMPILING = 300
#: s: steps of a Simulator whose contacts are stepped, as long as those of `simulate` but a power of two, so that times
#: of steps add up without rounding.
CONTACT_STEP = 2.0**-10
