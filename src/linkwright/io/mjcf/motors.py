"""Actuators with a controller of their own: <pid>, the plugin mujoco.pid, and <dcmotor> with its windings.

A controller asks for the torque

    τ = k_p (u_pos − l) + k_v (u_vel − l̇) + k_i x + u_ff,     ẋ = u_pos − l,     |x| ≤ imax,

l the length of what it drives and u the inputs that the file lists; those that it does not list are zero.  <pid> puts
τ there.  A direct-current motor with resistance R and constant K takes the voltage

    V = (R/K) τ + K l̇,     |V| ≤ V_max,     or V = u_voltage,

and turns it into a force F = K i, with i = (V − K l̇)/R, or with windings of the time constant T

    T di/dt = (V − K l̇)/R − i.

Beside F, which the file bounds, act cogging A sin(p l + φ) and LuGre friction −(σ₀ z + σ₁ ż) with the bristle

    ż = l̇ − σ₀ |l̇|/g z,     g = F_C + (F_S − F_C) exp(−(l̇/v_S)²)

(mujoco.readthedocs.io, "DC motor model").  The resistance grows with the temperature ϑ of the windings above ambient,
C dϑ/dt = R i² − ϑ/R_th.  A setpoint whose rate is bounded is a state that follows within one time step of the file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

import linkwright as lw

from ...algebra import Scalar
from ...language import Block, announce
from ..building import clamped
from ..markup import Element
from .plugins import plugin_of
from .ranges import inherited_range, range_of
from .timed_springs import critical_damping
from .turning import on_the_circle

if TYPE_CHECKING:
    from .actuators import Target
    from .bodies import Tree
    from .keyframes import Start

#: the inputs that an actuator may list, in this order
INPUTS = ("pos", "vel", "ff", "voltage")
#: the kinds of actuators that are read here
CONTROLLED = ("pid", "dcmotor", "plugin")


class Driven:
    """An actuator under construction: its inputs, and its states in the order of the format."""

    def __init__(self, element: Element, name: str, tree: Tree, target: Target, start: Start) -> None:
        self.element, self.tree, self.target, self.start = element, tree, target, start
        self.name = tree.building.name(name, "control")
        self.listed = inputs_of(element)
        self.inputs: list[str] = []
        self.states: dict[str, float] = {}  # with where they begin
        self.values: dict[str, Scalar] = {}
        self.asked: dict[str, float] = {}  # where the inputs begin
        for k, word in enumerate(self.listed):
            label = self.name if len(self.listed) == 1 else tree.building.name(f"{self.name}_{word}", "control")
            self.inputs.append(label)
            self.asked[word] = start.next_control()
            value = tree.building.model.input(label, self.asked[word])
            bounds = self._range(word, first=k == 0)
            self.values[word] = value if bounds is None else clamped(value, *bounds)

    def own(self, key: str, count: int) -> np.ndarray:
        """Numbers of the actuator, of a class for its kind where it has none; the rest zero."""
        sources = [above for above in self.element.above if above.tag == self.element.tag] + [self.element]
        given = [source for source in sources if source.attributes.get(key, "").strip()]
        self.element.get(key)
        values = given[-1].numbers(key, tuple(range(1, count + 1))) if given else np.zeros(0)
        return np.concatenate([values, np.zeros(count - len(values))])

    def one(self, key: str, default: float = 0.0) -> float:
        """One number of the actuator."""
        written = any(source.attributes.get(key, "").strip() for source in (*self.element.above, self.element)
                      if source.tag == self.element.tag)
        self.element.get(key)
        return float(self.own(key, 1)[0]) if written else default

    def _range(self, word: str, first: bool) -> tuple[float, float] | None:
        """The range of an input: its own, or that of all controls for the first one."""
        own = self.element.numbers(f"{word}range", 2) if word != "voltage" else None
        if own is not None and own[0] < own[1]:
            return float(own[0]), float(own[1])
        inherited = inherited_range(self.element, "ctrl", self.target) if word == "pos" else None
        return inherited or (range_of(self.element, "ctrl", self.tree) if first else None)

    def state(self, what: str, begins: float = 0.0) -> ca.SX:
        """A state of the actuator, in the order of the format; `follows` tells its rate."""
        label = self.tree.building.name(f"{self.name}_{what}", "state")
        self.states[label] = self.start.next_activation(begins)
        return ca.SX.sym(f"{label}.x")

    def follows(self, x: ca.SX, rate: Scalar) -> None:
        """Tell the rate of a state."""
        label = x.name().removesuffix(".x")
        announce(Block("state", label, x, ca.SX(rate), np.array([self.states[label]]), {"x": x, "y": x}))

    def input(self, word: str) -> Scalar:
        """An input, zero where the file does not list it."""
        return self.values.get(word, 0.0)

    def slew(self, most: float, begins: float = 0.0) -> None:
        """The first input moves no faster than this: a state follows it, within a step of the file where it can."""
        if most > 0 and self.listed:
            word, x = self.listed[0], self.state("setpoint", begins)
            self.follows(x, clamped((self.values[word] - x) / self.tree.settings.step, -most, most))
            self.values[word] = x

    def torque(self, kp: float, ki: float, kv: float, largest: float, x: ca.SX | None = None) -> Scalar:
        """What the controller asks for; x its integral, where that has a place already (and is cut off at its bound).
        """
        length, rate = self.target.length, self.target.rate
        if self.target.turn and "pos" in self.values and self.element.tag == "pid":
            self.values["pos"] = on_the_circle(self.values["pos"], length, self.target.turn)
        if kp and length is None:
            raise self.element.error("its controller needs the length of what it drives, which is not known here.")
        asked = kp * (self.input("pos") - length) if kp else 0.0
        asked = asked + kv * (self.input("vel") - rate) + self.input("ff")
        if ki > 0:
            if "pos" not in self.listed:
                raise self.element.error("integral action (ki) needs the input pos.")
            cut, x = x is not None and largest > 0, self.state("integral") if x is None else x
            error = self.input("pos") - length
            if largest > 0:
                leaves = ca.logic_or(ca.logic_and(x >= largest, error > 0), ca.logic_and(x <= -largest, error < 0))
                error = lw.where(leaves, 0.0, error)
            self.follows(x, error)
            asked = asked + ki * (clamped(x, -largest, largest) if cut else x)
        return asked


def controlled_force(element: Element, name: str, tree: Tree, target: Target,
                     start: Start) -> tuple[Scalar, tuple[str, ...], tuple[str, ...]]:
    """(the force of an actuator as an expression of its inputs, the names of these, and of its states)."""
    driven = Driven(element, name, tree, target, start)
    force = {"pid": _pid, "dcmotor": _motor, "plugin": _plugin}[element.tag](driven)
    bounds = None if element.tag == "dcmotor" else range_of(element, "force", tree)
    return (force if bounds is None else clamped(force, *bounds)), tuple(driven.inputs), tuple(driven.states)


def _pid(driven: Driven) -> Scalar:
    """The force of a <pid>."""
    kp, kv, share = driven.one("kp", 1.0), driven.one("kv"), driven.one("dampratio")
    if kv and share:
        raise driven.element.error("give kv or dampratio, not both.")
    if share:
        kv = share * critical_damping(driven.tree, driven.element, kp, driven.target.moments)
    driven.slew(driven.one("slewmax"))
    return driven.torque(kp, driven.one("ki"), kv, driven.one("imax"))


def _plugin(driven: Driven) -> Scalar:
    """The force of the plugin mujoco.pid, whose imax bounds the force of the integral; its setpoint starts as asked."""
    given = plugin_of(driven.element, driven.tree.plugins)[1]
    ki = given.get("ki", 0.0)
    x = driven.state("integral") if ki > 0 else None
    driven.slew(given.get("slewmax", 0.0), driven.asked["pos"])
    return driven.torque(given.get("kp", 0.0), ki, given.get("kd", 0.0), given.get("imax", 0.0) / (ki or 1.0), x)


def _motor(driven: Driven) -> Scalar:
    """The force of a <dcmotor>."""
    element, length, rate = driven.element, driven.target.length, driven.target.rate
    R, K = _constants(driven)
    kp, ki, kv, slew, largest, most_volts = driven.own("controller", 6)
    driven.slew(slew)
    asked = driven.torque(kp, ki, kv, largest)
    volts = driven.input("voltage")
    if set(driven.listed) - {"voltage"}:
        ordered = R / K * asked + K * rate
        volts = volts + (clamped(ordered, -most_volts, most_volts) if most_volts > 0 else ordered)
    R_hot, heat = _heat(driven, R)
    friction = _friction(driven)
    current = _current(driven, volts, R, R_hot, K)
    heat(current)
    torque, amperes, _ = driven.own("saturation", 3)
    most = torque if torque > 0 else K * amperes
    force = clamped(K * current, -most, most) if most > 0 else K * current
    amplitude, poles, phase = driven.own("cogging", 3)
    if amplitude:
        if length is None:
            raise element.error("cogging needs the length of what it drives, which is not known here.")
        force = force + amplitude * ca.sin(poles * length + phase)
    return force - friction


def _constants(driven: Driven) -> tuple[float, float]:
    """(R, K) of a motor, from its constants or its nominal voltage, stall torque and speed without load."""
    R, (K_t, K_e) = driven.one("resistance"), driven.own("motorconst", 2)
    volts, stall, free = driven.own("nominal", 3)
    damping = driven.own("damping", 3)[0]
    if volts > 0 and K_e <= 0 and free > 0:
        # speed without load: w = V K/(K² + R B), against the motor's own damping B
        K_e = volts / free
        if damping > 0 and R > 0 and volts**2 > 4 * R * damping * free**2:
            K_e = (volts + np.sqrt(volts**2 - 4 * R * damping * free**2)) / (2 * free)
        elif damping > 0 and R == 0 and stall > damping * free:
            K_e = volts / free - volts * damping / stall
    K = float(np.sqrt(K_t * K_e) if K_t > 0 and K_e > 0 else max(K_t, K_e))
    if R == 0 and volts > 0 and stall > 0:
        R = K * volts / stall
    if not (K > 0 and R > 0):
        raise driven.element.error("a motor needs a positive constant and resistance: give motorconst and resistance, "
                                   "or nominal (voltage, stall torque, speed without load).")
    return float(R), K


def _heat(driven: Driven, R: float) -> tuple[Scalar, Callable[[Scalar], None]]:
    """(the resistance of the warm windings, what tells them the current that warms them)."""
    resistance, capacity, time, per_degree, reference, ambient = driven.own("thermal", 6)
    if not max(resistance, capacity, time) > 0:
        return R, lambda current: None
    if time > 0 and resistance > 0 and capacity == 0:
        capacity = time / resistance
    elif time > 0 and capacity > 0 and resistance == 0:
        resistance = time / capacity
    if not (resistance > 0 and capacity > 0):
        raise driven.element.error("thermal needs a positive resistance and capacitance, or one of them and timeconst.")
    above = driven.state("temperature")
    R_hot = R * (1 + per_degree * (above + ambient - reference))
    return R_hot, lambda current: driven.follows(above, (R_hot * current**2 - above / resistance) / capacity)


def _friction(driven: Driven) -> Scalar:
    """LuGre friction."""
    stiffness, damping, coulomb, static, stribeck = driven.own("lugre", 5)
    if stiffness <= 0:
        return 0.0
    if not (coulomb > 0 and static > 0 and stribeck > 0):
        raise driven.element.error("lugre needs positive Coulomb and static friction and Stribeck speed.")
    z, rate = driven.state("bristle"), driven.target.rate
    g = coulomb + (static - coulomb) * ca.exp(-((rate / stribeck) ** 2))
    bends = rate - stiffness * ca.fabs(rate) / g * z
    driven.follows(z, bends)
    return stiffness * z + damping * bends


def _current(driven: Driven, volts: Scalar, R: float, R_hot: Scalar, K: float) -> Scalar:
    """The current in the windings: a state where they have an inductance."""
    inductance, lag = driven.own("inductance", 2)
    lag = inductance / R if inductance > 0 else lag
    if lag <= 0:
        return (volts - K * driven.target.rate) / R_hot
    current, most = driven.state("current"), driven.own("saturation", 3)[2]
    growth = ((volts - K * driven.target.rate) / R_hot - current) / lag
    driven.follows(current, clamped(growth, -most, most) if most > 0 else growth)
    return current


def inputs_of(element: Element) -> tuple[str, ...]:
    """The inputs that an actuator has; of most kinds it is one."""
    if element.tag == "orientation":
        return INPUTS[: 4 if element.get("input") == "quat" else 3]
    if element.tag not in ("pid", "dcmotor"):
        return INPUTS[:1]
    motor = element.tag == "dcmotor"
    written = element.get("input", "voltage" if motor else "pos vel").split()
    known = INPUTS if motor else INPUTS[:3]
    if motor and written == ["none"]:
        return ()
    if [word for word in known if word in written] != written or not written:
        raise element.error(f"input lists some of {', '.join(known)} in this order; got {' '.join(written)!r}.")
    return tuple(written)
