"""Plots below the scene of a saved page, with a cursor that follows the player."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

HEIGHT = 220  # pixels
POINTS = 1500  # at most, per curve
COLOURS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f")


def curves(result, names: Sequence[str]) -> tuple[np.ndarray, list[tuple[str, np.ndarray]]]:
    """Times and (label, values) of every number of the variables, thinned out."""
    series = result.get_many(list(names))
    every = max(1, int(np.ceil(len(result.t) / POINTS)))
    t = np.asarray(result.t)[::every]
    out = []
    for name, values in series.items():
        flat = np.asarray(values).reshape(len(result.t), -1)[::every]
        for k in range(flat.shape[1]):
            out.append((name if flat.shape[1] == 1 else f"{name}[{k}]", flat[:, k]))
    return t, out


def svg(t: np.ndarray, lines: list[tuple[str, np.ndarray]], width: int = 1000, height: int = HEIGHT) -> str:
    """The curves as a picture that fills its box; coordinates in units of the box."""
    from .files import escaped

    left, right, top, bottom = 60, 10, 10, 26
    low = min(float(v.min()) for _, v in lines)
    high = max(float(v.max()) for _, v in lines)
    if high - low < 1e-12 * max(abs(high), 1e-30):
        low, high = low - 0.5, high + 0.5
    pad = 0.05 * (high - low)
    low, high = low - pad, high + pad
    x = left + (t - t[0]) / max(t[-1] - t[0], 1e-300) * (width - left - right)
    parts = []
    for value in ticks(low, high):
        y = top + (high - value) / (high - low) * (height - top - bottom)
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for value in ticks(float(t[0]), float(t[-1])):
        at = left + (value - t[0]) / max(t[-1] - t[0], 1e-300) * (width - left - right)
        parts.append(f'<text x="{at:.1f}" y="{height - 8}" text-anchor="middle">{value:g}</text>')
    for k, (label, values) in enumerate(lines):
        y = top + (high - values) / (high - low) * (height - top - bottom)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
        colour = COLOURS[k % len(COLOURS)]
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
                     f'<text x="{left + 12 + 150 * k}" y="{top + 14}" fill="{colour}">{escaped(label)}</text>')
    parts.append(f'<line id="lw-cursor" x1="{left}" x2="{left}" y1="{top}" y2="{height - bottom}" stroke="#d00"/>')
    return (f'<svg viewBox="0 0 {width} {height}" preserveAspectRatio="none" width="100%" height="100%" '
            f'font-family="sans-serif" font-size="12">{"".join(parts)}</svg>')


def ticks(low: float, high: float) -> np.ndarray:
    """Round numbers between low and high, about five."""
    raw = (high - low) / 5
    step = 10.0 ** np.floor(np.log10(raw)) if raw > 0 else 1.0
    step *= next(m for m in (1, 2, 5, 10) if m * step >= raw) if raw > 0 else 1
    return np.round(np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step, 12)


def with_plots(html: str, result, names: Sequence[str]) -> str:
    """A page with the plots below the scene; the cursor is where the player's slider is."""
    t, lines = curves(result, names)
    span = json.dumps(float(t[-1] - t[0]))
    style = (f"<style>#root{{position:fixed;top:0;left:0;right:0;height:calc(100vh - {HEIGHT}px)!important}}"
             f"#root>*{{height:100%!important}}"
             f"#lw-plots{{position:fixed;bottom:0;left:0;right:0;height:{HEIGHT}px;background:#fff}}</style>")
    script = ("<script>(function(){var cursor=document.getElementById('lw-cursor');function follow(){"
              "var s=document.querySelector('[role=slider]');if(s){var x=60+(1000-70)*Math.min(1,"
              f"parseFloat(s.getAttribute('aria-valuenow'))/{span});"
              "cursor.setAttribute('x1',x);cursor.setAttribute('x2',x);}requestAnimationFrame(follow);}follow();})();"
              "</script>")
    head, body = html.index("</head>"), html.rindex("</body>")
    return (html[:head] + style + html[head:body] + f'<div id="lw-plots">{svg(t, lines)}</div>' + script + html[body:])
