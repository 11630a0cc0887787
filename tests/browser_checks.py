"""What every page of the dashboard and every report has to pass in a browser."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = ("serious", "critical")
NARROW, WIDE = {"width": 390, "height": 844}, {"width": 1600, "height": 1000}
BETWEEN = [{"width": width, "height": 900} for width in (480, 640, 768, 864, 900, 1000, 1200, 1300)]
# What is folded away, as are the largest tables, may move sideways in its own frame.
CUT = "[...document.querySelectorAll('.wide')].filter(at => !at.closest('details') && at.scrollWidth > at.clientWidth + 1).length"


def check(page: Page) -> str:
    """What is wrong with a page as it is shown now: findings of axe, and what moves sideways or is cut at 390 to 1,600 pixels."""
    wrong = [one for size in BETWEEN for one in _too_wide(page, size)]
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
    cut = page.evaluate(CUT)
    told = [f"{wide} pixels wide"] * (wide > size["width"]) + [f"{cut} tables cut"] * bool(cut)
    return [f"{one} at {size['width']}" for one in told]
