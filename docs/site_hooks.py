"""What is done to the site once it is built (a hook of mkdocs)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any


def on_post_build(config: Any) -> None:
    """The page of missing addresses finds its style and the other pages wherever the site lies."""
    page = Path(config["site_dir"]) / "404.html"
    page.write_text(beside(page.read_text(encoding="utf-8")), encoding="utf-8")


def beside(html: str) -> str:
    """Addresses from the root of a server as addresses beside the page."""
    html = re.sub(r'\b(href|src)="/(?!/)', r'\1="./', html)
    for root, here in (('"base": "/"', '"base": "."'), ('": "/assets/', '": "assets/'),
                       ('new URL("/",location)', 'new URL(".",location)')):
        html = html.replace(root, here)
    return html
