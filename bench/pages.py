"""Pages that run, in a headless browser with software rendering: how long they take to write, and how fast they run."""

from __future__ import annotations

import runpy
import shutil
import tempfile
from pathlib import Path
from time import perf_counter

import linkwright as lw

EXAMPLES = Path(__file__).parents[1] / "examples"
#: example → simulated seconds of the computation alone
PAGES = {"engine_v6": 10.0, "cart_pole": 10.0, "strandbeest": 10.0, "bouncing_ball": 3.0, "car_drive_line": 10.0,
         "box_on_a_slope": 3.0}
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def compare() -> None:
    """Seconds to write a page, its size, times real time without pictures, and with them.

    Software rendering draws slowly.  So what our own code takes of a sixtieth of a second (steps, and the messages that
    move the scene) is told apart: the mean of all pictures, and the longest.
    """
    program = next((p for name in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(name))), None)
    if program is None:
        print("no Chromium here: pages are left out")
        return
    from playwright.sync_api import sync_playwright

    columns = ("written / s", "size / MB", "× real time", "with pictures", "pictures / s", "own ms/picture", "longest")
    print(f"\n{'page':20}" + "".join(f"{column:>16}" for column in columns))
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        for name, stop in PAGES.items():
            model = next(value for value in runpy.run_path(str(EXAMPLES / f"{name}.py")).values()
                         if isinstance(value, lw.Model))
            path, start = Path(folder) / f"{name}.html", perf_counter()
            lw.export(model, path)
            written = perf_counter() - start
            page = browser.new_page(viewport={"width": 900, "height": 700}, device_scale_factor=0.5)
            page.goto(path.as_uri())
            page.wait_for_function("window.linkwright && linkwright.time > 0.5", timeout=120_000)
            alone = page.evaluate(f"(() => {{const t = performance.now(); linkwright.runTo({stop});"
                                  f" return {stop} / (performance.now() - t) * 1000}})()")
            mean, longest = _own(page)
            rate, pictures = _shown(page)
            size = path.stat().st_size / 1e6
            print(f"{name:20}{written:16.1f}{size:16.1f}{alone:16.0f}{rate:16.2f}{pictures:16.0f}{mean:16.2f}{longest:16.1f}")
            page.close()
        browser.close()


def _own(page, pictures: int = 180) -> tuple[float, float]:
    """Milliseconds of our own code for a picture of 1/60 s, from the start of the motion: the mean, and the longest."""
    return tuple(page.evaluate("""(pictures) => {
        linkwright.reset();
        const took = [];
        for (let k = 0; k < pictures; k++) {
            const start = performance.now();
            linkwright.go(linkwright.time + 1 / 60, Infinity);
            linkwright.show();
            took.push(performance.now() - start);
        }
        linkwright.reset();
        return [took.reduce((a, b) => a + b) / pictures, Math.max(...took)]; }""", pictures))


def _shown(page, seconds: float = 4.0) -> tuple[float, float]:
    """(seconds of the mechanism in a second of the clock, pictures in a second) while it is shown."""
    return tuple(page.evaluate("""(seconds) => new Promise((done) => {
        const start = performance.now(), from = linkwright.time;
        let pictures = 0;
        const count = (now) => {
            pictures++;
            const passed = (now - start) / 1000;
            if (passed < seconds) requestAnimationFrame(count);
            else done([(linkwright.time - from) / passed, pictures / passed]);
        };
        requestAnimationFrame(count); })""", seconds))
