"""Small models of our own, one for each feature of the language; none needs the text of the Standard Library."""

from pathlib import Path

import linkwright as lw

HEAD = """
  import MB = Modelica.Mechanics.MultiBody;
  import Modelica.Mechanics.Rotational;
  inner MB.World world;
"""


def read_text(text: str, folder: Path, name: str = "Model.mo", **given: object) -> lw.Model:
    """The model of a text."""
    (folder / name).write_text(text)
    return lw.read(folder / name, **given)


PENDULUM = f"""
model Pendulum "One joint, one body"
  {HEAD}
  parameter Real angle = 0.3 "where it starts";
  MB.Joints.Revolute rev(n={{0, 0, 1}}, phi(start=angle, fixed=true), w(start=0, fixed=true), useAxisFlange=true);
  Rotational.Components.Damper damper(d=0.1);
  MB.Parts.Body body(m=1.0, r_CM={{0.5, 0, 0}});
equation
  connect(world.frame_b, rev.frame_a) annotation (Line(points={{{{0,0}},{{1,1}}}}));
  connect(damper.flange_b, rev.axis);
  connect(rev.support, damper.flange_a);
  connect(body.frame_a, rev.frame_b);
  annotation (experiment(StopTime=2, Tolerance=1e-7));
end Pendulum;
"""

INHERITED = """
package Arms
  import MB = Modelica.Mechanics.MultiBody;
  partial model Arm
    inner MB.World world;
    parameter Real length = 1 "of the arm";
    parameter Real m[2] = {1, 2};
    replaceable MB.Parts.Body load(m=m[1]) constrainedby MB.Parts.Body(r_CM={length, 0, 0});
    MB.Joints.Revolute rev(phi(fixed=true), w(fixed=true));
  equation
    connect(world.frame_b, rev.frame_a);
    connect(rev.frame_b, load.frame_a);
  end Arm;
  model Heavy
    extends Arm(length=2*half, m={3, 4}, redeclare MB.Parts.BodyShape load(m=m[2], r={length, 0, 0}, I_33=0.5));
    parameter Real half = 0.25;
  end Heavy;
end Arms;
"""

ARRAYS = f"""
model Chain "Links in a row, connected in a loop"
  {HEAD}
  parameter Integer n = 3;
  parameter Real masses[n] = {{0.1*i for i in 1:n}};
  MB.Joints.Revolute joint[n](each n={{0, 0, 1}}, phi(start={{0.1, 0.2, 0.3}}, each fixed=true), each w(fixed=true));
  MB.Parts.BodyShape link[n](m=masses, each r={{0.5, 0, 0}}, each r_CM={{0.25, 0, 0}});
  Real total = sum(link[i].m for i in 1:n) + sum(masses) - max(masses);
equation
  connect(world.frame_b, joint[1].frame_a);
  for i in 1:n loop
    connect(joint[i].frame_b, link[i].frame_a);
  end for;
  for i in 1:n - 1 loop
    connect(link[i].frame_b, joint[i + 1].frame_a);
  end for;
end Chain;
"""

CONDITIONS = f"""
model Switched
  {HEAD}
  parameter Boolean damped = false;
  MB.Joints.Revolute rev(useAxisFlange=true, phi(start=1, fixed=true), w(fixed=true));
  MB.Parts.Body body(m=1, r_CM={{if damped then 1 else 0.5, 0, 0}});
  Rotational.Components.Damper damper(d=10) if damped;
equation
  connect(world.frame_b, rev.frame_a);
  connect(rev.frame_b, body.frame_a);
  connect(damper.flange_a, rev.support);
  connect(damper.flange_b, rev.axis);
end Switched;
"""

