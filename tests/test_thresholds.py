"""Numbers that decide have a home: one list a room, `tolerances.py`, with unit, reason, and what breaks on either side.

How small is zero, how many iterations, from which size on another way: a reader finds it on one page.  What decides
nothing stays where it is used, and is named here with the reason.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import linkwright

ROOT = Path(linkwright.__file__).parent
LIST = "tolerances.py"
#: a literal in code that is smaller, or larger, than this is a threshold, whatever it is called
SMALL, LARGE = 1e-5, 1e20
#: fewer words cannot say what a number decides, why it has this size, and what breaks otherwise
WORDS = 5

#: reason → rooms (or folders, files) and names in them; "*" for all, bare literals too
NOT_THRESHOLDS = {
    "coefficients of a method, and where its formulas hold": {
        "codegen/elementary": "*", "codegen": "WIDTH USUAL DEGREE MOST", "integrate/tableaux.py": "*",
        "integrate/collocation.py": "*", "library": "UP DOWN", "studies": "STENCIL", "mechanism": "DEGREE",
        "equations": "SPATIAL RECURSION INVERSE INWARD ENTRY",
    },
    "constants of nature, units, and constants of force fields": {
        "library/molecules": "kcal angstrom COULOMB COULOMB_OPENMM GAS_CONSTANT EARTH OTHER_SCALE ON_NITROGEN",
        "io/molecules": "AKMA CHARGE WATER",
        "library/heat": "STEFAN_BOLTZMANN ROOM_TEMPERATURE ZERO_CELSIUS",
        "view": "EARTH_MU EARTH_DIAMETER",
    },
    "published numbers of muscles and ligaments": {
        "library/muscles": "BELLS RATE ACTIVE PASSIVE", "library/cables": "LIGAMENT",
    },
    "numbers of a file format, a protocol, a compiler or a processor": {
        "codegen/libraries": "*", "codegen/instructions.py": "*",
        "codegen": "IMPORT EXPORT DATA SYMBOLS NEAR_STRIDE LEVEL",
        "device": "CUDA FLOAT BLOCK WARP STARTING RUNNING DONE FAILED",
        "io": "STOP_TIME TIME OLDEST FRICTION MU GRAVITY DENSITY",
        "io/molecules": "MOST WIDEST", "verify": "PAGE", "view": "FLOAT UINT ARRAY ELEMENTS",
    },
    "the layout of arrays, and room in them that is made beforehand": {
        "geometry": "ROW",
        "geometry/loops": "HEADER HEAD PROBE ROW N_ROWS N_POINTS RESULTS MOST TWICE CORNERS PLACES FACES EDGES STACK "
                          "DEPTH TERMS",
        "integrate": "N_ROWS N_VECTORS N_SAMPLES N_DENSE_ROWS N_KEPT PAST MAX_STAGES N_NEWS N_HEAD ROOM "
                     "N_OF_PAIR",
        "codegen": "ENDLESS TERMS ORDERS",
        "run/row_record.py": "N_FIXED N_NUMBERS N_REALS",
        "run/contact_record.py": "N_FIXED N_NUMBERS N_REALS PRESSES HOLDS RUBBED RETURNED THROWN",
        "run/row_modes.py": "MIX MIX_FIRST",
        "run/cone_search.py": "NEXT SHIFT FRACTION",
    },
    "names for numbers: modes, statuses, directions": {
        "algebra/frames": "AT_REST NO_ROTATION", "batch": "DONE", "codegen": "ALWAYS OUTWARDS INWARDS",
        "geometry": "ORIGIN POINTS ELLIPSE CYLINDER PLANE MESH HULL",
        "integrate": "CONTACT TURN SINGLE RESTORE PROJECT_ERROR LOCATE JUMPED SUDDEN REVEAL ALL_ROOTS WHOLE START END "
                     "FORMAT",
        "integrate/step_programs": "IDLE STARTING RUNNING DONE FAILED NEAR_SINGULAR STRAINED STIFF SUDDEN EVENTFUL "
                                   "UNDECIDED INSTANT",
        "io": "UP", "library/joints": "ANGLES TRACK", "mechanism": "WORLD Z", "run": "OPEN SLIDING STICKING",
        "verify": "STARTING RUNNING INSTANT",
    },
    "looks: colours, proportions, the width of what is printed": {
        "language/looks.py": "*", "library": "CONTACT_COLOR GROUND_COLOR", "io": "SIZE COLOUR",
        "result": "LONGEST ROWS DIGITS",
        "view/light.py": "*",
        "view": "NAME RANGE NOW HEIGHT GAP BETWEEN COLOUR CELLS OVERSAMPLING TRACE SHADOW ROD FORCE "
                "TORQUE POINTED ON_GROUND SOFT BEGIN LONGEST_ARROW SIZE "
                "CULPRIT OTHERS PALE LINES LINE PIECE FADE AROUND RANGES",
    },
    "thresholds of a file that is a room, or that runs by itself in a bundle without the list": {
        "waiting.py": "PATIENCE BAR_AFTER",
    },
}


def is_number(node: ast.expr) -> bool:
    """Whether an expression is made of literal numbers alone: 1e-9, 512 * 2**20, (0.2, 0.04)."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float | complex) and not isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, ast.Tuple) and bool(node.elts) and all(map(is_number, node.elts))


