"""The connection diagram of a model as SVG: components as boxes, connections as lines, tree and loops marked.

Columns are steps away from the world, so that a line never passes more than one column (Sugiyama, Tagawa and Toda 1981:
layers, then order by the mean of the neighbours, then places).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError

if TYPE_CHECKING:
    from ..language import Model
    from ..translate import Translation

#: two components, and what connects them
Line = tuple[str, str, str]

HEIGHT, GAP, BETWEEN = 34, 18, 56  # of a box, between boxes of a column, between columns (pixels)
#: role of a component: (fill, outline, meaning)
ROLES = {"world": ("#d5d8dc", "#333333", "world"), "part": ("#dce9f7", "#2b6cb0", "part"),
         "joint": ("#fde0dc", "#c0392b", "joint of the tree"), "closing": ("#fff3c4", "#d97706", "closes a loop"),
         "root": ("#cde8d5", "#23804a", "free part, root of a tree"), "other": ("#f4f4f4", "#888888", "other")}
LINES = {"tree": 'stroke="#1a365d" stroke-width="2.4"', "closing": 'stroke="#d97706" stroke-width="2.4" '
         'stroke-dasharray="6 4"', "force": 'stroke="#666" stroke-width="1.2"',
         "flange": 'stroke="#23804a" stroke-width="1.2" stroke-dasharray="2 3"'}


@dataclass(frozen=True)
class Diagram:
    """SVG text, shown by notebooks; `roles` of the components, `lines` (a, b, kind) and `loops` say what is drawn."""

    svg: str
    roles: dict[str, str]
    lines: tuple[Line, ...]
    loops: dict[str, tuple[str, ...]]  # what closes a loop → the components around it

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write the picture to an .svg file."""
        path = Path(path)
        if path.suffix.lower() != ".svg":
            raise ModelError(f"{path.name}: diagrams are saved as .svg.")
        path.write_text(self.svg, encoding="utf-8")


def diagram(model: Model, depth: int | None = None) -> Diagram:
    """The diagram of a model; with `depth`, sub-models deeper than that are drawn as one box."""
    if depth is not None and (not isinstance(depth, int) or depth < 1):
        raise ModelError(f"depth = {depth!r}: give how many levels of sub-models to draw, 1 or more, or None for all.")
    from ..compiler import translation_of

    translation = translation_of(model)
    kinds, roles, sets = _describe(translation)
    lines, loops = _trace(roles, sets)
    short = (lambda path: path) if depth is None else lambda path: ".".join(path.split(".")[:depth])
    shown = {short(path): "part" for path in roles}
    shown |= {path: role for path, role in roles.items() if path == short(path)}
    labels = {path: kinds.get(path, "model") for path in shown}
    lines = tuple(dict.fromkeys((short(a), short(b), kind) for a, b, kind in lines if short(a) != short(b)))
    loops = {name: tuple(dict.fromkeys(map(short, around))) for name, around in loops.items()}
    return Diagram(_draw(model.title, shown, labels, lines, loops), shown, lines, loops)


def _describe(translation: Translation) -> tuple[dict[str, str], dict[str, str], list[tuple[str, tuple[str, ...]]]]:
    """Types and roles of components by path, and (kind, paths of the components) of every connection."""
    plan = translation.plan
    names = {id(c): c.path for c in plan.components}
    kinds = {c.path: type(c).__name__ for c in plan.components}
    grounded = {id(told.component) for told in plan.ground}
    structural = {id(rigid.component) for rigid in plan.links} | {id(mass.component) for mass in plan.masses}
    kept = {id(b.edge.component) for b in translation.branches if b.edge is not None and b.original is None}
    roots = {id(b.root) for b in translation.branches if b.root is not None}
    jointed = {id(edge.component) for edge in plan.joints}
    constrained = {c.name for c in translation.mechanism.constraints if c.mode is None}
    roles = {}
    for c in plan.components:
        key = id(c)
        if c is plan.world or key in grounded:
            role = "world"
        elif key in roots:
            role = "root"
        elif key in jointed:
            role = "joint" if key in kept else "closing"
        elif key in structural:
            role = "part"
        else:
            own = any(name == c.path or name.startswith(f"{c.path}.") for name in constrained)
            role = "closing" if own else "other"
        roles[c.path] = role
    sets = []
    for connectors in plan.connection_sets():
        members = tuple(dict.fromkeys(names[id(c.owner)] for c in connectors if id(c.owner) in names))
        if len(members) > 1:
            sets.append((connectors[0].kind, members))
    return kinds, roles, sets


