"""Reductions: geometric stiffening of meshes, elastic interfaces, free bodies, files of finite element programs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

import linkwright as lw
from linkwright import flexible, joints, parts, rotational

ALUMINIUM = flexible.Material(7e10, 0.0, 2700.0)  # without ν, so that theories of beams and solids agree
#: flapping and lag of a blade that spins at three times √(EI/ρAL⁴), over that (Wright and others 1982)
FLAPPING = 4.79727853


def strip(modes=4, divisions=(10, 1, 1), **given):
    """1 × 0.04 × 0.01 m, by hexahedra."""
    nodes, cells = flexible.block_mesh([1.0, 0.04, 0.01], divisions)
    return flexible.reduce(nodes=nodes, cells=cells, material=ALUMINIUM, modes=modes, **given), nodes


def root_of(nodes):
    return {"frame_a": np.flatnonzero(nodes[:, 0] < 1e-9).tolist()}


def first_flapping(data, spin):
    m = lw.Model("rotor")
    m.world = lw.World(gravity=None)
    m.hub, m.drive = joints.Revolute(n=[0, 0, 1]), rotational.Speed(exact=True)
    m.blade = flexible.ModalBody(data, start="static")  # stretched, where a shape stretches it
    m.drive.w_ref = spin
    m.connect(m.hub.axis, m.drive.flange)
    m.chain(m.world, m.hub, m.blade)
    values = np.linalg.eigvals(lw.linearize(m).A)
    return np.min(values.imag[values.imag > 0])


@pytest.fixture(scope="module")
def blade():
    nodes, _ = flexible.block_mesh([1.0, 0.04, 0.01], (10, 1, 1))
    return strip(modes=3, interfaces=root_of(nodes))[0]


def test_a_mesh_that_spins_becomes_stiffer(blade):
    """Theory of beams gives 4.797; this mesh is too stiff by 0.2 % at rest, and the spin adds its whole share."""
    unit = np.sqrt(ALUMINIUM.E * 0.01**2 / 12 / ALUMINIUM.rho)
    at_rest = 2 * np.pi * blade.frequencies[0] / unit
    expected = np.sqrt(FLAPPING**2 + at_rest**2 - 3.516015269**2)
    assert first_flapping(blade, 3 * unit) / unit == pytest.approx(expected, rel=1e-3)
    assert any("geometric stiffening by" in note for note in blade.notes)


@pytest.mark.parametrize("ends", [["frame_a"], ["frame_a", "frame_b"]])
def test_beams_of_matrices_that_spin_become_stiffer(ends):
    """With the lines along which they go; the first is the lag of a square beam, with Ω² less than flapping has."""
    from tests.flexible.test_data import UNIT, beam_elements

    M, K, nodes = beam_elements(20)
    given = {"M": M, "K": K, "nodes": nodes, "interfaces": dict(zip(ends, ([0], [20]), strict=False)), "modes": 6}
    data = flexible.reduce(**given, lines=[(k, k + 1) for k in range(20)])
    assert first_flapping(data, 3 * UNIT) / UNIT == pytest.approx(np.sqrt(FLAPPING**2 - 9), rel=1e-3)
    assert flexible.reduce(**given, lines=[(0, 1)], stiffening=False).quadratic is None


def test_stiffening_travels_in_standard_input_data(blade, tmp_path):
    """Written and read again: Ct.m1, phi.m1 and Oe.m1 hold what second order there is."""
    flexible.write_sid(blade, tmp_path / "blade.SID_FEM")
    read = flexible.read_sid(tmp_path / "blade.SID_FEM")
    assert not [note for note in read.notes if "differ" in note]
    unit = np.sqrt(ALUMINIUM.E * 0.01**2 / 12 / ALUMINIUM.rho)
    assert first_flapping(read, 3 * unit) == pytest.approx(first_flapping(blade, 3 * unit), rel=1e-7)
    again = tmp_path / "again.SID_FEM"
    flexible.write_sid(read, again)
    second = flexible.read_sid(again)
    second_order = np.einsum("akl,aij->klij", np.abs(read.quadratic), np.abs(read.integrals.J1[read.size:]))
    for name in ("Ct", "C2", "C3", "Me", "J1", "J2"):
        old, new = (getattr(one.integrals.first(read.size), name) for one in (read, second))
        lost = second_order.max() if name == "J2" else 0.0  # the file holds their sum, from which it is taken again
        rounding = 16 * np.finfo(float).eps  # sums over shapes, whose choice is LAPACK's, taken twice
        assert new == pytest.approx(old, rel=1e-12, abs=rounding * max(np.abs(old).max(), lost))


def test_a_reduction_is_saved_whole(blade, tmp_path):
    blade.save(tmp_path / "blade.npz")
    again = flexible.Reduced.load(tmp_path / "blade.npz")
    assert str(again) == str(blade) and again.dropped == blade.dropped
    for name in ("stress", "quadratic", "K"):
        assert np.array_equal(getattr(again, name), getattr(blade, name)), name
    assert again.without_stiffening().quadratic is None


def test_a_hanging_strip_is_stiffened_by_its_weight(blade):
    """A tension P(x) = ρAg(L − x) adds ∫ P φ'² to the stiffness: gravity acts through the same fields as spin."""
    def frequency(g):
        m = lw.Model("hanging")
        m.world = lw.World(g=g, n=[1, 0, 0])
        m.strip = flexible.ModalBody(blade)
        m.connect(m.world.frame_b, m.strip.frame_a)
        values = np.linalg.eigvals(lw.linearize(m).A)
        return np.min(values.imag[values.imag > 0])

    # φ of the first shape of a clamped beam: ∫ (1 − x) φ'² dx / ∫ φ² dx
    data, x = flexible.beam_modes(1.0, flexible.Rectangle(height=0.01, width=0.04), ALUMINIUM, 1,
                                  frames=tuple(np.linspace(0.005, 0.995, 100))), np.linspace(0.005, 0.995, 100)
    slopes = np.array([data.nodes[data.frames[f"frame[{k}]"]].psi[2, 0] for k in range(100)])
    share = np.mean((1 - x) * slopes**2) * (ALUMINIUM.rho * 4e-4)
    assert frequency(500.0) ** 2 - frequency(0.0) ** 2 == pytest.approx(500.0 * share, rel=0.01)


