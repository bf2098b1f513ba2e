"""The present instant of a run: the inputs of all programs, and what decides at them."""

from __future__ import annotations

from collections import namedtuple
from math import inf, isfinite

import numpy as np

from ..system import System
from ..system.happenings import FRICTION, STOP

FrictionNow = namedtuple("FrictionNow", FRICTION)
StopNow = namedtuple("StopNow", STOP)


class Present:
    """Views into a vector of inputs (t | q u z | d p f y); what decides is computed when asked for after a change."""

    def __init__(self, system: System, inputs: np.ndarray):
        self.system, self.inputs = system, inputs
        m, nz, nd = system.mechanism, system.layout.size("z"), system.layout.size("d")
        n = m.nq + m.nu + nz
        self.x, self.d = inputs[1 : 1 + n], inputs[1 + n : 1 + n + nd]
        self.q, self.u = self.x[: m.nq], self.x[m.nq : m.nq + m.nu]
        self.y = inputs[len(inputs) - system.layout.size("y") :]
        self.places = {name: k for k, name in enumerate(system.part_names("d"))}
        self._parts, self._seen = {}, b""
        self._relations, self._whens, self._frictions, self._stops = [], [], [], []
        self._locks: list[bool] = []
        self._swing = self._forces = 0.0
        if not m.happenings:
            return
        program = system.code.situation
        self._out = np.zeros(program.n_out)
        self._evaluate = program.bind(inputs, self._out)
        self._parts = {name: self._out[program.slice_out(name)] for name, _ in program.program.outputs}

    def _look(self) -> None:
        """Evaluate what decides, if anything has changed since."""
        seen = self.inputs.tobytes()
        if seen == self._seen:
            return
        self._seen = seen
        if not self._parts:
            return
        self._evaluate()
        rows = {name: part.tolist() for name, part in self._parts.items()}
        self._relations, self._whens = _divided(rows.get("relations"), 3), rows.get("whens", [])
        self._locks = [value != 0 for value in rows.get("locks", [])]
        self._frictions = [FrictionNow(*row) for row in _divided(rows.get("frictions"), len(FRICTION))]
        self._stops = [StopNow(*row) for row in _divided(rows.get("stops"), len(STOP))]
        if "energy" in rows:
            self._swing = (2 * max(rows["energy"][0], 0.0)) ** 0.5
            self._forces = _forces(self._frictions, self._stops)

    @property
    def t(self) -> float:
        return float(self.inputs[0])

    def relations(self) -> list[list[float]]:
        """(witness, slope, offset) of every relation."""
        self._look()
        return self._relations

    def whens(self) -> list[float]:
        """Condition, targets, values of every action, one after another."""
        self._look()
        return self._whens

    def frictions(self) -> list[FrictionNow]:
        self._look()
        return self._frictions

    def stops(self) -> list[StopNow]:
        self._look()
        return self._stops

    def locks(self) -> list[bool]:
        """Which locks hold."""
        self._look()
        return self._locks

    def swing(self) -> float:
        """√(2 × kinetic energy): the scale of speeds v/e divided by their ease."""
        self._look()
        return self._swing

    def forces(self) -> float:
        """The scale of forces e λ and accelerations a/e; not finite where there are no accelerations."""
        self._look()
        return self._forces


def _forces(frictions, stops) -> float:
    sizes = [size for f in frictions if f.ease for size in
             (abs(f.acceleration) / f.ease, f.ease * abs(f.push), f.ease * abs(f.limit), f.ease * f.sliding)]
    sizes += [size for s in stops if s.ease for size in (abs(s.acceleration) / s.ease, s.ease * abs(s.push))]
    return max(sizes, default=0.0) if isfinite(sum(sizes)) else inf


def _divided(numbers: list[float] | None, columns: int) -> list[list[float]]:
    return [numbers[k : k + columns] for k in range(0, len(numbers), columns)] if numbers else []


class Jumps:
    """Impulses at the present instant, and the changes they bring (see `system.jumps`)."""

    def __init__(self, present: Present):
        self.present = present
        program = present.system.code.jump
        self._values, self._out = np.zeros(program.n_in), np.zeros(program.n_out)
        self._evaluate = program.bind(self._values, self._out)
        parts = {name: self._out[program.slice_out(name)] for name, _ in program.program.outputs}
        none = np.zeros(0)
        self.change, self.push, self.moved, self.rates, self.gaps = (
            parts.get(name, none) for name in ("change", "push", "moved", "rates", "gaps"))
        self._alone = alone(present.system.equations)
        nu, head = len(present.u), len(present.inputs)
        self.directions = parts.get("directions", none).reshape(nu, -1, order="F").T
        self.rubbing = parts.get("rubbing", none).reshape(-1, 3)
        ends = [head, head + nu, head + nu + 1]
        self._head, self._impulse, self._stopped, self._bottom = np.split(self._values, ends)

    def rest(self) -> None:
        """Bring the rows in force to rest; speeds that are held by themselves to an exact zero."""
        u = self.present.u
        small = 1e-12 * np.max(np.abs(u), initial=0.0)
        for _ in range(2):  # once more for what the regularised factorisation left
            u += self.solve()
        self.solve(bottom=0.0)
        for row, place, slope in self._alone:
            if abs(self.rates[row]) <= small:
                u[place] -= self.rates[row] / slope

    def solve(self, impulse=0.0, bottom=None) -> np.ndarray:
        """Δu of an impulse, the rows in force changing their rates by `bottom`; by default they come to rest."""
        self._head[:] = self.present.inputs
        self._impulse[:] = impulse
        self._stopped[0] = bottom is None
        self._bottom[:] = 0.0 if bottom is None else bottom
        self._evaluate()
        return self.change


def alone(e) -> list[tuple[int, int, float]]:
    """(row, place in u, slope) of rows with a mode that hold a single speed, and nothing that is tied to it."""
    found, start = [], 0
    for r in e.rows:
        if r.mode is not None and r.G.nnz() == r.G.shape[0]:
            for i, k in zip(*r.G.sparsity().get_triplet(), strict=True):
                if r.G[i, k].is_constant() and not any(o.mode is None and o.G[:, k].nnz() for o in e.rows):
                    found.append((start + i, k, float(r.G[i, k])))
        start += r.G.shape[0]
    return found
