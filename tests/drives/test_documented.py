"""The page on drive trains and blocks names everything that there is, and nothing else."""

import re
from pathlib import Path

import pytest

from linkwright import blocks, rotational, translational

PAGE = (Path(__file__).parents[2] / "docs" / "drives.md").read_text()


def cells(column):
    rows = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.startswith("|")]
    return {name for row in rows if len(row) > column for name in re.findall(r"`(\w+)`", row[column])}


@pytest.mark.parametrize("room, column", [(rotational, 1), (translational, 2)])
def test_every_component_is_on_the_page(room, column):
    own = cells(column) - {"rotational", "translational"} - set(blocks.__all__)
    assert own == set(room.__all__)


def test_every_block_is_on_the_page():
    assert set(blocks.__all__) <= cells(1)


@pytest.mark.parametrize("name", blocks.__all__)
def test_every_block_says_what_it_does(name):
    text = getattr(blocks, name).__doc__
    assert text and "(" in text and len(text.split()) > 4
