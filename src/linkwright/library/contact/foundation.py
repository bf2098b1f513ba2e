"""Elastic foundation: a mesh whose every face is a spring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import casadi as ca

from ... import geometry
from ...algebra import Scalar, cross
from ...codegen import Routine
from ...errors import ModelError
from ...language import PartsList, record
from ..tolerances import TINY
from .compliant import Rubbing
from .friction import LAWS

if TYPE_CHECKING:
    from .pair import Pair, Pressed


@record
class ElasticFoundation(Rubbing, NamedTuple("ElasticFoundation", [
    ("stiffness", float), ("dissipation", float), ("mu", float), ("mu_s", float | None), ("viscous", float),
    ("transition", float), ("model", str)])):
    """An elastic layer: one spring on every face of a mesh (Simbody's ElasticFoundationForce).

        f = max(0, k A x (1 + c v)) at the centroid of a face of area A, at depth x in the other body

    `stiffness` k (Pa/m) is that of a layer on stiff ground (`ElasticFoundation.layer`), `dissipation` c (s/m).  Where
    both bodies are meshes, the springs of each have half their areas.  The other body may be a Plane, a Mesh or convex.

    Its accuracy depends on the mesh, because each face is either in contact as a whole or not.
    """

    def __new__(cls, stiffness: Scalar, dissipation: Scalar = 0.0, mu: Scalar = 0.0, mu_s: Scalar | None = None,
                viscous: Scalar = 0.0, transition: Scalar = 0.01, model: str = "stribeck") -> ElasticFoundation:
        return super().__new__(cls, stiffness, dissipation, mu, mu_s, viscous, transition, model)

    @classmethod
    def layer(cls, young: float, poisson: float, thickness: float, **others: Any) -> ElasticFoundation:
        """Of an elastic layer of a thickness (m): k = (1 − ν) E/((1 + ν)(1 − 2ν) h)."""
        if not (-1 < poisson < 0.5 and thickness > 0):
            raise ModelError(f"ElasticFoundation.layer: poisson = {poisson} must lie between −1 and 0.5, and "
                             f"thickness = {thickness} must be positive.")
        return cls((1 - poisson) * young / ((1 + poisson) * (1 - 2 * poisson) * thickness), **others)

    def normal(self, x: Scalar, v: Scalar) -> Scalar:
        """The pressure (Pa) at a depth."""
        return ca.fmax(0, self.stiffness * x * (1 + self.dissipation * v))


def press_bed(plan: PartsList, pair: Pair, bed: geometry.Bed, law: ElasticFoundation, point: Pressed) -> None:
    """Put the forces of all springs on b into `point`, which becomes the centre of pressure, in a's axes."""
    R, p, V = plan.relative(pair.a.frame_a, pair.b.frame_a)
    mu_s = law.mu if law.mu_s is None else law.mu_s
    numbers = [law.stiffness, law.dissipation, law.mu, mu_s, law.viscous, law.transition]
    chosen = float(list(LAWS).index(law.model))
    steps = bed.steps([plan.number(x) for x in numbers] + [chosen])
    routine = Routine(bed.entry, bed.numbers, bed.indices, steps, bed.n_results)
    turning, velocity = R @ V[0:3], R @ V[3:6]
    y = routine(ca.vertcat(ca.vec(R.T), p, turning, velocity, *numbers, chosen))
    touched = pair.gap < 0

    def held(value: ca.SX) -> ca.SX:
        return ca.if_else(touched, value, ca.SX.zeros(*ca.SX(value).shape))

    force, pressing, place = (y[k:k + 3] for k in (1, 7, 10))
    size = ca.sqrt(ca.dot(pressing, pressing) + TINY)
    point.normal, n = held(size), pressing / size
    point.place, point.force = place, held(force)
    point.moment = held(y[4:7] - cross(place, force))
    point.rub = held(force - pressing)
    point.energy, point.loss = held(y[13]), held(y[14])
    point.velocity = velocity + cross(turning, place - p)
    point.rate = -ca.dot(n, point.velocity)
    point.slip = held(point.velocity + point.rate * n)
    point.touch = geometry.Touch(y[0], n, place, place)
