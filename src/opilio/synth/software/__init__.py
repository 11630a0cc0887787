"""Sites after the habits of well-known software, in layouts of our own: for strategies that learn the templates of a site.

Each has what such sites have: several URLs for one thread, member lists, search pages, calendars, print views, links to the last
post, sorted views, session ids, advertisements.
"""

from __future__ import annotations

from .drupal import Drupal
from .phpbb import PhpBB
from .shop import Shop
from .vbulletin import VBulletin
from .world import Made, Software, World
from .xenforo import XenForo

SOFTWARE: dict[str, type[Software]] = {
    "vbulletin": VBulletin,
    "phpbb": PhpBB,
    "shop": Shop,
    "xenforo": XenForo,
    "drupal": Drupal,
}
DESIGNED_ON = ("vbulletin", "phpbb", "shop")  # strategies were tried out on these, never on the others

__all__ = ["DESIGNED_ON", "SOFTWARE", "Made", "Software", "World"]
