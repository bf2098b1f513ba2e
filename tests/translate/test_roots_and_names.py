"""Roots, reactions at the joints' own frames, and results that can all be computed."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import forces, joints, parts


def arm(n, backwards=False):
    m = lw.Model("arm")
    m.world = lw.World()
    m.rev = joints.Revolute(n=n, phi=0.3, w=0.4)
    m.rod = parts.FixedTranslation(r=[0.2, 0.1, 0])
    m.body = parts.Body(m=1, r_cm=[0.5, 0.1, 0.2])
    m.push = forces.WorldForce(force=[0, 1, 0])
    ends = (m.rev.frame_b, m.rev.frame_a) if backwards else (m.rev.frame_a, m.rev.frame_b)
    m.connect(m.world.frame_b, ends[0])
    m.connect(ends[1], m.rod.frame_a)
    m.connect(m.rod.frame_b, m.body.frame_a, m.push.frame_b)
    return m


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("n", [[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 2, 3]])
def test_a_reaction_is_minus_the_cut_load_at_frame_b(n, backwards):
    system = lw.compile(arm(n, backwards))
    s = system.state()
    reaction = system.reactions(s)["rev"]
    np.testing.assert_allclose(reaction.resultant, -s.get("rev.frame_b.f"), atol=1e-12)
    np.testing.assert_allclose(reaction.moment, -s.get("rev.frame_b.t"), atol=1e-12)


def test_the_reaction_at_rest_is_the_weight():
    m = arm([0, 1, 0])
    m.push.force = [0, 0, 0]
    s = (system := lw.compile(m)).state()
    s.u[:] = 0
    np.testing.assert_allclose(system.reactions(s)["rev"].resultant, [0, 9.80665, 0], atol=1e-12)


def test_roots_are_the_ground_and_free_bodies():
    m = arm([0, 0, 1])
    m.free = parts.BodyShape(m=1, r=[1, 0, 0], r_cm=[0.5, 0, 0])
    m.hung = parts.FixedTranslation(r=[1, 0, 0])
    m.connect(m.free.frame_b, m.hung.frame_a)
    system = lw.compile(m)
    assert [system.is_root(f) for f in ("world.frame_b", "free.frame_a", "body.frame_a")] == [True, True, False]
    assert system.rooted("rod.frame_a") and not system.rooted("rod.frame_b")
    assert system.rooted("hung.frame_a") and not system.rooted("hung.frame_b")
    with pytest.raises(lw.ModelError, match=r"rod\.frame_a"):
        system.is_root("rod.frame_x")


def test_all_names_can_be_computed_with_unconnected_optional_frames(tmp_path):
    r = lw.simulate(arm([0, 0, 1]), 0.1)
    assert not any("frame_resolve" in name for name in r.names)
    assert all(np.all(np.isfinite(value)) for value in r.get_many(list(r.names)).values())
    r.save(tmp_path / "arm.nc")
    assert lw.load(tmp_path / "arm.nc")["rev.phi"] == pytest.approx(r["rev.phi"])


def test_parameters_can_be_asked_for_by_name():
    r = lw.simulate(arm([0, 0, 1]), 0.1)
    assert r["body.m"] == pytest.approx(np.ones(len(r.t)))
    assert r["body.r_cm"][0] == pytest.approx([0.5, 0.1, 0.2])


class Link(lw.Model):
    mass = lw.parameter(1.0, "mass")

    def __init__(self, **given):
        super().__init__(**given)
        self.end = lw.Frame()
        self.body = parts.Body(m=self.mass, r_cm=[1, 0, 0])
        self.connect(self.end, self.body.frame_a)


def test_connectors_of_sub_models_have_results():
    m = lw.Model("nested")
    m.world = lw.World()
    m.rev = joints.Revolute(phi=0.1)
    m.rod = parts.FixedTranslation(r=[0.5, 0, 0])
    m.link = Link(mass=2.0)
    m.chain(m.world, m.rev, m.rod)
    m.connect(m.rod.frame_b, m.link.end)
    s = lw.compile(m).state()
    assert s.get("link.end.r_0") == pytest.approx([0.5 * np.cos(0.1), 0.5 * np.sin(0.1), 0])


def test_a_sub_model_follows_its_parameters():
    link = Link(mass=2.0)
    link.mass = 5.0
    assert link.body.m == 5.0