def _trace(roles: dict[str, str], sets: list[tuple[str, tuple[str, ...]]]) -> tuple[list[Line],
           dict[str, tuple[str, ...]]]:
    """Walk outwards from world and roots through parts and joints of the tree; what is left over closes loops."""
    at: dict[str, list[int]] = {path: [] for path in roles}
    for k, (_, members) in enumerate(sets):
        for path in members:
            at[path].append(k)
    lines, above, hub = [], {}, {}
    for start in [p for p in roles if roles[p] == "world"] + [p for p in roles if roles[p] == "root"] + list(roles):
        if start in above or (not at[start] and roles[start] != "world"):
            continue
        above[start], queue = None, deque([start])
        while queue:
            here = queue.popleft()
            if here != start and roles[here] in ("other", "closing"):
                continue
            for k in at[here]:
                kind, members = sets[k]
                if k in hub or not kind.endswith("frame"):
                    continue
                hub[k] = here
                for path in members:
                    if path not in above:
                        above[path] = here
                        queue.append(path)
    for k, (kind, members) in enumerate(sets):
        centre = hub.get(k, members[0])
        for path in members:
            if path == centre:
                continue
            ends = {roles[path], roles[centre]}
            what = "flange" if not kind.endswith("frame") else "closing" if "closing" in ends else \
                "force" if "other" in ends else "tree"
            lines.append((centre, path, what))
    loops = {}
    for path in (p for p in roles if roles[p] == "closing"):
        sides = [hub[k] for k in at[path] if k in hub and hub[k] != path]
        if len(sides) > 1:
            first, second = (_way(side, above) for side in sides[:2])
            common = next((p for p in first if p in second), first[-1])
            there = first[: first.index(common) + 1]
            back = second[: second.index(common)] if common in second else second
            loops[path] = tuple([*reversed(there), path, *back])
    return lines, loops


def _way(path: str, above: dict[str, str | None]) -> list[str]:
    out = [path]
    while above.get(out[-1]) is not None:
        out.append(above[out[-1]])
    return out


def _columns(roles: dict[str, str], lines: Sequence[Line]) -> list[list[str]]:
    """Breadth first over all lines: neighbours are at most one column apart."""
    beside: dict[str, list[str]] = {path: [] for path in roles}
    for a, b, _ in lines:
        beside[a].append(b)
        beside[b].append(a)
    columns: list[list[str]] = []
    seen: set[str] = set()
    for start in sorted(roles, key=lambda path: roles[path] != "world"):
        layer, k = [start] if start not in seen else [], 0
        seen.update(layer)
        while layer:
            if k == len(columns):
                columns.append([])
            columns[k] += layer
            layer = list(dict.fromkeys(b for a in layer for b in beside[a] if b not in seen))
            seen.update(layer)
            k += 1
    return columns


def _places(columns: list[list[str]], lines: Sequence[Line]) -> dict[str, float]:
    """Heights: every box at the mean of its neighbours, as far as its column leaves room."""
    y = {path: k * (HEIGHT + GAP) for column in columns for k, path in enumerate(column)}
    beside: dict[str, list[str]] = {path: [] for path in y}
    for a, b, _ in lines:
        beside[a].append(b)
        beside[b].append(a)
    for _ in range(12):
        for sweep in (columns, columns[::-1]):
            for column in sweep:
                wish = {p: float(np.mean([y[b] for b in beside[p]])) if beside[p] else y[p] for p in column}
                column.sort(key=lambda p: wish[p])
                low, placed = -np.inf, []
                for p in column:
                    low = max(wish[p], low + HEIGHT + GAP)
                    placed.append(low)
                shift = float(np.mean(placed) - np.mean([wish[p] for p in column]))
                y.update({p: at - shift for p, at in zip(column, placed, strict=True)})
    lowest = min(y.values(), default=0.0)
    return {path: at - lowest for path, at in y.items()}


