"""How large things are: numbers at a position of no special kind, from which small numbers take their size."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from ..mechanism import Mechanism, Named
from .tolerances import DRAWS, NO_ENTRY, OFF_PARALLEL


def generic(mechanism: Mechanism, symbols: dict[str, ca.SX], *expressions: ca.SX, p: ca.SX | None = None,
            draw: int = 5) -> list | None:
    """Values of expressions at coordinates of no special kind; None where they depend on algebraic unknowns.

    Parameters have their present values, or are what `p` says.  Every `draw` is another position.
    """
    random = np.random.default_rng(draw)

    def values(items: Sequence[Named]) -> np.ndarray:
        return np.concatenate([np.zeros(0), *[np.ravel(item.value) for item in items]])

    kinds = [body.mobilizer for body in mechanism.bodies]
    q = [kind.normalised(kind.default() + kind.spread * random.uniform(0.2, 0.9, kind.nq)) for kind in kinds]
    inputs = {"t": 0.0, "q": np.concatenate([np.zeros(0), *q]), "u": random.uniform(0.2, 0.9, mechanism.nu),
              "z": np.concatenate([np.zeros(0), *[np.ravel(state.start) for state in mechanism.states]]),
              "d": values(mechanism.discretes), "p": values(mechanism.parameters)}
    function = ca.Function("generic", [symbols[name] for name in inputs], [ca.densify(e) for e in expressions],
                           {"allow_free": True})
    if function.has_free():
        return None
    if p is not None:
        return function.call([ca.SX(ca.DM(value)) if name != "p" else p for name, value in inputs.items()])
    return [np.array(value) for value in function.call(list(map(ca.DM, inputs.values())))]


class Yields:
    """What constraints give way to unit forces of their own, Gᵢ M⁻¹ Gᵢᵀ, in size.

    `less`, a typical value, rather too small: Σ G²/Σ M over the mobilities that a row acts on, where the heavy ones
    count; of each constraint the row that gives way most (others may hold by themselves, or nearly so), of all
    constraints the median.  `more`, per row, rather too large: Σ G²/M, where the light ones count.  Both are in
    proportion to 1/Σ M where masses are parameters.
    """

    def __init__(self, mechanism: Mechanism, symbols: dict[str, ca.SX], inertia: ca.SX, blocks: list[ca.SX]) -> None:
        G = ca.vertcat(ca.SX(0, inertia.numel()), *blocks)
        self.less, self.more = ca.SX(1), ca.SX.ones(G.shape[0])
        for draw in range(5, 5 + DRAWS):
            found = generic(mechanism, symbols, inertia, G, draw=draw)
            if found is None or not G.shape[0]:
                return
            if all(np.all(np.isfinite(values)) for values in found):
                break
        masses, rows = np.where(np.isfinite(found[0].ravel()), found[0].ravel(), 0.0), np.nan_to_num(found[1])
        rows = np.where(np.abs(rows) > max(NO_ENTRY, OFF_PARALLEL * np.max(np.abs(rows))), rows, 0.0)
        heavy, total = masses > 0, np.sum(masses)
        if not total > 0:
            return
        scale = ca.SX(1 / total)
        if any(ca.depends_on(inertia, symbol) for symbol in ca.vertsplit(symbols["p"])):
            scale = 1 / ca.sum1(generic(mechanism, symbols, inertia, p=symbols["p"])[0])
        less = np.divide(np.sum(rows**2, axis=1), (rows != 0) @ masses, out=np.zeros(len(rows)),
                         where=(rows != 0) @ masses > 0)
        more = np.sum(rows[:, heavy] ** 2 / masses[heavy], axis=1)
        starts = np.cumsum([0, *[block.shape[0] for block in blocks]])
        most = np.array([less[a:b].max() for a, b in zip(starts[:-1], starts[1:], strict=True) if b > a])
        self.less = scale * float(power_of_two(total * np.median(_filled(most, len(masses) / total))))
        self.more = scale * ca.SX(power_of_two(total * _filled(more, len(masses) / total)))


def power_of_two(size: np.ndarray) -> np.ndarray:
    """The nearest ones: so code that serves other numbers of the model does not tell which it was made for."""
    return 2.0 ** np.round(np.log2(size))


def _filled(size: np.ndarray, otherwise: float) -> np.ndarray:
    """With the median in the place of zeros."""
    return np.where(size > 0, size, np.median(size[size > 0])) if np.any(size > 0) else np.full(len(size), otherwise)
