"""Every entry of the dialect gives the same bits as checked Python and as machine code.

Entries are what is decorated `@compiled`, the pieces of the steppers, and the routines that solvers in programs call.
Each has a comparison here, or in the test that is named here; one that has none is told.
"""

import ctypes
import importlib
import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, parts, translational
from linkwright.codegen import dense_solves, spline_surface
from linkwright.codegen.dialect import Compiled, Machine, plain
from linkwright.integrate.prepare import pieces
from linkwright.run.surroundings import Surroundings

TESTS, SOURCES = Path(__file__).parent, Path(lw.__file__).parent

def named(f):
    return f"{f.__module__.removeprefix('linkwright.')}:{f.__name__}"


#: entries that another test runs both ways: (their names begin with this, file, test)
ELSEWHERE = [
    # which itself tells what it leaves out
    ("geometry.loops.", "geometry/test_loops_as_python.py", "test_nothing_is_left_out"),
    *((named(piece), "integrate/test_plain_pieces.py", "test_every_piece_is_among_them") for piece in pieces()),
    ("integrate.gauss_seidel:sweep", "integrate/test_contact_loops.py",
     "test_checked_python_and_machine_code_have_the_same_bits"),
    ("run.cone_newton:press", "contact/test_cone_newton.py", "test_the_same_as_checked_python"),
    ("run.row_instant:row_instant", "events/test_rows.py", "test_the_compiled_instant_is_its_plain_form"),
    ("run.contact_instant:contact_instant", "contact/test_contact_instant.py",
     "test_the_compiled_instant_is_its_plain_form"),
    ("run.cone_search:search", "contact/test_cone_search.py", "test_checked_python_and_machine_code_agree_to_the_bit"),
]


def entries():
    """Name → entry, of the whole package."""
    found = {}
    for path in SOURCES.rglob("*.py"):
        if re.search(r"^@compiled", path.read_text(), re.MULTILINE):
            name = ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts)
            things = vars(importlib.import_module(name)).values()
            found |= {named(f): f for f in things if isinstance(f, Compiled) and f.function.__module__ == name}
    routines = [f for room in (dense_solves, spline_surface) for name, f in vars(room).items() if name[:3] == "lw_"]
    return found | {named(f): f for f in (*pieces(), *routines)}


ENTRIES = entries()


# --- examples ---


def box_and_ball():
    """On a plane."""
    m = lw.Model("stacked")
    m.world = lw.World()
    m.floor, m.slab, m.round = contact.Plane(), contact.Box(size=[0.4, 0.2, 0.3]), contact.Sphere(radius=0.1)
    m.box = parts.Body(m=1.0, inertia=[0.01, 0.01, 0.01], r_0=[0, 0.1, 0], v_0=[0.3, 0, 0])
    m.ball = parts.Body(m=1.0, inertia=[0.004, 0.004, 0.004], r_0=[1, 0.1, 0], v_0=[0.3, 0, 0.1])
    m.connect(m.world.frame_b, m.floor.frame_a)
    m.connect(m.box.frame_a, m.slab.frame_a)
    m.connect(m.ball.frame_a, m.round.frame_a)
    law = contact.Rigid(restitution=0.1, mu=0.5)
    m.box_law, m.ball_law = contact.Pair(m.floor, m.slab, law=law), contact.Pair(m.floor, m.round, law=law)
    return m


def stacked():
    """Two time steps."""
    r = lw.simulate(box_and_ball(), 0.02, method="time_stepping", fixed_step=0.01)
    return r.states.tobytes(), r.contacts


def looked_at():
    """Poses and what else is known of shapes."""
    system = lw.compile(box_and_ball())
    state = system.state()
    shapes = Surroundings(system, state)
    shapes.look(system.layout.pack(state))
    return [shapes.arrays[name].tobytes() for name in sorted(shapes.arrays)]


def several_runs():
    """Lanes that take up one run after the other."""
    m = lw.Model("falling")
    m.world, m.x = lw.World(), translational.Mass(m=1, s=0, v=lw.guess(1))
    return lw.sweep(m, {"x.v": [0.5, 1.0, 2.0]}, 0.02, method="rk4", fixed_step=0.005,
                    reduce={"end": lw.final("x.s")}).data["end"].values.tolist()


@dataclass
class Course:
    """A program in the course of which entries are called."""

    program: Callable


