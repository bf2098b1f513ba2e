"""The order in which coordinates and multipliers are eliminated: what decides how much code a factorisation takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca

if TYPE_CHECKING:
    from .constraint_rows import Rows


def elimination_order(W: ca.SX, rows: list[Rows]) -> list[int]:
    """Coordinates of loops that hang together, leaf to root, then their multipliers; then what is shared; the rest.

    Multipliers come before shared coordinates only where their loops have at least as many coordinates of their own.
    """
    n = W.shape[0]
    users: dict[int, set[int]] = {}
    multipliers, start = [], n
    for number, r in enumerate(rows):
        multipliers.append(list(range(start, start := start + r.G.shape[0])))
        for column in set(r.G.sparsity().get_col()):
            users.setdefault(column, set()).add(number)
    order: list[int] = [k for k in reversed(range(n)) if k not in users and not _touches(W, k, users)]
    late = []
    for cluster, own in clusters(users, [len(m) for m in multipliers]):
        own = [k for k in sorted(own, reverse=True) if k not in order]
        together = [k for number in cluster for k in multipliers[number]]
        if len(own) >= len(together) and len(rows) > 1:
            order += own + together
        else:
            late += together
    done = set(order)
    order += [k for k in reversed(range(n)) if k not in done]
    return order + late


def clusters(users: dict[int, set[int]], sizes: list[int]) -> list[tuple[list[int], list[int]]]:
    """Constraints that hang together once the most shared coordinates are set aside, each with its own coordinates.

    Of all ways to set aside the coordinates used by at least k constraints, the one is taken that leaves most equations
    (`sizes` per constraint) in clusters with coordinates enough of their own, and then most clusters: a crank that
    drives twelve legs is set aside, the bars that two loops of one leg share are not.
    """
    count, best, score = len(sizes), [], (-1, 0)
    for limit in sorted({len(numbers) for numbers in users.values()} | {count + 1}, reverse=True):
        if limit < 2:
            continue
        label = list(range(count))

        def find(number: int, label: list[int] = label) -> int:
            while label[number] != number:
                number = label[number]
            return number

        kept = {k: numbers for k, numbers in users.items() if len(numbers) < limit}
        for numbers in kept.values():
            first, *others = numbers
            for other in others:
                label[find(other)] = find(first)
        groups: dict[int, tuple[list[int], list[int]]] = {}
        for number in range(count):
            groups.setdefault(find(number), ([], []))[0].append(number)
        for k, numbers in kept.items():
            groups[find(next(iter(numbers)))][1].append(k)
        equations = [sum(sizes[number] for number in cluster) for cluster, _ in groups.values()]
        complete = sum(m for m, (_, own) in zip(equations, groups.values(), strict=True) if len(own) >= m)
        if (complete, len(groups)) > score:
            best, score = list(groups.values()), (complete, len(groups))
    return best


def _touches(W: ca.SX, k: int, users: dict[int, set[int]]) -> bool:
    """Whether coordinate k is coupled by mass to one that a constraint uses and that lies further out."""
    return any(j in users and j > k for j in W[:, k].sparsity().row())
