"""Routes out of the process: an FMU through our own loader, exported C, the WebAssembly of a page."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..codegen import TARGETS
from ..errors import LinkwrightError
from ..io import export
from ..io.fmu import LoadedFmu, this_machine
from ..result import Result
from ..view import page_system
from .cases import Case
from .here import simulate_whole
from .motions import Motion, motion_of, taken_apart
from .routes import ACCURACY, BITS, NotComparedError, Pair, Route
from .tolerances import COMPILING, FINER
from .wasm_runs import run_in_wasm


def as_fmu(case: Case) -> Iterator[Pair]:
    """Co-simulation from output time to output time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.fmu"
        export(case.fresh(), path, outputs=case.names, platforms=[this_machine()])

        def course(accuracy: float, values: dict[str, float] | None = None) -> Motion:
            with tempfile.TemporaryDirectory() as own:
                fmu = LoadedFmu(path, own, accuracy)
                names = {name: _entries(name, case, list(fmu.references)) for name in case.names}
                fmu.begin(values)
                try:
                    return _course(case, lambda: fmu.get([e for own in names.values() for e in own]), fmu.advance,
                                   lambda: (fmu.t, fmu.ended))
                finally:
                    fmu.free()

        yield Pair(case.finer, course(case.accuracy), course(case.accuracy / FINER))


def _entries(name: str, case: Case, known: list[str]) -> list[str]:
    """The numbers of a variable as an FMU calls them."""
    size = int(np.prod(np.shape(case.reference.values[name])[1:], dtype=int))
    if size == 1 and name in known:
        return [name]
    own = name if f"{name}[0]" in known or name in known else f"output {name}"
    return [own] if own in known else [f"{own}[{k}]" for k in range(size)]


def _course(case: Case, read: Callable[[], np.ndarray], advance: Callable[[float], None],
            where: Callable[[], tuple[float, bool]]) -> Motion:
    """Variables from output time to output time."""
    times, rows, failed = [0.0], [read()], ""
    for t in case.reference.t[1:]:
        try:
            advance(float(t))
        except LinkwrightError as error:
            failed = str(error)
            break
        reached, ended = where()
        times.append(reached)
        rows.append(read())
        if ended:
            break
    return Motion(np.array(times), taken_apart(rows, case.reference), times[-1], failed, case.finer.events)


def no_fmu() -> str | None:
    return None if this_machine() in TARGETS else f"libraries for {this_machine()}"


# --- C ---


def no_compiler() -> str | None:
    return None if shutil.which("cc") else "a C compiler (cc)"


def as_c(case: Case) -> Iterator[Pair]:
    """A run with error control, compiled by the compiler of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "m.c", Path(folder) / "m.so"
        export(case.fresh(), source, outputs=case.names, adaptive=True, accuracy=case.accuracy)
        # no fused operations: the arithmetic stays as it is written
        subprocess.run(["cc", "-std=c99", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-o", str(library),
                        str(source), "-lm"], check=True, capture_output=True, timeout=COMPILING)
        found = re.search(r"M_NY (\d+)", source.with_suffix(".h").read_text(encoding="utf-8"))
        assert found is not None
        code, n = ctypes.CDLL(str(library)), int(found.group(1))
        code.m_begin.restype, code.m_time.restype, code.m_reason.restype = (ctypes.c_void_p, ctypes.c_double,
                                                                            ctypes.c_char_p)

        def course(accuracy: float) -> Motion:
            run = ctypes.c_void_p(code.m_begin())
            code.m_accuracy(run, ctypes.c_double(accuracy))

            def read() -> np.ndarray:
                y = (ctypes.c_double * n)()
                code.m_outputs(run, y)
                return np.array(y)

            def advance(t: float) -> None:
                status = code.m_advance(run, ctypes.c_double(t))
                if status:
                    raise LinkwrightError(code.m_reason(status).decode())

            try:
                return _course(case, read, advance, lambda: (code.m_time(run), bool(code.m_ended(run))))
            finally:
                code.m_free(run)

        yield Pair(case.finer, course(case.accuracy), course(case.accuracy / FINER))


# --- the WebAssembly of a page ---

#: counts of what `simulate` goes on with and a page does not: other states of a loop, an implicit method
ELSEWHERE = ("exchanges", "implicit_steps")


def no_wasmtime() -> str | None:
    return None if importlib.util.find_spec("wasmtime") else "wasmtime"


def in_a_page(case: Case) -> Iterator[Pair]:
    """The steps of a page that runs, by another machine for WebAssembly than a browser."""
    if case.reference.failed:
        raise NotComparedError("the run fails before its end")
    result = simulate_whole(case)
    # near dead points, which may come after the end of this run, a page steps all coordinates of a loop
    if any(result.counters.get(name) for name in ELSEWHERE) or (
            page_system(case.fresh()).minimal != case.system.minimal):
        yield Pair(case.finer, run_in_wasm(case), run_in_wasm(case, case.accuracy / FINER))
    else:
        yield Pair(_as_a_page_begins(case, result), run_in_wasm(case))


def _as_a_page_begins(case: Case, result: Result) -> Motion:
    """The motion by `simulate`; where an impact at the start changes speeds, a page begins with those after it."""
    motion, begun = motion_of(result, case.names), result.at(result.t[0], side="after")
    values = {name: np.concatenate([np.asarray(begun[name])[None], motion.values[name][1:]]) for name in case.names}
    return replace(motion, values=values)


#: decided by searches among modes, by Python, or by the past, which are not in C yet
NOT_IN_C = ("is not in an FMU yet", "is not in C yet", "are not in an FMU yet", "are not in C yet",
            "and do not go into an FMU", "and do not go into C")
NOT_IN_A_PAGE = ("which a page does not", "a page cannot run it:")

ROUTES: tuple[Route, ...] = (
    Route("FMU", ACCURACY, as_fmu, NOT_IN_C, no_fmu),
    Route("C", ACCURACY, as_c, NOT_IN_C, no_compiler),
    Route("page", BITS, in_a_page, NOT_IN_A_PAGE, no_wasmtime),
)
