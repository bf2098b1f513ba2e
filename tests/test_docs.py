"""The code in the documentation runs as written, page by page, in order."""

import re
from pathlib import Path

import matplotlib
import pytest

PAGES = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))
BLOCK = re.compile(r"```python\n(.*?)```", re.S)


@pytest.mark.parametrize("page", [p for p in PAGES if BLOCK.search(p.read_text())], ids=lambda p: p.stem)
def test_code_on_the_page_runs(page, tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for number, block in enumerate(BLOCK.findall(page.read_text())):
        exec(compile(block, f"{page.name}, block {number + 1}", "exec"), names)
