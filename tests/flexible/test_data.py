"""Where modal bodies come from: finite elements by Craig and Bampton's reduction, files of Standard Input Data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

import linkwright as lw
from linkwright import flexible, joints

LENGTH, E, RHO, SIDE = 1.0, 2.1e11, 7850.0, 0.02
UNIT = np.sqrt(E * SIDE**2 / 12 / RHO) / LENGTH**2


def beam_elements(n=100):
    """M, K and nodes of a straight beam along x: Hermite's cubics across, linear along and in torsion."""
    area, second, step = SIDE**2, SIDE**4 / 12, LENGTH / n
    G, polar = E / 2.6, 2 * SIDE**4 / 12
    k, m = np.zeros((12, 12)), np.zeros((12, 12))
    for (i, j), stiff, heavy in (((0, 6), E * area / step, RHO * area * step / 6),
                                 ((3, 9), G * polar / step, RHO * polar * step / 6)):
        k[np.ix_([i, j], [i, j])] += stiff * np.array([[1, -1], [-1, 1]])
        m[np.ix_([i, j], [i, j])] += heavy * np.array([[2, 1], [1, 2]])
    s = step
    bend = E * second / s**3 * np.array([[12, 6 * s, -12, 6 * s], [6 * s, 4 * s * s, -6 * s, 2 * s * s],
                                         [-12, -6 * s, 12, -6 * s], [6 * s, 2 * s * s, -6 * s, 4 * s * s]])
    heavy = RHO * area * s / 420 * np.array([[156, 22 * s, 54, -13 * s], [22 * s, 4 * s * s, 13 * s, -3 * s * s],
                                             [54, 13 * s, 156, -22 * s], [-13 * s, -3 * s * s, -22 * s, 4 * s * s]])
    sign = np.diag([1, -1, 1, -1])
    for places, turn in (([1, 5, 7, 11], np.eye(4)), ([2, 4, 8, 10], sign)):
        k[np.ix_(places, places)] += turn @ bend @ turn
        m[np.ix_(places, places)] += turn @ heavy @ turn
    K, M = np.zeros((6 * n + 6,) * 2), np.zeros((6 * n + 6,) * 2)
    for e in range(n):
        part = slice(6 * e, 6 * e + 12)
        K[part, part] += k
        M[part, part] += m
    return M, K, np.stack([np.linspace(0, LENGTH, n + 1), np.zeros(n + 1), np.zeros(n + 1)], 1)


#: natural shapes with both ends held in each plane → errors of the first two free–free and clamped–free frequencies
TABLE = {0: (.20, .49, 4.8e-3, .58), 1: (3.6e-3, .49, 3.5e-4, 4.2e-3), 2: (3.6e-3, 4.4e-3, 5.8e-5, 1.1e-3),
         4: (4.1e-4, 9.2e-4, 5.4e-6, 1.4e-4)}


@pytest.mark.parametrize("shapes", TABLE)
def test_craig_bampton(shapes):
    M, K, nodes = beam_elements()
    data = flexible.reduce(M=M, K=K, nodes=nodes, interfaces={"frame_a": [0], "frame_b": [100]}, modes=2 * shapes)
    i = data.integrals
    C = np.array([[0, -i.mc[2], i.mc[1]], [i.mc[2], 0, -i.mc[0]], [-i.mc[1], i.mc[0], 0]])
    N = np.hstack([i.Ct, i.C2])
    whole = np.block([[i.m * np.eye(3), C.T, N[:, :3].T], [C, i.J0, N[:, 3:].T], [N[:, :3], N[:, 3:], i.Me]])
    stiff = np.zeros_like(whole)
    stiff[6:, 6:] = data.K
    free = np.sqrt(np.maximum(eigh(stiff, whole, eigvals_only=True)[6:], 0)) / UNIT
    held = np.sqrt(eigh(data.K, i.Me, eigvals_only=True)) / UNIT
    errors = [np.min(np.abs(found / exact - 1)) for found, exact in (
        (free, 22.373285448), (free, 61.672822868), (held, 3.516015269), (held, 22.034491564))]
    assert errors == pytest.approx(TABLE[shapes], rel=0.05)
    assert (i.m, i.mc[0] / i.m) == pytest.approx((RHO * SIDE**2, 0.5), rel=1e-9)