def test_interfaces_that_stay_elastic():
    """Tied by their mean motion, faces may warp: softer than rigid ones, and exact at rest under loads on them."""
    nodes, cells = flexible.block_mesh([0.3, 0.1, 0.1], (3, 1, 1))
    faces = {"a": np.flatnonzero(nodes[:, 0] < 1e-9).tolist(), "b": np.flatnonzero(nodes[:, 0] > 0.3 - 1e-9).tolist()}
    found = {tie: flexible.reduce(nodes=nodes, cells=cells, interfaces=faces, modes=2, tie=tie, stiffening=False)
             for tie in ("rigid", "mean")}
    found["one"] = flexible.reduce(nodes=nodes, cells=cells, interfaces=faces, modes=2, tie={"b": "mean"},
                                   stiffening=False)
    first = {tie: data.frequencies[0] for tie, data in found.items()}
    assert first["mean"] < 0.99 * first["rigid"]
    for data in found.values():
        note = next(note for note in data.notes if note.startswith("displacement at rest"))
        assert float(note.split("off by ")[1].split(" ")[0]) < 1e-7
    # a load on frame b, spread evenly over its nodes, by all displacements and by the shapes
    from linkwright.library.flexible.craig_bampton import rigid_motions
    from linkwright.library.flexible.finite_elements import matrices

    K = matrices(nodes, cells, flexible.Steel)[1].toarray()
    R = [rigid_motions(nodes[which], nodes[which].mean(axis=0), 3) for which in faces.values()]
    rows = [(np.array(which)[:, None] * 3 + np.arange(3)).ravel() for which in faces.values()]
    mean = np.zeros((2, 6, len(K)))
    for k in range(2):
        mean[k][:, rows[k]] = np.linalg.pinv(R[k])
    whole = np.block([[K, mean[0].T], [mean[0], np.zeros((6, 6))]])
    u = np.linalg.solve(whole, np.concatenate([mean[1][1], np.zeros(6)]))[: len(K)]
    end = found["mean"].nodes[found["mean"].frames["b"]]
    assert end.phi[1] @ (end.phi[1] / np.diag(found["mean"].K)) == pytest.approx(mean[1][1] @ u, rel=1e-6)


def test_a_free_body():
    """Natural shapes of a free beam, about its mean axes: no momentum in any of them, and rigid motions left out."""
    data, _ = strip(modes=3)
    unit = np.sqrt(ALUMINIUM.E * 0.01**2 / 12 / ALUMINIUM.rho) / 2 / np.pi
    assert data.frequencies[0] == pytest.approx(22.373285448 * unit, rel=5e-3)
    i = data.integrals.first(3)
    assert np.abs(i.Ct).max() < 1e-7 * np.sqrt(i.m) and np.abs(i.C2).max() < 1e-7 * np.sqrt(i.m)
    m = lw.Model("bar in space")
    m.world = lw.World(gravity=None)
    corner = int(np.argmax([place.origin @ [1, 1, 1] for place in data.nodes.values()]))
    m.bar = flexible.ModalBody(data, frames={"corner": corner}, v_0=[0, 1.0, 0], w_a=[0, 0, 2.0], qd=[0.1, 0, 0])
    m.weight = parts.PointMass(m=0.1)
    m.connect(m.bar.corner, m.weight.frame_a)
    r = lw.simulate(m, 0.05, accuracy=1e-9)
    energy = r["kinetic_energy"] + r["elastic_energy"]
    assert np.ptp(energy) < 1e-8 * energy[0]
    assert np.abs(np.ptp(r["momentum"], axis=0)).max() < 1e-9


