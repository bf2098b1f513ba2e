"""Modelica in: models from .mo files, interpreted without a Modelica compiler.

    tokens → expressions, classes    a tree with line numbers (syntax), kept in the cache
    library                          where classes are found: files, folders, MODELICAPATH
    changes, instances               modifications, and the elements of an instance with all of them applied
    evaluation, algorithms           values of expressions; functions on numbers and formulas
    leaves, parts                    classes of the libraries that are components here
    sections, connecting, solving    equations, put in order
    building, finishing              the Model

Classes of the Standard Library that are components here need no text of it; blocks and circuits are in `texts`, written
in Modelica again.
"""

from __future__ import annotations

from .reader import read_modelica

__all__ = ["read_modelica"]
