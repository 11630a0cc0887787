"""What every page of the dashboard and every report has to pass in a browser."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = ("serious", "critical")
NARROW, MIDDLE, WIDE = {"width": 390, "height": 844}, {"width": 1000, "height": 800}, {"width": 1600, "height": 1000}


def check(page: Page) -> str:
    """What is wrong with a page as it is shown now: findings of axe, and what moves sideways at 390, 1,000 or 1,600 pixels."""
    wrong = [*_too_wide(page, MIDDLE)]
    for scheme, size in (("light", WIDE), ("dark", NARROW)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        wrong += _too_wide(page, size)
        found = Axe().run(page).response["violations"]
        wrong += [
            f"{scheme}: {one['id']}: {[node['target'] for node in one['nodes']][:3]}"
            for one in found
            if one["impact"] in SERIOUS
        ]
    return "; ".join(wrong)


def _too_wide(page: Page, size: dict[str, int]) -> list[str]:
    page.set_viewport_size(size)  # type: ignore[arg-type]
    wide = page.evaluate("document.documentElement.scrollWidth")
    return [f"{wide} pixels wide at {size['width']}"] if wide > size["width"] else []
