"""Plots below the scene of a saved page, with a cursor that follows the player."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from ..result.units import unit_of, written

HEIGHT, LOWER = 220, 130  # pixels of a single band of curves, and of each of several
POINTS = 1500  # at most, per curve
COLOURS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f")
LEFT, RIGHT, TOP, BOTTOM, WIDTH = 60, 10, 10, 26, 1000

Lines = list[tuple[str, np.ndarray]]


def curves(result, names: Sequence[str]) -> tuple[np.ndarray, dict[str, Lines]]:
    """Times, and by unit (label, values) of every number of the variables, thinned out."""
    series = result.get_many(list(names))
    every = max(1, int(np.ceil(len(result.t) / POINTS)))
    t = np.asarray(result.t)[::every]
    out: dict[str, Lines] = {}
    for name, values in series.items():
        flat = np.asarray(values).reshape(len(result.t), -1)[::every]
        for k in range(flat.shape[1]):
            label = name if flat.shape[1] == 1 else f"{name}[{k}]"
            out.setdefault(written(unit_of(result, name)), []).append((label, flat[:, k]))
    return t, out


def limits(lines: Lines) -> tuple[float, float]:
    """The range of an axis that shows all of the curves."""
    low = min(float(v.min()) for _, v in lines)
    high = max(float(v.max()) for _, v in lines)
    if high - low < 1e-12 * max(abs(high), 1e-30):
        low, high = low - 0.5, high + 0.5
    pad = 0.05 * (high - low)
    return low - pad, high + pad


def total_height(bands: dict[str, Lines]) -> int:
    return HEIGHT if len(bands) == 1 else min(LOWER * len(bands), 3 * LOWER) + BOTTOM


def svg(t: np.ndarray, bands: dict[str, Lines], height: int) -> str:
    """The curves, a band for each unit above one axis of time, as a picture that fills its box."""
    from .files import escaped

    span = max(t[-1] - t[0], 1e-300)
    x = LEFT + (t - t[0]) / span * (WIDTH - LEFT - RIGHT)
    parts, colour = [], 0
    tall = (height - TOP - BOTTOM) / len(bands)
    for number, (unit, lines) in enumerate(bands.items()):
        top, (low, high) = TOP + 16 + number * tall, limits(lines)  # labels above the curves
        scale = (tall - 22) / (high - low)
        for value in ticks(low, high, 5 if len(bands) == 1 else 3):
            y = top + (high - value) * scale
            parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                         f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        for k, (label, values) in enumerate(lines):
            points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, top + (high - values) * scale, strict=True))
            paint, text = COLOURS[colour % len(COLOURS)], f"{label} / {unit}" if unit else label
            colour += 1
            parts.append(f'<polyline points="{points}" fill="none" stroke="{paint}" stroke-width="1.5"/>'
                         f'<text x="{LEFT + 12 + 170 * k}" y="{top - 4:.1f}" fill="{paint}">{escaped(text)}</text>')
    for value in ticks(float(t[0]), float(t[-1])):
        at = LEFT + (value - t[0]) / span * (WIDTH - LEFT - RIGHT)
        parts.append(f'<text x="{at:.1f}" y="{height - 8}" text-anchor="middle">{value:g}</text>')
    parts.append(f'<line id="lw-cursor" x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{height - BOTTOM}" stroke="#d00"/>')
    return (f'<svg viewBox="0 0 {WIDTH} {height}" preserveAspectRatio="none" width="100%" height="100%" '
            f'font-family="sans-serif" font-size="12">{"".join(parts)}</svg>')


def ticks(low: float, high: float, count: int = 5) -> np.ndarray:
    """Round numbers between low and high, about `count`."""
    raw = (high - low) / count
    step = 10.0 ** np.floor(np.log10(raw)) if raw > 0 else 1.0
    step *= next(m for m in (1, 2, 5, 10) if m * step >= raw) if raw > 0 else 1
    return np.round(np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step, 12) + 0.0  # no −0


def with_plots(html: str, result, names: Sequence[str]) -> str:
    """A page with the plots below the scene; the cursor is where the player's slider is."""
    t, bands = curves(result, names)
    height = total_height(bands)
    span = json.dumps(float(t[-1] - t[0]))
    style = (f"<style>#root{{position:fixed;top:0;left:0;right:0;height:calc(100vh - {height}px)!important}}"
             f"#root>*{{height:100%!important}}"
             f"#lw-plots{{position:fixed;bottom:0;left:0;right:0;height:{height}px;background:#fff}}</style>")
    script = ("<script>(function(){var cursor=document.getElementById('lw-cursor');function follow(){"
              "var s=document.querySelector('[role=slider]');if(s){var x=60+(1000-70)*Math.min(1,"
              f"parseFloat(s.getAttribute('aria-valuenow'))/{span});"
              "cursor.setAttribute('x1',x);cursor.setAttribute('x2',x);}requestAnimationFrame(follow);}follow();})();"
              "</script>")
    head, body = html.index("</head>"), html.rindex("</body>")
    drawn = f'<div id="lw-plots">{svg(t, bands, height)}</div>'
    return html[:head] + style + html[head:body] + drawn + script + html[body:]
