"""FMUs: run by another program they move as they do here, in both versions and both ways of running them."""

import ctypes
import itertools
import shutil
import subprocess
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest
from fmu_driver import REAL, SIZE, TRUTH, Fmu, ours
from fmu_models import bouncing_ball, by_tables, controlled, four_bar, on_a_ground, pendulum, spinning_top

import linkwright as lw
from linkwright.errors import LinkwrightError

MODELS = {f.__name__: f for f in (pendulum, bouncing_ball, four_bar, controlled, spinning_top, by_tables,
                                  on_a_ground)}
LINUX = ["x86_64-linux"]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """path = exported(name, version): each FMU is made once."""
    folder, made = tmp_path_factory.mktemp("fmus"), {}

    def export(name: str, version: int):
        if (name, version) not in made:
            made[name, version] = folder / f"{name}_{version}.fmu"
            lw.export(MODELS[name](), made[name, version], fmi=version, platforms=LINUX)
        return made[name, version]

    return export


def reference(name: str, times: np.ndarray, *names: str) -> np.ndarray:
    r = lw.simulate(MODELS[name](), times[-1], accuracy=1e-12)
    return np.column_stack([r.at(times)[n] for n in names])


OUTPUT = {"pendulum": "height", "bouncing_ball": "height", "four_bar": "rocking", "controlled": "angle",
          "spinning_top": "tip", "by_tables": "angle", "on_a_ground": "height"}


@ours
@pytest.mark.parametrize("name, version", [*itertools.product(["pendulum", "bouncing_ball"], [3, 2]),
                                           ("four_bar", 3), ("controlled", 2), ("spinning_top", 3),
                                           ("by_tables", 3),
                                           pytest.param("on_a_ground", 3, marks=pytest.mark.slow)])
def test_both_ways_of_running_it_give_our_motion(name, version, exported, tmp_path):
    """Ours at accuracy 1e-12; steps of the FMU at 1e-12 too, those of SciPy at 1e-12."""
    times = np.linspace(0, 1.5, 31)
    wanted = reference(name, times, OUTPUT[name])
    for co_simulation in (True, False):
        fmu = Fmu(exported(name, version), tmp_path / str(co_simulation), co_simulation)
        fmu.initialise()
        found = (fmu.steps if co_simulation else fmu.integrated)(times, OUTPUT[name])
        np.testing.assert_allclose(found, wanted, atol=1e-8)


@ours
@pytest.mark.parametrize("name, version", [("pendulum", 2), ("four_bar", 3), ("controlled", 3), ("by_tables", 3)])
def test_directional_derivatives_are_those_of_the_linear_model(name, version, exported, tmp_path):
    fmu = Fmu(exported(name, version), tmp_path, False)
    fmu.initialise()
    linear = lw.linearize(MODELS[name](), outputs=[OUTPUT[name]])
    order = [v.replace("der(rev.phi)", "rev.w").replace("der(j1.phi)", "j1.w") for v in linear.states]
    unknowns = [f"der({name})" for name in order]
    for k, known in enumerate(order):
        column = fmu.derivative([*unknowns, OUTPUT[name]], known)
        np.testing.assert_allclose(column, np.append(linear.A[:, k], linear.C[:, k]), atol=1e-9, rtol=1e-9)
    for k, known in enumerate(linear.inputs):
        np.testing.assert_allclose(fmu.derivative(unknowns, known), linear.B[:, k], atol=1e-9)


@ours
def test_inputs_parameters_and_start_values_are_set_from_outside(tmp_path):
    m = pendulum()
    lw.export(m, tmp_path / "p.fmu", tunable=["body.m", "damper.d"], outputs=["height", "rev.phi"], platforms=LINUX)
    fmu = Fmu(tmp_path / "p.fmu", tmp_path / "p", True)
    fmu.initialise({"body.m": 2.0, "damper.d": 0.3, "rev.phi": 0.4, "motor.tau": 1.5})
    times = np.linspace(0, 1, 11)
    found = fmu.steps(times, "rev.phi")
    m.body.m, m.damper.d = 2.0, 0.3
    state = lw.compile(m).state()
    state.set("rev.phi", 0.4)
    wanted = lw.simulate(m, 1.0, state=state, accuracy=1e-12, inputs={"motor.tau": 1.5}).at(times)["rev.phi"]
    np.testing.assert_allclose(found[:, 0], wanted, atol=1e-8)


