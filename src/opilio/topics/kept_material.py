"""The material of a topic in little room, so that a model can learn again later, with more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self, TypeAlias

from isal import isal_zlib

from ..codec import pack, unpack
from ..model_file import Saved
from ..nouns import Link, Material, Offer, Page
from ..urls import digest
from .material import example

LONGEST = 20_000  # characters of a page that are kept
OPENED = 512  # pages that are remembered as they read: some kilobytes each
QUICK = 1  # a crawl presses most of its pages: a tenth more bytes, a fifth of the time

Sample: TypeAlias = dict[str, tuple[int, bytes]]  # url -> its digest, and the page, pressed


@dataclass(frozen=True)
class Kept(Saved):
    """Words and pages; a page is what models read of it, compressed."""

    words: str = ""
    positives: tuple[bytes, ...] = ()
    negatives: tuple[bytes, ...] = ()
    around: tuple[bytes, ...] = ()

    @classmethod
    def of(cls, material: Material) -> Self:
        return cls(material.words, *(tuple(map(press, pages)) for pages in material[1:]))

    def material(self) -> Material:
        return Material(self.words, *(tuple(map(opened, pages)) for pages in self._kinds()))

    def more(self, other: Kept) -> Self:
        """Both together."""
        words = " ".join(filter(None, (self.words, other.words)))
        kinds = zip(self._kinds(), other._kinds(), strict=True)
        return type(self)(words, *(tuple(dict.fromkeys(one + more)) for one, more in kinds))

    def without(self, url: str) -> Self:
        """All but the page at this URL."""
        kinds = (tuple(page for page in pages if opened(page).url != url) for pages in self._kinds())
        return type(self)(self.words, *kinds)

    def _kinds(self) -> tuple[tuple[bytes, ...], ...]:
        return self.positives, self.negatives, self.around


def press(page: Page, most: int = LONGEST) -> bytes:
    """What models read of a page, in little room."""
    read = example(page)
    parts = [page.url, page.language, read.title, read.body[:most], read.anchors[:most]]
    return bytes(isal_zlib.compress(pack(parts), QUICK))


@lru_cache(maxsize=OPENED)  # a topic that learns again reads the same pages
def opened(pressed: bytes) -> Page:
    """A page that reads the same to every model."""
    url, language, title, text, anchors = unpack(isal_zlib.decompress(pressed))
    return shown(url, title, text, (Link(url, anchor=anchors),) if anchors else (), language)


def shown(url: str, title: str, text: str, links: Sequence[Link] = (), language: str = "") -> Page:
    """A page that was never HTML."""
    return Page(Offer(Link(url)), url, 200, document=Read(title, text, links, language))


def enter(sample: Sample, page: Page, most: int) -> bool:
    """Take a page into a sample of so many: those with the least digests, which is by chance but always the same."""
    return _entered(sample, page.url, lambda: press(page), most)


def enter_pressed(sample: Sample, url: str, pressed: bytes, most: int) -> bool:
    """The same with a page that was pressed before."""
    return _entered(sample, url, lambda: pressed, most)


def _entered(sample: Sample, url: str, made: Callable[[], bytes], most: int) -> bool:
    if url in sample:
        return False
    rank = digest(url)
    if len(sample) >= most:
        last = max(sample.values())
        if rank > last[0]:
            return False
        del sample[next(url for url, known in sample.items() if known is last)]
    sample[url] = (rank, made())
    return True


def pages(sample: Sample, most: int | None = None) -> tuple[Page, ...]:
    """The pages of a sample, or some of them, in the order of their digests."""
    return tuple(opened(pressed) for _, pressed in sorted(sample.values())[:most])


class Read:
    """A document of which only what models read is left."""

    charset = canonical = ""
    left_out = 0

    def __init__(self, title: str, text: str, links: Sequence[Link], language: str) -> None:
        self.title, self.text, self.main, self.links, self.language = title, text, text, links, language
        self.paths: dict[str, int] = {}
        self.styled: dict[str, int] = {}
        self.marks: dict[str, int] = {}
        self.robots: frozenset[str] = frozenset()
