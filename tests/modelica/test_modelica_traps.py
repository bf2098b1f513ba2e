"""Places where a reading of Modelica easily goes wrong without a word."""

import numpy as np
import pytest
from modelica_texts import HEAD, read_text

import linkwright as lw

GEARS = """
package Drives
  model SoftGear
    parameter Real c = 10;
    parameter Real d = 0.1;
    Modelica.Mechanics.Rotational.Interfaces.Flange_a flange_a;
    Modelica.Mechanics.Rotational.Interfaces.Flange_b flange_b;
    Modelica.Mechanics.Rotational.Components.SpringDamper spring(c=c, d=d);
  equation
    connect(flange_a, spring.flange_a);
    connect(spring.flange_b, flange_b);
  end SoftGear;
  model StiffGear
    extends SoftGear(c=1000);
  end StiffGear;
  model Axis2
    replaceable StiffGear gear constrainedby SoftGear;
    Modelica.Mechanics.Rotational.Components.Fixed fixed;
    Modelica.Mechanics.Rotational.Components.Inertia load(J=1, phi(start=0.1, fixed=true), w(fixed=true));
  equation
    connect(fixed.flange, gear.flange_a);
    connect(gear.flange_b, load.flange_a);
  end Axis2;
  model Axis1
    extends Axis2(redeclare SoftGear gear(c=c, d=0));
    parameter Real c = 43;
  end Axis1;
end Drives;
"""


def test_a_redeclared_part_reads_the_parameter_of_the_class_that_extends(tmp_path):
    (tmp_path / "Drives.mo").write_text(GEARS)
    r = lw.simulate(lw.read("Drives.Axis1", search=[tmp_path]), 1.0, accuracy=1e-10)
    assert r["load.phi"] == pytest.approx(0.1 * np.cos(np.sqrt(43) * r.t), abs=1e-8)


def test_a_start_that_comes_over_a_bus(tmp_path):
    text = """
    model Fed
      import Modelica.Mechanics.Rotational;
      expandable connector Bus
      end Bus;
      Bus bus;
      Modelica.Blocks.Sources.Constant angle(k=0.4), speed(k=3);
      Rotational.Components.InitializeFlange begin(stateSelect=StateSelect.prefer, use_a_start=false);
      Rotational.Components.Inertia wheel(J=2);
    equation
      connect(angle.y, bus.angle);
      connect(speed.y, bus.speed);
      connect(bus.angle, begin.phi_start);
      connect(bus.speed, begin.w_start);
      connect(begin.flange, wheel.flange_a);
    end Fed;"""
    s = lw.compile(read_text(text, tmp_path, "Fed.mo")).state()
    assert s.get("wheel.phi") == pytest.approx(0.4) and s.get("wheel.w") == pytest.approx(3.0)


def test_indices_count_from_one_there_and_from_zero_here(tmp_path):
    text = f"""
    model Rows
      {HEAD}
      parameter Real a[2, 3] = [1, 2, 3; 4, 5, 6];
      Real last = a[end, 3] + a[1, end];
      Real middle[2] = a[:, 2];
      MB.Joints.Prismatic slide[2](n={{{{1, 0, 0}}, {{0, 1, 0}}}}, s(start={{7, 8}}, each fixed=true));
      MB.Parts.Body body[2](each m=1, each r_CM=zeros(3));
      Real second = slide[2].s;
    equation
      for i in 1:2 loop
        connect(world.frame_b, slide[i].frame_a);
        connect(slide[i].frame_b, body[i].frame_a);
      end for;
    end Rows;"""
    s = lw.compile(read_text(text, tmp_path, "Rows.mo")).state()
    assert s.get("last") == 9 and list(s.get("middle")) == [2, 5]
    assert s.get("second") == s.get("slide[1].s") == 8


def test_frames_in_equations(tmp_path):
    text = f"""
    model Turned
      {HEAD}
      import Modelica.Mechanics.MultiBody.Frames;
      MB.Joints.Revolute rev(phi(start=0.3, fixed=true), w(start=2, fixed=true));
      MB.Parts.Body body(m=1, r_CM={{0.5, 0, 0}});
      Real there[3] = Frames.resolve1(body.frame_a.R, {{1, 0, 0}});
      Real turning[3] = Frames.angularVelocity2(body.frame_a.R);
      Real fixed[3] = Frames.resolve2(Frames.planarRotation({{0, 0, 1}}, 0.3, 0), {{0, 1, 0}});
    equation
      connect(world.frame_b, rev.frame_a);
      connect(rev.frame_b, body.frame_a);
    end Turned;"""
    s = lw.compile(read_text(text, tmp_path, "Turned.mo")).state()
    assert s.get("there") == pytest.approx([np.cos(0.3), np.sin(0.3), 0])
    assert s.get("turning") == pytest.approx([0, 0, 2])
    assert s.get("fixed") == pytest.approx([np.sin(0.3), np.cos(0.3), 0])


