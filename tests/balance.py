"""The law that every model obeys at every instant: forces balance at every node, power balances in every component.

    Σ f = 0, Σ t = 0            over the connectors that are joined, in space, in planes and in drive trains
    Σ Q_flow = 0                over heat ports that are joined, and nothing is held in what only conducts
    Σ (f·v + t·ω) = Ė + loss    over the connectors of a component that brings no power of its own
    Ė = brought − lost          for the whole mechanism, by its own kinetic, potential and elastic energy

Whatever a result says of forces is said of the same instant and the same motion, so that a force that is lost on its
way, counted twice, or felt by nobody breaks one of them.  Rates are differences of fourth order on the dense output.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import casadi as ca
import numpy as np

from linkwright.language.connectors import Frame, HeatPort
from linkwright.language.model import Model
from linkwright.language.planar_frame import PlanarFrame
from linkwright.language.planar_world import world_of
from linkwright.library.flexible.parts import FlexiblePart

#: bring power beside what they lose: electric, or that of a slope
BRINGING = ("DCMotor", "Vehicle")

#: where in a run to look, and the weights of d/dt over the stencil t + h (−2, −1, 0, 1, 2)
PLACES = (0.171, 0.437, 0.683, 0.907)
STENCIL = np.array([-2, -1, 0, 1, 2])
RATE = np.array([1, -8, 0, 8, -1]) / 12


@dataclass
class Balance:
    """What is off in one result: node or component → how much, relative to what flows there."""

    result: object
    forces: float = 1e-7
    power: float = 2e-5
    off: dict[str, float] = field(default_factory=dict)

    @cached_property
    def plan(self):
        return self.result.system.mechanism.outputs._definitions.plan

    @cached_property
    def placed(self):
        return self.result.system.mechanism.outputs._definitions.answers.placed

    # --- values at a few instants ---

    @cached_property
    def span(self) -> tuple[np.ndarray, np.ndarray]:
        """Instants in the middle of steps with no event near, and the steps of the stencils there."""
        t = self.result.t
        length = t[-1] - t[0]
        happened = np.array([event.time for event in self.result.events] or [np.inf])
        ends = np.unique([t[0], *self.result._stepper.steps_t, t[-1]])
        found = {}
        for place in PLACES:
            k = np.clip(np.searchsorted(ends, t[0] + place * length), 1, len(ends) - 1)
            middle, step = (ends[k] + ends[k - 1]) / 2, ends[k] - ends[k - 1]
            h = min(1e-4 * length, 0.05 * step)
            if np.min(np.abs(happened - middle)) > 3 * h and h > 1e-9 * max(abs(middle), length):
                found[middle] = h
        return np.array([*found]), np.array([*found.values()])

    @cached_property
    def noise(self) -> np.ndarray:
        """Rates are of numbers good to the accuracy of a step, over its length: so much of them does not count."""
        return 4 * self.result._stepper.accuracy / (20 * self.span[1]) / self.power

    def read(self, names: list[str]) -> None:
        times, h = self.span
        along = (times[:, None] + h[:, None] * STENCIL).ravel()
        found = self.result.at(along).get_many(names)
        self.values = {name: v.reshape(len(times), 5, *v.shape[1:]) for name, v in found.items()}

    def now(self, name: str) -> np.ndarray:
        return self.values[name][:, 2]

    def rate(self, values: np.ndarray) -> np.ndarray:
        return (np.tensordot(values, RATE, axes=([1], [0])).T / self.span[1]).T

    # --- connectors ---

    @cached_property
    def parts(self) -> list:
        return [c for c in self.plan.components if all(self.placed(p) for p in self.ports(c) if isinstance(p, Frame))]

    @cached_property
    def rotors(self) -> list:
        """1-D inertias, but for axles that stand for those of others."""
        return [told for told in self.plan.flange_inertias if isinstance(told.value, ca.SX) or told.value != 0]

    def speed_of(self, told) -> str:
        return f"{told.component.path}.{'w' if 'rotational' in told.flange.kind else 'v'}"

    def ports(self, component) -> list:
        """Connectors that do work."""
        return [port for port in component._connectors.values() if not isinstance(port, HeatPort)]

    @cached_property
    def heat(self) -> list[list]:
        """Heat ports that are joined, but for those of models, which pass on."""
        return [[port for port in ports if not isinstance(port.owner, Model)] for ports in self.plan.connection_sets()
                if isinstance(ports[0], HeatPort) and id(ports[0]) in self.plan.heat_ports]

    def moving(self, component) -> bool:
        """Whether the component lives in a plane that moves: power there is that of the plane too."""
        return any(isinstance(p, PlanarFrame) and world_of(p.owner).carrier is not None for p in self.ports(component))

    def names(self) -> list[str]:
        out = ["kinetic_energy", "potential_energy"]
        for component in self.parts:
            for port in self.ports(component):
                what = (("fx", "fy", "t", "vx", "vy", "w") if isinstance(port, PlanarFrame)
                        else ("f", "t", "v_0", "w", "R.T", "r_0") if isinstance(port, Frame)
                        else ("phi", "tau") if "rotational" in port.kind else ("s", "f"))
                out += [f"{port.path}.{name}" for name in what]
        out += [self.speed_of(told) for told in self.rotors]
        out += [name for told in self.rotors if (name := f"{told.component.path}.a") in self.result]
        for mass in self.plan.masses:
            out += [f"{mass.frame.path}.{name}" for name in ("v_0", "w", "R.T", "r_0") if self.placed(mass.frame)]
        own = {name for component in self.parts for name in (f"{component.path}.loss_power", f"{component.path}.energy")
               if name in self.result}
        out += [*own, *(f"{c.joint.path}.{name}" for c in self.plan.courses.values() for name in ("tau", "w", "f", "v")
                        if f"{c.joint.path}.{name}" in self.result)]
        out += [f"{port.path}.Q_flow" for ports in self.heat for port in ports]
        return [*out, *(["elastic_energy"] if "elastic_energy" in self.result else [])]

    def load(self, port) -> tuple[np.ndarray, np.ndarray]:
        """(what the component feels at a connector, the motion it does work on), row by row of instants."""
        path = port.path
        if isinstance(port, PlanarFrame):
            f, v = (np.stack([self.now(f"{path}.{n}") for n in names], 1)
                    for names in (("fx", "fy", "t"), ("vx", "vy", "w")))
            return f, v
        if isinstance(port, Frame):
            v = np.einsum("kij,kj->ki", self.now(f"{path}.R.T"), self.now(f"{path}.v_0"))
            return (np.hstack([self.now(f"{path}.f"), self.now(f"{path}.t")]), np.hstack([v, self.now(f"{path}.w")]))
        effort, place = ("tau", "phi") if "rotational" in port.kind else ("f", "s")
        return self.now(f"{path}.{effort}")[:, None], self.rate(self.values[f"{path}.{place}"])[:, None]

    def note(self, name: str, error: np.ndarray, scale: np.ndarray, tolerance: float) -> None:
        worst = float(np.max(np.abs(error), initial=0.0) / np.max(scale))
        if not worst <= tolerance:
            self.off[name] = max(worst, self.off.get(name, 0.0))

    # --- nodes ---

    def nodes(self) -> None:
        whole = 1e-6 + max((np.max(np.abs(self.load(p)[0]), initial=0) for c in self.parts for p in self.ports(c)),
                           default=0)
        courses = {id(axis.axis) for axis in self.plan.axes if id(axis.joint) in self.plan.courses}
        grips = self.gripped()
        here = {id(c) for c in self.parts}
        for connectors in self.plan.connection_sets():
            held = [c for c in connectors if not isinstance(c.owner, Model) and not isinstance(c, HeatPort)]
            if not held or not all(id(c.owner) in here for c in held) or any(id(c) in courses for c in held):
                continue
            if not isinstance(held[0], Frame) and any(id(c.owner) in grips for c in held):
                continue  # a shaft that is held through its angle
            if all(id(c) in self.plan.supports for c in held):
                continue  # on the ground, which feels what it must
            if any("in its plane" in c.name for c in self.result.system.mechanism.constraints):
                continue  # a plane holds what moves in it
            planar = [c for c in held if isinstance(c, PlanarFrame)]
            if planar and len(planar) < len(held):
                continue  # To3D joins its frames itself
            total = sum(self.load(port)[0] for port in held)
            self.note(f"node of {held[0].path}", total, whole, self.forces)

    def conducted(self) -> None:
        """Heat at nodes, and in components with several heat ports."""
        whole = 1e-9 + max((np.max(np.abs(self.now(f"{p.path}.Q_flow")), initial=0) for ports in self.heat
                            for p in ports), default=0)
        through: dict[str, list] = {}
        for ports in self.heat:
            for port in ports:
                through.setdefault(port.owner.path, []).append(port)
            self.note(f"heat at {ports[0].path}", sum(self.now(f"{p.path}.Q_flow") for p in ports), whole, self.forces)
        for path, ports in through.items():
            if len(ports) > 1:
                self.note(f"heat in {path}", sum(self.now(f"{p.path}.Q_flow") for p in ports), whole, self.forces)

    # --- components ---

    def gripped(self) -> set[int]:
        """Joints and shafts that constraints of other components hold by their coordinates or speeds."""
        definitions = self.result.system.mechanism.outputs._definitions
        read = [definitions.expand(told.residual) for told in self.plan.constraints]
        read = ca.veccat(ca.SX(0, 1), *read)
        found = {id(edge.component) for edge in self.plan.joints
                 if edge.symbols[0].numel() and ca.depends_on(read, ca.vertcat(*edge.symbols))}
        for told in self.plan.flange_inertias:
            place = definitions.expand(told.flange.symbol("phi" if "rotational" in told.flange.kind else "s"))
            if ca.symvar(place) and ca.depends_on(read, ca.vertcat(*ca.symvar(place))):
                found.add(id(told.component))
        return found

    def quiet(self) -> set[int]:
        """Components that bring no power of their own."""
        plan, definitions = self.plan, self.result.system.mechanism.outputs._definitions
        found = {id(link.component) for link in plan.links}
        if plan.thermal is None:  # Fixman's potential acts in joints
            found |= {id(edge.component) for edge in plan.joints}
        found |= {id(told.component) for told in (*plan.masses, *plan.flange_inertias, *plan.flange_relations)}
        loaded = {id(told.component) for told in (*plan.loads, *plan.flange_loads)}
        found |= {id(c) for c in self.parts if id(c) in loaded and {"energy", "loss_power"} & set(type(c).fields())}
        timed = {id(told.component) for told in plan.constraints if _drives(told, definitions)}
        found |= {id(told.component) for told in plan.constraints} - timed
        timed |= {id(told.component) for told in plan.flange_relations if any(ca.symvar(v) for v in told.value)}
        timed |= {id(c) for c in self.parts if type(c).__name__ in BRINGING}
        points = {id(told.component) for told in (*plan.points, *plan.flange_motions)}
        driven = set(plan.courses) - {id(axis.joint) for axis in plan.axes}
        sources = {id(c) for c in self.parts if id(c) in loaded and id(c) not in {id(x.component) for x in plan.links}
                   and not {"energy", "loss_power"} & set(type(c).fields())}
        bent = {id(c) for c in self.parts if isinstance(c, FlexiblePart)}  # their motion inside is not at connectors
        return found - timed - points - driven - sources - bent - {id(m.component) for m in plan.mountings}

    def work(self, component) -> tuple[np.ndarray, np.ndarray]:
        """(power into a component through its connectors, sum of the sizes of its parts)."""
        terms = [a * b for port in self.ports(component) for a, b in (self.load(port),)]
        every = np.hstack([*terms, np.zeros((len(self.span[0]), 1))])
        return np.sum(every, 1), np.sum(np.abs(every), 1)

    def expected(self, component) -> tuple[np.ndarray, np.ndarray]:
        """Rate of what the component stores and what it loses; and the size of what it is made of."""
        total, size = self.stored(component)
        if f"{component.path}.loss_power" in self.values:
            total = total + self.now(f"{component.path}.loss_power")
        return total, size

    def stored(self, component) -> tuple[np.ndarray, np.ndarray]:
        """Rate of what the component stores, its weight's share included; and the size of what it is made of."""
        total = np.zeros(len(self.span[0]))
        size = total
        for mass in (m for m in self.plan.masses if m.component is component):
            total = total + self.rate(self.kinetic(mass)) - self.weight(mass)
            size = size + np.abs(self.weight(mass)) + self.noise * self.kinetic(mass)[:, 2]
        for told in self.rotors:
            if told.component is component:
                J, w = self._numbers(told.value)().item(), self.values[self.speed_of(told)]
                a = f"{component.path}.a"
                total = total + (J * self.now(self.speed_of(told)) * self.now(a) if a in self.values
                                 else self.rate(J * w * w / 2))
                size = size + self.noise * J * w[:, 2] ** 2 / 2
        if f"{component.path}.energy" in self.values:
            total = total + self.rate(self.values[f"{component.path}.energy"])
        return total, size

    def kinetic(self, mass) -> np.ndarray:
        m, c, J = self._inertia(mass)
        path = mass.frame.path
        v, w, T = (self.values[f"{path}.{name}"] for name in ("v_0", "w", "R.T"))
        if isinstance(mass.frame, PlanarFrame):
            w = np.stack([np.zeros_like(w), np.zeros_like(w), w], -1)
        v = np.einsum("ksij,ksj->ksi", T, v) + np.cross(w, c)
        return m * np.sum(v * v, -1) / 2 + np.einsum("ksi,ij,ksj->ks", w, J, w) / 2

    def weight(self, mass) -> np.ndarray:
        """Power of gravity."""
        m, c, _ = self._inertia(mass)
        path = mass.frame.path
        if getattr(mass.component, "enable_gravity", True) is False:
            return np.zeros(len(self.span[0]))
        v, w, T, p = (self.now(f"{path}.{name}") for name in ("v_0", "w", "R.T", "r_0"))
        if isinstance(mass.frame, PlanarFrame):
            w = np.stack([np.zeros_like(w), np.zeros_like(w), w], -1)
        out = np.einsum("kji,j->ki", T, c) + p
        speed = v + np.einsum("kji,kj->ki", T, np.cross(w, c))
        r = ca.SX.sym("r", 3)
        g = self._numbers(ca.densify(self.plan.gravity_at(r)), r)
        return np.array([m * float(np.array(g(place)).ravel() @ s) for place, s in zip(out, speed, strict=True)])

    def _numbers(self, expression, *symbols):
        """An expression as a function of `symbols`, parameters at their values."""
        mechanism = self.result.system.mechanism
        held = ca.veccat(ca.SX(0, 1), *[p.symbol for p in mechanism.parameters])
        f = ca.Function("f", [held, *symbols], [ca.SX(expression)])
        return lambda *values: np.array(f(self.result._p, *values))

    def _inertia(self, mass):
        M = mass.inertia
        m, c, J = (self._numbers(ca.SX(part))() for part in (M.m, M.com() if not _none(M.m) else np.zeros(3),
                                                             M.central() if not _none(M.m) else M.inertia))
        return m.item(), c.ravel(), J

    def components(self) -> None:
        quiet, grips = self.quiet(), self.gripped()
        noise = self.noise
        largest = max((np.max(np.abs(self.load(p)[0]), initial=0) for c in self.parts for p in self.ports(c)),
                      default=0)
        heaviest = max((np.max(np.abs(self.weight(mass)), initial=0) for mass in self.plan.masses), default=0)
        busiest = max((np.max(self.work(c)[1], initial=0) for c in self.parts), default=0)
        floor = 1e-9 + 1e-10 * heaviest + noise * largest + 1e-6 * busiest
        for component in self.parts:
            if id(component) not in quiet or id(component) in grips or self.moving(component):
                continue
            if not self.ports(component):
                continue  # a pair in contact presses on the frames of its shapes
            power, size = self.work(component)
            kept, own = self.expected(component)
            self.note(f"power of {component.path}", power - kept, size + own + floor, self.power)

    def drive(self, joint) -> np.ndarray:
        """What moves a joint as it is given: all that it feels at its axis, but for what others bring there."""
        axis = next(told.axis for told in self.plan.axes if told.joint is joint)
        here = next((held for held in self.plan.connection_sets() if any(port is axis for port in held)), [axis])
        return sum(self.load(port)[0][:, 0] for port in here if not isinstance(port.owner, Model))

    def whole(self) -> None:
        """Rate of all energy = what sources and given motions bring − what is lost."""
        plan = self.plan
        flat = {id(axis.joint) for axis in plan.axes}
        if len(self.parts) < len(plan.components) or any(key not in flat for key in plan.courses):
            return
        definitions = self.result.system.mechanism.outputs._definitions
        if any(not self.ports(told.component) and _drives(told, definitions) for told in plan.constraints):
            return  # what moves a coordinate as it is told brings power without a connector
        if plan.gravity.field is not None or plan.points or plan.mountings or any(self.moving(c) for c in self.parts):
            return
        if plan.thermal is not None:
            return  # its energy is one of the whole mechanism, which tests of it look at
        if any(not self.ports(c) and f"{c.path}.loss_power" in self.values for c in self.parts):
            return  # what pairs in contact lose is felt at the frames of their shapes, and counted there
        mounted = {id(told.component) for told in self.rotors} & {id(told.component) for told in plan.loads}
        if mounted:
            return  # a 1-D rotor on a carrier that turns: its energy is counted as if the carrier stood
        if any(id(port) in plan.supports and np.any(self.rate(self.values[f"{port.path}.{place}"]))
               for told in self.rotors for port in self.ports(told.component)
               for place in ("phi" if "rotational" in port.kind else "s",)):
            return  # a motor says how fast its rotor turns in a casing that moves
        if any("line_force" in component._signals for component in self.parts):
            return  # what acts all along a beam brings power without a connector
        energy = self.values["kinetic_energy"] + self.values["potential_energy"]
        if "elastic_energy" in self.values:
            energy = energy + self.values["elastic_energy"]
        quiet, gain, size = self.quiet(), np.zeros(len(self.span[0])), 1e-9
        ground = {id(told.component) for told in plan.ground}
        for component in self.parts:
            power, own = self.work(component)
            size = size + own
            if id(component) in quiet or isinstance(component, FlexiblePart):
                if f"{component.path}.loss_power" in self.values:
                    gain = gain - self.now(f"{component.path}.loss_power")
            elif id(component) not in ground:
                gain = gain - power + self.stored(component)[0]
        for course in plan.courses.values():
            speed = "w" if f"{course.joint.path}.w" in self.values else "v"
            drive = self.drive(course.joint) * self.now(f"{course.joint.path}.{speed}")
            gain, size = gain + drive, size + np.abs(drive)
        size = size + self.noise * (np.max(np.abs(energy)) + np.max(self.values["kinetic_energy"]))
        self.note("energy of the whole", self.rate(energy) - gain, size, self.power)


