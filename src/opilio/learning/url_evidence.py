"""What speaks for an open URL: gathered from every page that links to it, and carried in the note of its offer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from ..batch import column, picked
from ..nouns import RELEVANT, Link, Page
from .evidence_kinds import DIGITS, PageKinds
from .named_words import NamedWords

LINKS = 8  # whose places and lists are remembered

NOTES = (
    "promise of the words around its best link",
    "pages with a link to it whose words promise something",
    "highest relevance of a page that links to it",
    "relevance of all those together",
    "pages that link to it",
    "importance that flowed to it",
    "",  # the words of the topic that its links have, as bits: for machines
    "first page that linked to it",
    "",  # the kinds of these links: for machines
)


class Evidence(NamedTuple):
    """As in NOTES."""

    context: float
    promising: int
    parent: float
    good: float
    links: int
    cash: float
    named: int
    first: str
    kinds: str  # of each link, see PageKinds, one text for all

    @classmethod
    def of(cls, note: tuple[Any, ...]) -> Evidence:
        """As the note of an offer holds it."""
        return cls(*note)

    def joined(self, other: Evidence) -> Evidence:
        """With what another page says; the first one stays the first."""
        return Evidence(
            max(self.context, other.context),
            self.promising + other.promising,
            max(self.parent, other.parent),
            self.good + other.good,
            self.links + other.links,
            self.cash + other.cash,
            self.named | other.named,
            self.first,
            _together(self.kinds, other.kinds),
        )


def _together(held: str, new: str) -> str:
    """The kinds of some links and of others, those of each link once."""
    if len(held) >= LINKS * DIGITS:
        return held
    both = held + new
    if len(new) == DIGITS and new not in held:  # nearly always: a page has one link to it
        return both
    links = dict.fromkeys([both[start : start + DIGITS] for start in range(0, len(both), DIGITS)])
    return "".join(list(links)[:LINKS])


class PageLinks:
    """The links of a page, column by column, and what is known of the URLs that they lead to."""

    def __init__(self, page: Page) -> None:
        self.page, self.links = page.url, page.links
        self.urls: Sequence[str] = column(self.links, "url")
        self.known = dict(zip(self.urls, page.known.all(self.urls), strict=True))  # what was kept of those fetched
        self._kinds, self._paths = PageKinds(page.url), column(self.links, "path")

    def fetched(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The kinds of the links to other pages that were fetched, and what was kept of each of these."""
        notes = [(number, self.known[url]) for number, url in enumerate(self.urls) if url != self.page]
        found = [(self._kinds(self._paths[number]), note) for number, note in notes if note]
        return [kinds for kinds, _ in found], [note for _, note in found]

    def evidence(
        self, contexts: Sequence[float], named: NamedWords, relevance: float, cash: float
    ) -> list[tuple[Link, Evidence]]:
        """What the page says of each URL that was not fetched, by what the words around links promise; the page counts once."""
        places: dict[str, list[int]] = {}
        for number, url in enumerate(self.urls):
            places.setdefault(url, []).append(number)
        masks = self._masks(named, places)
        rest = [(url, numbers) for url, numbers in places.items() if self.known[url] is None]
        best = [numbers[0] if len(numbers) == 1 else max(numbers, key=contexts.__getitem__) for _, numbers in rest]
        return [
            (link, Evidence(
                contexts[place], int(contexts[place] >= RELEVANT), relevance, relevance, 1, cash, masks[url], self.page,
                self._kinds_at(numbers),
            ))
            for link, place, (url, numbers) in zip(picked(self.links, best), best, rest, strict=True)
        ]  # fmt: skip

    def _masks(self, named: NamedWords, places: dict[str, list[int]]) -> dict[str, int]:
        """The topic's words that the links to each URL have together; they are counted."""
        each = named.masks(column(self.links, "anchor") if named.roots else (), self.urls)
        found = {url: reduce(or_, [each[number] for number in numbers]) for url, numbers in places.items()}
        named.count(found.values())
        return found

    def _kinds_at(self, numbers: Sequence[int]) -> str:
        """The kinds of these links, those of each once."""
        if len(numbers) == 1:
            return self._kinds(self._paths[numbers[0]])
        return "".join(list(dict.fromkeys(self._kinds(self._paths[number]) for number in numbers))[:LINKS])
