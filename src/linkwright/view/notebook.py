"""What notebooks show of a model and of a result when a cell ends with it."""

from __future__ import annotations

import base64
import io
from contextlib import suppress
from html import escape

from ..errors import LinkwrightError
from ..language import Model
from ..result import Result
from .tolerances import CURVES


def model_html(model: Model) -> str:
    """The parts of a model and its connection diagram; where it cannot be translated yet, what is missing."""
    parts = "".join(f"<tr><td>{escape(c.path)}</td><td>{escape(type(c).__name__)}</td></tr>" for c in model.leaves())
    try:
        drawn = str(model.diagram())
    except LinkwrightError as error:
        drawn = f"<p>{escape(str(error))}</p>"
    return (f"<b>{escape(model.title)}</b>{drawn}<details><summary>{sum(1 for _ in model.leaves())} parts</summary>"
            f"<table>{parts}</table></details>")


def result_html(result: Result) -> str:
    """The motion, and the courses of the first coordinates."""
    from .animation_files import body_frames, result_animation
    from .live import NotebookPage
    from .recorded_page import page

    parts = [f"<b>{escape(repr(result))}</b>"]
    with suppress(LinkwrightError):  # a mechanism without shapes has curves alone
        animation = result_animation(result, 30, extra_frames=body_frames(result))
        parts.append(NotebookPage(page(animation, result))._repr_html_())
    names = [name for name in result.system.part_names("q") if name in result][:CURVES]
    if names:
        parts.append(f'<img src="data:image/png;base64,{_picture(result, names)}"/>')
    parts += [f"<p>{escape(message)}</p>" for message in result.messages]
    return "\n".join(parts)


def _picture(result: Result, names: list[str]) -> str:
    import matplotlib.pyplot as plt

    figure, data = result.plot(*names), io.BytesIO()
    figure.savefig(data, format="png", dpi=90)
    plt.close(figure)
    return base64.b64encode(data.getvalue()).decode()