def test_a_reduced_body_in_a_model():
    M, K, nodes = beam_elements(20)
    data = flexible.reduce(M=M, K=K, nodes=nodes, interfaces={"frame_a": [0], "frame_b": [20]}, modes=4)
    m = lw.Model("arm")
    m.world = lw.World()
    m.rev, m.arm = joints.Revolute(phi=0.5), flexible.ModalBody(data, frames={"middle": 10})
    m.chain(m.world, m.rev, m.arm)
    r = lw.simulate(m, 0.05)
    energy = r["kinetic_energy"] + r["potential_energy"] + r["elastic_energy"]
    assert np.ptp(energy) < 1e-7 * np.ptp(r["potential_energy"])
    assert np.linalg.norm(r["arm.middle.r_0"], axis=1) == pytest.approx(0.5, abs=1e-4)


def test_matrices_from_files(tmp_path):
    M, K, nodes = beam_elements(4)
    numbers = [10, 20, 30, 40, 50]
    for name, matrix in (("M", M), ("K", K)):
        rows = [f"{numbers[i // 6]},{i % 6 + 1}, {numbers[j // 6]},{j % 6 + 1}, {matrix[i, j]!r}"
                for i in range(30) for j in range(i + 1) if matrix[i, j]]
        (tmp_path / f"{name}.mtx").write_text("** from finite elements\n" + "\n".join(rows).replace("np.float64(", "")
                                              .replace(")", ""))
    given = {"interfaces": {"frame_a": [10], "frame_b": [50]}, "modes": 2, "numbers": numbers, "nodes": nodes}
    found = flexible.reduce(M=tmp_path / "M.mtx", K=tmp_path / "K.mtx", **given)
    assert found.frequencies == pytest.approx(flexible.reduce(M=M, K=K, **given).frequencies, rel=1e-9)
    np.savez(tmp_path / "beam.npz", M=M, K=K, nodes=nodes)
    del given["nodes"]
    assert flexible.reduce(tmp_path / "beam.npz", **given).frequencies == pytest.approx(found.frequencies, rel=1e-9)


def test_what_does_not_fit_is_refused():
    M, K, nodes = beam_elements(10)
    ends = {"frame_a": [0], "frame_b": [10]}
    with pytest.raises(lw.ModelError, match="coordinates or units do not fit"):
        flexible.reduce(M=M, K=K, nodes=1000 * nodes, interfaces=ends)
    with pytest.raises(lw.ModelError, match=r"'big' selects no node within 0.01 m .* nearest is node 10"):
        flexible.reduce(M=M, K=K, nodes=nodes, interfaces={"big": ([1.0, 0.013, 0], 0.01)})
    with pytest.raises(lw.ModelError, match="names node 99"):
        flexible.reduce(M=M, K=K, nodes=nodes, interfaces={"a": [99]})
    with pytest.raises(lw.ModelError, match="symmetric"):
        flexible.reduce(M=M, K=np.triu(K), nodes=nodes, interfaces=ends)
    loose = K.copy()
    loose[30:, :30] = loose[:30, 30:] = 0
    with pytest.raises(lw.ModelError, match="do not fit|mechanism inside the mesh"):
        flexible.reduce(M=M, K=loose, nodes=nodes, interfaces={"frame_a": [0]})


