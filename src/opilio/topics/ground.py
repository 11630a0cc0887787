"""The ground that a contrast is learned on: all pages that are known, counted, without what the pages of their hosts share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from ..nouns import Material, Page
from ..text.background import shares
from ..text.tokens import asking_words, has_words, tokens, words
from ..text.vocabulary import Floats, Ints
from .bags import FIELDS, Bags, Stack, Tally
from .boilerplate import Shared, shared, stripped
from .counted import chi_square
from .kept_material import shown
from .material import positives
from .models.contrast import K1, NAMED, TEXT, TITLE, B, beyond

CANDIDATES, TELLING = (
    600,
    600,
)  # words of a field that are looked at: of the examples, and those that tell two kinds apart
DOUBT = 3.0  # pages of the web at large that are mixed under the pages around
LEAST_RARE = 0.05  # a word that is on all pages still names the topic
LEAST_LENGTH = 50.0  # words of a field, at least, that are usual
EVEN, FEW = 0.75, 6  # each of a few words was said on purpose: none counts less than this share of the rarest
SHORT, MOST_WORDS = 60, 200  # words; a longer text is an example, not a name
MOST_EXAMPLES = 400  # of a kind
PERHAPS = 0.25  # of the pages around may be about the topic
SMALL = 25.0  # pages around from which it is half believed how common the topic's words are
FOCUSED, MOST_FOCUS = (
    30,
    3.0,
)  # examples that are read for what stands near the topic's words, and the most that this counts


class Ground(NamedTuple):
    """Everything that is known, counted."""

    names: list[str]  # the words of the columns
    query: Floats  # what the words of the topic weigh
    expected: Floats  # saturated counts of these words on a page around that is not about them
    focus: Floats  # how much more each word is near them, in the examples
    good: Floats  # saturated counts: page, field, word
    rest: Floats  # of pages off the topic, and then of the pages around
    named: Floats  # the score of the topic's words: of the good, then of the rest
    common: Floats  # shares of the web at large that have the words
    off: int  # how many of the rest people called off the topic


def known_pages(material: Material, language: str) -> tuple[list[Page], list[Page], list[Page]]:
    """Pages on the topic, off it, and around, each once; a long text about the topic is a page on it."""
    positives(material)  # says so where examples are empty
    texts = [shown("", "", material.words)] if len(words(material.words, language)) > SHORT else []
    seen = set[str]()
    kinds = []
    for pages in ([*texts, *material.positives], material.negatives, material.around):
        fresh = {page.url: page for page in pages if page.url not in seen and has_words(page.text)}
        seen |= fresh.keys()
        kinds.append(_some(list(fresh.values())))
    return kinds[0], kinds[1], kinds[2]


def _some(pages: list[Page]) -> list[Page]:
    step = max(1, -(-len(pages) // MOST_EXAMPLES))
    return pages[::step]


def query_words(topic: str, language: str) -> dict[str, float]:
    """The words that name the topic, with how often they were said; of a text, the rarest.

    Of a sentence, those with which people ask do not count, unless there are no others.
    """
    found = words(topic, language)
    if len(tokens(topic)) > len(found) or len(found) > FEW:
        asking = asking_words(language)
        found = [word for word in found if word not in asking] or found
    counts = Counter(found)
    if len(counts) <= MOST_WORDS:
        return dict(counts)
    rare = dict(zip(counts, shares(counts, language).tolist(), strict=True))
    return {word: counts[word] for word in sorted(counts, key=lambda word: (rare[word], word))[:MOST_WORDS]}


class Counts(NamedTuple):
    """Pages of three kinds, counted, without what their hosts share."""

    bags: Bags
    language: str
    hosts: dict[str, Shared]
    good: list[Tally]
    bad: list[Tally]
    around: list[Tally]

    @classmethod
    def of(cls, bags: Bags, language: str, *kinds: list[Page]) -> Counts:
        counted = [[bags.tally(page) for page in pages] for pages in kinds]
        width = len(bags.numbers)
        hosts = shared([*counted[1], *counted[2]], width)  # what examples share is the topic
        return cls(bags, language, hosts, *(stripped(tallies, hosts, width) for tallies in counted))

    def stacks(self, *tallies: Sequence[Tally]) -> list[Stack]:
        """The bags of pages, field by field."""
        every, width = [one for some in tallies for one in some], len(self.bags.numbers)
        return [Stack.of([one.fields[field] for one in every], width) for field in range(FIELDS)]

    def columns(self, named: Sequence[int]) -> Ints:
        """The words that are looked at, in the order of the alphabet: how they came to be numbered must not matter."""
        found, names = set(named), list(self.bags.numbers)
        for good, bad in zip(self.stacks(self.good), self.stacks(self.bad), strict=True):
            found |= set(_largest(_frequent(good), CANDIDATES, names))
            if min(good.bags, bad.bags) >= 2:
                strength = chi_square(good.spread(), bad.spread(), good.bags, bad.bags)
                found |= set(_largest(strength, TELLING, names))
        return np.array(sorted(found, key=names.__getitem__), dtype=np.int64)

    def ground(self, columns: Ints, named: dict[str, float], focus: Floats) -> tuple[Ground, tuple[float, ...]]:
        names = list(self.bags.numbers)
        chosen = [names[column] for column in columns]
        stacks = self.stacks(self.good, self.bad, self.around)
        lengths = [stack.totals() for stack in stacks]
        usual = tuple(max(LEAST_LENGTH, _median(row[row > 0])) for row in lengths)
        fields = zip(stacks, lengths, usual, strict=True)
        rows = np.stack([stack.table(columns, damped(length, mean)) for stack, length, mean in fields], axis=1)
        common = shares(chosen, self.language)
        asked = np.array([place for place, name in enumerate(chosen) if name in named], dtype=np.int64)
        query, expected = np.zeros((2, len(chosen)))
        query[asked], expected[asked], above = self._named(
            stacks, columns[asked], {chosen[place]: named[chosen[place]] for place in asked}, common[asked], usual[TEXT]
        )
        good = len(self.good)
        ground = Ground(chosen, query, expected, focus, rows[:good], rows[good:], above, common, len(self.bad))
        return ground, usual

    def _named(
        self, stacks: list[Stack], columns: Ints, named: dict[str, float], common: Floats, usual: float
    ) -> tuple[Floats, Floats, Floats]:
        """What each word of the topic weighs, how much of it is to be expected, and the score of these words on each page."""
        title, text = (stacks[field].table(columns) for field in (TITLE, TEXT))
        weights = _weights(named, text[len(self.good) :], common)
        length = stacks[TEXT].totals() + NAMED * stacks[TITLE].totals()
        saturated = text + NAMED * title
        saturated = saturated / (saturated + damped(length, usual)[:, None])
        expected = _expected(saturated[len(self.good) + len(self.bad) :], weights)
        return weights, expected, beyond(saturated, expected) @ weights

    def usual(self, host: str, columns: Ints) -> Floats:
        """What the pages of a host share, in the order of the columns, field by field, the number of all words behind each."""
        bags, width = self.hosts[host].fields, len(self.bags.numbers)
        return np.concatenate([np.append(Stack.of([bag], width).table(columns)[0], bag.counts.sum()) for bag in bags])


def focused(bags: Bags, good: Sequence[Page], named: Collection[str], columns: Ints) -> Floats:
    """How much more of each word the examples have near words of the topic: what else they are about counts less."""
    parts = [bags.beside(page, frozenset(named)) for page in good[: FOCUSED if 0 < len(named) <= FEW else 0]]
    width = len(bags.numbers)
    near, every = (Stack.of([part[side] for part in parts], width).table(columns).sum(axis=0) for side in (0, 1))
    if not near.any():
        return np.ones(len(columns))
    return np.asarray(np.minimum(near / np.maximum(every, 1.0) * every.sum() / near.sum(), MOST_FOCUS))


def _expected(around: Floats, query: Floats) -> Floats:
    """What pages around have of each word of the topic; some of them may be about it, so those with the most do not count."""
    few = np.argsort(around @ query, kind="stable")[: math.ceil(len(around) * (1 - PERHAPS))]
    if not len(few):
        return np.zeros(len(query))
    trust = len(around) / (len(around) + SMALL)  # a few pages around may well all be about it
    return np.asarray(trust * around[few].mean(axis=0))


def damped(lengths: Floats, usual: float) -> Floats:
    """What counts are damped by in texts of such lengths: see `Stack.table`."""
    return np.asarray(K1 * (1 - B + B * lengths / usual))


def _median(values: Floats) -> float:
    """As numpy's, which imports much for it; 0 of nothing."""
    ordered, middle = np.sort(values), len(values) // 2
    return float(ordered[(len(ordered) - 1) // 2] + ordered[middle]) / 2 if len(ordered) else 0.0


def _frequent(stack: Stack) -> Floats:
    """In how many bags words are; of those in equally many, how often."""
    return np.asarray(np.bincount(stack.words, 1.0 + 1e-3 * np.log1p(stack.counts), stack.width))


def _largest(values: Floats, most: int, names: Sequence[str]) -> list[int]:
    """The places of the largest values; of equal ones, the first in the alphabet."""
    least = np.sort(values)[-most:][0] if len(values) else 0.0
    above = np.flatnonzero(values > max(least, 0.0)).tolist()
    level = sorted(np.flatnonzero(values == least).tolist(), key=names.__getitem__) if least > 0 else []
    return [*above, *level[: most - len(above)]]


def _weights(named: dict[str, float], around: Floats, common: Floats) -> Floats:
    """What each word of the topic weighs, by how rare it is around; all together 1, or more where they are many: a page that has
    half of a long sentence says as much as one that has all of a name."""
    seen = (around > 0).sum(axis=0)
    rare = np.maximum(LEAST_RARE, -np.log((seen + DOUBT * common) / (len(around) + DOUBT)))
    weights = rare * np.array([math.log1p(often) for often in named.values()])
    if 0 < len(named) <= FEW:
        weights = np.maximum(weights, EVEN * weights.max())
    whole = float(weights.sum())
    return np.asarray(weights / whole * math.sqrt(max(1.0, len(named) / 3)) if whole else weights)