@ours
@pytest.mark.parametrize("version", [3, 2])
def test_a_saved_state_is_come_back_to_with_the_same_bits(version, exported, tmp_path):
    fmu = Fmu(exported("bouncing_ball", version), tmp_path, True)
    fmu.initialise()
    state, name = ctypes.c_void_p(), "FMUState" if version == 3 else "FMUstate"
    times = np.linspace(0, 2, 9)
    fmu.steps(times[:3], "height")
    fmu(f"Get{name}", ctypes.byref(state))
    first = fmu.steps(times[2:], "height")
    size = SIZE()
    fmu(f"Serialized{name}Size", state, ctypes.byref(size))
    content = (ctypes.c_char * size.value)()
    fmu(f"Serialize{name}", state, content, size)
    fmu(f"Free{name}", ctypes.byref(state))
    assert not state
    fmu(f"De{'s' if version == 3 else 'S'}erialize{name}", content, size, ctypes.byref(state))
    fmu(f"Set{name}", state)
    np.testing.assert_array_equal(fmu.steps(times[2:], "height"), first)
    fmu("Reset")
    fmu.initialise()
    np.testing.assert_array_equal(fmu.steps(times, "height")[2:], first)


@ours
def test_instances_are_apart_and_the_room_for_them_ends_with_words(exported, tmp_path):
    one = Fmu(exported("pendulum", 3), tmp_path / "1", True)
    library = one.library
    instances = []
    f = library.fmi3InstantiateModelExchange
    f.restype = ctypes.c_void_p
    token = one.root.get("instantiationToken").encode()
    while True:
        instance = f(b"more", token, None, TRUTH(0), TRUTH(0), None, one._log)
        if not instance:
            break
        instances.append(instance)
    assert len(instances) == len(set(instances)) == 63 and "no room" in one.said[-1]
    library.fmi3FreeInstance(ctypes.c_void_p(instances[0]))
    assert f(b"again", token, None, TRUTH(0), TRUTH(0), None, one._log) == instances[0]
    assert not f(b"other", b"{other}", None, TRUTH(0), TRUTH(0), None, one._log)
    assert "token" in one.said[-1]


@ours
def test_a_run_that_ends_itself_says_so(tmp_path):
    m = bouncing_ball()
    m.terminate(m.slide.v > 2.0, "fast enough")
    lw.export(m, tmp_path / "e.fmu", platforms=LINUX)
    fmu = Fmu(tmp_path / "e.fmu", tmp_path / "e", True)
    fmu.initialise()
    flags, reached = [TRUTH() for _ in range(3)], REAL()
    fmu("DoStep", REAL(0), REAL(3), TRUTH(1), *map(ctypes.byref, flags), ctypes.byref(reached))
    assert [flag.value for flag in flags] == [0, 1, 1]
    assert reached.value == pytest.approx(lw.simulate(m, 3.0).t[-1], abs=1e-9)


@ours
def test_values_that_cannot_be_set_are_refused_with_words(exported, tmp_path):
    fmu = Fmu(exported("pendulum", 3), tmp_path, False)
    for name, value in (("height", 1.0), ("der(rev.w)", 1.0), ("time", 1.0), ("rev.phi", np.nan)):
        fmu("SetFloat64", fmu._references([name]), SIZE(1), (REAL * 1)(value), SIZE(1), expected=3)
        assert "cannot be set" in fmu.said[-1]


def test_the_archive_holds_libraries_for_all_systems_sources_and_pages(tmp_path):
    lw.export(pendulum(), tmp_path / "p.fmu")
    with zipfile.ZipFile(tmp_path / "p.fmu") as archive:
        names = set(archive.namelist())
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
        page = archive.read("documentation/index.html").decode()
    assert "Dormand–Prince" in page and "where the motion is stiff, Radau" in page
    assert {"binaries/x86_64-linux/p.so", "binaries/aarch64-linux/p.so", "binaries/x86_64-windows/p.dll",
            "binaries/x86_64-darwin/p.dylib", "binaries/aarch64-darwin/p.dylib", "sources/model.c", "sources/fmi3.c",
            "sources/buildDescription.xml", "documentation/index.html", "documentation/diagram.svg",
            "terminalsAndIcons/icon.png"} <= names
    units = {unit.get("name"): dict(unit.find("BaseUnit").attrib) for unit in root.find("UnitDefinitions")}
    assert units["N.m"] == {"kg": "1", "m": "2", "s": "-2"}
    variables = {v.get("name"): v.attrib for v in root.find("ModelVariables")}
    assert variables["rev.phi"]["unit"] == "rad" and float(variables["rev.phi"]["start"]) == 1.0
    assert variables["motor.tau"]["causality"] == "input" and variables["height"]["causality"] == "output"
    again = tmp_path / "again" / "p.fmu"
    again.parent.mkdir()
    lw.export(pendulum(), again)
    assert again.read_bytes() == (tmp_path / "p.fmu").read_bytes()  # the same model gives the same file


