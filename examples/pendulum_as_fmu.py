"""A pendulum with a motor as an FMU: written without a compiler, and simulated back where FMPy is installed.

The FMU has an input (the torque), two parameters, and two outputs; any tool that knows FMI runs it.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import linkwright as lw
from linkwright import joints, parts, rotational


def build():
    """A rod on a damped hinge, and a motor that nobody drives yet."""
    m = lw.Model("pendulum")
    m.world = lw.World()
    m.hinge = joints.Revolute(n=[0, 0, 1], phi=0.8)
    m.rod = parts.BodyCylinder(r=[0.6, 0, 0], diameter=0.03)
    m.damper, m.motor = rotational.Damper(d=0.05), rotational.Torque()
    m.chain(m.world, m.hinge, m.rod)
    m.connect(m.hinge.support, m.damper.flange_a)
    m.connect(m.hinge.axis, m.damper.flange_b, m.motor.flange)
    return m


model = build()
stop = 3.0

if __name__ == "__main__":
    result = lw.simulate(model, stop, inputs={"motor.tau": 1.0}, output_step=0.1)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "pendulum.fmu"
        lw.export(model, file, outputs=["hinge.phi", "rod.r_0"], tunable=["damper.d"])
        print(f"{file.name}: {file.stat().st_size / 1024:.0f} KiB, with libraries for Linux, Windows and macOS")
        try:
            import fmpy
        except ImportError:
            print("install fmpy to simulate it back")
        else:
            found = fmpy.simulate_fmu(str(file), stop_time=stop, output_interval=0.1, fmi_type="CoSimulation",
                                      start_values={"motor.tau": 1.0}, relative_tolerance=1e-10)
            apart = np.abs(found["hinge.phi"] - result["hinge.phi"]).max()
            print(f"FMPy and Linkwright agree to {apart:.1e} rad over {stop:g} s")
    low, high = np.degrees([result["hinge.phi"].min(), result["hinge.phi"].max()])
    print(f"with a torque of 1 N m it swings between {low:.1f}° and {high:.1f}°")
