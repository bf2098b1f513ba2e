"""A notebook executed by a kernel: models, systems, results and tables show themselves as pictures and tables."""

import re

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = {
    "model": """
import linkwright as lw
from linkwright import joints, parts
m = lw.Model("pendulum")
m.world = lw.World()
m.rev = joints.Revolute(phi=1.0)
m.body = parts.Body(m=1.0, r_cm=[0.5, 0, 0])
m.chain(m.world, m.rev, m.body)
m""",
    "system": "s = lw.compile(m); s",
    "result": "r = lw.simulate(m, 1.0); r",
    "plot": 'r.plot("rev.phi")',
    "linear": 'lw.linearize(m, inputs=[], outputs=["rev.phi"])',
    "modes": "lw.modes(m, state=lw.equilibrium(m))",
    "events": "r.events",
    "inverse": 'lw.inverse(m, {"rev.phi": [0.1 * k for k in range(8)]}, [0.1 * k for k in range(8)])',
}


@pytest.fixture(scope="module")
def outputs():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS.values()])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return dict(zip(CELLS, (cell["outputs"] for cell in notebook.cells), strict=True))


def shown(outputs: list, kind: str) -> str:
    """What a cell shows of a MIME type."""
    return "\n".join("".join(output["data"][kind]) for output in outputs if kind in output.get("data", {}))


@pytest.mark.slow
def test_models_show_their_diagram_and_systems_their_report(outputs):
    assert "<svg" in shown(outputs["model"], "text/html")
    assert "degrees of freedom" in shown(outputs["system"], "text/html")


@pytest.mark.slow
def test_results_show_their_motion(outputs):
    assert "<iframe" in shown(outputs["result"], "text/html")


@pytest.mark.slow
def test_plots_are_images_without_magic_words(outputs):
    assert len(shown(outputs["plot"], "image/png")) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["linear", "modes", "inverse"])
def test_studies_are_tables(outputs, name):
    html = shown(outputs[name], "text/html")
    assert "<table" in html and re.search(r"rev", html)


@pytest.mark.slow
def test_nothing_else_is_written(outputs):
    """No banner of a server, no warning: errors and streams are empty, waiting apart."""
    for cell in outputs.values():
        for output in cell:
            assert output["output_type"] != "error"
            if output["output_type"] == "stream":
                assert output["text"].startswith("linkwright: ")
