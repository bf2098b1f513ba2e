"""Files of Standard Input Data of other programs.

One is written here by hand, as the format allows.  Three public ones are read where they lie:

    git clone https://github.com/vwaurich/EMBS_ModelicaLib
    LINKWRIGHT_SID=EMBS_ModelicaLib/EMBSlib/Resources/Data pytest tests/flexible/test_sid_files.py
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright import flexible, joints, parts

#: a mass of 2 kg at 0.5 along x on an arm without mass, with one shape along y: φ = 1 there, K = 800, De = 0.4
BY_HAND = """  1  1    : one mass on a spring
 part
      new modal                       =
           refmod
                mass                  = 2.0D+00
                nelastq               =     1
                ielastq (   1)        = Eigen Mode 1 :  3.183 Hz
           end refmod
           frame
                new node              =    7
                     rframe           =    body ref
                     origin
                          order       =    1
                          nrow        =    3
                          ncol        =    1
                          nq          =    1
                          nqn         =    0
                          structure   =    3
                          m0( 1, 1)   = 5.0D-01
                          m1( 2, 1, 1) = 1.0D+00
                     end origin
                     phi
                          structure   =    3
                          m0( 2, 1)   = 1.0D+00
                     end phi
                     psi
                          structure   =    3
                          m0( 3, 1)   = 2.0D+00
                     end psi
                end node
           end frame
           mdCM
                m0( 1, 1)             = 1.0D+00
                m1( 2, 1, 1)          = 2.0D+00
           end mdCM
           J
                m0( 2, 1)             = 5.0D-01
                m0( 3, 1)             = 5.0D-01
                m1( 4, 1, 1)          =-1.0D+00
           end J
           Ct
                m0( 1, 2)             = 2.0D+00
           end Ct
           Cr
                m0( 1, 3)             = 1.0D+00
           end Cr
           Me
                structure             =    2
                m0( 1, 1)             = 2.0D+00
           end Me
           Gr
                m0( 2, 1)             =-2.0D+00
           end Gr
           Oe
                m0( 1, 4)             = 1.0D+00
                m1( 1, 1, 1)          =-2.0D+00
                m1( 1, 1, 3)          =-2.0D+00
           end Oe
           Ke
                structure             =    2
                m0( 1, 1)             = 8.0D+02
           end Ke
           De
                structure             =    2
                m0( 1, 1)             = 4.0D-01
           end De
      end modal
 end part
