"""Putting traced quantities in the place of the symbols that laws are written in.

A law is an expression in symbols that stand for coordinates, poses, velocities, accelerations or reactions (see
`mechanism.Variable`).  `Laws` knows which of them an expression reads and evaluates it on the traced values; symbols
of quantities that are not known yet (accelerations, while loads are evaluated) stay as they are and become unknowns.
"""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca

from ..algebra import ForceMotor, VelocityMotor, cross
from ..mechanism import TIME, Frame, Mechanism, Variable
from .kinematics import Kinematics, into
from .relative_motion import Relative, relative_motion

POSITION = frozenset({"q", "R", "p", "R_AB", "p_AB", "angle"})
VELOCITY = frozenset({"u", "w", "v", "V_AB", "der"})
ACCELERATION = frozenset({"udot", "z", "a", "reaction", "lambda", "push", "grip", "der2"})


class Laws:
    """Values of variables, computed when first read, and expressions evaluated on them."""

    def __init__(self, mechanism: Mechanism, kin: Kinematics) -> None:
        self.mechanism = mechanism
        self.kin = kin
        self.known: dict[int, ca.SX] = {}  # variable number → value, for accelerations once they are solved
        self._values: dict[int, ca.SX] = {}
        self._relative: dict[tuple[str, str], Relative] = {}
        self._owner: dict[int, int] = {}
        self._indexed = 0

    def _index(self) -> None:
        """Note the owners of symbols; a mechanism may register further variables as results are asked for."""
        variables = self.mechanism.variables
        while self._indexed < len(variables):
            symbol = variables[self._indexed].symbol
            for k in range(symbol.nnz()):
                self._owner[symbol.nz[k].element_hash()] = self._indexed
            self._indexed += 1

    def reads(self, *expressions: ca.SX) -> list[int]:
        """The numbers of the variables that occur in the expressions."""
        self._index()
        found = {}
        for symbol in ca.symvar(ca.vertcat(*[ca.vec(ca.SX(e)) for e in expressions])):
            number = self._owner.get(symbol.element_hash())
            if number is not None:
                found[number] = None
        return list(found)

    def evaluate(self, *expressions: ca.SX) -> list[ca.SX]:
        """The expressions with every variable that has a value replaced by it."""
        symbols, values = [], []
        for number in self.reads(*expressions):
            variable = self.mechanism.variables[number]
            value = self.value(number, variable)
            if value is not None:
                symbols.append(variable.symbol)
                values.append(ca.densify(value))
        if not symbols:
            return [ca.SX(e) for e in expressions]
        free = _free_symbols(expressions, symbols)
        function = ca.Function("laws", [*symbols, *free], [ca.SX(e) for e in expressions])
        return list(function.call([*values, *free]))

    def value(self, number: int, variable: Variable) -> ca.SX | None:
        """The traced value of a variable, or None while it is not known."""
        if variable.quantity in ACCELERATION:
            return self.known.get(number)
        if number not in self._values:
            self._values[number] = ca.reshape(self._trace(variable), *variable.symbol.shape)
        return self._values[number]

    def relative(self, a: str, b: str) -> Relative:
        """Motion of frame b in frame a, traced once."""
        if (a, b) not in self._relative:
            self._relative[a, b] = relative_motion(self.kin, self.mechanism.frame(a), self.mechanism.frame(b))
        return self._relative[a, b]

    def _trace(self, variable: Variable) -> ca.SX:
        quantity, of, kin = variable.quantity, variable.of, self.kin
        if quantity in ("q", "u"):
            k = self.mechanism.index(of)
            q_slices, u_slices = self.mechanism.slices()
            return kin.q[q_slices[k]] if quantity == "q" else kin.u[u_slices[k]]
        if quantity in ("R_AB", "p_AB", "V_AB"):
            motion = self.relative(*of)
            return {"R_AB": motion.X_AB.R, "p_AB": motion.X_AB.p, "V_AB": motion.V.vector()}[quantity]
        if quantity == "angle":
            return self.evaluate(variable.turned)[0]
        if quantity == "der":
            return self.rate(self.evaluate(of)[0])
        frame: Frame = self.mechanism.frame(of)
        if quantity in ("R", "p"):
            return ca.SX(getattr(kin.pose(frame), quantity))
        velocity = kin.velocity(frame)
        return ca.SX(velocity.resultant if quantity == "w" else kin.pose(frame).R @ velocity.moment)

    def rate(self, traced: ca.SX, udot: ca.SX | None = None) -> ca.SX:
        """Time derivative of a traced expression of t and q (and, with `udot`, of u) along the motion."""
        q_slices, u_slices = self.mechanism.slices()
        q, u = self.kin.q, self.kin.u
        qdot = ca.vertcat(ca.SX(0, 1), *[ca.SX(b.mobilizer.qdot(q[i], u[j])) for b, i, j in
                                         zip(self.mechanism.bodies, q_slices, u_slices, strict=True)])
        x, xdot = [TIME, q], [ca.SX(1), qdot]
        if udot is not None:
            x, xdot = [*x, u], [*xdot, udot]
        return ca.jtimes(traced, ca.vertcat(*x), ca.vertcat(*xdot))

    def acceleration(self, variable: Variable, udot: ca.SX, A: list[VelocityMotor], g: ca.SX,
                     reactions: list[ForceMotor] | None) -> ca.SX:
        """The value of an acceleration-level variable from solved u̇, body accelerations A (with −g in them) and forces.

        a_Q = R_WQ (v̊ + ω × v) + g,   z_Q = ω̊   for a frame Q.
        """
        if variable.quantity == "udot":
            k = self.mechanism.index(variable.of)
            return udot[self.mechanism.slices()[1][k]]
        if variable.quantity == "der2":
            return self.rate(self.evaluate(variable.of)[0], udot)
        if variable.quantity == "reaction":
            return reactions[self.mechanism.index(variable.of)].vector()
        frame = self.mechanism.frame(variable.of)
        if frame.body < 0:
            return ca.SX.zeros(3)
        A_Q, V_Q = into(None, frame.X_BQ, A[frame.body]), self.kin.velocity(frame)
        if variable.quantity == "z":
            return A_Q.resultant
        return self.kin.pose(frame).R @ (A_Q.moment + cross(V_Q.resultant, V_Q.moment)) + g


def _free_symbols(expressions: Iterable[ca.SX], bound: Iterable[ca.SX]) -> list[ca.SX]:
    """The symbols of the expressions that are not among `bound`."""
    taken = {s.nz[k].element_hash() for s in bound for k in range(s.nnz())}
    everything = ca.symvar(ca.vertcat(*[ca.vec(ca.SX(e)) for e in expressions]))
    return [s for s in everything if s.element_hash() not in taken]
