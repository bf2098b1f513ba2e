within Modelica.Blocks;
package Math
  block InverseBlockConstraints
    Interfaces.RealInput u1;
    Interfaces.RealInput u2;
    Interfaces.RealOutput y1;
    Interfaces.RealOutput y2;
  equation
    u1 = u2;
    y1 = y2;
  end InverseBlockConstraints;
  block Gain
    parameter Real k(start=1);
    Interfaces.RealInput u;
    Interfaces.RealOutput y;
  equation
    y = k*u;
  end Gain;
  block MatrixGain
    parameter Real K[:, :] = [1, 0; 0, 1];
    Interfaces.RealInput u[size(K, 2)];
    Interfaces.RealOutput y[size(K, 1)];
  equation
    y = K*u;
  end MatrixGain;
  block Feedback
    Interfaces.RealInput u1;
    Interfaces.RealInput u2;
    Interfaces.RealOutput y;
  equation
    y = u1 - u2;
  end Feedback;
  block Add
    extends Interfaces.SI2SO;
    parameter Real k1 = 1;
    parameter Real k2 = 1;
  equation
    y = k1*u1 + k2*u2;
  end Add;
  block Add3
    parameter Real k1 = 1;
    parameter Real k2 = 1;
    parameter Real k3 = 1;
    Interfaces.RealInput u1;
    Interfaces.RealInput u2;
    Interfaces.RealInput u3;
    Interfaces.RealOutput y;
  equation
    y = k1*u1 + k2*u2 + k3*u3;
  end Add3;
  block Sum
    extends Interfaces.MISO;
    parameter Real k[nin] = ones(nin);
  equation
    y = k*u;
  end Sum;
  block MultiSum
    parameter Integer nu = 0;
    Interfaces.RealInput u[nu];
    parameter Real k[nu] = fill(1, nu);
    Interfaces.RealOutput y;
  equation
    y = k*u;
  end MultiSum;
  block Product
    extends Interfaces.SI2SO;
  equation
    y = u1*u2;
  end Product;
  block Division
    extends Interfaces.SI2SO;
  equation
    y = u1/u2;
  end Division;
  block Abs
    extends Interfaces.SISO;
  equation
    y = abs(u);
  end Abs;
  block Sign
    extends Interfaces.SISO;
  equation
    y = sign(u);
  end Sign;
  block Sqrt
    extends Interfaces.SISO;
  equation
    y = sqrt(u);
  end Sqrt;
  block Sin
    extends Interfaces.SISO;
  equation
    y = sin(u);
  end Sin;
  block Cos
    extends Interfaces.SISO;
  equation
    y = cos(u);
  end Cos;
  block Tan
    extends Interfaces.SISO;
  equation
    y = tan(u);
  end Tan;
  block Atan2
    extends Interfaces.SI2SO;
  equation
    y = atan2(u1, u2);
  end Atan2;
  block Exp
    extends Interfaces.SISO;
  equation
    y = exp(u);
  end Exp;
  block Min
    extends Interfaces.SI2SO;
  equation
    y = min(u1, u2);
  end Min;
  block Max
    extends Interfaces.SI2SO;
  equation
    y = max(u1, u2);
  end Max;
  block BooleanToReal
    parameter Real realTrue = 1.0;
    parameter Real realFalse = 0.0;
    Interfaces.BooleanInput u;
    Interfaces.RealOutput y;
  equation
    y = if u then realTrue else realFalse;
  end BooleanToReal;
  block UnitConversions
  end UnitConversions;
end Math;
