"""Several threads that ask one system: results are written out when asked for, and each thread gets the same."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints, parts, rotational
from linkwright.compiler import afresh
from linkwright.translate import Definitions


def chain(n=6):
    m = lw.Model("chain")
    m.world = lw.World()
    m.rev = [joints.Revolute(phi=0.1 * k, w=0.0) for k in range(n)]
    m.body = [parts.BodyShape(m=1.0, r=[0.3, 0, 0], r_cm=[0.15, 0, 0]) for _ in range(n)]
    m.damper = [rotational.Damper(d=0.1) for _ in range(n)]
    m.connect(m.world.frame_b, m.rev[0].frame_a)
    for k in range(n):
        m.chain(m.rev[k], m.body[k], *([m.rev[k + 1]] if k + 1 < n else []))
        m.connect(m.rev[k].support, m.damper[k].flange_a)
        m.connect(m.rev[k].axis, m.damper[k].flange_b)
    return m


@pytest.fixture
def impatient(monkeypatch):
    """Threads that take turns as often as they can, and in the midst of a definition."""
    before, resolve = sys.getswitchinterval(), Definitions._resolve

    def slowly(self, key):
        if self._closed:
            time.sleep(1e-4)
        return resolve(self, key)

    monkeypatch.setattr(Definitions, "_resolve", slowly)
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


NAMES = [f"{part}[{k}].{what}" for k in range(6) for part, what in
         (("body", "r_0"), ("body", "frame_b.f"), ("rev", "a"), ("damper", "tau"), ("rev", "frame_a.t"))]


def test_variables_that_nobody_asked_for_before(impatient):
    alone = lw.simulate(chain(), 0.1, step=0.05)
    wanted = {name: alone[name] for name in NAMES}
    with afresh():  # nothing of it is known
        system = lw.compile(chain())
    result = lw.simulate(system, 0.1, step=0.05)

    def ask(seed):
        names = [str(name) for name in np.random.default_rng(seed).permutation(NAMES)]
        for name in names:
            system.expression(name)
        return {name: result[name] for name in names[:4]}

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(ask, range(4)):
            for name, values in found.items():
                assert np.array_equal(values, wanted[name]), name


def test_runs_of_one_system_and_of_models_of_one_structure(impatient):
    """Two threads each: a shared system, and models that differ by a number."""
    masses = [1.0, 1.25, 0.75, 1.5]

    def model(mass):
        m = chain(3)
        m.body[2].m = mass
        return m

    alone = {mass: lw.simulate(model(mass), 0.2, step=0.1)["rev[2].phi"] for mass in masses}
    system = lw.compile(model(1.0))
    with ThreadPoolExecutor(4) as pool:
        shared = [pool.submit(lambda: lw.simulate(system, 0.2, step=0.1)["rev[2].phi"]) for _ in range(2)]
        own = {mass: pool.submit(lambda mass=mass: lw.simulate(model(mass), 0.2, step=0.1)["rev[2].phi"])
               for mass in masses}
        for future in shared:
            assert np.array_equal(future.result(), alone[1.0])
        for mass, future in own.items():
            assert np.array_equal(future.result(), alone[mass]), mass


def test_numbers_that_one_thread_tries_are_not_those_of_another(monkeypatch):
    """A state with another mass is checked while another thread simulates the model, which has its own."""
    m = chain(1)
    system, alone = lw.compile(m, tunable=["body[0].m"]), lw.simulate(m, 0.2, step=0.1)["rev[0].phi"]
    tried, check = threading.Event(), parts.BodyShape.check_numbers

    def slowly(self):
        check(self)
        tried.set()
        time.sleep(0.2)

    monkeypatch.setattr(parts.BodyShape, "check_numbers", slowly)
    with ThreadPoolExecutor(1) as threads:
        heavy = threads.submit(lw.simulate, system, 0.2, state=system.state().set("body[0].m", 2.5), progress=False)
        assert tried.wait(10)
        monkeypatch.setattr(parts.BodyShape, "check_numbers", check)
        np.testing.assert_array_equal(lw.simulate(m, 0.2, step=0.1, progress=False)["rev[0].phi"], alone)
        heavy.result()
