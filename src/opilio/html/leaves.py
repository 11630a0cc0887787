"""The leaves of a page with their path strings: where each text, picture and object stands, and how it is displayed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from selectolax.lexbor import LexborNode

from .. import urls
from ..nouns import Page
from .blocks import names
from .element_kinds import LINKS, MEDIA, PICTURES, UNSEEN
from .places import LONGEST_PATH
from .source import tree

# What changes the look of an element. An id, a target or a source does not; `style` does, but is often computed for each
# element, so that no two would share a path.
DISPLAY = ("align", "bgcolor", "border", "cellpadding", "cellspacing", "class", "color", "face", "height", "size", "valign",
           "width")  # fmt: skip
COUNTED = re.compile(r"\d{2,}")  # in a class: a number that somebody counted up, such as row-137
OBJECTS = MEDIA | names("audio canvas iframe")
TEXT, IMAGE, OBJECT = "text", "image", "object"


class Leaf(NamedTuple):
    """One text, picture or object."""

    path: str  # from its parent to the root: <td><tr-class/people><table><body><html>
    text: str = ""  # white space taken together
    kind: str = TEXT
    url: str = ""  # where the link leads that it is in
    place: str = ""  # the path string of that link
    link: int = 0  # its number among the links of the page, from 1


# Where the walk is: the path string, the link we are in, its path string, its number. A bare tuple: one for every element.
Place: TypeAlias = tuple[str, str, str, int]


def leaves(page: Page) -> list[Leaf]:
    """All leaves of a page in their order; none for a page that is no HTML."""
    if page.document is None or b"<" not in page.body:
        return []
    root = tree(page.body, page.document.charset).root
    return _Walk(page.url).read(root) if root else []


class _Walk:
    def __init__(self, url: str) -> None:
        self.base = url
        self.found: list[Leaf] = []
        self.known: dict[str, str] = {}
        self.links = 0

    def read(self, node: LexborNode) -> list[Leaf]:
        """Depth first, without recursion: pages nest as deep as they like."""
        place: Place = ("", "", "", 0)
        above: list[tuple[LexborNode, Place]] = []
        while True:
            tag = node.tag or ""
            inside = None
            if tag == "-text":
                self.text(node.text_content or "", *place)
            elif tag and tag[0] != "-":
                inside = self.element(node, tag, *place)
            if inside and (child := node.first_child):
                above.append((node, place))
                node, place = child, inside
                continue
            while (following := node.next) is None:
                if not above:
                    return self.found
                node, place = above.pop()
            node = following

    def text(self, raw: str, path: str, *link: Any) -> None:
        if raw and not raw.isspace():
            self.found.append(Leaf(path, " ".join(raw.split()), TEXT, *link))

    def element(self, node: LexborNode, tag: str, path: str, *link: Any) -> Place | None:
        attributes = node.attributes
        inside = _step(path, tag, tuple([(name, value) for name in DISPLAY if (value := attributes.get(name))]))
        if tag == "base" and attributes.get("href"):
            self.base = urls.canonical(attributes["href"] or "", self.base) or self.base
        if tag in PICTURES:
            self.found.append(Leaf(inside, "", IMAGE, *link))
        elif tag in OBJECTS:
            self.found.append(Leaf(inside, "", OBJECT, *link))
        elif tag in LINKS and (target := self.target(attributes, LINKS[tag])):
            self.links += 1
            return inside, target, inside, self.links
        return None if tag in UNSEEN else (inside, *link)

    def target(self, attributes: Mapping[str, str | None], key: str) -> str:
        raw = (attributes.get(key) or "").strip()
        if raw and raw not in self.known:
            (self.known[raw],) = urls.joined([raw], self.base)
        return self.known.get(raw, "")


@lru_cache(maxsize=16384)  # templates repeat themselves, and the strings are shared between pages
def _step(path: str, tag: str, shown: tuple[tuple[str, str], ...]) -> str:
    """The path string one element further down."""
    if len(path) > LONGEST_PATH or (tag == "tbody" and not shown):  # the parser puts <tbody> where nobody wrote it
        return path
    return f"<{tag}{''.join(f'-{name}/{_look(name, value)}' for name, value in shown)}>{path}"


def _look(name: str, value: str) -> str:
    clean = " ".join(value.replace("<", "_").replace(">", "_").split())
    return COUNTED.sub("0", clean) if name == "class" else clean
