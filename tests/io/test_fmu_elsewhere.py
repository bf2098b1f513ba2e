"""FMUs on other systems: their libraries run in an emulated processor, with the bits of the one that runs here."""

from __future__ import annotations

import io
import runpy
import struct
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from fmu_driver import Fmu, ours
from fmu_models import bouncing_ball, by_tables, controlled, four_bar, pendulum, spinning_top

import linkwright as lw

pytest.importorskip("unicorn")
pytest.importorskip("lief")
from emulated import Emulated


def engine_v6() -> lw.Model:
    return runpy.run_path(str(Path(__file__).parents[2] / "examples" / "engine_v6.py"))["model"]


MODELS = {f.__name__: (f, output) for f, output in (
    (pendulum, "height"), (bouncing_ball, "height"), (four_bar, "rocking"), (controlled, "angle"),
    (spinning_top, "tip"), (by_tables, "angle"), (engine_v6, "bearing.phi"))}
TIMES = np.linspace(0, 0.6, 7)
#: system → where its library lies in an FMU of version 3 and of version 2
SYSTEMS = {"x86_64-linux": ("x86_64-linux/{}.so", "linux64/{}.so"),
           "aarch64-linux": ("aarch64-linux/{}.so", "aarch64-linux/{}.so"),
           "x86_64-windows": ("x86_64-windows/{}.dll", "win64/{}.dll"),
           "x86_64-darwin": ("x86_64-darwin/{}.dylib", "darwin64/{}.dylib"),
           "aarch64-darwin": ("aarch64-darwin/{}.dylib", "aarch64-darwin/{}.dylib")}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """path, course = exported(name, version): each FMU is made and run here once."""
    folder, made = tmp_path_factory.mktemp("fmus"), {}

    def export(name: str, version: int):
        if (name, version) not in made:
            path = folder / f"{name}.fmu"
            build, output = MODELS[name]
            lw.export(build(), path, fmi=version, outputs=[output])
            fmu = Fmu(path, folder / f"{name}{version}", True, tolerance=1e-8)
            fmu.initialise()
            made[name, version] = path.read_bytes(), fmu.steps(TIMES, output)[:, 0]
        return made[name, version]

    return export


class Elsewhere:
    """An instance of an FMU in an emulated machine."""

    def __init__(self, library: Emulated, root: ElementTree.Element, output: str):
        self.library, self.version = library, int(root.get("fmiVersion")[0])
        reference = next(v.get("valueReference") for v in root.find("ModelVariables") if v.get("name") == output)
        self.reference, self.value = library.store(struct.pack("<I", int(reference))), library.store(bytes(8))
        self.flags, none, name = library.store(bytes(32)), library.store(bytes(40)), library.text("one")
        token = root.get("instantiationToken" if self.version == 3 else "guid")
        for text, good in (("{another}", False), (token, True)):
            given = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0) if self.version == 3 else (0, none, 0, 0)
            arguments = (name, library.text(text)) if self.version == 3 else (name, 1, library.text(text))
            what = "fmi3InstantiateCoSimulation" if self.version == 3 else "fmi2Instantiate"
            self.instance = library.call(what, *arguments, *given)
            assert bool(self.instance) == good

    def __call__(self, what: str, *arguments) -> None:
        assert self.library.call(f"fmi{self.version}{what}", self.instance, *arguments) & 0xFFFFFFFF == 0, what

    def measured(self) -> float:
        if self.version == 3:
            self("GetFloat64", self.reference, 1, self.value, 1)
        else:
            self("GetReal", self.reference, 1, self.value)
        return self.library.reals(self.value, 1)[0]

    def course(self, times: np.ndarray) -> list[float]:
        if self.version == 3:
            self("EnterInitializationMode", 1, 1e-8, 0.0, 0, 0.0)
        else:
            self("SetupExperiment", 1, 1e-8, 0.0, 0, 0.0)
            self("EnterInitializationMode")
        self("ExitInitializationMode")
        flags, found = self.flags, [self.measured()]
        for a, b in zip(times[:-1], times[1:], strict=True):
            more = (flags, flags + 1, flags + 2, flags + 8) if self.version == 3 else ()
            self("DoStep", float(a), float(b - a), 1, *more)
            found.append(self.measured())
        self("Terminate")
        self.library.call(f"fmi{self.version}FreeInstance", self.instance)
        return found


@ours
@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name, version", [*((name, 3) for name in MODELS), ("bouncing_ball", 2)])
def test_every_library_gives_the_same_bits(name, version, system, exported):
    """Arithmetic is strict and elementary functions are our own, so that there is nothing to differ in."""
    content, wanted = exported(name, version)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        library = Emulated(archive.read(f"binaries/{SYSTEMS[system][version == 2].format(name)}"))
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    np.testing.assert_array_equal(Elsewhere(library, root, MODELS[name][1]).course(TIMES), wanted)