def assigned(node: ast.stmt) -> list[str]:
    """The names that a statement gives literal numbers to."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None or not is_number(node.value):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def module_numbers(tree: ast.Module) -> list[tuple[int, str]]:
    """(line, name) of numbers that a file names at its top level."""
    return [(node.lineno, name) for node in tree.body for name in assigned(node)]


def bare_literals(tree: ast.Module) -> list[tuple[int, str]]:
    """(line, number) of small and large literals in code; defaults of parameters and fields are what users see."""
    seen = {id(part) for node in ast.walk(tree) if isinstance(node, ast.arguments)
            for default in [*node.defaults, *node.kw_defaults] if default is not None for part in ast.walk(default)}
    seen |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
             for field in node.body if isinstance(field, ast.AnnAssign) for part in ast.walk(field)}
    seen |= {id(part) for node in tree.body if assigned(node) for part in ast.walk(node)}  # told by `module_numbers`
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.BinOp) and is_number(node) and id(node) not in seen:
            value = eval(compile(ast.Expression(node), "literal", "eval"))
            if isinstance(value, float) and (0 < abs(value) <= SMALL or abs(value) >= LARGE):
                found.append((node.lineno, ast.unparse(node)))
    return found


def excepted(name: str, number: str) -> bool:
    """Whether a number of a file (a module-level name, or "" for a bare literal) is among the exceptions."""
    for files in NOT_THRESHOLDS.values():
        for place, names in files.items():
            if (name == place or name.startswith(f"{place}/")) and (names == "*" or number in names.split()):
                return True
    return False


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def files():
    return sorted(path for path in ROOT.rglob("*.py") if path.name != LIST)


@cache
def words_of_code() -> set[str]:
    return {word for path in files() for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}


def lists():
    return sorted(ROOT.rglob(LIST))


def test_thresholds_stand_in_the_list_of_their_room():
    found = []
    for path in files():
        name, tree = path.relative_to(ROOT).as_posix(), parsed(path)
        found += [f"{name}:{line}: {number}" for line, number in module_numbers(tree) if not excepted(name, number)]
        found += [f"{name}:{line}: {number}" for line, number in bare_literals(tree)
                  if name != "cli.py" and not excepted(name, "")]  # the command line repeats the default of a parameter
    assert not found, f"numbers that decide belong into {LIST} of their room:\n" + "\n".join(found)


@pytest.mark.parametrize("source, numbers", [
    ("TOLERANCE = 1e-9", ["TOLERANCE"]),
    ("ITERATIONS: int = 60", ["ITERATIONS"]),
    ("FIRST, LAST = 1e-3, 512 * 2**20", ["FIRST", "LAST"]),
    ("def f(x):\n    return x > 1e-12", ["1e-12"]),
    ("def f(x):\n    return abs(x) < -2.5e-9 or x < 1e300", ["1e+300", "2.5e-09"]),
    ("def f(x, accuracy=1e-8):\n    return x > 2.0**-50 * accuracy", ["2.0 ** (-50)"]),
    ("class A:\n    accuracy: float = 1e-8\n    def f(self, x, *, h=1e-9):\n        return x * 0.01", []),
    ("NAMES = ('a', 'b')\nSIZES = {2: 'two'}\nFLAG = True", []),
])
def test_the_search_finds_thresholds_and_nothing_else(source, numbers):
    tree = ast.parse(source)
    assert sorted(number for _, number in module_numbers(tree) + bare_literals(tree)) == sorted(numbers)


def test_a_room_has_one_list():
    assert all(len(path.relative_to(ROOT).parts) == 2 for path in lists())


@pytest.mark.parametrize("path", lists(), ids=lambda path: path.parent.name)
def test_entries_of_a_list_are_explained_and_used(path):
    """Each has words above it (a pair of lines may share them), a name that no other has, and decides something."""
    lines = path.read_text(encoding="utf-8").splitlines()
    told, before = False, set()
    for node in parsed(path).body:
        names = [name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)]
        if not names:
            continue
        assert not before & {*names}, f"{path.parent.name}: {', '.join(names)} stands in the list twice"
        before |= {*names}
        above, words = node.lineno - 2, []
        while lines[above].startswith("#:"):
            words = lines[above][2:].split() + words
            above -= 1
        shares = told and not words and lines[node.lineno - 2] and not lines[node.lineno - 2].startswith("#")
        assert len(words) >= WORDS or shares, f"{path.parent.name}: {', '.join(names)} is not explained"
        told = len(words) >= WORDS or shares
        unused = [name for name in names if name not in words_of_code()]
        assert not unused, f"{path.parent.name}: nobody uses {', '.join(unused)}"


def test_exceptions_exist():
    """What was moved or renamed leaves no exception behind that would hide something new."""
    for place, names in ((place, names) for group in NOT_THRESHOLDS.values() for place, names in group.items()):
        found = [path for path in files() if (name := path.relative_to(ROOT).as_posix()) == place
                 or name.startswith(f"{place}/")]
        assert found, f"{place} does not exist"
        own = {name for path in found for _, name in module_numbers(parsed(path))}
        assert names == "*" or set(names.split()) <= own, f"{place}: {set(names.split()) - own} are not there"


def test_the_texts_of_c_hold_no_threshold():
    """FMUs and exported C decide by the functions of the ordinary run: what stands in C by hand is an interface, whose
    only real numbers are zero and one."""
    texts = [path for pattern in ("*.c", "*.h") for path in ROOT.rglob(pattern)]
    assert texts
    for path in texts:
        code = re.sub(r'/\*.*?\*/|//[^\n]*|"[^"\n]*"', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        reals = set(re.findall(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?", code))
        assert {float(number) for number in reals} <= {0.0, 1.0}, path.name
