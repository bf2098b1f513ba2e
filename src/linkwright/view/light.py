"""Light and background, the same in pages and pictures: a light from the upper right, and a little from everywhere.

Light adds up in linear intensities, of which a colour's bytes are about the root (sRGB, IEC 61966-2-1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

FROM = np.array([0.35, 0.75, 0.55])  # right, up, towards the viewer
EVERYWHERE, KEY, GLOSS = 0.25, 0.8, 0.06  # parts of a colour's full brightness
ABOVE, BELOW = (255.0, 255.0, 255.0), (236.0, 240.0, 244.0)  # colours of the background
THIN = 1 / 500  # radius of lines, over the distance of the viewer


def direction(eye: np.ndarray, look_at: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Where the light comes from, in the world."""
    return camera_axes(eye, look_at, up) @ (FROM / np.linalg.norm(FROM))


def camera_axes(eye: np.ndarray, look_at: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Right, up and back of a camera, as columns."""
    back = (eye - look_at) / np.linalg.norm(eye - look_at)
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    return np.column_stack([right, np.cross(back, right), back])


def background(height: int, width: int) -> np.ndarray:
    """Light above, a little darker below."""
    column = np.linspace(0.0, 1.0, height)[:, None] * np.subtract(BELOW, ABOVE) + ABOVE
    return np.repeat(column[:, None, :], width, axis=1)


def shaded(colour: np.ndarray, facing: np.ndarray, gloss: np.ndarray) -> np.ndarray:
    """Bytes of a colour under the light, by how much a face is turned to it and what it mirrors, both 0 … 1."""
    linear = _linear(np.asarray(colour, dtype=float) / 255)
    return 255 * _bytes(linear * (EVERYWHERE + KEY * facing) + GLOSS * gloss)


def _linear(c: np.ndarray) -> np.ndarray:
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def _bytes(c: np.ndarray) -> np.ndarray:
    c = np.clip(c, 0.0, 1.0)
    return np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)


def illuminate(scene: Any, eye: np.ndarray, look_at: np.ndarray, up: np.ndarray, cast_shadow: bool) -> None:
    """The same light and background in a viser scene."""
    scene.configure_default_lights(enabled=False)
    scene.configure_environment_map(None)
    scene.set_background_image(background(256, 4).astype(np.uint8), format="png")
    # a matte face reflects the π-th part of what falls on it
    scene.add_light_ambient("/lights/everywhere", intensity=EVERYWHERE * np.pi)
    away = look_at + 2 * float(np.linalg.norm(eye - look_at)) * direction(eye, look_at, up)
    scene.add_light_directional("/lights/key", intensity=KEY * np.pi, position=tuple(away), cast_shadow=cast_shadow)
