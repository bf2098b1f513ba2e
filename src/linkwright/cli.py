"""The command line: `linkwright demo | run | info | verify | view | convert | export | examples | bench`."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import LinkwrightError, ModelError, unknown_name

if TYPE_CHECKING:
    from .language import Model


def main(arguments: list[str] | None = None) -> int:
    """Run one command; errors are printed, not thrown."""
    options = _parser().parse_args(arguments)
    try:
        code = options.command(options) or 0
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # linkwright examples | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except LinkwrightError as error:
        print(f"linkwright.{type(error).__name__}: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="linkwright", description="A compiler for mechanisms.")
    parser.add_argument("--version", action="version", version=f"linkwright {_version()}")
    parser.set_defaults(command=lambda options: parser.print_help())
    commands = parser.add_subparsers(metavar="command")

    demo = commands.add_parser("demo", help="simulate the built-in demonstration and write its animation")
    demo.add_argument("--html", default="out/demo.html", help="where the animation goes (default: %(default)s)")
    demo.set_defaults(command=_demo)

    run = commands.add_parser("run", help="simulate a robot file (MJCF, URDF …) or the model in a Python file")
    run.add_argument("file", type=Path)
    run.add_argument("--name", help="the variable that holds the model")
    run.add_argument("--contact", choices=("file", "none"), default="file",
                     help="of a robot file: shapes touch as the file means it, or not at all (default: %(default)s)")
    run.add_argument("--key", help="of a robot file: the keyframe it starts at (default: the first)")
    run.add_argument("--ground", nargs="?", type=float, const=0.0,
                     help="of a robot file: add a level plane, at a height")
    run.add_argument("--floating", action="store_true", help="of a URDF file: the robot is free")
    run.add_argument("--search", nargs="*", default=(), help="folders with packages and meshes")
    run.add_argument("--stop", type=float,
                     help="end of the simulation in s (default: what a Modelica file says, else 10)")
    run.add_argument("--accuracy", type=float, default=1e-8)
    run.add_argument("--html", help="write the animation to this file")
    run.add_argument("--save", help="write the results to this file (.nc, .csv)")
    run.add_argument("--plot", nargs="+", metavar="VARIABLE", help="plot these variables")
    run.set_defaults(command=_run)

    info = commands.add_parser("info", help="print the translation report of the model in a Python file")
    info.add_argument("file", type=Path)
    info.add_argument("--name", help="the variable that holds the model")
    info.add_argument("--full", action="store_true", help="list every constraint, redundancy and remark")
    info.set_defaults(command=_info)

    verify = commands.add_parser("verify", help="run the model in a Python file on every route and compare the motions")
    verify.add_argument("file", type=Path)
    verify.add_argument("--name", help="the variable that holds the model")
    verify.add_argument("--stop", type=float, help="end of the runs in s (default: `stop` of the file, else 1)")
    verify.add_argument("--accuracy", type=float, default=1e-8)
    verify.add_argument("--routes", nargs="+", metavar="ROUTE", help="names of routes, or their beginnings")
    verify.add_argument("--limit", type=float, default=60.0, help="seconds after which no route is begun (%(default)s)")
    verify.add_argument("--json", type=Path, help="write the table to this file too")
    verify.set_defaults(command=_verify)

    view = commands.add_parser("view", help="show a robot (URDF, MJCF) or the model in a Python file")
    view.add_argument("file", type=Path)
    view.add_argument("--name", help="the variable that holds the model")
    view.add_argument("--html", help="write a page instead of opening a browser")
    view.add_argument("--search", nargs="*", default=(), help="folders with packages and meshes")
    view.set_defaults(command=_view)

    convert = commands.add_parser("convert", help="read a robot and write it in another format")
    convert.add_argument("source", type=Path)
    convert.add_argument("target", type=Path)
    convert.add_argument("--strict", action="store_true", help="refuse to lose anything")
    convert.add_argument("--search", nargs="*", default=(), help="folders with packages and meshes")
    convert.add_argument("--no-stops", action="store_true", help="leave limits of joints out")
    convert.add_argument("--no-friction", action="store_true", help="leave friction and damping out")
    convert.set_defaults(command=_convert)

    export = commands.add_parser("export", help="write the model in a Python file in another format, by its suffix")
    export.add_argument("file", type=Path)
    export.add_argument("target", type=Path)
    export.add_argument("--name", help="the variable that holds the model")
    export.add_argument("--strict", action="store_true", help="refuse to lose anything")
    for option, what in (("inputs", "inputs of an FMU (default: all)"), ("outputs", "variables that an FMU or C shows"),
                         ("tunable", "parameters that an FMU or C can change"),
                         ("sliders", "inputs and parameters that a page can move"),
                         ("plots", "variables that a page draws")):
        export.add_argument(f"--{option}", nargs="+", metavar="NAME", help=what)
    export.add_argument("--fmi", type=int, help="version of an FMU: 3 (default) or 2")
    export.set_defaults(command=_export)

    examples = commands.add_parser("examples", help="list the examples, or run one")
    examples.add_argument("example", nargs="?")
    examples.set_defaults(command=_examples)

    bench = commands.add_parser("bench", help="measure against the peers that are installed")
    bench.add_argument("options", nargs=argparse.REMAINDER)
    bench.set_defaults(command=_bench)
    return parser


def _version() -> str:
    from . import __version__

    return __version__


def _demo(options: argparse.Namespace) -> int:
    """The demonstration: translate, report, simulate, animate."""
    import time

    from .compiler import system_of
    from .studies import simulate

    example = runpy.run_path(str(_example("engine_v6")))
    model, stop = example["model"], example.get("stop", 1.0)
    began = time.perf_counter()
    system = system_of(model)
    result = simulate(system, stop)
    print(system)
    print(f"simulated {stop:g} s in {time.perf_counter() - began:.2f} s, translation included")
    path = Path(options.html)
    path.parent.mkdir(parents=True, exist_ok=True)
    result.save(path)
    print(f"animation: {path.resolve().as_uri()}")
    return 0


def _run(options: argparse.Namespace) -> int:
    from .compiler import system_of
    from .studies import simulate

    given = {} if options.file.suffix == ".py" else {
        "contact": None if options.contact == "none" else options.contact, "key": options.key,
        "ground": False if options.ground is None else options.ground, "floating": options.floating}
    model = _model_of(options.file, options.name, options.search, **given)
    said = getattr(getattr(model, "import_report", None), "data", {})
    system = system_of(model)
    result = simulate(system, options.stop or said.get("stop", 10.0), accuracy=options.accuracy)
    print(system)
    for message in result.messages:
        print(message)
    for path in filter(None, (options.html, options.save)):
        result.save(path)
        print(f"wrote {path}")
    if options.plot:
        _show(result.plot(*options.plot), options.file.with_suffix(".png"))
    return 0


def _show(figure: Any, path: Path) -> None:
    """A figure in a window, or in a file where there is no display."""
    import matplotlib.pyplot as plt

    if figure.canvas.required_interactive_framework is not None:
        plt.show()
        return
    figure.savefig(path, dpi=150)
    plt.close(figure)
    print(f"wrote {path}, since there is no display for the plot")


def _info(options: argparse.Namespace) -> int:
    from .compiler import system_of

    system = system_of(find_model(options.file, options.name))
    _ = system.instructions
    print(system.report(full=options.full))
    return 0


def _verify(options: argparse.Namespace) -> int:
    from .verify import verify

    model, stop = find_model(options.file, options.name), options.stop
    if stop is None:
        stop = _executed(options.file).get("stop", 1.0)
    report = verify(model, stop, options.routes, options.limit, options.accuracy)
    print(report)
    if options.json:
        options.json.write_text(report.to_json(), encoding="utf-8")
        print(f"wrote {options.json}")
    return report.exit_code


def _model_of(path: Path, name: str | None, search: Sequence[str] = (), **given: Any) -> Model:
    """The model of a Python file, or of a file of another program."""
    if path.suffix == ".py":
        return find_model(path, name)
    from .io import read

    model = read(path, search=search, **given)
    print(model.import_report)
    return model


def _view(options: argparse.Namespace) -> int:
    model = _model_of(options.file, options.name, options.search)
    if options.html:
        from .studies import simulate

        simulate(model, 1e-3).save(options.html)  # the start, as good as at rest
        print(f"wrote {options.html}")
        return 0
    model.show()
    input("Showing in the browser; Enter ends.")
    return 0


def _convert(options: argparse.Namespace) -> int:
    return _write(_model_of(options.source, None, options.search, stops=not options.no_stops,
                            friction=not options.no_friction), options)


def _export(options: argparse.Namespace) -> int:
    given = {name: getattr(options, name) for name in ("inputs", "outputs", "tunable", "fmi", "sliders", "plots")}
    return _write(_model_of(options.file, options.name), options, **{name: value for name, value in given.items()
                                                                     if value is not None})


def _write(model: Model, options: argparse.Namespace, **given: Any) -> int:
    """Write a model and say what the file does not hold."""
    import warnings

    from .io import export

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lost = export(model, options.target, strict=options.strict, **given)
    print(f"wrote {options.target}")
    if lost:
        print(f"not in it: {', '.join(lost)}")
    return 0


def _examples(options: argparse.Namespace) -> int:
    if options.example is None:
        for path in sorted(_examples_folder().glob("*.py")):
            print(f"{path.stem:24} {_first_line(path)}")
        return 0
    runpy.run_path(str(_example(options.example)), run_name="__main__")
    return 0


def _bench(options: argparse.Namespace) -> int:
    import subprocess

    folder = Path(__file__).parents[2]
    if not (folder / "bench").is_dir():
        raise ModelError("the benchmarks are in the source checkout: clone it and run `make bench`.")
    return subprocess.call([sys.executable, "-m", "bench", *options.options], cwd=folder)


def find_model(path: Path, name: str | None = None) -> Model:
    """The model of a Python file: the variable `name`, else `model`, else the only one that is no part of another."""
    from .language import Model

    if not path.exists():
        raise ModelError(f"{path}: there is no such file.")
    variables = _executed(path)
    models = {key: value for key, value in variables.items() if isinstance(value, Model) and not key.startswith("_")}
    if name is not None:
        if name not in models:
            raise unknown_name(name, models, f"{path}: the file")
        return models[name]
    if "model" in models:
        return models["model"]
    whole = {key: value for key, value in models.items() if value._parent is None}
    if len({id(value) for value in whole.values()}) == 1:
        return next(iter(whole.values()))
    found = ", ".join(whole) or "none"
    raise ModelError(f"{path}: which model? The file holds {found}; name one with --name, or call it `model`.")


def _executed(path: Path) -> dict[str, object]:
    """The variables of a Python file; what it raises is said with the file's own line."""
    try:
        return runpy.run_path(str(path))
    except SyntaxError as error:
        raise ModelError(f"{error.filename or path}, line {error.lineno}: {error.msg}\n    "
                         f"{(error.text or '').strip()}") from error
    except Exception as error:
        own = [entry for entry in traceback.extract_tb(error.__traceback__) if entry.filename == str(path)]
        where = f", line {own[-1].lineno}" if own else ""
        line = f"\n    {own[-1].line}" if own else ""
        kind = "" if isinstance(error, LinkwrightError) else f"{type(error).__name__}: "
        raise ModelError(f"{path}{where}: {kind}{error}{line}") from error


def _examples_folder() -> Path:
    """The examples: packed with the installed package, beside `src` in a checkout."""
    packed = Path(__file__).parent / "_examples"
    return packed if packed.is_dir() else Path(__file__).parents[2] / "examples"


def _example(name: str) -> Path:
    path = _examples_folder() / f"{name}.py"
    if not path.exists():
        raise unknown_name(name, [p.stem for p in _examples_folder().glob("*.py")], "the list of examples")
    return path


def _first_line(path: Path) -> str:
    text = path.read_text(encoding="utf-8").lstrip()
    return text.strip('"').splitlines()[0].strip('"') if text.startswith('"""') else ""

