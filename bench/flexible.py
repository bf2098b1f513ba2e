"""Bodies that bend: operations of an element beside those of a rigid link, growth with elements, and a cantilever.

    python -m bench flexible
"""

from __future__ import annotations

import importlib.util
from time import perf_counter

import linkwright as lw
from linkwright import flexible, forces

from . import models
from .peers import linkwright as own

SECTION, ELEMENTS = flexible.Circle(diameter=0.006), (1, 2, 4)


def beam(elements: int, degree: int, strains: str) -> lw.Model:
    """Clamped, one metre of steel, with a load of 5 N at its tip."""
    m = lw.Model("cantilever")
    m.world = lw.World(gravity=None)
    m.beam = flexible.Beam(length=1.0, section=SECTION, material=flexible.Steel, elements=elements, degree=degree,
                           strains=strains)
    m.load = forces.WorldForce()
    m.load.force = [0, -5.0, 0]
    m.connect(m.world.frame_b, m.beam.frame_a)
    m.connect(m.beam.frame_b, m.load.frame_b)
    return m


def bodies_that_bend(repeat: int) -> None:
    """Operations and time of an evaluation, and a run to a tip that is right to 1e-4."""
    rigid = {n: own.system(models.chain(n)).function(["q", "u"], ["udot"]).instructions for n in (8, 16)}
    link = (rigid[16] - rigid[8]) / 8
    print(f"\nOperations per evaluation; a rigid link takes {link:.0f}")
    print(f"{'':28s}" + "".join(f"{f'{n} elements':>14s}" for n in ELEMENTS)
          + f"{'each':>10s}{'links':>8s}{'µs each':>10s}")
    for strains, degree in (("planar", 2), ("bending", 1), ("bending", 2)):
        functions = {n: lw.compile(beam(n, degree, strains)).function(["q", "u"], ["udot"]) for n in ELEMENTS}
        count = {n: f.instructions for n, f in functions.items()}
        low, high = ELEMENTS[-2:]
        each = (count[high] - count[low]) / (high - low)
        size = high * flexible.Beam(length=1.0, section=SECTION, degree=degree, strains=strains, elements=1).size
        spent = min(functions[high].time([0.01] * size, [0.0] * size, n=200) for _ in range(max(repeat, 3)))
        print(f"{strains + f', degree {degree}':28s}" + "".join(f"{count[n]:14d}" for n in ELEMENTS)
              + f"{each:10.0f}{each / link:8.1f}{1e6 * spent / high:10.2f}")
    print("\nA cantilever of one metre, ∅ 6 mm, loaded with 5 N at its tip, 0.5 s")
    exact = lw.simulate(beam(4, 2, "planar"), 0.5, accuracy=1e-9, step=0.5)["beam.deflection"][-1, 1]
    for elements, degree, accuracy in ((1, 2, 1e-5), (2, 2, 1e-5), (2, 2, 1e-7)):
        model = beam(elements, degree, "planar")
        lw.simulate(model, 0.001)
        start = perf_counter()
        r = lw.simulate(model, 0.5, accuracy=accuracy, step=0.5)
        spent, tip = perf_counter() - start, r["beam.deflection"][-1, 1]
        print(f"  {elements} elements of degree {degree}, accuracy {accuracy:g}: {1e3 * spent:7.1f} ms, "
              f"{r.counters['steps']} steps, tip {tip:.7f} ({tip / exact - 1:+.1e})")
    if importlib.util.find_spec("exudyn") is None:
        print("  (Exudyn is not installed)")
