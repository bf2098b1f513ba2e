"""The gallery shows every example, with a picture that loads fast."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_example_has_its_picture():
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for example in (ROOT / "examples").glob("*.py"):
        picture = ROOT / "docs" / "pictures" / f"{example.stem}.png"
        assert f"pictures/{picture.name}" in page and picture.is_file(), \
            f"{example.name} is not in the gallery yet; run python docs/build_gallery.py and look at the picture"
        assert picture.stat().st_size < 120_000


def test_readme_opens_with_a_picture_that_is_there():
    head = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:4]
    assert any("docs/pictures/engine_v6.png" in line for line in head)
    assert (ROOT / "docs" / "pictures" / "engine_v6.png").is_file()
