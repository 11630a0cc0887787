"""The language of a text, where it can be told: "" for a few words, for lists of names, and for texts in several languages.

py3langid gives each language a probability. Four pieces of a text are looked at, together and each by itself: what is not sure
is not said, and where more than one piece is surely in another language, the text is mixed.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Any

READ = 10_000  # characters of a text
ENOUGH = 100  # letters, before a guess is worth anything
PIECES, LONG = 4, 400  # pieces of a text, and letters of each
SURE = 0.9
ODD = 1  # pieces that may be in another language: a quotation, code, a menu
WORDS = re.compile(r"[^\W\d_]+")
CODE = re.compile("[a-z]{2}")  # others are of languages that few pages are in, and that lists are mistaken for


def detected(text: str) -> str:
    """The two letters of the language, or ""."""
    letters = " ".join(WORDS.findall(text[:READ]))
    if len(letters) < ENOUGH:
        return ""
    pieces = _pieces(letters)
    language = _sure(" ".join(pieces))
    others = sum(_sure(piece) not in ("", language) for piece in pieces) if language else 0
    return language if others <= ODD and CODE.fullmatch(language) else ""


def _pieces(letters: str) -> list[str]:
    """From the beginning to the end, as long as each other; all of a short text."""
    if len(letters) <= PIECES * LONG:
        cuts = [place * len(letters) // PIECES for place in range(PIECES + 1)]
        return [letters[start:end] for start, end in pairwise(cuts)]
    starts = [place * (len(letters) - LONG) // (PIECES - 1) for place in range(PIECES)]
    return [letters[start : start + LONG] for start in starts]


def _sure(letters: str) -> str:
    language, probability = _identifier().classify(letters)
    return str(language) if probability >= SURE else ""


@cache
def _identifier() -> Any:
    """Loaded with the first page that does not say its language: it takes half a second and 75 MB."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
