"""`python -m bench [PART …] [--links N …] [--peers NAME …] [--repeat R]`; without parts everything is run."""

from __future__ import annotations

import argparse
import gc

from . import (
    batch,
    contact,
    crowd,
    derivatives,
    event_files,
    events,
    flexible,
    fourbar,
    gpu,
    growth,
    machines,
    models,
    molecules,
    muscles,
    own,
    pages,
    quadruped,
    simbody,
    standing,
    stepping,
)
from .peers import NAMES, installed
from .table import best_of, disagreements, heading, row

PARTS = ("chain", "tree", "closed", "simbody", "fourbar", "lanes", "batch", "bodies", "machines", "events", "contact",
         "standing", "stepping", "molecules", "flexible", "muscles", "derivatives", "pages", "files", "first", "import")
LINKS = (2, 7, 32, 128, 1024)
STEP = 1e-3
#: what a soft constraint or a method of lower order may differ by, relative
FORWARD_TOLERANCE, SIMULATION_TOLERANCE = 1e-7, 1e-3


def compare(descriptions: list[models.Description], peers: dict, repeat: int) -> None:
    """Forward dynamics and whole simulations of some mechanisms, all engines side by side."""
    names = list(peers)
    heading("Forward dynamics", names, "µs per evaluation")
    for d in descriptions:
        runs = {name: peer.forward(d) for name, peer in peers.items()}
        best = best_of(runs, repeat)
        row(d.name, names, best, _note(disagreements(runs, FORWARD_TOLERANCE)))
        del runs
        gc.collect()
    heading(f"Simulation, RK4 at {1e3 * STEP:g} ms", names, "µs per step")
    for d in descriptions:
        steps = max(100, min(10_000, 128_000 // d.n))
        runs = {name: peer.simulation(d, STEP, steps) for name, peer in peers.items()}
        best = best_of(runs, repeat)
        note = f"{steps} steps: {1e-3 * steps * best['linkwright']:.1f} ms"
        row(d.name, names, best, f"{note} {_note(disagreements(runs, SIMULATION_TOLERANCE))}".rstrip())
        del runs
        gc.collect()


def _note(different: list[str]) -> str:
    return f"differs: {', '.join(different)}" if different else ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Linkwright beside other engines.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, "gpu", "growth", "quadruped", "crowd", []],
                        help="what to run; default all")
    parser.add_argument("--links", type=int, nargs="+", default=list(LINKS), help="lengths of the chains")
    parser.add_argument("--loops", type=int, nargs="+", default=list(growth.LADDERS), help="loops of the ladders")
    parser.add_argument("--peers", nargs="+", default=list(NAMES), choices=NAMES)
    parser.add_argument("--out", default="gpu", help="where `gpu`, `quadruped` and `crowd` write their files")
    parser.add_argument("--repeat", type=int, default=5, help="rounds of which the best counts")
    options = parser.parse_args()
    parts, repeat = options.parts or PARTS, options.repeat
    descriptions = [models.chain(n) for n in options.links] if "chain" in parts else []
    descriptions += [models.tree()] if "tree" in parts else []
    descriptions += [models.closed()] if "closed" in parts else []
    if descriptions:
        peers = installed(dict.fromkeys(["linkwright", *options.peers]))
        print(", ".join(f"{name} {peer.VERSION}" for name, peer in peers.items()))
        compare(descriptions, peers, repeat)
    if "simbody" in parts:
        simbody.simbody()
    if "fourbar" in parts:
        fourbar.fourbar(repeat)
    if "lanes" in parts:
        own.lanes(32, repeat)
    if "batch" in parts:
        batch.batch(repeat)
    if "gpu" in parts:
        gpu.bundles(options.out)
    if "quadruped" in parts:
        quadruped.files(options.out)
    if "crowd" in parts:
        crowd.files(options.out)
    if "growth" in parts:
        growth.growth(options.links if options.links != list(LINKS) else growth.CHAINS, options.loops)
    if "bodies" in parts:
        own.bodies(options.links, repeat)
    if "machines" in parts:
        machines.machines(repeat)
    if "events" in parts:
        events.events(repeat)
    if "contact" in parts:
        contact.contacts(repeat)
    if "standing" in parts:
        standing.standing()
    if "stepping" in parts:
        stepping.stepping(repeat)
    if "molecules" in parts:
        molecules.compare_molecules(repeat)
    if "flexible" in parts:
        flexible.bodies_that_bend(repeat)
    if "muscles" in parts:
        muscles.muscles(repeat)
    if "derivatives" in parts:
        derivatives.derivatives(repeat)
    if "pages" in parts:
        pages.compare()
    if "files" in parts:
        event_files.event_files()
    if "first" in parts:
        own.first_result(options.links, min(repeat, 3))
    if "import" in parts:
        own.import_time(repeat)


if __name__ == "__main__":
    main()
