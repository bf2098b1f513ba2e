"""Models read from Modelica text, feature by feature, against closed forms and the same models built here."""

import modelica_texts as texts
import numpy as np
import pytest
from modelica_texts import read_text

import linkwright as lw
from linkwright import joints, parts, rotational


def swing(m, stop=1.0):
    return lw.simulate(m, stop, accuracy=1e-10)


def pendulum(angle, m=1.0, length=0.5, **inertia):
    own = lw.Model("pendulum")
    own.world, own.rev = lw.World(), joints.Revolute(phi=angle, w=0)
    own.body = parts.Body(m=m, r_cm=[length, 0, 0], **inertia)
    own.chain(own.world, own.rev, own.body)
    return own


def test_components_connections_and_the_experiment(tmp_path):
    m = read_text(texts.PENDULUM, tmp_path, "Pendulum.mo")
    own = pendulum(0.3)
    own.damper = rotational.Damper(d=0.1)
    own.connect(own.rev.support, own.damper.flange_a)
    own.connect(own.rev.axis, own.damper.flange_b)
    assert swing(m, 2.0)["rev.phi"] == pytest.approx(swing(own, 2.0)["rev.phi"], abs=1e-12)
    assert m.import_report.data == {"stop": 2.0, "tolerance": 1e-7}
    assert m.import_report.kept == {"World": 1, "Revolute": 1, "Damper": 1, "Body": 1}
    assert m.import_report.complete


def test_inheritance_modifications_and_redeclared_components(tmp_path):
    (tmp_path / "Arms.mo").write_text(texts.INHERITED)
    m = lw.read("Arms.Heavy", search=[tmp_path])
    assert isinstance(m.load, parts.BodyShape)
    # m[2] = 4, the length is that of the extends clause, the centre of mass that of the redeclared body
    own = pendulum(0.0, m=4.0, length=0.5, I_33=0.5)
    assert lw.compile(m).state().get("load.frame_b.r_0") == pytest.approx([0.5, 0, 0])
    assert swing(m)["rev.phi"] == pytest.approx(swing(own)["rev.phi"], abs=1e-12)


def test_arrays_of_components_loops_and_comprehensions(tmp_path):
    m = read_text(texts.ARRAYS, tmp_path, "Chain.mo")
    own = lw.Model("chain")
    own.world = lw.World()
    own.joint = [joints.Revolute(phi=phi, w=0) for phi in (0.1, 0.2, 0.3)]
    own.link = [parts.BodyShape(m=mass, r=[0.5, 0, 0], r_cm=[0.25, 0, 0]) for mass in (0.1, 0.2, 0.3)]
    own.chain(own.world, *[part for pair in zip(own.joint, own.link, strict=True) for part in pair])
    r = swing(m, 0.5)
    assert r["joint[2].phi"] == pytest.approx(swing(own, 0.5)["joint[2].phi"], abs=1e-12)
    assert r["total"][0] == pytest.approx(0.6 + 0.6 - 0.3)


@pytest.mark.parametrize("damped", [False, True])
def test_conditional_components(tmp_path, damped):
    text = texts.CONDITIONS.replace("damped = false", f"damped = {str(damped).lower()}")
    m = read_text(text, tmp_path, "Switched.mo")
    assert hasattr(m, "damper") is damped
    own = pendulum(1.0, length=1.0 if damped else 0.5)
    if damped:
        own.damper = rotational.Damper(d=10)
        own.connect(own.damper.flange_a, own.rev.support)
        own.connect(own.damper.flange_b, own.rev.axis)
    assert swing(m)["rev.phi"] == pytest.approx(swing(own)["rev.phi"], abs=1e-12)


def test_functions_records_and_enumerations(tmp_path):
    (tmp_path / "Numbers.mo").write_text(texts.FUNCTIONS)
    m = lw.read("Numbers.Weighted", search=[tmp_path])
    assert m.body.numbers().m == pytest.approx(10 * (0.5 + 0.5**3))
    r = swing(m)
    assert r["a"] == pytest.approx(2 * r["rev.phi"])
    assert r["b"] == pytest.approx(3 * r["rev.phi"] + 1)


