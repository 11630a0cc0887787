"""What a page asks of whoever fetches it: in its headers, in its head, in the rel of its links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ... import html
from ...documents.to_html import Rendering
from ...html.announced import Announced
from ...http_message import split
from ...nouns import Link, Wire

AGENT = "opilio"  # the name that robots.txt and headers may call us by
# Directives that have a colon of their own, so that what stands before it is no agent.
VALUED = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview", "expires")
RESERVED = re.compile(r"tdm-reservation=\s*1\b")


def header_directives(headers: Mapping[str, str], wire: Wire | None = None, agent: str = AGENT) -> frozenset[str]:
    """The directives of X-Robots-Tag that are meant for us, and TDM-Reservation."""
    if "x-robots-tag" not in headers and "tdm-reservation" not in headers:
        return frozenset()
    found = frozenset(directive for line in _tags(headers, wire) for directive in _meant(line, agent.lower()))
    if "none" in found:
        found |= {"noindex", "nofollow"}
    reserved = headers.get("tdm-reservation", "").strip()
    return found | {f"tdm-reservation={reserved}"} if reserved else found


def _tags(headers: Mapping[str, str], wire: Wire | None) -> Iterable[str]:
    """The values of X-Robots-Tag, each line by itself: an agent's name counts to the end of its line."""
    if "x-robots-tag" not in headers:
        return ()
    if not wire:
        return (headers["x-robots-tag"],)
    pairs = (line.decode("latin-1").partition(":") for line in split(wire.head)[1])
    return [value for name, _, value in pairs if name.strip().lower() == "x-robots-tag"]


def _meant(line: str, agent: str) -> Iterable[str]:
    ours = True
    for part in line.lower().split(","):
        name, colon, rest = (piece.strip() for piece in part.partition(":"))
        if colon and name not in VALUED:
            ours, part = name in (agent, "*"), rest
        if ours and part.strip():
            yield part.strip()


def reservation(directives: Iterable[str], obeyed: Iterable[str]) -> str:
    """The directive to be obeyed that forbids any use; "" when there is none."""
    for directive in sorted(directives):
        if "tdm" in obeyed and RESERVED.match(directive):
            return "tdm-reservation"
        if "noai" in obeyed and directive in ("noai", "noimageai"):
            return directive
    return ""


class Courteous(html.Document):
    """A page without the links that it asks not to be followed, and with those that its host announces elsewhere."""

    def __init__(
        self,
        body: bytes,
        url: str,
        content_type: str,
        announced: Announced,
        named: frozenset[str],
        obeyed: frozenset[str],
        more: tuple[Link, ...],
        feeds: bool = False,
        rendering: Rendering | None = None,
    ) -> None:
        super().__init__(body, url, content_type, announced, rendering)
        self._told, self._obeyed, self._more = named, obeyed, more
        self._feeds = feeds  # whether those that the page names are links of it
        self._followed: Sequence[Link] | None = None

    @property
    def robots(self) -> frozenset[str]:
        """What headers and page ask for together."""
        return super().robots | self._told

    @property
    def links(self) -> Sequence[Link]:
        if self._followed is None:
            own = self._own()
            self._followed = (*own, *self._more) if self._more else own
        return self._followed

    def _own(self) -> Sequence[Link]:
        if "nofollow" in self._obeyed and "nofollow" in self.robots:
            return ()
        kept = super().links
        if "nofollow" in self._obeyed and self._content.nofollow:
            kept = [link for link in kept if "nofollow" not in link.rel]
        if self.canonical and self.canonical != self._url:
            head = Link(self.canonical, self._url, self.title, self.title, "html/head/link", rel=("canonical",))
            kept = (*kept, head)
        return (*kept, *self._content.feeds) if self._feeds and self._content.feeds else kept
