"""Who finds a minimum: SciPy's L-BFGS-B and SLSQP, or IPOPT; each asks for values and gradients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

#: (goal and limits, which are to be ≤ 0; their gradients) of numbers
Asked = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
Bounds = tuple[np.ndarray, np.ndarray]
#: whether a minimum was found, and what the solver says
Ended = tuple[bool, str]


class Enough(Exception):
    """The number of runs is used up."""


def by_scipy(at: Asked, start: np.ndarray, bounds: Bounds, limits: int, tolerance: float, runs: int) -> Ended:
    """(success, message): L-BFGS-B where there are bounds only, SLSQP with limits."""
    from scipy.optimize import minimize

    rules = [{"type": "ineq", "fun": lambda y: -at(y)[0][1:], "jac": lambda y: -at(y)[1][1:]}] if limits else []
    found = minimize(lambda y: at(y)[0][0], start, jac=lambda y: at(y)[1][0], bounds=list(zip(*bounds, strict=True)),
                     constraints=rules, method="SLSQP" if rules else "L-BFGS-B",
                     options={"maxiter": runs, "ftol": tolerance} | ({} if rules else {"gtol": tolerance}))
    return bool(found.success), str(found.message)


def by_ipopt(at: Asked, start: np.ndarray, bounds: Bounds, limits: int, tolerance: float, runs: int) -> Ended:
    """(success, message): an interior-point method, its Hessian from the last gradients (L-BFGS)."""
    import casadi as ca

    from .nonlinear import Callback

    stopped: list[BaseException] = []

    def asked(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """No exception goes through the solver; numbers that are none let it end."""
        try:
            if not stopped:
                return at(np.array(y))
        except (Enough, KeyboardInterrupt) as end:
            stopped.append(end)
        return np.full(1 + limits, np.nan), np.full((1 + limits, len(start)), np.nan)

    dense = ca.Sparsity.dense
    x, nothing, one, rows = dense(len(start), 1), dense(0, 1), dense(1, 1), dense(limits, 1)
    both = Callback("nlp", [x, nothing], [one, rows], [lambda y, _: asked(y)[0][0], lambda y, _: asked(y)[0][1:]])
    slope = Callback("nlp_grad_f", [x, nothing], [one, x], [lambda y, _: asked(y)[0][0], lambda y, _: asked(y)[1][0]])
    slopes = Callback("nlp_jac_g", [x, nothing], [rows, dense(limits, len(start))],
                      [lambda y, _: asked(y)[0][1:], lambda y, _: asked(y)[1][1:].ravel(order="F")])
    symbol = ca.MX.sym("x", len(start))
    value = both(symbol, ca.MX(0, 1))
    solver = ca.nlpsol("search", "ipopt", {"x": symbol, "f": value[0], "g": value[1]},
                       {"grad_f": slope, "jac_g": slopes, "no_nlp_grad": True, "print_time": False,
                        "error_on_fail": False, "show_eval_warnings": False, "ipopt.print_level": 0, "ipopt.sb": "yes",
                        "ipopt.hessian_approximation": "limited-memory", "ipopt.tol": tolerance,
                        "ipopt.max_iter": runs})
    solver(x0=start, lbx=bounds[0], ubx=bounds[1], lbg=-np.inf, ubg=0.0)
    if stopped:
        raise stopped[0]
    return bool(solver.stats()["success"]), str(solver.stats()["return_status"]).replace("_", " ").lower()


SOLVERS = {"scipy": by_scipy, "ipopt": by_ipopt}
