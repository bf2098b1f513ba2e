within Modelica.Blocks;
package Interfaces
  connector RealInput = input Real;
  connector RealOutput = output Real;
  connector BooleanInput = input Boolean;
  connector BooleanOutput = output Boolean;
  connector IntegerInput = input Integer;
  connector IntegerOutput = output Integer;
  partial block SO
    RealOutput y;
  end SO;
  partial block MO
    parameter Integer nout(min=1) = 1;
    RealOutput y[nout];
  end MO;
  partial block SISO
    RealInput u;
    RealOutput y;
  end SISO;
  partial block SI2SO
    RealInput u1;
    RealInput u2;
    RealOutput y;
  end SI2SO;
  partial block MISO
    parameter Integer nin = 1;
    RealInput u[nin];
    RealOutput y;
  end MISO;
  partial block SIMO
    parameter Integer nout = 1;
    RealInput u;
    RealOutput y[nout];
  end SIMO;
  partial block MIMO
    parameter Integer nin = 1;
    parameter Integer nout = 1;
    RealInput u[nin];
    RealOutput y[nout];
  end MIMO;
  partial block MIMOs
    parameter Integer n = 1;
    RealInput u[n];
    RealOutput y[n];
  end MIMOs;
  partial block SIMOs
    parameter Integer nout = 1;
    RealInput u;
    RealOutput y[nout];
  end SIMOs;
  partial block SignalSource
    parameter Real offset = 0;
    parameter Real startTime = 0;
    RealOutput y;
  end SignalSource;
end Interfaces;
