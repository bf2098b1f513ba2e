"""What is seen: default shapes of components, their motion, and the pages, pictures and files that show them.

`shapes` describes a scene without drawing it, `defaults` gives every component its shapes, `meshes` their surfaces;
`motion` places them over time.  `page` plays them in a browser (live or as a file), `picture` draws still pictures and
films, `gltf` writes a file for other programs, `diagram` draws the connections of a
model.  Nothing here is imported or compiled before somebody wants to look.
"""

from .files import save, save_html
from .live import Viewer, animate, show_model
from .shapes import Shape, Span

__all__ = ["Shape", "Span", "Viewer", "animate", "save", "save_html", "show_model"]
