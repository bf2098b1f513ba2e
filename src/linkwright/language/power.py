"""Power that flows through connectors."""

from __future__ import annotations

import casadi as ca

from .component import Connector
from .connectors import Frame, RotationalFlange, TranslationalFlange
from .expressions import der
from .model import Model


def power_into(*connectors: Connector) -> ca.SX:
    """Σ (f·v + t·ω) over frames and Σ τ φ̇, Σ f ṡ over flanges: what flows into the component they belong to, W.

    Modelica's totalPower: zero for what neither stores, brings nor takes energy.
    """
    total = ca.SX(0)
    for c in connectors:
        if isinstance(c, Frame):
            total += ca.dot(c.f, c.R_WF.T @ c.v_0) + ca.dot(c.t, c.w)
        elif isinstance(c, RotationalFlange):
            total += c.tau * der(c.phi)
        elif isinstance(c, TranslationalFlange):
            total += c.f * der(c.s)
    return total


def power_into_model(model: Model) -> ca.SX:
    """What flows into a model: into all its components, since at the nodes inside nothing stays."""
    return power_into(*(c for part in model.leaves() for c in part._connectors.values()))