def test_a_function_that_is_redeclared(tmp_path):
    (tmp_path / "Fields.mo").write_text(texts.GRAVITY.replace(
        "extends Modelica.Mechanics.MultiBody.Interfaces.partialGravityAcceleration;",
        "input Real r[3]; output Real gravity[3];"))
    r = swing(lw.read("Fields.Fall", search=[tmp_path]))
    assert r["body.r_0"][-1] == pytest.approx([0, 1 - 0.5 * 9.80665 / 4, 0], abs=1e-9)


def test_blocks_equations_and_states(tmp_path):
    m = read_text(texts.SIGNALS, tmp_path, "Controlled.mo")
    own = pendulum(0.0)
    own.motor = rotational.Torque()
    error = lw.blocks.ramp(0.5, 1.0) - own.rev.phi
    control = lw.blocks.pi(error, k=20, T=0.5, start=0.1, name="control")
    own.motor.tau = lw.blocks.first_order(control, T=0.02, start="steady", name="filter") - 2 * own.rev.w
    own.connect(own.motor.flange, own.rev.axis)
    own.integral(own.motor.tau * own.rev.w, name="work")
    a, b = swing(m), swing(own)
    for name, there in (("rev.phi", "rev.phi"), ("control.x", "control.x"), ("work", "work")):
        assert np.ravel(a[name]) == pytest.approx(np.ravel(b[there]), abs=1e-8), name
    assert a["power"] == pytest.approx(a["motor.tau"] * a["rev.w"])


def test_events(tmp_path):
    r = lw.simulate(read_text(texts.EVENTS, tmp_path, "Bouncing.mo"), 5.0)
    # the second touch: after the fall, the way up and down at half the speed
    fall = np.sqrt(2 / 9.80665)
    assert r.t[-1] == pytest.approx(fall + 2 * 0.5 * fall, abs=1e-8)
    assert "bounced twice" in " ".join(r.messages)
    assert r["side"][0] == 1 and r["side"][-1] == -1


def test_laws_of_ones_own_at_flanges_and_frames(tmp_path):
    r = swing(read_text(texts.LAW, tmp_path, "OwnLaw.mo"), 2.0)
    s, v = r["slide.s"], r["slide.v"]
    loss = np.concatenate([[0], np.cumsum(0.25 * (v[1:] ** 2 + v[:-1] ** 2) * np.diff(r.t))])
    assert v**2 + 50 * s**4 + loss == pytest.approx(np.full(len(s), 50 * 0.2**4), abs=2e-6)


def test_circuits(tmp_path):
    r = swing(read_text(texts.CIRCUIT, tmp_path, "Drive.mo"), 3.0)
    # L i' = V − R i − k w, J w' = k i
    A = np.array([[-20.0, -5.0], [2.5, 0.0]])
    values, vectors = np.linalg.eig(A)
    rest = -np.linalg.solve(A, [120.0, 0.0])
    amplitudes = np.linalg.solve(vectors, -rest)
    exact = rest + (np.exp(np.outer(r.t, values)) * amplitudes) @ vectors.T
    assert r["inductor.i"] == pytest.approx(exact[:, 0].real, abs=1e-7)
    assert r["shaft.w"] == pytest.approx(exact[:, 1].real, abs=1e-7)


def test_nested_buses(tmp_path):
    (tmp_path / "Buses.mo").write_text(texts.BUS)
    r = swing(lw.read("Buses.Shaft", search=[tmp_path]))
    assert r["inertia.w"] == pytest.approx(3 * np.exp(-4 * r.t), abs=1e-8)


def test_what_the_start_decides(tmp_path):
    s = lw.compile(read_text(texts.START, tmp_path, "FoundAtStart.mo")).state()
    # the spring is turned by 0.1 rad and holds the weight: c 0.1 = m g l
    assert s.get("spring.c") == pytest.approx(9.80665 * 0.5 / 0.1)
    assert s.get("free.phi") == pytest.approx(-0.4)


