"""Standard Input Data of flexible bodies: files .SID_FEM, read and written.

Blocks `part / new modal / refmod, frame (new node = …: origin, phi, psi, AP), mdCM, J, Ct, Cr, Me, Gr, Ge, Oe, ksigma,
Ke, De`, each a matrix m0 and its change m1 with every shape (O. Wallrapp, Mech. Struct. Mach. 22, 1994).  What is read:

    mdCM → m c,  Ct = m0 of Ct (= m1 of mdCM),   J → J₀ and J1 + J1ᵀ (xx yy zz xy xz yz, entries of the matrix)
    Cr → C2 and C3,   Me,  Ke, De;   J1 from m0 of Gr, half of it;   J2_kl = −½ (Oe1_kl + Oe1_lk), which holds what the
    file knows of stiffening by spin;   origin, phi, psi of nodes

The indices of m1 are (row, shape, column) in some files and (row, column, shape) in others; mdCM.m1 = Ct.m0 tells.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from ...mechanism.kinds import Integrals, Place
from ..tolerances import IDENTITY
from .reduced import Reduced

ENTRY = re.compile(r"(m0|m1)\s*\(([^)]*)\)\s*=\s*(\S+)")
VALUE = re.compile(r"(\w+)\s*=\s*(\S+)")
#: ωx² ωy² ωz² ωxωy ωyωz ωzωx of Oe, and xx yy zz xy xz yz of J, as places in a matrix
OE, J6 = ([("xyz".index(place[0]), "xyz".index(place[1])) for place in order.split()]
          for order in ("xx yy zz xy yz xz", "xx yy zz xy xz yz"))
BLOCKS = ("origin", "phi", "psi", "AP", "sigma", "mdCM", "J", "Ct", "Cr", "Me", "Gr", "Ge", "Oe", "ksigma", "Ke", "De")


class _Matrix:
    """m0 (rows × columns) and the entries of m1 as they stand."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self.m0: dict[tuple[int, ...], float] = {}
        self.m1: dict[tuple[int, ...], float] = {}

    def constant(self, rows: int, columns: int) -> np.ndarray:
        out = np.zeros((rows, columns))
        for (i, j), value in self.m0.items():
            out[i - 1, j - 1] = value
            if self.sizes.get("structure") == 2:
                out[j - 1, i - 1] = value
        return out

    def change(self, rows: int, columns: int, shapes: int, shape_last: bool) -> np.ndarray:
        """(shapes, rows, columns)."""
        out = np.zeros((shapes, rows, columns))
        for (i, j, k), value in self.m1.items():
            q, c = (k, j) if shape_last else (j, k)
            out[q - 1, i - 1, c - 1] = value
        return out


def _number(text: str) -> float:
    return float(text.replace("D", "E").replace("d", "e"))


def read_sid(path: str | Path) -> Reduced:
    """A body from a .SID_FEM file; identities that its numbers should obey are looked at, and named where they fail."""
    found, nodes = _parsed(Path(path))
    refmod: Any = found["refmod"]
    m, n = refmod.get("mass"), int(refmod.get("nelastq", 0))
    if m is None or not n:
        raise ModelError(f"{path}: no refmod with mass and nelastq; this is no SID_FEM file, or a rigid body.")

    def matrix(name: str) -> _Matrix:
        return found.get(name) or _Matrix()

    Ct = matrix("Ct").constant(n, 3)
    # (row, shape, column) or (row, column, shape)
    both = [matrix("mdCM").change(3, 1, n, last)[:, :, 0] if _fits(matrix("mdCM"), 1, n, last) else None
            for last in (False, True)]
    last = both[0] is None or (both[1] is not None and np.abs(both[1] - Ct).max() < np.abs(both[0] - Ct).max())
    notes = []

    def check(what: str, a: np.ndarray, b: np.ndarray) -> None:
        size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)))
        if size and float(np.abs(a - b).max()) > IDENTITY * size:
            notes.append(f"{Path(path).name}: {what} differ by {float(np.abs(a - b).max()) / size:.2g} of their size")

    if matrix("mdCM").m1:
        check("mdCM.m1 and Ct.m0", matrix("mdCM").change(3, 1, n, last)[:, :, 0], Ct)
    J = matrix("J")
    J0 = _symmetric(J.constant(6, 1)[:, 0], J6)
    J1_sum = np.array([_symmetric(column, J6) for column in J.change(6, 1, n, last)[:, :, 0]])
    Gr = matrix("Gr").constant(3, 3 * n)
    J1 = np.array([Gr[:, 3 * k : 3 * k + 3] / 2 for k in range(n)]) if matrix("Gr").m0 else J1_sum / 2
    # some files have Gr with the other sign
    if np.abs(J1 + np.swapaxes(J1, 1, 2) - J1_sum).max() > np.abs(J1 + np.swapaxes(J1, 1, 2) + J1_sum).max():
        J1 = -J1
    check("J.m1 and the symmetric part of Gr.m0", J1 + np.swapaxes(J1, 1, 2), J1_sum)
    Cr1 = matrix("Cr").change(n, 3, n, last)  # [l, k]: ∫ φ_l × φ_k
    check("Cr.m1 and its negative with shapes exchanged", Cr1, -np.swapaxes(Cr1, 0, 1))
    Oe1 = matrix("Oe").change(n, 6, n, last)  # [l, k, six]
    J2 = np.zeros((n, n, 3, 3))
    for k in range(n):
        for j in range(n):
            both_ways = -(Oe1[j, k] + Oe1[k, j]) / 2
            J2[k, j] = _symmetric(np.array([*both_ways[:3], *(both_ways[3:] / 2)]), OE)
    Me = matrix("Me").constant(n, n) if matrix("Me").m0 else np.eye(n)
    integrals = Integrals(m, matrix("mdCM").constant(3, 1)[:, 0], J0, Ct, matrix("Cr").constant(n, 3), Cr1, J1, J2, Me)
    places = {number: Place(part["origin"].constant(3, 1)[:, 0], part["phi"].constant(3, n),
                            part["psi"].constant(3, n)) for number, part in nodes.items()}
    notes.insert(0, f"read from {Path(path).name}")
    return Reduced(integrals, matrix("Ke").constant(n, n), matrix("De").constant(n, n), places, {}, tuple(notes),
                   Path(path).stem)


