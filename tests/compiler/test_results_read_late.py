"""A result is read of the mechanism that ran, however often its model was compiled since."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import contact, forces, joints, parts
from linkwright import planar as pl


class Cubic(forces.LineForce):
    k = lw.parameter(1.0, unit="N/m3")

    def force(self, s, v):
        return self.k * s**3


class Bushing(pl.TwoFrameForce):
    k = lw.parameter(1.0, unit="N/m")

    def wrench(self, p, phi, v, w):
        return [-self.k * p[0], -self.k * p[1], -phi]


def line():
    m = lw.Model("line")
    m.world, m.body, m.law = lw.World(), parts.Body(m=1.0, r_0=[1, 0, 0]), Cubic(k=2.0)
    m.connect(m.world.frame_b, m.law.frame_a)
    m.connect(m.law.frame_b, m.body.frame_a)
    return m, "k", ["law.f"]


def bushing():
    m = lw.Model("bushing")
    m.world, m.wall, m.body, m.law = pl.World(), pl.Fixed(), pl.Body(m=1, I=0.1, r=[0.2, 0.1]), Bushing(k=20.0)
    m.connect(m.wall.frame, m.law.frame_a)
    m.connect(m.law.frame_b, m.body.frame_a)
    return m, "k", ["law.f"]


def touch(law):
    def ball():
        m = lw.Model("ball")
        m.world, m.floor, m.skin = lw.World(), contact.Plane(n=[0, 1, 0]), contact.Sphere(radius=0.1)
        m.body = parts.Body(m=1.0, inertia=[4e-3] * 3, r_0=[0, 0.1, 0], v_0=[1, -0.1, 0])
        m.connect(m.world.frame_b, m.floor.frame_a)
        m.connect(m.body.frame_a, m.skin.frame_a)
        m.law = contact.Pair(m.floor, m.skin, law=law)
        return m, None, ["law.f_n", "law.loss_power", "law.gap"]

    return ball


def parallelogram():
    m = lw.Model("parallelogram")
    m.world, m.side, m.skin = lw.World(), parts.FixedTranslation(r=[1, 0, 0]), contact.Sphere(radius=0.05)
    rod = lambda r: parts.BodyShape(m=1, r=r, r_cm=np.multiply(r, 0.5), inertia=[0.01] * 3)  # noqa: E731
    m.left, m.right, m.pin, m.end = joints.Revolute(w=-2.0), joints.Revolute(), joints.Revolute(), joints.Revolute()
    m.crank, m.rocker, m.coupler = rod([0, 0.5, 0]), rod([0, 0.5, 0]), rod([1, 0, 0])
    m.chain(m.world, m.left, m.crank, m.pin, m.coupler, m.end)
    m.chain(m.world, m.side, m.right, m.rocker)
    m.connect(m.end.frame_b, m.rocker.frame_b)
    m.under, m.floor = parts.Fixed(r=[1.2, 0, 0]), contact.Plane(n=[-1, 0, 0])
    m.connect(m.under.frame_b, m.floor.frame_a)
    m.connect(m.coupler.frame_b, m.skin.frame_a)
    m.law = contact.Pair(m.floor, m.skin, law=contact.Rigid(restitution=0.5, mu=0.3))
    return m, None, ["law.gap", "law.loss_power"]


CASES = [line, bushing, touch(contact.HuntCrossley(stiffness=1e4, dissipation=0.1, mu=0.5)),
         touch(contact.Rigid(mu=0.5)), parallelogram]


@pytest.mark.parametrize("case", CASES)
def test_a_model_compiled_again_changes_no_earlier_result(case):
    def run(again):
        m, number, names = case()
        r = lw.simulate(lw.compile(m, formulation="projection"), 0.1)
        if again:
            if number is not None:
                setattr(m.law, number, 3 * getattr(m.law, number))
            m.body2 = parts.Body(m=1.0) if not isinstance(m.world, pl.World) else pl.Body(m=1, I=1)
            lw.simulate(m, 0.1)
        return r.get_many(names)

    at_once, late = run(False), run(True)
    for name, values in at_once.items():
        np.testing.assert_array_equal(late[name], values)
