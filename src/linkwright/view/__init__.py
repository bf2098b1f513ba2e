"""What is seen: default shapes of components, their motion, and the pages, pictures and files that show them.

`scene_data` describes a scene without drawing it, `default_shapes` gives every component its shapes, `meshes` their
surfaces; `motion` places them over time.  `live` plays them in a browser, `recorded_page` and `running` as a saved
page; `picture` draws still pictures and films, `gltf` writes a file for other programs, `diagram` draws the connections
of a model.  Nothing here is imported or compiled before somebody wants to look.
"""

from .animation_files import save, save_html, up_direction
from .default_shapes import model_shapes, world_of
from .diagram import diagram
from .explained import explain
from .faults import show_error
from .ground import stand
from .live import Viewer, animate, show_model
from .motion import animation_of
from .notebook import model_html, result_html
from .picture import Renderer
from .running import page_system, running_page
from .scene_data import Shape, Span, along
from .streaming import Stream

__all__ = [
    "Renderer", "Shape", "Span", "Stream", "Viewer", "along", "animate", "animation_of", "diagram", "explain",
    "model_html", "model_shapes", "page_system", "result_html", "running_page", "save", "save_html", "show_error",
    "show_model", "stand", "up_direction", "world_of",
]