def _fits(matrix: _Matrix, columns: int, shapes: int, last: bool) -> bool:
    return all((c <= columns and q <= shapes) for _, j, k in matrix.m1 for q, c in [(k, j) if last else (j, k)])


def _symmetric(six: np.ndarray, places: list) -> np.ndarray:
    out = np.zeros((3, 3))
    for value, (i, j) in zip(six, places, strict=True):
        out[i, j] = out[j, i] = value
    return out


def _parsed(path: Path) -> tuple[dict[str, Any], dict[int, dict[str, _Matrix]]]:
    """Blocks by name, and those of the nodes by their number."""
    found: dict[str, Any] = {"refmod": {}}
    nodes: dict[int, dict[str, _Matrix]] = {}
    node: dict[str, _Matrix] | None = None
    block: _Matrix | None = None
    inside = False
    for line in path.read_text(errors="replace").splitlines():
        text = line.strip()
        word = text.split()[0] if text else ""
        if word == "end":
            block = None if text.split()[-1] in BLOCKS else block
            node = None if text.split()[-1] == "node" else node
            inside = inside and text.split()[-1] != "refmod"
        elif word == "refmod":
            inside = True
        elif text.startswith("new node"):
            node = nodes.setdefault(int(text.split("=")[1].split()[0]), {name: _Matrix() for name in BLOCKS[:5]})
        elif text in BLOCKS:
            block = _Matrix()
            (found if node is None else node)[text] = block
        elif block is not None and (entry := ENTRY.match(text)):
            places = tuple(int(x) for x in entry[2].split(","))
            (block.m0 if entry[1] == "m0" else block.m1)[places] = _number(entry[3])
        elif (value := VALUE.match(text)) is not None:
            if block is not None:
                block.sizes[value[1]] = int(_number(value[2]))
            elif inside and value[1] in ("mass", "nelastq"):
                found["refmod"][value[1]] = _number(value[2])
    return found, nodes


def write_sid(reduced: Reduced, path: str | Path) -> None:
    """Write a reduced body as a .SID_FEM file, with m1 in the order (row, shape, column).

    >>> flexible.write_sid(reduced, "arm.SID_FEM")
    """
    i, n = reduced.integrals.first(reduced.size), reduced.size
    lines = [f"{len(reduced.nodes)} {n} : {reduced.title}", "part", "new modal", "refmod", f"mass = {_text(i.m)}",
             f"nelastq = {n}"]
    lines += [f"ielastq ( {k + 1} ) = {f:.6g} Hz" for k, f in enumerate(reduced.frequencies)]
    lines += ["end refmod", "frame"]
    for number, place in reduced.nodes.items():
        lines += [f"new node = {number}", "rframe = body ref"]
        lines += _block("origin", place.origin[:, None], np.moveaxis(place.phi[:, :n], 1, 0)[:, :, None])
        lines += _block("phi", place.phi[:, :n]) + _block("psi", place.psi[:, :n])
        lines += _block("AP", np.eye(3)) + ["end node"]
    lines += ["end frame"]
    six = np.array([[i.J0[a, b]] for a, b in J6])
    J1 = i.J1 + np.swapaxes(i.J1, 1, 2)
    lines += _block("mdCM", i.mc[:, None], i.Ct[:, :, None])
    lines += _block("J", six, np.array([[[part[a, b]] for a, b in J6] for part in J1]))
    lines += _block("Ct", i.Ct) + _block("Cr", i.C2, i.C3) + _block("Me", i.Me)
    lines += _block("Gr", np.hstack([2 * part for part in i.J1]))
    lines += _block("Ge", np.hstack([2 * i.C3[k] for k in range(n)]))
    lines += _block("Oe", _oe(i.J1), np.array([_oe(i.J2[k]) for k in range(n)]))
    lines += _block("ksigma", np.zeros((n, 1))) + _block("Ke", reduced.K) + _block("De", reduced.D)
    Path(path).write_text("\n".join([*lines, "end modal", "end part"]) + "\n")


def _oe(parts: np.ndarray) -> np.ndarray:
    """−ω·(part) ω as factors of ωx² ωy² ωz² ωxωy ωyωz ωzωx."""
    return np.array([[-(part[a, b] if a == b else part[a, b] + part[b, a]) for a, b in OE] for part in parts])


def _text(x: float) -> str:
    return f"{x:.17e}".replace("e", "D")


def _block(name: str, m0: np.ndarray, m1: np.ndarray | None = None) -> list[str]:
    rows, columns = m0.shape
    shapes = 0 if m1 is None else len(m1)
    lines = [name, f"order = {int(m1 is not None)}", f"nrow = {rows}", f"ncol = {columns}", f"nq = {shapes}",
             "nqn = 0", "structure = 3"]
    lines += [f"m0( {r + 1}, {c + 1}) = {_text(m0[r, c])}" for r in range(rows) for c in range(columns) if m0[r, c]]
    lines += [f"m1( {r + 1}, {q + 1}, {c + 1}) = {_text(m1[q, r, c])}" for q in range(shapes) for r in range(rows)
              for c in range(columns) if m1 is not None and m1[q, r, c]]
    return [*lines, f"end {name}"]
