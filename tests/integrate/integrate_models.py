"""Small models in the dialect: `void f(double* in, double* out, double* work)`."""

from __future__ import annotations

import ctypes

import numpy as np

from linkwright.codegen.dialect import compiled, power, real, sin_cos
from linkwright.integrate import Linearised, Model, Options, Stepper

CALL = ctypes.CFUNCTYPE(None, *[ctypes.POINTER(ctypes.c_double)] * 3)
_alive = []  # callbacks must outlive the steppers that call them


model = compiled
SIZE = 64  # no vector of these models is longer


def plain(method, functions, n_in, n_work, sizes, x0, t0=0.0, rest=(), n_events=0, senses=None, **options):
    """A stepper over functions by address, from a state; what is not for its model is for its options."""
    own = {name: options.pop(name) for name in ("n_slope", "n_bases", "n_laws", "quaternions", "carry", "linearised",
                                                "updated", "plain_speeds", "n_out") if name in options}
    model = Model(functions, sizes, n_in, n_work, senses=[0.0] * n_events if senses is None else senses, **own)
    every_stage = options.pop("every_stage", False)
    return Stepper(method, model, [t0, *x0, *rest], Options(**options), every_stage=every_stage)


def stepper(method, functions, n_in, n_work, sizes, x0, **options):
    """A stepper that has the derivatives of its model by differences, so that implicit methods run too."""
    n = sum(sizes)
    width = options.get("n_slope", n + 1)
    options.setdefault("linearised", lambda: linearised(functions["rhs"], n, n_in, n_work, width))
    return plain(method, functions, n_in, n_work, sizes, x0, **options)


def linearised(address, n, n_in, n_work, width) -> Linearised:
    """∂f/∂x of the function at `address` by central differences."""
    rhs = CALL(address)

    def entries(i, o, w):
        at = np.ctypeslib.as_array(i, (n_in,)).copy()
        slope, work = np.zeros(width), np.zeros(n_work + 1)

        def f(k, change):
            x = at.copy()
            x[1 + k] += change
            rhs(*[a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in (x, slope, work)])
            return slope[:n].copy()

        out = np.ctypeslib.as_array(o, (n + n * n,))
        out[:n] = 1.0
        for k in range(n):
            h = 1e-6 * max(1.0, abs(at[1 + k]))
            out[n + k * n : n + (k + 1) * n] = (f(k, h) - f(k, -h)) / (2 * h)

    _alive.append(CALL(entries))
    address = ctypes.cast(_alive[-1], ctypes.c_void_p).value
    diagonal, (columns, rows) = np.arange(n), np.divmod(np.arange(n * n), max(n, 1))
    return Linearised(address, (diagonal, diagonal), (rows, columns))


