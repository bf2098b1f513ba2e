within Modelica.Blocks;
package Sources
  block RealExpression
    Interfaces.RealOutput y = 0.0;
  end RealExpression;
  block BooleanExpression
    Interfaces.BooleanOutput y = false;
  end BooleanExpression;
  block IntegerExpression
    Interfaces.IntegerOutput y = 0;
  end IntegerExpression;
  block Clock
    parameter Real offset = 0;
    parameter Real startTime = 0;
    Interfaces.RealOutput y;
  equation
    y = offset + Linkwright.since(startTime, time - startTime);
  end Clock;
  block ContinuousClock
    parameter Real offset = 0;
    parameter Real startTime = 0;
    Interfaces.RealOutput y;
  equation
    y = offset + Linkwright.since(startTime, time - startTime);
  end ContinuousClock;
  block Constant
    parameter Real k(start=1);
    Interfaces.RealOutput y;
  equation
    y = k;
  end Constant;
  block BooleanConstant
    parameter Boolean k = true;
    Interfaces.BooleanOutput y;
  equation
    y = k;
  end BooleanConstant;
  block BooleanStep
    parameter Real startTime = 0;
    parameter Boolean startValue = false;
    Interfaces.BooleanOutput y;
  equation
    y = if time >= startTime then not startValue else startValue;
  end BooleanStep;
  block Step
    parameter Real height = 1;
    extends Interfaces.SignalSource;
  equation
    y = offset + (if time < startTime then 0 else height);
  end Step;
  block Ramp
    parameter Real height = 1;
    parameter Real duration(start=2);
    extends Interfaces.SignalSource;
  equation
    y = offset + (if time < startTime then 0 else if time < startTime + duration then (time - startTime)*height/duration else height);
  end Ramp;
  block Sine
    parameter Real amplitude = 1;
    parameter Real f(start=1);
    parameter Real phase = 0;
    parameter Boolean continuous = false;
    extends Interfaces.SignalSource;
  equation
    y = offset + Linkwright.since(startTime, amplitude*sin(2*Modelica.Constants.pi*f*(time - startTime) + phase));
  end Sine;
  block Cosine
    parameter Real amplitude = 1;
    parameter Real f(start=1);
    parameter Real phase = 0;
    extends Interfaces.SignalSource;
  equation
    y = offset + Linkwright.since(startTime, amplitude*cos(2*Modelica.Constants.pi*f*(time - startTime) + phase));
  end Cosine;
  block ExpSine
    parameter Real amplitude = 1;
    parameter Real f(start=2);
    parameter Real phase = 0;
    parameter Real damping(start=1);
    extends Interfaces.SignalSource;
  equation
    y = offset + Linkwright.since(startTime, amplitude*exp(-(time - startTime)*damping)*sin(2*Modelica.Constants.pi*f*(time - startTime) + phase));
  end ExpSine;
  block Pulse
    parameter Real amplitude = 1;
    parameter Real width = 50;
    parameter Real period(start=1);
    parameter Integer nperiod = -1;
    extends Interfaces.SignalSource;
  equation
    y = offset + Linkwright.pulse(amplitude, width/100, period, startTime);
  end Pulse;
  block Trapezoid
    parameter Real amplitude = 1;
    parameter Real rising = 0;
    parameter Real width = 0.5;
    parameter Real falling = 0;
    parameter Real period(start=1);
    parameter Integer nperiod = -1;
    extends Interfaces.SignalSource;
  equation
    y = offset + Linkwright.trapezoid(amplitude, rising, width, falling, period, startTime, nperiod);
  end Trapezoid;
  block KinematicPTP
    parameter Real deltaq[:] = {1};
    parameter Real qd_max[:] = {1};
    parameter Real qdd_max[:] = {1};
    parameter Real startTime = 0;
    final parameter Integer nout = max(size(deltaq, 1), max(size(qd_max, 1), size(qdd_max, 1)));
    Interfaces.RealOutput y[nout];
    Real q[nout];
    Real qd[nout];
    Boolean moving[nout];
    Real endTime;
  equation
    (q, qd, y, moving, endTime) = Linkwright.kinematicPTP(fill(0, size(deltaq, 1)), deltaq, qd_max, qdd_max, startTime);
  end KinematicPTP;
  block KinematicPTP2
    parameter Real q_begin[:] = {0};
    parameter Real q_end[:](start={1});
    parameter Real qd_max[:](start={1});
    parameter Real qdd_max[:](start={1});
    parameter Real startTime = 0;
    final parameter Integer nout = max(max(size(q_begin, 1), size(q_end, 1)), max(size(qd_max, 1), size(qdd_max, 1)));
    Interfaces.RealOutput q[nout];
    Interfaces.RealOutput qd[nout];
    Interfaces.RealOutput qdd[nout];
    Interfaces.BooleanOutput moving[nout];
    Real endTime;
  equation
    (q, qd, qdd, moving, endTime) = Linkwright.kinematicPTP(q_begin, q_end, qd_max, qdd_max, startTime);
  end KinematicPTP2;
  block TimeTable
    parameter Real table[:, 2] = [0, 0; 1, 1];
    parameter Real offset = 0;
    parameter Real startTime = 0;
    parameter Real shiftTime = startTime;
    parameter Real timeScale = 1;
    Interfaces.RealOutput y;
  equation
    y = offset + (if time < startTime then 0 else scalar(Linkwright.table(table, {2}, (time - shiftTime)/timeScale, "LinearSegments", "LastTwoPoints")));
  end TimeTable;
  block CombiTimeTable
    parameter Boolean tableOnFile = false;
    parameter Real table[:, :] = fill(0.0, 0, 2);
    parameter String tableName = "NoName";
    parameter String fileName = "NoName";
    parameter Integer columns[:] = 2:size(table, 2);
    parameter Types.Smoothness smoothness = Types.Smoothness.LinearSegments;
    parameter Types.Extrapolation extrapolation = Types.Extrapolation.LastTwoPoints;
    parameter Real timeScale = 1;
    parameter Real offset[:] = {0};
    parameter Real startTime = 0;
    parameter Real shiftTime = startTime;
    final parameter Integer nout = max(size(columns, 1), size(offset, 1));
    Interfaces.RealOutput y[nout];
  equation
    y = (if size(offset, 1) == 1 then fill(offset[1], nout) else offset) + Linkwright.table(table, columns, (time - shiftTime)/timeScale, smoothness, extrapolation);
  end CombiTimeTable;
end Sources;
