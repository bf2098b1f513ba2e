"""Draw every pair of shapes (docs/pictures/pairs), and write the page that shows them (docs/contact_pairs.md).

    python docs/build_contact_pictures.py [--page] [NAME …]        the page alone; only these are drawn anew
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from pair_scenes import GAP, Two
from PIL import Image, ImageDraw, ImageFont

DOCS = Path(__file__).parent
PAGE, PICTURES, SHEET = DOCS / "contact_pairs.md", DOCS / "pictures" / "pairs", DOCS / "pictures" / "contact_pairs.webp"
SPATIAL = ("Point", "Plane", "Sphere", "Capsule", "Box", "Cylinder", "Disc", "Torus", "Ellipsoid", "Convex", "Mesh",
           "HeightField", "Curve")
PLANAR = ("Point", "Line", "Circle", "Polygon", "Curve")
GROUNDS = ("Plane", "HeightField", "Line")
HEAD = f"""---
hide: [navigation, toc]
---

# Pairs of shapes, a picture each

Does this pair of shapes work, and with which laws? Find one shape in the rows and the other in the columns. The
[shapes](contact_shapes.md) and the [laws](contact.md) are described on other pages. In every picture the two shapes
are {GAP:g} m apart. Contact points and normals, from the first shape (blue) to the second, are drawn in **red** as
`system.distance` and the pair compute them.

| how the points are found | |
|---|---|
| <b class="way formula">formula</b> | closed form: straight-line code with all derivatives |
| <b class="way newton">Newton</b> | the contact point is an unknown, solved by Newton's method within the equations |
| <b class="way search">search</b> | a compiled loop over corners, faces or cells; derivatives by finite differences |
| <b class="way newton">Newton</b> <b class="way search">search</b> | rigid laws use the first, compliant ones the second |

| supported laws | |
|---|---|
| **R** | rigid with located events: `contact.Pair(…, law=contact.Rigid(…))`; also in sweeps, pages, FMUs and C |
| **C** | compliant: `contact.Linear` and the other compliant laws, including your own |
| **M** | rigid with `method="time_stepping"`; `m.contacts` creates such pairs |
| **E** | `contact.ElasticFoundation`: a spring on every face of the mesh |
"""
TAIL = """
A `Convex` with more than 32 corners on a plane, or more than 12 on a height field, uses the search. Pairs marked
**distance** exert no contact force, but `system.distance` computes their distance. A `Disc` has no interior, so a
`Point` would pass through it; use a flat `Cylinder` or a small `Sphere` instead.
"""
LETTERS = {"rigid": "R", "compliant": "C", "moreau": "M", "bed": "E"}


@cache
def rows(kinds: tuple[str, ...]) -> list[tuple[str, list[Two]]]:
    """The table: every kind with those before it and with itself; what is ground lies below."""
    flat = kinds is PLANAR
    return [(row, [Two(column, row, flat) if column in GROUNDS else Two(row, column, flat)
                   for column in kinds[:k + 1]]) for k, row in enumerate(kinds)]


def reason(two: Two) -> str:
    """Why two shapes are no pair."""
    kinds = {two.below, two.above}
    if kinds <= set(GROUNDS):
        return "two grounds"
    if kinds == {"Point"}:
        return "no size"
    if "Curve" in kinds:
        return "take two Curves" if two.flat else "no outline"
    return "take a Convex"


def cell(two: Two) -> str:
    """One field of the table: picture, how it is found, the laws."""
    names = f"{two.above} – {two.below}"
    if not two.known and not two.has_distance:
        told = f"{laws_of(two)}: springs only" if two.laws else reason(two)
        return f'<td class="none"><i>{names}</i><small>{told}</small></td>'
    shown = f'<img src="pictures/pairs/{two.name}.webp" width="88" height="88" loading="lazy" alt="{names}">'
    if not two.known:
        return f'<td class="far">{shown}<i>{names}</i><small>{f"distance {laws_of(two)}".strip()}</small></td>'
    ways = " ".join(f'<b class="way {way.lower()}">{way}</b>' for way in two.ways)
    return f'<td>{shown}<i>{names}</i>{ways} <small>{laws_of(two)}</small></td>'


def laws_of(two: Two) -> str:
    """The letters of the laws that two shapes take."""
    return "&#8201;".join(LETTERS[law] for law in two.laws)


def table(kinds: tuple[str, ...]) -> str:
    """All pairs of kinds, each once."""
    text = ['<table class="pairs">']
    for name, twos in rows(kinds):
        empty = "<td></td>" * (len(kinds) - len(twos))
        text += [f"<tr><th>{name}</th>", *[cell(two) for two in twos], f"{empty}</tr>"]
    heads = "".join(f"<th>{name}</th>" for name in kinds)
    return "\n".join([*text, f"<tr><th></th>{heads}</tr>", "</table>"])


def page() -> str:
    """The text of the page."""
    return "\n".join([HEAD, "## In space\n", table(SPATIAL), "\n## In the plane\n", table(PLANAR), TAIL])


def pictured() -> list[Two]:
    """All that have a picture."""
    return [two for kinds in (SPATIAL, PLANAR) for _, twos in rows(kinds) for two in twos
            if two.known or two.has_distance]


def sheet() -> Image.Image:
    """All pictures of space on one."""
    side, left = 64, 76
    whole = Image.new("RGB", (left + side * len(SPATIAL), side * len(SPATIAL) + 20), "white")
    pen, font = ImageDraw.Draw(whole), ImageFont.load_default(12)
    for k, (name, twos) in enumerate(rows(SPATIAL)):
        pen.text((left - 6, side * (k + 0.5)), name, fill=(40, 40, 50), font=font, anchor="rm")
        pen.text((left + side * (k + 0.5), side * len(SPATIAL) + 10), name, fill=(40, 40, 50), font=font, anchor="mm")
        for n, two in enumerate(twos):
            picture = PICTURES / f"{two.name}.webp"
            if two.known and picture.is_file():
                small = Image.open(picture).resize((side, side), Image.Resampling.LANCZOS)
                whole.paste(small, (left + side * n, side * k))
    return whole


def main(drawn: bool, names: list[str]) -> None:
    if drawn:
        PICTURES.mkdir(exist_ok=True)
        for two in pictured():
            if not names or two.name in names:
                two.picture().save(PICTURES / f"{two.name}.webp", quality=82, method=6)
        sheet().save(SHEET, quality=80, method=6)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main("--page" not in sys.argv, [name for name in sys.argv[1:] if not name.startswith("-")])
