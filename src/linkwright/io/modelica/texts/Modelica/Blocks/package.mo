within Modelica;
package Blocks
  package Types
    type Init = enumeration(NoInit, SteadyState, InitialState, InitialOutput);
    type SimpleController = enumeration(P, PI, PD, PID);
    type Smoothness = enumeration(LinearSegments, ContinuousDerivative, ConstantSegments, MonotoneContinuousDerivative1, MonotoneContinuousDerivative2, ModifiedContinuousDerivative);
    type Extrapolation = enumeration(HoldLastPoint, LastTwoPoints, Periodic, NoExtrapolation);
    type TimeEvents = enumeration(Always, AtDiscontinuities, NoTimeEvents);
    type LimiterHomotopy = enumeration(NoHomotopy, Linear, UpperLimit, LowerLimit);
  end Types;
  package Logical
    block LessThreshold
      parameter Real threshold = 0;
      Interfaces.RealInput u;
      Interfaces.BooleanOutput y;
    equation
      y = u < threshold;
    end LessThreshold;
    block LessEqualThreshold
      parameter Real threshold = 0;
      Interfaces.RealInput u;
      Interfaces.BooleanOutput y;
    equation
      y = u <= threshold;
    end LessEqualThreshold;
    block GreaterThreshold
      parameter Real threshold = 0;
      Interfaces.RealInput u;
      Interfaces.BooleanOutput y;
    equation
      y = u > threshold;
    end GreaterThreshold;
    block GreaterEqualThreshold
      parameter Real threshold = 0;
      Interfaces.RealInput u;
      Interfaces.BooleanOutput y;
    equation
      y = u >= threshold;
    end GreaterEqualThreshold;
    block Less
      Interfaces.RealInput u1;
      Interfaces.RealInput u2;
      Interfaces.BooleanOutput y;
    equation
      y = u1 < u2;
    end Less;
    block Greater
      Interfaces.RealInput u1;
      Interfaces.RealInput u2;
      Interfaces.BooleanOutput y;
    equation
      y = u1 > u2;
    end Greater;
    block And
      Interfaces.BooleanInput u1;
      Interfaces.BooleanInput u2;
      Interfaces.BooleanOutput y;
    equation
      y = u1 and u2;
    end And;
    block Or
      Interfaces.BooleanInput u1;
      Interfaces.BooleanInput u2;
      Interfaces.BooleanOutput y;
    equation
      y = u1 or u2;
    end Or;
    block Not
      Interfaces.BooleanInput u;
      Interfaces.BooleanOutput y;
    equation
      y = not u;
    end Not;
    block Switch
      Interfaces.RealInput u1;
      Interfaces.BooleanInput u2;
      Interfaces.RealInput u3;
      Interfaces.RealOutput y;
    equation
      y = if u2 then u1 else u3;
    end Switch;
    block TerminateSimulation
      Boolean condition = false;
      parameter String terminationText = "... End condition reached";
    equation
      when condition then
        terminate(terminationText);
      end when;
    end TerminateSimulation;
  end Logical;
  package Routing
    block RealPassThrough
      extends Interfaces.SISO;
    equation
      y = u;
    end RealPassThrough;
    block BooleanPassThrough
      Interfaces.BooleanInput u;
      Interfaces.BooleanOutput y;
    equation
      y = u;
    end BooleanPassThrough;
    block IntegerPassThrough
      Interfaces.IntegerInput u;
      Interfaces.IntegerOutput y;
    equation
      y = u;
    end IntegerPassThrough;
    block Replicator
      parameter Integer nout = 1;
      Interfaces.RealInput u;
      Interfaces.RealOutput y[nout];
    equation
      y = fill(u, nout);
    end Replicator;
    block RealReplicator
      parameter Integer nout = 1;
      Interfaces.RealInput u;
      Interfaces.RealOutput y[nout];
    equation
      y = fill(u, nout);
    end RealReplicator;
    block Multiplex2
      parameter Integer n1 = 1;
      parameter Integer n2 = 1;
      Interfaces.RealInput u1[n1];
      Interfaces.RealInput u2[n2];
      Interfaces.RealOutput y[n1 + n2];
    equation
      y = cat(1, u1, u2);
    end Multiplex2;
    block Multiplex3
      parameter Integer n1 = 1;
      parameter Integer n2 = 1;
      parameter Integer n3 = 1;
      Interfaces.RealInput u1[n1];
      Interfaces.RealInput u2[n2];
      Interfaces.RealInput u3[n3];
      Interfaces.RealOutput y[n1 + n2 + n3];
    equation
      y = cat(1, u1, u2, u3);
    end Multiplex3;
    block DeMultiplex3
      parameter Integer n1 = 1;
      parameter Integer n2 = 1;
      parameter Integer n3 = 1;
      Interfaces.RealInput u[n1 + n2 + n3];
      Interfaces.RealOutput y1[n1];
      Interfaces.RealOutput y2[n2];
      Interfaces.RealOutput y3[n3];
    equation
      y1 = u[1:n1];
      y2 = u[n1 + 1:n1 + n2];
      y3 = u[n1 + n2 + 1:n1 + n2 + n3];
    end DeMultiplex3;
    block Extractor
      parameter Integer nin = 1;
      parameter Integer nout = 1;
      parameter Integer index[nout] = {1};
      Interfaces.RealInput u[nin];
      Interfaces.RealOutput y[nout];
    equation
      for i in 1:nout loop
        y[i] = u[index[i]];
      end for;
    end Extractor;
  end Routing;
  package Nonlinear
    block Limiter
      parameter Real uMax = 1;
      parameter Real uMin = -uMax;
      extends Interfaces.SISO;
    equation
      y = min(max(u, uMin), uMax);
    end Limiter;
    block DeadZone
      parameter Real uMax = 1;
      parameter Real uMin = -uMax;
      extends Interfaces.SISO;
    equation
      y = if u > uMax then u - uMax else if u < uMin then u - uMin else 0;
    end DeadZone;
  end Nonlinear;
end Blocks;
