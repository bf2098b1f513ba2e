"""Phases of the translation, and the stepper of many contacts, set nothing on objects that others have made."""

import ast
from pathlib import Path

import pytest

import linkwright

ROOT = Path(linkwright.__file__).parent


def planted(source: str) -> list[str]:
    """What is assigned to attributes of anything but `self`; an error may be given its cause."""
    targets = [target for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assign | ast.AugAssign)
               for target in (node.targets if isinstance(node, ast.Assign) else [node.target])]
    attributes = [found for target in targets
                  for found in (target.elts if isinstance(target, ast.Tuple) else [target])
                  if isinstance(found, ast.Attribute)]
    return [ast.unparse(found) for found in attributes
            if not (isinstance(found.value, ast.Name) and found.value.id == "self" or found.attr == "__cause__")]


@pytest.mark.parametrize("file", ["translate/translation.py", "translate/definitions.py", "run/moreau.py"])
def test_nothing_is_planted(file):
    assert planted((ROOT / file).read_text(encoding="utf-8")) == []


def test_what_is_planted_is_found():
    assert planted("a.b, self.c = f, g\nself.d.e += 1\nself.h = 2\nk = 3") == ["a.b", "self.d.e"]