def two_elements():
    """M, K and nodes of a beam of two elements, with six displacements a node."""
    from tests.flexible.test_data import beam_elements

    return beam_elements(2)


GRIDS = "".join(f"GRID    {n:8d}        {x:<8.4f}{0.0:<8.4f}{0.0:<8.4f}\n"
                for n, x in ((11, 0.0), (12, 0.5), (15, 1.0)))


def dmig(name, matrix, numbers):
    """Lower half, column by column, in Nastran's fields of sixteen."""
    lines = [f"DMIG    {name:8s}{0:8d}{6:8d}{2:8d}{0:8d}\n"]
    for j in range(len(matrix)):
        rows = [i for i in range(j, len(matrix)) if matrix[i, j]]
        if rows:
            lines.append(f"DMIG*   {name:16s}{numbers[j // 6]:16d}{j % 6 + 1:16d}\n")
            lines += [f"*       {numbers[i // 6]:16d}{i % 6 + 1:16d}{matrix[i, j]:16.9E}\n" for i in rows]
    return "".join(lines)


def test_matrices_of_nastran(tmp_path):
    pytest.importorskip("pyNastran")
    M, K, nodes = two_elements()
    numbers = [11, 12, 15]
    (tmp_path / "link.pch").write_text(GRIDS + dmig("KAAX", K, numbers) + dmig("MAAX", M, numbers))
    link, given = tmp_path / "link.pch", {"interfaces": {"frame_a": [11], "frame_b": [15]}, "modes": 2}
    found = flexible.reduce(M=link, K=link, nodes=link, **given)
    own = flexible.reduce(M=M, K=K, nodes=nodes, numbers=numbers, **given)
    assert found.frequencies == pytest.approx(own.frequencies, rel=1e-7)
    (tmp_path / "bare.pch").write_text(GRIDS)
    with pytest.raises(lw.ModelError, match="one matrix whose name begins with K is needed"):
        flexible.reduce(M=M, K=tmp_path / "bare.pch", nodes=link, **given)
    from pyNastran.op4.op4 import OP4

    OP4(debug=False).write_op4(str(tmp_path / "link.op4"), {"KGG": (6, K), "MGG": (6, M)}, is_binary=False)
    read = flexible.reduce(M=tmp_path / "link.op4", K=tmp_path / "link.op4", nodes=link, **given)
    assert read.frequencies == pytest.approx(own.frequencies, rel=1e-6)


def test_matrices_of_the_matrix_market(tmp_path):
    from scipy import io, sparse

    M, K, nodes = two_elements()
    for name, matrix in (("M", M), ("K", K)):
        io.mmwrite(tmp_path / f"{name}.mtx", sparse.csc_matrix(matrix), symmetry="symmetric", precision=17)
    given = {"interfaces": {"frame_a": [0]}, "modes": 3, "nodes": nodes}
    found = flexible.reduce(M=tmp_path / "M.mtx", K=tmp_path / "K.mtx", **given)
    assert found.frequencies == pytest.approx(flexible.reduce(M=M, K=K, **given).frequencies, rel=1e-12)
    (tmp_path / "bad.mtx").write_text("1, 1, 2\n")
    with pytest.raises(lw.ModelError, match="lines of five numbers are needed"):
        flexible.reduce(M=M, K=tmp_path / "bad.mtx", **given)


#: natural shapes with both ends held in each plane → errors of free–free 1, 2 and clamped–free 1, 2; effective mass
EIGHT, EFFECTIVE = (2.6e-5, 9.6e-5, 3.2e-7, 1.0e-5), {1: .690, 2: .690, 4: .823, 8: .905}


