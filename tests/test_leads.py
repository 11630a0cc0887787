"""Page types that are made alike: where their links lead tells them apart."""

from __future__ import annotations

import random
from collections import Counter

from opilio.fetchers.replay import Recorded, Replay
from opilio.learning.leads import leads
from opilio.learning.page_types import learn, learn_pages, learn_styled
from opilio.nouns import Link, Offer
from opilio.synth.software.mediawiki import MediaWiki
from opilio.synth.software.world import World

HOME = "http://wiki.test"
MENU = [Link(f"{HOME}/special/{word}", path="html/body/nav/a") for word in ("about", "help", "all")]
ITEM, NOTE = "html/body/ul/li/a", "html/body/p/a"
NAMES = [first + second for first in "bcdfgh" for second in "aeiou"]


def led(folder: str, place: str = ITEM) -> list[list[Link]]:
    """Pages with the menu and a link into a folder, each with another one."""
    return [[*MENU, Link(f"{HOME}/{folder}/{name}", path=place)] for name in NAMES]


def learned(links: list[list[Link]]) -> list[int]:
    """The types of pages that are all made of the same elements."""
    bags = [{"html/body/nav/a": 3, "html/body/ul/li/a": 1} for _ in links]
    assert len(set(learn(bags).names)) == 1
    return learn(bags, led=leads(links)).names


def test_pages_made_alike_that_lead_elsewhere_are_apart() -> None:
    names = learned(led("article") + led("user"))
    assert sorted(Counter(names).values()) == [30, 30]
    assert len(set(names[:30])) == 1


def test_pages_that_lead_to_the_same_kind_are_one_type() -> None:
    assert len(set(learned(led("article") + led("article")))) == 1


def test_a_link_that_others_lack_makes_no_type() -> None:
    assert len(set(learned(led("article") + led("user", NOTE)))) == 1


def test_parts_that_lead_to_the_same_kind_stay_together() -> None:
    talks = [row + more for row, more in zip(led("user"), led("talk"), strict=True)]
    busy = [[*row, Link(f"{HOME}/user/a{number}", path=ITEM)] for number, row in enumerate(talks)]
    mixed = talks[:15] + busy[15:]
    names = learned(led("article") + led("article") + mixed)
    assert sorted(Counter(names).values()) == [30, 60]


def test_talk_pages_of_a_wiki_are_not_its_articles() -> None:
    made = {HOME + page.path: page for page in MediaWiki(World(5)).pages() if not page.target}
    told = {url: made[url].kind for url in random.Random(5).sample(sorted(made), 600)}
    fetcher = Replay(lambda url: Recorded(200, {"content-type": "text/html"}, made[url].html.encode()))
    pages = [fetcher.answer(Offer(Link(url))) for url in told]
    mixed, apart = (
        Counter(zip(names, told.values(), strict=True))
        for names in (learn_styled([page.styled for page in pages]).names, learn_pages(pages).names)
    )
    assert _mostly(mixed, "talk") == _mostly(mixed, "article")
    assert _mostly(apart, "talk") != _mostly(apart, "article")


def _mostly(found: Counter[tuple[int, str]], kind: str) -> int:
    """The cluster of most pages of a kind."""
    return max((pair for pair in found if pair[1] == kind), key=lambda pair: found[pair])[0]
