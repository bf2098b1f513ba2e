"""Agreement with Pinocchio on random trees of the joints both have."""

import casadi as ca
import numpy as np
import pytest

from linkwright.algebra import Transform, axis_frame
from linkwright.equations import Equations
from linkwright.equations.derivatives import forward_derivatives, inverse_derivatives
from linkwright.mechanism import (
    BendStretch,
    Bushing,
    Cylindrical,
    Free,
    Gimbal,
    MechanismBuilder,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    SphericalCoords,
    Translation,
    Universal,
)
from mechanisms import random_inertia, random_pose, random_q, world_acceleration

pin = pytest.importorskip("pinocchio")
x, y, z = np.eye(3)
skew = np.array([1.0, -2.0, 0.5]) / np.linalg.norm([1.0, -2.0, 0.5])


def composite(*parts):
    joint = pin.JointModelComposite(len(parts))
    for part in parts:
        joint.addJoint(part())
    return joint


def along(kind, axis, joint):
    """A joint that moves along or about `axis` of its frame: ours does so along its own z."""
    return kind, Transform(axis_frame(axis)), joint


#: our kind, the frame in which it moves, Pinocchio's joint
CONSTANT_SUBSPACE = {
    "revolute x": along(Revolute(), x, pin.JointModelRX()),
    "revolute y": along(Revolute(), y, pin.JointModelRY()),
    "revolute z": along(Revolute(), z, pin.JointModelRZ()),
    "revolute skew": along(Revolute(), skew, pin.JointModelRevoluteUnaligned(skew)),
    "prismatic x": along(Prismatic(), x, pin.JointModelPX()),
    "prismatic skew": along(Prismatic(), skew, pin.JointModelPrismaticUnaligned(skew)),
    "screw": along(Screw(0.4), y, pin.JointModelHY(0.4)),
    "cylindrical": (Cylindrical(), Transform(), composite(pin.JointModelRZ, pin.JointModelPZ)),
    "spherical": (Spherical(), Transform(), pin.JointModelSpherical()),
    "translation": (Translation(), Transform(), pin.JointModelTranslation()),
    "free": (Free(), Transform(), pin.JointModelFreeFlyer()),
}
CHANGING_SUBSPACE = {
    "universal": (Universal(), Transform(), composite(pin.JointModelRX, pin.JointModelRY)),
    "bend-stretch": (BendStretch(), Transform(), composite(pin.JointModelRZ, pin.JointModelPX)),
    "spherical coordinates": (SphericalCoords(), Transform(), composite(pin.JointModelRZ, pin.JointModelRY,
                                                                        pin.JointModelPZ)),
    "gimbal": (Gimbal(), Transform(), composite(pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)),
    "planar": (Planar(), Transform(), composite(pin.JointModelPX, pin.JointModelPY, pin.JointModelRZ)),
    "bushing": (Bushing(), Transform(), composite(pin.JointModelTranslation, pin.JointModelRX, pin.JointModelRY,
                                                  pin.JointModelRZ)),
}
#: Pinocchio's order of our coordinates and speeds, where it is another (quaternions end with the scalar)
ORDER_Q = {"spherical": [1, 2, 3, 0], "free": [4, 5, 6, 1, 2, 3, 0], "planar": [1, 2, 0], "bushing": [3, 4, 5, 0, 1, 2]}
ORDER_U = {"free": [3, 4, 5, 0, 1, 2], "planar": [1, 2, 0], "bushing": [3, 4, 5, 0, 1, 2]}


