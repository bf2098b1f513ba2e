"""Matrices and nodes from files: MatrixMarket, Abaqus's .mtx, Nastran's DMIG and OP2 and OP4."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from ..tolerances import NOT_SYMMETRIC

#: suffixes of Nastran's text files, and of those with whole matrices
TEXT, WHOLE = (".pch", ".bdf", ".dat", ".nas", ".dmig"), (".op2", ".op4")


def symmetric(value: Any, what: str, names: list) -> Any:
    """A sparse matrix, from a matrix or a file.  `what` is "M" or "K"; `names` are the numbers of the nodes."""
    from scipy import io, sparse

    if isinstance(value, (str, Path)):
        path = Path(value)
        if path.suffix.lower() in TEXT:
            value = _direct_input(path, what, names)
        elif path.suffix.lower() in WHOLE:
            value = _whole(path, what)
        else:
            text = path.read_text(errors="replace")
            value = io.mmread(path) if text.startswith("%%MatrixMarket") else _listed(text, path, what, names)
    out = sparse.csc_matrix(value)
    if out.shape[0] != out.shape[1] or abs(out - out.T).max() > NOT_SYMMETRIC * abs(out).max():
        raise ModelError(f"reduce: {what} must be square and symmetric; got one of shape {out.shape}.")
    return out


def nodes_from(path: str | Path) -> tuple[np.ndarray, list[int]]:
    """Positions and numbers of the grid points of a Nastran file."""
    model = _nastran(Path(path))
    numbers = sorted(model.nodes)
    if not numbers:
        raise ModelError(f"{path} has no grid points (GRID).")
    return np.array([model.nodes[n].get_position() for n in numbers]), numbers


def _listed(text: str, path: Path, what: str, names: list) -> Any:
    """Lines "node, dof, node, dof, value" of one half or of all."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("*")]
    try:
        rows = np.array([[float(x) for x in line.split(",")] for line in lines])
        if rows.ndim != 2 or rows.shape[1] != 5:
            raise ValueError
    except ValueError:
        raise ModelError(f"reduce: {what} = {path}: lines of five numbers are needed, node, dof, node, dof, value "
                         "(from *MATRIX OUTPUT, FORMAT=MATRIX INPUT), or a MatrixMarket file.") from None
    return _placed(rows[:, :2].astype(int), rows[:, 2:4].astype(int), rows[:, 4], what, names)


def _placed(left: np.ndarray, right: np.ndarray, values: np.ndarray, what: str, names: list) -> Any:
    """A matrix from (node, dof) of rows and columns; the other half where only one is given."""
    from scipy import sparse

    place = {number: k for k, number in enumerate(names)}
    unknown = {int(n) for part in (left, right) for n in part[:, 0]} - set(place)
    if unknown:
        raise ModelError(f"reduce: {what} names node {min(unknown)}, which is not among the nodes; give their numbers "
                         "by numbers=.")
    each = 6 if max(left[:, 1].max(), right[:, 1].max()) > 3 else 3
    i, j = (np.array([place[int(n)] for n in part[:, 0]]) * each + part[:, 1] - 1 for part in (left, right))
    found = sparse.coo_matrix((values, (i, j)), shape=(len(names) * each,) * 2).tocsc()
    upper, lower = sparse.triu(found, 1), sparse.tril(found, -1)
    if not upper.nnz:
        found = found + lower.T
    elif not lower.nnz:
        found = found + upper.T
    return found


def _nastran(path: Path) -> Any:
    try:
        from pyNastran.bdf.bdf import read_bdf
    except ImportError:
        raise ModelError(f"{path}: Nastran's files are read by pyNastran: pip install pyNastran.") from None
    try:
        return read_bdf(str(path), xref=True, punch=path.suffix.lower() in (".pch", ".dmig"), debug=None,
                        validate=False)
    except Exception as error:
        raise ModelError(f"{path} is not read as a Nastran file: {error}") from None


def _only(found: list[str], what: str, path: Path) -> str:
    """The one matrix whose name begins with M or K."""
    named = [name for name in found if name.upper().startswith(what)]
    if len(named) != 1:
        raise ModelError(f"{path}: one matrix whose name begins with {what} is needed, such as {what}AAX or {what}GG; "
                         f"the file has {', '.join(found) or 'none'}.")
    return named[0]


def _direct_input(path: Path, what: str, names: list) -> Any:
    """A DMIG of a text file."""
    model = _nastran(path)
    card = model.dmig[_only(list(model.dmig), what, path)]
    left, right = (np.array([[int(n), max(int(c), 1)] for n, c in part]) for part in (card.GCi, card.GCj))
    # each entry stands once: its row is GCi, its column GCj
    return _placed(left, right, np.asarray(card.Real, dtype=float), what, names)


def _whole(path: Path, what: str) -> Any:
    """A matrix of a result file, over all displacements of the nodes in their order."""
    try:
        if path.suffix.lower() == ".op4":
            from pyNastran.op4.op4 import OP4

            found = OP4(debug=False).read_op4(str(path))
        else:
            from pyNastran.op2.op2 import read_op2

            found = read_op2(str(path), debug=None, build_dataframe=False).matrices
    except ImportError:
        raise ModelError(f"{path}: Nastran's files are read by pyNastran: pip install pyNastran.") from None
    except Exception as error:
        raise ModelError(f"{path} is not read as a Nastran file: {error}") from None
    matrix = found[_only(list(found), what, path)]
    return matrix[1] if isinstance(matrix, tuple) else getattr(matrix, "data", matrix)  # (form, matrix) or an object
