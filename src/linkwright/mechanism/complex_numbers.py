"""Vectors and turns of the plane as complex numbers, over floats or symbols."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from ..algebra import Scalar


@dataclass(frozen=True, eq=False)
class Complex:
    """x + iy: a vector of the plane, or (of unit size) a turn e^iφ; products add angles."""

    x: Scalar
    y: Scalar = 0.0

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.x + other.x, self.y + other.y)

    def __sub__(self, other: Complex) -> Complex:
        return Complex(self.x - other.x, self.y - other.y)

    def __neg__(self) -> Complex:
        return Complex(-self.x, -self.y)

    def __mul__(self, other: Complex | Scalar) -> Complex:
        if not isinstance(other, Complex):
            return Complex(self.x * other, self.y * other)
        return Complex(self.x * other.x - self.y * other.y, self.x * other.y + self.y * other.x)

    @property
    def conjugate(self) -> Complex:
        """x − iy: the turn back."""
        return Complex(self.x, -self.y)

    @property
    def square(self) -> Scalar:
        """|z|²."""
        return self.x * self.x + self.y * self.y

    @property
    def angle(self) -> Scalar:
        """arg z in (−π, π]."""
        return ca.atan2(self.y, self.x)