class Pair:
    """The same random tree in both programs, in one random state."""

    def __init__(self, joints: dict, seed: int):
        random = np.random.default_rng(seed)
        names = list(joints) * 2
        random.shuffle(names)
        builder, self.model = MechanismBuilder("tree", gravity=(0.3, 1.0, -9.5)), pin.Model()
        self.model.gravity.linear = np.array([0.3, 1.0, -9.5])
        ids, branch, q, order_q, order_u = {"world": 0}, ["world"], [], [], []
        for k, name in enumerate(names):
            kind, X_axis, joint = joints[name]
            # Pinocchio counts bodies depth first: only the branch last added to may go on
            branch = branch[: len(branch) - min(random.integers(3), len(branch) - 1)]
            parent = branch[-1]
            branch.append(f"b{k}")
            X, inertia = random_pose(random), random_inertia(random)
            builder.body(f"b{k}", parent, kind, X @ X_axis, X_axis, inertia)
            ids[f"b{k}"] = self.model.addJoint(ids[parent], joint, pin.SE3(X.R, X.p), f"b{k}")
            self.model.appendBodyToJoint(ids[f"b{k}"], pin.Inertia(inertia.m, inertia.com(), inertia.central()),
                                         pin.SE3.Identity())
            order_q += [len(order_q) + i for i in ORDER_Q.get(name, range(kind.nq))]
            order_u += [len(order_u) + i for i in ORDER_U.get(name, range(kind.nu))]
            q.append(random_q(kind, random))
        X_tip = random_pose(random)
        builder.frame("tip", f"b{k}", X_tip)
        self.tip = self.model.addFrame(pin.Frame("tip", ids[f"b{k}"], pin.SE3(X_tip.R, X_tip.p), pin.OP_FRAME))
        self.data = self.model.createData()
        self.equations = Equations(builder.build())
        self.order = order_u  # Pinocchio's vector is ours[order]
        self.q, (self.u, self.udot, self.tau) = np.concatenate(q), random.normal(size=(3, self.model.nv))
        self.peer = self.q[order_q], self.u[order_u], self.udot[order_u], self.tau[order_u]

    def ours(self, expression):
        """The value of an expression in (q, u, f, udot)."""
        s = self.equations.symbols
        return np.asarray(ca.Function("value", [s["q"], s["u"], s["f"], s["udot"]], [ca.densify(expression)])(
            self.q, self.u, self.tau, self.udot)).squeeze()


def agree(ours, peer):
    np.testing.assert_allclose(ours, peer, rtol=1e-10, atol=1e-10 * np.abs(peer).max())


@pytest.fixture(scope="module", params=[0, 1, 2], ids="tree {}".format)
def pair(request):
    return Pair(CONSTANT_SUBSPACE | CHANGING_SUBSPACE, request.param)


@pytest.fixture(scope="module", params=[3, 4], ids="tree {}".format)
def simple_pair(request):
    """Pinocchio's analytic derivatives take the columns of a joint to be constant."""
    return Pair(CONSTANT_SUBSPACE, request.param)


def test_forward_dynamics(pair):
    q, u, _, tau = pair.peer
    agree(pair.ours(pair.equations.udot)[pair.order], pin.aba(pair.model, pair.data, q, u, tau))


def test_inverse_dynamics(pair):
    q, u, udot, _ = pair.peer
    agree(pair.ours(pair.equations.tau)[pair.order], pin.rnea(pair.model, pair.data, q, u, udot))


def test_mass_matrix(pair):
    M = pin.crba(pair.model, pair.data, pair.peer[0])
    M = np.triu(M) + np.triu(M, 1).T
    agree(pair.ours(pair.equations.mass_matrix)[np.ix_(pair.order, pair.order)], M)


def test_frame_jacobian(pair):
    """Rows (ω, v) at the frame's origin in its axes; Pinocchio's have v first."""
    J = pin.computeFrameJacobian(pair.model, pair.data, pair.peer[0], pair.tip, pin.LOCAL)
    agree(pair.ours(pair.equations.jacobian("tip"))[:, pair.order], J[[3, 4, 5, 0, 1, 2]])


def test_derivatives_of_inverse_dynamics(simple_pair):
    pair, e = simple_pair, simple_pair.equations
    q, u, udot, _ = pair.peer
    d = inverse_derivatives(e.kinematics, e.symbols["udot"], world_acceleration(e.mechanism))
    peer = pin.computeRNEADerivatives(pair.model, pair.data, q, u, udot)
    for ours, theirs in zip((d.q, d.u), peer[:2], strict=True):
        agree(pair.ours(ours)[np.ix_(pair.order, pair.order)], theirs)


def test_derivatives_of_forward_dynamics(simple_pair):
    pair, e = simple_pair, simple_pair.equations
    q, u, _, tau = pair.peer
    d = inverse_derivatives(e.kinematics, e.udot, world_acceleration(e.mechanism))
    ours = forward_derivatives(e.kinematics, d)
    peer = pin.computeABADerivatives(pair.model, pair.data, q, u, tau)
    for found, theirs in zip((ours.q, ours.u), peer[:2], strict=True):
        agree(pair.ours(found)[np.ix_(pair.order, pair.order)], theirs)
