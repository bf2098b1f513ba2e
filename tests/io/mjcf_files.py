"""Small MJCF files of our own, and their comparison with MuJoCo, shared by the tests of this folder."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright.io.mjcf.keyframes import SPEEDS, places_of, set_coordinates

#: every kind of joint, several per body, classes, frames, springs, drives of every known kind
MACHINE = """<mujoco model="machine">
  <compiler angle="degree" eulerseq="zyx"/>
  <option gravity="0.1 0 -9.7" timestep="0.001"/>
  <default>
    <joint damping="0.2" armature="0.01"/>
    <geom rgba="0.8 0.4 0.2 1"/>
    <motor ctrlrange="-1 1"/>
    <default class="light"><geom density="200"/><joint damping="0.05"/></default>
  </default>
  <asset><material name="red" rgba="1 0 0 1"/></asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="2 2 0.1"/>
    <body name="drone" pos="0.3 0.2 1.5" euler="20 10 -30">
      <freejoint name="fly"/>
      <geom type="box" size="0.2 0.1 0.05" pos="0.02 0 0" euler="0 0 30" material="red"/>
      <site name="rotor" pos="0.1 0 0.05" zaxis="0.1 0 1"/>
      <body name="head" pos="0 0 -0.1" quat="0.9 0.1 0.2 0.3">
        <joint name="gimbal" type="ball" pos="0 0 0.05" damping="0.02" armature="0"/>
        <geom type="ellipsoid" size="0.05 0.04 0.08"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0.1 0.05 -0.1"/>
      </body>
    </body>
    <frame pos="0 0 1" euler="0 15 0">
      <body name="upper" childclass="light" pos="0.5 0 0">
        <joint name="swing" axis="0 1 0" pos="0 0 0.1" ref="30" stiffness="2" springref="10"/>
        <joint name="twist" axis="1 0 1" class="main"/>
        <geom type="cylinder" size="0.03 0.2" pos="0 0 -0.2"/>
        <frame pos="0 0 -0.4"><geom type="sphere" size="0.05" mass="0.3" pos="0.01 0 0"/></frame>
        <body name="lower" pos="0 0 -0.4" xyaxes="0 1 0 -1 0 0">
          <inertial pos="0.01 0.02 -0.1" mass="0.7" fullinertia="0.01 0.012 0.005 0.001 0.0005 -0.0003"/>
          <joint name="knee" type="hinge" axis="1 0 0"/>
          <joint name="extend" type="slide" axis="0 0 1" ref="0.1" armature="0.2" damping="3"/>
          <site name="tip" pos="0 0 -0.2" euler="30 0 10"/>
        </body>
      </body>
    </frame>
  </worldbody>
  <tendon>
    <fixed name="rope" stiffness="5" damping="0.3">
      <joint joint="knee" coef="0.4"/><joint joint="swing" coef="-0.2"/>
    </fixed>
  </tendon>
  <actuator>
    <motor name="m" joint="swing" gear="3"/>
    <position name="p" joint="knee" kp="4" kv="0.1" gear="2"/>
    <velocity name="v" joint="extend" kv="2" ctrllimited="false"/>
    <general name="g" joint="twist" gainprm="2" biastype="affine" biasprm="0.3 -1 -0.2" forcerange="-0.4 0.4"/>
    <motor name="r" tendon="rope" gear="1.5"/>
    <motor name="thrust" site="rotor" gear="0 0 2 0 0.1 0"/>
    <motor name="turn" joint="gimbal" gear="0.1 0.2 0.3"/>
    <motor name="push" joint="fly" gear="1 2 3 0.1 0.2 0.3"/>
    <damper name="d" joint="knee" kv="0.5" ctrlrange="0 1"/>
  </actuator>
  <sensor>
    <jointpos name="s1" joint="knee"/><jointvel name="s2" joint="swing"/>
    <gyro name="s3" site="tip"/><velocimeter name="s4" site="tip"/><accelerometer name="s5" site="tip"/>
    <framepos name="s6" objtype="site" objname="tip"/><framexaxis name="s7" objtype="xbody" objname="lower"/>
    <framelinvel name="s8" objtype="body" objname="lower"/><frameangvel name="s9" objtype="site" objname="rotor"/>
    <subtreecom name="s10" body="upper"/><subtreelinvel name="s11" body="upper"/>
    <tendonpos name="s12" tendon="rope"/><tendonvel name="s13" tendon="rope"/><actuatorfrc name="s14" actuator="p"/>
    <force name="s15" site="tip"/><torque name="s16" site="tip"/>
  </sensor>
  <keyframe>
    <key name="bent" time="0.5" qpos="0 0 2 1 0 0 0  1 0 0 0  0.1 0.2 0.3 0.15" qvel="1 0 0 0 0 1  0 0 0  0 0 0.5 0"/>
  </keyframe>