PROGRAM = r"""
#include <dlfcn.h>
#include <stdio.h>
typedef void *(*make)(const char *, const char *, const char *, unsigned char, unsigned char, unsigned char,
                      unsigned char, const void *, size_t, void *, void *, void *);
int main(int count, char **given) {
    void *library = dlopen(given[1], RTLD_NOW);
    if (!library || count < 3) { printf("%s\n", dlerror()); return 1; }
    void *m = ((make)dlsym(library, "fmi3InstantiateCoSimulation"))("m", given[2], 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    ((int (*)(void *, int, double, double, int, double))dlsym(library, "fmi3EnterInitializationMode"))(
        m, 1, 1e-12, 0, 0, 0);
    ((int (*)(void *))dlsym(library, "fmi3ExitInitializationMode"))(m);
    unsigned char a, b, c; double t = 0, phi; int reference = 1;
    for (int k = 0; k < 100; k++)
        if (((int (*)(void *, double, double, int, void *, void *, void *, void *))dlsym(library, "fmi3DoStep"))(
            m, k * 0.01, 0.01, 1, &a, &b, &c, &t)) return 2;
    ((int (*)(void *, int *, size_t, double *, size_t))dlsym(library, "fmi3GetFloat64"))(m, &reference, 1, &phi, 1);
    printf("%.17g %.17g\n", t, phi);
    return 0;
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
class TestWithACompiler:
    @ours
    def test_a_c_program_runs_it_without_python(self, exported, tmp_path):
        with zipfile.ZipFile(exported("pendulum", 3)) as archive:
            archive.extractall(tmp_path)
        token = ElementTree.parse(tmp_path / "modelDescription.xml").getroot().get("instantiationToken")
        (tmp_path / "main.c").write_text(PROGRAM)
        subprocess.run(["cc", "main.c", "-o", "main", "-ldl"], cwd=tmp_path, check=True)
        (library,) = (tmp_path / "binaries" / "x86_64-linux").iterdir()
        done = subprocess.run([str(tmp_path / "main"), str(library), token], env={}, capture_output=True, text=True,
                              check=True)
        t, phi = map(float, done.stdout.split())
        assert t == pytest.approx(1.0, abs=1e-12)
        assert phi == pytest.approx(lw.simulate(pendulum(), 1.0, accuracy=1e-12)["rev.phi"][-1], abs=1e-10)

    @ours
    @pytest.mark.parametrize("name, version", [("bouncing_ball", 3), ("four_bar", 2), ("by_tables", 3)])
    def test_the_sources_inside_make_the_same_library(self, name, version, exported, tmp_path):
        """Compiled by a C compiler, without a warning; steps differ by rounding only."""
        times = np.linspace(0, 1, 11)
        compiled = Fmu(exported(name, version), tmp_path, True)
        compiled.initialise()
        wanted = compiled.steps(times, OUTPUT[name])
        (library,) = (tmp_path / "binaries").rglob("*.so")
        subprocess.run(["cc", "-std=c99", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "model.c", f"fmi{version}.c",
                        "-o", "made.so", "-lm"], cwd=tmp_path / "sources", check=True)
        compiled.library = ctypes.CDLL(str(tmp_path / "sources" / "made.so"))
        compiled._instantiate(True)
        compiled.initialise()
        np.testing.assert_allclose(compiled.steps(times, OUTPUT[name]), wanted, atol=1e-11)


def with_controller() -> lw.Model:
    m = pendulum()
    m.every(0.1)(lambda t, y: {"motor.tau": 0.0})
    return m


def with_reset_in_a_loop() -> lw.Model:
    m = four_bar()
    m.when(lw.time > 0.5, {m.j1.w: 0.0})
    return m


@pytest.mark.parametrize("build, said", [
    (with_controller, "sampled controllers"),
    (with_reset_in_a_loop, "mechanism with loops"),
])
def test_what_an_fmu_has_not_is_refused_by_name(build, said, tmp_path):
    with pytest.raises(LinkwrightError, match=said):
        lw.export(build(), tmp_path / "x.fmu")
    assert not (tmp_path / "x.fmu").exists()


@pytest.mark.parametrize("options, said", [
    ({"fmi": 1}, "FMI 3.0"), ({"inputs": ["motor.tua"]}, "motor.tau"), ({"outputs": ["hight"]}, "height"),
    ({"platforms": ["vax"]}, "x86_64-linux"),
])
def test_wrong_options_are_refused_with_what_there_is(options, said, tmp_path):
    with pytest.raises(LinkwrightError, match=said):
        lw.export(pendulum(), tmp_path / "x.fmu", **options)
