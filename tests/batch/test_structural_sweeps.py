"""Parameters that decide the structure: threads change one model in turn, and each run has its own value."""

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import linkwright as lw
from linkwright import joints, parts
from linkwright.compiler import changed, number_at

AXES = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0.6, 0.8]]


def arm(n=(0, 0, 1)):
    m = lw.Model("arm")
    m.world = lw.World()
    m.rev, m.body = joints.Revolute(n=list(n), phi=0.3, w=0.5), parts.Body(m=1.0, r_cm=[0.5, 0.1, 0.2])
    m.chain(m.world, m.rev, m.body)
    return m


def test_threads_that_change_one_model_get_each_their_own():
    m, alone = arm(), [lw.simulate(arm(n), 0.2, step=0.1)["rev.phi"] for n in AXES]
    with ThreadPoolExecutor(4) as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is compiled once for each value
        study = lw.sweep(m, {"rev.n": AXES * 3}, 0.2, outputs=["rev.phi"], step=0.1, executor=pool, chunk=1,
                         progress=False)
    for k in range(12):
        assert np.array_equal(study.data["rev.phi"].values[k], alone[k % 4]), k
    assert list(m.rev.n) == [0, 0, 1]


def test_a_model_has_one_number_at_a_time():
    """A second thread that wants to change it waits until the first has put it back; the same thread need not."""
    m, seen, inside = arm(), [], threading.Event()

    def other():
        inside.wait(10)
        with changed(m, {"body.m": 3.0}):
            seen.append(number_at(m, "body.m"))

    thread = threading.Thread(target=other)
    thread.start()
    with changed(m, {"body.m": 2.0}):
        inside.set()
        thread.join(0.3)
        assert thread.is_alive() and not seen and number_at(m, "body.m") == 2.0
        with changed(m, {"body.m": 2.5}):
            assert number_at(m, "body.m") == 2.5
    thread.join(10)
    assert seen == [3.0] and number_at(m, "body.m") == 1.0