FUNCTIONS = f"""
package Numbers
  constant Real two = 2;
  type Kind = enumeration(Small, Large);
  record Size
    Real length = 0.5;
    Real mass;
  end Size;
  function series "Sum of the first n powers of x"
    input Real x;
    input Integer n = 3;
    output Real y;
  protected
    Real term;
  algorithm
    y := 0;
    term := 1;
    for i in 1:n loop
      term := term*x;
      y := y + (if i == 2 then 0 else term);
    end for;
    while y > 100 loop
      y := y/two;
    end while;
  end series;
  function pair
    input Real x;
    output Real a = 2*x;
    output Real b = x + 1;
  algorithm
    b := b + a;
  end pair;
  model Weighted
    {HEAD}
    parameter Size size = Size(mass=series(0.5));
    parameter Kind kind = Kind.Large;
    Real a, b;
    MB.Joints.Revolute rev(phi(fixed=true), w(fixed=true));
    MB.Parts.Body body(m=if kind == Kind.Large then 10*size.mass else size.mass, r_CM={{size.length, 0, 0}});
  equation
    (a, b) = pair(rev.phi);
    connect(world.frame_b, rev.frame_a);
    connect(rev.frame_b, body.frame_a);
  end Weighted;
end Numbers;
"""

GRAVITY = """
package Fields
  function weaker
    extends Modelica.Mechanics.MultiBody.Interfaces.partialGravityAcceleration;
    input Real factor;
  algorithm
    gravity := {0, -9.80665*factor, 0};
  end weaker;
  model Fall
    inner Modelica.Mechanics.MultiBody.World world(redeclare function gravityAcceleration = weaker(factor=0.25));
    Modelica.Mechanics.MultiBody.Parts.Body body(m=2, r_CM={0, 0, 0}, r_0(start={0, 1, 0}, each fixed=true),
      v_0(each fixed=true));
  end Fall;
end Fields;
"""

SIGNALS = f"""
model Controlled "A cascade of blocks, an equation, a filter that starts at rest"
  {HEAD}
  import Modelica.Blocks;
  MB.Joints.Revolute rev(useAxisFlange=true, phi(fixed=true), w(fixed=true));
  MB.Parts.Body body(m=1, r_CM={{0.5, 0, 0}});
  Rotational.Sources.Torque motor;
  Rotational.Sensors.AngleSensor angle;
  Blocks.Sources.Ramp wanted(height=0.5, duration=1);
  Blocks.Math.Feedback error;
  Blocks.Continuous.PI control(k=20, T=0.5, initType=Modelica.Blocks.Types.Init.InitialState, x_start=0.1);
  Blocks.Continuous.FirstOrder filter(k=1, T=0.02, initType=Modelica.Blocks.Types.Init.SteadyState);
  Real power "of the motor";
  Real work(start=0, fixed=true);
equation
  power = motor.tau*rev.w;
  der(work) = power;
  connect(wanted.y, error.u1);
  connect(angle.phi, error.u2);
  connect(error.y, control.u);
  connect(control.y, filter.u);
  motor.tau = filter.y - 2*der(rev.phi);
  connect(motor.flange, rev.axis);
  connect(angle.flange, rev.axis);
  connect(world.frame_b, rev.frame_a);
  connect(rev.frame_b, body.frame_a);
end Controlled;
"""

EVENTS = f"""
model Bouncing "A counter, a velocity that is turned round, an end"
  {HEAD}
  MB.Joints.Prismatic height(n={{0, 1, 0}}, s(start=1, fixed=true), v(fixed=true));
  MB.Parts.Body ball(m=1, r_CM={{0, 0, 0}});
  discrete Integer count(start=0);
  Real side;
equation
  connect(world.frame_b, height.frame_a);
  connect(height.frame_b, ball.frame_a);
  if height.s > 0.5 then
    side = 1;
  else
    side = -1;
  end if;
  when height.s < 0 then
    reinit(height.v, -0.5*height.v);
    count = pre(count) + 1;
  end when;
  when count >= 2 then
    terminate("bounced twice");
  end when;
end Bouncing;
"""

