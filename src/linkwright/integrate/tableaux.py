"""Coefficients of the explicit Runge–Kutta methods, in one common shape.

Stages 1 … s give the new point  x₁ = x₀ + h Σ bⱼ kⱼ;  the slope at the new point is stage s+1, so a method whose
last row repeats b costs nothing extra (first same as last).  Stages after s+1 serve only the dense output

    x(θ) = r₁ + θ(r₂ + (1−θ)(r₃ + θ(r₄ + (1−θ)(r₅ + θ(r₆ + (1−θ)(r₇ + θ r₈))))))

with r₁ … r₄ from both end points and both end slopes (cubic Hermite) and rᵢ = h Σ dᵢⱼ kⱼ for i ≥ 5.

Reference: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, 2nd ed. 1993: Dormand–Prince 5(4)
Table II.5.2 and dense output II.6; Dormand–Prince 8(5,3) with dense output of order 7: Section II.10, code DOP853.
Rows are written as {column: coefficient}, numbered from 1 as in the book.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction as Q
from functools import cache, cached_property
from typing import Any

import numpy as np

from .record import MAX_STAGES


@dataclass(frozen=True)
class Tableau:
    """One method: a (rows = stages), b, c, error rows e (one or two) and dense-output rows d."""

    stages: int
    a: np.ndarray  # (MAX_STAGES, MAX_STAGES); row `stages` holds b
    c: np.ndarray
    e: np.ndarray  # (2, MAX_STAGES)
    d: np.ndarray  # (4, MAX_STAGES)
    n_dense: int  # how many rows of d
    n_extra: int  # how many further stages the dense output needs
    error_order: int  # the error estimate is O(h^error_order)

    @cached_property
    def error_rows(self) -> int:
        """How many error estimates there are."""
        return int(np.any(self.e, axis=1).sum())

    @cached_property
    def error_uses_last(self) -> bool:
        """Whether the estimates need the slope at the new point."""
        return bool(self.e[0, self.stages])

    @cached_property
    def chained(self) -> bool:
        """Whether every stage needs the newest slope only, and the new point all of them, as in RK4."""
        return bool(self.a[self.stages, : self.stages].all()) and not any(
            self.a[stage, : stage - 1].any() for stage in range(2, self.stages))

    @cached_property
    def times(self) -> tuple[float, ...]:
        """The times of the stages, as fractions of the step."""
        return tuple(self.c[: self.stages].tolist())


@cache
def gaps(times: tuple[float, ...]) -> dict[str, float]:
    """The widest gap between two stages of a step, as fractions of it, and the time of the second stage."""
    known = np.unique([0.0, *times, 1.0])
    k = int(np.argmax(np.diff(known)))
    return {"gap_low": float(known[k]), "gap_high": float(known[k + 1]), "gap_second": float(known[1])}


def _matrix(rows: dict[int, dict[int, Any]], height: int, first: int) -> np.ndarray:
    matrix = np.zeros((height, MAX_STAGES))
    for i, row in rows.items():
        for j, value in row.items():
            matrix[i - first, j - 1] = float(value)
    return matrix


def _nodes(c: Sequence[Any]) -> np.ndarray:
    nodes = np.zeros(MAX_STAGES)
    nodes[: len(c)] = [float(value) for value in c]
    return nodes


DOPRI5_A = {
    2: {1: Q(1, 5)},
    3: {1: Q(3, 40), 2: Q(9, 40)},
    4: {1: Q(44, 45), 2: Q(-56, 15), 3: Q(32, 9)},
    5: {1: Q(19372, 6561), 2: Q(-25360, 2187), 3: Q(64448, 6561), 4: Q(-212, 729)},
    6: {1: Q(9017, 3168), 2: Q(-355, 33), 3: Q(46732, 5247), 4: Q(49, 176), 5: Q(-5103, 18656)},
    7: {1: Q(35, 384), 3: Q(500, 1113), 4: Q(125, 192), 5: Q(-2187, 6784), 6: Q(11, 84)},
}
DOPRI5_C = (0, Q(1, 5), Q(3, 10), Q(4, 5), Q(8, 9), 1, 1)
DOPRI5_E = {
    1: {1: Q(71, 57600), 3: Q(-71, 16695), 4: Q(71, 1920), 5: Q(-17253, 339200), 6: Q(22, 525), 7: Q(-1, 40)},
}
DOPRI5_D = {
    5: {
        1: Q(-12715105075, 11282082432), 3: Q(87487479700, 32700410799), 4: Q(-10690763975, 1880347072),
        5: Q(701980252875, 199316789632), 6: Q(-1453857185, 822651844), 7: Q(69997945, 29380423),
    },
}  # fmt: skip

RK4_A: dict[int, dict[int, Any]] = {
    2: {1: Q(1, 2)}, 3: {2: Q(1, 2)}, 4: {3: 1}, 5: {1: Q(1, 6), 2: Q(1, 3), 3: Q(1, 3), 4: Q(1, 6)},
}
RK4_C = (0, Q(1, 2), Q(1, 2), 1, 1)

DOP853_A = {
    2: {1: 0.05260015195876773},
    3: {1: 0.0197250569845379, 2: 0.0591751709536137},
    4: {1: 0.02958758547680685, 3: 0.08876275643042054},
    5: {1: 0.2413651341592667, 3: -0.8845494793282861, 4: 0.924834003261792},
    6: {1: 0.037037037037037035, 4: 0.17082860872947386, 5: 0.12546768756682242},
    7: {1: 0.037109375, 4: 0.17025221101954405, 5: 0.06021653898045596, 6: -0.017578125},
    8: {1: 0.03709200011850479, 4: 0.17038392571223998, 5: 0.10726203044637328, 6: -0.015319437748624402,
        7: 0.008273789163814023},
    9: {1: 0.6241109587160757, 4: -3.3608926294469414, 5: -0.868219346841726, 6: 27.59209969944671,
        7: 20.154067550477894, 8: -43.48988418106996},
    10: {1: 0.47766253643826434, 4: -2.4881146199716677, 5: -0.590290826836843, 6: 21.230051448181193,
        7: 15.279233632882423, 8: -33.28821096898486, 9: -0.020331201708508627},
    11: {1: -0.9371424300859873, 4: 5.186372428844064, 5: 1.0914373489967295, 6: -8.149787010746927,
        7: -18.52006565999696, 8: 22.739487099350505, 9: 2.4936055526796523, 10: -3.0467644718982196},
    12: {1: 2.273310147516538, 4: -10.53449546673725, 5: -2.0008720582248625, 6: -17.9589318631188,
        7: 27.94888452941996, 8: -2.8589982771350235, 9: -8.87285693353063, 10: 12.360567175794303,
        11: 0.6433927460157636},
    13: {1: 0.054293734116568765, 6: 4.450312892752409, 7: 1.8915178993145003, 8: -5.801203960010585,
        9: 0.3111643669578199, 10: -0.1521609496625161, 11: 0.20136540080403034, 12: 0.04471061572777259},
    14: {1: 0.056167502283047954, 7: 0.25350021021662483, 8: -0.2462390374708025, 9: -0.12419142326381637,
        10: 0.15329179827876568, 11: 0.00820105229563469, 12: 0.007567897660545699, 13: -0.008298},
    15: {1: 0.03183464816350214, 6: 0.028300909672366776, 7: 0.053541988307438566, 8: -0.05492374857139099,
        11: -0.00010834732869724932, 12: 0.0003825710908356584, 13: -0.00034046500868740456, 14: 0.1413124436746325},
    16: {1: -0.42889630158379194, 6: -4.697621415361164, 7: 7.683421196062599, 8: 4.06898981839711,
        9: 0.3567271874552811, 13: -0.0013990241651590145, 14: 2.9475147891527724, 15: -9.15095847217987},
}
DOP853_C = (
    0.0,
    0.05260015195876773,
    0.0789002279381516,
    0.1183503419072274,
    0.2816496580927726,
    0.3333333333333333,
    0.25,
    0.3076923076923077,
    0.6512820512820513,
    0.6,
    0.8571428571428571,
    1.0,
    1.0,
    0.1,
    0.2,
    0.7777777777777778,
)
# row 1: estimate of order 5, row 2: of order 3
DOP853_E = {
    1: {1: 0.01312004499419488, 6: -1.2251564463762044, 7: -0.4957589496572502, 8: 1.6643771824549864,
        9: -0.35032884874997366, 10: 0.3341791187130175, 11: 0.08192320648511571, 12: -0.022355307863886294},
    2: {1: -0.18980075407240762, 6: 4.450312892752409, 7: 1.8915178993145003, 8: -5.801203960010585,
        9: -0.4226823213237919, 10: -0.1521609496625161, 11: 0.20136540080403034, 12: 0.02265179219836082},
}
DOP853_D = {
    5: {1: -8.428938276109013, 6: 0.5667149535193777, 7: -3.0689499459498917, 8: 2.38466765651207,
        9: 2.117034582445028, 10: -0.871391583777973, 11: 2.2404374302607883, 12: 0.6315787787694688,
        13: -0.08899033645133331, 14: 18.148505520854727, 15: -9.194632392478356, 16: -4.436036387594894},
    6: {1: 10.427508642579134, 6: 242.28349177525817, 7: 165.20045171727028, 8: -374.5467547226902,
        9: -22.113666853125306, 10: 7.733432668472264, 11: -30.674084731089398, 12: -9.332130526430229,
        13: 15.697238121770845, 14: -31.139403219565178, 15: -9.35292435884448, 16: 35.81684148639408},
    7: {1: 19.985053242002433, 6: -387.0373087493518, 7: -189.17813819516758, 8: 527.8081592054236,
        9: -11.57390253995963, 10: 6.8812326946963, 11: -1.0006050966910838, 12: 0.7777137798053443,
        13: -2.778205752353508, 14: -60.19669523126412, 15: 84.32040550667716, 16: 11.99229113618279},
    8: {1: -25.69393346270375, 6: -154.18974869023643, 7: -231.5293791760455, 8: 357.6391179106141,
        9: 93.40532418362432, 10: -37.45832313645163, 11: 104.0996495089623, 12: 29.8402934266605,
        13: -43.53345659001114, 14: 96.32455395918828, 15: -39.17726167561544, 16: -149.72683625798564},
}

DOPRI5 = Tableau(
    6, _matrix(DOPRI5_A, MAX_STAGES, 1), _nodes(DOPRI5_C), _matrix(DOPRI5_E, 2, 1), _matrix(DOPRI5_D, 4, 5), 1, 0, 5
)
DOP853 = Tableau(
    12, _matrix(DOP853_A, MAX_STAGES, 1), _nodes(DOP853_C), _matrix(DOP853_E, 2, 1), _matrix(DOP853_D, 4, 5), 4, 3, 8
)
RK4 = Tableau(4, _matrix(RK4_A, MAX_STAGES, 1), _nodes(RK4_C), _matrix({}, 2, 1), _matrix({}, 4, 5), 0, 0, 0)
