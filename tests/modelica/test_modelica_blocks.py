"""Blocks and elements of circuits that are built in: every one in a small model, against its closed form."""

import numpy as np
import pytest
from modelica_texts import read_text

import linkwright as lw

LIBRARIES = "import Modelica.Blocks; import Modelica.Electrical.Analog; import Modelica.Mechanics.Rotational;"


def run(declarations, equations, folder, stop=1.0):
    text = f"model M\n  {LIBRARIES}\n  {declarations}\nequation\n  {equations}\nend M;"
    return lw.simulate(read_text(text, folder, "M.mo"), stop, accuracy=1e-10, output_step=0.01)


def trapezoid(t):
    s = np.clip(t - 0.1, 0, None) % 0.4
    return np.where(t < 0.1, 0.5, 0.5 + 2 * np.interp(s, [0, 0.1, 0.2, 0.25], [0, 1, 1, 0]))


SOURCES = {
    "Constant(k=3)": lambda t: 3 + 0 * t,
    "Sine(amplitude=2, f=0.7, phase=0.3, offset=1, startTime=0.2)":
        lambda t: 1 + np.where(t < 0.2, 0, 2 * np.sin(2 * np.pi * 0.7 * (t - 0.2) + 0.3)),
    "Ramp(height=2, duration=0.5, offset=-1, startTime=0.25)": lambda t: -1 + 2 * np.clip((t - 0.25) / 0.5, 0, 1),
    "Trapezoid(amplitude=2, rising=0.1, width=0.1, falling=0.05, period=0.4, offset=0.5, startTime=0.1)": trapezoid,
    "Pulse(amplitude=3, width=25, period=0.4, startTime=0.1)":
        lambda t: np.where((t >= 0.1) & ((t - 0.1) % 0.4 < 0.1), 3.0, 0.0),
    "RealExpression(y=2*time + size({1, 2, 3}, 1))": lambda t: 2 * t + 3,
    "Step(height=2, startTime=0.5)": lambda t: np.where(t < 0.5, 0.0, 2.0),
}


@pytest.mark.parametrize("source", SOURCES, ids=lambda text: text.partition("(")[0])
def test_sources(source, tmp_path):
    name, _, given = source.partition("(")
    r = run(f"Blocks.Sources.{name} source({given}; Blocks.Continuous.Integrator sum(k=2, y_start=1);",
            "connect(source.y, sum.u);", tmp_path)
    expected = SOURCES[source](r.t)
    jumps = np.abs(np.diff(expected, append=expected[-1])) + np.abs(np.diff(expected, prepend=expected[0])) > 0.5
    assert np.ravel(r["source.y"])[~jumps] == pytest.approx(expected[~jumps], abs=1e-9)
    fine = np.linspace(0, 1, 200_001)
    area = 2 * np.sum(SOURCES[source]((fine[1:] + fine[:-1]) / 2)) * 5e-6 + 1
    assert np.ravel(r["sum.y"])[-1] == pytest.approx(area, abs=2e-5)  # the sum of the formula is that rough


def test_a_table_over_time(tmp_path):
    r = run("Blocks.Sources.CombiTimeTable table(table=[0, 0, 5; 0.5, 1, 5; 1, 0, 3], columns={3, 2});"
            "Real first = table.y[1]; Real second = table.y[2];", "", tmp_path)
    assert r["first"] == pytest.approx(np.interp(r.t, [0, 0.5, 1], [5, 5, 3]), abs=1e-12)
    assert r["second"] == pytest.approx(np.interp(r.t, [0, 0.5, 1], [0, 1, 0]), abs=1e-12)