@model
def oscillator(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """q̈ = −q; x = (q, u)."""
    o[0] = i[2]
    o[1] = -i[1]
    o[2] = 1.0


@model
def driven(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """A nonlinear, damped, driven pendulum with an auxiliary state; x = (q, u, z), rest = (gravity,)."""
    t, q, u, z, gravity = i[0], i[1], i[2], i[3], i[4]
    o[0] = u
    o[1] = -gravity * sin_cos(q)[0] - 0.3 * u + 0.5 * sin_cos(2.0 * t)[1] + 0.2 * z
    o[2] = q - z
    o[3] = 1.0


@model
def arenstorf(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """Restricted three-body problem, a closed orbit of period 17.065…  (Hairer I, eq. II.0.1)."""
    m, k = 0.012277471, 1.0 - 0.012277471
    x, y, vx, vy = i[1], i[2], i[3], i[4]
    d1 = power((x + m) ** 2 + y * y, 1.5)
    d2 = power((x - k) ** 2 + y * y, 1.5)
    o[0] = vx
    o[1] = vy
    o[2] = x + 2.0 * vy - k * (x + m) / d1 - m * (x - k) / d2
    o[3] = y - 2.0 * vx - k * y / d1 - m * y / d2
    o[4] = 1.0


ARENSTORF_X0 = np.array([0.994, 0.0, 0.0, -2.00158510637908252240537862224])
ARENSTORF_PERIOD = 17.0652165601579625588917206249


@model
def kepler(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """Two bodies, x = (position, velocity) in the plane; period 2π for semi-major axis 1."""
    x, y = i[1], i[2]
    r3 = power(x * x + y * y, 1.5)
    o[0] = i[3]
    o[1] = i[4]
    o[2] = -x / r3
    o[3] = -y / r3
    o[4] = 1.0


@model
def free_fall(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """q̈ = −g, x = (height, speed), rest = (g,)."""
    o[0] = i[2]
    o[1] = -i[3]
    o[2] = 1.0


@model
def height(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    o[0] = i[1]


@model
def above(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """Height over a level given last, beside free fall: rest = (g, level)."""
    o[0] = i[1] - i[4]


@model
def wave(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """sin(200 q) − 0.9: true for a seventh of every period."""
    o[0] = sin_cos(200.0 * i[1])[0] - 0.9


@model
def cosines(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """Witnesses of the oscillator: q itself, and q against two levels."""
    o[0] = i[1]
    o[1] = i[1] - 0.5
    o[2] = i[1] + 0.5


@model
def steady(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """ẋ = 1: one coordinate that is time."""
    o[0] = 1.0
    o[1] = 1.0


@model
def fast_wave(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """A witness with many roots: sin(7 q)."""
    o[0] = sin_cos(7.0 * i[1])[0]


@model
def circle(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """Pendulum in Cartesian coordinates (x, y, vx, vy), length 1, gravity 9.81, multiplier eliminated."""
    x, y, vx, vy = i[1], i[2], i[3], i[4]
    s = (vx * vx + vy * vy - 9.81 * y) / (x * x + y * y)
    o[0] = vx
    o[1] = vy
    o[2] = -s * x
    o[3] = -s * y - 9.81
    o[4] = 1.0


@model
def circle_project(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """One Newton step back to the circle, then the speed made tangential."""
    x, y, vx, vy = i[1], i[2], i[3], i[4]
    position_error = 0.5 * (x * x + y * y - 1.0)
    velocity_error = x * vx + y * vy
    k = position_error / (x * x + y * y)
    x, y = x - k * x, y - k * y
    k = (x * vx + y * vy) / (x * x + y * y)
    o[0], o[1], o[2], o[3] = x, y, vx - k * x, vy - k * y
    o[4], o[5] = abs(position_error), abs(velocity_error)


@model
def circle_project_error(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """Tangential parts of the errors appended to (t, x, y, vx, vy)."""
    x, y = i[1], i[2]
    n = x * x + y * y
    a = (x * i[5] + y * i[6]) / n
    b = (x * i[7] + y * i[8]) / n
    o[0], o[1], o[2], o[3] = i[5] - a * x, i[6] - a * y, i[7] - b * x, i[8] - b * y


@model
def never_closed(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """A projection that does not converge."""
    for k in range(4):
        o[k] = i[1 + k]
    o[4], o[5] = 1.0, 1.0


@model
def spinning(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """Free rigid body: quaternion (scalar first) and body rates; inertia 1, 2, 3."""
    q0, q1, q2, q3, a, b, c = i[1], i[2], i[3], i[4], i[5], i[6], i[7]
    o[0] = 0.5 * (-q1 * a - q2 * b - q3 * c)
    o[1] = 0.5 * (q0 * a + q2 * c - q3 * b)
    o[2] = 0.5 * (q0 * b + q3 * a - q1 * c)
    o[3] = 0.5 * (q0 * c + q1 * b - q2 * a)
    o[4] = (2.0 - 3.0) * b * c / 1.0
    o[5] = (3.0 - 1.0) * c * a / 2.0
    o[6] = (1.0 - 2.0) * a * b / 3.0
    o[7] = 1.0


@model
def nan_after_one(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    o[0] = i[2]
    o[1] = -i[1] if i[0] <= 1.0 else np.nan
    o[2] = 1.0


@model
def singular_after_one(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    o[0] = i[2]
    o[1] = -i[1]
    o[2] = 1.0 - i[0]


@model
def blow_up(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """ẋ = x², infinite at t = 1 from x = 1."""
    o[0] = i[1] * i[1]
    o[1] = 1.0


@model
def follow_cosine(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """First coordinate prescribed as cos t, its speed likewise; second driven by it: q̈₂ = q₁."""
    o[0] = i[3]
    o[1] = i[4]
    o[2] = -sin_cos(i[0])[1]
    o[3] = i[1]
    o[4] = 1.0


@model
def prescribe_cosine(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    o[0] = sin_cos(i[0])[1]
    o[1] = i[2]
    o[2] = -sin_cos(i[0])[0]
    o[3] = i[4]


@model
def warm(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """q̈ = −q y, y = √(2 + q) by Newton from the warm start rest[0]; iterations are counted in the work space."""
    y, count = i[3], 0.0
    target = 2.0 + i[1]
    while abs(y * y - target) > 1e-13 * target and count < 50.0:
        y = 0.5 * (y + target / y)
        count += 1.0
    o[0] = i[2]
    o[1] = -i[1] * y
    o[2] = 1.0
    o[3] = y
    w[0] += count


@model
def nothing(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """No states at all."""
    o[0] = 1.0


@model
def kepler_qdot(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    o[0] = i[3]
    o[1] = i[4]


@model
def gliding(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """A point that glides in the plane with speeds (vx, vy), free of forces."""
    o[0], o[1], o[2], o[3], o[4] = i[3], i[4], 0.0, 0.0, 1.0


@model
def of_unit_speed(i: real[SIZE], o: real[SIZE], w: real[SIZE]) -> None:
    """One Newton step of the speed constraint vx² + vy² = 1; there is none of positions."""
    error = i[3] * i[3] + i[4] * i[4] - 1.0
    k = error / (2.0 * (i[3] * i[3] + i[4] * i[4]))
    o[0], o[1], o[2], o[3] = i[1], i[2], i[3] - k * i[3], i[4] - k * i[4]
    o[4], o[5] = 0.0, abs(error)
