"""Synthetic text: per topic and language, pools of half sentences and titles that pages are put together from.

Words are drawn by Zipf's law from the topic's vocabulary (real words, words shared in its area, invented words, and some
of another topic's), a background vocabulary that all topics share, and real function words.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from .mix import Roll, mix, pick, roll
from .subjects import NAMES, NONE, TOPICS, WORDS, area_of
from .tongues import TONGUES, Tongue

FRAGMENTS = 320  # half sentences of each sort in a pool: any two make a sentence
TITLES = 240
TOPIC_WORDS, AREA_WORDS, COMMON_WORDS = 130, 30, 700
STOPS, TOPICAL = 0.3, 0.88  # share of function words in a topical half sentence; of topic words among the others
_WORDS, _BORROWED, _POOL, _NAMES = range(4)  # what a key is mixed for


class Bag:
    """Words with Zipfian frequencies."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._steps = list(accumulate(1.0 / (rank + 3) for rank in range(len(words))))

    def draw(self, dice: Roll) -> str:
        return self.words[bisect(self._steps, dice() * self._steps[-1])]


@dataclass(frozen=True, slots=True)
class Voice:
    """How one topic sounds in one language."""

    openers: tuple[str, ...]
    closers: tuple[str, ...]
    titles: tuple[tuple[str, str], ...]  # with the words of a URL, "" where the script has none

    def sentence(self, dice: Roll) -> str:
        return pick(self.openers, dice) + pick(self.closers, dice)

    def title(self, number: int) -> str:
        return f"{self.titles[number % TITLES][0]} {self.titles[(number >> 20) % TITLES][0]}"

    def slug(self, number: int) -> str:
        return self.titles[number % TITLES][1]


class Prose:
    """All voices of one web; made when first asked for, and kept."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.voice = cache(self._voice)
        self._background = cache(self._make_background)
        self._topical = cache(self._make_topical)
        self.names = tuple(self._name(number) for number in range(400))

    def _name(self, number: int) -> str:
        return _word(TONGUES[number % 4], roll(self._seed, _NAMES, number)).capitalize()

    def _made_up(self, tongue: int, group: int, count: int) -> list[str]:
        dice = roll(self._seed, _WORDS, tongue, group + 1)
        return [_word(TONGUES[tongue], dice) for _ in range(count)]

    def _make_background(self, tongue: int) -> Bag:
        common, made = TONGUES[tongue].common, self._made_up(tongue, NONE, COMMON_WORDS)
        return Bag([word for pair in zip(common, made, strict=False) for word in pair] + made[len(common) :])

    def _make_topical(self, topic: int, tongue: int) -> Bag:
        real = WORDS[topic] if tongue == 0 else (NAMES[topic],)
        shared = self._made_up(tongue, 1000 + area_of(topic), AREA_WORDS)
        other = int(roll(self._seed, _BORROWED, topic, tongue)() * len(TOPICS))
        own = self._made_up(tongue, topic, TOPIC_WORDS)
        borrowed = self._made_up(tongue, other, TOPIC_WORDS)[: TOPIC_WORDS // 6]
        head = [word for trio in zip(real, own, shared, strict=False) for word in trio]
        return Bag(list(dict.fromkeys(head + borrowed + shared + own)))

    def _voice(self, topic: int, tongue: int) -> Voice:
        dice = roll(self._seed, _POOL, topic + 1, tongue)
        speech, background = TONGUES[tongue], self._background(tongue)
        topical = self._topical(topic, tongue) if topic != NONE else background

        def word() -> str:
            if dice() < STOPS:
                return pick(speech.stops, dice)
            return (topical if dice() < TOPICAL else background).draw(dice)

        def words(least: int, most: int) -> str:
            return speech.glue.join(word() for _ in range(least + int(dice() * (most - least + 1))))

        def title() -> str:
            bag = topical if dice() < 0.75 else background
            return speech.glue.join(bag.draw(dice) for _ in range(2 if dice() < 0.6 else 1))

        openers = tuple(
            _capital(words(4, 9)) + (speech.glue if dice() < 0.7 else speech.comma) for _ in range(FRAGMENTS)
        )
        closers = tuple(words(4, 9) + speech.full_stop for _ in range(FRAGMENTS))
        return Voice(openers, closers, tuple((_capital(text), slug(text)) for text in (title() for _ in range(TITLES))))

    def name(self, key: int) -> str:
        """An invented name of a person."""
        return self.names[mix(key, _NAMES) % len(self.names)]


def _word(tongue: Tongue, dice: Roll) -> str:
    middle = "".join(pick(tongue.cores, dice) for _ in range(int(dice() * tongue.most) + (tongue.most > 2)))
    return pick(tongue.heads, dice) + (middle or pick(tongue.cores, dice)) + pick(tongue.tails, dice)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    return "-".join("".join(c if c.isalnum() else " " for c in plain).split())