def test_packages_as_folders_with_imports_and_within(tmp_path):
    inside = tmp_path / "Lib" / "Parts"
    inside.mkdir(parents=True)
    (tmp_path / "Lib" / "package.mo").write_text("package Lib\n constant Real g = 3;\n import SI = Modelica.Units.SI;\n"
                                                 "end Lib;\n")
    (inside / "package.mo").write_text("within Lib;\npackage Parts\nend Parts;\n")
    (inside / "Swing.mo").write_text("""within Lib.Parts;
        model Swing
          import Modelica.Mechanics.MultiBody.{World, Joints};
          import Modelica.Mechanics.MultiBody.Parts.*;
          inner World world(g=g, n={0, 0, -1});
          parameter SI.Angle start = Modelica.Units.Conversions.from_deg(30);
          Joints.Revolute rev(n={0, 1, 0}, phi(start=start, fixed=true), w(fixed=true));
          Body body(m=1, r_CM={1, 0, 0}, I_22=0.01);
        equation
          connect(world.frame_b, rev.frame_a);
          connect(rev.frame_b, body.frame_a);
        end Swing;""")
    for source, given in ((inside / "Swing.mo", {}), ("Lib.Parts.Swing", {"search": [tmp_path]})):
        m = lw.read(source, **given)
        assert m.world.numbers().g == 3
        assert lw.compile(m).state().get("rev.phi") == pytest.approx(np.pi / 6)


def test_modelicapath(tmp_path, monkeypatch):
    (tmp_path / "Arms.mo").write_text(texts.INHERITED)
    monkeypatch.setenv("MODELICAPATH", str(tmp_path))
    assert isinstance(lw.read("Arms.Heavy").load, parts.BodyShape)


def test_degrees_are_turned_by_the_table(tmp_path):
    m = read_text("model M\n inner Modelica.Mechanics.MultiBody.World world;\n"
                  "Modelica.Mechanics.MultiBody.Parts.FixedRotation turn(n={0, 0, 1}, angle=90);\n"
                  "Modelica.Mechanics.MultiBody.Joints.Revolute rev;\n"
                  "Modelica.Mechanics.MultiBody.Parts.Body body(m=1, r_CM={1, 0, 0});\n"
                  "equation connect(world.frame_b, turn.frame_a); connect(turn.frame_b, rev.frame_a);\n"
                  "connect(rev.frame_b, body.frame_a); end M;", tmp_path, "M.mo")
    assert m.turn.numbers().angle == pytest.approx(np.pi / 2)


def test_convert_writes_a_page_of_a_text(tmp_path):
    from linkwright.cli import main

    (tmp_path / "Pendulum.mo").write_text(texts.PENDULUM)
    assert main(["convert", str(tmp_path / "Pendulum.mo"), str(tmp_path / "pendulum.html")]) == 0
    assert (tmp_path / "pendulum.html").stat().st_size > 10_000


def test_a_class_that_only_adds_parameters_to_a_component(tmp_path):
    text = """
    model Rods
      model Rod
        extends Modelica.Mechanics.MultiBody.Parts.BodyBox(r={length, 0, 0}, width=0.1*length, density=1000);
        parameter Real length = 1;
      end Rod;
      inner Modelica.Mechanics.MultiBody.World world;
      Modelica.Mechanics.MultiBody.Joints.Revolute rev;
      Rod rod(length=2);
      Real twice = 2*rod.length;
    equation
      connect(world.frame_b, rev.frame_a);
      connect(rev.frame_b, rod.frame_a);
    end Rods;"""
    s = lw.compile(read_text(text, tmp_path, "Rods.mo")).state()
    assert s.get("rod.m") == pytest.approx(1000 * 2 * 0.2**2)
    assert s.get("twice") == pytest.approx(4.0)


def test_a_motion_that_is_given_at_a_flange(tmp_path):
    """The angle of a flange follows an equation; nothing is said of its torque, which is what that takes."""
    text = f"""
    model Driven
      {texts.HEAD}
      model Drive
        Rotational.Interfaces.Flange_b flange;
        Real turns = flange.phi/6.283185307179586;
      equation
        flange.phi = 0.5*time^2;
      end Drive;
      Drive drive;
      MB.Joints.Revolute rev(useAxisFlange=true);
      MB.Parts.Body body(m=1, r_CM={{0.5, 0, 0}});
    equation
      connect(world.frame_b, rev.frame_a);
      connect(rev.frame_b, body.frame_a);
      connect(drive.flange, rev.axis);
    end Driven;"""
    m = read_text(text, tmp_path, "Driven.mo")
    assert "holds as the constraint condition1" in str(m.import_report)
    r = lw.simulate(m, 1.0, accuracy=1e-9)
    assert r["rev.phi"] == pytest.approx(0.5 * r.t**2, abs=1e-7)
