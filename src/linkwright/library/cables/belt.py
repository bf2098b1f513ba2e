"""Belts: closed bands around discs, elastic between them, that do not slip on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from ...algebra import cross
from ...errors import ModelError
from ...language import Component, Frame, PartsList, guess
from ...language.fields import appearance, parameter, variable
from ...language.looks import CableLook
from ...language.ranges import NOT_NEGATIVE, POSITIVE
from ..tolerances import ARC_POINTS, ASLANT, TINY
from .route import Wrap
from .stops import load_in_world
from .surfaces import Cylinder


@dataclass(frozen=True)
class _Rim:
    """A disc: centre and axis in the world, radius, sense in which the belt goes round it."""

    frame: Frame
    centre: ca.SX
    axis: ca.SX
    radius: ca.SX
    turn: int

    def touching(self, u: ca.SX) -> ca.SX:
        """Where a belt that runs along u touches it."""
        return self.centre + self.radius * self.turn * cross(u, self.axis)

    def velocity(self, place: ca.SX) -> ca.SX:
        return self.frame.v_0 + cross(self.frame.R_WF @ self.frame.symbol("w", (3,)), place - self.frame.r_0)


class Belt(CableLook, Component):
    """A closed elastic belt around discs with parallel axes; each wrap gives the sense in which the belt goes round its
    disc.

    With turns of equal sign the belt is open, with different signs it is crossed.  Each span is tangent to its two
    discs i and j: with the distance D of the centres and k = s_j r_j − s_i r_i its length is ℓ = √(D² − k²).  The belt
    does not slip, so a span is stretched at the rate at which its ends separate, and its tension is

        ε̇ = u·(v_j − v_i)/ℓ₀,      f = max(0, EA ε + d ℓ₀ ε̇),      ε = pretension/EA at the start

    with the velocities v of the discs at the points of contact and the initial length ℓ₀ of the span.  The simulation
    locates the time at which a span becomes slack.  `span[k].f` and `span[k].l` are tension and length of the span that
    follows disc k.

    >>> m.belt = cables.Belt([m.motor_disc.wrap(+1), m.fan_disc.wrap(+1)], EA=5e4, d=20, pretension=200)
    """

    connector: type[Frame] = Frame

    around = parameter(None, "wraps of discs, in order", structural=True)
    EA = parameter(text="force per strain", unit="N", only=POSITIVE)
    d = parameter(0.0, "damping of a span", "N.s/m", only=NOT_NEGATIVE)
    pretension = parameter(0.0, "tension of every span at the start", "N", only=NOT_NEGATIVE)
    animation = appearance(True, "whether it is shown")
    length = variable("length of the way around all discs", "m")
    energy = variable("elastic energy", "J")
    loss_power = variable("dissipated power", "W")

    def __init__(self, around: Sequence[Wrap] | None = None, **given: Any) -> None:
        wraps = tuple(around) if isinstance(around, (list, tuple)) else ()
        if len(wraps) < 2 or not all(isinstance(wrap, Wrap) and isinstance(wrap.surface, Cylinder) for wrap in wraps):
            raise ModelError("Belt: give the wraps of at least two discs, such as [m.p1.wrap(+1), m.p2.wrap(+1)]; got "
                             f"{around!r}.")
        for wrap in wraps:
            if wrap.turn is None:
                raise ModelError(f"Belt: say in which sense it goes round {wrap.surface.path}: wrap(+1) or wrap(-1).")
        super().__init__(**given, around=wraps)
        for k in range(len(wraps)):
            self._port(f"frame_{k}", self.connector())

    def required_ports(self) -> list[str]:
        return [f"frame_{k}" for k in range(len(self.around))]

    def describe(self, plan: PartsList) -> None:
        rims = []
        for k, wrap in enumerate(self.around):
            if not plan.has(wrap.surface):
                raise ModelError(f"{self.path}: {wrap.surface.path} is no part of the model; give it a name first: "
                                 "m.disc = ….", self)
            frame = self._connectors[f"frame_{k}"]
            plan.join(frame, wrap.surface.frame_s)
            rims.append(_Rim(frame, frame.r_0, frame.R_WF[:, 2], ca.SX(plan.values(wrap.surface).radius), wrap.turn))
        self._refuse_aslant(plan, rims)
        p, spans = plan.values(self), []
        for k, (rim, other) in enumerate(zip(rims, (*rims[1:], rims[0]), strict=True)):
            u, l = _tangent(rim, other)
            ends = rim.touching(u), other.touching(u)
            parting = ca.dot(u, other.velocity(ends[1]) - rim.velocity(ends[0]))
            strain, free = self.symbol(f"span[{k}].strain"), self.symbol(f"span[{k}].l_free")
            plan.state(self, f"span[{k}].strain", strain, parting / free, float(self.numbers().pretension)
                       / float(self.numbers().EA))
            plan.state(self, f"span[{k}].l_free", free, ca.SX(0), guess(1.0))
            plan.initial_equation(f"{self.path}: length of span {k}", free - l)
            pull = p.EA * strain
            whole = pull + p.d * parting if isinstance(p.d, ca.SX) or p.d else pull
            f = self.symbol(f"span[{k}].f")
            for body, place, sign in ((rim, ends[0], 1), (other, ends[1], -1)):
                force = sign * f * u
                load_in_world(plan, self, body.frame, -force, -cross(place - body.centre, force))
            spans.append({"u": u, "l": l, "f": ca.if_else(whole > 0, whole, 0), "ends": ends, "strain": strain,
                          "free": free, "parting": parting})
        plan.keep(self, (rims, spans))

    def definitions(self, plan: PartsList) -> dict:
        rims, spans = plan.kept(self)
        p, found = plan.values(self), {}
        energy, loss, around, knots = ca.SX(0), ca.SX(0), ca.SX(0), []
        for k, (rim, span) in enumerate(zip(rims, spans, strict=True)):
            found |= {f"span[{k}].f": span["f"], f"span[{k}].l": span["l"]}
            taut = ca.fmax(span["strain"], 0)
            energy += p.EA * taut * taut * span["free"] / 2
            loss += (self.symbol(f"span[{k}].f") - p.EA * taut) * span["parting"]
            before = spans[k - 1]
            angle = _angle(before["u"], span["u"], rim.axis) * rim.turn
            angle += ca.if_else((angle < -ASLANT) != 0, 2 * ca.pi, 0)
            found[f"span[{k}].angle"] = angle  # over which the belt lies on the disc before it
            around += span["l"] + rim.radius * angle
            knots += _arc(rim, before["ends"][1], angle)
        knots.append(knots[0])
        return found | {f"at[{k}]": x for k, x in enumerate(knots)} | {"length": around, "energy": energy,
                                                                       "loss_power": loss}

    @property
    def n_knots(self) -> int:
        """How many points `at[k]` of the world a picture of it is drawn through."""
        return ARC_POINTS * len(self.around) + 1

    def _refuse_aslant(self, plan: PartsList, rims: list[_Rim]) -> None:
        """Axes must be parallel, discs in one plane, and room must be between them."""
        names = [wrap.surface.path for wrap in self.around]
        for k, (rim, other) in enumerate(zip(rims, (*rims[1:], rims[0]), strict=True)):
            pair = f"{names[k]} and {names[(k + 1) % len(names)]}"
            off = ca.dot(other.centre - rim.centre, rim.axis)
            turned = cross(rim.axis, other.axis)
            plan.end_below_zero(
                f"{self.path} aslant {k}", ASLANT - ca.sqrt(ca.dot(turned, turned)) - ca.fabs(off)
                + ca.fmin(ca.dot(rim.axis, other.axis), 0),
                f"{self.path}: the axes of {pair} are not parallel and of the same sense, or the discs lie in "
                "different planes; turn n of one, or shift it along its axis.",
                f"{self.path}: the discs {pair} have left their common plane")
            D = _across(rim, other)
            room = ca.sqrt(ca.dot(D, D) + TINY) - ca.fabs(other.turn * other.radius - rim.turn * rim.radius)
            plan.end_below_zero(
                f"{self.path} room {k}", room,
                f"{self.path}: {pair} overlap by {{value:.3g}} m, so that no belt runs between them; shift one.",
                f"{self.path}: the discs {pair} have met, and no belt runs between them")


def _across(rim: _Rim, other: _Rim) -> ca.SX:
    """From centre to centre, without what is along the axis."""
    D = other.centre - rim.centre
    return D - ca.dot(D, rim.axis) * rim.axis


def _tangent(rim: _Rim, other: _Rim) -> tuple[ca.SX, ca.SX]:
    """(direction, length) of the span: D = ℓ u − k u×z, so that u = (ℓ D + k D×z)/D²."""
    D, k = _across(rim, other), other.turn * other.radius - rim.turn * rim.radius
    square = ca.dot(D, D) + TINY
    l = ca.sqrt(ca.fmax(square - k * k, TINY))
    return (l * D + k * cross(D, rim.axis)) / square, l


def _angle(u: ca.SX, v: ca.SX, axis: ca.SX) -> ca.SX:
    """From u to v about an axis, between −π and π."""
    return ca.atan2(ca.dot(cross(u, v), axis), ca.dot(u, v))


def _arc(rim: _Rim, start: ca.SX, angle: ca.SX) -> list[ca.SX]:
    """Points of the world along the arc of a disc."""
    radial = start - rim.centre
    aside = cross(rim.axis, radial)
    return [rim.centre + ca.cos(s * angle) * radial + rim.turn * ca.sin(s * angle) * aside
            for s in np.linspace(0, 1, ARC_POINTS)]