@pytest.mark.slow
def test_craig_bampton_with_many_shapes():
    from tests.flexible.test_data import UNIT, beam_elements

    M, K, nodes = beam_elements()
    ends = {"frame_a": [0], "frame_b": [100]}
    for shapes, share in EFFECTIVE.items():
        aside = 3 if shapes == 8 else 0  # two of torsion and one along the axis come among the first nineteen
        data = flexible.reduce(M=M, K=K, nodes=nodes, interfaces=ends, modes=2 * shapes + aside)
        note = next(note for note in data.notes if note.startswith("effective mass"))
        assert float(note.split(": ")[1].split(",")[1]) == pytest.approx(share, abs=6e-4)
    errors = [np.min(np.abs(found / UNIT * 2 * np.pi / exact - 1)) for found, exact in (
        (data.free_frequencies, 22.373285448), (data.free_frequencies, 61.672822868),
        (data.frequencies, 3.516015269), (data.frequencies, 22.034491564))]
    assert errors == pytest.approx(EIGHT, rel=0.05)
    # against the finite elements themselves, below a quarter of the first that was left out
    exact = np.sqrt(np.maximum(eigh(K, M, eigvals_only=True)[6:], 0)) / 2 / np.pi
    below = data.free_frequencies[data.free_frequencies < data.dropped / 4]
    assert len(below) > 3
    assert below == pytest.approx(exact[: len(below)], rel=7e-4)


def test_what_cannot_be_reduced_is_named():
    nodes, cells = flexible.block_mesh([0.3, 0.1, 0.1], (2, 1, 1))
    line = np.flatnonzero((nodes[:, 0] < 1e-9) & (nodes[:, 1] > 0.05 - 1e-9)).tolist()
    with pytest.raises(lw.ModelError, match="interface 'a' lie on one line"):
        flexible.reduce(nodes=nodes, cells=cells, interfaces={"a": line})
    for which in ([], "x+"):
        with pytest.raises(lw.ModelError, match="give numbers of nodes"):
            flexible.reduce(nodes=nodes, cells=cells, interfaces={"a": which})
    with pytest.raises(lw.ModelError, match="0 or more"):
        flexible.reduce(nodes=nodes, cells=cells, interfaces={"a": [0]}, modes=-1)
    with pytest.raises(lw.ModelError, match='choose "rigid" or "mean"'):
        flexible.reduce(nodes=nodes, cells=cells, interfaces={"a": [0]}, tie="glue")
    with pytest.raises(lw.ModelError, match="tie names 'c'"):
        flexible.reduce(nodes=nodes, cells=cells, interfaces={"a": [0]}, tie={"c": "mean"})
    with pytest.raises(lw.ModelError, match="mechanism inside the mesh"):
        flexible.reduce(nodes=nodes, cells=cells, interfaces={"a": [0]})  # one node holds no rotation
    faces = {"a": np.flatnonzero(nodes[:, 0] < 1e-9).tolist()}
    with pytest.raises(lw.ModelError, match="lines are for matrices"):
        flexible.reduce(nodes=nodes, cells=cells, interfaces=faces, lines=[(0, 1)])
    with pytest.raises(lw.ModelError, match="no shape is left with modes=0 and one interface"):
        flexible.reduce(nodes=nodes, cells=cells, interfaces=faces, modes=0)


@pytest.mark.parametrize("lines, said", [
    ([], "pairs of nodes are needed"), ([(0, 1, 2)], "pairs of nodes are needed"), ([(0, 7)], "lines names node 7"),
    ([(0, 2)], "no beam or bar goes from node 0 to node 2"), ([(1, 1)], "no beam or bar goes from node 1 to node 1")])
def test_lines_that_are_no_beams_are_named(lines, said):
    M, K, nodes = two_elements()
    with pytest.raises(lw.ModelError, match=said):
        flexible.reduce(M=M, K=K, nodes=nodes, interfaces={"a": [0]}, modes=2, lines=lines)


@pytest.mark.parametrize("given", [{}, {"interfaces": ((0.0, 0, 0), 0.08)}])
def test_a_hinge_inside_a_mesh_is_named(given):
    """Two blocks that share one edge."""
    nodes, cells = flexible.block_mesh([0.3, 0.1, 0.1], (1, 1, 1))
    edge = [k for k, node in enumerate(nodes) if node[0] > 0.3 - 1e-9 and node[1] > 0.05 - 1e-9]
    other, number = nodes + [0.3, 0, 0], np.arange(len(nodes)) + len(nodes)
    for k in edge:
        number[np.argmin(np.linalg.norm(other - nodes[k], axis=1))] = k
    kept = np.unique(np.concatenate([np.arange(len(nodes)), number]))
    both = np.searchsorted(kept, np.vstack([cells["hexahedron27"], number[cells["hexahedron27"]]]))
    interfaces = {"a": given["interfaces"]} if given else None
    with pytest.raises(lw.ModelError, match="mechanism inside the mesh"):
        flexible.reduce(nodes=np.vstack([nodes, other])[kept], cells={"hexahedron27": both}, interfaces=interfaces,
                        modes=2)
