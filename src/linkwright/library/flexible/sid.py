"""Standard Input Data of flexible bodies: files .SID_FEM, read and written.

Blocks `part / new modal / refmod, frame (new node = …: origin, phi, psi, AP), mdCM, J, Ct, Cr, Me, Gr, Ge, Oe, ksigma,
Ke, De`, each a matrix m0 and its change m1 with every shape (O. Wallrapp, Mech. Struct. Mach. 22, 1994).  What is read:

    mdCM → m c,  Ct = m0 of Ct (= m1 of mdCM),   J → J₀ and J1 + J1ᵀ (xx yy zz xy xz yz, entries of the matrix)
    Cr → C2 and C3,   Me,  Ke, De;   J1 from m0 of Gr, half of it;   J2_kl = −½ (Oe1_kl + Oe1_lk), which holds what the
    file knows of stiffening by spin;   Ct.m1 and phi.m1 → shapes of second order;   origin, phi, psi of nodes

The indices of m1 are (row, shape, column) in some files and (row, column, shape) in others; mdCM.m1 = Ct.m0 tells.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from ...mechanism.kinds import Integrals, Place, skews
from ..tolerances import IDENTITY, NO_ENTRY
from .reduced import Reduced

ENTRY = re.compile(r"(m0|m1)\s*\(([^)]*)\)\s*=\s*(\S+)")
VALUE = re.compile(r"(\w+)\s*=\s*(\S+)")
#: ωx² ωy² ωz² ωxωy ωyωz ωzωx of Oe, and xx yy zz xy xz yz of J, as places in a matrix
OE, J6 = ([("xyz".index(place[0]), "xyz".index(place[1])) for place in order.split()]
          for order in ("xx yy zz xy yz xz", "xx yy zz xy xz yz"))
BLOCKS = ("origin", "phi", "psi", "AP", "sigma", "mdCM", "J", "Ct", "Cr", "Me", "Gr", "Ge", "Oe", "ksigma", "Ke", "De")


class _Matrix:
    """m0 (rows × columns) and the entries of m1 as they stand."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.sizes: dict[str, int] = {}
        self.m0: dict[tuple[int, ...], float] = {}
        self.m1: dict[tuple[int, ...], float] = {}

    def constant(self, rows: int, columns: int) -> np.ndarray:
        out = np.zeros((rows, columns))
        for (i, j), value in self.m0.items():
            self._inside((i, j), out.shape)
            out[i - 1, j - 1] = value
            if self.sizes.get("structure") == 2:
                out[j - 1, i - 1] = value
        return out

    def change(self, rows: int, columns: int, shapes: int, shape_last: bool) -> np.ndarray:
        """(shapes, rows, columns)."""
        out = np.zeros((shapes, rows, columns))
        for (i, j, k), value in self.m1.items():
            q, c = (k, j) if shape_last else (j, k)
            self._inside((q, i, c), out.shape)
            out[q - 1, i - 1, c - 1] = value
        return out

    def _inside(self, places: tuple[int, ...], shape: tuple[int, ...]) -> None:
        if not all(1 <= place <= size for place, size in zip(places, shape, strict=True)):
            raise ModelError(f"{self.name}: an entry has indices {places}, where {shape} are the largest; is nelastq "
                             "right, and the file whole?")


def _number(text: str) -> float:
    return float(text.replace("D", "E").replace("d", "e"))


