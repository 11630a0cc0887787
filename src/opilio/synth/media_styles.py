"""How media-sharing sites look: one with classes and readable addresses, one of tables with its tags in plain text."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from .templates import items


class Shot(NamedTuple):
    """A thumbnail that links to its page, and the link to who uploaded it."""

    picture: str
    uploader: str


class Style(ABC):
    """The addresses and the markup of one make of media site."""

    service: ClassVar[str]
    detail_path: ClassVar[str]
    profile_path: ClassVar[str]
    tag: ClassVar[re.Pattern[str]]  # finds the tag in a list's path
    genre: ClassVar[str]

    def tag_in(self, path: str) -> str:
        found = self.tag.match(path)
        return found[1] if found else ""

    @abstractmethod
    def listing_path(self, tag: str, window: int) -> str: ...
    @abstractmethod
    def frame(self, nav: list[str], body: str) -> str: ...
    @abstractmethod
    def text(self, title: str, text: str) -> str: ...
    @abstractmethod
    def home(self, tags: list[str], recent: list[Shot]) -> str: ...
    @abstractmethod
    def listing(self, tag: str, shots: list[Shot], pager: list[str]) -> str: ...
    @abstractmethod
    def detail(self, title: str, item: str, uploader: str, tags: list[str], words: str, more: list[Shot]) -> str: ...
    @abstractmethod
    def profile(self, name: str, tags: list[str], contacts: list[str], shots: list[Shot]) -> str: ...


class Stream(Style):
    """Pictures."""

    service = "/{}/"
    detail_path = "/photos/{}/"
    profile_path = "/people/{}/"
    tag = re.compile(r"/tags/([a-z0-9-]+)/")
    genre = "image"

    def listing_path(self, tag: str, window: int) -> str:
        return f"/tags/{tag}/" + (f"page{window + 1}/" if window else "")

    def frame(self, nav: list[str], body: str) -> str:
        return f'<div id="nav">{items(nav)}</div><div id="main">{body}</div><div id="foot">&copy;</div>'

    def text(self, title: str, text: str) -> str:
        return f'<h1>{title}</h1><p class="prose">{text}</p>'

    def home(self, tags: list[str], recent: list[Shot]) -> str:
        return f'<p class="cloud">{" ".join(tags)}</p>{_cards(recent, "recent")}'

    def listing(self, tag: str, shots: list[Shot], pager: list[str]) -> str:
        return f'<h1>Everything tagged {tag}</h1>{_cards(shots, "photo")}<div class="pages">{" ".join(pager)}</div>'

    def detail(self, title: str, item: str, uploader: str, tags: list[str], words: str, more: list[Shot]) -> str:
        return (
            f'<h1 class="photo-title">{title}</h1><div class="photo-big">{item}</div>'
            f'<div class="attribution">by {uploader}</div>'
            f'<div class="caption">{words}</div><ul class="tag-list">{"".join(f"<li>{tag}</li>" for tag in tags)}</ul>'
            f"{_cards(more, 'context')}"
        )

    def profile(self, name: str, tags: list[str], contacts: list[str], shots: list[Shot]) -> str:
        return (
            f'<h1 class="who">{name}</h1><div class="own-tags"><h3>Tags</h3>{" ".join(tags)}</div>'
            f'<div class="contacts"><h3>Contacts</h3>{items(contacts, "people")}</div>{_cards(shots, "stream")}'
        )


class Rows(Style):
    """Films; tags are words in a cell, and the uploader sits in a table."""

    service = "/{}.php"
    detail_path = "/watch.php?v={}"
    profile_path = "/user.php?u={}"
    tag = re.compile(r"/browse\.php\?cat=([a-z0-9-]+)")
    genre = "video"

    def listing_path(self, tag: str, window: int) -> str:
        return f"/browse.php?cat={tag}" + (f"&page={window + 1}" if window else "")

    def frame(self, nav: list[str], body: str) -> str:
        head = f'<tr><td bgcolor="#dde">{" | ".join(nav)}</td></tr>'
        return f'<table width="760" align="center">{head}<tr><td>{body}</td></tr></table>'

    def text(self, title: str, text: str) -> str:
        return f"<b>{title}</b><br><br>{text}"

    def home(self, tags: list[str], recent: list[Shot]) -> str:
        return f'<table><tr><td width="160">{"<br>".join(tags)}</td><td>{_lines(recent)}</td></tr></table>'

    def listing(self, tag: str, shots: list[Shot], pager: list[str]) -> str:
        return f'<font size="4">Category {tag}</font>{_lines(shots)}<div align="right">{" ".join(pager)}</div>'

    def detail(self, title: str, item: str, uploader: str, tags: list[str], words: str, more: list[Shot]) -> str:
        plain = ", ".join(re.sub(r"<[^>]+>", "", tag) for tag in tags)
        fields = {"From": uploader, "Tags": plain, "About": words}
        facts = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in fields.items())
        return f'<font size="4">{title}</font><br>{item}<table border="1">{facts}</table>{_lines(more)}'

    def profile(self, name: str, tags: list[str], contacts: list[str], shots: list[Shot]) -> str:
        plain = ", ".join(re.sub(r"<[^>]+>", "", tag) for tag in tags)
        facts = f"<tr><th>Likes</th><td>{plain}</td></tr><tr><th>Friends</th><td>{' '.join(contacts)}</td></tr>"
        return f'<font size="5">{name}</font><table border="1" width="90%">{facts}</table>{_lines(shots)}'


def _cards(shots: list[Shot], css: str) -> str:
    return "".join(
        f'<div class="{css}"><p class="thumb">{s.picture}</p><p class="by">{s.uploader}</p></div>' for s in shots
    )


def _lines(shots: list[Shot]) -> str:
    rows = "".join(f'<tr><td width="120">{s.picture}</td><td align="left">{s.uploader}</td></tr>' for s in shots)
    return f'<table cellpadding="2">{rows}</table>'


STYLES: tuple[Style, ...] = (Stream(), Rows())
