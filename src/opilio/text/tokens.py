"""Text in, words out: lower case, stemmed, without stop words, for languages with and without spaces.

The common case costs one regular expression and one dictionary look-up a word. Scripts that put no space between words
(Chinese, Japanese, Thai ...) are cut into overlapping pairs of characters first; a run of katakana stays whole, for it is
a word. Accents are kept and brought to one form, so Vietnamese syllables stay apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

from Stemmer import Stemmer

from ..errors import ConfigError

DATA = Path(__file__).parent / "data"
LONGEST = 40  # letters; longer ones are keys and encoded data
MARK = "\x1e"  # a token of its own when spaces are around it: parts texts that are cut into words in one go
KNOWN = 200_000  # surface forms remembered per language, then it starts afresh

STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch",
    "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HIRAGANA = "\u3041-\u309f"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
OTHERS = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3\u1100-\u11ff\uac00-\ud7af"  # Thai, Lao, Burmese, Khmer, Hangul
# Vowel signs and accents are no letters to Python; without them Hindi or Thai words would fall apart.
SIGNS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0981-\u0dff"

_ASCII_WORD = re.compile(rf"[a-z0-9{MARK}]+")
# Large sets of characters take milliseconds to compile: each when it is first looked for.
_UNSPACED = f"[{HAN}{HIRAGANA}{KATAKANA}{OTHERS}]"
_RUN = f"([{KATAKANA}]+)|[{HAN}]+|[{HIRAGANA}]+|[{OTHERS}]+"
_WORD = rf"[\w{SIGNS}{OTHERS}{MARK}]+"
_STRETCH = r"(?s:.{1,999}(?:\s|\Z)|.{1,1000})"  # to the end of a word, if there is one
_KANA = f"[{HIRAGANA}{KATAKANA}]"
_IDEOGRAPH = f"[{HAN}]"


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def tokens(text: str) -> list[str]:
    """The surface forms of a text in their order, lower case, nothing left out."""
    text = text.lower()
    if text.isascii():
        return _ASCII_WORD.findall(text)
    text = "".join(map(_normal, _pattern(_STRETCH).findall(text))).replace("_", " ")
    if _pattern(_UNSPACED).search(text):
        text = _pattern(_RUN).sub(_spaced, text)
    return _pattern(_WORD).findall(text)


def _normal(stretch: str) -> str:
    """One form for each letter; of a thousand characters at most: accents piled upon each other are sorted one by one."""
    return unicodedata.normalize("NFKC", stretch)


def words(text: str, language: str = "") -> list[str]:
    """The words of a text: stems where the language has a stemmer, without stop words, numbers of five digits or more."""
    return list(filter(None, map(stems(language).__getitem__, tokens(text))))


def has_words(text: str) -> bool:
    """Whether there is anything in a text that could be a word."""
    return _pattern(_WORD).search(text) is not None


def plain(language: str) -> str:
    """The bare code of a language tag: "en" for "en-GB"."""
    return re.split("[-_]", language.strip().lower(), maxsplit=1)[0]


def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language; ConfigError when the project has none for it."""
    if language not in languages():
        raise ConfigError(f'language "{language}" has no stop words here (there are: {", ".join(languages())})')
    return frozenset((DATA / f"stop-{language}.txt").read_text(encoding="utf-8").split())


@cache
def languages() -> tuple[str, ...]:
    """The languages that have stop words."""
    return tuple(sorted(path.stem.removeprefix("stop-") for path in DATA.glob("stop-*.txt")))


@cache
def asking_words(language: str) -> frozenset[str]:
    """The stems of words with which people ask for something, whatever it is: "looking for pages with details"."""
    path = DATA / f"asking-{plain(language)}.txt"
    return frozenset(words(path.read_text(encoding="utf-8"), language)) if path.exists() else frozenset()


def has_stop_words(text: str) -> bool:
    """Whether there is a stop word of any language in a text."""
    found = set(tokens(text))
    return any(not found.isdisjoint(_stops(language)) for language in languages())


def guess(text: str) -> str:
    """The language whose stop words and common words make up most of a text, "" where none makes up a twelfth."""
    found = tokens(text[:20_000])
    hits = {language: sum(map(_marks(language).__getitem__, found)) for language in languages()}
    if not _pattern(_KANA).search(text):
        hits["ja"] = 0.0
    best = max(sorted(hits, key=lambda language: (language != "en", language)), key=hits.__getitem__)
    return best if found and hits[best] * 12 >= len(found) else ""


class Marks(dict[str, float]):
    """How much a word speaks for a language: a stop word wholly, any other by its share of pages."""

    def __missing__(self, word: str) -> float:
        return 0.0


class Stems(dict[str, str]):
    """Surface form -> stem, "" for what does not count; filled as words come, and bounded."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language
        self.stops = _stops(language)
        self.stem = _stemmer(language)

    def __missing__(self, word: str) -> str:
        if len(self) >= KNOWN:
            self.clear()
        self[word] = stem = "" if self._empty(word) else self.stem(word)
        return stem

    def __reduce__(self) -> tuple[Callable[[str], Stems], tuple[str]]:
        return stems, (self.language,)

    def _empty(self, word: str) -> bool:
        if word in self.stops or len(word) > LONGEST:
            return True
        if len(word) == 1:
            return word.isascii() or not _pattern(_IDEOGRAPH).match(word)
        return len(word) > 4 and word.isdecimal()


def stems(language: str) -> Stems:
    """The stems of a language, shared by all who ask; of a language without stemmer, the words themselves."""
    return _stems(plain(language))


@cache
def _stems(language: str) -> Stems:
    return Stems(language)


@cache
def _stops(language: str) -> frozenset[str]:
    return stop_words(language) if language in languages() else frozenset()


@cache
def common(language: str) -> dict[str, float]:
    """The share of pages that have a word, by its commonest form; nothing for languages without a table."""
    path, found = DATA / f"common-{language}.txt", {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        share, *listed = line.split()
        found.update(dict.fromkeys(listed, float(share)))
    return found


@cache
def _marks(language: str) -> Marks:
    return Marks({**common(language), **dict.fromkeys(_stops(language), 1.0)})


def _stemmer(language: str) -> Callable[[str], str]:
    if language not in STEMMERS:
        return str
    stem: Callable[[str], str] = Stemmer(STEMMERS[language], 0).stemWord  # who asks remembers
    return stem


def _spaced(run: re.Match[str]) -> str:
    """Pairs of neighbouring characters, with spaces around; katakana as it is."""
    text = run[0]
    if run[1] or len(text) == 1:
        return f" {text} "
    return f" {' '.join(map(''.join, pairwise(text)))} "