LAW = f"""
model OwnLaw "A spring whose law is an equation at its flanges, and a load at a frame"
  model Cubic
    extends Modelica.Mechanics.Translational.Interfaces.PartialCompliant;
    parameter Real k = 100;
  equation
    f = k*s_rel^3;
  end Cubic;
  model Drag
    Modelica.Mechanics.MultiBody.Interfaces.Frame_a frame_a;
    parameter Real d = 0.5;
  equation
    frame_a.f = d*Modelica.Mechanics.MultiBody.Frames.resolve2(frame_a.R, der(frame_a.r_0));
    frame_a.t = zeros(3);
  end Drag;
  {HEAD}
  MB.Joints.Prismatic slide(n={{1, 0, 0}}, useAxisFlange=true, s(start=0.2, fixed=true), v(fixed=true));
  MB.Parts.Body body(m=2, r_CM={{0, 0, 0}});
  Cubic spring(k=200);
  Drag drag;
equation
  connect(world.frame_b, slide.frame_a);
  connect(slide.frame_b, body.frame_a);
  connect(drag.frame_a, body.frame_a);
  connect(spring.flange_a, slide.support);
  connect(spring.flange_b, slide.axis);
end OwnLaw;
"""

CIRCUIT = """
model Drive "A direct current motor: circuit and shaft"
  import Modelica.Electrical.Analog;
  Analog.Sources.ConstantVoltage source(V=12);
  Analog.Basic.Resistor resistor(R=2);
  Analog.Basic.Inductor inductor(L=0.1, i(start=0, fixed=true));
  Analog.Basic.RotationalEMF emf(k=0.5);
  Analog.Basic.Ground ground;
  Modelica.Mechanics.Rotational.Components.Inertia shaft(J=0.2, phi(fixed=true), w(fixed=true));
equation
  connect(source.p, resistor.p);
  connect(resistor.n, inductor.p);
  connect(inductor.n, emf.p);
  connect(emf.n, source.n);
  connect(source.n, ground.p);
  connect(emf.flange, shaft.flange_a);
end Drive;
"""

BUS = """
package Buses
  expandable connector Axis
    Real speed;
  end Axis;
  expandable connector All
    Axis left;
  end All;
  model Sensor
    parameter Real offset = 0;
    Modelica.Mechanics.Rotational.Interfaces.Flange_a flange;
    Modelica.Mechanics.Rotational.Sensors.SpeedSensor sensor;
    Modelica.Blocks.Math.Gain gain(k=2);
    Axis axis;
  equation
    connect(flange, sensor.flange);
    connect(sensor.w, gain.u);
    connect(gain.y, axis.speed);
    connect(sensor.w, axis.plain);
  end Sensor;
  model Shaft
    Sensor sensor;
    All bus;
    Modelica.Mechanics.Rotational.Components.Inertia inertia(J=1, phi(fixed=true), w(start=3, fixed=true));
    Modelica.Mechanics.Rotational.Sources.Torque brake;
    Modelica.Blocks.Math.Add sum(k1=-1, k2=-2);
  equation
    connect(sensor.axis, bus.left);
    connect(bus.left.speed, sum.u1);
    connect(bus.left.plain, sum.u2);
    connect(sum.y, brake.tau);
    connect(inertia.flange_b, sensor.flange);
    connect(brake.flange, inertia.flange_a);
  end Shaft;
end Buses;
"""

START = f"""
model FoundAtStart "A stiffness that holds the arm still, an angle that an equation gives"
  {HEAD}
  MB.Joints.Revolute rev(useAxisFlange=true, phi(start=0, fixed=true), w(fixed=true), a(fixed=true));
  MB.Parts.Body body(m=1, r_CM={{0.5, 0, 0}});
  Rotational.Components.Spring spring(c(fixed=false, start=100), phi_rel0=0.1);
  MB.Joints.Revolute free(w(fixed=true));
  MB.Parts.Body other(m=1, r_CM={{0.5, 0, 0}});
initial equation
  free.phi = 2*rev.phi - 0.4;
equation
  connect(world.frame_b, rev.frame_a);
  connect(rev.frame_b, body.frame_a);
  connect(spring.flange_a, rev.support);
  connect(spring.flange_b, rev.axis);
  connect(world.frame_b, free.frame_a);
  connect(free.frame_b, other.frame_a);
end FoundAtStart;
"""
