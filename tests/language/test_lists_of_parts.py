"""Parts that belong together are named by one list."""

import pytest

import linkwright as lw
from linkwright import joints, parts
from linkwright.errors import ModelError


def chain(n: int) -> lw.Model:
    m = lw.Model("chain")
    m.world = lw.World()
    m.rev = [joints.Revolute(phi=0.1 * k) for k in range(n)]
    m.link = [parts.BodyShape(m=1, r=[0.5, 0, 0], r_cm=[0.25, 0, 0]) for _ in range(n)]
    m.chain(m.world, *(part for pair in zip(m.rev, m.link, strict=True) for part in pair))
    return m


def test_members_are_named_by_their_number():
    m = chain(3)
    assert m.rev[2].path == "rev[2]" and m.link[0].frame_b.path == "link[0].frame_b"
    r = lw.simulate(m, 0.1)
    assert r["rev[2].phi"][0] == 0.2 and r["link[1].r_0"].shape == (len(r.t), 3)


def test_the_motion_is_that_of_parts_named_one_by_one():
    m = lw.Model("chain")
    m.world = lw.World()
    m.rev0, m.rev1 = joints.Revolute(phi=0.0), joints.Revolute(phi=0.1)
    m.link0, m.link1 = (parts.BodyShape(m=1, r=[0.5, 0, 0], r_cm=[0.25, 0, 0]) for _ in range(2))
    m.chain(m.world, m.rev0, m.link0, m.rev1, m.link1)
    assert lw.simulate(m, 1.0)["rev1.phi"][-1] == lw.simulate(chain(2), 1.0)["rev[1].phi"][-1]


def test_lists_in_lists_and_of_connectors():
    class Star(lw.Model):
        def __init__(self):
            super().__init__()
            self.hub, self.tip = lw.Frame(), [lw.Frame(), lw.Frame()]
            self.arm = [[parts.FixedTranslation(r=[1 + i, j, 0]) for j in range(2)] for i in range(2)]
            for i in range(2):
                self.connect(self.hub, self.arm[i][0].frame_a, self.arm[i][1].frame_a)
                self.connect(self.arm[i][1].frame_b, self.tip[i])

    m = lw.Model("star")
    m.world, m.star = lw.World(), Star()
    m.body = [parts.Body(m=1), parts.Body(m=2)]
    m.connect(m.world.frame_b, m.star.hub)
    for tip, body in zip(m.star.tip, m.body, strict=True):
        m.connect(tip, body.frame_a)
    assert m.star.arm[1][0].path == "star.arm[1][0]" and m.star.tip[1].path == "star.tip[1]"
    assert list(lw.compile(m).state().get("body[1].r_0")) == [2, 1, 0]


def test_a_list_is_a_name_like_any_other():
    m = chain(2)
    with pytest.raises(ModelError, match="rev is already there"):
        m.rev = joints.Revolute()
    with pytest.raises(ModelError, match="rev is a component and stays"):
        m.rev = 3
    with pytest.raises(ModelError, match="rev is a component and stays"):
        del m.rev
    with pytest.raises(ModelError, match="mixed: a list of components holds nothing else, got 1.0"):
        m.mixed = [parts.Body(m=1), 1.0]
    with pytest.raises(ModelError, match="is already 'rev\\[0\\]'"):
        m.again = [m.rev[0]]


@pytest.mark.parametrize("suffix", ["csv", "nc"])
def test_names_survive_files(tmp_path, suffix):
    r = lw.simulate(chain(2), 0.1)
    r.save(tmp_path / f"r.{suffix}")
    again = lw.load(tmp_path / f"r.{suffix}")
    assert (again["link[1].r_0"] == r["link[1].r_0"]).all() and (again["rev[0].phi"] == r["rev[0].phi"]).all()
