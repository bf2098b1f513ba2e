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


class Against:
    """A file read here and by MuJoCo, at the same states."""

    def __init__(self, file, disable: tuple[str, ...] = (), **options):
        import mujoco

        self.mujoco, self.theirs = mujoco, mujoco.MjModel.from_xml_path(str(file))
        for name in disable:
            self.theirs.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}")
        self.theirs.opt.density = self.theirs.opt.viscosity = 0.0  # there is no fluid here
        self.data = mujoco.MjData(self.theirs)
        self.model = lw.read(file, **options)
        self.system = lw.compile(self.model)
        self.joints = self.model.import_report.data["joints"]
        self.state = self.system.state_from_defaults()

    def at_random(self, random) -> None:
        """The same random state for both."""
        data, theirs = self.data, self.theirs
        data.qpos[:] = theirs.qpos0
        self.mujoco.mj_integratePos(theirs, data.qpos, random.uniform(-1, 1, theirs.nv), 1.0)
        data.qvel[:] = random.uniform(-1, 1, theirs.nv)
        set_coordinates(self.system, self.state, self.joints, data.qpos, data.qvel)

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

    def errors(self, random) -> np.ndarray:
        """Relative errors of M and of what the accelerations zero need (bias less springs and drives)."""
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
