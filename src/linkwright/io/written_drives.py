"""Formulas that drive joints, as MuJoCo's actuators and fixed tendons; what has another form is left out.

A drive is a Torque or Force on the axis of a one-axis joint.  Drives that follow one input, or none, belong together
where their formulas are multiples of one another: cₖ F with

    F = gain · ctrl + bias,    gain, bias = a₀ + a₁ L + a₂ L̇,    L = Σ cₖ qₖ

and ctrl and F may be kept between bounds.  With an input that is an actuator, without one a tendon's spring and damper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

import linkwright as lw

from .building import coordinate, speed
from .skeleton import Skeleton, joined
from .text import Tag

Range = tuple[float, float] | None
#: formulas are multiples of one another to this, relative
SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Drive:
    """A source of torque or force on a joint, with its formula."""

    part: object
    joint: object
    formula: ca.SX


@dataclass(frozen=True, eq=False)
class Pull:
    """Drives that are cₖ F; `control` is the name of the input, None for springs and dampers."""

    drives: tuple[Drive, ...]
    coefficients: np.ndarray
    gain: np.ndarray
    bias: np.ndarray
    control: str | None
    control_range: Range
    force_range: Range


def pulls_of(skeleton: Skeleton) -> list[Pull]:
    """All drives of a model that are of the form above."""
    inputs = {symbol.__hash__(): inner.path_of(name) for inner in skeleton.model.models()
              for name, (symbol, _) in inner._inputs.items()}
    groups: dict[object, list[Drive]] = {}
    for drive in _drives(skeleton):
        symbols = {symbol.__hash__() for symbol in ca.symvar(drive.formula)}
        read = symbols & set(inputs)
        if symbols and len(read) <= 1:
            groups.setdefault(next(iter(read)) if read else frozenset(symbols), []).append(drive)
    found = (_pull(drives, key if key in inputs else None, inputs.get(key)) for key, drives in groups.items())
    return [pull for pull in found if pull is not None]


def _drives(skeleton: Skeleton) -> list[Drive]:
    found = []
    for part in skeleton.parts((lw.rotational.Torque, lw.translational.Force)):
        formula = part._signals.get("tau" if isinstance(part, lw.rotational.Torque) else "f")
        joints = [other.owner for other in joined(skeleton.model, part.flange)
                  if isinstance(other.owner, (lw.joints.Revolute, lw.joints.Prismatic)) and other is other.owner.axis]
        if formula is not None and len(joints) == 1:
            found.append(Drive(part, joints[0], ca.SX(formula)))
    return found


def _pull(drives: Sequence[Drive], control: object, name: str | None) -> Pull | None:
    coefficients = _ratios([drive.formula for drive in drives])
    if coefficients is None:
        return None
    factor, inner = _unscaled(drives[0].formula)
    core, bounds = _unclamped(inner)
    if core.is_symbolic() and core.__hash__() == control:
        bounds = None  # those of the control itself
    else:
        inner = core
    control_range: Range = None
    u = ca.SX.sym("ctrl")

    def replaced(e: ca.SX) -> ca.SX | None:
        """The control, kept between bounds or not, by a symbol of its own."""
        nonlocal control_range
        x, own = _unclamped(e)
        if not (x.is_symbolic() and x.__hash__() == control):
            return None
        control_range = own
        return u

    x = factor * _rebuilt(inner, replaced)
    qs = ca.vertcat(*[coordinate(drive.joint) for drive in drives])
    us = ca.vertcat(*[speed(drive.joint) for drive in drives])
    gain = ca.jacobian(x, u)
    laws = [_affine(law, qs, us, coefficients) for law in (gain, ca.substitute(x, u, 0))]
    if ca.depends_on(gain, u) or laws[0] is None or laws[1] is None:
        return None
    low_high = None if bounds is None else tuple(sorted(factor * bound for bound in bounds))
    return Pull(tuple(drives), coefficients, laws[0], laws[1], name, control_range, low_high)


def _ratios(formulas: Sequence[ca.SX]) -> np.ndarray | None:
    """How many times the first formula the others are; None where they are no multiples of it."""
    symbols = ca.symvar(ca.vertcat(*formulas))
    values = ca.Function("f", symbols, [ca.vertcat(*formulas)])
    random = np.random.default_rng(0)
    rows = np.array([values(*random.uniform(-0.1, 0.1, len(symbols))).full().ravel() for _ in range(16)])
    rows = rows[rows[:, 0] != 0]  # bounds may hold a control at zero
    if not len(rows):
        return None
    ratios = rows / rows[:, :1]
    close = np.all(np.abs(ratios - ratios[0]) <= SAME * np.abs(ratios[0]))
    return ratios[0] if close else None


def _unscaled(e: ca.SX) -> tuple[float, ca.SX]:
    """(factor, the rest)."""
    factor = 1.0
    while not e.is_leaf():
        op = e.op()
        if op == ca.OP_NEG:
            factor, e = -factor, e.dep(0)
        elif op == ca.OP_TWICE:
            factor, e = 2 * factor, e.dep(0)
        elif op == ca.OP_MUL and e.dep(0).is_constant():
            factor, e = factor * float(e.dep(0)), e.dep(1)
        elif op == ca.OP_MUL and e.dep(1).is_constant():
            factor, e = factor * float(e.dep(1)), e.dep(0)
        else:
            break
    return factor, e


def _unclamped(e: ca.SX) -> tuple[ca.SX, Range]:
    """min(max(x, low), high) → (x, (low, high))."""
    if not e.is_leaf() and e.op() == ca.OP_FMIN and e.dep(1).is_constant():
        inner = e.dep(0)
        if not inner.is_leaf() and inner.op() == ca.OP_FMAX and inner.dep(1).is_constant():
            return inner.dep(0), (float(inner.dep(1)), float(e.dep(1)))
    return e, None


def _rebuilt(e: ca.SX, replaced: Callable[[ca.SX], ca.SX | None]) -> ca.SX:
    """An expression with some of its parts replaced."""
    other = replaced(e)
    if other is not None or e.is_leaf():
        return e if other is None else other
    parts = [_rebuilt(e.dep(k), replaced) for k in range(e.n_dep())]
    return ca.SX.binary(e.op(), *parts) if len(parts) == 2 else ca.SX.unary(e.op(), *parts)


def _affine(law: ca.SX, qs: ca.SX, us: ca.SX, coefficients: np.ndarray) -> np.ndarray | None:
    """a₀, a₁, a₂ of a law a₀ + a₁ L + a₂ L̇; None where it is no such law."""
    slopes = [ca.jacobian(law, v) for v in (qs, us)]
    constant = ca.substitute(law, ca.vertcat(qs, us), ca.DM.zeros(2 * qs.numel()))
    if ca.symvar(ca.veccat(*slopes, constant)):
        return None
    by_q, by_u = (np.array(ca.DM(slope)).ravel() for slope in slopes)
    for rates in (by_q, by_u):
        if not np.allclose(rates, rates[0] * coefficients, rtol=1e-9, atol=0):
            return None
    return np.array([float(ca.DM(constant)), by_q[0], by_u[0]])


# --- as they are written ---


def write_drives(root: Tag, pulls: Sequence[Pull], word: Callable[[str], str]) -> list[Pull]:
    """Add tendons and actuators; gives those that have been written."""
    tendons, actuators = Tag("tendon"), Tag("actuator")
    written = [pull for pull in pulls if (_spring(tendons, pull, word) if pull.control is None
                                          else _actuator(tendons, actuators, pull, word))]
    for section in (tendons, actuators):
        if section.children:
            root.add(section)
    return written


def _tendon(tendons: Tag, pull: Pull, name: str, sign: float, word: Callable[[str], str], **given) -> None:
    tag = tendons.add("fixed", name=name, **given)
    for drive, coefficient in zip(pull.drives, pull.coefficients, strict=True):
        tag.add("joint", joint=word(drive.joint.path), coef=sign * coefficient)


def _spring(tendons: Tag, pull: Pull, word: Callable[[str], str]) -> bool:
    """A tendon that is a spring and a damper: F = −k (L − L₀) − d L̇, L₀ ≥ 0."""
    b0, stiffness, damping = pull.bias[0], -pull.bias[1], -pull.bias[2]
    if stiffness < 0 or damping < 0 or pull.force_range or (b0 and not stiffness):
        return False
    rest = b0 / stiffness if stiffness else 0.0
    given = {"stiffness": stiffness, "springlength": abs(rest)} if stiffness else {}
    name = word(pull.drives[0].part.path).partition("_on_")[0]
    _tendon(tendons, pull, name, -1.0 if rest < 0 else 1.0, word, **given, **({"damping": damping} if damping else {}))
    return True


def _actuator(tendons: Tag, actuators: Tag, pull: Pull, word: Callable[[str], str]) -> bool:
    name = word(pull.control or "")
    given: dict[str, object] = {"gainprm": pull.gain} if np.any(pull.gain[1:]) else {"gainprm": pull.gain[:1]}
    given["gaintype"] = "affine" if np.any(pull.gain[1:]) else "fixed"
    if np.any(pull.bias):
        given |= {"biastype": "affine", "biasprm": pull.bias}
    for what, bounds in (("ctrlrange", pull.control_range), ("forcerange", pull.force_range)):
        if bounds is not None:
            given[what] = bounds
    if len(pull.drives) == 1:
        actuators.add("general", name=name, joint=word(pull.drives[0].joint.path), **given)
    else:
        _tendon(tendons, pull, f"{name}_tendon", 1.0, word)
        actuators.add("general", name=name, tendon=f"{name}_tendon", **given)
    return True
