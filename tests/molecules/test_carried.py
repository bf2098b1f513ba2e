"""Molecules are shown, copied, pickled and swept as other models are."""

import copy
import pickle

import numpy as np
from small_molecules import alone, ethane

import linkwright as lw
from linkwright.view.default_shapes import model_shapes


def test_balls_and_sticks():
    m = alone(ethane())
    shapes = [shape for shape in model_shapes(m, lw.compile(m)) if shape.name.startswith("mol.")]
    kinds = [shape.kind for shape in shapes]
    assert kinds.count("sphere") == 8 and kinds.count("cylinder") == 14
    carbon, hydrogen = (next(s for s in shapes if s.name == f"mol.atoms.{k}") for k in (0, 2))
    assert carbon.colour != hydrogen.colour and carbon.size > hydrogen.size


def test_copies_and_pickles_run_alike():
    model = alone(ethane())
    expected = lw.simulate(model, 0.2)["mol.C1_C2.phi"]
    for other in (copy.copy(model), pickle.loads(pickle.dumps(model))):
        assert (lw.simulate(other, 0.2)["mol.C1_C2.phi"] == expected).all()


def test_lanes_of_a_sweep_give_the_bits_of_single_runs():
    model = alone(ethane())
    angles = np.linspace(0.3, 1.2, 8)
    study = lw.sweep(model, {"mol.C1_C2.phi": angles}, 0.2, outputs=["mol.C1_C2.phi"])
    single = lw.simulate(model, 0.2, state=lw.compile(model).state().set("mol.C1_C2.phi", angles[3]))
    assert (study.data["mol.C1_C2.phi"].values[3] == single["mol.C1_C2.phi"]).all()
