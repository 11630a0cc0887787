"""What a model learns from: the words and pages of a material, checked before anything is trained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..batch import column
from ..errors import ConfigError, TooFewExamples
from ..nouns import Material, Page
from ..text.tokens import guess, has_stop_words, has_words, plain, tokens, words
from ..text.vocabulary import Floats

LEAST_SHARE = 0.9  # of the examples must have text
FEW = 12  # words that tell little about their language


class Example(NamedTuple):
    title: str
    body: str
    anchors: str

    @property
    def text(self) -> str:
        return f"{self.title}\n{self.body}"


def example(page: Page) -> Example:
    """What a model reads of a page."""
    return Example(page.title, page.text, " ".join(column(page.links, "anchor")))


def positives(material: Material) -> list[Example]:
    """The positive examples that have text; ConfigError when more than one in ten has none."""
    return _readable(material.positives, "positive")


def negatives(material: Material) -> list[Example]:
    """The same for the negative ones."""
    return _readable(material.negatives, "negative")


def both(material: Material, model: str, least: int = 2) -> tuple[list[Example], Floats]:
    """Examples of both kinds and their labels, 1 or 0; TooFewExamples says of which kind."""
    yes, no = positives(material), negatives(material)
    for kind, found in (("positive", yes), ("negative", no)):
        if len(found) < least:
            raise TooFewExamples(
                f"model {model} learns from pages on and off the topic, and there are {len(found)} {kind} ones "
                f"(at least {least}): add some, or take model auto, which makes do with what there is"
            )
    return [*yes, *no], np.array([1.0] * len(yes) + [0.0] * len(no))


def something(material: Material) -> str:
    """The language of the material; ConfigError when it says nothing."""
    found = language(material)
    if not words(material.words, found) and not material.positives:
        only = f' ("{material.words}" has only stop words or none)' if material.words.strip() else ""
        raise ConfigError(f"the topic is empty{only}: say it in words, or give pages that are about it")
    return found


def language(material: Material) -> str:
    """The language of the examples, else of the words where they tell, else of the pages around; "" where nothing does.

    A few words tell by stop words and letters alone: "full text search" has as many words of Spanish manuals as of English ones.
    """
    if found := _written(material.positives):
        return found
    plain_letters = material.words.isascii()
    tells = len(tokens(material.words)) > FEW or not plain_letters or has_stop_words(material.words)
    guessed = guess(material.words) if tells else ""
    return guessed or _written(material.around) or ("en" if plain_letters else "")


def _written(pages: Sequence[Page]) -> str:
    """The language that most pages are in."""
    if found := _guessed("\n".join(page.text[:2_000] for page in pages[:20])):
        return found
    declared = Counter(plain(page.language) for page in pages if page.language)
    return min(declared, key=lambda code: (-declared[code], code)) if declared else ""


_guessed = lru_cache(maxsize=2)(guess)  # a topic that learns again has the same examples


def _readable(pages: Sequence[Page], kind: str) -> list[Example]:
    found = [example(page) for page in pages]
    empty = [page.url for page, read in zip(pages, found, strict=True) if not has_words(read.text)]
    if len(empty) > (1 - LEAST_SHARE) * len(pages):
        count = f" and {len(empty) - 1} more" if len(empty) > 1 else ""
        raise ConfigError(
            f"{kind} example {empty[0]}{count}: there is no text in it; leave it out or take another page"
        )
    return [read for read in found if has_words(read.text)]
