"""What speaks for an open URL: gathered from every page that links to it, and carried in the note of its offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..nouns import RELEVANT, Link
from .evidence_kinds import DIGITS, PageKinds
from .named_words import NamedWords

LINKS = 16  # whose places and lists are remembered

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

    def on_one_page(self, other: Evidence) -> Evidence:
        """With what another link of the same page says: the page counts once."""
        both = self.joined(other)
        return both._replace(
            promising=max(self.promising, other.promising), good=self.good, links=self.links, cash=self.cash
        )


def _together(held: str, new: str) -> str:
    """The kinds of some links and of others, those of each link once."""
    if len(held) >= LINKS * DIGITS:
        return held
    both = held + new
    links = dict.fromkeys([both[start : start + DIGITS] for start in range(0, len(both), DIGITS)])
    return "".join(list(links)[:LINKS])


def gathered(
    page: str, links: Sequence[Link], contexts: Sequence[float], named: NamedWords, relevance: float, cash: float
) -> dict[str, tuple[Link, Evidence]]:
    """What a page says of each URL that it links to: with its most promising link, by what the words around links promise."""
    kinds = PageKinds(page)
    found: dict[str, tuple[Link, Evidence]] = {}
    for link, context in zip(links, contexts, strict=True):
        url, words, promising = link.url, named.mask(link.anchor, link.url), int(context >= RELEVANT)
        says = Evidence(context, promising, relevance, relevance, 1, cash, words, page, kinds(link.path))
        if url in found:
            held, before = found[url]
            found[url] = (held if before.context >= context else link), before.on_one_page(says)
        else:
            found[url] = link, says
    return found
