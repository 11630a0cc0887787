"""What a page tells of its genre, as numbers.

The nine of the paper (Qian, Suebchua, Yamana, after Fiol-Roig et al. 2011): length of the text, links to the own site and to
others, words for video, multimedia objects, words for image, image tags, words for blog, words for news. FURTHER ones: what
the page declares of itself (schema.org, og:type), dates, lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ...nouns import Page
from ...urls import site
from .word_counts import KINDS, counts

NINE = (
    "text length", "internal links", "external links", "video words", "media", "image words", "images", "blog words",
    "news words",
)  # fmt: skip
FURTHER = ("says news", "says blog", "says image", "says video", "says article", "dates", "in lists")
NEWS, BLOG, IMAGE, VIDEO = range(len(KINDS))
DECLARED = {
    "says news": ("schema newsarticle", "schema reportagenewsarticle", "schema newsmediaorganization", "og news"),
    "says blog": ("schema blogposting", "schema blog", "og blog"),
    "says image": ("schema imagegallery", "schema photograph", "og image", "og photo"),
    "says video": ("schema videoobject", "schema videogallery", "og video", "og video.other", "og video.movie"),
    "says article": ("schema article", "og article"),
}
MEDIA = ("video", "embed", "object")
YEAR = "年".encode()
LONGEST = 1_000_000  # letters that words are looked for in: the rest would cost memory and tell nothing new


def nine(page: Page) -> list[float]:
    """The nine numbers of a page, in the order of NINE."""
    return _nine(page, _blob(page))


def all_features(page: Page) -> list[float]:
    """The nine and the further numbers, in the order of NINE and FURTHER."""
    blob, marks = _blob(page), page.document.marks if page.document else {}
    declared = [sum(marks.get(mark, 0) for mark in DECLARED[name]) for name in FURTHER[:-2]]
    return [*_nine(page, blob), *map(float, declared), float(dates(blob) + marks.get("time", 0)), _in_lists(page.paths)]


def _blob(page: Page) -> bytes:
    return page.text[:LONGEST].encode(errors="replace")


def _nine(page: Page, blob: bytes) -> list[float]:
    marks = page.document.marks if page.document else {}
    words = counts(blob)
    inside = _inside(page)
    media = sum(marks.get(tag, 0) for tag in MEDIA)
    numbers = (
        len(page.text), inside, len(page.links) - inside, words[VIDEO], media, words[IMAGE], marks.get("img", 0),
        words[BLOG], words[NEWS],
    )  # fmt: skip
    return list(map(float, numbers))


def _inside(page: Page) -> int:
    """How many of its links lead to the page's own site."""
    here = page.url[: page.url.find("/", 8) + 1]
    urls = [link.url for link in page.links]
    others = [_owner(url[: url.find("/", 8)]) for url in urls if not url.startswith(here)]
    return len(urls) - len(others) + others.count(_owner(here))


_owner = lru_cache(maxsize=65536)(site)  # pages link to the same few hosts: asking costs a seventh of finding out


def dates(blob: bytes) -> int:
    """How many dates a text has: 2004-05-31, 31.5.2004, 5/31/04, 2004年."""
    letters = np.frombuffer(b" " + blob + b"    ", dtype=np.uint8)
    is_digit = letters - np.uint8(48) < 10
    is_mark = letters - np.uint8(45) < 3  # - . /
    place = np.flatnonzero(is_mark)
    near = is_digit[place - 1] & is_digit[place + 1]
    two = is_digit[place + 2] & is_mark[place + 3] & is_digit[place + 4]
    one = is_mark[place + 2] & is_digit[place + 3]
    return int(np.count_nonzero(near & (one | two))) + blob.count(YEAR)


def _in_lists(paths: Mapping[str, int]) -> float:
    """The share of a page's links, texts and images that stand in lists."""
    inside = sum(count for path, count in paths.items() if "/li" in path)
    return inside / (sum(paths.values()) or 1)


def matrix(rows: list[list[float]]) -> npt.NDArray[np.float32]:
    return np.array(rows, dtype=np.float32)
