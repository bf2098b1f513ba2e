"""A small OpenSim file of our own: a leg with a knee that slides as it bends."""

LEG = """<?xml version="1.0" encoding="UTF-8" ?>
<OpenSimDocument Version="40000">
  <Model name="leg">
    <gravity>0 -9.81 0</gravity>
    <BodySet name="bodyset"><objects>
      <Body name="thigh"><mass>8</mass><mass_center>0 -0.2 0</mass_center><inertia>0.1 0.02 0.1 0 0 0</inertia></Body>
      <Body name="shank"><mass>3</mass><mass_center>0 -0.2 0</mass_center><inertia>0.05 0.01 0.05 0 0 0</inertia></Body>
      <Body name="foot"><mass>1</mass><mass_center>0.05 0 0</mass_center><inertia>0.001 0.004 0.004 0 0 0</inertia>
        <attached_geometry><Brick name="sole"><half_lengths>0.1 0.02 0.04</half_lengths></Brick></attached_geometry>
      </Body>
    </objects></BodySet>
    <JointSet name="jointset"><objects>
      <PinJoint name="hip">
        <socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/thigh</socket_child_frame>
        <coordinates><Coordinate name="swing"><default_value>0.3</default_value><range>-1 2</range>
          <clamped>true</clamped></Coordinate></coordinates>
      </PinJoint>
      <CustomJoint name="knee">
        <socket_parent_frame>/bodyset/thigh</socket_parent_frame><socket_child_frame>shank_offset</socket_child_frame>
        <coordinates><Coordinate name="bend"><default_value>-0.4</default_value></Coordinate></coordinates>
        <frames><PhysicalOffsetFrame name="shank_offset"><socket_parent>/bodyset/shank</socket_parent>
          <translation>0 0.05 0</translation></PhysicalOffsetFrame></frames>
        <SpatialTransform>
          <TransformAxis name="rotation1"><coordinates>bend</coordinates><axis>0 0 1</axis>
            <LinearFunction name="function"><coefficients>1 0</coefficients></LinearFunction></TransformAxis>
          <TransformAxis name="translation2"><coordinates>bend</coordinates><axis>0 1 0</axis>
            <PolynomialFunction name="function"><coefficients>0.1 -0.2 -0.35</coefficients></PolynomialFunction>
          </TransformAxis>
        </SpatialTransform>
      </CustomJoint>
      <PinJoint name="ankle">
        <socket_parent_frame>shank_end</socket_parent_frame><socket_child_frame>/bodyset/foot</socket_child_frame>
        <coordinates><Coordinate name="flex"/></coordinates>
        <frames><PhysicalOffsetFrame name="shank_end"><socket_parent>/bodyset/shank</socket_parent>
          <translation>0 -0.4 0</translation><orientation>0.1 0 0</orientation></PhysicalOffsetFrame></frames>
      </PinJoint>
    </objects></JointSet>
    <ConstraintSet name="constraintset"><objects>
      <CoordinateCouplerConstraint name="follow">
        <coupled_coordinates_function><LinearFunction><coefficients>0.5 0.1</coefficients></LinearFunction>
        </coupled_coordinates_function>
        <independent_coordinate_names>bend</independent_coordinate_names>
        <dependent_coordinate_name>flex</dependent_coordinate_name>
      </CoordinateCouplerConstraint>
      <CoordinateCouplerConstraint name="bend_with_swing">
        <coupled_coordinates_function><SimmSpline><x>-2 -1 0 1 2</x><y>0 -0.1 -0.3 -0.6 -0.7</y></SimmSpline>
        </coupled_coordinates_function>
        <independent_coordinate_names>swing</independent_coordinate_names>
        <dependent_coordinate_name>bend</dependent_coordinate_name>
      </CoordinateCouplerConstraint>
    </objects></ConstraintSet>
    <ForceSet name="forceset"><objects>
      <Thelen2003Muscle name="quads"><max_isometric_force>900</max_isometric_force>
        <optimal_fiber_length>0.1</optimal_fiber_length><tendon_slack_length>0.3</tendon_slack_length>
        <GeometryPath name="path"><PathPointSet><objects>
          <PathPoint name="p1"><socket_parent_frame>/bodyset/thigh</socket_parent_frame>
            <location>0.05 0 0</location></PathPoint>
          <PathPoint name="p2"><socket_parent_frame>/bodyset/shank</socket_parent_frame>
            <location>0.04 0 0</location></PathPoint></objects></PathPointSet></GeometryPath></Thelen2003Muscle>
      <Schutte1993Muscle_Deprecated name="old"><max_isometric_force>900</max_isometric_force>
      </Schutte1993Muscle_Deprecated>
    </objects></ForceSet>
    <ContactGeometrySet name="contactgeometryset"><objects>
      <ContactSphere name="heel"><socket_frame>/bodyset/foot</socket_frame><location>-0.05 0 0</location>
        <radius>0.03</radius></ContactSphere>
    </objects></ContactGeometrySet>
  </Model>
</OpenSimDocument>
"""
