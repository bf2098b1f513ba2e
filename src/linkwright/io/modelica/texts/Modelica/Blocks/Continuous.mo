within Modelica.Blocks;
package Continuous
  block Integrator
    parameter Real k = 1;
    parameter Types.Init initType = Types.Init.InitialState;
    parameter Real y_start = 0;
    Interfaces.RealInput u;
    Interfaces.RealOutput y(start=y_start, fixed=initType == Types.Init.InitialState or initType == Types.Init.InitialOutput);
  initial equation
    if initType == Types.Init.SteadyState then
      der(y) = 0;
    end if;
  equation
    der(y) = k*u;
  end Integrator;
  block LimIntegrator
    parameter Real k = 1;
    parameter Real outMax(start=1);
    parameter Real outMin = -outMax;
    parameter Types.Init initType = Types.Init.InitialState;
    parameter Real y_start = 0;
    Interfaces.RealInput u;
    Interfaces.RealOutput y(start=y_start, fixed=initType <> Types.Init.NoInit and initType <> Types.Init.SteadyState);
  equation
    der(y) = if y < outMin and k*u < 0 or y > outMax and k*u > 0 then 0 else k*u;
  end LimIntegrator;
  block Der
    Interfaces.RealInput u;
    Interfaces.RealOutput y;
  equation
    y = der(u);
  end Der;
  block Derivative
    parameter Real k = 1;
    parameter Real T = 0.01;
    parameter Types.Init initType = Types.Init.NoInit;
    parameter Real x_start = 0;
    parameter Real y_start = 0;
    Interfaces.RealInput u;
    Interfaces.RealOutput y;
    Real x(start=x_start, fixed=initType == Types.Init.InitialState);
  initial equation
    if initType == Types.Init.SteadyState then
      der(x) = 0;
    elseif initType == Types.Init.InitialOutput then
      y = y_start;
    end if;
  equation
    der(x) = (u - x)/T;
    y = k/T*(u - x);
  end Derivative;
  block FirstOrder
    parameter Real k = 1;
    parameter Real T(start=1);
    parameter Types.Init initType = Types.Init.NoInit;
    parameter Real y_start = 0;
    Interfaces.RealInput u;
    Interfaces.RealOutput y(start=y_start, fixed=initType == Types.Init.InitialState or initType == Types.Init.InitialOutput);
  initial equation
    if initType == Types.Init.SteadyState then
      der(y) = 0;
    end if;
  equation
    der(y) = (k*u - y)/T;
  end FirstOrder;
  block SecondOrder
    parameter Real k = 1;
    parameter Real w(start=1);
    parameter Real D(start=1);
    parameter Types.Init initType = Types.Init.NoInit;
    parameter Real y_start = 0;
    parameter Real yd_start = 0;
    Interfaces.RealInput u;
    Interfaces.RealOutput y(start=y_start, fixed=initType == Types.Init.InitialState or initType == Types.Init.InitialOutput);
    Real yd(start=yd_start, fixed=initType == Types.Init.InitialState or initType == Types.Init.InitialOutput);
  initial equation
    if initType == Types.Init.SteadyState then
      der(y) = 0;
      der(yd) = 0;
    end if;
  equation
    der(y) = yd;
    der(yd) = w*(w*(k*u - y) - 2*D*yd);
  end SecondOrder;
  block PI
    parameter Real k = 1;
    parameter Real T(start=1);
    parameter Types.Init initType = Types.Init.NoInit;
    parameter Real x_start = 0;
    parameter Real y_start = 0;
    Interfaces.RealInput u;
    Interfaces.RealOutput y;
    Real x(start=x_start, fixed=initType == Types.Init.InitialState);
  initial equation
    if initType == Types.Init.SteadyState then
      der(x) = 0;
    elseif initType == Types.Init.InitialOutput then
      y = y_start;
    end if;
  equation
    der(x) = u/T;
    y = k*(x + u);
  end PI;
  block PID
    parameter Real k = 1;
    parameter Real Ti(start=0.5);
    parameter Real Td(start=0.1);
    parameter Real Nd = 10;
    parameter Types.Init initType = Types.Init.InitialState;
    parameter Real xi_start = 0;
    parameter Real xd_start = 0;
    parameter Real y_start = 0;
    Interfaces.RealInput u;
    Interfaces.RealOutput y;
    Gain P(k=1);
    Integrator I(k=1/Ti, y_start=xi_start, initType=if initType == Types.Init.SteadyState then Types.Init.SteadyState else if initType == Types.Init.InitialState then Types.Init.InitialState else Types.Init.NoInit);
    Derivative D(k=Td, T=max(Td/Nd, 100*Modelica.Constants.eps), x_start=xd_start, initType=if initType == Types.Init.SteadyState or initType == Types.Init.InitialOutput then Types.Init.SteadyState else if initType == Types.Init.InitialState then Types.Init.InitialState else Types.Init.NoInit);
    block Gain = Math.Gain;
  initial equation
    if initType == Types.Init.InitialOutput then
      y = y_start;
    end if;
  equation
    P.u = u;
    I.u = u;
    D.u = u;
    y = k*(P.y + I.y + D.y);
  end PID;
  block CriticalDamping
    parameter Integer n = 2;
    parameter Real f(start=1);
    parameter Boolean normalized = true;
    parameter Types.Init initType = Types.Init.NoInit;
    parameter Real x_start[n] = zeros(n);
    parameter Real y_start = 0.0;
    Interfaces.RealInput u;
    Interfaces.RealOutput y;
    Real x[n](start=x_start, each fixed=initType == Types.Init.InitialState);
    final parameter Real alpha = if normalized then sqrt(2^(1/n) - 1) else 1.0;
    final parameter Real w = 2*Modelica.Constants.pi*f/alpha;
  initial equation
    if initType == Types.Init.SteadyState then
      der(x) = zeros(n);
    elseif initType == Types.Init.InitialOutput then
      y = y_start;
      der(x[1:n - 1]) = zeros(n - 1);
    end if;
  equation
    der(x[1]) = (u - x[1])*w;
    for i in 2:n loop
      der(x[i]) = (x[i - 1] - x[i])*w;
    end for;
    y = x[n];
  end CriticalDamping;
  block StateSpace
    parameter Real A[:, size(A, 1)] = [1, 0; 0, 1];
    parameter Real B[size(A, 1), :] = [1; 1];
    parameter Real C[:, size(A, 1)] = [1, 1];
    parameter Real D[size(C, 1), size(B, 2)] = zeros(size(C, 1), size(B, 2));
    parameter Types.Init initType = Types.Init.NoInit;
    parameter Real x_start[size(A, 1)] = zeros(size(A, 1));
    Interfaces.RealInput u[size(B, 2)];
    Interfaces.RealOutput y[size(C, 1)];
    Real x[size(A, 1)](start=x_start, each fixed=initType == Types.Init.InitialState);
  equation
    der(x) = A*x + B*u;
    y = C*x + D*u;
  end StateSpace;
end Continuous;
