"""Bodies that bend: operations of an element beside those of a rigid link, growth with elements and bodies, a run.

    python -m bench flexible
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np

import linkwright as lw
from linkwright import flexible, forces, joints

from . import models
from .peers import linkwright as own

SECTION, ELEMENTS, BEAMS = flexible.Circle(diameter=0.006), (1, 2, 4), (2, 4, 8)


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
    grown(repeat)
    cantilevers()


def hinged(count: int) -> lw.Model:
    """Beams one after another on hinges about y and z in turn, an element of bending and twist each."""
    m = lw.Model("beams on hinges")
    m.world = lw.World()
    m.hinge = [joints.Revolute(n=np.eye(3)[1 + k % 2], phi=0.1) for k in range(count)]
    m.beam = [flexible.Beam(length=0.3, section=SECTION, elements=1, degree=1) for _ in range(count)]
    m.chain(m.world, *[part for pair in zip(m.hinge, m.beam, strict=True) for part in pair])
    return m


def grown(repeat: int) -> None:
    """Operations of chains of beams, an evaluation of fifty stiff pieces, and how long ten elements take to compile."""
    counts = [lw.compile(hinged(n)).function(["q", "u"], ["udot"]).instructions for n in BEAMS]
    print("Beams on hinges, one spatial element of degree 1 each: "
          + ", ".join(f"{n}: {count}" for n, count in zip(BEAMS, counts, strict=True)) + " operations")
    fifty = beam(50, 0, "bending")
    f = lw.compile(fifty).function(["q", "u"], ["udot"])
    spent = min(f.time([0.01] * fifty.beam.size, [0.0] * fifty.beam.size, n=50) for _ in range(max(repeat, 3)))
    print(f"Fifty elements of constant twist and bending: {f.instructions} operations, {1e6 * spent:.1f} µs")
    with tempfile.TemporaryDirectory() as folder:
        code = (f"import os; os.environ['LINKWRIGHT_CACHE'] = {folder!r}\n"
                "from bench.flexible import first_use\nprint(first_use())")
        told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    print(f"Ten spatial elements of degree 2, code compiled anew (quick tier): {float(told):.1f} s of processor time")


def first_use() -> float:
    """Seconds of processor time until accelerations of ten elements are known, in this process."""
    model = beam(10, 2, "bending")
    start = process_time()
    lw.compile(model, tier="quick").state().get("beam.qdd")
    return process_time() - start


def cantilevers() -> None:
    """A run of half a second, by own beams and by Exudyn's: processor time against the error of the tip's course.

    The error is the root of the mean square over fifty instants, as part of the greatest deflection.  The load comes at
    once and sets all modes in motion, so that errors are those of phases of the second and third.  Own runs are made
    with error control, and by RK4 with the longest stable step; Exudyn's by its generalised α with fixed steps.
    """
    print("\nA cantilever of one metre, ∅ 6 mm, loaded with 5 N at its tip, 0.5 s: processor time, error of the tip")
    courses = []
    for elements in (1, 2, 3, 4, 5):
        model = beam(elements, 2, "planar")
        longest = 0.5 / np.ceil(0.5 * float(model.beam.frequencies()[-1]) / 2.7)
        for named, options in (("error control", {"accuracy": 1e-4}), ("RK4", {"method": "rk4", "h": longest})):
            if elements == 5:
                named, options = "exact", {"accuracy": 1e-8}
            lw.simulate(model, 0.001, **options)
            spent, r = least(partial(lw.simulate, model, 0.5, step=0.01, **options))
            courses.append((f"{elements} elements, {named}", spent, r["beam.deflection"][1:, 1], r.counters["steps"]))
            if elements == 5:
                break
    *_, (_, _, exact, _) = courses

    def error(course: np.ndarray) -> float:
        return float(np.sqrt(np.mean((course - exact) ** 2)) / np.abs(exact).max())

    for named, spent, course, steps in courses[:-1]:
        print(f"  {named:28s}{1e3 * spent:8.1f} ms, {steps} steps, error {error(course):.1e}")
    if importlib.util.find_spec("exudyn") is None:
        print("  (Exudyn is not installed)")
        return
    from .peers.exudyn import cantilever

    for elements, steps in ((4, 500), (8, 500), (8, 2000), (16, 2000), (16, 4000), (16, 8000)):
        spent, (_, course) = least(partial(cantilever, elements, steps, 0.5, 50))
        better = [own for _, own, found, _ in courses[:-1] if error(found) <= error(course)]
        told = f"{spent / min(better):.1f} times as long as the quickest above that errs no more" if better else ""
        named = f"Exudyn, {elements} cables, {steps} steps"
        print(f"  {named:28s}{1e3 * spent:8.1f} ms, error {error(course):.1e}  {told}")


def least(run: Callable[[], Any]) -> tuple[float, Any]:
    """The least processor time of three runs, and what the last gave."""
    times = []
    for _ in range(3):
        start = process_time()
        found = run()
        times.append(process_time() - start)
    return min(times), found
