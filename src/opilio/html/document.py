"""Bytes in; title, text, main text, language, charset, links, element paths, robots and canonical out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import compress

from .. import urls
from ..documents.to_html import Rendering, kind_of_document, rendered
from ..nouns import Link
from . import charset
from .announced import Announced, with_refresh
from .content import Content, content
from .element_kinds import MEDIA
from .language import detected
from .lazy import once
from .places import folded, tag_path
from .size_limits import MOST
from .source import source
from .walk import gather
from .written_links import written_links

DECLARED = re.compile("[a-z]{2}(?:[-_]|$)")  # the beginning of a language as pages tell it
NOTHING = Announced()


class Document:
    """A page, parsed once and when first asked; only what was read out of it is kept, not the tree."""

    def __init__(
        self,
        body: bytes,
        url: str,
        content_type: str = "",
        announced: Announced = NOTHING,
        rendering: Rendering | None = None,
    ) -> None:
        """`rendering` is what a PDF or DOCX file became, if somebody waited for that."""
        self._body, self._announced, self._rendering = body, announced, rendering
        self._url = urls.canonical(url) or url
        self._content_type = content_type

    @once
    def charset(self) -> str:
        """The WHATWG name of the charset, in lower case."""
        return charset.sniff(self._body, self._content_type)

    @once
    def _content(self) -> Content:
        if document := kind_of_document(self._body, media_type(self._content_type)):
            return self._rendered(document)
        name, body = self.charset, self._body[: 2 * MOST]  # in some charsets a letter has two bytes
        self._body = b""  # pages are kept by the thousand, and all we want of it is in the content
        kind = kind_of(body, self._content_type)
        if kind == "html":
            gathered = gather(source(body, name))
            return content(gathered, self._url, self._announced) if gathered else Content()
        text = charset.decode(body, name)[:MOST] if kind == "text" else ""
        refresh, links = self._announced.refresh, written_links(text, self._url)
        return Content(
            lines="\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n")))),
            links=with_refresh(links, refresh, self._url, "") if refresh else links,
            canonical=self._announced.canonical,
        )

    def _rendered(self, document: str) -> Content:
        """What a PDF or DOCX file says; all of its text is content."""
        html = (self._rendering or rendered(self._body, document)).html
        self._body, self._rendering = b"", None
        gathered = gather(source(html, "utf-8"))
        return content(gathered, self._url, self._announced)._replace(keep=b"") if gathered else Content()

    @property
    def title(self) -> str:
        return self._content.title

    @property
    def text(self) -> str:
        """All visible words: one space between words, a line for each block."""
        return self._content.lines

    @once
    def main(self) -> str:
        """The text without navigation and other furniture; all of it where nothing looks like content."""
        keep = self._content.keep
        return _kept_lines(self.text, keep) if 1 in keep else self.text

    @once
    def language(self) -> str:
        """What <html lang> says, or else what the text shows; "" when it is short, mixed, or otherwise not clear."""
        declared = self._content.language[:3].lower()
        return declared[:2] if DECLARED.fullmatch(declared) else detected(self.text)

    @property
    def links(self) -> Sequence[Link]:
        """Every <a>, <area>, <frame> and <iframe> that leads to an http(s) URL, in the order of the page, and a refresh."""
        return self._content.links

    @property
    def left_out(self) -> int:
        """How many links the page has beyond those: there was no room for what they say."""
        return self._content.left_out

    @once
    def paths(self) -> Mapping[str, int]:
        """How often each path of tags from the root leads to a link, a text or an image."""
        return folded(self.styled, tag_path)

    @once
    def styled(self) -> Mapping[str, int]:
        """The same, where each tag has its classes: div.post.first."""
        return Counter(self._content.leaves)

    @property
    def robots(self) -> frozenset[str]:
        return self._content.robots

    @property
    def canonical(self) -> str:
        return self._content.canonical

    @property
    def media(self) -> int:
        """The number of <video>, <embed> and <object> elements."""
        return sum(self.marks.get(tag, 0) for tag in MEDIA)

    @property
    def marks(self) -> Mapping[str, int]:
        """How often the page has <img>, <svg>, <video>, <embed>, <object>, <time>, and what it says it is: "og article",
        "schema newsarticle".
        """
        return self._content.marks


def _kept_lines(text: str, keep: bytes) -> str:
    return "\n".join(compress(text.split("\n"), keep))


def kind_of(body: bytes, content_type: str) -> str:
    """How to read a body: "html", "text" or "" for not at all."""
    declared = media_type(content_type)
    if declared in ("text/html", "application/xhtml+xml"):
        return "html"
    start = body[:1024].lower()
    if "xml" in declared:
        return "html" if b"<html" in start else ""
    if declared in ("text/plain", "text/markdown", "text/csv"):
        return "text"
    if declared not in ("", "unknown/unknown", "application/unknown", "*/*") or BINARY.search(start):
        return ""
    return "html" if b"<" in start else "text"


@lru_cache(maxsize=256)  # there are few of them
def media_type(content_type: str) -> str:
    """What a Content-Type says, without its parameters."""
    return content_type.partition(";")[0].strip().lower()


BINARY = re.compile(
    rb"^(?:%pdf-|\x89png|gif8|\xff\xd8\xff|pk\x03\x04|\x1f\x8b)|^(?!\xff\xfe|\xfe\xff).*[\x00-\x08]", re.DOTALL
)
