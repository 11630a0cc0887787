"""Sites after the habits of well-known software, in layouts of our own: for strategies that learn the templates of a site.

Each has what such sites have: several URLs for one thread, member lists, search pages, calendars, print views, links to the last
post, sorted views, session ids, advertisements.
"""

from __future__ import annotations

from .discourse import Discourse
from .drupal import Drupal
from .mediawiki import MediaWiki
from .phpbb import PhpBB
from .shop import Shop
from .stackexchange import StackExchange
from .vbulletin import VBulletin
from .wordpress import WordPress
from .world import Made, Software, World
from .xenforo import XenForo

SOFTWARE: dict[str, type[Software]] = {
    "vbulletin": VBulletin,
    "phpbb": PhpBB,
    "shop": Shop,
    "discourse": Discourse,
    "mediawiki": MediaWiki,
    "xenforo": XenForo,
    "drupal": Drupal,
    "stackexchange": StackExchange,
    "wordpress": WordPress,
}
DESIGNED_ON = (
    "vbulletin",
    "phpbb",
    "shop",
    "discourse",
    "mediawiki",
)  # strategies were tried out on these, never on the others

__all__ = ["DESIGNED_ON", "SOFTWARE", "Made", "Software", "World"]
