"""The WebAssembly that a page runs, run by wasmtime: the order of calls is that of `runner.js`."""

from __future__ import annotations

import importlib
import struct
from dataclasses import replace
from typing import Any

import numpy as np

from ..codegen import Program
from ..compiler import system_of
from ..studies import prepare
from ..studies.lane_runs import LaneRuns
from ..system import INPUTS
from ..view import refuse_page
from .cases import Case
from .motions import Motion, taken_apart

PAGE = 65536  # bytes
STARTING, RUNNING, OK = -1.0, 0.0, 0.0


class WasmLane:
    """The memory of one lane in a module, and its functions by name."""

    def __init__(self, runs: LaneRuns, program: Program) -> None:
        wasmtime: Any = importlib.import_module("wasmtime")
        from ..integrate.step_programs import wasm_step

        # as in a page, where nobody can take over
        step = replace(runs.program, n_holds=0, n_laws=(0, 0, 0), watch_strain=False, watch_stiffness=False)
        code = wasm_step(step, {"scene": program})
        self.step, self.at, self.room = step, step.memory.first, code.room
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
        return self.read(self.room + 8 * self.at[name], 1)[0]

    def __setitem__(self, name: str, value: float | np.ndarray) -> None:
        self.write(self.room + 8 * self.at[name], np.atleast_1d(value))

    def read(self, address: int, count: int) -> np.ndarray:
        return np.frombuffer(self._memory.read(self._store, address, address + 8 * count), dtype="<f8").copy()

    def write(self, address: int, values: np.ndarray) -> None:
        self._memory.write(self._store, struct.pack(f"<{len(values)}d", *values), address)

    def do(self, name: str) -> None:
        self._exports[name](self._store, self.room, self.work)

    def tell(self) -> np.ndarray:
        """The variables, from the input of the step."""
        self._exports["model_scene"](self._store, self.room + 8 * self.at["input"], self.told, self.work)
        return self.read(self.told, self.n_told)


def run_in_wasm(case: Case) -> Motion:
    """A run from output time to output time, as a page shows it."""
    model = case.fresh()
    system = system_of(model)
    refuse_page(model, system, "auto", None)
    runs = LaneRuns(system, prepare(system, None, 0.0, {}), case.stop, accuracy=case.accuracy, step=case.step)
    lane = WasmLane(runs, system.function(INPUTS, tuple(case.names)).program)
    _begin(lane, runs)
    rows, times, pending = [_shown(lane, 0.0, False)], [0.0], False
    for t in case.reference.t[1:]:
        pending, reached = _advance(lane, float(t), pending)
        if reached < t:
            break
        rows.append(_shown(lane, float(t), pending))
        times.append(float(t))
    return Motion(np.array(times), taken_apart(rows, case.reference, by_columns=True), times[-1])


def _begin(lane: WasmLane, runs: LaneRuns) -> None:
    inputs, scalars = runs.lane_of(runs.state)
    lane.write(lane.room, np.zeros(lane.step.memory.slots))
    for name, value in scalars.items():
        lane[name] = value
    n = lane.step.n
    lane["weight"], lane["t"], lane["x0"] = runs.weights, inputs[0], inputs[1 : 1 + n]
    lane.write(lane.room + 8 * (lane.at["input"] + 1 + n), inputs[1 + n :])
    lane["status"] = STARTING
    lane.do("begin")


def _advance(lane: WasmLane, until: float, pending: bool) -> tuple[bool, float]:
    """As far as a time; whether a trial step reaches beyond it, and where the run has come."""
    switching = lane.step.lane_events is not None
    while lane["status"] == RUNNING:
        if pending:
            if lane["t_end" if switching else "t1"] > until:
                return True, until
            _accept(lane, switching)
            pending = False
            continue
        lane.do("attempt")
        pending = lane["status"] == RUNNING and lane["trial"] == OK
        if not pending:
            _accept(lane, switching)
        elif switching:
            _interpolate(lane)
            lane.do("locate")
    return False, min(lane["t"], until)


def _accept(lane: WasmLane, switching: bool) -> None:
    lane.do("commit")
    if switching and lane["status"] == RUNNING and (lane["event_found"] or lane["reached"]):
        lane.do("at_event")


def _interpolate(lane: WasmLane) -> None:
    lane["wanted"] = 1.0
    lane.do("interpolant")
    lane["wanted"] = 0.0


def _shown(lane: WasmLane, t: float, pending: bool) -> np.ndarray:
    """The variables at a time within the trial step, or where the run stands."""
    source, when = "x0", lane["t"]
    if pending:
        theta = (t - lane["t0"]) / (lane["t1"] - lane["t0"])
        if theta < 1:
            _interpolate(lane)
            lane["theta"], lane["wanted"] = theta, 1.0
            lane.do("point")
            lane["wanted"] = 0.0
            return lane.tell()
        source, when = "x1", lane["t1"]
    state = lane.read(lane.room + 8 * lane.at[source], lane.step.n)
    lane.write(lane.room + 8 * lane.at["input"], np.concatenate([[when], state]))
    return lane.tell()
