"""One walk over the tree of a page that collects everything we want to know of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from selectolax.lexbor import LexborHTMLParser, LexborNode

from .. import urls
from ..nouns import Link
from . import charset
from .blocks import Block, content_blocks, looks_beside, names, says_beside
from .bounds import MOST_LINKS, bounded

CONTEXT = 20  # words around a link, its own counted in
SIDE = 100  # characters kept on either side of a link where "words" are longer than 20 on average: no spaces there
LONGEST_PATH = 2000  # characters; elements below that do not lengthen it any more, or nested tags would cost n²
LONGEST_CLASSES = 500  # characters of one element's classes
LONGEST_WORD = 1000
DEEPEST = 2000  # nested elements; text pasted from office programs reaches 700

# Not read as words. <noscript> is: we run no scripts, so we are the one it is for, and forums put whole pages there.
UNSEEN = names("title script style template iframe noembed noframes select datalist textarea svg")
BLOCKS = names(
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu nav ol p pre section summary "
    "table tbody td tfoot th thead tr ul"
)
LINKS = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
PICTURES = names("img svg")
MEDIA = names("video embed object")
ABOUT = names("title meta link base")
ADVICE = {"robots": "", "opilio": "", "tdm-reservation": "tdm-reservation="}  # names of <meta> that speak to robots
COUNTED = PICTURES | MEDIA | {"time"}  # elements that tell what kind of page this is
SPECIAL = UNSEEN | LINKS.keys() | COUNTED | ABOUT | {"br"}
TYPE = re.compile(r'"@type"\s*:\s*"(\w{1,40})"')  # of schema.org, in a block of JSON-LD


class Content(NamedTuple):
    """What one walk over the tree brings home."""

    lines: str = ""
    keep: bytes = b""  # for each line: 1 if it is content
    title: str = ""
    links: tuple[Link, ...] = ()
    paths: Mapping[str, int] = Counter()
    language: str = ""
    robots: frozenset[str] = frozenset()
    canonical: str = ""
    marks: Mapping[str, int] = Counter()


# Tags that can pile up: all but those that are empty, or that the next of their kind closes. In scripts "/" is escaped.
NESTING = re.compile(
    rb"<(\\?/)?(?!(?:area|base|body|br|col|colgroup|dd|dt|embed|head|hr|html|img|input|li|link|meta|optgroup|option|p|param|"
    rb"rp|rt|source|tbody|td|tfoot|th|thead|tr|track|wbr|circle|ellipse|image|line|path|polygon|polyline|rect|stop|use)"
    rb"[\s/>])[a-z]",
    re.IGNORECASE,
)


def tree(body: bytes, name: str) -> LexborHTMLParser:
    # The parser reads UTF-8 and mends it, so the most common charset needs no decoding.
    if name != "utf-8":
        body = charset.decode(body, name).encode(errors="replace")
    return LexborHTMLParser(_shallow(bounded(body.removeprefix(b"\xef\xbb\xbf"))))


def _shallow(body: bytes) -> bytes:
    """The body up to where it nests absurdly deep: the parser's time grows with the square of the depth."""
    opened = body.count(b"<")
    if opened < DEEPEST or opened - body.count(b"</") < DEEPEST:  # so many tags are opened at most
        return body
    depth = 0
    for tag in NESTING.finditer(body):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > DEEPEST:
            return body[: tag.start()]
    return body


class Anchor:
    """A link while its words are being collected."""

    __slots__ = ("alt", "end", "image", "path", "rel", "start", "styled", "target", "words")

    def __init__(self, target: str, attributes: Mapping[str, str | None], path: str, styled: str, start: int) -> None:
        self.target = target
        self.rel = tuple((attributes.get("rel") or "").lower().split())
        self.alt = attributes.get("alt") or attributes.get("title") or ""
        self.path = path
        self.styled = styled
        self.start = self.end = start  # its place among the words of the page
        self.words: list[str] = []
        self.image = False

    def add(self, new: list[str], start: int, goes_on: bool) -> None:
        if not self.words:
            self.start = start
        extend(self.words, new, goes_on and bool(self.words))
        self.end = start + len(new)


# Where the walk is: the tags from the root, the same with classes, the link we are in, whether this is furniture.
# A bare tuple, since one is made for every element.
Place: TypeAlias = tuple[str, str, Anchor | None, bool]