EXAMPLES = {}


def example(*names):
    """The arguments of a call of these entries, or a course."""
    def note(f):
        EXAMPLES.update(dict.fromkeys(names, f))
        return f
    return note


@example("integrate.examples:rhs")
def oscillator():
    return [np.array([0.0, 1.0, -0.5]), np.zeros(3), np.zeros(1)]


@example("view.raster:_fill")
def triangles():
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.uniform(0, 12, (9, 2)), rng.uniform(0.1, 1.0, 9)])
    return [points, rng.uniform(0, 255, (9, 3)), np.arange(9).reshape(3, 3), 0.7, np.zeros((12, 12, 3)),
            np.zeros((12, 12))]


@example("codegen.dense_solves:lw_copy")
def strided():
    return [np.zeros(9), np.arange(6.0), 3, 3, 2]


def numbers_of_newton(n=3, lanes=2):
    """Unknowns, matrix, residual, status, whether stalled, scratch."""
    rng = np.random.default_rng(0)
    return [*(rng.normal(size=size * lanes) for size in (n, n * n, n)), np.zeros(2 * lanes), np.zeros(lanes),
            np.zeros(n * (n + 2)), n, lanes]


@example("codegen.dense_solves:lw_norm", "codegen.dense_solves:lw_advance", "codegen.dense_solves:lw_solve",
         "codegen.dense_solves:lw_solve_lanes", "codegen.dense_solves:lw_newton_begin",
         "codegen.dense_solves:lw_newton_step", "codegen.dense_solves:lw_affine_step",
         "codegen.dense_solves:lw_affine_end")
def solver(name):
    y, a, b, status, stalled, scratch, n, lanes = numbers_of_newton()
    return {"lw_norm": [y, n, lanes], "lw_advance": [y, b, n, lanes], "lw_solve": [np.append(a[: n * n], scratch), n],
            "lw_solve_lanes": [a, b, y, scratch, n, lanes], "lw_newton_begin": [y, b, status, stalled, n, lanes],
            "lw_newton_step": [y, a, b, status, stalled, scratch, n, lanes, 1e-12, 10.0],
            "lw_affine_step": [y, a, b, status, stalled, scratch, n, lanes], "lw_affine_end": [b, status, n, lanes],
            }[name]


@example("codegen.dense_solves:lw_closed")
def in_force():
    """Three full columns, of which the first and the last are in force."""
    rng, n, dims = np.random.default_rng(1), 3, 4
    given = np.concatenate([rng.normal(size=2 * n * dims), np.full(n, 1e-9), [1.0, 0.0, 1.0], rng.normal(size=n)])
    return [given, np.zeros(n), np.zeros(200), 1, np.arange(0, n * dims + 1, dims), np.tile(np.arange(dims), n), n,
            dims, n * dims, 0]


@example("codegen.dense_solves:lw_in_force")
def product_in_force():
    """C x over the first and the last of three full columns; entries lie two apart."""
    rng, n, dims = np.random.default_rng(1), 3, 4
    given = np.concatenate([rng.normal(size=n * dims), [1.0, 0.0, 1.0], rng.normal(size=n)])
    return [np.repeat(given, 2), np.zeros(2 * dims), 2, np.arange(0, n * dims + 1, dims), np.tile(np.arange(dims), n),
            n, dims, n * dims]


@example("codegen.spline_surface:lw_surface")
def surface():
    """Cubic splines on three pieces each way, with any numbers."""
    rng, pieces_, terms = np.random.default_rng(2), 3, 4
    axis = [np.arange(pieces_ + 1.0), rng.normal(size=pieces_ * terms * terms)]
    data = np.concatenate([*axis, *axis, rng.normal(size=(pieces_ + terms) ** 2)])
    return [np.array([1.3, 2.4]), np.zeros(6), 1, data, pieces_, terms, pieces_, terms, 2]


@example("run.cone_search:residual", "run.cone_search:jacobian", "run.cone:found_rows", "run.cone:find_steps")
def within_cones(name):
    sys.path.append(str(TESTS / "contact"))
    from test_cone_search import problem

    n, W, b, r, *rest = problem()
    force, x = np.random.default_rng(1).normal(size=len(b)), np.zeros(len(b))
    if name == "find_steps":
        return [W, rest[0], np.zeros(len(b))]
    if name == "found_rows":
        return [W, b, *rest, np.zeros(len(b)), 0.0, x, np.zeros(8 * len(b)), np.zeros((2 * len(b), len(b)))]
    if name == "residual":
        return [n, W, b, r, *rest, force, x, np.zeros(len(b))]
    return [n, W, r, *rest, force, np.zeros(W.shape)]