def read_sid(path: str | Path) -> Reduced:
    """Read a body from a .SID_FEM file; a warning names every identity that its data violate by more than 1e-6."""
    found, nodes = _parsed(Path(path))
    refmod: Any = found["refmod"]
    m, n = refmod.get("mass"), int(refmod.get("nelastq", 0))
    if m is None or not n:
        raise ModelError(f"{path}: no refmod with mass and nelastq; this is no SID_FEM file, or a rigid body.")

    def matrix(name: str) -> _Matrix:
        return found.get(name) or _Matrix()

    if not matrix("Ke").m0:
        raise ModelError(f"{path}: no stiffness Ke; is the file whole?")
    Ct = matrix("Ct").constant(n, 3)
    # (row, shape, column) or (row, column, shape)
    both = [matrix("mdCM").change(3, 1, n, last)[:, :, 0] if _fits(matrix("mdCM"), 1, n, last) else None
            for last in (False, True)]
    last = both[0] is None or (both[1] is not None and np.abs(both[1] - Ct).max() < np.abs(both[0] - Ct).max())
    broken: list[str] = []

    def check(what: str, a: np.ndarray, b: np.ndarray, least: float = 0.0) -> None:
        size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)), least)
        if size and float(np.abs(a - b).max()) > IDENTITY * size:
            broken.append(f"{Path(path).name}: {what} differ by {float(np.abs(a - b).max()) / size:.2g} of their size")

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
    Me = matrix("Me").constant(n, n) if matrix("Me").m0 else np.eye(n)
    # shapes in one plane have no ∫ φ_l × φ_k but for rounding, which says nothing beside ∫ φ_l·φ_k
    check("Cr.m1 and its negative with shapes exchanged", Cr1, -np.swapaxes(Cr1, 0, 1), float(np.abs(Me).max()))
    Oe1 = matrix("Oe").change(n, 6, n, last)  # [l, k, six]
    J2 = np.zeros((n, n, 3, 3))
    for k in range(n):
        for j in range(n):
            both_ways = -(Oe1[j, k] + Oe1[k, j]) / 2
            J2[k, j] = _symmetric(np.array([*both_ways[:3], *(both_ways[3:] / 2)]), OE)
    if matrix("Oe").m0:
        check("Oe.m0 and the symmetric part of Gr.m0", matrix("Oe").constant(n, 6), _oe(J1))
    for number, part in nodes.items():
        if part["origin"].m1:
            moves = part["origin"].change(3, 1, n, last)[:, :, 0].T
            check(f"origin.m1 and phi.m0 of node {number}", moves, part["phi"].constant(3, n))
    centre = matrix("mdCM").constant(3, 1)[:, 0]
    integrals = Integrals(m, centre, J0, Ct, matrix("Cr").constant(n, 3), Cr1, J1, J2, Me)
    places = {number: Place(part["origin"].constant(3, 1)[:, 0], part["phi"].constant(3, n),
                            part["psi"].constant(3, n)) for number, part in nodes.items()}
    notes = [f"read from {Path(path).name}"]
    drawn = {number: part["phi"].change(3, n, n, last) for number, part in nodes.items()}  # [l, :, k]
    integrals, places, quadratic = _drawn_nearer(integrals, places, matrix("Ct").change(n, 3, n, last), drawn)
    if quadratic is not None:
        notes.append(f"geometric stiffening by {len(quadratic)} fields of second order (Ct.m1, phi.m1)")
    read = Reduced(integrals, matrix("Ke").constant(n, n), matrix("De").constant(n, n), places, {}, (),
                   found["title"], quadratic)
    least = float(np.linalg.eigvalsh(read.whole_mass)[0])
    if least < -IDENTITY * float(np.trace(read.whole_mass)):
        broken.append(f"{Path(path).name}: Ct and Cr are too large beside m, J and Me: some motions would have negative"
                      f" kinetic energy (smallest eigenvalue of the mass matrix {least:.2g}); a run in which it moves "
                      "freely may end as singular")
    if broken:
        more = f" (and {len(broken) - 1} further, in .notes)" if len(broken) > 1 else ""
        warnings.warn(f"{broken[0]}{more}; the file is read as it stands. Check the program that wrote it.",
                      stacklevel=2)
    return replace(read, notes=(*notes, *broken))


def _drawn_nearer(integrals: Integrals, places: dict[int, Place], Ct1: np.ndarray,
                  drawn: dict[int, np.ndarray]) -> tuple[Integrals, dict[int, Place], np.ndarray | None]:
    """Ct.m1 and phi.m1, how points come nearer to one another, as further shapes with quadratic amplitudes.

    Files tell of these fields only ∫ and their values at nodes.  Inertia takes them as translations by ∫/m of the whole
    body, which keeps the kinetic energy a sum of squares; what they change in J is in Oe.m1 already.
    """
    n, m = Ct1.shape[0], integrals.m
    # over pairs of shapes: displacement by its mean, and at every node
    table = np.concatenate([np.swapaxes(Ct1, 0, 1) / m, *[np.transpose(part, (2, 0, 1)) for part in drawn.values()]],
                           axis=2)
    table = (table + np.swapaxes(table, 0, 1)) / 2
    if not np.any(table):
        return integrals, places, None
    left, sizes, right = np.linalg.svd(table.reshape(n * n, -1), full_matrices=False)
    kept = int(np.sum(sizes > NO_ENTRY * sizes[0]))
    quadratic = np.moveaxis(left[:, :kept].reshape(n, n, kept), 2, 0) * sizes[:kept, None, None]
    means, at_nodes = right[:kept, :3], right[:kept, 3:].reshape(kept, -1, 3)
    i = integrals
    phi = {number: np.column_stack([place.phi, at_nodes[:, k].T]) for k, (number, place) in enumerate(places.items())}
    turn = {number: np.column_stack([place.psi, np.zeros((3, kept))]) for number, place in places.items()}
    every = np.concatenate([i.Ct, m * means])
    J1 = -np.einsum("ab,kbc->kac", skews(i.mc), skews(means))
    across = -np.einsum("kab,lbc->klac", skews(every), skews(means))  # of all with those
    C3 = np.zeros((n + kept, n + kept, 3))
    C3[:n, :n], C3[:, n:] = i.C3, np.cross(every[:, None], means[None])
    C3[n:, :n] = -np.swapaxes(C3[:n, n:], 0, 1)
    J2 = np.zeros((n + kept, n + kept, 3, 3))
    J2[:n, :n] = i.J2 - np.einsum("akl,aij->klij", quadratic, (J1 + np.swapaxes(J1, 1, 2)) / 2)
    J2[:, n:] = across
    J2[n:, :n] = across[:n].transpose(1, 0, 3, 2)
    Me = every @ means.T
    places = {number: Place(place.origin, phi[number], turn[number]) for number, place in places.items()}
    return Integrals(m, i.mc, i.J0, every, np.concatenate([i.C2, np.cross(i.mc, means)]), C3,
                     np.concatenate([i.J1, J1]), J2, np.block([[i.Me, Me[:n]], [Me[:n].T, Me[n:]]])), places, quadratic