"""


def test_a_file_written_by_hand(tmp_path):
    """The mass swings across its arm: as a pendulum with a spring, whatever the file leaves out."""
    path = tmp_path / "mass.SID_FEM"
    path.write_text(BY_HAND)
    data = flexible.read_sid(path)
    assert data.title == "one mass on a spring"
    assert not [note for note in data.notes if "differ" in note], data.notes
    assert data.frequencies == pytest.approx([20 / 2 / np.pi])
    points = lw.mechanism.kinds.Integrals.of_points(np.array([2.0]), np.array([[0.5, 0, 0]]),
                                                    np.array([[[0.0], [1.0], [0.0]]]))
    for name in ("m", "mc", "J0", "Ct", "C2", "C3", "Me"):
        assert np.asarray(getattr(data.integrals, name)) == pytest.approx(np.asarray(getattr(points, name))), name
    assert np.swapaxes(data.integrals.J1, 1, 2) + data.integrals.J1 == pytest.approx(
        np.swapaxes(points.J1, 1, 2) + points.J1)
    assert data.integrals.J2[0, 0] == pytest.approx(points.J2[0, 0])
    m = lw.Model("arm")
    m.world, m.hinge = lw.World(), joints.Revolute(phi=0.3)
    m.arm, m.rotor = flexible.ModalBody(data, frames={"mass": 7}, q=[0.05]), parts.Body(m=1.0, inertia=[0.1] * 3)
    m.chain(m.world, m.hinge, m.arm)
    m.connect(m.hinge.frame_b, m.rotor.frame_a)
    r = lw.simulate(m, 0.2)
    length = np.hypot(0.5, np.ravel(r["arm.q"]))
    assert length == pytest.approx(np.linalg.norm(r["arm.mass.r_0"], axis=1), abs=1e-9)
    with pytest.raises(lw.ModelError, match="'tip' is node 9"):
        flexible.ModalBody(data, frames={"tip": 9})


def test_a_file_that_contradicts_itself_is_read_and_named(tmp_path):
    path = tmp_path / "mass.SID_FEM"
    path.write_text(BY_HAND.replace("m1( 2, 1, 1)          = 2.0D+00", "m1( 2, 1, 1)          = 2.1D+00"))
    with pytest.warns(UserWarning, match=r"mass.SID_FEM: mdCM.m1 and Ct.m0 differ by 0.048"):
        data = flexible.read_sid(path)
    assert any("mdCM.m1 and Ct.m0 differ by 0.048" in note for note in data.notes)
    for text, said in (("a shopping list", "no refmod with mass and nelastq"),
                       (BY_HAND.replace("m0( 1, 3)             = 1.0D+00", "m0( 3, 3)             = 1.0D+00"),
                        r"mass.SID_FEM, Cr: an entry has indices \(3, 3\), where \(1, 3\) are the largest"),
                       (BY_HAND[: BY_HAND.index("Ke")], "no stiffness Ke; is the file whole"),
                       (BY_HAND.replace("8.0D+02", "stiff"), r"'m0\( 1, 1\) .* = stiff' is no entry")):
        path.write_text(text)
        with pytest.raises(lw.ModelError, match=said):
            flexible.read_sid(path)


#: mass, m c along the body, first frequencies in Hz
PUBLIC = {"balken1m": (.785, .3925, [8.359714]), "beam": (12.5604, 4.8357515, [51.626225]),
          "Beam_3m": (706.5, 1059.75, [9.088683, 27.027771, 56.63782, 146.315608])}


@pytest.mark.slow
@pytest.mark.skipif("LINKWRIGHT_SID" not in os.environ, reason="LINKWRIGHT_SID is not a folder of public files")
@pytest.mark.parametrize("name", PUBLIC)
def test_public_files(name, tmp_path):
    data = flexible.read_sid(Path(os.environ["LINKWRIGHT_SID"]) / f"{name}.SID_FEM")
    assert not [note for note in data.notes if "differ" in note], data.notes
    mass, moment, frequencies = PUBLIC[name]
    assert (data.integrals.m, np.abs(data.integrals.mc).max()) == pytest.approx((mass, moment), rel=1e-6)
    assert data.frequencies[: len(frequencies)] == pytest.approx(frequencies, rel=1e-6)
    flexible.write_sid(data, tmp_path / "first.SID_FEM")
    flexible.write_sid(flexible.read_sid(tmp_path / "first.SID_FEM"), tmp_path / "second.SID_FEM")
    assert (tmp_path / "first.SID_FEM").read_text() == (tmp_path / "second.SID_FEM").read_text()
    # two of them contradict themselves: shapes take more momentum than the mass allows, which is said
    assert any("negative kinetic energy" in note for note in data.notes) == (name != "beam")
    m = lw.Model("held")
    m.world, m.part = lw.World(gravity=None), flexible.ModalBody(replace(data, D=0 * data.D))
    m.connect(m.world.frame_b, m.part.frame_a)
    assert lw.modes(m).frequency[: len(frequencies)] == pytest.approx(frequencies, rel=1e-6)
    if name == "beam":
        m = lw.Model("flying")
        m.world, m.part = lw.World(), flexible.ModalBody(replace(data, D=0 * data.D), w_a=[0.3, 2.0, 0.5])
        r = lw.simulate(m, 0.05)
        energy = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"]
        assert np.ptp(energy) < 1e-7 * np.ptp(r["potential_energy"])