def test_a_motion_from_point_to_point(tmp_path):
    r = run("Blocks.Sources.KinematicPTP2 path(q_begin={0, 1}, q_end={0.5, 3}, qd_max={1, 2}, qdd_max={4, 8});"
            "Real q[2] = path.q; Real last = path.qd[2];", "", tmp_path, 2.0)
    # both axes take 1/4 s to speed up and as long to slow down, the second one has further to go: 2 = 2 T - 2/4
    end = 2 / 2 + 2 / 8
    assert r.end.get("q") == pytest.approx([0.5, 3.0], abs=1e-12)
    assert r["last"][np.searchsorted(r.t, end / 2)] == pytest.approx(2.0)
    assert r["last"][r.t > end + 0.011] == pytest.approx(0.0, abs=1e-9)
    assert r["last"] == pytest.approx(np.clip(np.minimum(8 * r.t, 8 * (end - r.t)), 0, 2), abs=1e-9)


MATH = {
    "Add add(k1=2, k2=-1); equation connect(a.y, add.u1); connect(b.y, add.u2); y = add.y;": lambda a, b: 2 * a - b,
    "Add3 add(k3=4); equation connect(a.y, add.u1); connect(b.y, add.u2); connect(b.y, add.u3); y = add.y;":
        lambda a, b: a + 5 * b,
    "Gain gain(k=-3); equation connect(a.y, gain.u); y = gain.y;": lambda a, b: -3 * a,
    "Feedback feedback; equation connect(a.y, feedback.u1); connect(b.y, feedback.u2); y = feedback.y;":
        lambda a, b: a - b,
    "MatrixGain gain(K=[1, 2; 3, 4]); equation connect(a.y, gain.u[1]); connect(b.y, gain.u[2]); y = gain.y[2];":
        lambda a, b: 3 * a + 4 * b,
    "Product product; equation connect(a.y, product.u1); connect(b.y, product.u2); y = product.y;": lambda a, b: a * b,
}


@pytest.mark.parametrize("block", MATH, ids=lambda text: text.partition(" ")[0])
def test_sums_and_gains(block, tmp_path):
    r = run("Blocks.Sources.Sine a(f=1); Blocks.Sources.Cosine b(f=0.5); Real y;\n  Blocks.Math."
            + block.partition("equation")[0], block.partition("equation")[2], tmp_path)
    assert r["y"] == pytest.approx(MATH[block](np.sin(2 * np.pi * r.t), np.cos(np.pi * r.t)), abs=1e-12)


def step_response(block, folder, stop=2.0):
    r = run(f"Blocks.Sources.Constant one(k=1); Blocks.Continuous.{block};",
            "connect(one.y, block.u);".replace("block", block.split()[1].partition("(")[0]), folder, stop)
    return r.t, np.ravel(r[f"{block.split()[1].partition('(')[0]}.y"])


START = "initType=Blocks.Types.Init.InitialState"


def test_continuous_blocks_answer_a_step(tmp_path):
    t, y = step_response(f"FirstOrder lag(k=3, T=0.4, {START})", tmp_path)
    assert y == pytest.approx(3 * (1 - np.exp(-t / 0.4)), abs=1e-8)
    t, y = step_response(f"PI control(k=2, T=0.5, {START})", tmp_path)
    assert y == pytest.approx(2 * (1 + t / 0.5), abs=1e-8)
    t, y = step_response("PID control(k=2, Ti=0.5, Td=0.1, Nd=10, initType=Blocks.Types.Init.InitialState)", tmp_path)
    assert y == pytest.approx(2 * (1 + t / 0.5 + 10 * np.exp(-t * 10 / 0.1)), abs=1e-6)
    t, y = step_response(f"CriticalDamping filter(n=3, f=2, normalized=false, {START})", tmp_path)
    a = 2 * np.pi * 2 * t
    assert y == pytest.approx(1 - np.exp(-a) * (1 + a + a**2 / 2), abs=1e-8)


def test_the_normalized_filter_has_3_decibels_at_its_frequency(tmp_path):
    r = run("Blocks.Sources.Sine wave(f=2); Blocks.Continuous.CriticalDamping filter(n=2, f=2);",
            "connect(wave.y, filter.u);", tmp_path, 6.0)
    settled = np.ravel(r["filter.y"])[r.t > 5]
    assert np.sqrt(2 * np.mean(settled[:-1] ** 2)) == pytest.approx(10 ** (-3 / 20), rel=1e-2)


