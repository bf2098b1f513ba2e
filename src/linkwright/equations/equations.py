"""The equations of one mechanism, traced once and asked for by name.

    q̇ = N u
    M u̇ + Gᵀ λ = τ + f − h(q, u, gravity, loads)      G u̇ = −γ
    ż = ż(t, q, u, z, u̇, …)                           0 = r(y, …)

over t, q, u, z, d (discrete), p (parameters), f (forces added on the mobilities) and the algebraic unknowns y.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from ..algebra import ForceMotor, VelocityMotor
from ..building import cached_property, one_at_a_time
from ..errors import unknown_name
from ..mechanism import TIME, Balance, BodyLoad, ContinuousState, Mechanism, Named, Unknown
from .applied_loads import applied_loads, law_expressions
from .articulated import articulated_inertias, bias_forces, solve_tree
from .balances import balance_rows
from .closed_form import Explicit, explicit
from .composite import mass_diagonal, mass_matrix
from .condensed import Condensed, is_shorter, solve_condensed
from .constraint_rows import Rows, constraint_rows
from .fixman import log_det_constrained, log_det_tree, mobility_forces
from .held_mobilities import HeldMobilities
from .inverse import joint_forces
from .kinematics import Kinematics, accelerations, accelerations_of, kinematics
from .kkt import leaning, repeating, solve_kkt
from .laws import ACCELERATION, Laws
from .massless import missing_inertia
from .off_tree import OffTree
from .tolerances import EPSILON
from .typical_sizes import Yields
from .unknowns import Block, decompose, laws_reading, left_open, not_held


class Equations:
    """The symbols of the inputs, and every expression on them as a property, traced when first asked for."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism

        def column(parts: Sequence[Named | ContinuousState | Unknown]) -> ca.SX:
            return ca.vertcat(ca.SX(0, 1), *[part.symbol for part in parts])

        self.symbols: dict[str, ca.SX] = {
            "t": TIME,
            "q": ca.SX.sym("q", mechanism.nq),
            "u": ca.SX.sym("u", mechanism.nu),
            "z": column(mechanism.states),
            "d": column(mechanism.discretes),
            "p": column(mechanism.parameters),
            "f": ca.SX.sym("f", mechanism.nu),
            "udot": ca.SX.sym("udot", mechanism.nu),
        }

    # --- tracing, each part once ---

    @cached_property
    def kinematics(self) -> Kinematics:
        return kinematics(self.mechanism, self.symbols["q"], self.symbols["u"])

    @cached_property
    def laws(self) -> Laws:
        return Laws(self.mechanism, self.kinematics)

    @cached_property
    def _applied(self) -> tuple[list[ForceMotor | None], ca.SX]:
        on_body, tau = applied_loads(self.laws)
        if self.mechanism.fixman is not None:
            tau = tau + mobility_forces(self.fixman_energy, self.symbols["q"], self.symbols["u"], self.qdot)
        if self.mechanism.bends:
            tau = tau + self.kinematics.internal_forces
        return on_body, self.symbols["f"] + tau

    @cached_property
    def springs_and_dampers(self) -> tuple[ca.SX, ca.SX]:
        """−∂τ/∂q and −∂τ/∂u of every mobility by its own coordinate and speed, where it has one and they are positive.

        What springs, dampers and servos on joints give way; other mobilities have zeros.
        """
        tau, (q_slices, u_slices) = self._applied[1], self.mechanism.slices()
        stiff, damping = [ca.SX(0)] * self.mechanism.nu, [ca.SX(0)] * self.mechanism.nu
        for q, u in zip(q_slices, u_slices, strict=True):
            if q.stop - q.start == u.stop - u.start == 1:
                place, own = u.start, ca.SX(tau[u.start])
                stiff[place], damping[place] = (-ca.jacobian(own, self.symbols[name][at])
                                                for name, at in (("q", q.start), ("u", place)))
        pairs = [ca.sparsify(ca.vertcat(ca.SX(0, 1), *part)) for part in (stiff, damping)]
        finished = self.finish(*pairs)
        return ca.fmax(finished[0], 0), ca.fmax(finished[1], 0)

    @cached_property
    def fixman_energy(self) -> ca.SX:
        """½ kT log det M, constraints counted; zero where it was not asked for (see `fixman`)."""
        mechanism = self.mechanism
        if mechanism.fixman is None:
            return ca.SX(0)
        found = log_det_tree(self.kinematics) if mechanism.is_tree else log_det_constrained(
            self.mass_matrix, self.rows, self.given_speeds, self.missing_inertia, self.epsilon)
        return mechanism.fixman / 2 * found

    @cached_property
    def _world_acceleration(self) -> VelocityMotor:
        """−g for uniform gravity: the world accelerates upwards and every body feels its weight."""
        gravity = self.mechanism.gravity
        return VelocityMotor((0, 0, 0), -ca.SX(gravity.g)) if gravity.uniform else VelocityMotor()

    @cached_property
    def _bias(self) -> list[ForceMotor]:
        return bias_forces(self.kinematics, self._applied[0])

    @cached_property
    def rows(self) -> list[Rows]:
        """The constraints' equations."""
        rows = constraint_rows(self.laws, [c for c in self.mechanism.constraints if not isinstance(c, Balance)])
        leans = self.mechanism.events.leans
        kept = {r.name: r.kept for r in rows}
        for r in rows:
            if r.name in leans:
                r.leans = tuple((name, -self.laws.evaluate(ca.vertcat(ca.SX(0, 1), *[rubs[k] for k in kept[name]]))[0])
                                for name, rubs in leans[r.name])
        return rows + balance_rows(self, rows)

    @cached_property
    def row_places(self) -> dict[str, tuple[int, Rows]]:
        """Constraint → (number of its first equation, its rows)."""
        starts = np.cumsum([0, *[r.G.shape[0] for r in self.rows]]).tolist()
        return {r.name: (start, r) for start, r in zip(starts, self.rows, strict=False)}

    @cached_property
    def off_tree(self) -> OffTree:
        """Masses and rotors that no single joint carries."""
        return OffTree.of(self.laws)

    @cached_property
    def mass_matrix(self) -> ca.SX:
        return mass_matrix(self.kinematics) + self.off_tree.mass_matrix

    @cached_property
    def mass_diagonal(self) -> ca.SX:
        """The diagonal of M, without the rest of it."""
        return mass_diagonal(self.kinematics) + self.off_tree.mass_diagonal

    def _inertial(self, udot: ca.SX) -> ca.SX:
        """M u̇ + h: the generalised forces for the motion, less gravity and loads (but not f and λ)."""
        A = accelerations(self.kinematics, udot, self._world_acceleration)
        tau, _ = joint_forces(self.kinematics, A, self._bias, udot)
        rotors = [ca.SX(rotor) for body in self.mechanism.bodies for rotor in body.rotors]
        return ca.vertcat(ca.SX(0, 1), *tau) + ca.vertcat(ca.SX(0, 1), *rotors) * udot + self.off_tree.forces(udot)

    @cached_property
    def _solution(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """(u̇, λ, smallest pivot), accelerations that laws read still being unknowns."""
        mechanism, kin = self.mechanism, self.kinematics
        _, tau = self._applied
        given = self.prescribed
        if mechanism.is_tree:
            factors, left = articulated_inertias(kin)
            c = accelerations_of(kin, given)
            free, _ = solve_tree(kin, factors, left, tau, self._bias, c, self._world_acceleration)
            udot = [ca.vertcat(ca.SX(0, 1), *free[k]) if k not in given else given[k]
                    for k in range(len(mechanism.bodies))]
            return ca.vertcat(ca.SX(0, 1), *udot), ca.SX(0, 1), ca.SX(1)
        known = ca.SX(mechanism.nu, 1)
        _, u_slices = mechanism.slices()
        for k, value in given.items():
            known[u_slices[k]] = value
        if self.condenses(self.rows):
            c = accelerations_of(kin, given)
            return solve_condensed(kin, self.rows, tau, self._bias, c, self._world_acceleration, known,
                                   self.epsilon)
        h = self._inertial(ca.densify(known))
        bottom = [-r.gamma - r.G @ known for r in self.rows]
        x, multipliers, pivot = solve_kkt(self.mass_matrix, self.rows, tau - h, bottom, self.given_speeds,
                                          self.missing_inertia, self.epsilon, leans=True)
        return x + known, ca.vec(multipliers), pivot  # a column, also where there are none

    def solve_impulses(self, impulse: ca.SX, change: ca.SX) -> tuple[ca.SX, ca.SX]:
        """(Δu, Λ) of M Δu + Gᵀ Λ = J and G Δu = b, by the rows in force, without sliding friction."""
        if self.condenses(self.rows):
            return Condensed(self.kinematics, self.rows).solve(-change, impulse)
        bottom = ca.vertsplit(change, np.cumsum([0, *[r.G.shape[0] for r in self.rows]]).tolist()) if self.rows else []
        return solve_kkt(self.mass_matrix, self.rows, impulse, bottom, self.given_speeds,
                         missing=self.missing_inertia)[:2]

    def condenses(self, rows: list[Rows]) -> bool:
        """Whether the equations with these rows are shorter by the articulated recursion than by a factorisation."""
        off_tree = self.mechanism.point_masses or self.mechanism.rotors or self.missing_inertia
        held = [r for r in rows if not r.may_repeat and r.G.shape[0]]
        if off_tree or not (held or repeating(rows)):
            return False
        beside = HeldMobilities(rows, self.given_speeds).beside(held)
        return not beside or is_shorter(self.kinematics, beside)

    @property
    def given_speeds(self) -> list[int]:
        """The numbers of the speeds whose motion is prescribed."""
        u_slices = self.mechanism.slices()[1]
        return [i for k in self.prescribed for i in range(u_slices[k].start, u_slices[k].stop)]

    @property
    def epsilon(self) -> ca.SX:
        """ε: so small, compared with G M⁻¹ Gᵀ, that it does not change the solution, in any unit of mass."""
        return EPSILON * self.yields.less

    @cached_property
    def yields(self) -> Yields:
        """How much the constraints move under a unit force: the size of G M⁻¹ Gᵀ."""
        inertia, G = self.mass_diagonal, ca.vertcat(ca.SX(0, self.mechanism.nu), *[r.G for r in self.rows])
        if any(isinstance(c, Balance) for c in self.mechanism.constraints):
            # equations stand in for inertia there
            inertia = inertia + self.missing_inertia * ca.sum1(G * G).T
        return Yields(self.mechanism, self.symbols, inertia, [r.G for r in self.rows])

    @cached_property
    def explicit(self) -> Explicit | None:
        """The loops in closed form, where the mechanism's closures hold all of them."""
        return explicit(self)

    @cached_property
    def missing_inertia(self) -> float:
        """Greater than zero where only the constraints make the equations regular."""
        return missing_inertia(self.mechanism, self.mass_matrix, self.symbols)

    @cached_property
    def prescribed(self) -> dict[int, ca.SX]:
        """Body number → u̇ of its joint, where the motion is given."""
        return {k: self.laws.evaluate(body.prescribed)[0]
                for k, body in enumerate(self.mechanism.bodies) if body.prescribed is not None}

    @cached_property
    def _accelerations(self) -> list[VelocityMotor]:
        return accelerations(self.kinematics, self._solution[0], self._world_acceleration)

    @cached_property
    def reactions(self) -> list[ForceMotor]:
        """The force motor through every joint on its outboard body, at M in M, drive included."""
        _, f = joint_forces(self.kinematics, self._accelerations, self._bias_with_constraints(), self._solution[0])
        return f

    def _bias_with_constraints(self) -> list[ForceMotor]:
        """Bias forces less the forces of constraints and of masses off the tree on the bodies."""
        udot, multipliers, _ = self._solution
        multipliers = leaning(self.rows) @ ca.vec(multipliers)
        pushes, start = [], 0
        for rows in self.rows:
            m = rows.G.shape[0]
            pushes.append((rows, -multipliers[start : start + m]))
            start += m
        pushes += [(rows, -felt) for rows, felt in self.off_tree.felt(udot)]
        bias = list(self._bias)
        for rows, strength in pushes:
            for (name_a, name_b), G_loc in rows.pairs.items():
                w = G_loc.T @ ca.vec(strength)
                on_b = ForceMotor(w[3:6], w[0:3])
                on_a = -(self.laws.relative(name_a, name_b).X_AB @ on_b)
                for name, motor in ((name_a, on_a), (name_b, on_b)):
                    frame = self.mechanism.frame(name)
                    if frame.body >= 0:
                        bias[frame.body] = bias[frame.body] - frame.X_BQ @ motor
        return bias

    @cached_property
    def _implicit(self) -> list[int]:
        """Acceleration-level variables that loads or residuals read: unknowns too."""
        mechanism = self.mechanism
        sources = law_expressions(mechanism)
        sources += [unknown.residual for unknown in mechanism.unknowns]
        sources += [body.prescribed for body in mechanism.bodies if body.prescribed is not None]
        if not sources:
            return []
        return [n for n in self.laws.reads(*sources) if mechanism.variables[n].quantity in ACCELERATION]

    def _acceleration_value(self, number: int) -> ca.SX:
        variable = self.mechanism.variables[number]
        if variable.quantity in ("lambda", "push", "grip"):
            name, on = (*variable.names, None)[:2]
            if name not in self.row_places:
                raise unknown_name(name, [c.name for c in self.mechanism.constraints], "the mechanism")
            start, rows = self.row_places[name]
            found = self._solution[1][start : start + rows.G.shape[0]]
            if variable.quantity == "push":
                return rows.push(found, on, self.laws)
            if variable.quantity == "grip":
                return rows.grip(found, on, variable.symbol.numel())
            # equations that hold by themselves have no force
            every = ca.SX.zeros(variable.symbol.numel())
            for k, place in enumerate(rows.kept):
                every[place] = found[k]
            return every
        needs_force = variable.quantity == "reaction"
        g = ca.SX(self.mechanism.gravity.g) if self.mechanism.gravity.uniform else ca.SX.zeros(3)
        value = self.laws.acceleration(variable, self._solution[0], self._accelerations, g,
                                       self.reactions if needs_force else None)
        return ca.reshape(ca.densify(ca.SX(value)), *variable.symbol.shape)

    @cached_property
    def blocks(self) -> list[Block]:
        """The algebraic unknowns in an order in which each block needs only those before it."""
        parts = self.unknowns
        if not parts:
            return []
        y = ca.vertcat(*[symbol for _, symbol, _, _ in parts])
        start = np.concatenate([s for *_, s in parts])
        names = [name for name, symbol, *_ in parts for _ in range(symbol.numel())]
        guesses: list[ca.SX | None] = [None] * y.numel()
        at = 0
        for unknown in self.mechanism.unknowns:  # they come first
            if unknown.guess is not None:
                value = self.laws.evaluate(unknown.guess)[0]
                guesses[at : at + value.numel()] = [value[k] for k in range(value.numel())]
            at += unknown.symbol.numel()
        return decompose(self.mechanism, names, y, self.unknown_residuals, start, guesses)

    def laws_left_open(self, names: list[str]) -> tuple[list[str], str]:
        """Components whose laws read the accelerations among these unknowns, and why these are not determined."""
        laws = laws_reading(self.mechanism, names)
        return laws, left_open(laws, names) if laws else not_held(names)

    @cached_property
    def unknowns(self) -> list[tuple[str, ca.SX, ca.SX, np.ndarray]]:
        """(name, symbols, residual as written, first guess) of all algebraic unknowns."""
        parts = [(u.name, u.symbol, u.residual, u.start) for u in self.mechanism.unknowns]
        for number in self._implicit:
            variable = self.mechanism.variables[number]
            symbol = ca.vec(variable.symbol)
            residual = symbol - ca.vec(self._acceleration_value(number))
            parts.append((f"{variable.of}.{variable.quantity}", symbol, residual, np.zeros(symbol.numel())))
        return parts

    @cached_property
    def unknown_residuals(self) -> ca.SX:
        """The residuals of all algebraic unknowns on traced values, in the order of `unknowns`."""
        return self.laws.evaluate(ca.vertcat(ca.SX(0, 1), *[residual for _, _, residual, _ in self.unknowns]))[0]

    # --- answers ---

    @property
    def y(self) -> ca.SX:
        return ca.vertcat(ca.SX(0, 1), *[block.y for block in self.blocks])

    @one_at_a_time
    def finish(self, *expressions: ca.SX) -> list[ca.SX]:
        """Expressions of users (derivatives of states, outputs) on traced values, accelerations included."""
        numbers = [n for n in self.laws.reads(*expressions)
                   if self.mechanism.variables[n].quantity in ACCELERATION and n not in self._implicit]
        for number in numbers:
            if number not in self.laws.known:
                self.laws.known[number] = self._acceleration_value(number)
        return self.laws.evaluate(*expressions)

    @cached_property
    def qdot(self) -> ca.SX:
        q_slices, u_slices = self.mechanism.slices()
        q, u = self.symbols["q"], self.symbols["u"]
        return ca.vertcat(ca.SX(0, 1), *[ca.SX(b.mobilizer.qdot(q[qs], u[us])) for b, qs, us in
                                         zip(self.mechanism.bodies, q_slices, u_slices, strict=True)
                                         if b.mobilizer.nq])

    @property
    def udot(self) -> ca.SX:
        return self._solution[0]

    @property
    def multipliers(self) -> ca.SX:
        return self._solution[1]

    @property
    def pivot(self) -> ca.SX:
        """The smallest pivot of the factorisation (1 for a tree); near zero the accelerations are not unique."""
        return self._solution[2]

    @cached_property
    def zdot(self) -> ca.SX:
        if not self.mechanism.states:
            return ca.SX(0, 1)
        return self.finish(ca.vertcat(*[state.derivative for state in self.mechanism.states]))[0]

    @cached_property
    def tau(self) -> ca.SX:
        """Inverse dynamics: the forces f that give the accelerations `udot` (an input), without constraint forces."""
        _, applied = self._applied
        return self._inertial(self.symbols["udot"]) - (applied - self.symbols["f"])

    @cached_property
    def position_error(self) -> ca.SX:
        return ca.vertcat(ca.SX(0, 1), *[r.value for r in self.rows if r.level == "position"])

    @cached_property
    def velocity_error(self) -> ca.SX:
        return ca.vertcat(ca.SX(0, 1), *[r.rate for r in self.rows if r.level != "acceleration"])

    @cached_property
    def constraint_matrix(self) -> ca.SX:
        return ca.vertcat(ca.SX(0, self.mechanism.nu), *[r.G for r in self.rows])

    @cached_property
    def kinetic_energy(self) -> ca.SX:
        """½ Σ V·(M V), point masses and rotors included."""
        total, kin = ca.SX(0), self.kinematics
        for k, V in enumerate(kin.V):
            total += (kin.inertias[k] @ V).dot(V) / 2
            if self.mechanism.bodies[k].bending is not None:
                u = kin.u[self.mechanism.slices()[1][k]]
                total += ca.dot(u, ca.vertcat(*[N.dot(V) for N in kin.couplings(k)]) + kin.internal(k) @ u / 2)
        total += self.off_tree.kinetic_energy
        _, u_slices = self.mechanism.slices()
        for body, part in zip(self.mechanism.bodies, u_slices, strict=True):
            for rotor, speed in zip(body.armature, ca.vertsplit(self.symbols["u"][part]), strict=False):
                total += rotor * speed * speed / 2
        return total

    @cached_property
    def potential_energy(self) -> ca.SX:
        """Of gravity, with what bodies feel of a gravity of their own."""
        places = [(mass, X_WB @ centre) for k, X_WB in enumerate(self.kinematics.X_WB)
                  for mass, centre in self.kinematics.centres(k)]
        places += [(mass, rows.value) for mass, rows in self.off_tree.masses]
        total = sum((mass * self.mechanism.gravity.potential(r) for mass, r in places), ca.SX(0))
        own = [load.energy for load in self.mechanism.loads if isinstance(load, BodyLoad) and load.energy is not None]
        return total + sum(self.laws.evaluate(*own), ca.SX(0)) if own else total

    def jacobian(self, frame: str) -> ca.SX:
        """6 × nu: rows (ω, v) at the frame's origin, in the frame's axes."""
        J = ca.SX(6, self.mechanism.nu)
        for k, column in self.laws.relative("world", frame).columns.items():
            J[:, k] = column.vector()
        return ca.sparsify(J)