</mujoco>
"""

#: actuators on joints of every kind and on sites, with servos and activations
ACTUATED = """<mujoco model="actuated">
  <option gravity="0 0 -9.81"/>
  <default><joint damping="0.1"/></default>
  <worldbody>
    <site name="corner" pos="0.5 0.2 0.1" euler="20 30 40"/>
    <body name="ship" pos="0 0 1" euler="10 20 30">
      <joint name="drift" type="free" damping="0.3"/>
      <geom type="box" size="0.2 0.1 0.05" pos="0.02 0.01 0"/><site name="jet" pos="-0.2 0 0.03" euler="0 70 0"/>
      <body name="eye" pos="0.2 0 0">
        <joint name="socket" type="ball"/><geom type="ellipsoid" size="0.05 0.03 0.04" pos="0 0 0.03"/>
        <body name="lid" pos="0 0 0.08"><joint name="hinge" axis="0 1 0"/><geom size="0.02"/></body>
      </body>
    </body>
    <body name="cart" pos="0 2 0"><joint name="rail" type="slide" axis="1 0 0"/><geom type="sphere" size="0.1"/></body>
  </worldbody>
  <actuator>
    <position name="look" joint="socket" gear="0.4 0.5 0.6" kp="3" kv="0.2"/>
    <motor name="roll" jointinparent="socket" gear="0.1 0.3 -0.2"/>
    <velocity name="steer" joint="drift" gear="1 0.5 0.2 0.1 0.2 0.3" kv="2"/>
    <motor name="lift" jointinparent="drift" gear="0 0 1 0.3 0 0.1"/>
    <general name="burn" site="jet" gear="0 0 2 0.1 0 0" gainprm="3" biastype="affine" biasprm="0.1 0 -0.4"/>
    <motor name="tow" site="jet" refsite="corner" gear="1 -0.5 0.2 0.1 0 0.3"/>
    <position name="moor" site="jet" refsite="corner" gear="1 2 0" kp="5"/>
    <cylinder name="press" joint="rail" timeconst="0.2" area="0.5" bias="0.1 -0.3 -0.2"/>
    <intvelocity name="creep" joint="hinge" kp="2" actrange="-0.4 0.3"/>
    <general name="slow" joint="rail" dyntype="filter" dynprm="0.7" gainprm="2" ctrlrange="-1 1" forcerange="-0.5 0.5"/>
    <general name="puff" site="jet" gear="1 0 0" dyntype="integrator" actrange="-0.5 0.5" gainprm="4"/>
  </actuator>
</mujoco>
"""

#: a four-bar whose loop is closed by a connect, a joint that follows another, and a plate welded to the last bar
FOURBAR = """<mujoco model="fourbar">
  <option timestep="0.0005" gravity="0 0 -9.81"/>
  <compiler angle="radian"/>
  <default><geom type="capsule" size="0.02" density="2000" contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="crank" pos="0 0 1"><joint name="a" axis="0 1 0"/><geom fromto="0 0 0 0 0 0.3"/>
      <body name="coupler" pos="0 0 0.3"><joint name="b" axis="0 1 0"/><geom fromto="0 0 0 0.8 0 0.2"/></body></body>
    <body name="rocker" pos="0.8 0 1"><joint name="c" axis="0 1 0" ref="0.2"/><geom fromto="0 0 0 0 0 0.5"/></body>
    <body name="plate" pos="0.8 0 1.5"><freejoint/><geom type="box" size="0.1 0.05 0.01"/></body>
    <body name="hand" pos="2 0 1"><joint name="e" axis="0 1 0"/><geom fromto="0 0 0 0.2 0 0"/></body>
  </worldbody>
  <equality>
    <connect name="loop" body1="coupler" body2="rocker" anchor="0.8 0 0.2"/>
    <weld name="bond" body1="rocker" body2="plate"/>
    <joint name="follow" joint1="e" joint2="c" polycoef="0.1 0.5 0.2 0 0"/>
  </equality>
