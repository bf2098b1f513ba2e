"""Bodies of a molecule: which atoms move together, about which bonds they turn (Simbody manual §11.3.2.3).

Every bond is rigid, turns ("torsion"), or is free: its length and all angles at it may change.  Atoms joined by rigid
bonds are a cluster, one rigid body; a cluster of one atom with nothing that turns is a point.  An atom at the end of a
bond that turns lies on its axis and so rests in both clusters: what is between atoms that rest together is constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ...errors import ModelError
from ..tolerances import STRAIGHT
from .atom_rings import Ring, ring_bonds, rings_of
from .topology import Topology

RULES = ("torsions", "cartesian", "rigid")
MODES = ("torsion", "free", "rigid")


@dataclass(frozen=True)
class Cluster:
    """Atoms that move as one body, and its frame in the places the atoms are given at: R_WC, p_WC."""

    atoms: tuple[int, ...]
    R: np.ndarray
    p: np.ndarray

    def station(self, place: np.ndarray) -> np.ndarray:
        """A place in the axes of the cluster."""
        return self.R.T @ (place - self.p)


@dataclass(frozen=True)
class Torsion:
    """A bond that turns: its atoms, the clusters on both sides, the frames F and M on them, the angle between these.

    z of both is the axis, from the first atom to the second, which is their origin.  x points to the atoms `ends`, so
    that the angle of the joint is the torsion angle of the four (IUPAC).
    """

    bond: tuple[int, int]
    clusters: tuple[int, int]
    ends: tuple[int, int]
    R_WF: np.ndarray
    R_WM: np.ndarray
    angle: float


@dataclass(frozen=True)
class Partition:
    """The clusters of a molecule, bonds that turn, and for each atom the clusters it rests in (its own first)."""

    clusters: tuple[Cluster, ...]
    torsions: tuple[Torsion, ...]
    homes: tuple[tuple[int, ...], ...]
    roots: tuple[int, ...]  # clusters that move freely, one for each set of clusters that are joined
    rings: tuple[Ring, ...]

    def together(self, atoms: Iterable[int]) -> bool:
        """Whether atoms keep their distances whatever the coordinates."""
        return bool(set.intersection(*[set(self.homes[k]) for k in atoms]))

    def resting(self, pairs: np.ndarray) -> np.ndarray:
        """The same for pairs of atoms (n, 2), as a mask."""
        member = np.zeros((len(self.homes), len(self.clusters)), dtype=np.float32)
        for atom, homes in enumerate(self.homes):
            member[atom, list(homes)] = 1.0
        return (member @ member.T > 0)[pairs[:, 0], pairs[:, 1]]


def partition(topology: Topology, mobile: str | Mapping = "torsions") -> Partition:
    """The bodies of a molecule by a rule or a table."""
    modes = bond_modes(topology, mobile)
    groups = _connected(len(topology.atoms), [bond for bond, mode in modes.items() if mode == "rigid"])
    own = {atom: k for k, group in enumerate(groups) for atom in group}
    turning = [bond for bond, mode in modes.items() if mode == "torsion"]
    for bond, mode in modes.items():
        if mode == "free" and own[bond[0]] == own[bond[1]]:
            raise ModelError(f"mobile: the bond {topology.said(*bond)} cannot be free: other bonds of a ring, which "
                             "are rigid, hold its atoms together. Free the whole ring ({'rings': 'cartesian'}).")
    for bond in turning:
        _refuse_stuck(topology, modes, bond, own)
    tree, extra, roots = _forest(len(groups), turning, own, [_weight(topology, group) for group in groups])
    # the first bodies carry the coordinates of what moves freely
    groups = [groups[k] for k in [*roots, *(set(range(len(groups))) - set(roots))]]
    own, roots = {atom: k for k, group in enumerate(groups) for atom in group}, range(len(roots))
    x = topology.positions
    joined = {own[k] for bond in turning for k in bond}
    frames = {root: _root_frame(topology, groups[root], root not in joined) for root in roots}
    torsions = []
    for (a, b), inward in [*[(bond, True) for bond in tree], *[(bond, False) for bond in extra]]:
        ends = _end(topology, modes, a, b), _end(topology, modes, b, a)
        z = (x[b] - x[a]) / np.linalg.norm(x[b] - x[a])
        R_WF, R_WM = _axes(z, x[ends[0]] - x[a]), _axes(z, x[ends[1]] - x[b])
        turned = R_WF.T @ R_WM
        torsions.append(Torsion((a, b), (own[a], own[b]), ends, R_WF, R_WM, float(np.arctan2(turned[1, 0],
                                                                                              turned[0, 0]))))
        if inward:
            frames[own[b]] = R_WM, x[b]
    homes = [[own[k]] for k in range(len(topology.atoms))]
    for a, b in turning:
        homes[a].append(own[b])
        homes[b].append(own[a])
    clusters = tuple(Cluster(tuple(group), *frames[k]) for k, group in enumerate(groups))
    return Partition(clusters, tuple(torsions), tuple(map(tuple, homes)), tuple(roots),
                     tuple(rings_of(topology, modes)))


# --- which bond does what ---


def bond_modes(topology: Topology, mobile: str | Mapping) -> dict[tuple[int, int], str]:
    """Every bond with its mode; a table starts from rigid and is worked off in its order."""
    modes, rings, by_rule = dict.fromkeys(topology.bonds, "rigid"), ring_bonds(topology), set()
    if not isinstance(mobile, (str, Mapping)):
        raise ModelError(f"mobile = {mobile!r}: give 'torsions', 'cartesian', 'rigid', or a table such as "
                         "{'all': 'torsions', ('CA', 'CB'): 'rigid'}.")
    for key, rule in (mobile.items() if isinstance(mobile, Mapping) else [("all", mobile)]):
        chosen = [bond for bond in _chosen(topology, key, rule, rings) if rule != "torsions" or bond not in rings]
        by_rule = by_rule | set(chosen) if rule == "torsions" else by_rule - set(chosen)
        modes |= dict.fromkeys(chosen, {"torsions": "torsion", "cartesian": "free"}.get(rule, rule))
    return modes | {bond: "rigid" for bond in by_rule if not can_turn(topology, modes, bond)}


def _chosen(topology: Topology, key: object, rule: str, rings: set) -> list[tuple[int, int]]:
    """The bonds that a line of a table is for."""
    if rule not in (*RULES, *MODES):
        raise ModelError(f"mobile: {key!r}: {rule!r} is no rule; choose {', '.join(RULES)} for atoms or residues, "
                         f"{', '.join(MODES)} for bonds.")
    if key == "all":
        return list(topology.bonds)
    if key == "rings":
        return sorted(rings)
    names = {atom.label: k for k, atom in enumerate(topology.atoms)}
    if isinstance(key, (int, range, slice)):
        numbers = [key] if isinstance(key, int) else (
            range(key.start, key.stop + 1) if isinstance(key, slice) else key)
        atoms = {k for k, atom in enumerate(topology.atoms) if atom.residue and atom.number in numbers}
        if not atoms:
            raise ModelError(f"mobile: no residue has a number in {key!r}.")
    elif isinstance(key, (tuple, frozenset)):
        unknown = [name for name in key if name not in names]
        if unknown:
            raise ModelError(f"mobile: there is no atom {unknown[0]!r}; there are {', '.join(list(names)[:12])} ….")
        atoms = {names[name] for name in key}
        if len(key) == 2 and not any(set(bond) == atoms for bond in topology.bonds):
            raise ModelError(f"mobile: {'–'.join(key)} is no bond.")
    else:
        raise ModelError(f"mobile: {key!r} is neither 'all', 'rings', residue numbers, nor a tuple of atoms.")
    within = any if rule in ("cartesian",) else all
    return [bond for bond in topology.bonds if within(k in atoms for k in bond)]


def can_turn(topology: Topology, modes: Mapping, bond: tuple[int, int]) -> bool:
    """Whether on both sides of a bond there is an atom off its axis that moves with it."""
    return all(_off_axis(topology, modes, a, b) for a, b in (bond, bond[::-1]))


def _off_axis(topology: Topology, modes: Mapping, a: int, b: int) -> list[int]:
    """Atoms bonded to a, and not freely, that do not lie on the line through a and b."""
    x = topology.positions
    along = (x[b] - x[a]) / np.linalg.norm(x[b] - x[a])
    return [k for k in topology.neighbours[a] if k != b and modes.get((a, k), modes.get((k, a))) != "free"
            and np.linalg.norm(np.cross(along, x[k] - x[a])) > STRAIGHT * np.linalg.norm(x[k] - x[a])]


def _refuse_stuck(topology: Topology, modes: Mapping, bond: tuple[int, int], own: dict[int, int]) -> None:
    if own[bond[0]] == own[bond[1]]:
        raise ModelError(f"mobile: the bond {topology.said(*bond)} cannot turn: it is part of a ring whose other bonds "
                         "are rigid. Let all bonds of the ring turn ({'rings': 'torsion'}), or none.")
    if not can_turn(topology, modes, bond):
        raise ModelError(f"mobile: the bond {topology.said(*bond)} cannot turn: on one side nothing that "
                         "moves with it lies off its axis.")


# --- clusters and their frames ---


def _connected(count: int, bonds: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Atoms joined by bonds, in order of their first atoms."""
    group = list(range(count))

    def leader(k: int) -> int:
        while group[k] != k:
            group[k] = group[group[k]]
            k = group[k]
        return k

    for a, b in bonds:
        first, second = sorted((leader(a), leader(b)))
        group[second] = first
    found: dict[int, list[int]] = {}
    for k in range(count):
        found.setdefault(leader(k), []).append(k)
    return list(found.values())


