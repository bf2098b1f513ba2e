"""Object code calls nothing but itself: no C library is needed where there is none."""

import runpy
import struct
from pathlib import Path

import casadi as ca
import llvmlite.binding as llvm
import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright.codegen import Program, Straight, Table, compile_program
from linkwright.codegen.elementary import SCALAR_ONLY, function
from linkwright.codegen.module import emit_module
from linkwright.codegen.operations import ELEMENTARY

EXAMPLES = Path(__file__).parents[2] / "examples"
TARGETS = {"x86_64-unknown-linux-gnu": "x86-64-v2", "aarch64-unknown-linux-gnu": "generic"}


def symbols(code: bytes) -> tuple[set[str], set[str]]:
    """Names that an ELF object (64 bits, little endian) leaves to others, and those it gives them."""
    (offset,) = struct.unpack_from("<Q", code, 0x28)
    size, count = struct.unpack_from("<HH", code, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, offset + size * k) for k in range(count)]
    missing, defined = set(), set()
    for _, kind, _, _, start, length, link, *_ in sections:
        if kind != 2:  # the table of symbols
            continue
        names = sections[link][4]
        for at in range(start + 24, start + length, 24):
            name, info, _, section = struct.unpack_from("<IBBH", code, at)
            text = code[names + name : code.index(b"\0", names + name)].decode()
            if info >> 4:  # not local
                (defined if section else missing).add(text)
    return missing, defined


def imports(program: Program, triple: str, lanes: int) -> set[str]:
    """What the objects of a program want from outside."""
    module = emit_module(program, lanes, False, 4)
    target = llvm.Target.from_triple(triple)
    machine = target.create_target_machine(TARGETS[triple], opt=int(lanes > 1), reloc="pic", codemodel="default")
    missing, defined = set(), set()
    for text in filter(None, (module.text, module.support)):
        parsed = llvm.parse_assembly(text)
        parsed.triple, parsed.data_layout = triple, str(machine.target_data)
        wants, has = symbols(machine.emit_object(parsed))
        missing |= wants
        defined |= has
    return missing - defined


@pytest.fixture(scope="module", autouse=True)
def all_targets():
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


def everything() -> list[Program]:
    """All elementary functions in one program."""
    x = ca.SX.sym("x", 2)
    two = [ca.atan2(x[0], x[1]), x[0] ** x[1], ca.hypot(x[0], x[1]), ca.fmod(x[0], x[1]), ca.remainder(x[0], x[1])]
    one = [getattr(ca, name)(x[0]) for name in ELEMENTARY.values() if hasattr(ca, name) and name not in
           ("pow", "atan2", "hypot", "fmod", "remainder")]
    results = ca.vertcat(*one, *two, ca.sin(x[0]), ca.cos(x[1]), ca.floor(x[0]), ca.ceil(x[1]))
    f = ca.Function("f", [x], [results])
    return [Program("everything", [("x", 2)], [("y", results.numel())], [Straight(f, ("x",), ("y",))])]


def table() -> list[Program]:
    x = ca.SX.sym("x")
    f = ca.Function("f", [x], [Table([0, 1, 3], [0, 2, 1], "smooth")(x)])
    return [Program("table", [("x", 1)], [("y", 1)], [Straight(f, ("x",), ("y",))])]


def pendulum() -> list[Program]:
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.rev, m.body = joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.chain(m.world, m.rev, m.body)
    return run_programs(m)


def fourbar() -> list[Program]:
    return run_programs(runpy.run_path(str(EXAMPLES / "fourbar.py"))["model"])


def engine() -> list[Program]:
    return run_programs(runpy.run_path(str(EXAMPLES / "engine_v6.py"))["model"])


def run_programs(model) -> list[Program]:
    """What a run of a model compiles."""
    system = lw.compile(model)
    lw.simulate(system, 0.01)
    return [compiled.program for compiled in system.compiled]


@pytest.mark.parametrize("programs", [everything, table, pendulum, fourbar, engine])
def test_object_files_import_nothing(programs):
    for program in programs():
        for triple, lanes in (("x86_64-unknown-linux-gnu", 1), ("x86_64-unknown-linux-gnu", 4),
                              ("aarch64-unknown-linux-gnu", 1)):
            assert imports(program, triple, lanes) == set(), f"{program.name} for {triple}"


def test_every_function_stands_alone():
    for name in (*ELEMENTARY.values(), "sincos"):
        for lanes in (1, 8):
            text = "\n".join([*function(name, lanes), "attributes #0 = { nounwind }"])
            module = llvm.parse_assembly(text)
            wanted = {f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")}
            assert wanted == set() and f"lw_{name}_{1 if name in SCALAR_ONLY else lanes}" in text


def test_all_widths_have_the_bits_of_one():
    (program,) = everything()
    rows = np.random.default_rng(0).normal(size=(64, 2)) * [1.0, 3.0]
    expected = compile_program(program, "quick").batch(rows)
    for lanes in (2, 4, 16):
        np.testing.assert_array_equal(compile_program(program, "optimised", lanes).batch(rows), expected)
