"""The WebAssembly that a page runs, run by wasmtime: the order of calls is that of `runner.js`."""

from __future__ import annotations

import importlib
import struct
from dataclasses import replace
from typing import Any

import numpy as np

from ..codegen import Program
from ..start import prepare
from ..studies.lane_runs import LaneRuns
from ..system import INPUTS
from ..view import page_system
from .cases import Case
from .motions import Motion, taken_apart

PAGE = 65536  # bytes
STARTING, RUNNING, INSTANT = -1, 0, 9  # as in `integrate.step_programs`


class WasmLane:
    """The memory of one lane in a module, and its functions by name."""

    def __init__(self, runs: LaneRuns, program: Program) -> None:
        wasmtime: Any = importlib.import_module("wasmtime")
        from ..integrate.step_programs import wasm_step

        # as in a page, where nobody can take over
        step = replace(runs.program, n_holds=0, n_laws=(0, 0, 0), watch_strain=False,
                       watch_stiffness=runs.program.changes, shows=True)
        code = wasm_step(step, {"scene": program})
        self.step, self.memory, self.room = step, step.memory, code.room
        self.n_told = sum(size for _, size in program.outputs)
        self.work = self.room + 8 * step.memory.slots
        self.told = self.work + 8 * code.n_work
        self._store = wasmtime.Store()
        module = wasmtime.Module(self._store.engine, code.code)
        size = -(-(self.told + 8 * self.n_told) // PAGE) + 1
        self._memory = wasmtime.Memory(self._store, wasmtime.MemoryType(wasmtime.Limits(size, None)))
        given = []
        for needed in module.imports:
            if isinstance(needed.type, wasmtime.MemoryType):
                given.append(self._memory)
            elif isinstance(needed.type, wasmtime.GlobalType):
                given.append(wasmtime.Global(self._store, needed.type, wasmtime.Val.i32(self.room)))
            else:
                given.append(wasmtime.Table(self._store, needed.type, None))
        self._exports = wasmtime.Instance(self._store, module, given).exports(self._store)

    def __getitem__(self, name: str) -> float:
        found = self.read(self.room + 8 * self.memory[name], 1)
        return float(found.view(np.int64)[0] if self.memory.fields[name][2] == "whole" else found[0])

    def __setitem__(self, name: str, value: float) -> None:
        whole = self.memory.fields[name][2] == "whole"
        self.write(self.room + 8 * self.memory[name],
                   np.array([value], np.int64).view(float) if whole else np.array([value]))

    def read(self, address: int, count: int) -> np.ndarray:
        return np.frombuffer(self._memory.read(self._store, address, address + 8 * count), dtype="<f8").copy()

    def write(self, address: int, values: np.ndarray) -> None:
        self._memory.write(self._store, struct.pack(f"<{len(values)}d", *values), address)

    def do(self, name: str) -> None:
        self._exports[name](self._store, self.room)

    def tell(self) -> np.ndarray:
        """The variables, from the input of the step."""
        self._exports["model_scene"](self._store, self.room + 8 * self.memory["at.inp"], self.told, self.work)
        return self.read(self.told, self.n_told)


def run_in_wasm(case: Case, accuracy: float | None = None) -> Motion:
    """A run from output time to output time, as a page shows it."""
    system = page_system(case.fresh())
    runs = LaneRuns(system, prepare(system, None, 0.0, {}), case.stop, accuracy=accuracy or case.accuracy,
                    step=case.step, alone=True)
    lane = WasmLane(runs, system.function(INPUTS, tuple(case.names)).program)
    _begin(lane, runs)
    rows, times = [_shown(lane, 0.0)], [0.0]
    for t in case.reference.t[1:]:
        if _advance(lane, float(t)) < t:
            break
        rows.append(_shown(lane, float(t)))
        times.append(float(t))
    return Motion(np.array(times), taken_apart(rows, case.reference, by_columns=True), times[-1],
                  events=case.reference.events)


def _begin(lane: WasmLane, runs: LaneRuns) -> None:
    inputs, memory = runs.lane_of(runs.state, lane.step)
    lane.write(lane.room, memory)
    lane["at.work"], lane["t"], lane["doing"] = lane.work, inputs[0], STARTING
    lane.write(lane.room + 8 * lane.memory["at.inp"], inputs)
    lane.do("begin")
    _advance(lane, inputs[0])


def _advance(lane: WasmLane, until: float) -> float:
    """As far as a time; where the run has come."""
    while lane["doing"] == RUNNING:
        if not lane["trying"]:
            lane.do("attempt")
        elif lane["t_end"] > until:
            return until
        else:
            lane.do("accept_attempt")
        if lane["doing"] == INSTANT:
            lane.do("decide")
    return min(lane["t"], until)


def _shown(lane: WasmLane, t: float) -> np.ndarray:
    """The variables at a time within the trial step, or where the run stands."""
    if lane["trying"]:
        lane["fraction"] = (t - lane["t0"]) / (lane["t1"] - lane["t0"])
        lane.do("point")
    return lane.tell()
