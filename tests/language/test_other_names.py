"""Names people bring from other programs are answered with ours."""

import pytest

import linkwright as lw
from linkwright import constraints, forces, joints, parts, sensors


@pytest.mark.parametrize("package, theirs, own", [
    (joints, "Hinge", "joints.Revolute"), (joints, "Ball", "joints.Spherical"), (parts, "Box", "parts.BodyBox"),
    (joints, "Revolut", "joints.Revolute"), (forces, "SpringDamper", "forces.SpringDamperParallel"),
    (constraints, "Distance", "constraints.Rod"), (sensors, "IMU", "sensors.AbsoluteSensor"),
    (joints, "Weld", "parts.FixedTranslation"),
])
def test_a_class_of_another_program_is_named_in_ours(package, theirs, own):
    with pytest.raises(AttributeError, match=f"Did you mean {own}") as error:
        getattr(package, theirs)
    assert isinstance(error.value, lw.ModelError)
    assert not hasattr(package, theirs)


@pytest.mark.parametrize("package", [joints, parts, forces, constraints, sensors])
def test_every_answer_exists(package):
    """No hint may lead to a name that is not there either."""
    theirs = package.__getattr__.__closure__
    table = next(cell.cell_contents for cell in theirs if isinstance(cell.cell_contents, dict))
    for own in table.values():
        owner = lw if own.startswith("lw.") else getattr(lw, own.split(".")[0]) if "." in own else package
        assert hasattr(owner, own.rpartition(".")[2]), own


@pytest.mark.parametrize("make, said", [
    (lambda: joints.Revolute(axis=[0, 0, 1]), r"Revolute\(n=…\)"),
    (lambda: parts.Body(mass=1.0), r"Body\(m=…\)"),
    (lambda: forces.Spring(stiffness=3.0), r"Spring\(c=…\)"),
    (lambda: lw.World(9.81), r"World\(g=9.81\)"),
])
def test_keywords_of_other_programs(make, said):
    with pytest.raises(lw.ModelError, match=said):
        make()


@pytest.mark.parametrize("given, said", [
    ({"t_end": 1.0}, "stop="), ({"rtol": 1e-6}, "accuracy="), ({"dt": 0.01}, "fixed_step="),
    ({"acuracy": 1e-6}, "accuracy"), ({}, "end of the run is missing"),
])
def test_keywords_of_simulate(given, said):
    m = lw.Model("pendulum")
    m.world, m.rev, m.body = lw.World(), joints.Revolute(), parts.Body(m=1.0)
    m.chain(m.world, m.rev, m.body)
    with pytest.raises(lw.ModelError, match=said):
        lw.simulate(m, **given)


@pytest.mark.parametrize("name, hint", [("add", "Parts are assigned"), ("simulate", r"lw\.simulate\(m, 10"),
                                        ("compile", r"lw\.compile\(m\)"), ("plot", "A result does")])
def test_what_models_do_elsewhere_is_told(name, hint):
    with pytest.raises(AttributeError, match=hint):
        getattr(lw.Model("m"), name)
    with pytest.raises(AttributeError) as error:
        getattr(joints.Revolute(), name)
    assert "lw." not in str(error.value) and "Parts" not in str(error.value)
