"""Controllers in Python that remember: each run of a sweep, each instance of a Simulator remembers for itself."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational

STARTS = [0.3, -0.2, 0.5]


def loose():
    m = lw.Model("held")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(phi=0.3, w=0), parts.Body(m=1.0, r_cm=[0.5, 0, 0])
    m.motor = rotational.Torque(tau=m.input("torque"))
    m.chain(m.world, m.rev, m.body)
    m.connect(m.rev.axis, m.motor.flange)
    return m


def held(memory=None):
    """A pendulum that an integrating controller holds; what it remembers is a dict of its own, or one that is given."""
    m = loose()
    memory = {"sum": 0.0} if memory is None else memory

    @m.every(0.02)
    def integrate(t, y):
        memory["sum"] += 0.02 * y["rev.phi"]
        return {"torque": 4.9 - 20 * y["rev.phi"] - 2 * y["rev.w"] - 30 * memory["sum"]}

    return m



def begins_at(phi):
    m = held()
    m.rev.start_at(phi=phi, w=0)
    return lw.simulate(m, 0.4, step=0.1)["rev.phi"]


@pytest.mark.parametrize("threads", [0, 2])
def test_runs_of_a_sweep_do_not_tell_one_another(threads):
    memory = {"sum": 0.0}
    m = held(memory)
    with ThreadPoolExecutor(max(threads, 1)) as pool:
        study = lw.sweep(m, {"rev.phi": STARTS}, 0.4, outputs=["rev.phi"], step=0.1, progress=False,
                         **({"executor": pool, "chunk": 1} if threads else {}))
    for k, phi in enumerate(STARTS):
        assert np.array_equal(study.data["rev.phi"].values[k], begins_at(phi))
        assert np.array_equal(study.result(k)["rev.phi"], begins_at(phi))
    assert memory == {"sum": 0.0}


def course(sim):
    seen = []
    for _ in range(4):
        sim.step()
        seen.append(np.array(sim["rev.phi"]))
    return np.array(seen)


def test_instances_of_a_simulator_remember_for_themselves_and_reset_forgets():
    sim = lw.Simulator(held(), 0.1, n=3)
    found = course(sim.reset({"rev.phi": STARTS}))
    for k, phi in enumerate(STARTS):
        assert np.array_equal(course(lw.Simulator(held(), 0.1).reset({"rev.phi": phi})), found[:, k])
    assert np.array_equal(course(sim.reset({"rev.phi": STARTS})), found)
    sim.reset({"rev.phi": 0.5}, mask=[False, True, False])
    after = course(sim)
    assert np.array_equal(after[:, 1], found[:, 2]) and not np.array_equal(after[:, 0], found[:, 0])


def test_simulators_side_by_side_are_each_alone():
    m = held()
    one, two = lw.Simulator(m, 0.1), lw.Simulator(m, 0.1)
    both = []
    for _ in range(4):
        both.append((one.step()["rev.phi"], two.step()["rev.phi"]))
    expected = course(lw.Simulator(held(), 0.1))
    assert np.array_equal(np.array(both), np.stack([expected, expected], axis=1))


class Remembers:
    def __init__(self):
        self.seen = []

    def ask(self, t, y):
        self.seen.append(t)
        return {"torque": -0.1 * len(self.seen)}


def test_objects_with_methods_are_copied_and_two_controllers_share_what_they_shared():
    m, thing = loose(), Remembers()
    m.every(0.1)(thing.ask)
    study = lw.sweep(m, {"rev.phi": [0.3, 0.3]}, 0.25, outputs=["torque"], step=0.05, progress=False)
    assert np.array_equal(*study.data["torque"].values) and study.data["torque"].values[0, -1] == -0.1 * 3
    assert not thing.seen
    m, shared = loose(), [0.0]
    m.every(0.1)(lambda t, y: shared.__setitem__(0, shared[0] + 1))
    m.every(0.1)(lambda t, y: {"torque": shared[0]})
    study = lw.sweep(m, {"rev.phi": [0.3, 0.3]}, 0.25, outputs=["torque"], step=0.05, progress=False)
    assert np.array_equal(study.data["torque"].values[0], study.data["torque"].values[1])
    assert study.data["torque"].values[0].max() == 3 and shared == [0.0]


def test_a_controller_that_cannot_be_copied_is_refused_by_name():
    m, lines = held(), iter(line for line in "abc")

    @m.every(0.05)
    def reads_on(t, y):
        next(lines, None)

    with pytest.raises(lw.ModelError, match=r"held: the controller 'reads_on' cannot be copied.*m\.discrete"):
        lw.Simulator(m, 0.1)
    with pytest.raises(lw.ModelError, match=r"held: the controller 'reads_on' cannot be copied"):
        lw.sweep(m, {"rev.phi": [0.3]}, 0.1, outputs=["rev.phi"], progress=False)


def test_files_that_are_written_to_are_shared(tmp_path):
    m = held()
    with open(tmp_path / "log.txt", "w", encoding="utf-8") as log:
        m.every(0.05)(lambda t, y: print(t, file=log))
        lw.sweep(m, {"rev.phi": [0.3, 0.2]}, 0.1, outputs=["rev.phi"], progress=False)
    assert len((tmp_path / "log.txt").read_text().splitlines()) == 4


def test_a_sweep_of_which_every_run_fails_says_so_and_has_its_columns():
    study = lw.sweep(held(), {"body.m": [-1.0, -2.0]}, 0.1, outputs=["rev.phi"], step=0.05, progress=False)
    assert list(study.data["status"].values) == ["failed"] * 2 and "body.m" in str(study.data["message"].values[0])
    assert study.data["rev.phi"].shape == (2, 3) and np.isnan(study.data["rev.phi"].values).all()
