"""erf: a polynomial near zero, elsewhere 1 − erfc with erfc x = e^(−x²) w(x), w smooth and slowly falling."""

from __future__ import annotations

from .coefficients import ERF, ERFCX
from .doubled import exact_product, exact_square, exact_sum, ordered_sum
from .exponentials import reduced
from .values import Value, magnitude, times_power_of_two, two_chains, where, with_sign

SLOPE = 0.1283791670955126  # 2/√π − 1
NEAR, FAR = 0.8, 6.0
MIDDLE = 0.427583576155807, 5.235737283314228e-18  # w(1) in two parts


def erf(x: Value) -> Value:
    a = magnitude(x)
    z = a * a
    near = a + a * (SLOPE + z * two_chains(z, ERF))
    # w(b) = w(1) + t W(t),  t = (b − 1)/(b + 1)
    b = where(a > FAR, FAR, where(a < NEAR, NEAR, a))
    t = (b - 1.0) / (b + 1.0)
    w = exact_sum(x.writer.real(MIDDLE[0]), t * two_chains(t, ERFCX) + MIDDLE[1])
    square = exact_square(b)
    k, (m, rest) = reduced((-square[0], -square[1]))
    e = ordered_sum(x.writer.real(1.0), m)
    e = times_power_of_two(k, e[0], e[1] + rest)
    p, error = exact_product(e[0], w[0])
    s, rest = exact_sum(x.writer.real(1.0), -p)
    far = s + (rest - (error + (e[0] * w[1] + e[1] * w[0])))
    value = where(a < NEAR, near, far)
    return where(x.unordered(x), x, with_sign(value, x))
