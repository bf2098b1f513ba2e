"""Surfaces z(x, y) through heights on a grid, as smooth as an integrator wants them, called from SX expressions.

    z(x, y) = Σ_ij c_ij B_i(x) B_j(y)

with splines B of degree 5 (of fewer than 6 points one degree less than there are), so that derivatives up to the fourth
are continuous; their knots are the grid but for the two points next to each end.  Beyond the grid z goes on straight.

CasADi sees functions (x, y) → (z, z_x, z_y, z_xx, z_xy, z_yy, …) up to an order that are never inlined (an OP_CALL in
SX); the Jacobian of one is made of the next order, so derivatives of every order are such calls again.  The data are
read back from the function, so an expression needs nothing beside itself to be compiled.  In machine code it is
`void @name(const double *xy, double *z, int64 stride)`, the same function of the dialect (`spline_surface`) everywhere.

de Boor, A Practical Guide to Splines (2001), ch. XIII (interpolation), XVII (tensor products).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import casadi as ca
import numpy as np

from linkwright.codegen.elementary import literal
from linkwright.codegen.runtime import surface_routine
from linkwright.errors import LinkwrightError, ModelError

PREFIX = "lw_surface_"
DEGREE = 5
MOST = 7  # the highest order of derivatives


@dataclass(frozen=True, eq=False)
class Axis:
    """The splines along one way, piece by piece: `breaks` (n + 1) with a piece beyond each end, and `splines`
    (n, terms, terms), the coefficients of powers of the way from a break, of each spline that lives on the piece."""

    breaks: np.ndarray
    splines: np.ndarray

    @property
    def pieces(self) -> int:
        return len(self.splines)

    @property
    def terms(self) -> int:
        return self.splines.shape[1]

    def flat(self) -> np.ndarray:
        return np.concatenate([self.breaks, self.splines.ravel()])


class Surface:
    """The surface through heights `z` (n, m) over a grid `x` (n), `y` (m).

        ground = Surface(x, y, z)
        height, slope_x, slope_y = ca.vertsplit(ground(place, 1))        # place a CasADi vector of two
    """

    def __init__(self, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> None:
        from scipy.interpolate import make_interp_spline

        x, y, z = (np.array(part, dtype=float) for part in (x, y, z))
        if z.shape != (len(x), len(y)) or min(z.shape) < 2 or not np.isfinite(z).all():
            raise ModelError(f"a surface over {len(x)} × {len(y)} points needs as many finite heights, at least 2 × 2, "
                             f"got {z.shape}.")
        for knots in (x, y):
            along = make_interp_spline(knots, z, k=_degree(knots), t=_knots(knots))
            z = along.c.T  # once along x, once along y
        self.x, self.y, self.coefficients = _axis(x), _axis(y), z
        self._functions: dict[int, ca.Function] = {}

    def __call__(self, place: ca.SX, order: int = 0) -> ca.SX:
        """z at a place (x, y), and its derivatives up to an order: z, z_x, z_y, z_xx, z_xy, z_yy …"""
        return self.casadi(order)(place)

    def casadi(self, order: int) -> ca.Function:
        """z and its derivatives up to an order as a CasADi function of a vector of two."""
        if order not in self._functions:
            self._functions[order] = _function(self, order)
        return self._functions[order]

    def cells(self) -> np.ndarray:
        """The polynomial of every piece but those beyond the ends: (n, m, p, q) coefficients over powers of the way
        from its corner."""
        p, q = self.x.terms, self.y.terms
        windows = np.lib.stride_tricks.sliding_window_view(self.coefficients, (p, q))
        return np.einsum("nra,nmab,msb->nmrs", self.x.splines[1:-1], windows, self.y.splines[1:-1])


def is_surface(function: ca.Function) -> bool:
    """Whether a called function is one of our surfaces."""
    return function.name().startswith(PREFIX)


def surface_order(function: ca.Function) -> int:
    """Up to which derivatives a surface is asked for."""
    return int(function.name().removeprefix(PREFIX).split("_")[0])


def surface_data(function: ca.Function) -> tuple[np.ndarray, list[int]]:
    """The numbers of a surface as `lw_surface` takes them, and (pieces, terms) along x and along y."""
    constants = (function.instruction_MX(k).to_DM() for k in range(function.n_instructions())
                 if function.instruction_id(k) == ca.OP_CONST)
    data = np.array(max(constants, key=lambda c: c.numel())).ravel()
    return data[4:], [int(count) for count in data[:4]]


def surface_code(function: ca.Function, _: int) -> tuple[str, ...]:
    """IR of `void @name(xy, z, stride)`, and of what it calls."""
    data, counts = surface_data(function)
    name, order = function.name(), surface_order(function)
    # all orders of a surface share its numbers
    array = f"lw_numbers_of_{name.split('_')[-1]}"
    numbers = ", ".join("double " + literal(a) for a in data)
    sizes = ", ".join(f"i64 {count}" for count in (*counts, order))
    text = f"""define void @{name}(ptr %xy, ptr %z, i64 %stride) #0 {{
  call void @lw_surface(ptr %xy, ptr %z, i64 %stride, ptr @{array}, {sizes})
  ret void
}}"""
    return text, f"@{array} = internal constant [{len(data)} x double] [{numbers}]", *surface_routine()


def _degree(x: np.ndarray) -> int:
    return min(DEGREE, len(x) - 1)


def _knots(x: np.ndarray) -> np.ndarray:
    """The knots of splines through as many points as there are splines."""
    degree = _degree(x)
    aside = (degree + 1) // 2
    inner = x[aside:len(x) - aside] if len(x) > degree + 1 else x[:0]
    return np.concatenate([np.full(degree + 1, x[0]), inner, np.full(degree + 1, x[-1])])


def _axis(x: np.ndarray) -> Axis:
    """The splines over a grid as polynomials between their knots, and straight beyond the ends."""
    from math import factorial

    from scipy.interpolate import BSpline

    t, degree = _knots(x), _degree(x)
    breaks, count = t[degree:len(t) - degree], len(t) - degree - 1
    every = BSpline(t, np.eye(count), degree)
    taylor = np.stack([every.derivative(r)(breaks) / factorial(r) if r else every(breaks)
                       for r in range(degree + 1)], axis=1)  # (break, power, spline)
    inner = np.stack([taylor[k, :, k:k + degree + 1] for k in range(len(breaks) - 1)])
    before, after = np.zeros((2, degree + 1, degree + 1))
    first, last = inner[0], taylor[-1, :, -degree - 1:]
    wide = breaks[1] - breaks[0]
    before[:2], after[:2] = (first[0] - wide * first[1], first[1]), last[:2]
    return Axis(np.concatenate([[breaks[0] - wide], breaks, [2 * breaks[-1] - breaks[-2]]]),
                np.concatenate([[before], inner, [after]]))


def _function(surface: Surface, order: int) -> ca.Function:
    """CasADi's function; all its data are one constant."""
    if order > MOST:
        raise LinkwrightError(f"derivatives of a surface are there up to order {MOST}, not {order}.")
    x, y, c = surface.x, surface.y, surface.coefficients
    parts = [np.array([x.pieces, x.terms, y.pieces, y.terms]), x.flat(), y.flat(), c.ravel()]
    data, starts = np.concatenate(parts), np.cumsum([len(part) for part in parts])
    name = f"{PREFIX}{order}_{hashlib.sha256(data.tobytes()).hexdigest()[:20]}"
    everything, place = ca.MX(ca.DM(data)), ca.MX.sym("place", 2)
    along, i = _basis(everything, int(starts[0]), x, place[0], order)
    across, j = _basis(everything, int(starts[1]), y, place[1], order)
    window = np.add.outer(np.arange(y.terms), c.shape[1] * np.arange(x.terms)).ravel(order="F")
    near = everything[int(starts[2]) + i * c.shape[1] + j + ca.MX(ca.DM(window))]
    near = ca.reshape(near, y.terms, x.terms)
    results = [ca.mtimes([across[b, :], near, along[a, :].T]) for a, b in _orders(order)]
    options = {"never_inline": True, "enable_forward": False, "enable_reverse": False, "jac_penalty": 0}
    if order < MOST:
        finer, number = surface.casadi(order + 1)(place), {ab: k for k, ab in enumerate(_orders(order + 1))}
        columns = [finer[[number[a + p, b + q] for a, b in _orders(order)]] for p, q in ((1, 0), (0, 1))]
        found = ca.MX.sym("found", len(results))
        options["custom_jacobian"] = ca.Function("jac_" + name, [place, found], [ca.horzcat(*columns)])
    return ca.Function(name, [place], [ca.vertcat(*results)], options)


def _orders(order: int) -> list[tuple[int, int]]:
    """(derivatives along x, along y) of the results of a function, in order."""
    return [(total - b, b) for total in range(order + 1) for b in range(total + 1)]


def _basis(everything: ca.MX, first: int, axis: Axis, x: ca.MX, order: int) -> tuple[ca.MX, ca.MX]:
    """The splines at x and their derivatives (order + 1, terms), and the number of the first of them."""
    n, terms = axis.pieces, axis.terms
    piece = ca.low(everything[first:first + n + 1], x)
    u = x - everything[first + piece]
    block = first + n + 1 + piece * terms**2 + ca.MX(ca.DM(np.arange(terms**2)))
    splines = ca.reshape(everything[block], terms, terms).T  # powers down
    powers = [ca.MX(1)]
    for _ in range(terms - 1):
        powers.append(powers[-1] * u)
    rows, factors = [], np.ones(terms)
    for d in range(order + 1):
        rows.append(ca.horzcat(*[factors[r] * powers[r - d] if r >= d else ca.MX(0) for r in range(terms)]) @ splines)
        factors = factors * np.maximum(np.arange(terms) - d, 0)
    return ca.vertcat(*rows), ca.fmin(ca.fmax(piece - 1, 0), n - 3)
