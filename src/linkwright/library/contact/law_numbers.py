"""What the numbers of laws and materials may be: refused where they are given, with what would do."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...errors import ModelError
from ...language import Component
from ...language.given_values import as_number, brief
from .friction import LAWS

#: what must be positive, and what must not be negative, in any law
POSITIVE = ("stiffness", "radius", "factor", "transition", "at_speed", "depth_sharpness", "speed_sharpness", "creep",
            "strength", "sharpness", "cap", "grip", "grip_damping", "settle", "settle_time")
NOT_NEGATIVE = ("dissipation", "mu", "mu_s", "viscous", "smoothing", "capture", "rolling", "spinning", "patch")
#: entries that are words, and which
WORDS = {"model": tuple(LAWS), "impact": ("poisson", "newton")}
#: numbers that a law might have, for advice
EXAMPLES = {"stiffness": 1e6, "radius": 0.1, "strength": 0.5, "sharpness": 1000.0, "cap": 1e5, "grip": 2e4,
            "depth_sharpness": 300.0, "speed_sharpness": 50.0, "factor": 1.0, "at_speed": 1.0}


def check_numbers(law: Any, owner: Component, entry: str = "law") -> None:
    """Refuse what makes no sense, by the names of its entries; `entry` is what the owner calls the law."""
    kind = type(law)
    for name, value in law._asdict().items():
        where = f"{owner.path}.{entry}: {name}"
        if name in WORDS:
            if not isinstance(value, str) or value not in WORDS[name]:
                raise ModelError(f"{where} = {brief(value)} must be one of {', '.join(WORDS[name])}.", owner)
            continue
        if value is None and name in optional(kind):
            continue
        advice = f"give contact.{kind.__name__} a number, such as {called(name)}={EXAMPLES.get(name, 0.1):g}"
        if value is None or isinstance(value, bool):
            raise ModelError(f"{where} = {value} is no number; {advice}.", owner)
        try:
            number = as_number(value, where, owner)
        except ModelError as error:
            raise ModelError(f"{str(error).rstrip('.')}; {advice}.", owner) from None
        path = f"{where} = {value}"
        if name in POSITIVE and number <= 0:
            raise ModelError(f"{path} must be positive; {advice}.", owner)
        if name in NOT_NEGATIVE and number < 0:
            raise ModelError(f"{path} cannot be negative; give 0 to leave it out, or a positive number.", owner)
        if name == "restitution" and not 0 <= number <= 1:
            raise ModelError(f"{path} must lie between 0 and 1 (nothing comes back, and all of it).", owner)
    if getattr(law, "mu_s", None) is not None and law.mu_s < law.mu:
        raise ModelError(f"{owner.path}.{entry}: mu_s = {law.mu_s} is smaller than mu = {law.mu}; friction at rest "
                         "holds at least what it does in motion.", owner)


def called(name: str) -> str:
    """An entry as it is given: `at_speed` is called `at`."""
    return "at" if name == "at_speed" else name


@cache
def optional(kind: type) -> frozenset[str]:
    """Entries of a law that may be None, by their annotations."""
    hints = next(base.__dict__["__annotations__"] for base in kind.__mro__
                 if {*kind._fields} <= {*base.__dict__.get("__annotations__", ())})  # type: ignore[attr-defined]
    return frozenset(name for name in kind._fields if "None" in str(hints[name]))  # type: ignore[attr-defined]
