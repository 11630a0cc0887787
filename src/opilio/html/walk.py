"""One walk over the tree of a page that collects everything we want to know of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from .. import urls
from ..nouns import Link
from . import charset
from .blocks import content_blocks, looks_beside, names, says_beside
from .bounds import MOST_LINKS, bounded

CONTEXT = 20  # words around a link, its own counted in
SIDE = 100  # characters kept on either side of a link where "words" are longer than 20 on average: no spaces there
LONGEST_PATH = 2000  # characters; elements below that do not lengthen it any more, or nested tags would cost n²
LONGEST_CLASSES = 500  # characters of one element's classes
LONGEST_WORD = 1000
DEEPEST = 2000  # nested elements; text pasted from office programs reaches 700
MOST_PLACES = 16384  # that are remembered

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
PARTING = PICTURES | {"br"}  # a word ends there
GOES_ON, APART, BETWEEN = 0, 1, 2  # what is between a text and the one before: nothing, a space, the edge of a block
BLOCK, SPECIAL, HIDDEN, TEXT = 1, 2, 3, 4  # what the walk does about a node: nothing inside a hidden one is read
KINDS = {
    "-text": TEXT,
    **dict.fromkeys(BLOCKS, BLOCK),
    **dict.fromkeys(LINKS.keys() | COUNTED | ABOUT | {"br"}, SPECIAL),
    **dict.fromkeys(UNSEEN, HIDDEN),
}
TYPE = re.compile(r'"@type"\s*:\s*"(\w{1,40})"')  # of schema.org, in a block of JSON-LD


class Content(NamedTuple):
    """What one walk over the tree brings home."""

    lines: str = ""
    keep: bytes = b""  # for each line: 1 if it is content
    title: str = ""
    links: tuple[Link, ...] = ()
    leaves: Sequence[str] = ()  # the path to each link, text and image
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


class Place:
    """Where an element is: the tags from the root, the same with classes, whether it is furniture; and what was seen inside.

    Templates repeat themselves, so nearly every element is at a place that is known, and its strings are shared by pages.
    """

    __slots__ = ("beside", "inside", "path", "styled")
    made = 0

    def __init__(self, path: str = "", styled: str = "", beside: bool = False) -> None:
        self.path, self.styled, self.beside = path, styled, beside
        self.inside: dict[object, Place] = {}

    def step(self, key: object, tag: str, names: str, beside: bool) -> Place:
        """One element further down; it is found by this key from now on, unless it is absurdly long."""
        path, styled, classes = self.path, self.styled, names.split()
        if len(styled) <= LONGEST_PATH:
            # The path needs "/" and "." for itself.
            suffix = "".join("." + name.replace("/", "_").replace(".", "_") for name in classes)[:LONGEST_CLASSES]
            path, styled = (f"{path}/{tag}", f"{styled}/{tag}{suffix}") if path else (tag, tag + suffix)
        beside = self.beside or beside or (tag in BLOCKS and looks_beside(tag, classes))
        place = Place(path, styled, beside)
        if len(tag) + len(names) <= LONGEST_CLASSES:
            self.inside[key] = place
            Place.made += 1
        return place


ROOT = Place()


def root_place() -> Place:
    """Where a walk begins; when too many places are known, all are forgotten."""
    if Place.made > MOST_PLACES:
        ROOT.inside, Place.made = {}, 0
    return ROOT


class Anchor:
    """A link while its words are being collected."""

    __slots__ = ("alt", "end", "image", "place", "rel", "start", "target", "words")

    def __init__(self, target: str, attributes: Mapping[str, str | None], place: Place) -> None:
        rel = attributes.get("rel")
        self.target = target
        self.rel = tuple(rel.lower().split()) if rel else ()
        self.alt = attributes.get("alt") or attributes.get("title") or ""
        self.place = place
        self.start = self.end = 0  # its place among the words of the page
        self.words: list[str] = []
        self.image = False

    def add(self, new: list[str], start: int, goes_on: bool) -> None:
        if self.words:
            extend(self.words, new, goes_on)
        else:
            self.start, self.words = start, new
        self.end = start + len(new)


class Reader:
    """One walk over the tree, which collects everything."""

    def __init__(self) -> None:
        self.texts: list[tuple[str, Place, Anchor | None, int]] = []  # with what is before each; "" where a link begins
        self.words: list[str] = []
        self.blocks: list[tuple[int, int, int, int, bool]] = []  # start, end, size, linked, beside
        self.anchors: list[Anchor] = []
        self.leaves: list[str] = []
        self.about: dict[str, str] = {}  # title, base, canonical, robots
        self.marks: Counter[str] = Counter()

    def read(self, tree: LexborHTMLParser, url: str) -> Content:
        root = tree.root
        if root is None:
            return Content()
        self.walk(root)
        self.lay_out()
        base = urls.canonical(self.about.get("base", ""), url) or url
        canonical = self.about.get("canonical")
        words = self.words
        return Content(
            lines="\n".join([" ".join(words[start:end]) for start, end, *_ in self.blocks]),
            keep=content_blocks([block[2:] for block in self.blocks]),
            title=self.about.get("title", ""),
            links=tuple(self.links(url, base)),
            leaves=self.leaves,
            language=root.attributes.get("lang") or root.attributes.get("xml:lang") or "",
            robots=_directives(self.about.get("robots", "")),
            canonical=urls.canonical(canonical, base) if canonical else "",
            marks=self.marks,
        )

    def walk(self, node: LexborNode) -> None:
        """Depth first, without recursion: pages nest as deep as they like. It runs for every node, so it calls little."""
        place, anchor, gap = root_place(), None, BETWEEN
        above: list[tuple[LexborNode, Place, Anchor | None, int]] = []
        kind_of, texts, leaves = KINDS.get, self.texts, self.leaves
        while True:
            tag = node.tag or "-"
            kind = kind_of(tag, 0)
            if kind == TEXT:
                raw = node.text_content
                if raw and not raw.isspace():
                    texts.append((raw, place, anchor, gap))
                    gap = GOES_ON
                    if anchor is None or place.path is not anchor.place.path:  # else it was counted with its link
                        leaves.append(place.path)
                elif not gap:
                    gap = APART
            elif tag[0] != "-":  # no comment, no doctype
                attributes, names, beside, inner = node.attributes, "", False, anchor
                key: object = tag
                if attributes:
                    if "itemtype" in attributes:
                        self.marks[f"schema {_last_word(attributes['itemtype'])}"] += 1
                    names = attributes.get("class") or ""
                    beside = kind == BLOCK and (not names or len(attributes) > 1) and says_beside(attributes)
                    key = (tag, names, beside)
                inside = place.inside.get(key) or place.step(key, tag, names, beside)
                if kind == BLOCK:
                    gap = BETWEEN
                elif tag == "a":
                    inner = self.open_link(attributes, "href", inside) or anchor
                elif kind:
                    inner = self.special(node, tag, attributes, inside, anchor)
                    if not gap and tag in PARTING:
                        gap = APART
                if kind != HIDDEN and (child := node.first_child) is not None:
                    above.append((node, place, anchor, kind))
                    node, place, anchor = child, inside, inner
                    continue
            while (following := node.next) is None:
                if not above:
                    return
                node, place, anchor, kind = above.pop()
                if kind == BLOCK:
                    gap = BETWEEN
            node = following

    def special(
        self,
        node: LexborNode,
        tag: str,
        attributes: Mapping[str, str | None],
        place: Place,
        anchor: Anchor | None,
    ) -> Anchor | None:
        """Take in an element that says more than where its words are; the link that what is inside belongs to."""
        if tag in LINKS:
            return self.open_link(attributes, LINKS[tag], place) or anchor
        if tag in ABOUT:
            self.tell_about(node, tag, attributes)
        elif tag in PICTURES:
            self.picture(attributes, place, anchor)
        elif tag == "script":
            self.script(node, attributes)
        if tag in COUNTED:
            self.marks[tag] += 1
        return anchor

    def script(self, node: LexborNode, attributes: Mapping[str, str | None]) -> None:
        if attributes.get("type") == "application/ld+json":
            self.marks.update(f"schema {name.lower()}" for name in TYPE.findall(node.text()))

    def lay_out(self) -> None:
        """Make words and blocks of the texts, and find the place of each link among the words."""
        words, blocks = self.words, self.blocks
        start = size = linked = 0
        beside = spaced = False
        for raw, place, anchor, gap in self.texts:
            if not raw:
                assert anchor is not None
                anchor.start = anchor.end = len(words)
                continue
            if gap == BETWEEN:
                if size:
                    blocks.append((start, len(words), size, linked, beside))
                start, size, linked, beside = len(words), 0, 0, place.beside
            new = raw.split()
            goes_on = not (gap or spaced or raw[0].isspace() or len(words[-1]) > LONGEST_WORD)
            spaced = raw[-1].isspace()
            count = len(new) if len(raw) < 12 * len(new) else max(len(new), sum(map(len, new)) // 4)
            size += count
            if anchor is not None:
                linked += count
                anchor.add(new, len(words) - goes_on, goes_on)
            if goes_on:
                extend(words, new, goes_on)
            else:
                words += new
        if size:
            blocks.append((start, len(words), size, linked, beside))

    def open_link(self, attributes: Mapping[str, str | None], key: str, place: Place) -> Anchor | None:
        target = (attributes.get(key) or "").strip()
        if not target or len(self.anchors) >= MOST_LINKS:
            return None
        self.leaves.append(place.path)
        anchor = Anchor(target, attributes, place)
        self.anchors.append(anchor)
        self.texts.append(("", place, anchor, GOES_ON))
        return anchor

    def picture(self, attributes: Mapping[str, str | None], place: Place, anchor: Anchor | None) -> None:
        self.leaves.append(place.path)
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
            if to := known[target]:
                own = " ".join(anchor.words or anchor.alt.split())
                yield Link(to, url, own, self.context(anchor), anchor.place.styled, anchor.image, anchor.rel)

    def context(self, anchor: Anchor) -> str:
        """CONTEXT words with the link in their middle, or as near to it as the ends of the page allow."""
        words, start, end = self.words, anchor.start, anchor.end
        alt = [] if start < end else anchor.alt.split()
        room = CONTEXT - (end - start) - len(alt)
        if room <= 0:
            return " ".join((alt or words[start:end])[:CONTEXT])
        before = room // 2
        after = room - before
        if start < before or len(words) < end + after:
            after = min(len(words) - end, room - min(start, before))
            before = min(start, room - after)
        around = words[start - before : end + after]
        if alt:
            around[before:before] = alt
        context = " ".join(around)
        if len(context) <= 20 * CONTEXT:
            return context
        left, right = " ".join(words[start - before : start]), " ".join(words[end : end + after])
        return " ".join(filter(None, (left[-SIDE:], *(alt or words[start:end]), right[:SIDE])))


def extend(words: list[str], new: list[str], goes_on: bool) -> None:
    if goes_on:
        words[-1] += new[0]
        words += new[1:]
    else:
        words += new


def _last_word(text: str | None) -> str:
    """The name at the end of an address such as http://schema.org/NewsArticle, in lower case."""
    return (text or "").rstrip("/ ").rpartition("/")[2].rpartition(":")[2].lower()[:40]


def _directives(content: str) -> frozenset[str]:
    said = frozenset(word.strip() for word in content.lower().split(",")) - {""}
    return said | {"noindex", "nofollow"} if "none" in said else said