def test_standard_input_data_written_and_read_again(tmp_path):
    M, K, nodes = beam_elements(10)
    data = flexible.reduce(M=M, K=K, nodes=nodes, interfaces={"frame_a": [0], "frame_b": [10]}, modes=2)
    first, second = tmp_path / "beam.SID_FEM", tmp_path / "again.SID_FEM"
    flexible.write_sid(data, first)
    read = flexible.read_sid(first)
    assert not [note for note in read.notes if "differ" in note]
    for name in ("m", "mc", "J0", "Ct", "C2", "C3", "Me"):
        assert np.asarray(getattr(read.integrals, name)) == pytest.approx(np.asarray(getattr(data.integrals, name)),
                                                                          rel=1e-12, abs=1e-15)
    assert read.frequencies == pytest.approx(data.frequencies, rel=1e-12)
    flexible.write_sid(read, second)
    # equal but for rounding in Oe, of which the symmetric part is kept
    texts = [path.read_text().splitlines() for path in (first, second)]
    for a, b in zip(*texts, strict=True):
        assert a == b or a.split("=")[0] == b.split("=")[0] and abs(_number(a) - _number(b)) < 1e-12 or ":" in a
    m = lw.Model("arm")
    m.world = lw.World()
    m.rev, m.arm = joints.Revolute(phi=0.5), flexible.ModalBody(read, frames={"tip": 10})
    m.chain(m.world, m.rev, m.arm)
    r = lw.simulate(m, 0.02)
    assert np.linalg.norm(r["arm.tip.r_0"], axis=1) == pytest.approx(1.0, abs=1e-4)


def _number(line):
    return float(line.split("=")[1].replace("D", "e"))


def test_indices_of_either_kind(tmp_path):
    """(row, column, shape) in the place of (row, shape, column): the same body."""
    data = flexible.beam_modes(1.0, flexible.Circle(diameter=0.02), flexible.Steel, 2).without_stiffening()
    path = tmp_path / "a.SID_FEM"
    flexible.write_sid(data, path)
    turned = []
    for line in path.read_text().splitlines():
        if line.startswith("m1("):
            places, value = line[3:].split(")")
            i, q, c = (x.strip() for x in places.split(","))
            line = f"m1( {i}, {c}, {q}){value}"
        turned.append(line)
    (tmp_path / "b.SID_FEM").write_text("\n".join(turned))
    a, b = flexible.read_sid(path), flexible.read_sid(tmp_path / "b.SID_FEM")
    assert np.array_equal(a.integrals.J2, b.integrals.J2)
    assert np.array_equal(a.integrals.C3, b.integrals.C3)


BODIES = {
    "spatial beam": lambda: flexible.beam_modes(1.0, flexible.Rectangle(height=0.02, width=0.03), flexible.Steel, 2,
                                                planes="xy xz").without_stiffening(),
    "block": lambda: flexible.Block([0.4, 0.1, 0.05], interfaces={"a": "x-", "b": "x+"}, modes=2,
                                    divisions=[3, 1, 1]).data,
    "plate": lambda: flexible.Block([0.4, 0.3, 0.01], flexible.Aluminium, interfaces={"a": "y-"}, modes=5,
                                    divisions=[3, 3, 1]).data,
}


@pytest.mark.parametrize("name", BODIES)
def test_identities_hold_and_files_read_back(name, tmp_path):
    """Written, read, written, read: the same body, and nothing that contradicts itself."""
    data, frames = BODIES[name](), []
    for k in range(2):
        path = tmp_path / f"{k}.SID_FEM"
        flexible.write_sid(data, path)
        read = flexible.read_sid(path)
        assert not [note for note in read.notes if "differ" in note]
        assert read.frequencies == pytest.approx(data.frequencies, rel=1e-12)
        for entry in ("m", "mc", "J0", "J1", "Ct", "C2", "C3", "Me"):
            old, new = (np.asarray(getattr(one.integrals.first(one.size), entry)) for one in (data, read))
            assert new == pytest.approx(old, abs=1e-10 * max(np.abs(old).max(), 1e-12)), entry
        frames.append(sorted(read.nodes))
        data = read
    assert frames[0] == frames[1]
