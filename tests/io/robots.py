"""Small model files of our own, and comparisons with other programs that the tests of this folder share."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright.io.mjcf.keyframes import places_of

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <material name="steel"><color rgba="0.6 0.6 0.7 1"/></material>
  <link name="base">
    <inertial><mass value="4"/><inertia ixx="0.05" iyy="0.05" izz="0.06" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.2 0.2 0.1"/></geometry><material name="steel"/></visual>
  </link>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0.02 0.3" rpy="0.3 -0.2 0.5"/><mass value="2.5"/>
      <inertia ixx="0.03" ixy="0.001" ixz="-0.002" iyy="0.04" iyz="0.003" izz="0.02"/>
    </inertial>
    <visual><origin xyz="0 0 0.3"/><geometry><cylinder radius="0.05" length="0.6"/></geometry></visual>
    <collision><origin xyz="0 0 0.3"/><geometry><cylinder radius="0.05" length="0.6"/></geometry></collision>
  </link>
  <link name="fore">
    <inertial><origin xyz="0 0 0.2"/><mass value="1.2"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.012" iyz="0" izz="0.004"/></inertial>
  </link>
  <link name="flange"/>
  <link name="left-finger">
    <inertial><origin xyz="0.01 0 0.03"/><mass value="0.1"/>
      <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="5e-5"/></inertial>
    <visual><geometry><sphere radius="0.02"/></geometry></visual>
  </link>
  <link name="right-finger">
    <inertial><origin xyz="-0.01 0 0.03"/><mass value="0.1"/>
      <inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="5e-5"/></inertial>
  </link>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/>
    <dynamics damping="0.7" friction="0.2"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="fore"/><origin xyz="0 0 0.6" rpy="0 1.5708 0"/><axis xyz="1 2 0"/>
    <limit lower="0.2" upper="2.5" effort="30" velocity="2"/>
    <dynamics damping="0.3"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="fore"/><child link="flange"/><origin xyz="0 0 0.4"/></joint>
  <joint name="left" type="prismatic">
    <parent link="flange"/><child link="left-finger"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.04" effort="10" velocity="1"/>
  </joint>
  <joint name="right" type="prismatic">
    <parent link="flange"/><child link="right-finger"/><axis xyz="-1 0 0"/>
    <limit lower="0" upper="0.04" effort="10" velocity="1"/>
    <mimic joint="left" multiplier="1.0" offset="0.001"/>
  </joint>
  <gazebo reference="upper"><mu1>0.2</mu1></gazebo>
</robot>
"""


def states_of(model: lw.Model, system: lw.System, joint_names) -> list[tuple[int, int]]:
    """(place in q, place in u) of the one-axis joints of these names in the file."""
    q, u = system.part_names("q"), system.part_names("u")
    places = []
    for name in joint_names:
        joint = getattr(model, model.import_report.names["joint"][name])
        letter = "phi" if isinstance(joint, lw.joints.Revolute) else "s"
        places.append((q.index(f"{joint.path}.{letter}"), u.index(f"der({joint.path}.{letter})")))
    return places


def against_pinocchio(file, count: int, **options) -> np.ndarray:
    """Largest relative errors of M, nonlinear effects and gravity terms over random states."""
    import pinocchio as pin

    model = lw.read(file, friction=False, **options)
    model.world.g = 9.81  # Pinocchio's own
    for part in model.leaves():
        if isinstance(part, lw.rotational.Inertia):
            part.J = 0.0  # rotors of transmissions, which Pinocchio does not read
    system = lw.compile(model)
    other = pin.buildModelFromUrdf(str(file))
    data = other.createData()
    every = list(zip(list(other.names)[1:], list(other.joints)[1:], strict=True))
    # joints with no mass beyond them are held in ours
    moving = [(name, joint) for name, joint in every if name in model.import_report.names["joint"]]
    kept = [k for _, joint in moving for k in range(joint.idx_v, joint.idx_v + joint.nv)]
    held = np.setdiff1d(np.arange(other.nv), kept)
    free = {name: getattr(model, model.import_report.names["joint"][name]).path for name, joint in moving
            if joint.nv == 6}
    places = dict(zip([name for name, _ in moving if name not in free],
                      states_of(model, system, [name for name, _ in moving if name not in free]), strict=True))
    at_q, at_u = places_of(system, "q"), places_of(system, "u")
    order = []  # our place of each of their speeds
    for name, _ in moving:
        if name in free:  # velocity, then angular velocity, both in the body
            order += [at_u[free[name]] + k for k in (3, 4, 5, 0, 1, 2)]
        else:
            order.append(places[name][1])
    mass, inverse = system.function(["q"], ["mass_matrix"]), system.function(["q", "u", "udot"], ["tau"])
    rest = np.zeros(len(system.part_names("u")))
    random, worst = np.random.default_rng(0), np.zeros(3)
    for _ in range(count if other.nv else 0):
        q, u = random.uniform(-2, 2, len(system.part_names("q"))), random.uniform(-2, 2, len(rest))
        their_q, their_u = pin.neutral(other), np.zeros(other.nv)
        their_u[kept] = u[order]
        for name, joint in moving:
            part = slice(joint.idx_q, joint.idx_q + joint.nq)
            if name in free:
                k = at_q[free[name]]
                q[k:k + 4] /= np.linalg.norm(q[k:k + 4])
                their_q[part] = (*q[k + 4:k + 7], *q[k + 1:k + 4], q[k])
            else:
                angle = q[places[name][0]]
                their_q[part] = (np.cos(angle), np.sin(angle)) if joint.nq == 2 else angle
        upper = np.triu(pin.crba(other, data, their_q))
        whole = upper + np.triu(upper, 1).T
        assert not np.any(whole[held])
        pairs = ((mass(q)[np.ix_(order, order)], whole[np.ix_(kept, kept)]),
                 (inverse(q, u, rest)[order], pin.nonLinearEffects(other, data, their_q, their_u)[kept]),
                 (inverse(q, 0 * u, rest)[order], pin.computeGeneralizedGravity(other, data, their_q)[kept]))
        worst = np.maximum(worst, [relative(ours, theirs) for ours, theirs in pairs])
    return worst


def relative(ours, theirs) -> float:
    """The largest difference over the largest entry; absolute where there is next to nothing."""
    size = np.abs(theirs).max()
    return np.abs(ours - theirs).max() / (size if size > 1e-9 else 1.0)
