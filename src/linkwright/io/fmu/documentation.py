"""What people see of an FMU: a page about its variables, the connection diagram, and a picture."""

from __future__ import annotations

import io
from html import escape

import numpy as np

import linkwright as lw

from ...result import Trajectory
from ...view import Renderer, animation_of, model_shapes, stand, up_direction, world_of
from .contents import Contents

SIZE = (480, 320)

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em }}
td, th {{ text-align: left; padding: 0.15em 1em 0.15em 0 }} img {{ max-width: 100% }}</style></head>
<body><h1>{title}</h1>
<p>{about}</p>
<p>Written by Linkwright {version}. SI units, radians. Co-simulation steps by itself with an error of {accuracy:g} per
step, or with the tolerance that is asked for.</p>
<p>Method of its steps: {steps}.</p>
{diagram}
<h2>Variables</h2>
<table><tr><th>name</th><th>role</th><th>unit</th><th>start</th></tr>
{rows}
</table></body></html>
"""

def pages(contents: Contents, version: int) -> dict[str, bytes]:
    """Path in the archive → content."""
    rows = [f"<tr><td>{escape(v.name)}</td><td>{v.role}</td><td>{escape(v.unit)}</td>"
            f"<td>{'' if v.start is None else f'{v.start:.6g}'}</td></tr>" for v in contents.variables]
    model = contents.model
    about = (type(model).__doc__ or "").strip() if type(model) is not lw.Model else ""
    diagram = '<p><img src="diagram.svg" alt="connection diagram"></p>'
    files = {"documentation/diagram.svg": model.diagram().svg.encode()}
    page = PAGE.format(steps=escape(contents.steps_in_words), title=escape(model.title), about=escape(about),
                       version=lw.__version__, accuracy=contents.accuracy, diagram=diagram, rows="\n".join(rows))
    files["documentation/index.html"] = page.encode()
    shapes = model_shapes(model, contents.system)
    if shapes:
        files["terminalsAndIcons/icon.png" if version == 3 else "model.png"] = picture(contents, shapes)
    return files


def picture(contents: Contents, shapes: list) -> bytes:
    """The model at its start, as a PNG."""
    from PIL import Image

    system, state = contents.system, contents.state
    x = np.concatenate([state.q, state.u, state.z])
    there = Trajectory(system, np.array([state.t]), x[None], state.d[None], state.p, state.y)
    world = world_of(contents.model)
    animation = animation_of(there, system, shapes, contents.model.title, up_direction(world), {}, ())
    stand(animation, contents.model)
    drawn = io.BytesIO()
    Image.fromarray(Renderer(animation, SIZE).draw(0)).save(drawn, "png")
    return drawn.getvalue()
