"""Many runs with time-stepped contact on one GPU: humanoids, a quadruped, stacked boxes.

    python -m bench crowd --out FOLDER            # files for a machine with a GPU
    python FOLDER/crowd.py [--humanoids N]        # there: needs NumPy and the driver

There the runs of every file are compared bit by bit with those of this processor's lanes, and instances that are
advanced from outside with those of a Simulator; then humanoids are run, ten thousand of them, until they lie on the
floor: steps per second, contacts, deepest overlap.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright import contact, parts
from linkwright.start import prepare
from linkwright.studies.stepped_runs import SteppedRuns

from .quadruped import quadruped

CHECKED = 64
#: instances that are advanced from outside, and how often
ADVANCED, CALLS = 32, 20
#: name → steps (s) and the time that is compared
CASES = {"boxes": (2e-3, 0.4), "quadruped": (1e-3, 0.4), "humanoid": (3e-3, 0.9), "humanoid-fine": (1e-3, 0.4)}


def boxes() -> lw.Model:
    """A pile of three boxes that is thrown on the floor."""
    m = lw.Model("boxes")
    m.world, m.floor = lw.World(), contact.Plane(n=[0, 1, 0])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.box = [parts.Body(m=1, inertia=[1 / 150] * 3, r_0=[0.02 * k, 0.11 + 0.21 * k, 0], v_0=[0, -1, 0])
             for k in range(3)]
    m.skin = [contact.Box(size=[0.2] * 3) for _ in m.box]
    for box, skin in zip(m.box, m.skin, strict=True):
        m.connect(box.frame_a, skin.frame_a)
    m.contacts(law=contact.Rigid(mu=0.5))
    return m


def humanoid() -> lw.Model:
    """The file of gymnasium, as it reads contacts."""
    import gymnasium

    file = Path(gymnasium.__file__).parent / "envs/mujoco/assets/humanoid.xml"
    return lw.read(file, contact="file")


def stepped_quadruped() -> lw.Model:
    """The quadruped with rigid feet."""
    return quadruped(contact.Rigid(mu=0.8))


MODELS = {"boxes": boxes, "quadruped": stepped_quadruped, "humanoid": humanoid, "humanoid-fine": humanoid}


def starts(system: lw.System, count: int) -> list[lw.State]:
    """Falls with speeds of their own."""
    rng, states = np.random.default_rng(0), []
    first = prepare(system, None, 0.0, {})
    for _ in range(count):
        state = first.copy()
        state.u = state.u + 0.3 * rng.normal(size=len(state.u))
        states.append(prepare(system, state, 0.0, {}))
    return states


def advanced(system: lw.System, states: list[lw.State], h: float) -> np.ndarray:
    """Input vectors of instances after some calls, as a Simulator makes them here."""
    runs = SteppedRuns(system, states[0], h, h=h)
    rows, pasts = runs.starts(states).inputs.copy(), runs.pasts(len(states))
    for _ in range(CALLS):
        ends, done = runs.go_on(rows, rows[:, 0] + h, pasts)
        assert done.all()
        ends[:, 0] = rows[:, 0] + h
        rows = ends.copy()
    return rows


def files(folder: str, names: tuple[str, ...] = tuple(CASES)) -> None:
    """Runs as bundles, what lanes of this processor make of them, and the script that compares and measures."""
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        (h, stop), system = CASES[name], lw.compile(MODELS[name]())
        states = starts(system, CHECKED)
        options = {"h": h, "step": stop / 10}
        here = SteppedRuns(system, states[0], stop, **options).run(states)
        there = SteppedRuns(system, states[0], stop, device="gpu", **options)
        speeds = system.layout.places["u"]
        path = there.bundle(out / f"{name}.zip", states)
        sims = advanced(system, states[:ADVANCED], h)
        np.savez(out / f"{name}.npz", advanced=sims, h=h, status=here.status, grid_x=here.grid_x,
                 grid_changing=here.grid_changing, x=here.x, speeds=[speeds.start, speeds.stop])
        print(f"{path}: {CHECKED} runs of {stop:g} s, {there.program.memory.slots} numbers a thread, "
              f"{len(there.lanes.code.ptx) / 2**20:.1f} MiB of PTX", flush=True)
    (out / "crowd.py").write_text((Path(__file__).parent / "crowd_on_gpu.py").read_text())
    print(f"{out}: crowd.py and what it needs")
