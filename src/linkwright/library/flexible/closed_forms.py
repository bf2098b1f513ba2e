"""Shapes in closed form: a prismatic beam, held at one end."""

from __future__ import annotations

import numpy as np

from ...errors import ModelError
from ...mechanism.kinds import Integrals, Place
from ..tolerances import BEAM_POINTS, NEWTON_STEPS, SHORTENING, SLOPES_DEGREE
from .reduced import Reduced
from .sections import Material, Section


def beam_modes(length: float, section: Section, material: Material, modes: int = 4, planes: str = "xy",
               frames: tuple[float, ...] = (1.0,)) -> Reduced:
    """The first bending shapes of a beam along x, clamped at frame_a, `modes` in each plane ("xy", "xz" or both).

    Euler and Bernoulli's beam: φ = cosh βx − cos βx − σ (sinh βx − sin βx), cosh βL cos βL = −1, scaled to unit modal
    mass.  The shortening of the axis, g_kl(x) = −e₁ ∫₀ˣ φ_k′·φ_l′, stiffens a rotating beam.  `frames` are fractions of
    the length; further frames are frame_b (the end) and frame[k].
    """
    if not length > 0:
        raise ModelError(f"beam_modes: length = {length:g} must be positive.")
    roots = [_root(k) for k in range(1, modes + 1)]
    x, w = np.polynomial.legendre.leggauss(BEAM_POINTS)
    x, w = (x + 1) / 2 * length, w / 2 * length
    s = np.concatenate([x, np.asarray(frames) * length])
    rho_A, stiffness = material.rho * section.A, {"y": material.E * section.Iz, "z": material.E * section.Iy}
    parts = [p for p in ("y", "z") if p in planes]
    if not parts:
        raise ModelError(f"beam_modes: planes = {planes!r} must name the planes of bending: 'xy', 'xz' or 'xy xz'.")
    value, slope, K = [], [], []
    for direction in parts:
        for root in roots:
            beta = root / length
            sigma = (np.cosh(root) + np.cos(root)) / (np.sinh(root) + np.sin(root))
            scale = 1 / np.sqrt(rho_A * length)
            f, df = (scale * part for part in _shape(beta, sigma, s))
            axis, turn = (1, (2, 1.0)) if direction == "y" else (2, (1, -1.0))
            v, t = np.zeros((len(s), 3)), np.zeros((len(s), 3))
            v[:, axis], t[:, turn[0]] = f, turn[1] * df
            value.append(v)
            slope.append((axis, df, t))
            K.append(stiffness[direction] / rho_A * beta**4)
    n = len(K)
    # −∫₀ˣ φ_k′·φ_l′ at every point, as few shapes along x with amplitudes that are quadratic in q
    pairs = [(k, j) for k in range(n) for j in range(k + 1) if slope[k][0] == slope[j][0]]
    products = [(slope[k][1] * slope[j][1])[:BEAM_POINTS] for k, j in pairs]
    drawn = np.array([-np.polynomial.legendre.Legendre.fit(x, product, SLOPES_DEGREE, domain=[0, length]).integ(
        lbnd=0)(s) for product in products])
    weights, sizes, shapes = np.linalg.svd(drawn, full_matrices=False)
    kept = int(np.sum(sizes > SHORTENING * sizes[0]))
    quadratic = np.zeros((kept, n, n))
    for number, (k, j) in enumerate(pairs):
        quadratic[:, k, j] = quadratic[:, j, k] = weights[number, :kept]
    for a in range(kept):
        v = np.zeros((len(s), 3))
        v[:, 0] = sizes[a] * shapes[a]
        value.append(v)
        slope.append((0, None, np.zeros((len(s), 3))))
    phi = np.stack(value, axis=2)
    c = np.zeros((len(s), 3))
    c[:, 0] = s
    integrals = Integrals.of_points(rho_A * w, c[:BEAM_POINTS], phi[:BEAM_POINTS])
    psi = np.stack([turned for _, _, turned in slope], axis=2)
    nodes = {k: Place(c[k], phi[k], psi[k]) for k in range(BEAM_POINTS, len(s))}
    inner = [f for f in frames if f != 1]
    names = {("frame_b" if f == 1 else f"frame[{inner.index(f)}]"): BEAM_POINTS + k for k, f in enumerate(frames)}
    return Reduced(integrals, np.diag(K), np.zeros((n, n)), nodes, names, (), "clamped beam", quadratic,
                   _skin(section, s[:BEAM_POINTS:4], phi[:BEAM_POINTS:4], psi[:BEAM_POINTS:4]))


def _root(number: int) -> float:
    """The root of cos x cosh x = −1 next to (number − ½) π, by Newton's method."""
    x = (number - 0.5) * np.pi
    for _ in range(NEWTON_STEPS):
        x -= (np.cos(x) + 1 / np.cosh(x)) / (-np.sin(x) - np.tanh(x) / np.cosh(x))
    return x


def _shape(beta: float, sigma: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """φ and φ′, written without differences of large numbers."""
    e, b = np.exp(-beta * x), beta * x
    # cosh − σ sinh = e⁻ᵇ + (1 − σ) sinh b, and 1 − σ is of the size of e⁻ᴸ
    rest = (1 - sigma) * np.sinh(b)
    rest_slope = (1 - sigma) * np.cosh(b)
    return (e + rest - np.cos(b) + sigma * np.sin(b), beta * (-e + rest_slope + np.sin(b) + sigma * np.cos(b)))


def _skin(section: Section, x: np.ndarray, phi: np.ndarray, psi: np.ndarray) -> tuple:
    """The outline of the cross-section swept along the axis: points, their shapes, triangles."""
    y, z = section.reach if any(section.reach) else (np.sqrt(3 * section.Iz / section.A),
                                                     np.sqrt(3 * section.Iy / section.A))
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False) if section.round else np.pi / 4 * np.array([1, 3, 5, 7])
    scale = 1.0 if section.round else np.sqrt(2)
    ring = scale * np.stack([0 * angles, y * np.cos(angles), z * np.sin(angles)], axis=1)
    points = ring[None] + np.stack([x, 0 * x, 0 * x], axis=1)[:, None]
    shapes = phi[:, None] + np.cross(psi[:, None], ring[None, :, :, None], axisa=2, axisb=2, axisc=2)
    n, m = len(x), len(ring)
    index = np.arange(n * m).reshape(n, m)
    a, b = index[:-1], index[1:]
    c, d = np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)
    faces = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    return points.reshape(-1, 3), shapes.reshape(n * m, 3, -1), faces
