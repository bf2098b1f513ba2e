"""What a notebook shows: each plot once, and nothing from the server behind the pages."""

import matplotlib.pyplot as plt
import pytest
import rich
from view_models import pendulum

import linkwright as lw


def test_pages_are_written_without_a_word(tmp_path):
    with rich.get_console().capture() as said:  # what a notebook would show as cells of their own
        lw.simulate(pendulum(), 0.1).save(tmp_path / "x.html")
    assert said.get() == ""


def test_windows_draw_plots_their_own_way():
    figure = lw.simulate(pendulum(), 0.1).plot("rev.phi")
    with pytest.raises(NotImplementedError):  # this asks a notebook to go on as with any figure
        figure._ipython_display_()
    assert plt.fignum_exists(figure.number)
    plt.close(figure)


@pytest.mark.slow
@pytest.mark.parametrize("code, cells", [("r.plot('rev.phi')", 1), ("figure = r.plot('rev.phi')", 1),
                                         ("r.plot('rev.phi'); r.plot('rev.w')", 2), ("r", 1), ("m.show()", 1)])
def test_a_cell_shows_each_thing_once(code, cells):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    build = ("import linkwright as lw\nfrom linkwright import joints, parts\nm = lw.Model('pendulum')\n"
             "m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=1.0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])\n"
             "m.chain(m.world, m.rev, m.body)\nr = lw.simulate(m, 0.1)")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in (build, code)])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert not notebook.cells[0].outputs and len(notebook.cells[1].outputs) == cells
