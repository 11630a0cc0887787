"""One strategy per law that breaks it, to show that the law bites."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from opilio.nouns import Lesson, Link, News, Offer, Page, Say, Strategy

_ticks = itertools.count()


class Follow(Strategy):
    def observe(self, page: Page) -> Iterable[Say]:
        return (Offer(link, len(link.url) % 5) for link in page.links)


class Moody(Follow):
    """deterministic: its values depend on how often any of its kind was asked."""

    def observe(self, page: Page) -> Iterable[Say]:
        return (Offer(link, hash((next(_ticks) * 2654435761) % 1000)) for link in page.links)


class Clock(Follow):
    """pure: this very file imports the clock."""

    def observe(self, page: Page) -> Iterable[Say]:
        return (Offer(link, time.time()) for link in page.links)


class Hidden(Follow):
    """state_is_marked: counts in an attribute that is never saved."""

    def __init__(self) -> None:
        self.count = 0

    def observe(self, page: Page) -> Iterable[Say]:
        self.count += 1
        return (Offer(link, 1.0) for link in page.links)


class Forgetful(Follow):
    """folds: what it learns decides the order but is not where saving looks, so a restored one starts from nothing."""

    def __init__(self) -> None:
        self.order = 0

    def observe(self, page: Page) -> Iterable[Say]:
        self.order += 1
        return (Offer(link, float(self.order * (-1) ** self.order)) for link in page.links)


class Point(NamedTuple):
    x: float


class Unmarked(Follow):
    """folds: what it learns is of a class that the codec does not know, and comes back as a tuple."""

    def __init__(self) -> None:
        self.place_ = Point(0.0)


class Biased(Follow):
    """same_on_disk: reads the class of what it was given, which a strategy must not."""

    def observe(self, page: Page) -> Iterable[Say]:
        on_disk = "disk" in type(getattr(page.known, "_frontier", None)).__module__
        return (Offer(link, len(link.url) * (-1.0 if on_disk else 1.0) + hash_of(link)) for link in page.links)


def hash_of(link: Link) -> float:
    return sum(map(ord, link.url)) % 7 / 10


class Doubling(Follow):
    """hears_twice: adds up what it hears, so a fact told twice counts twice."""

    def __init__(self) -> None:
        self.heard_ = 0

    def observe(self, page: Page) -> Iterable[Say]:
        yield News((page.url,))
        yield from super().observe(page)

    def hear(self, news: News) -> Iterable[Say]:
        self.heard_ += 1
        return ()


class Teaching(Follow):
    """lessons_are_plain: what it teaches cannot be sent."""

    def observe(self, page: Page) -> Iterable[Say]:
        yield Lesson((object(),))
        yield from super().observe(page)


class Repeating(Follow):
    """once_each: asks for every link in two spellings, so that the second looks new."""

    def observe(self, page: Page) -> Iterable[Say]:
        for link in page.links:
            yield Offer(link)
            yield Offer(replace(link, url=f"{link.url}#again"))


class Summing(Follow):
    """letters_twice, together with a shard that believes every letter: its totals then count letters twice."""

    merge = "sum"

    def observe(self, page: Page) -> Iterable[Say]:
        return (Offer(link, page.value / len(page.links)) for link in page.links)


class Inventive(Follow):
    """sane_offers: offers a URL that stands nowhere."""

    def observe(self, page: Page) -> Iterable[Say]:
        return [Offer(Link(page.url + "/made-up"))]


class Raising(Follow):
    """Breaks the first law that is looked at, by a mistake."""

    def observe(self, page: Page) -> Iterable[Say]:
        raise KeyError(page.url)
