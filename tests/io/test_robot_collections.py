"""Public collections of robots beside the programs that know them best, where environment variables name folders.

    git clone https://github.com/Gepetto/example-robot-data; LINKWRIGHT_URDF=example-robot-data pytest -m slow …
    git clone https://github.com/RobotLocomotion/models;     LINKWRIGHT_SDF=models pytest -m slow …
"""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

sys.path.insert(0, str(Path(__file__).parent))
from robots import against_pinocchio, relative


def files(variable: str, suffix: str) -> list[Path | None]:
    folder = os.environ.get(variable)
    return sorted(Path(folder).rglob(f"*{suffix}")) if folder else [None]


@pytest.mark.slow
@pytest.mark.parametrize("file", files("LINKWRIGHT_URDF", ".urdf"), ids=lambda f: f.stem if f else "-")
def test_a_urdf_file_is_pinocchios(file):
    """Mass matrix, nonlinear effects and gravity at five random states, to 1e-12 of the largest entry."""
    pin = pytest.importorskip("pinocchio")
    if file is None:
        pytest.skip("LINKWRIGHT_URDF is not set")
    try:
        pin.buildModelFromUrdf(str(file))
    except ValueError as error:
        pytest.skip(f"Pinocchio does not read it: {error}")
    if '\n"' in file.read_text(errors="replace"):
        pytest.skip("a number with a line break, which Pinocchio drops")
    assert np.all(against_pinocchio(file, 5) < 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("file", files("LINKWRIGHT_SDF", ".sdf"), ids=lambda f: f.stem if f else "-")
def test_an_sdf_file_is_drakes(file):
    """Masses, centres, inertias of all links, and the mass matrix of all joints of one axis at three random states."""
    pytest.importorskip("pydrake")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BodyIndex, PrismaticJoint, RevoluteJoint

    if file is None:
        pytest.skip("LINKWRIGHT_SDF is not set")
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    parser.package_map().PopulateFromFolder(os.environ["LINKWRIGHT_SDF"])
    if parser.package_map().Contains("drake_models"):
        parser.package_map().Remove("drake_models")
    parser.package_map().Add("drake_models", os.environ["LINKWRIGHT_SDF"])
    try:
        parser.AddModels(str(file))
        plant.Finalize()
    except RuntimeError as error:
        pytest.skip(f"Drake does not read it: {str(error)[-200:]}")
    folder = Path(os.environ["LINKWRIGHT_SDF"])
    model = lw.read(file, search=[folder, folder.parent], stops=False, friction=False)
    if any("cannot be included" in str(note) for note in model.import_report.ignored):
        return  # a model of MJCF inside one of SDF
    names = model.import_report.names

    def ours(kind: str, thing) -> str:
        """Our name of a thing of Drake's: outer models may be left out of it; it names joints by the model below."""
        words = f"{plant.GetModelInstanceName(thing.model_instance())}::{thing.name()}".split("::")
        short = next((word for k in range(len(words)) if (word := "::".join(words[k:])) in names[kind]), None)
        return names[kind][short or next(word for word in names[kind] if word.endswith(f"::{thing.name()}"))]

    for k in range(1, plant.num_bodies()):
        theirs = plant.get_body(BodyIndex(k))
        own, c = getattr(model, ours("link", theirs)), theirs.default_com()
        mass = theirs.default_mass()
        tensor = theirs.default_spatial_inertia().CalcRotationalInertia().CopyToFullMatrix3()
        assert float(own.m) == pytest.approx(mass, rel=1e-12)
        if mass > 0:
            np.testing.assert_allclose(np.asarray(own.r_cm, dtype=float), c, atol=1e-12)
            about = np.asarray(own.inertia, dtype=float) + mass * (c @ c * np.eye(3) - np.outer(c, c))
            np.testing.assert_allclose(about, tensor, atol=1e-9 * np.abs(tensor).max())
    if any("drake:joint" in str(note) for note in model.import_report.ignored):
        return  # joints of Drake's own
    if plant.num_velocities() and np.linalg.cond(plant.CalcMassMatrix(plant.CreateDefaultContext())) > 1e12:
        return  # links without mass, whose joints have no inertia, or another one's, by which of them is the base
    system = lw.compile(model)
    joints = [joint for index in plant.GetJointIndices()
              if isinstance(joint := plant.get_joint(index), (RevoluteJoint, PrismaticJoint))]
    letters = [f"{ours('joint', joint)}.{'phi' if isinstance(joint, RevoluteJoint) else 's'}" for joint in joints]
    at_q = [system.part_names("q").index(name) for name in letters]
    at_u = [system.part_names("u").index(f"der({name})") for name in letters]
    state, context, random = system.state_from_defaults(), plant.CreateDefaultContext(), np.random.default_rng(0)
    for _ in range(3 if joints else 0):
        for joint, place in zip(joints, at_q, strict=True):
            state.q[place] = random.uniform(-1, 1)
            turn = joint.set_angle if isinstance(joint, RevoluteJoint) else joint.set_translation
            turn(context, state.q[place])
        speeds = [joint.velocity_start() for joint in joints]
        assert relative(system.mass_matrix(state)[np.ix_(at_u, at_u)],
                        plant.CalcMassMatrix(context)[np.ix_(speeds, speeds)]) < 1e-9