def _weight(topology: Topology, group: list[int]) -> tuple[int, int]:
    """How well a cluster serves as a root: not straight, then many atoms."""
    return len(group) if not is_straight(topology.positions[group]) else 0, len(group)


def is_straight(places: np.ndarray) -> bool:
    """Whether places lie on one line."""
    spread = np.linalg.svd(places - places.mean(axis=0), compute_uv=False)
    return len(places) < 3 or bool(spread[1] < STRAIGHT * spread[0])


def _forest(count: int, turning: list[tuple[int, int]], own: dict[int, int],
            weights: list) -> tuple[list, list, list[int]]:
    """Bonds from the root outwards, bonds that close rings, and the roots."""
    tree, extra, roots, done, used = [], [], [], set(), set()
    for component in _connected(count, [(own[a], own[b]) for a, b in turning]):
        root = max(component, key=lambda k: (weights[k], -k))
        roots.append(root)
        done.add(root)
        front = [root]
        while front:
            here = front.pop(0)
            for bond in turning:
                if bond in used or here not in (own[bond[0]], own[bond[1]]):
                    continue
                used.add(bond)
                a, b = bond if own[bond[0]] == here else bond[::-1]
                if own[b] in done:
                    extra.append((a, b))
                else:
                    done.add(own[b])
                    tree.append((a, b))
                    front.append(own[b])
    return tree, extra, roots


def _end(topology: Topology, modes: dict, a: int, b: int) -> int:
    """The atom beside a that torsion about a–b is counted by: the first heavy one that rests there."""
    return min(_off_axis(topology, modes, a, b), key=lambda k: (topology.atoms[k].element == "H", k))


def _axes(z: np.ndarray, towards: np.ndarray) -> np.ndarray:
    """The rotation with this z, x in the plane of z and a direction."""
    x = towards - z * (z @ towards)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _root_frame(topology: Topology, group: list[int], alone: bool) -> tuple[np.ndarray, np.ndarray]:
    """At the centre of mass, axes parallel to the world's; z along a straight cluster that nothing is joined to."""
    masses, x = np.array([topology.atoms[k].type.mass for k in group]), topology.positions[group]
    centre = masses @ x / masses.sum()
    if not alone or len(group) == 1 or not is_straight(x):
        return np.eye(3), centre
    z = (x[-1] - x[0]) / np.linalg.norm(x[-1] - x[0])
    return _axes(z, np.eye(3)[np.argmin(abs(z))]), centre
