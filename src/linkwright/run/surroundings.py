"""Where the shapes of a crowd are now, which of them are near each other, and their gaps: the memory, seen from Python.

    shapes = Surroundings(system, state)
    shapes.look(inputs)
    owners, numbers, points = shapes.gaps(shapes.near(margins))
"""

from __future__ import annotations

import numpy as np

from ..codegen.dialect import compiled, real, whole
from ..integrate.jit import addresses
from ..system import Crowd, State, System
from .crowd_look import look
from .crowd_record import CROWD, OUTPUTS, crowd_at
from .nearness import find_near, measure


@compiled
def _look(address: int, inp: int, step: float, inertia: int) -> None:
    look(crowd_at(address), inp, step, inertia != 0)  # type: ignore[arg-type]


@compiled
def _find_near(address: int, margins: real[:]) -> None:  # type: ignore[valid-type]
    find_near(crowd_at(address), margins)


@compiled
def _measure(address: int, which: whole[:]) -> None:  # type: ignore[valid-type]
    c = crowd_at(address)
    for k in range(len(which)):
        measure(c, which[k])


class Surroundings:
    """The memory of a crowd; `record` is what compiled code sees of it, at `address`."""

    def __init__(self, system: System, state: State) -> None:
        self.crowd = crowd = Crowd(system, state)
        self.names, self.meets = crowd.names, crowd.meets
        self._memory, self.record = CROWD.new()
        self.address = self._memory.ctypes.data
        crowd.gaps.prepare(crowd.pairs)
        self.arrays = _arrays(crowd)
        movers, program = crowd.movers, crowd.movers.program
        parts = {name: program.slice_out(name) for name, size in program.program.outputs if size}
        out = self.arrays["out"].ctypes.data
        width, size = movers.columns.shape[1], movers.members.shape[1]
        self.record.put(
            **addresses(**self.arrays), places=program.scalar_address,
            **{OUTPUTS[name]: out + 8 * part.start for name, part in parts.items()},
            n_shapes=len(crowd.names), width=width, nu=system.mechanism.nu, n_jacobian=len(movers.jacobian_at),
            n_inertia=len(movers.inertia_at), n_held_values=len(movers.held_at), n_single_values=len(movers.single_at),
            n_meets=len(crowd.pairs), n_kinds=len(crowd.gaps.code), n_blocks=len(movers.sizes), block=size,
            n_rows=len(movers.rows), n_singles=len(movers.single_places), single_width=movers.single_places.shape[1],
            n_sizes=len(crowd.gaps.sizes), n_gap_in=len(self.arrays["gap_in"]), n_gap_out=len(self.arrays["gap_out"]),
            n_listed=-1)

    def look(self, inputs: np.ndarray, step: float = 0.0, inertia: bool = True) -> None:
        """Poses, Jacobians and (if asked for) the factored inertia at the inputs of a program."""
        _look(self.address, inputs.ctypes.data, step, int(inertia))

    def near(self, margins: np.ndarray) -> np.ndarray:
        """Numbers of encounters whose shapes may be closer than the sum of their margins."""
        _find_near(self.address, margins)
        return self.arrays["near"][: self.record.n_near].copy()

    def gaps(self, meets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(encounter; which of its points; gap, normal, point on a, point on b) of all points of encounters."""
        _measure(self.address, meets)
        self.check()
        a = self.arrays
        counts = a["n_points"][meets]
        places = np.repeat(a["first_point"][meets], counts) + np.arange(counts.sum()) - np.repeat(
            np.cumsum(counts) - counts, counts)
        return np.repeat(meets, counts), a["point_numbers"][places], a["points"][places]

    def check(self) -> None:
        """Raise what went wrong in a search for a gap."""
        error, self.crowd.gaps.error = self.crowd.gaps.error, None
        if error is not None:
            raise error


def _arrays(crowd: Crowd) -> dict[str, np.ndarray]:
    """All arrays of the memory, by their names in the record."""
    movers, gaps = crowd.movers, crowd.gaps
    n, nu = len(crowd.names), len(movers.block_of)
    shape = len(movers.sizes), movers.members.shape[1], movers.members.shape[1]
    kinds = gaps.kinds[crowd.pairs]
    room = int(gaps.points[kinds[:, 0], kinds[:, 1]].sum())

    def whole(*sizes: int) -> np.ndarray:
        return np.zeros(sizes, dtype=np.int64)

    static = {
        "jacobian_at": movers.jacobian_at, "inertia_at": movers.inertia_at, "held_at": movers.held_at,
        "single_at": movers.single_at, "columns": movers.columns, "reach": crowd.reach, "distant": crowd.distant,
        "boxes": crowd.boxes, "meet_shapes": crowd.pairs, "meets": crowd.meets, "code": gaps.code,
        "points_of": gaps.points, "numbered": gaps.numbered, "searched": gaps.searched, "kind_of": gaps.kinds,
        "size_at": gaps.size_at, "sizes": gaps.sizes, "axes": gaps.axes, "turned": gaps.turned,
        "block_of": movers.block_of, "place_in": movers.place_in, "members": movers.members,
        "block_sizes": movers.sizes, "block_of_row": movers.block_of_row, "single_places": movers.single_places}
    changing = {
        "out": np.zeros(movers.program.n_out), "work": movers.program.workspace(), "gap_in": np.zeros(gaps.room[0]),
        "gap_out": np.zeros(gaps.room[1]), "gap_work": np.zeros(gaps.n_work),
        "jacobians": np.zeros((n, 6, movers.columns.shape[1])), "inertia": np.zeros(shape), "factors": np.zeros(shape),
        "basis": np.zeros(shape if len(movers.rows) else (0, 0, 0)), "n_basis": whole(shape[0]),
        "rows": movers.rows.copy(),
        "singles": np.zeros((len(movers.single_places), nu)), "told": np.zeros((len(movers.single_places), 3)),
        "added": np.zeros(nu), "pull": np.zeros(nu),
        "scratch": np.zeros((max(1, len(movers.rows)), shape[1])),
        "gone": np.zeros(n), "last_poses": np.zeros((n, 12)), "sweeping": whole(n), "skin": np.zeros(n),
        "before": np.zeros(n), "low": np.zeros((n, 3)), "high": np.zeros((n, 3)), "order": np.arange(n),
        "apart": np.full(len(crowd.pairs), -np.inf), "listed": whole(len(crowd.pairs)),
        "list": whole(len(crowd.pairs)), "near": whole(len(crowd.pairs)), "measured_at": whole(len(crowd.pairs)),
        "first_point": whole(len(crowd.pairs)), "n_points": whole(len(crowd.pairs)), "points": np.zeros((room, 10)),
        "point_numbers": whole(room)}
    kept = {name: np.ascontiguousarray(array, dtype=float if array.dtype.kind == "f" else np.int64)
            for name, array in static.items()}
    return kept | changing
