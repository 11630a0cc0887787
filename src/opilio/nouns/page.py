"""What one fetch brought back, and whoever fetches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from .link import Link, quick
from .offer import Offer

RELEVANT = 0.5  # a page of at least this relevance counts as relevant

INTERNAL = "internal: "  # how the error of a page begins that is a mistake of our own


class Document(Protocol):
    """What the bytes of a page say, parsed once and lazily; html.Document is the one that does it."""

    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...  # all visible words
    @property
    def main(self) -> str: ...  # the text without navigation
    @property
    def language(self) -> str: ...  # "en"; "" when unknown
    @property
    def charset(self) -> str: ...
    @property
    def links(self) -> Sequence[Link]: ...
    @property
    def left_out(self) -> int: ...  # links for which there was no room
    @property
    def paths(self) -> Mapping[str, int]: ...  # root-to-leaf element paths with their counts
    @property
    def styled(self) -> Mapping[str, int]: ...  # the same with the classes of every element
    @property
    def marks(self) -> Mapping[str, int]: ...  # pictures, media, dates by tag, and what kind of page it says it is
    @property
    def robots(self) -> frozenset[str]: ...  # of <meta name=robots>, lower case
    @property
    def canonical(self) -> str: ...  # of <link rel=canonical>; "" when absent


class Content(NamedTuple):
    """What a page says to a reader; "" for what is not known."""

    text: str = ""  # the main text, a line for each block
    markdown: str = ""  # the same with headings, lists, tables and links
    title: str = ""
    date: str = ""  # of publication, as 2026-11-18
    author: str = ""
    language: str = ""


class Known:
    """What Keep stored with a URL, () if nothing; None when it was not fetched. By itself it knows of none."""

    def __call__(self, url: str) -> tuple[Any, ...] | None:
        return None

    def all(self, urls: Sequence[str]) -> Sequence[tuple[Any, ...] | None]:
        """The same of many at once."""
        return list(map(self, urls))


@quick(frozen=True, slots=True)
class Wire:
    """What went over the wire for one fetch, byte for byte."""

    request: bytes  # request line and headers, with the empty line
    head: bytes  # status line and headers, with the empty line
    payload: bytes  # the body as it came: compressed, in chunks
    time: float  # when the request was sent
    address: str = ""  # of the server


@dataclass(slots=True)
class Page:
    """What one fetch brought back. Trouble on the web is `.error`, and then there are no links."""

    offer: Offer  # the one that asked for it; its value is all it had gathered
    url: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)  # names in lower case
    body: bytes = b""
    error: str = ""  # "http 404", "timeout", "robots" ...
    refused: bool = False  # by robots.txt, by the guard: nothing was fetched, so it costs no budget
    recalled: bool = False  # it was known before: nothing was fetched, so it costs no budget
    rest: float = 0.0  # seconds for which its host wants to be left alone; with an error: come back after that
    later: bool = False  # nothing was asked, for it was not its turn: that is no try
    delay: float | None = None  # seconds between two visits that its host asks for
    directives: frozenset[str] = frozenset()  # what it asks of robots: noindex, noarchive, noai, tdm-reservation=1 ...
    stored: bool = True  # False: it asks not to be archived, and that is obeyed
    wire: Wire | None = None
    location: str = ""  # canonical target, when it is a redirect
    document: Document | None = None
    kept: tuple[Any, ...] | None = None  # what Keep stored at the last visit
    known: Known = field(default_factory=Known)  # the same for any URL
    relevance: float | None = None  # what the topic made of it, in [0, 1]; None: it was not judged
    extract: Callable[[Page], Content] = lambda page: Content()  # pages that a user is given have one that does it

    @property
    def value(self) -> float:
        return self.offer.value

    @property
    def title(self) -> str:
        return self.document.title if self.document else ""

    @property
    def text(self) -> str:
        return self.document.text if self.document else ""

    @property
    def main(self) -> str:
        return self.document.main if self.document else ""

    @property
    def language(self) -> str:
        return self.document.language if self.document else ""

    @property
    def links(self) -> Sequence[Link]:
        return self.document.links if self.document else ()

    def content(self) -> Content:
        """Main text, Markdown, title, date, author and language; extracted when asked."""
        return self.extract(self)

    @property
    def markdown(self) -> str:
        """The main text as Markdown."""
        return self.content().markdown

    @property
    def date(self) -> str:
        return self.content().date

    @property
    def author(self) -> str:
        return self.content().author

    @property
    def paths(self) -> Mapping[str, int]:
        return self.document.paths if self.document else {}

    @property
    def styled(self) -> Mapping[str, int]:
        return self.document.styled if self.document else {}


class Fetcher(ABC):
    """Offer in, Page out; it never raises for what the web does."""

    @abstractmethod
    async def fetch(self, offer: Offer) -> Page: ...
