"""The complete R3 robot (Modelica's RobotR3.fullRobot) against the result file published with that library.

The example goes on to further poses at 2.5 s; the published run ends before, 0.5 s after the end of the first motion.
Its tolerance is 1e-6, of voltages around 100 V and motor speeds up to 600 rad/s.
"""

import runpy
from pathlib import Path

import pytest

import linkwright as lw

EXAMPLE = Path(__file__).parents[2] / "examples" / "robot_r3.py"
END = 1.85604500190409
#: per axis: state of the speed control, angle and speed of the spring, voltage of the capacitor, current
START = {1: (0, 0, 0, 0, 0),
         2: (-5.14693697666933, 0.274150861706671, 0, 94.404566703399, -1.88809133406798),
         3: (-7.72606044750748, 0.0736781805449948, 0, 183.941738619564, -3.67883477239127),
         4: (-1.20084878639352, None, None, 30.0212196598381, -0.600424393196762),
         5: (-1.44855863078639, None, None, 36.2139657696598, -0.724279315393196),
         6: (0, None, None, 0, 0)}
FINAL = {1: (-0.677344332030763, -7.48667952534212e-05, 3.86270596691562e-05, 17.0807599003764, -0.340716510096948),
         2: (5.30563164901565, -0.446911130428473, -0.0191773627273976, -132.360004996101, 2.64816840768611),
         3: (4.24672232988785, -0.0544342224133884, -0.00326169558617811, -105.734942426261, 2.11581031131725),
         4: (3.12655874797856, None, None, -70.5696730742485, 1.4118355815074),
         5: (-2.84862957382081, None, None, 71.2390065437789, -1.42463207738261),
         6: (-2.55885140464252, None, None, 63.9244001445842, -1.27848203408577)}
#: angle and speed of every joint, and whether its friction acts backwards, is stuck, or acts forwards
JOINTS = {1: (1.04682240923462, 0.00183996493692784, -1), 2: (-1.2236472465258, -0.00110423285799353, -1),
          3: (-0.610908070236364, -0.00412585737797465, -1), 4: (0.784784107810745, 0, 0),
          5: (1.92023459866889, -0.00185425639327642, -1), 6: (0.785339122964129, 0.000314292581796621, 1)}


@pytest.fixture(scope="module")
def run():
    return lw.simulate(runpy.run_path(str(EXAMPLE))["model"], END)


def states(run, k, at):
    axis = f"axis{k}"
    names = [f"{axis}.PI.x", f"{axis}.spring.phi_rel", f"{axis}.spring.w_rel", f"{axis}.v", f"{axis}.motor.i"]
    elastic = k <= 3
    return [run[name][at] if elastic or "spring" not in name else None for name in names]


@pytest.mark.parametrize("k", range(1, 7))
def test_every_axis_starts_in_balance(run, k):
    for found, value in zip(states(run, k, 0), START[k], strict=True):
        assert value is None or found == pytest.approx(value, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("k", range(1, 7))
def test_every_axis_ends_as_published(run, k):
    for found, value in zip(states(run, k, -1), FINAL[k], strict=True):
        assert value is None or found == pytest.approx(value, rel=2e-6, abs=1e-5)
    found = [run[f"r{k}.phi"][-1], run[f"r{k}.w"][-1], run[f"axis{k}.friction.mode"][-1]]
    assert found == pytest.approx(JOINTS[k], rel=1e-7, abs=5e-9 if k == 4 else 1e-7)
