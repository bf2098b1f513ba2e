"""The site in a browser, on a phone and at a desk: pages fit, load everything, and links lead somewhere."""

import contextlib
import functools
import http.server
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from browser import headless

ROOT = Path(__file__).parents[2]
LOOK = """() => {
    const width = document.documentElement.clientWidth;
    const scrolls = element => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
    const beyond = [...document.querySelectorAll("article *")].filter(element => {
        if (element.getBoundingClientRect().right <= width + 1) return false;
        for (let e = element; e && e !== document.body; e = e.parentElement) if (scrolls(e)) return false;
        return true;
    });
    const cut = e => e.scrollWidth > e.clientWidth + 1;
    const code = [...document.querySelectorAll(".language-python pre > code")].filter(cut);
    return {wide: document.documentElement.scrollWidth > width, beyond: beyond.map(e => e.textContent.slice(0, 60)),
            code: code.map(e => e.textContent.slice(0, 60)),
            names: [...document.querySelectorAll("[id]")].map(e => e.id),
            links: [...[...document.querySelectorAll("a[href]")].map(a => a.getAttribute("href")),
                    ...[...document.images].map(i => i.getAttribute("src"))]};
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site without its animations, built of a copy of the documentation."""
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("animations", "reference"))
    shutil.copy(ROOT / "mkdocs.yml", folder)
    subprocess.run([sys.executable, "docs/build_reference.py"], cwd=folder, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet"], cwd=folder, check=True)
    return folder / "out" / "site"


def lead_nowhere(site, page, links, names):
    """Links and pictures of a page that are not there, or places in a page; animations are made by `make docs`."""
    for link in links:
        address = urlparse(link)
        if address.scheme or "animations/" in link:
            continue
        target = (page.parent / unquote(address.path)).resolve() if address.path else page
        target = target / "index.html" if target.is_dir() else target
        if not target.exists() or address.fragment and unquote(address.fragment) not in names.get(target, [""]):
            yield link


@pytest.mark.slow
def test_pages_fit_on_a_phone_and_at_a_desk(site):
    pages, names, links, wrong = sorted(site.rglob("*.html")), {}, {}, []
    with headless() as browser:
        for width in (390, 1280):
            view, errors = browser.new_page(viewport={"width": width, "height": 840}), []
            view.on("console", lambda m, errors=errors: errors.append(m.text) if m.type == "error" else None)
            view.on("pageerror", lambda e, errors=errors: errors.append(str(e)))
            view.on("request", lambda r, errors=errors: errors.append(r.url) if r.url.startswith("http") else None)
            for page in pages:
                errors.clear()
                view.goto(page.as_uri())
                seen = view.evaluate(LOOK)
                names[page], links[page] = seen.pop("names"), seen.pop("links")
                if any(seen.values()) or errors:
                    wrong.append((width, page.name, seen, list(errors)))
            view.close()
    wrong += [(page.name, link) for page in pages for link in lead_nowhere(site, page, links[page], names)]
    assert not wrong


#: what people type → the recipe (a part of its address) that they should find
SEARCHED = {
    "gripper": "gripper", "belt drive": "belt-drive", "slider crank": "slider-crank", "backlash": "backlash",
    "follow path": "follow-a-path", "quarter car": "quarter-car", "bearing forces": "bearing-forces",
    "PID tuning": "pid-tuning", "bode plot": "bode-plot", "encoder noise": "encoder-noise", "real time": "real-time",
    "LQR": "lqr", "motor sizing": "motor-sizing", "csv": "csv", "mp4": "film", "screenshot": "picture",
    "simulink": "fmu", "microcontroller": "c-code", "ros bag": "ros-bag", "jupyter": "notebook",
    "monte carlo": "monte-carlo", "fit data": "fit-parameters", "natural frequencies": "natural-frequencies",
    "inverse kinematics": "inverse-kinematics", "collision": "fence-collision", "drop test": "drop-test",
    "piston": "slider-crank", "gear play": "backlash", "trajectory": "follow-a-path", "car suspension": "quarter-car",
    "controller gains": "pid-tuning", "sensor noise": "encoder-noise", "state feedback": "lqr", "excel": "csv",
    "save png": "picture", "arduino": "c-code", "tolerance analysis": "monte-carlo",
    "eigenfrequencies": "natural-frequencies", "optimize dimensions": "optimise-a-design",
    "parameter study": "parameter-sweep", "time delay": "dead-time", "tune pid controller": "pid-tuning",
    "quantization": "encoder-noise", "hardware in the loop": "real-time", "video": "film",
    "render image": "picture", "embedded c code": "embedded-c-code", "uncertainty": "monte-carlo",
    "system identification": "fit-parameters", "vibration modes": "natural-frequencies", "clamp": "gripper",
    "joint limits": "joint-limits", "actuator sizing": "motor-sizing", "crank mechanism": "slider-crank",
    "share animation": "web-page", "frequency response": "bode-plot", "wall impact": "fence-collision",
}
FIRST_TWO = """() => [...document.querySelectorAll('.md-search-result__item')].slice(0, 2)
    .flatMap(item => [...item.querySelectorAll('a')].map(a => a.getAttribute('href')))"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """The address of a folder on this machine: a search needs a server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.mark.slow
def test_recipes_are_among_the_first_two_that_the_search_finds(site):
    missed = {}
    with served(site) as address, headless() as browser:
        view = browser.new_page(viewport={"width": 1280, "height": 840})
        view.goto(f"{address}/index.html")
        for words, recipe in SEARCHED.items():
            field = view.locator("input.md-search__input")
            field.click()
            field.fill("")
            view.wait_for_function("document.querySelectorAll('.md-search-result__item').length == 0")
            field.press_sequentially(words)
            view.wait_for_function("document.querySelectorAll('.md-search-result__item').length > 0")
            view.wait_for_timeout(500)  # the list follows every letter
            links = view.evaluate(FIRST_TWO)
            if not any("cookbook" in link and recipe in link for link in links):
                missed[words] = links
    assert not missed