def _draw(title: str, roles: dict[str, str], labels: dict[str, str], lines: Sequence[Line],
          loops: dict[str, tuple[str, ...]]) -> str:
    from .animation_files import escaped

    columns = _columns(roles, lines)
    y = _places(columns, lines)
    left, box = 16.0, {}
    for column in columns:
        width = max(7.2 * max(len(p), 0.85 * len(labels[p])) + 18 for p in column)
        for path in column:
            box[path] = (left, y[path] + 40, width)
        left += width + BETWEEN
    notes = [f"loop {k + 1}, closed by {name}: {' – '.join(around)}" for k, (name, around) in enumerate(loops.items())]
    bottom = max((b[1] for b in box.values()), default=40) + HEIGHT + 30
    width = max(left, 640, max((6.4 * len(note) + 32 for note in notes), default=0))
    height = bottom + 24 + 18 * len(notes)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
           f'width="{width:.0f}" height="{height:.0f}" font-family="sans-serif" font-size="12">'
           f'<title>{escaped(title)}</title><rect width="100%" height="100%" fill="white"/>'
           f'<text x="16" y="22" font-size="15">{escaped(title)}</text>']
    for a, b, kind in lines:
        (xa, ya, wa), (xb, yb, _) = sorted((box[a], box[b]))
        ya, yb = ya + HEIGHT / 2, yb + HEIGHT / 2
        start, end, bend = xa + wa, xb, BETWEEN * 0.5
        way = f"M{start:.1f} {ya:.1f} C{start + bend:.1f} {ya:.1f} {end - bend:.1f} {yb:.1f} {end:.1f} {yb:.1f}"
        if xa == xb:  # two boxes of one column: around the right side
            way = f"M{start:.1f} {ya:.1f} C{start + bend:.1f} {ya:.1f} {start + bend:.1f} {yb:.1f} {start:.1f} {yb:.1f}"
        out.append(f'<path class="{kind}" d="{way}" fill="none" {LINES[kind]}/>')
    for path, (x, at, w) in box.items():
        fill, outline, meaning = ROLES[roles[path]]
        out.append(f'<g class="{roles[path]}"><title>{escaped(path)}: {escaped(labels[path])}, {meaning}</title>'
                   f'<rect x="{x:.1f}" y="{at:.1f}" width="{w:.1f}" height="{HEIGHT}" rx="5" fill="{fill}" '
                   f'stroke="{outline}"/><text x="{x + w / 2:.1f}" y="{at + 14:.1f}" text-anchor="middle">'
                   f'{escaped(path)}</text><text x="{x + w / 2:.1f}" y="{at + 28:.1f}" text-anchor="middle" '
                   f'font-size="10" fill="#555">{escaped(labels[path])}</text></g>')
    x = 16.0
    for role in [role for role in ROLES if role in roles.values()]:
        fill, outline, meaning = ROLES[role]
        out.append(f'<rect x="{x:.0f}" y="{bottom - 10:.0f}" width="12" height="12" fill="{fill}" stroke="{outline}"/>'
                   f'<text x="{x + 18:.0f}" y="{bottom:.0f}" fill="#333">{meaning}</text>')
        x += 40 + 6.6 * len(meaning)
    out += [f'<text x="16" y="{bottom + 20 + 18 * k:.0f}" fill="#b45309">{escaped(note)}</text>'
            for k, note in enumerate(notes)]
    return "".join(out) + "</svg>"
