"""What molecules cost: an evaluation of energy and forces beside OpenMM, and torsion dynamics by body."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from linkwright.molecules import angstrom, degree, place

import linkwright as lw
from linkwright import molecules

from .peers import Run
from .table import best_of, heading, row

#: residues of alanine between ACE and NME: 22 and 302 atoms
LENGTHS = (1, 29)


def peptide(count: int) -> str:
    """A chain of alanines with capped ends, stretched out, as a PDB file."""
    at, lines = {}, []

    def atom(residue: int, name: str, length: float, near: str, bend: float = 0.0, second: str | None = None,
             turn: float = 0.0, third: str | None = None) -> None:
        key = f"{residue}{name}"
        at[key] = np.zeros(3) if not near else place(
            length * angstrom, at[near], bend * degree, at.get(second), turn * degree, at.get(third))
        lines.append((residue, name, key))

    atom(1, "CH3", 0, "")
    atom(1, "C", 1.522, "1CH3")
    atom(1, "O", 1.229, "1C", 120.4, "1CH3")
    for k in range(3):
        atom(1, f"H{k + 1}", 1.09, "1CH3", 109.5, "1C", 120 * k, "1O")
    before = ("1CH3", "1C", "1O")
    for r in range(2, count + 2):
        _, c, o = before
        atom(r, "N", 1.335, c, 116.6, before[0], 180, o)
        atom(r, "H", 1.01, f"{r}N", 119.8, c, 180, o)
        atom(r, "CA", 1.449, f"{r}N", 121.9, c, 180, before[0])
        atom(r, "C", 1.522, f"{r}CA", 110.1, f"{r}N", -140, c)
        atom(r, "CB", 1.526, f"{r}CA", 109.7, f"{r}N", -120.7, f"{r}C")
        atom(r, "HA", 1.09, f"{r}CA", 109.5, f"{r}N", 119, f"{r}C")
        for k in range(3):
            atom(r, f"HB{k + 1}", 1.09, f"{r}CB", 109.5, f"{r}CA", 60 + 120 * k, f"{r}N")
        atom(r, "O", 1.229, f"{r}C", 120.4, f"{r}CA", -45, f"{r}N")
        before = (f"{r}CA", f"{r}C", f"{r}O")
    r = count + 2
    atom(r, "N", 1.335, before[1], 116.6, before[0], 180, before[2])
    atom(r, "H", 1.01, f"{r}N", 119.8, before[1], 180, before[2])
    atom(r, "C", 1.449, f"{r}N", 121.9, before[1], 180, before[0])
    for k in range(3):
        atom(r, f"H{k + 1}", 1.09, f"{r}C", 109.5, f"{r}N", 60 + 120 * k, before[1])
    names = {1: "ACE", r: "NME"}
    return "".join(
        f"ATOM  {k:5d} {name:<4s} {names.get(residue, 'ALA'):3s} A{residue:4d}    "
        f"{10 * at[key][0]:8.3f}{10 * at[key][1]:8.3f}{10 * at[key][2]:8.3f}  1.00  0.00           {name[0]}\n"
        for k, (residue, name, key) in enumerate(lines, 1)) + "END\n"


def model(file: str, field: molecules.ForceField, mobile: str, fixman: bool = False) -> lw.Model:
    m = lw.Model("peptide")
    m.world = lw.World(gravity=None)
    m.mol = molecules.Molecule.read(file, field, mobile)
    if fixman:
        m.fixman = molecules.Fixman(T=300)
    return m


def evaluation(system: lw.System, name: str, n: int) -> Run:
    """Accelerations of all atoms or torsion angles, in a compiled loop."""
    state = system.state()
    f = system.function(["q", "u"], [name])
    f.time(state.q, state.u, n=1)  # compiled when first asked for
    return Run(lambda: f.time(state.q, state.u, n=n), 5 * n, None)


def openmm_run(file: str, platform: str, n: int) -> Run:
    """Energy and forces by OpenMM, called from Python."""
    import openmm
    from openmm import app

    pdb = app.PDBFile(file)
    theirs = app.ForceField("amber99sb.xml").createSystem(pdb.topology, nonbondedMethod=app.NoCutoff, constraints=None,
                                                          removeCMMotion=False)
    options = {"Threads": "1"} if platform == "CPU" else {}
    integrator = openmm.VerletIntegrator(0.001)
    context = openmm.Context(theirs, integrator, openmm.Platform.getPlatformByName(platform), options)
    context.setPositions(pdb.positions)

    def call() -> None:
        for _ in range(n):
            context.getState(getForces=True, getEnergy=True)

    return Run(call, n, None)


def compare_molecules(repeat: int) -> None:
    """µs per evaluation of forces beside OpenMM; µs per body of torsion dynamics, with and without Fixman's term."""
    try:
        import openmm
    except ImportError:
        print("\nMolecules: needs the package openmm, for its force fields too")
        return
    field = molecules.ForceField.read("amber99sb.xml")
    print(f"\nOpenMM {openmm.version.short_version}, amber99sb, no cut-off, one thread")
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for count in LENGTHS:
            files.append(Path(folder) / f"{count}.pdb")
            files[-1].write_text(peptide(count))
        names = ["linkwright", "Reference", "CPU"]
        heading("Molecules, atoms that move freely: forces", names, "µs per evaluation")
        for file in files:
            system = lw.compile(model(str(file), field, "cartesian"))
            atoms = system.dof // 3
            n = max(5, 20000 // atoms**2)
            runs = {"linkwright": evaluation(system, "udot", n),
                    **{name: openmm_run(str(file), name, n) for name in names[1:]}}
            row(f"{atoms} atoms", names, best_of(runs, repeat))
        print("\nMolecules in torsion angles: µs per evaluation of accelerations, per body in brackets")
        for file in files:
            for fixman in (False, True):
                system = lw.compile(model(str(file), field, "torsions", fixman))
                bodies = len(system.mechanism.bodies)
                n = max(5, 20000 // bodies**2)
                best = best_of({"linkwright": evaluation(system, "udot", n)}, repeat)["linkwright"]
                print(f"{bodies} bodies{' with Fixman' if fixman else '':12s} {best:10.2f} ({best / bodies:.3f})",
                      flush=True)
