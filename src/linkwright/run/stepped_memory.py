"""The memory of a stepped run, made for a model: arrays, programs, slots; and what comes of its steps, for Python."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..integrate.jit import addresses
from ..mechanism import Free
from ..system import State, System, laws_of, singles
from . import stepped_record as sr
from .stepped_step import compare, go_on, look_again
from .surroundings import Surroundings
from .tolerances import FEW_CONTACTS, NEWTON_RESTING, STEPS_AT_ONCE
from .unilateral import Unilateral
from .updates import updated


class Pressing(NamedTuple):
    """What a step remembers of the one before: encounters and numbers of the points that press, their impulses (normal,
    tangents; spin, rolling), which of them slide; impulses of single rows."""

    meets: np.ndarray
    numbers: np.ndarray
    impulses: np.ndarray
    slides: np.ndarray
    singles: np.ndarray


class SteppedMemory:
    """The record and arrays of a run over an input vector, and its steps."""

    def __init__(self, system: System, state: State, inputs: np.ndarray, catching: Unilateral | None) -> None:
        self.system, self.inputs = system, inputs
        self.shapes = Surroundings(system, state)
        self._memory, self.record = sr.STEPPED.new()
        self.address = self._memory.ctypes.data
        self.arrays = self._arrays()
        r, a = self.record, self.arrays
        r.put(**addresses(**a), **self._sizes(), **self._programs(), **self._parts(), crowd=self.shapes.address,
              inp=inputs.ctypes.data, t=float(inputs[0]))
        if catching is not None:
            r.put(rows_piece=catching.piece, rows=catching.address)
        self.tune(state)

    def tune(self, state: State) -> None:
        """Go on with the numbers of laws as parameters are now."""
        laws = self.arrays["laws"]
        laws[:] = laws_of(self.system, self.system.layout.pack(state))
        self.record.put(turns=int(laws[[sr.ROLLING, sr.SPINNING, sr.PATCH]].any()))

    def go_on(self, first: int, count: int, last: int) -> int:
        """Steps of a run of `last`, from number `first` on, `count` at most; how many there were."""
        done = go_on(self.address, first, min(count, STEPS_AT_ONCE), last)
        self.shapes.check()
        return done

    def look(self) -> None:
        """Where shapes are, after the inputs were changed."""
        look_again(self.address)
        self.shapes.check()

    def compare(self) -> None:
        """Comparisons as they are now."""
        compare(self.address)

    def pressing(self) -> Pressing:
        """A copy of what the next step begins with."""
        a, n = self.arrays, self.record.n_known
        return Pressing(a["known_meets"][:n].copy(), a["known_numbers"][:n].copy(), a["known"][:n].copy(),
                        a["known_slides"][:n].copy(), a["single_known"].copy())

    def remember(self, kept: Pressing) -> None:
        """Go on from what another one remembered."""
        a, n = self.arrays, len(kept.meets)
        a["first_known"][:] = -1
        for k in range(n - 1, -1, -1):
            a["first_known"][kept.meets[k]] = k
        for name, values in zip(("known_meets", "known_numbers", "known", "known_slides"), kept, strict=False):
            a[name][:n] = values
        a["single_known"][:] = kept.singles
        self.record.put(n_known=n)

    # --- how it is made ---

    def _sizes(self) -> dict[str, int]:
        m, layout, a, code = self.system.mechanism, self.system.layout, self.arrays, self.system.code
        conditional = {row.name for row in m.events.conditional}
        loops = any(row.mode is None or row.name in conditional for row in self.system.equations.rows)
        norms = {name: code.project.slice_out(name).start
                 for name in ("position_norm", "velocity_norm")} if loops else {}
        parts = layout.unpack(self.inputs)
        return {"n_in": len(self.inputs), "n": len(parts["x"]), "nq": m.nq, "nu": m.nu, "nz": len(parts["z"]),
                "n_y": len(parts["y"]), "n_d": len(parts["d"]), "n_slope": len(a["slope"]),
                **{f"n_{name}": len(a[array]) for name, array in (
                    ("free", "free_u"), ("unit", "unit"), ("given", "given"), ("relations", "relations"),
                    ("updates", "updates"), ("projected", "projected"))},
                "loops": int(loops), **norms, "n_modes": a["contact_modes"].shape[1],
                "n_opening": sum(row.opens for row in m.events.rows),
                "hits_room": STEPS_AT_ONCE}

    def _programs(self) -> dict[str, int]:
        """Addresses of programs."""
        code, a = self.system.code, self.arrays
        wanted = {"rhs": code.rhs, "qdot": code.qdot}
        if len(a["given"]):
            wanted["prescribe"] = code.prescribe
        if len(a["projected"]):
            wanted["project"] = code.project
        if len(a["updates"]):
            wanted["update"] = code.update
        if len(a["relations"]):
            wanted["situation"] = code.situation
        return {name: program.scalar_address for name, program in wanted.items()}

    def _parts(self) -> dict[str, int]:
        """Addresses of parts of the inputs, and of the comparisons in the situation."""
        first = self.inputs.ctypes.data
        found = {name: first + 8 * place.start for name, place in self.system.layout.places.items() if name in "xquzyd"}
        if len(self.arrays["relations"]):
            at = self.system.code.situation.slice_out("values").start
            found["comparisons"] = self.arrays["situation_out"].ctypes.data + 8 * at
        return found

    def _slots(self) -> dict[str, np.ndarray]:
        """Which numbers of the inputs are what: slots of modes and of what steps set, free bodies, quaternions."""
        system, events = self.system, self.system.mechanism.events
        places = {name: k for k, name in enumerate(system.part_names("d"))}
        most = max([1, *(len(meet.contacts) for meet in events.encounters)])
        contacts = np.full((len(events.encounters), most, 3), -1)
        for k, meet in enumerate(events.encounters):
            for point, own in enumerate(meet.contacts):
                name = events.contacts[own].name
                contacts[k, point] = [places[f"{name}.{what}"] for what in ("closed", "stuck", "armed")]
        rows = singles(system.mechanism)
        slots = [(places[row.held.name()], places[row.direction.name()] if row.slides else -1) for row in rows]
        bodies = zip(system.mechanism.bodies, *system.mechanism.slices(), strict=True)
        free = [(q.start, u.start) for body, q, u in bodies
                if isinstance(body.mobilizer, Free) and q.start in system.quaternions]
        found = {"contact_modes": contacts, "single_modes": np.array(slots, dtype=int).reshape(-1, 2),
                 "free_q": [q for q, _ in free], "free_u": [u for _, u in free], "unit": sorted(system.quaternions),
                 "given": sorted(system.code.given), "relations": [places[r.name] for r in events.relations],
                 "updates": updated(system), "one_way": [row.one_way for row in rows],
                 "firm": [row.holds_impacts for row in rows]}
        return {name: np.array(values, dtype=np.int64) for name, values in found.items()}

    @property
    def silent(self) -> np.ndarray:
        """Slots of modes that are out of force while impulses act in their place."""
        both = np.concatenate([self.arrays["contact_modes"].ravel(), self.arrays["single_modes"].ravel()])
        return both[both >= 0]

    def _arrays(self) -> dict[str, np.ndarray]:
        """All arrays, by their names in the record."""
        code, m, c = self.system.code, self.system.mechanism, self.shapes.record
        slots, n_d = self._slots(), len(self.system.part_names("d"))
        points, nu, size = len(self.shapes.arrays["points"]), m.nu, c.block
        rows, wide = 2 * points + c.n_singles, max(2 * c.width, c.single_width)
        few = 3 * min(rows, 2 * FEW_CONTACTS + c.n_singles)
        solved = nu if nu <= NEWTON_RESTING else 0  # unknowns of Newton's method, and rows where it has fewer
        n = len(self.system.layout.unpack(self.inputs)["x"])
        programs = [code.rhs, code.qdot, *([code.prescribe] if len(slots["given"]) else []),
                    *([code.update] if len(slots["updates"]) else []), *([code.project] if self.system.equations.rows
                                                                       else []),
                    *([code.situation] if len(slots["relations"]) else [])]
        work = max(programs, key=lambda program: program.n_work).workspace()
        whole = {"meets": points, "numbers": points, "bounces": points, "pressed": points, "g_places": (rows, wide),
                 "a_places": (rows, 2 * size), "y_places": (rows, 2 * size), "kinds": rows, "partners": rows,
                 "taken": c.n_singles, "is_taken": c.n_singles, "known_meets": points, "known_numbers": points,
                 "known_slides": points, "n_first": nu, "n_spans": (nu, 2),
                 "n_places": (solved, solved), "few_known": few}
        real = {"slope": code.rhs.n_out, "rates": m.nq, "prescribed": m.nq + m.nu, "news": 0, "situation_out": 0,
                "projected": 0, "before": nu, "middle": len(slots["given"]), "axes": (len(slots["free_q"]), 4),
                "kept_u": nu, "margins": c.n_shapes, "wide": c.n_shapes, "bent": nu, "gaps": points + c.n_singles,
                "normals": (points, 3), "places": (points, 3), "approach": points, "G": (rows, 3, wide),
                "A": (rows, 3, 2 * size), "Y": (rows, 3, 2 * size), "W": (rows, 4), "dense": (3, size),
                "impulses": (rows, 3), "bias": (rows, 3), "limits": (rows, 3), "single_known": c.n_singles,
                "single_begun": c.n_singles, "single_bounds": (c.n_singles, 2), "single_bias": c.n_singles,
                "known": (points, 6), "speeds_aside": nu, "b": (rows, 3), "y_found": nu, "found": (rows, 3),
                "n_before": (rows, 3), "n_X": (rows, 3), "n_dX": (rows, 3), "n_R": rows, "n_lift": rows, "n_none": rows,
                "n_F": nu, "n_way": nu, "n_best": nu, "z_found": nu,
                "n_Q": (solved, solved), "n_B": (solved, 3, solved), "n_shares": (6, solved), "n_row": nu,
                "n_H": (solved, solved), "n_V": (solved, solved),
                "few_A": (few, nu), "few_W": (few, few), "few_b": few, "few_start": few, "few_best": few,
                "few_room": 8 * few, "few_J": (2 * few, few), "few_least": few, "few_ways": (few, 2),
                "pushes": points + c.n_singles, "way": nu, "told_modes": n_d, "modes": n_d, "steps_t": STEPS_AT_ONCE,
                "steps_x": (STEPS_AT_ONCE, n), "steps_d": (STEPS_AT_ONCE, len(slots["updates"])),
                "modes_t": STEPS_AT_ONCE, "modes_d": (STEPS_AT_ONCE, n_d),
                "hits": (points + c.n_singles + STEPS_AT_ONCE + 1, sr.N_HIT)}
        for name, program, wanted in (("prescribed", "prescribe", "given"), ("news", "update", "updates"),
                                      ("situation_out", "situation", "relations")):
            if len(slots[wanted]):
                real[name] = getattr(code, program).n_out
        if self.system.equations.rows:
            real["projected"] = code.project.n_out
        made = {"laws": np.zeros((sr.N_LAWS, c.n_meets)), "work": work, "first_known": np.full(c.n_meets, -1)}
        made |= {name: np.zeros(shape, dtype=np.int64) for name, shape in whole.items()}
        return slots | made | {name: np.zeros(shape) for name, shape in real.items()}