def test_the_derivative_of_a_signal(tmp_path):
    r = run("Blocks.Sources.Sine wave(f=1); Blocks.Continuous.Der der1;", "connect(wave.y, der1.u);", tmp_path)
    assert np.ravel(r["der1.y"]) == pytest.approx(2 * np.pi * np.cos(2 * np.pi * r.t), abs=1e-9)


def test_signals_pass_and_end_the_run(tmp_path):
    r = run("""Blocks.Sources.Ramp ramp(height=-1, duration=1, offset=1);
        Blocks.Routing.RealPassThrough real; Blocks.Routing.BooleanPassThrough truth;
        Blocks.Logical.LessEqualThreshold low(threshold=0.25);
        Blocks.Logical.TerminateSimulation stop(condition=truth.y, terminationText="low enough");""",
            "connect(ramp.y, real.u); connect(real.y, low.u); connect(low.y, truth.u);", tmp_path, 2.0)
    assert r.t[-1] == pytest.approx(0.75, abs=1e-8)
    assert "low enough" in " ".join(r.messages)


def test_an_inverse_block(tmp_path):
    """What is fed back must be equal to what is wanted: the unknown input of the gain is found."""
    r = run("""Blocks.Sources.Sine wanted(f=1); Blocks.Math.Gain plant(k=4);
        Blocks.Math.InverseBlockConstraints inverse; Real u = plant.u;""",
            "connect(wanted.y, inverse.u1); connect(plant.y, inverse.u2); connect(inverse.y2, plant.u);", tmp_path)
    assert r["u"] == pytest.approx(np.sin(2 * np.pi * r.t) / 4, abs=1e-10)


def test_a_circuit_with_a_signal_a_capacitor_and_a_sensor(tmp_path):
    r = run("""Blocks.Sources.Constant volts(k=10); Analog.Sources.SignalVoltage source; Analog.Basic.Resistor r(R=2);
        Analog.Basic.Capacitor c(C=0.1, v(start=1, fixed=true)); Analog.Sensors.CurrentSensor meter;
        Analog.Basic.Ground ground;""",
            """connect(volts.y, source.v); connect(source.p, r.p); connect(r.n, meter.p); connect(meter.n, c.p);
        connect(c.n, source.n); connect(source.n, ground.p);""", tmp_path)
    assert np.ravel(r["meter.i"]) == pytest.approx(4.5 * np.exp(-r.t / 0.2), abs=1e-7)
    assert np.ravel(r["c.v"]) == pytest.approx(10 - 9 * np.exp(-r.t / 0.2), abs=1e-7)


def test_an_amplifier_inverts(tmp_path):
    r = run("""Analog.Sources.SineVoltage source(V=1, f=1); Analog.Basic.Resistor into(R=1), over(R=3);
        Analog.Ideal.IdealOpAmp3Pin amplifier; Analog.Basic.Resistor load(R=5); Analog.Basic.Ground ground;""",
            """connect(source.p, into.p); connect(into.n, amplifier.in_n); connect(over.p, amplifier.in_n);
        connect(over.n, amplifier.out); connect(amplifier.out, load.p); connect(load.n, ground.p);
        connect(source.n, ground.p); connect(amplifier.in_p, ground.p);""", tmp_path)
    assert np.ravel(r["load.v"]) == pytest.approx(-3 * np.sin(2 * np.pi * r.t), abs=1e-9)


def test_an_amplifier_with_four_pins(tmp_path):
    r = run("""Analog.Sources.SineVoltage source(V=1, f=1); Analog.Basic.Resistor into(R=1), over(R=3);
        Analog.Ideal.IdealOpAmp amplifier; Analog.Basic.Ground ground;""",
            """connect(source.p, into.p); connect(into.n, amplifier.n1); connect(over.p, amplifier.n1);
        connect(over.n, amplifier.p2); connect(source.n, ground.p); connect(amplifier.p1, ground.p);
        connect(amplifier.n2, ground.p);""", tmp_path)
    assert np.ravel(r["over.v"]) == pytest.approx(3 * np.sin(2 * np.pi * r.t), abs=1e-9)
