within ;
package Modelica "Blocks, circuits and constants of the Standard Library, written anew for Linkwright's reader"
  package Mechanics
    package MultiBody
      package Types
        type Axis = Real[3];
        type RotationSequence = Integer[3];
        type Color = Integer[3];
        type SpecularCoefficient = Real;
        type ShapeType = String;
        type ShapeExtra = Real;
        type RealColor = Real[3];
        type AxisLabel = String;
        type GravityTypes = enumeration(NoGravity, UniformGravity, PointGravity);
        type RotationTypes = enumeration(RotationAxis, TwoAxesVectors, PlanarRotationSequence);
        type ResolveInFrameA = enumeration(world, frame_a, frame_resolve);
        type ResolveInFrameB = enumeration(world, frame_b, frame_resolve);
        type ResolveInFrameAB = enumeration(world, frame_a, frame_b, frame_resolve);
      end Types;
    end MultiBody;
    package Rotational
      package Interfaces
        partial model PartialTwoFlanges
          Flange_a flange_a;
          Flange_b flange_b;
        end PartialTwoFlanges;
        partial model PartialCompliant
          Real phi_rel(start=0);
          Real tau;
          Flange_a flange_a;
          Flange_b flange_b;
        equation
          phi_rel = flange_b.phi - flange_a.phi;
          flange_b.tau = tau;
          flange_a.tau = -tau;
        end PartialCompliant;
        partial model PartialCompliantWithRelativeStates
          extends PartialCompliant;
          Real w_rel(start=0);
          Real a_rel(start=0);
        equation
          w_rel = der(phi_rel);
          a_rel = der(w_rel);
        end PartialCompliantWithRelativeStates;
      end Interfaces;
    end Rotational;
    package Translational
      package Interfaces
        partial model PartialTwoFlanges
          Flange_a flange_a;
          Flange_b flange_b;
        end PartialTwoFlanges;
        partial model PartialCompliant
          Real s_rel(start=0);
          Real f;
          Flange_a flange_a;
          Flange_b flange_b;
        equation
          s_rel = flange_b.s - flange_a.s;
          flange_b.f = f;
          flange_a.f = -f;
        end PartialCompliant;
        partial model PartialCompliantWithRelativeStates
          extends PartialCompliant;
          Real v_rel(start=0);
        equation
          v_rel = der(s_rel);
        end PartialCompliantWithRelativeStates;
      end Interfaces;
    end Translational;
  end Mechanics;
end Modelica;