@example("integrate.gauss_seidel:lift")
def overlaps():
    """Three contacts, two of them overlapping, of bodies of mass one."""
    rng = np.random.default_rng(3)
    G, places = rng.normal(size=(3, 3, 4)), np.array([[0, 1, 2, -1], [2, 3, 4, 5], [1, 4, 5, -1]])
    W = np.zeros((3, 4))
    W[:, 0] = (G[:, 0] ** 2 * (places >= 0)).sum(-1)
    return [np.zeros(6), np.zeros(3), G, places, G, places, W, np.array([-0.01, -0.02, 0.005]), 20, 1e-12]


@example("run.broad_phase:overlapping")
def boxes():
    """The corners of six boxes, every two of which may meet."""
    low, count = np.random.default_rng(4).uniform(0, 1, (6, 3)), 15
    meets = np.full((6, 6), -1)
    meets[np.triu_indices(6, 1)] = meets.T[np.triu_indices(6, 1)] = np.arange(count)
    return [low, low + 0.5, np.arange(6), meets, np.zeros(count, int)]


example("run.stepped_step:go_on", "run.stepped_step:plan", "run.stepped_step:look_again", "run.stepped_step:compare",
        "run.surroundings:_find_near", "run.surroundings:_measure")(Course(stacked))
example("run.surroundings:_look")(Course(looked_at))
example("integrate.step_programs.lane_loop:drive")(Course(several_runs))


# --- comparisons ---


def machine_code(f):
    """A routine as solvers call it: arrays by their addresses."""
    entry = Machine(f)
    kinds = {"int": ctypes.c_int64, "float": ctypes.c_double}
    signature = inspect.signature(f)
    given = [kinds.get(p.annotation, ctypes.c_void_p) for p in signature.parameters.values()]
    call = ctypes.CFUNCTYPE(kinds.get(signature.return_annotation), *given)(entry.address)
    call.entry = entry
    return lambda *all: call(*(a.ctypes.data if isinstance(a, np.ndarray) else a for a in all))


def bits(thing):
    """Of numbers and of what is written into arrays; any NaN is the same."""
    if isinstance(thing, np.ndarray):
        return np.where(np.isnan(thing), np.nan, thing).tobytes() if thing.dtype.kind == "f" else thing.tobytes()
    return repr(thing)


def outcome(run, arguments):
    own = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    return bits(run(*own)), list(map(bits, own))


def same(f, arguments):
    compiled, checked = (f, f.plain) if isinstance(f, Compiled) else (machine_code(f), plain(f))
    found = outcome(compiled, arguments)
    assert found == outcome(checked, arguments)


def course_compared(program, entry, monkeypatch):
    """What a program comes to is the same where this entry is checked Python; how often it was called."""
    expected, ordinary, calls = program(), Compiled.__call__, []

    def call(self, *arguments):
        if self is not entry:
            return ordinary(self, *arguments)
        calls.append(arguments)
        return self.plain(*arguments)

    monkeypatch.setattr(Compiled, "__call__", call)
    assert program() == expected
    return len(calls)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_checked_python_has_the_bits_of_machine_code(name, monkeypatch):
    made, entry = EXAMPLES[name], ENTRIES[name]
    if isinstance(made, Course):
        assert course_compared(made.program, entry, monkeypatch) > 0
    else:
        same(entry, made(*[entry.__name__] * len(inspect.signature(made).parameters)))


def test_every_entry_is_compared():
    """Here, or where the list says so; and what is listed is there."""
    left = [name for name in ENTRIES if name not in EXAMPLES and not any(name.startswith(row[0]) for row in ELSEWHERE)]
    assert not left, f"no test compares {left} with their plain forms: add an example"
    assert set(EXAMPLES) <= set(ENTRIES)
    for beginning, file, test in ELSEWHERE:
        assert any(name.startswith(beginning) for name in ENTRIES)
        assert f"def {test}(" in (TESTS / file).read_text()