def _fits(matrix: _Matrix, columns: int, shapes: int, last: bool) -> bool:
    return all((c <= columns and q <= shapes) for _, j, k in matrix.m1 for q, c in [(k, j) if last else (j, k)])


def _symmetric(six: np.ndarray, places: list) -> np.ndarray:
    out = np.zeros((3, 3))
    for value, (i, j) in zip(six, places, strict=True):
        out[i, j] = out[j, i] = value
    return out


def _parsed(path: Path) -> tuple[dict[str, Any], dict[int, dict[str, _Matrix]]]:
    """Blocks by name, and those of the nodes by their number."""
    found: dict[str, Any] = {"refmod": {}, "title": path.stem}
    nodes: dict[int, dict[str, _Matrix]] = {}
    node: dict[str, _Matrix] | None = None
    block: _Matrix | None = None
    inside = False
    lines = path.read_text(errors="replace").splitlines()
    if lines and ":" in lines[0]:
        found["title"] = lines[0].split(":", 1)[1].strip() or path.stem
    line = ""
    try:
        for line in lines:
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
                block = _Matrix(f"{path.name}, {text}")
                (found if node is None else node)[text] = block
            elif block is not None and (entry := ENTRY.match(text)):
                places = tuple(int(x) for x in entry[2].split(","))
                if len(places) != (2 if entry[1] == "m0" else 3):
                    raise ValueError
                (block.m0 if entry[1] == "m0" else block.m1)[places] = _number(entry[3])
            elif (value := VALUE.match(text)) is not None:
                if block is not None:
                    block.sizes[value[1]] = int(_number(value[2]))
                elif inside and value[1] in ("mass", "nelastq"):
                    found["refmod"][value[1]] = _number(value[2])
    except ValueError:
        raise ModelError(f"{path.name}: the line {line.strip()!r} is no entry of a SID_FEM file.") from None
    return found, nodes


def write_sid(reduced: Reduced, path: str | Path) -> None:
    """Write a reduced body to a .SID_FEM file, with m1 in the order (row, shape, column).

    >>> flexible.write_sid(reduced, "arm.SID_FEM")
    """
    i, n = reduced.integrals.first(reduced.size), reduced.size
    C = np.zeros((0, n, n)) if reduced.quadratic is None else reduced.quadratic
    J2 = i.J2 + np.einsum("akl,aij->klij", C, reduced.integrals.J1[n:])
    Ct1 = np.einsum("akl,ai->lki", C, reduced.integrals.Ct[n:]) if len(C) else None
    lines = [f"{len(reduced.nodes)} {n} : {reduced.title}", "part", "new modal", "refmod", f"mass = {_text(i.m)}",
             f"nelastq = {n}"]
    lines += [f"ielastq ( {k + 1} ) = {f:.6g} Hz" for k, f in enumerate(reduced.frequencies)]
    lines += ["end refmod", "frame"]
    for number, place in reduced.nodes.items():
        lines += [f"new node = {number}", "rframe = body ref"]
        lines += _block("origin", place.origin[:, None], np.moveaxis(place.phi[:, :n], 1, 0)[:, :, None])
        lines += _block("phi", place.phi[:, :n], np.einsum("akl,ia->lik", C, place.phi[:, n:]) if len(C) else None)
        lines += _block("psi", place.psi[:, :n])
        lines += _block("AP", np.eye(3)) + ["end node"]
    lines += ["end frame"]  # rotations of second order have no place in the format
    six = np.array([[i.J0[a, b]] for a, b in J6])
    J1 = i.J1 + np.swapaxes(i.J1, 1, 2)
    lines += _block("mdCM", i.mc[:, None], i.Ct[:, :, None])
    lines += _block("J", six, np.array([[[part[a, b]] for a, b in J6] for part in J1]))
    lines += _block("Ct", i.Ct, Ct1) + _block("Cr", i.C2, i.C3) + _block("Me", i.Me)
    lines += _block("Gr", np.hstack([2 * part for part in i.J1]))
    lines += _block("Ge", np.hstack([2 * i.C3[k] for k in range(n)]))
    lines += _block("Oe", _oe(i.J1), np.array([_oe(J2[k]) for k in range(n)]))
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
