"""A small importer of FMUs for the tests: the library is loaded, its functions called as a tool would call them."""

from __future__ import annotations

import ctypes
import platform
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.integrate import solve_ivp

ours = pytest.mark.skipif(platform.system() != "Linux" or platform.machine() != "x86_64",
                          reason="the library for this system is not tried here")
REAL, SIZE, POINTER, TRUTH = ctypes.c_double, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_uint8
LOGGER3 = ctypes.CFUNCTYPE(None, POINTER, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
LOGGER2 = ctypes.CFUNCTYPE(None, POINTER, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)


class Callbacks(ctypes.Structure):
    _fields_ = [("log", LOGGER2), ("allocate", POINTER), ("release", POINTER), ("finished", POINTER),
                ("environment", POINTER)]


class EventInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("again", "terminate", "nominals", "values", "defined")] + [
        ("instant", REAL)]


class Fmu:
    """One instance of an FMU of either version, unpacked into a folder."""

    def __init__(self, path: Path, folder: Path, co_simulation: bool, tolerance: float = 1e-12):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        self.root = ElementTree.parse(folder / "modelDescription.xml").getroot()
        self.version = int(self.root.get("fmiVersion")[0])
        self.prefix = f"fmi{self.version}"
        (library,) = (folder / "binaries" / ("x86_64-linux" if self.version == 3 else "linux64")).iterdir()
        self.library = ctypes.CDLL(str(library))
        self.said: list[str] = []
        self._instantiate(co_simulation)
        self.references = {v.get("name"): int(v.get("valueReference")) for v in self.root.find("ModelVariables")}
        self.tolerance = tolerance
        self.instant = np.inf

    def _instantiate(self, co_simulation: bool) -> None:
        if self.version == 3:
            self._log = LOGGER3(lambda _, status, category, text: self.said.append(text.decode()))
            token = self.root.get("instantiationToken").encode()
            common = (b"one", token, None, TRUTH(0), TRUTH(0))
            if co_simulation:
                f = self.library.fmi3InstantiateCoSimulation
                arguments = (*common, TRUTH(0), TRUTH(0), None, SIZE(0), None, self._log, None)
            else:
                f, arguments = self.library.fmi3InstantiateModelExchange, (*common, None, self._log)
        else:
            self._log = LOGGER2(lambda _, name, status, category, text: self.said.append(text.decode()))
            self._callbacks = Callbacks(self._log)
            f = self.library.fmi2Instantiate
            arguments = (b"one", int(co_simulation), self.root.get("guid").encode(), None,
                         ctypes.byref(self._callbacks), 0, 0)
        f.restype = POINTER
        self.instance = POINTER(f(*arguments))
        assert self.instance, self.said

    def __call__(self, name: str, *arguments, expected: int = 0) -> int:
        status = getattr(self.library, self.prefix + name)(self.instance, *arguments)
        assert status == expected, (name, status, self.said)
        return status

    # --- values ---

    def _references(self, names) -> tuple:
        return (ctypes.c_uint32 * len(names))(*[self.references[name] for name in names])

    def get(self, *names: str) -> np.ndarray:
        values, n = (REAL * len(names))(), SIZE(len(names))
        more = (n,) if self.version == 3 else ()
        self("GetFloat64" if self.version == 3 else "GetReal", self._references(names), n, values, *more)
        return np.array(values)

    def set(self, values: dict[str, float]) -> None:
        n = SIZE(len(values))
        more = (n,) if self.version == 3 else ()
        self("SetFloat64" if self.version == 3 else "SetReal", self._references(list(values)), n,
             (REAL * len(values))(*values.values()), *more)

    def derivative(self, unknowns: list[str], known: str) -> np.ndarray:
        """Derivatives of unknowns along one known."""
        values, n = (REAL * len(unknowns))(), SIZE(len(unknowns))
        one = (SIZE(1),) if self.version == 3 else ()
        more = (n,) if self.version == 3 else ()
        self("GetDirectionalDerivative", self._references(unknowns), n, self._references([known]), SIZE(1),
             (REAL * 1)(1.0), *one, values, *more)
        return np.array(values)

    # --- runs ---

    def initialise(self, start: dict[str, float] | None = None) -> None:
        if start:
            self.set(start)
        if self.version == 3:
            self("EnterInitializationMode", TRUTH(1), REAL(self.tolerance), REAL(0), TRUTH(0), REAL(0))
        else:
            self("SetupExperiment", 1, REAL(self.tolerance), REAL(0), 0, REAL(0))
            self("EnterInitializationMode")
        self("ExitInitializationMode")

    def steps(self, times: np.ndarray, *names: str) -> np.ndarray:
        """Co-simulation: variables at the times."""
        rows = [self.get(*names)]
        for a, b in zip(times[:-1], times[1:], strict=True):
            if self.version == 3:
                flags, reached = [TRUTH() for _ in range(3)], REAL()
                self("DoStep", REAL(a), REAL(b - a), TRUTH(1), *map(ctypes.byref, flags), ctypes.byref(reached))
            else:
                self("DoStep", REAL(a), REAL(b - a), 1)
            rows.append(self.get(*names))
        return np.array(rows)

    def integrated(self, times: np.ndarray, *names: str) -> np.ndarray:
        """Model exchange by SciPy's method of order 8: variables at the times."""
        n, n_events = self._sizes()
        self.update()
        rows, t, x = [self.get(*names)], times[0], self._vector("GetContinuousStates", n)
        while len(rows) < len(times):
            target = min(times[len(rows)], self.instant)
            events = [self._indicator(k, n_events) for k in range(n_events)]
            found = solve_ivp(lambda t, x: self._slope(t, x), (t, target), x, "DOP853", rtol=1e-12, atol=1e-13,
                              events=events, dense_output=True)
            t, x = found.t[-1], found.y[:, -1]
            if found.status == 1:
                t, x = self._beyond(found.sol, t, [k for k, times_of in enumerate(found.t_events) if len(times_of)],
                                    n_events)
            self._put(t, x)
            self._completed()
            if t >= times[len(rows)]:
                rows.append(self.get(*names))
            if found.status == 1 or t >= self.instant:
                self("EnterEventMode")
                self.update()
                x = self._vector("GetContinuousStates", n)
        return np.array(rows)

    def _beyond(self, motion, t: float, crossed: list[int], n_events: int) -> tuple[float, np.ndarray]:
        """A little later, where an indicator has really crossed: rounding may leave a root on the near side."""
        self._put(t - 1e-9, motion(t - 1e-9))
        before = self._vector("GetEventIndicators", n_events)[crossed] > 0
        for later in (0.0, *(t * 1e-16 * 4.0**k for k in range(16))):
            x = motion(t + later)
            self._put(t + later, x)
            if np.any((self._vector("GetEventIndicators", n_events)[crossed] > 0) != before):
                break
        return t + later, x

    def _sizes(self) -> tuple[int, int]:
        if self.version == 2:
            structure = self.root.find("ModelStructure").find("Derivatives")
            return len(structure), int(self.root.get("numberOfEventIndicators"))
        n, events = SIZE(), SIZE()
        self("GetNumberOfContinuousStates", ctypes.byref(n))
        self("GetNumberOfEventIndicators", ctypes.byref(events))
        return n.value, events.value

    def update(self) -> bool:
        """What an instant brings; whether states have changed."""
        if self.version == 3:
            flags, instant = [TRUTH() for _ in range(5)], REAL()
            self("UpdateDiscreteStates", *map(ctypes.byref, flags), ctypes.byref(instant))
            defined, changed, self.ended = flags[4].value, flags[3].value, bool(flags[1].value)
        else:
            info = EventInfo()
            self("NewDiscreteStates", ctypes.byref(info))
            defined, changed, instant, self.ended = info.defined, info.values, REAL(info.instant), bool(info.terminate)
        self.instant = instant.value if defined else np.inf
        self("EnterContinuousTimeMode")
        return bool(changed)

    def _vector(self, name: str, n: int) -> np.ndarray:
        values = (REAL * n)()
        self(name, values, SIZE(n))
        return np.array(values)

    def _put(self, t: float, x: np.ndarray) -> None:
        self("SetTime", REAL(t))
        self("SetContinuousStates", (REAL * len(x))(*x), SIZE(len(x)))

    def _slope(self, t: float, x: np.ndarray) -> np.ndarray:
        self._put(t, x)
        return self._vector("GetContinuousStateDerivatives" if self.version == 3 else "GetDerivatives", len(x))

    def _indicator(self, k: int, n: int):
        def indicator(t, x):
            self._put(t, x)
            return self._vector("GetEventIndicators", n)[k]

        indicator.terminal = True
        return indicator

    def _completed(self) -> None:
        flags = [TRUTH() if self.version == 3 else ctypes.c_int() for _ in range(2)]
        self("CompletedIntegratorStep", TRUTH(1) if self.version == 3 else 1, *map(ctypes.byref, flags))
        if flags[0].value:
            self("EnterEventMode")
            self.update()
