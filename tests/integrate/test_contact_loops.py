"""Sweeps over contacts: one text, the same bits as checked Python, as machine code and in lanes."""

import ctypes

import numpy as np
import pytest

from linkwright.codegen.dialect import Machine
from linkwright.integrate import gauss_seidel
from linkwright.integrate.gauss_seidel import CONTACT, SINGLE, TURN

N, N_U, WIDTH, REACH = 8, 24, 6, 12
ORDER = ("u", "impulses", "G", "g_places", "Y", "y_places", "W", "b", "kinds", "partners", "laws")
SHARED = ("g_places", "y_places", "kinds", "partners")


def contacts(runs):
    """Contacts of all kinds, one on a patch with its TURN, at random; in every run the same kinds and places."""
    rng = np.random.default_rng(2)
    a = {"u": rng.normal(size=(runs, N_U)), "impulses": np.zeros((runs, N, 3)),
         "b": rng.normal(size=(runs, N, 3)) * 0.1,
         "G": rng.normal(size=(runs, N, 3, WIDTH)), "Y": np.zeros((runs, N, 3, REACH)), "W": np.zeros((runs, N, 4)),
         "g_places": np.stack([rng.choice(N_U, WIDTH, False) for _ in range(N)]), "kinds": np.full(N, CONTACT),
         "y_places": np.full((N, REACH), -1), "partners": np.full(N, -1), "laws": np.zeros((runs, N, 3))}
    a["g_places"][::3, -1] = -1
    a["y_places"][:, :WIDTH] = a["g_places"]
    a["Y"][..., :WIDTH] = a["G"] * rng.uniform(0.5, 1.0, (runs, 1, 1, WIDTH))
    on = (a["g_places"] >= 0)[None, :, None, :]
    along = (a["G"] * a["Y"][..., :WIDTH] * on).sum(-1)
    a["W"][..., 0], a["W"][..., 1] = along[..., 0], along[..., 1:].max(-1) * 1.5
    a["W"][..., 2:] = (a["G"][:, :, 1:] * a["Y"][:, :, :1, :WIDTH] * on).sum(-1)
    a["laws"][..., 0] = rng.uniform(0.1, 0.9, (runs, N))
    a["kinds"][5], a["partners"][5], a["partners"][3] = TURN, 3, 5
    a["laws"][:, 3, 1:], a["laws"][:, 5] = (0.05, 1e-3), (0.02, 0.01, 0.0)
    a["kinds"][6:], a["laws"][:, 6:, :2] = SINGLE, (-1.0, 1.0)
    return a


def one(a, run, name):
    return (a[name] if name in SHARED else a[name][run]).copy()


def swept(a, run, function, sweeps):
    arrays = [one(a, run, name) for name in ORDER]
    count, left = function(*arrays, sweeps, 1e-9)
    return np.array([*arrays[0], *arrays[1].ravel(), count, left])


def test_checked_python_and_machine_code_have_the_same_bits():
    a = contacts(2)
    for run in range(2):
        results = [swept(a, run, f, 12) for f in (gauss_seidel.sweep, gauss_seidel.sweep.plain)]
        np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("lanes", [4, 8])
def test_lanes_have_the_bits_of_one_run(lanes):
    """Each run ends after sweeps of its own number, while others go on."""
    a = contacts(lanes)
    expected = np.array([swept(a, run, gauss_seidel.sweep, 200) for run in range(lanes)])
    assert len(set(expected[:, -2])) > 1
    machine = Machine(gauss_seidel.sweep, lanes, SHARED)
    memory = {m: a[m].copy() if m in SHARED else np.ascontiguousarray(np.moveaxis(a[m], 0, -1)) for m in ORDER}
    given, kinds = [], []
    sizes = {"u": [N_U], "G": [N, WIDTH], "g_places": [N, WIDTH], "Y": [N, REACH], "y_places": [N, REACH]}
    for name in ORDER:
        given += [memory[name].ctypes.data, *sizes.get(name, [N])]
        kinds += [ctypes.c_void_p, *[ctypes.c_int64] * len(sizes.get(name, [N]))]
    back = np.zeros((2, lanes))
    call = ctypes.CFUNCTYPE(None, *kinds, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p)(machine.address)
    call(*given, 200, 1e-9, back.ctypes.data)
    got = np.vstack([memory["u"], memory["impulses"].reshape(-1, lanes), back[0].view(np.int64), back[1]]).T
    np.testing.assert_array_equal(got, expected)
