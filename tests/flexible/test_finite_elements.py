"""Solids by finite elements, blocks, meshes, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import eigsh, splu

import linkwright as lw
from linkwright import flexible
from linkwright.library.flexible.finite_elements import KINDS, block_mesh, matrices, surface

RUBBERY = flexible.Material(E=1e8, nu=0.3, rho=1000.0)


@pytest.mark.parametrize(("divisions", "tip", "expected"), [
    ([20, 2, 2], .0146884, [5.09931, 30.5907, 45.4591, 79.3242]),
    pytest.param([30, 3, 3], .0147112, [5.09533, 30.5589, 45.1921, 79.3030], marks=pytest.mark.slow)])
def test_a_clamped_block(divisions, tip, expected):
    """1 × 0.1 × 0.1 m of hexahedra: tip under its weight and frequencies, computed by scikit-fem."""
    nodes, cells = block_mesh([1, 0.1, 0.1], divisions)
    M, K = matrices(nodes, cells, RUBBERY)
    assert M.sum() / 3 == pytest.approx(10.0, rel=1e-12)
    free = np.flatnonzero(np.repeat(nodes[:, 0] > 1e-9, 3))
    stiff, mass = K[free][:, free].tocsc(), M[free][:, free].tocsc()
    squares = eigsh(stiff, 6, mass, sigma=0.0, v0=np.ones(len(free)))[0]
    frequencies = np.sqrt(np.sort(squares)) / 2 / np.pi
    assert frequencies[[0, 2, 4, 5]] == pytest.approx(expected, rel=1e-5)
    pulled = splu(stiff).solve((M @ np.tile([0, -9.81, 0], len(nodes)))[free])
    u = np.zeros(3 * len(nodes))
    u[free] = pulled
    end = np.argmin(np.linalg.norm(nodes - [1, 0, 0], axis=1))
    assert u[3 * end + 1] == pytest.approx(-tip, rel=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_element_stretches_evenly(kind):
    """One element with straight sides: displacements linear in place give the stress of E, ν in all of it."""
    place = KINDS[kind].nodes @ np.array([[1.1, 0.1, 0], [0.2, 0.9, 0.1], [0, 0.3, 1.2]])
    cells = {kind: np.arange(len(place))[None]}
    M, K = matrices(place, cells, RUBBERY, allow_linear=True)
    strain = np.diag([1.0, -0.3, -0.3])  # along x with ν: no stress but σ_x = E
    u = (place @ strain).ravel()
    volume = M.sum() / 3 / 1000
    assert u @ (K @ u) == pytest.approx(1e8 * volume, rel=1e-10)
    assert len(surface(cells)) == (12 if KINDS[kind].corners == 8 else 4)


def test_a_block_as_a_part():
    m = lw.Model("plate")
    m.world = lw.World(gravity=None)
    m.plate = flexible.Block([0.5, 0.1, 0.02], flexible.Aluminium, interfaces={"root": "x-", "far": "x+"}, modes=2,
                             divisions=[6, 1, 1])
    m.connect(m.world.frame_b, m.plate.root)
    found = lw.modes(m).frequency[0]
    slender = 3.516015 / 2 / np.pi * np.sqrt(7e10 * 0.1 * 0.02**3 / 12 / (2700 * 0.002)) / 0.5**2
    assert found == pytest.approx(slender, rel=0.05)  # ν and the rigid ends stiffen it
    with pytest.raises(lw.ModelError, match="a face is"):
        flexible.Block([1, 1, 1], interfaces={"a": "left"})
    with pytest.raises(lw.ModelError, match="a material is needed"):
        flexible.Block([1, 1, 1], "steel")


def test_meshes_that_do_not_fit():
    nodes, cells = block_mesh([1, 0.1, 0.1], [2, 1, 1])
    apart = np.vstack([nodes, nodes + [2, 0, 0]])
    both = {"hexahedron27": np.vstack([cells["hexahedron27"], cells["hexahedron27"] + len(nodes)])}
    with pytest.raises(lw.ModelError, match=r"12 zero modes: 2 parts that nothing joins \(nodes 0…44 .*45…89"):
        flexible.reduce(nodes=apart, cells=both, interfaces={"a": [0, 1, 2, 3]})
    with pytest.raises(lw.ModelError, match="lock when they bend"):
        flexible.reduce(nodes=nodes, cells={"hexahedron": cells["hexahedron27"][:, :8]}, interfaces={"a": [0]})
    with pytest.raises(lw.ModelError, match="inside out"):
        flexible.reduce(nodes=nodes * [1, 1, -1], cells=cells, interfaces={"a": [0]})


def test_a_mesh_file(tmp_path):
    meshio = pytest.importorskip("meshio")
    nodes, cells = block_mesh([1, 0.1, 0.1], [4, 1, 1])
    meshio.write(tmp_path / "bar.vtu", meshio.Mesh(nodes, cells))
    root = np.flatnonzero(nodes[:, 0] < 1e-9).tolist()
    read, own = (flexible.reduce(*source, material=RUBBERY, interfaces={"a": root}, modes=3, **mesh) for source, mesh in
                 (((tmp_path / "bar.vtu",), {}), ((), {"nodes": nodes, "cells": cells})))
    assert np.diag(read.K) == pytest.approx(np.diag(own.K), rel=1e-9)
    with pytest.raises(lw.ModelError, match="not read as a mesh"):
        flexible.reduce(tmp_path / "none.msh", interfaces={"a": root})
