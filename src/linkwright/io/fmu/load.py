"""Our own FMUs, loaded back and run: co-simulation of FMI 3.0, with the library for this machine."""

from __future__ import annotations

import ctypes
import platform
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ...errors import ModelError, SimulationError, unknown_name

REAL, SIZE, POINTER, TRUTH = ctypes.c_double, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_uint8
LOGGER = ctypes.CFUNCTYPE(None, POINTER, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)


def this_machine() -> str:
    """The name that FMI 3.0 has for the system this runs on."""
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    return f"{processor}-{platform.system().lower()}"


class LoadedFmu:
    """One instance of an FMU, unpacked into `folder`, for co-simulation at an accuracy.

        fmu = LoadedFmu("arm.fmu", folder)
        fmu.begin({"spring.c": 20.0})
        fmu.advance(0.1)
        fmu.get(["rev.phi"])
    """

    def __init__(self, path: str | Path, folder: str | Path, accuracy: float = 1e-8) -> None:
        folder = Path(folder)
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        root = ElementTree.parse(folder / "modelDescription.xml").getroot()
        if not (root.get("fmiVersion") or "").startswith("3"):
            raise ModelError(f"{path}: FMUs of FMI 3.0 are loaded, this is one of {root.get('fmiVersion')}.")
        binaries = folder / "binaries" / this_machine()
        if not binaries.is_dir():
            raise ModelError(f"{path}: it holds no library for this machine ({this_machine()}).")
        (library,) = binaries.iterdir()
        self._library = ctypes.CDLL(str(library))
        self.said: list[str] = []
        self._log = LOGGER(lambda _, status, category, text: self.said.append(text.decode()))
        variables = root.find("ModelVariables")
        self.references = {str(v.get("name")): int(str(v.get("valueReference"))) for v in variables or ()}
        self.accuracy, self.t, self.ended = accuracy, 0.0, False
        make = self._library.fmi3InstantiateCoSimulation
        make.restype = POINTER
        token = (root.get("instantiationToken") or "").encode()
        self._instance = POINTER(make(b"one", token, None, TRUTH(0), TRUTH(0), TRUTH(0), TRUTH(0), None, SIZE(0), None,
                                      self._log, None))
        if not self._instance:
            raise ModelError(f"{path}: it gives no instance: {' '.join(self.said)}")

    def _call(self, name: str, *arguments: object) -> None:
        status = getattr(self._library, f"fmi3{name}")(self._instance, *arguments)
        if status:
            raise SimulationError(f"the FMU ends with status {status} in {name}: {' '.join(self.said[-1:])}",
                                  time=self.t)

    def _numbers(self, names: Sequence[str]) -> ctypes.Array:
        for name in names:
            if name not in self.references:
                raise unknown_name(name, self.references, "the FMU")
        return (ctypes.c_uint32 * len(names))(*[self.references[name] for name in names])

    def set(self, values: Mapping[str, float]) -> None:
        """Values of inputs, and before `begin` of parameters and start values."""
        n = SIZE(len(values))
        self._call("SetFloat64", self._numbers(list(values)), n, (REAL * len(values))(*values.values()), n)

    def get(self, names: Sequence[str]) -> np.ndarray:
        """Variables where it stands."""
        values, n = (REAL * len(names))(), SIZE(len(names))
        self._call("GetFloat64", self._numbers(names), n, values, n)
        return np.array(values)

    def begin(self, values: Mapping[str, float] | None = None) -> None:
        """Initialise it, with other parameters and start values."""
        if values:
            self.set(values)
        self._call("EnterInitializationMode", TRUTH(1), REAL(self.accuracy), REAL(0.0), TRUTH(0), REAL(0.0))
        self._call("ExitInitializationMode")

    def advance(self, t: float) -> None:
        """Go on to a time, or to where the model ends the run by itself (`ended`)."""
        event, terminate, early = TRUTH(), TRUTH(), TRUTH()
        reached = REAL(self.t)
        self._call("DoStep", REAL(self.t), REAL(t - self.t), TRUTH(1), *map(ctypes.byref, (event, terminate, early)),
                   ctypes.byref(reached))
        self.t, self.ended = float(t) if not early.value else float(reached.value), bool(terminate.value)

    def free(self) -> None:
        """Give the instance back."""
        self._library.fmi3FreeInstance(self._instance)
