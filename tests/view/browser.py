"""A headless browser for the tests; they are skipped only where there is none."""

import contextlib
import shutil

import pytest

ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


@contextlib.contextmanager
def headless():
    """A browser without a window, for the tests of one file."""
    program = next((p for name in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@contextlib.contextmanager
def open_page(browser, address: str, size=(480, 340), scale: float = 1.0):
    """(page, list of errors) of an address; network access other than to this machine is refused and is an error.

    `scale` are pixels per pixel: fewer are drawn sooner.
    """
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, device_scale_factor=scale)
    errors = []
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: errors.append(str(e)))

    def guard(route):
        url = route.request.url
        if url.startswith(("file:", "data:", "blob:", "http://127.0.0.1", "ws://127.0.0.1")):
            route.continue_()
        else:
            errors.append(f"asked for {url}")
            route.abort()

    page.route("**/*", guard)
    try:
        page.goto(address)
        page.wait_for_selector("canvas", timeout=60_000)
        yield page, errors
    finally:
        page.close()


def slide_to(page, part: float) -> None:
    """Click the player's slider at a part of its length and wait until it is there."""
    reached = """(() => {const s = document.querySelector('[role=slider]');
        return s.getAttribute('aria-valuenow') / s.getAttribute('aria-valuemax')})()"""
    for _ in range(30):
        bar = page.locator(".mantine-Slider-root").bounding_box()
        page.mouse.click(bar["x"] + part * bar["width"], bar["y"] + bar["height"] / 2)
        # it must stay there: a player that lags may overwrite the first click
        for _ in range(3):
            page.wait_for_timeout(300)
            if abs(page.evaluate(reached) - part) > 0.04:
                break
        else:
            return
    raise AssertionError(f"the slider does not come to {part}, it is at {page.evaluate(reached)}")


def picture(page):
    """What the page's canvas shows, as an array of bytes."""
    import io

    import numpy as np
    from PIL import Image

    height = page.evaluate("document.querySelector('canvas').getBoundingClientRect().height")
    width = page.viewport_size["width"]
    # the left part is free of notes (top left) and of the panel (right)
    raw = page.screenshot(clip={"x": 0.3 * width, "y": 0, "width": 0.4 * width, "height": max(height - 10, 50)},
                          timeout=180_000)
    return np.asarray(Image.open(io.BytesIO(raw)).convert("RGB")).astype(int)


def cursor(page) -> float:
    """Where the red line of a plot in the panel is, as a part of the plot's width."""
    import io

    import numpy as np
    from PIL import Image

    raw = page.locator(".uplot canvas").first.screenshot(timeout=180_000)
    image = np.asarray(Image.open(io.BytesIO(raw)).convert("RGB")).astype(int)
    red = ((image[..., 0] > 180) & (image[..., 1:].max(axis=2) < 90)).sum(axis=0)
    return float(red.argmax()) / len(red) if red.max() > 10 else -1.0


def changed(a, b) -> int:
    """How many pixels differ clearly."""
    return int(((abs(a - b)).max(axis=2) > 40).sum())


def coloured(image, rgb, tolerance: int = 90) -> int:
    """How many pixels have about a hue."""
    import numpy as np

    return int((np.abs(image - np.asarray(rgb)).max(axis=2) < tolerance).sum())


def wait_until(page, test, seconds: float = 60.0):
    """Ask again until `test()` holds; software rendering is slow."""
    for _ in range(int(seconds / 0.25)):
        if test():
            return True
        page.wait_for_timeout(250)
    return False


def settled(page, seconds: float = 60.0):
    """The picture once it has stopped changing."""
    last = picture(page)
    for _ in range(int(2 * seconds)):
        page.wait_for_timeout(500)
        now = picture(page)
        if changed(last, now) == 0:
            return now
        last = now
    raise AssertionError("the picture does not come to rest")
