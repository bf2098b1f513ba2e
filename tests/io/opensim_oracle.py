"""Ten models written by OpenSim itself, with their mass matrices and positions; run as a program of its own.

OpenSim brings a CasADi of its own, so that it lives in another process.  What it finds is written as JSON: coordinates,
random values, M (from kinetic energies of unit speeds: 2 T(eᵢ) and T(eᵢ + eⱼ) − T(eᵢ) − T(eⱼ)), positions of bodies.
"""

import json
import random
import sys
from pathlib import Path

import opensim as osim

Vec3 = osim.Vec3
kept = []  # objects that OpenSim holds pointers to


def owned(thing):
    thing.thisown = False
    kept.append(thing)
    return thing


def words(*names):
    array = osim.ArrayStr()
    for name in names:
        array.append(name)
    return array


class Maker:
    """A model under construction: bodies of different inertia, joints at slanting frames."""

    def __init__(self, name):
        self.model = osim.Model()
        self.model.setName(name)
        self.model.set_gravity(Vec3(0, -9.80665, 0))
        self.chance = random.Random(name)

    def vector(self, size=0.3):
        return Vec3(*(self.chance.uniform(-size, size) for _ in range(3)))

    def body(self, name):
        body = osim.Body(name, self.chance.uniform(0.5, 3), self.vector(),
                         osim.Inertia(0.11, 0.12, self.chance.uniform(0.1, 0.2), 0.01, -0.02, 0.005))
        self.model.addBody(owned(body))
        return body

    def join(self, kind, name, parent, *rest, **given):
        child = self.body(f"{name}_body")
        joint = kind(name, parent, self.vector(), self.vector(1.0), child, self.vector(), self.vector(1.0), *rest)
        self.model.addJoint(owned(joint))
        return child


def transform(**axes):
    """A SpatialTransform from axis → (coordinates, direction, function); the others are constants."""
    spatial = owned(osim.SpatialTransform())
    default = {"rotation1": (1, 0, 0), "rotation2": (0, 1, 0), "rotation3": (0, 0, 1), "translation1": (1, 0, 0),
               "translation2": (0, 1, 0), "translation3": (0, 0, 1)}
    for name, direction in default.items():
        coordinates, direction, function = axes.get(name, ((), direction, osim.Constant(0.0)))
        axis = getattr(spatial, f"upd_{name}")()
        axis.setCoordinateNames(words(*coordinates))
        axis.setAxis(Vec3(*direction))
        axis.setFunction(owned(function))
    return spatial


def spline(*points):
    function = osim.SimmSpline()
    for x, y in points:
        function.addPoint(x, y)
    return owned(function)


def polynomial(*coefficients):
    vector = osim.Vector(len(coefficients), 0.0)
    for k, value in enumerate(coefficients):
        vector[k] = value
    return osim.PolynomialFunction(vector)


def models():
    for name, kind in (("pin", osim.PinJoint), ("slider", osim.SliderJoint), ("ball", osim.BallJoint),
                       ("free", osim.FreeJoint), ("universal", osim.UniversalJoint), ("gimbal", osim.GimbalJoint),
                       ("planar", osim.PlanarJoint)):
        make = Maker(name)
        first = make.join(kind, "one", make.model.getGround())
        if name not in ("free",):
            first = make.join(kind, "two", first)
        make.join(osim.WeldJoint, "fast", first)
        yield make.model
    make = Maker("custom")
    knee = transform(rotation1=(("flex",), (0, 0, 1), osim.LinearFunction(1.0, 0.1)),
                     # a constant angle here would make OpenSim's velocities other than the rates of its positions
                     rotation2=(("tilt",), (0, 1, 0), osim.LinearFunction(0.7, 0.1)),
                     rotation3=(("twist",), (1, 0, 0), osim.LinearFunction(0.5, 0.1)),
                     translation1=(("flex",), (1, 0, 0), osim.MultiplierFunction(
                         spline((-2, 0.01), (-1, 0.03), (0, 0.02), (1, -0.01), (2, 0.0)), 1.2)),
                     translation2=(("flex",), (0, 1, 0), polynomial(0.1, -0.2, 0.05)),
                     translation3=(("twist",), (0, 0, 1), spline((-3, 0), (-1, 0.05), (0, 0.1), (3, -0.2))))
    make.join(osim.CustomJoint, "knee", make.model.getGround(), knee)
    yield make.model
    make = Maker("constant_angle")
    bent = transform(rotation1=(("flex",), (0, 0, 1), osim.LinearFunction(1.0, 0.1)),
                     rotation2=((), (0, 1, 0), osim.Constant(0.4)),
                     rotation3=(("twist",), (1, 0, 0), osim.LinearFunction(0.5, 0.1)),
                     translation1=((), (1, 0, 0), osim.Constant(0.2)),
                     translation2=(("flex",), (0, 1, 0), polynomial(0.1, -0.2, 0.05)))
    make.join(osim.PinJoint, "ankle", make.join(osim.CustomJoint, "bent", make.model.getGround(), bent))
    yield make.model
    make = Maker("chain")
    hip = make.join(osim.BallJoint, "hip", make.model.getGround())
    shank = make.join(osim.PinJoint, "knee", hip)
    foot = make.join(osim.UniversalJoint, "ankle", shank)
    make.join(osim.SliderJoint, "toe", foot)
    yield make.model
    make = Maker("coupled")
    first = make.join(osim.PinJoint, "first", make.model.getGround())
    make.join(osim.PinJoint, "second", first)
    coupler = osim.CoordinateCouplerConstraint()
    coupler.setName("couple")
    coupler.setIndependentCoordinateNames(words("first_coord_0"))
    coupler.setDependentCoordinateName("second_coord_0")
    coupler.setFunction(owned(osim.LinearFunction(0.3, 0.05)))
    make.model.addConstraint(owned(coupler))
    make.model.addContactGeometry(owned(osim.ContactSphere(0.05, Vec3(0.1, 0, 0), first, "heel")))
    yield make.model


def facts(model, chance):
    """Coordinates with random values, M and positions, constraints left alone."""
    state = model.initSystem()
    coordinates = [model.getCoordinateSet().get(k) for k in range(model.getCoordinateSet().getSize())]
    values = [chance.uniform(-1, 1) for _ in coordinates]
    for coordinate, value in zip(coordinates, values, strict=True):
        coordinate.setValue(state, value, False)

    def energy(*moving):
        for k, coordinate in enumerate(coordinates):
            coordinate.setSpeedValue(state, 1.0 if k in moving else 0.0)
        model.realizeVelocity(state)
        return model.calcKineticEnergy(state)

    n = len(coordinates)
    alone = [energy(k) for k in range(n)]
    M = [[2 * alone[i] if i == j else energy(i, j) - alone[i] - alone[j] for j in range(n)] for i in range(n)]
    bodies = {}
    for k in range(model.getBodySet().getSize()):
        body = model.getBodySet().get(k)
        p = body.getPositionInGround(state)
        bodies[body.getName()] = [p.get(i) for i in range(3)]
    return {"coordinates": [c.getName() for c in coordinates], "values": values, "M": M, "bodies": bodies}


if __name__ == "__main__":
    folder, out = Path(sys.argv[1]), {}
    osim.Logger.setLevelString("Error")
    for model in models():
        kept.append(model)
        model.finalizeConnections()
        file = folder / f"{model.getName()}.osim"
        model.printToXML(str(file))
        out[file.name] = facts(model, random.Random(1))
        (folder / "facts.json").write_text(json.dumps(out))
    # OpenSim's destructors and Python's do not agree about who goes first
    import os

    os._exit(0)
