within Modelica;
package Electrical
  package Analog
    package Interfaces
      connector Pin
        Real v;
        flow Real i;
      end Pin;
      connector PositivePin
        Real v;
        flow Real i;
      end PositivePin;
      connector NegativePin
        Real v;
        flow Real i;
      end NegativePin;
      partial model Heated "What is lost goes to a heat port, where there is one"
        parameter Real T_ref = 300.15;
        parameter Real alpha = 0;
        parameter Boolean useHeatPort = false;
        parameter Real T = T_ref;
        Modelica.Thermal.HeatTransfer.Interfaces.HeatPort_a heatPort if useHeatPort;
        Real LossPower;
        Real T_heatPort;
      equation
        T_heatPort = if useHeatPort then heatPort.T else T;
        if useHeatPort then
          heatPort.Q_flow = -LossPower;
        end if;
      end Heated;
      partial model TwoPin
        Real v;
        PositivePin p;
        NegativePin n;
      equation
        v = p.v - n.v;
      end TwoPin;
      partial model OnePort
        Real v;
        Real i;
        PositivePin p;
        NegativePin n;
      equation
        v = p.v - n.v;
        0 = p.i + n.i;
        i = p.i;
      end OnePort;
    end Interfaces;
    package Basic
      model Ground
        Interfaces.Pin p;
      equation
        p.v = 0;
      end Ground;
      model Resistor
        extends Interfaces.OnePort;
        extends Interfaces.Heated;
        parameter Real R(start=1);
        Real R_actual;
      equation
        R_actual = R*(1 + alpha*(T_heatPort - T_ref));
        v = R_actual*i;
        LossPower = v*i;
      end Resistor;
      model Conductor
        extends Interfaces.OnePort;
        extends Interfaces.Heated;
        parameter Real G(start=1);
        Real G_actual;
      equation
        G_actual = G/(1 + alpha*(T_heatPort - T_ref));
        i = G_actual*v;
        LossPower = v*i;
      end Conductor;
      model Capacitor
        extends Interfaces.OnePort(v(start=0));
        parameter Real C(start=1);
      equation
        i = C*der(v);
      end Capacitor;
      model Inductor
        extends Interfaces.OnePort(i(start=0));
        parameter Real L(start=1);
      equation
        L*der(i) = v;
      end Inductor;
      model RotationalEMF
        extends Interfaces.OnePort;
        parameter Boolean useSupport = false;
        parameter Real k(start=1);
        Real phi;
        Real w;
        Real tau;
        Modelica.Mechanics.Rotational.Interfaces.Flange_b flange;
        Modelica.Mechanics.Rotational.Interfaces.Support support if useSupport;
      equation
        phi = flange.phi - (if useSupport then support.phi else 0);
        w = der(phi);
        k*w = v;
        tau = -k*i;
        flange.tau = tau;
        if useSupport then
          support.tau = -tau;
        end if;
      end RotationalEMF;
      model EMF = RotationalEMF;
      model TranslationalEMF
        extends Interfaces.OnePort;
        parameter Boolean useSupport = false;
        parameter Real k(start=1);
        Real s;
        Real vel;
        Real f;
        Modelica.Mechanics.Translational.Interfaces.Flange_b flange;
        Modelica.Mechanics.Translational.Interfaces.Support support if useSupport;
      equation
        s = flange.s - (if useSupport then support.s else 0);
        vel = der(s);
        k*vel = v;
        f = -k*i;
        flange.f = f;
        if useSupport then
          support.f = -f;
        end if;
      end TranslationalEMF;
    end Basic;
    package Ideal
      model IdealOpAmp
        Real v1;
        Real v2;
        Real i1;
        Real i2;
        Interfaces.PositivePin p1;
        Interfaces.NegativePin n1;
        Interfaces.PositivePin p2;
        Interfaces.NegativePin n2;
      equation
        v1 = p1.v - n1.v;
        v2 = p2.v - n2.v;
        0 = p1.i + n1.i;
        0 = p2.i + n2.i;
        i1 = p1.i;
        i2 = p2.i;
        v1 = 0;
        i1 = 0;
      end IdealOpAmp;
      model IdealOpAmp3Pin
        Interfaces.PositivePin in_p;
        Interfaces.NegativePin in_n;
        Interfaces.PositivePin out;
      equation
        in_p.v = in_n.v;
        in_p.i = 0;
        in_n.i = 0;
      end IdealOpAmp3Pin;
    end Ideal;
    package Sensors
      model CurrentSensor
        Interfaces.PositivePin p;
        Interfaces.NegativePin n;
        Modelica.Blocks.Interfaces.RealOutput i;
      equation
        p.v = n.v;
        p.i = i;
        n.i = -i;
      end CurrentSensor;
      model VoltageSensor
        Interfaces.PositivePin p;
        Interfaces.NegativePin n;
        Modelica.Blocks.Interfaces.RealOutput v;
      equation
        p.i = 0;
        n.i = 0;
        v = p.v - n.v;
      end VoltageSensor;
      model PotentialSensor
        Interfaces.PositivePin p;
        Modelica.Blocks.Interfaces.RealOutput phi;
      equation
        p.i = 0;
        phi = p.v;
      end PotentialSensor;
    end Sensors;
    package Sources
      model SignalVoltage
        Interfaces.PositivePin p;
        Interfaces.NegativePin n;
        Modelica.Blocks.Interfaces.RealInput v;
        Real i;
      equation
        v = p.v - n.v;
        0 = p.i + n.i;
        i = p.i;
      end SignalVoltage;
      model SignalCurrent
        Interfaces.PositivePin p;
        Interfaces.NegativePin n;
        Real v;
        Modelica.Blocks.Interfaces.RealInput i;
      equation
        v = p.v - n.v;
        0 = p.i + n.i;
        i = p.i;
      end SignalCurrent;
      model ConstantVoltage
        extends Interfaces.OnePort;
        parameter Real V(start=1);
      equation
        v = V;
      end ConstantVoltage;
      model ConstantCurrent
        extends Interfaces.OnePort;
        parameter Real I(start=1);
      equation
        i = I;
      end ConstantCurrent;
      model SineVoltage
        extends Interfaces.OnePort;
        parameter Real V(start=1);
        parameter Real phase = 0;
        parameter Real f(start=1);
        parameter Real offset = 0;
        parameter Real startTime = 0;
      equation
        v = offset + (if time < startTime then 0 else V*sin(2*Modelica.Constants.pi*f*(time - startTime) + phase));
      end SineVoltage;
      model StepVoltage
        extends Interfaces.OnePort;
        parameter Real V(start=1);
        parameter Real offset = 0;
        parameter Real startTime = 0;
      equation
        v = offset + (if time < startTime then 0 else V);
      end StepVoltage;
    end Sources;
  end Analog;
end Electrical;