def _drives(told, definitions) -> bool:
    """Whether a constraint asks for motion: it depends on time, or does not hold of a mechanism at rest."""
    from linkwright.mechanism import TIME

    residual = ca.vec(definitions.expand(told.residual))
    if told.level == "position" or ca.depends_on(residual, TIME):
        return bool(ca.depends_on(residual, TIME))
    if told.level == "acceleration":
        return True
    speeds = [v.symbol for v in definitions.registry if v.quantity in ("u", "w", "v", "V_AB")]
    others = [s for s in ca.symvar(residual) if not any(ca.depends_on(s, ca.vec(v)) for v in speeds)]
    still = ca.Function("still", [*speeds, *others], [residual])(*[np.zeros(v.shape) for v in speeds],
                                                                *[0.37] * len(others))
    return bool(np.any(np.abs(np.array(still)) > 1e-12))


def _none(mass) -> bool:
    return ca.SX(mass).is_zero()


def imbalances(result, forces: float = 1e-7, power: float = 2e-5) -> dict[str, float]:
    """Nodes, components and the whole that are off, with how much; {} where the laws hold."""
    balance = Balance(result, forces, power)
    if len(result.t) < 3 or not len(balance.span[0]):
        return {}
    balance.read(balance.names())
    balance.nodes()
    balance.conducted()
    # rates of what steps without error control lead to are as good as these; impulses of stepped contact are no forces
    # and a mass that somebody changes while it runs brings energy of its own
    moved_by_hand = np.ndim(result._p) > 1
    if "sweeps" not in result.counters and not result._stepper._r.fixed and not moved_by_hand:
        balance.components()
        balance.whole()
    return balance.off
