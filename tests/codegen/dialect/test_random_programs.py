"""Random programs have equal bits as checked Python, in one lane and several, as wasm and as C."""

import ctypes
import importlib.util
import shutil
import struct
import subprocess

import numpy as np
import pytest
from random_programs import Program

from linkwright.codegen import TARGETS, ptx_code, shared_libraries, wasm_module
from linkwright.codegen.dialect import Compiled, Machine, c_text, kernel_text, text_of

RUNS, SIZE = 16, 6
POINTER, WHOLE = ctypes.c_void_p, ctypes.c_int64
few = pytest.mark.parametrize("seed", range(4))
many = pytest.mark.parametrize("seed", [*range(4), *(pytest.param(k, marks=pytest.mark.slow) for k in range(4, 200))])


class Case:
    """A program with its data, and what checked Python makes of them: (runs, 9) numbers, those of NaN alike."""

    def __init__(self, seed, folder):
        path = folder / f"random_{seed}.py"
        path.write_text(Program(seed).text)
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.f = module.program
        rng = np.random.default_rng(seed)
        self.a, self.m = rng.normal(size=(RUNS, SIZE)) * 3, rng.integers(-20, 20, (RUNS, SIZE))
        self.expected = self.run(Compiled(self.f).plain)

    def run(self, function):
        """Results of a function as Python calls it."""
        rows = []
        for a, m in zip(self.a, self.m, strict=True):
            out = np.zeros(SIZE)
            x, n, truth = function(a.copy(), m.copy(), out)
            rows.append([*out, x, struct.unpack("d", struct.pack("q", n))[0], float(truth)])
        return rows

    def check(self, rows):
        assert bits(rows) == bits(self.expected)


def bits(rows):
    """Real numbers by their bits, NaN being one of them, and whole ones."""
    return [[*(struct.pack("d", x) if x == x else "nan" for x in row[:-2]), struct.pack("d", row[-2]), row[-1]]
            for row in rows]


@many
def test_one_run(seed, tmp_path):
    case = Case(seed, tmp_path)
    case.check(case.run(Compiled(case.f)))


@many
@pytest.mark.parametrize("lanes", [4, 8])
def test_lanes(seed, lanes, tmp_path):
    case = Case(seed, tmp_path)
    machine = Machine(case.f, lanes)
    function = ctypes.CFUNCTYPE(None, POINTER, POINTER, WHOLE, POINTER, WHOLE, POINTER)(machine.address)
    rows = []
    for first in range(0, RUNS, lanes):
        a, m = (np.ascontiguousarray(v[first : first + lanes].T) for v in (case.a, case.m))
        out, back = np.zeros((SIZE, lanes)), np.zeros((3, lanes))
        function(a.ctypes.data, m.ctypes.data, SIZE, out.ctypes.data, SIZE, back.ctypes.data)
        back[2] = back[2].view(np.int64)
        rows += np.vstack([out, back]).T.tolist()
    case.check(rows)


@few
def test_c(seed, tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler here")
    case = Case(seed, tmp_path)
    source, library = tmp_path / "program.c", tmp_path / "program.so"
    source.write_text(c_text(case.f))
    subprocess.run([compiler, "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
    function = ctypes.CDLL(str(library)).program
    function.argtypes, function.restype = [POINTER, POINTER, WHOLE, POINTER, WHOLE, POINTER], None
    fast = subprocess.run([compiler, "-ffast-math", "-c", "-o", tmp_path / "fast.o", source], capture_output=True)
    assert fast.returncode and b"must not be compiled with fast-math" in fast.stderr

    def call(a, m, out):
        back = np.zeros(3)
        function(a.ctypes.data, m.ctypes.data, SIZE, out.ctypes.data, SIZE, back.ctypes.data)
        return back[0], *map(int, back[1:].view(np.int64))

    case.check(case.run(call))


@few
def test_wasm(seed, tmp_path):
    wasmtime = pytest.importorskip("wasmtime")
    case = Case(seed, tmp_path)
    module = wasm_module(text_of(case.f), ["program"])
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    loaded = wasmtime.Module(engine, module.code)
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(64, None)))
    stack = wasmtime.Global(store, wasmtime.GlobalType(wasmtime.ValType.i32(), True), wasmtime.Val.i32(module.stack))
    given = [memory if wanted.name == "__linear_memory" else stack for wanted in loaded.imports]
    function = wasmtime.Instance(store, loaded, given).exports(store)["program"]
    place = module.room

    def call(a, m, out):
        memory.write(store, a.tobytes() + m.tobytes() + out.tobytes() + bytes(24), place)
        function(store, place, place + 48, SIZE, place + 96, SIZE, place + 144)
        out[:] = np.frombuffer(bytes(memory.read(store, place + 96, place + 144)))
        return struct.unpack("dqq", bytes(memory.read(store, place + 144, place + 168)))

    case.check(case.run(call))


@few
def test_threads_of_a_gpu(seed, tmp_path):
    from linkwright.device import CudaError, device

    try:
        gpu = device()
    except CudaError as error:
        pytest.skip(str(error))
    case = Case(seed, tmp_path)
    gpu.use()
    given = [gpu.zeros(8 * SIZE * RUNS) for _ in range(3)]
    for memory, array in zip(given, (case.a, case.m), strict=False):
        gpu.put(memory.pointer, array.T)
    a, m, out = (memory.pointer for memory in given)
    back, found = gpu.zeros(8 * 3 * RUNS), np.zeros((SIZE + 3, RUNS))
    kernel = gpu.module(ptx_code(kernel_text(case.f))).function("program")
    kernel(RUNS, 32, 0, a, m, SIZE, out, SIZE, back.pointer, RUNS)
    gpu.get(out, found[:SIZE])
    gpu.get(back.pointer, found[SIZE:])
    found[-1] = found[-1].view(np.int64)
    case.check(found.T.tolist())


def test_other_processors_are_written_for(tmp_path):
    """Objects that want nothing from outside, and a kernel without calls."""
    case = Case(1, tmp_path)
    libraries = shared_libraries(text_of(case.f), [TARGETS["aarch64-linux"], TARGETS["x86_64-windows"]], "program")
    assert all(len(code) > 1000 for code in libraries.values())
    code = ptx_code(kernel_text(case.f))
    assert ".entry program" in code and "call" not in code and "fma." not in code