class Reader:
    """One walk over the tree, which collects everything."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.blocks: list[Block] = []
        self.anchors: list[Anchor] = []
        self.paths: Counter[str] = Counter()
        self.about: dict[str, str] = {}  # title, base, canonical, robots
        self.marks: Counter[str] = Counter()
        self.apart = True  # the next word does not go on with the last one
        self.between = True  # the next word opens a block
        self.start = self.size = self.linked = 0  # of the open block
        self.beside = False

    def read(self, tree: LexborHTMLParser, url: str) -> Content:
        root = tree.root
        if root is None:
            return Content()
        self.walk(root)
        self.close_block()
        base = urls.canonical(self.about.get("base", ""), url) or url
        canonical = self.about.get("canonical")
        return Content(
            lines="\n".join([" ".join(self.words[block.start : block.end]) for block in self.blocks]),
            keep=content_blocks(self.blocks),
            title=self.about.get("title", ""),
            links=tuple(self.links(url, base)),
            paths=self.paths,
            language=root.attributes.get("lang") or root.attributes.get("xml:lang") or "",
            robots=_directives(self.about.get("robots", "")),
            canonical=urls.canonical(canonical, base) if canonical else "",
            marks=self.marks,
        )

    def walk(self, node: LexborNode) -> None:
        """Depth first, without recursion: pages nest as deep as they like."""
        place: Place = ("", "", None, False)
        above: list[tuple[LexborNode, Place, str]] = []
        while True:
            tag = node.tag
            if tag == "-text":
                text = node.text_content
                if text and not text.isspace():
                    self.text(text, place)
                else:
                    self.apart = True
            elif tag and tag[0] != "-":  # no comment, no doctype
                inside = self.element(node, tag, place)
                if inside and (child := node.first_child):
                    above.append((node, place, tag))
                    node, place = child, inside
                    continue
            while (following := node.next) is None:
                if not above:
                    return
                node, place, tag = above.pop()
                if tag in BLOCKS:
                    self.apart = self.between = True
            node = following

    def element(self, node: LexborNode, tag: str, place: Place) -> Place | None:
        """Take in an element; the place inside it, or None when nothing in there is to be read."""
        attributes = node.attributes
        if "itemtype" in attributes:
            self.marks[f"schema {_last_word(attributes['itemtype'])}"] += 1
        if tag == "script":
            self.script(node, attributes)
            return None
        path, styled, anchor, beside = place
        path, styled, furniture = step(path, styled, tag, attributes.get("class"))
        if tag in BLOCKS:
            self.apart = self.between = True
            return path, styled, anchor, beside or furniture or (bool(attributes) and says_beside(attributes))
        if tag in SPECIAL:
            if tag in ABOUT:
                self.tell_about(node, tag, attributes)
            elif tag in LINKS:
                anchor = self.open_link(attributes, LINKS[tag], path, styled) or anchor
            elif tag in PICTURES:
                self.picture(attributes, path, anchor)
            elif tag == "br":
                self.apart = True
            if tag in COUNTED:
                self.marks[tag] += 1
            if tag in UNSEEN:
                return None
        return path, styled, anchor, beside

    def script(self, node: LexborNode, attributes: Mapping[str, str | None]) -> None:
        if attributes.get("type") == "application/ld+json":
            self.marks.update(f"schema {name.lower()}" for name in TYPE.findall(node.text()))

    def text(self, raw: str, place: Place) -> None:
        path, _, anchor, beside = place
        if self.between:
            self.close_block()
            self.between, self.beside = False, beside
        words, new = self.words, raw.split()
        goes_on = not (self.apart or raw[0].isspace() or len(words[-1]) > LONGEST_WORD)
        self.apart = raw[-1].isspace()
        size = len(new) if len(raw) < 12 * len(new) else max(len(new), sum(map(len, new)) // 4)
        self.size += size
        if anchor is None or path is not anchor.path:  # a link counts once, not again for the text in it
            self.paths[path] += 1
        if anchor is not None:
            self.linked += size
            anchor.add(new, len(words) - goes_on, goes_on)
        extend(words, new, goes_on)

    def close_block(self) -> None:
        if self.size:
            self.blocks.append(Block(self.start, len(self.words), self.size, self.linked, self.beside))
        self.start = len(self.words)
        self.size = self.linked = 0

    def open_link(self, attributes: Mapping[str, str | None], key: str, path: str, styled: str) -> Anchor | None:
        target = (attributes.get(key) or "").strip()
        if not target or len(self.anchors) >= MOST_LINKS:
            return None
        self.paths[path] += 1
        anchor = Anchor(target, attributes, path, styled, len(self.words))
        self.anchors.append(anchor)
        return anchor

    def picture(self, attributes: Mapping[str, str | None], path: str, anchor: Anchor | None) -> None:
        self.paths[path] += 1
        self.apart = True
        if anchor is not None:
            anchor.image = True
            anchor.alt = anchor.alt or attributes.get("alt") or ""

    def tell_about(self, node: LexborNode, tag: str, attributes: Mapping[str, str | None]) -> None:
        """Note what an element of the head says about the page; the first one to say it counts."""
        if tag == "title":
            self.about.setdefault("title", " ".join(node.text().split()))
        elif tag == "base":
            if attributes.get("href"):
                self.about.setdefault("base", attributes["href"] or "")
        elif tag == "meta":
            if (name := (attributes.get("name") or "").lower()) in ADVICE:
                said = f"{ADVICE[name]}{attributes.get('content') or ''}"
                self.about["robots"] = f"{self.about.get('robots', '')},{said}"
            elif (attributes.get("property") or "").lower() == "og:type":
                self.marks[f"og {_last_word(attributes.get('content'))}"] += 1
        elif "canonical" in (attributes.get("rel") or "").lower().split() and attributes.get("href"):
            self.about.setdefault("canonical", attributes["href"] or "")

    def links(self, url: str, base: str) -> Iterator[Link]:
        known: dict[str, str] = {}
        for anchor in self.anchors:
            target = anchor.target
            if target not in known:
                known[target] = "" if target[0] == "#" else urls.canonical(target, base)
            if known[target]:
                own = " ".join(anchor.words or anchor.alt.split())
                context = self.context(anchor)
                yield Link(known[target], url, own, context, anchor.styled, anchor.image, anchor.rel)

    def context(self, anchor: Anchor) -> str:
        """CONTEXT words with the link in their middle, or as near to it as the ends of the page allow."""
        words, start, end = self.words, anchor.start, anchor.end
        own = words[start:end] or anchor.alt.split()
        room = CONTEXT - len(own)
        if room <= 0:
            return " ".join(own[:CONTEXT])
        after = min(len(words) - end, room - min(start, room // 2))
        before = min(start, room - after)
        around = [*words[start - before : start], *own, *words[end : end + after]]
        context = " ".join(around)
        if len(context) <= 20 * CONTEXT:
            return context
        left, right = " ".join(around[:before]), " ".join(around[before + len(own) :])
        return " ".join(filter(None, (left[-SIDE:], *own, right[:SIDE])))


def extend(words: list[str], new: list[str], goes_on: bool) -> None:
    if goes_on:
        words[-1] += new[0]
        words += new[1:]
    else:
        words += new


@lru_cache(maxsize=16384)  # templates repeat themselves: nearly always known, and the strings are shared between pages
def step(path: str, styled: str, tag: str, names: str | None) -> tuple[str, str, bool]:
    """One element further down: its path, its path with classes, and whether it is furniture by its tag or classes."""
    classes = (names or "").split()
    furniture = looks_beside(tag, classes)
    if len(styled) > LONGEST_PATH:
        return path, styled, furniture
    # The path needs "/" and "." for itself.
    suffix = "".join("." + name.replace("/", "_").replace(".", "_") for name in classes)[:LONGEST_CLASSES]
    return (f"{path}/{tag}", f"{styled}/{tag}{suffix}", furniture) if path else (tag, tag + suffix, furniture)


def _last_word(text: str | None) -> str:
    """The name at the end of an address such as http://schema.org/NewsArticle, in lower case."""
    return (text or "").rstrip("/ ").rpartition("/")[2].rpartition(":")[2].lower()[:40]


def _directives(content: str) -> frozenset[str]:
    said = frozenset(word.strip() for word in content.lower().split(",")) - {""}
    return said | {"noindex", "nofollow"} if "none" in said else said
