"""A headless Chromium, driven by Playwright, and pages opened in it."""

from __future__ import annotations

import os
import shutil

from absence import absent


def launch():
    """Give the browser and close it in the end; skip (or fail, where it is required) if there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next((path for path in map(shutil.which, names) if path), None)
    if program is None:
        absent(f"no browser: install one of {', '.join(names)}")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("no Playwright: install the development dependencies")
    # Chromium's sandbox does not work for root, as which containers run.
    flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=program, args=flags)
        yield program
        program.close()


class Opened:
    """A page with everything it said and asked for."""

    def __init__(self, browser, file, script="", **options):
        # Without smooth scrolling, which would move the page under the pointer.
        options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce", **options}
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.add_init_script(script)
        self.said, self.requests = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("html[data-ready]", state="attached")


def overflow(page):
    """How many pixels a page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