def test_a_shape_from_a_resource_of_a_package(tmp_path):
    (tmp_path / "Lib" / "Resources").mkdir(parents=True)
    (tmp_path / "Lib" / "Resources" / "arm.stl").write_text("""solid arm
        facet normal 0 0 1
          outer loop
            vertex 0 0 0
            vertex 1 0 0
            vertex 0 1 0
          endloop
        endfacet
        endsolid arm""")
    (tmp_path / "Lib" / "package.mo").write_text(f"""package Lib
      model Arm
        {HEAD}
        MB.Joints.Revolute rev;
        MB.Parts.BodyShape arm(m=1, r={{1, 0, 0}}, r_CM={{0.5, 0, 0}},
          shapeType="modelica://Lib/Resources/arm.stl");
      equation
        connect(world.frame_b, rev.frame_a);
        connect(rev.frame_b, arm.frame_a);
      end Arm;
    end Lib;""")
    m = lw.read("Lib.Arm", search=[tmp_path])
    assert str(m.arm.shape_type).endswith("Resources/arm.stl")
    assert "shapeType" not in str(m.import_report)


def test_users_names_keep_their_spelling(tmp_path):
    text = f"""
    model Named
      {HEAD}
      parameter Real armLength = 0.5;
      MB.Joints.Revolute theJoint(phi(fixed=true), w(fixed=true));
      MB.Parts.Body myBody(m=1, r_CM={{armLength, 0, 0}});
      Real endHeight = myBody.r_CM[1]*sin(theJoint.phi);
    equation
      connect(world.frame_b, theJoint.frame_a);
      connect(theJoint.frame_b, myBody.frame_a);
    end Named;"""
    r = lw.simulate(read_text(text, tmp_path, "Named.mo"), 0.5)
    assert r["endHeight"] == pytest.approx(0.5 * np.sin(r["theJoint.phi"]))


def test_a_motion_of_three_signals_in_one(tmp_path):
    """Sources.Move takes angle, speed and acceleration as u[3]."""
    text = f"""
    model Moved
      {HEAD}
      Rotational.Sources.Move move;
      MB.Joints.Revolute rev(useAxisFlange=true);
      MB.Parts.Body body(m=1, r_CM={{0.5, 0, 0}});
      Modelica.Blocks.Math.MatrixGain gain(K=[2, 0, 0; 0, 2, 0; 0, 0, 2]);
    equation
      gain.u = {{sin(time), cos(time), -sin(time)}};
      connect(gain.y, move.u);
      connect(world.frame_b, rev.frame_a);
      connect(rev.frame_b, body.frame_a);
      connect(move.flange, rev.axis);
    end Moved;"""
    r = lw.simulate(read_text(text, tmp_path, "Moved.mo"), 1.0, accuracy=1e-9)
    assert r["rev.phi"] == pytest.approx(2 * np.sin(r.t), abs=1e-7)


@pytest.mark.parametrize("start", ["phi_b(fixed=true, start=0.3), w_b(fixed=true, start=2)",
                                   "actuatedRevolute_a(phi(fixed=true, start=3), w(fixed=true, start=20))"])
def test_starts_of_a_gear_in_space(start, tmp_path):
    text = f"""
    model Gear
      {HEAD}
      MB.Joints.GearConstraint gear(ratio=10, {start});
      MB.Parts.Body a(m=1, I_11=1), b(m=1, I_11=1);
    equation
      connect(world.frame_b, gear.bearing);
      connect(gear.frame_a, a.frame_a);
      connect(gear.frame_b, b.frame_a);
    end Gear;"""
    m = read_text(text, tmp_path, "Gear.mo")
    assert not m.import_report.ignored
    s = lw.compile(m).state()
    assert [s.get(f"gear.{name}") for name in ("phi_b", "w_b", "actuated_revolute_a.phi")] == pytest.approx([0.3, 2, 3])