</mujoco>
"""


#: what bounds and damps: ranges of forces, ratios of damping, laws of classes, drag, springs on free and ball joints
BOUNDED = """<mujoco model="bounded">
  <compiler angle="radian" settotalmass="7"/>
  <option gravity="0 0 -9.81" density="1.2" viscosity="0.02" wind="1 0.5 -0.2" magnetic="0.1 -0.4 0.2"/>
  <default>
    <joint damping="0.2" armature="0.02" actuatorfrcrange=""/>
    <general gainprm="6" biasprm="0.2 -1 -0.3"/>
    <default class="servo"><position dampratio="0.8" kp="20"/></default>
    <default class="slow"><position timeconst="0.3"/></default>
  </default>
  <worldbody>
    <site name="mark" pos="0.4 0.1 0.3" euler="0.3 0.2 0.1"/>
    <body name="ship" pos="0.1 0 2" euler="0.2 0.1 0">
      <joint name="drift" type="free" stiffness="3" damping="0.4" armature="0"/>
      <inertial pos="0.01 0.02 0" mass="2" diaginertia="0.02 0.03 0.04" quat="0.9 0.1 0.3 0.2"/>
      <body name="eye" pos="0.2 0 0" gravcomp="0.5">
        <joint name="socket" type="ball" stiffness="1.5" damping="0.1" armature="0"/>
        <geom type="ellipsoid" size="0.06 0.04 0.05" pos="0.02 0 0.03"/><site name="pupil" pos="0.05 0 0"/>
      </body>
    </body>
    <body name="arm" pos="0 0 1" gravcomp="1">
      <joint name="j1" axis="0 1 0" actuatorfrcrange="-2 1.5" actuatorgravcomp="true" damping="0.1 0.2 0.05"/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0.4 0 0.1" rgba=""/>
      <body name="fore" pos="0.4 0 0.1" gravcomp="0.7">
        <joint name="j2" axis="0 1 0" range="-1 2" stiffness="3 1 2" springref="0.1"/>
        <geom type="box" size="0.15 0.03 0.02" pos="0.15 0 0"/>
        <body name="hand" pos="0.3 0 0">
          <joint name="j3" type="slide" axis="1 0 0" actuatorfrcrange="-0.5 0.5"/>
          <geom type="cylinder" size="0.03 0.05" euler="0.3 0 0"/><site name="palm" pos="0.02 0 0" euler="0.1 0.4 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="cord" range="-1 1"><joint joint="j1" coef="0.6"/><joint joint="j2" coef="-0.4"/></fixed></tendon>
  <actuator>
    <position name="a1" joint="j1" class="servo" gear="1.5"/>
    <position name="a2" joint="j2" inheritrange="0.5" kv="0.4"/>
    <position name="a3" tendon="cord" class="servo"/>
    <general name="a4" joint="j3" biastype="affine" biasprm="0.3"/>
    <position name="a5" joint="j2" class="slow" kp="3"/>
    <velocity name="a6" joint="j1" kv="0.7"/>
    <motor name="a7" joint="j1" gear="4"/>
  </actuator>
  <sensor>
    <framequat name="q1" objtype="xbody" objname="fore"/><framequat name="q2" objtype="body" objname="ship"/>
    <framequat name="q3" objtype="site" objname="palm" reftype="site" refname="mark"/>
    <framepos name="p1" objtype="site" objname="palm" reftype="xbody" refname="arm"/>
    <framelinvel name="v1" objtype="site" objname="pupil" reftype="site" refname="palm"/>
    <frameangvel name="w1" objtype="site" objname="pupil" reftype="xbody" refname="fore"/>
    <framezaxis name="z1" objtype="site" objname="palm" reftype="site" refname="pupil"/>
    <framelinacc name="l1" objtype="site" objname="palm"/><frameangacc name="l2" objtype="xbody" objname="eye"/>
    <magnetometer name="m1" site="pupil"/><ballquat name="b1" joint="socket"/><ballangvel name="b2" joint="socket"/>
    <subtreeangmom name="h1" body="arm"/><jointactuatorfrc name="f1" joint="j1"/>
    <jointactuatorfrc name="f2" joint="j2"/><actuatorfrc name="f3" actuator="a1" cutoff="0.5"/>
  </sensor>
