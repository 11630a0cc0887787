"""Whether a link names the topic: which of the words that the user gave stand in its text or address, and how rare they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log

from ..codec import saved
from ..text.tokens import guess, stems, tokens

MOST = 16  # words that are looked for
SHORTEST = 2  # letters of a word that is looked for
LETTERS = 400  # of a text or an address that are looked at


@saved
@dataclass(slots=True)
class NamedWords:
    """Beginnings of the topic's words, how many links had each of them, and how many links there were."""

    roots: tuple[str, ...]
    links: list[int] = field(default_factory=list)
    seen: int = 0

    @classmethod
    def of(cls, topic: str) -> NamedWords:
        roots = _roots(topic)
        return cls(roots, [0] * len(roots))

    def masks(self, texts: Sequence[str], urls: Sequence[str]) -> list[int]:
        """The words that links have: a bit for each. An address may have them inside of others, as `textsearch` does."""
        masks = [0] * len(urls)
        if not self.roots:
            return masks
        texts_looked_at = [_looked_at(text[:LETTERS], url[:LETTERS]) for text, url in zip(texts, urls, strict=True)]
        together = "\n".join(texts_looked_at)
        for number, root in enumerate(self.roots):
            if root in together:  # on most pages most words are in no link at all
                masks = [mask | (root in one) << number for mask, one in zip(masks, texts_looked_at, strict=True)]
        return masks

    def words(self, mask: int) -> list[str]:
        """The beginnings of these words."""
        return [root for number, root in enumerate(self.roots) if mask >> number & 1]

    def count(self, masks: Iterable[int]) -> None:
        """Links with these words were seen, each link's as bits."""
        for mask, links in Counter(masks).items():
            self.seen += links
            for number in range(len(self.links)):
                self.links[number] += links * (mask >> number & 1)

    def share(self, mask: int) -> float:
        """How much of the topic's name these words are, 0 to 1; a word that few links have counts more."""
        if not mask:
            return 0.0
        rarity = [log((self.seen + 2) / (count + 1)) for count in self.links]
        return sum(rare for number, rare in enumerate(rarity) if mask >> number & 1) / sum(rarity)

    def shares(self, masks: Sequence[int]) -> list[float]:
        """The same of many links, of which most have none."""
        known = {mask: self.share(mask) for mask in set(masks)}
        return [known[mask] for mask in masks]


def _roots(topic: str) -> tuple[str, ...]:
    """The shortest beginning that a stemmer leaves of each word: a few words may be of another language than they seem."""
    known = [stems(language) for language in dict.fromkeys((guess(topic), "en"))]
    counted = (word for word in tokens(topic) if all(stemmed[word] for stemmed in known))
    roots = (min((_shared(word, stemmed[word]) for stemmed in known), key=len) for word in counted)
    return tuple(dict.fromkeys(root for root in roots if len(root) >= SHORTEST))[:MOST]


def _shared(word: str, stem: str) -> str:
    """What both begin with."""
    return word[: next((n for n, (one, other) in enumerate(zip(word, stem, strict=False)) if one != other), len(stem))]


def _looked_at(text: str, url: str) -> str:
    """What a link says, and its address without the host."""
    return f"{text} {url.partition('://')[2].partition('/')[2]}".lower()