def test_what_a_declaration_says_of_a_connector_holds(tmp_path):
    """flange(phi(fixed=true)), support(tau=-flange.tau), heatPort(T=…, Q_flow=…): equations and start values."""
    text = f"""
    model Braked
      {HEAD}
      model Brake
        Rotational.Interfaces.Flange_b flange;
        Rotational.Interfaces.Support support(phi=turned, tau=-flange.tau);
        Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_a heatPort(T=hot, Q_flow=-lost);
        Real turned, hot, lost, w = der(flange.phi - turned);
      equation
        flange.tau = 0.5*w*(hot/300);
        lost = flange.tau*w;
      end Brake;
      model Shaft
        Rotational.Interfaces.Flange_a a(phi(start=0.4, fixed=true));
        Rotational.Components.Inertia J(J=1, w(fixed=true, start=2));
      equation
        connect(a, J.flange_a);
      end Shaft;
      Shaft shaft;
      Rotational.Components.Inertia other(J=3, phi(fixed=true), w(fixed=true));
      Modelica.Thermal.HeatTransfer.Components.HeatCapacitor store(C=10, T(start=300, fixed=true));
      Brake brake;
    equation
      connect(shaft.a, brake.flange);
      connect(brake.support, other.flange_a);
      connect(brake.heatPort, store.port);
    end Braked;"""
    r = lw.simulate(read_text(text, tmp_path, "Braked.mo"), 1.0, accuracy=1e-9)
    assert r["shaft.J.phi"][0] == pytest.approx(0.4)
    assert r["shaft.J.w"] + 3 * r["other.w"] == pytest.approx(2.0)
    assert np.ptp(0.5 * r["shaft.J.w"]**2 + 1.5 * r["other.w"]**2 + 10 * r["store.T"]) < 1e-6
    assert r["store.T"][-1] > 300.1


def test_the_start_of_a_variable_that_follows_from_others(tmp_path):
    """s_rel(fixed=true, start=…) of a spring is an initial equation; a guess there is reported."""
    text = """
    model Chain
      Modelica.Mechanics.Translational.Components.Fixed wall;
      Modelica.Mechanics.Translational.Components.SpringDamper spring(c=111, d=1, s_rel(start=1.5, fixed=true),
                                                                      v_rel(fixed=true, start=0.2));
      Modelica.Mechanics.Translational.Components.Mass m(m=1, L=1);
      Modelica.Mechanics.Translational.Components.Spring pull(c=10, s_rel(start=2));
      Modelica.Mechanics.Translational.Components.Fixed end_(s0=4);
    equation
      connect(wall.flange, spring.flange_a);
      connect(spring.flange_b, m.flange_a);
      connect(m.flange_b, pull.flange_a);
      connect(pull.flange_b, end_.flange);
    end Chain;"""
    m = read_text(text, tmp_path, "Chain.mo")
    assert "the guess of s_rel is not used" in str(m.import_report)
    s = lw.compile(m).state()
    assert [s.get(name) for name in ("m.s", "m.v")] == pytest.approx([2.0, 0.2])


def test_resistors_warm_what_their_heat_port_is_connected_to(tmp_path):
    text = """
    model Warm
      Modelica.Electrical.Analog.Sources.ConstantVoltage source(V=10);
      Modelica.Electrical.Analog.Basic.Resistor r(R=5, alpha=0.01, T_ref=300, useHeatPort=true);
      Modelica.Electrical.Analog.Basic.Ground ground;
      Modelica.Thermal.HeatTransfer.Components.HeatCapacitor store(C=10, T(start=300, fixed=true));
    equation
      connect(source.p, r.p);
      connect(r.n, source.n);
      connect(source.n, ground.p);
      connect(r.heatPort, store.port);
    end Warm;"""
    r = lw.simulate(read_text(text, tmp_path, "Warm.mo"), 2.0, accuracy=1e-9)
    # 10 Ṫ = 100/(5 (1 + 0.01 x)), x = T − 300: x + 0.005 x² = 2 t
    x = r["store.T"] - 300
    assert x + 0.005 * x**2 == pytest.approx(2 * r.t, abs=1e-6)


def test_a_plane_on_a_moving_body_is_told_as_an_approximation(tmp_path):
    text = f"""
    model Carried
      {HEAD}
      MB.Joints.Prismatic rail(n={{0, 0, 1}}, v(fixed=true, start=1));
      MB.Parts.Body cart(m=1);
      inner PlanarMechanics.PlanarWorldIn3D planarWorld(connectToMultiBody=true, constantGravity={{0, -9.81}});
      PlanarMechanics.Parts.Fixed fixed_;
      PlanarMechanics.Joints.Revolute rev(phi(fixed=true, start=1));
      PlanarMechanics.Parts.FixedTranslation arm(r={{0, -1}});
      PlanarMechanics.Parts.Body bob(m=1, I=0.1);
    equation
      connect(world.frame_b, rail.frame_a);
      connect(rail.frame_b, cart.frame_a);
      connect(cart.frame_a, planarWorld.MBFrame_a);
      connect(fixed_.frame, rev.frame_a);
      connect(rev.frame_b, arm.frame_a);
      connect(arm.frame_b, bob.frame_a);
    end Carried;"""
    m = read_text(text, tmp_path, "Carried.mo")
    assert "approximated" in str(m.import_report) and "acts on the body that carries it" in str(m.import_report)
    r = lw.simulate(m, 0.5, accuracy=1e-9)
    assert r["rail.v"] == pytest.approx(1.0)
    assert np.ptp(0.55 * r["rev.w"]**2 - 9.81 * np.cos(r["rev.phi"])) < 1e-6