</mujoco>
"""


class Against:
    """A file read here and by MuJoCo, at the same states."""

    def __init__(self, file, disable: tuple[str, ...] = (), **options):
        import mujoco

        self.mujoco, self.theirs = mujoco, mujoco.MjModel.from_xml_path(str(file))
        for name in disable:
            self.theirs.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")
        self.data = mujoco.MjData(self.theirs)
        self.model = lw.read(file, **options)
        self.system = lw.compile(self.model)
        self.joints = self.model.import_report.data["joints"]
        self.state = self.system.state_from_defaults()
        for k, name in enumerate(self.system.part_names("d")):
            if name.endswith(".direction"):  # of dry friction, which MuJoCo counts to its constraints
                self.state.d[k] = 0.0

    def at_random(self, random, controls: bool = False) -> None:
        """The same random state for both; controls and activations, too, where they are asked for."""
        data, theirs = self.data, self.theirs
        data.qpos[:] = theirs.qpos0
        self.mujoco.mj_integratePos(theirs, data.qpos, random.uniform(-1, 1, theirs.nv), 1.0)
        data.qvel[:] = random.uniform(-1, 1, theirs.nv)
        set_coordinates(self.system, self.state, self.joints, data.qpos, data.qvel)
        drives = self.model.import_report.data["drives"]
        for k, (name, (inputs, states)) in enumerate(drives.items()) if controls else ():
            k = k if len(drives) == len(theirs.actuator_ctrladr) else theirs.actuator(name).id
            for at, control in enumerate(inputs, theirs.actuator_ctrladr[k]):
                low, high = theirs.actuator_ctrlrange[at] if theirs.actuator_ctrllimited[at] else (-1.0, 1.0)
                data.ctrl[at] = random.uniform(low, high)
                self.state.set(control, data.ctrl[at])
            for at, state in enumerate(states, theirs.actuator_actadr[k]):
                data.act[at] = random.uniform(0, 1)
                self.state.set(f"{state}.x", data.act[at])

    def near(self, most: float, random) -> None:
        """Coordinates at most so far from the pose that the file draws, for both."""
        self.data.qpos[:] = self.theirs.qpos0
        self.mujoco.mj_integratePos(self.theirs, self.data.qpos, random.uniform(-most, most, self.theirs.nv), 1.0)
        set_coordinates(self.system, self.state, self.joints, self.data.qpos, self.data.qvel)

    def map(self) -> tuple[np.ndarray, np.ndarray]:
        """(T, Ṫ q̇): our speeds are T times theirs; a free joint's velocity is in the body here, in the world there."""
        T, bias, at = np.zeros((len(self.state.u), self.theirs.nv)), np.zeros(len(self.state.u)), 0
        places = places_of(self.system, "u")
        for joint in self.joints:
            k, n = places[joint.component.path], SPEEDS[joint.kind]
            if joint.kind == "free":
                R = self.data.xmat[self.theirs.body(joint.body).id].reshape(3, 3)
                v, w = self.data.qvel[at:at + 3], self.data.qvel[at + 3:at + 6]
                T[k:k + 3, at + 3:at + 6], T[k + 3:k + 6, at:at + 3] = np.eye(3), R.T
                bias[k + 3:k + 6] = -np.cross(w, R.T @ v)
            else:
                T[k:k + n, at:at + n] = np.eye(n)
            at += n
        return T, bias

    def sensor_errors(self) -> dict[str, float]:
        """Errors of sensors that both have, relative where values are large; signs of quaternions are free."""
        self.mujoco.mj_forward(self.theirs, self.data)
        out = {}
        for k in range(self.theirs.nsensor):
            sensor = self.theirs.sensor(k)
            name = self.model.import_report.names.get("sensor", {}).get(sensor.name)
            if name is None:
                continue
            wanted = self.data.sensordata[sensor.adr[0]:sensor.adr[0] + sensor.dim[0]]
            ours = np.ravel(self.system.evaluate(self.state, name))
            if len(ours) == 4:
                ours = ours * np.sign(ours @ wanted)
            out[sensor.name] = float(np.abs(ours - wanted).max() / max(1.0, np.abs(wanted).max()))
        return out

    def errors(self, random=None) -> np.ndarray:
        """Relative errors of M and of what the accelerations zero need (bias less springs and drives)."""
        if random is not None:
            self.at_random(random)
        mujoco, theirs, data = self.mujoco, self.theirs, self.data
        mujoco.mj_fwdPosition(theirs, data)
        mujoco.mj_fwdVelocity(theirs, data)
        mujoco.mj_fwdActuation(theirs, data)
        M = np.zeros((theirs.nv, theirs.nv))
        mujoco.mj_fullM(theirs, data, M)
        T, bias = self.map()
        ours = T.T @ self.system.mass_matrix(self.state) @ T
        needed = T.T @ self.system.inverse_dynamics(self.state, bias)
        wanted = data.qfrc_bias - data.qfrc_passive - data.qfrc_actuator
        return np.array([np.abs(a - b).max() / max(np.abs(b).max(), 1e-9) for a, b in ((ours, M), (needed, wanted))])
