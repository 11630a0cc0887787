"""One walk over the tree of a page that collects everything we want to know of it.

`gather` is the compiled one where that is built (src/native/page.c), which does the same in a tenth of the time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from selectolax import lexbor

from .. import native
from ..batch import AROUND, OWN, TARGET, Words
from .blocks import BESIDE, ENOUGH_PROSE, LEAST_CONTENT, LONG, content_blocks, says_beside
from .element_kinds import ABOUT, BLOCK, COUNTED, HIDDEN, KINDS, LINKS, PARTING, PICTURES
from .places import LONGEST_CLASSES, MOST_PLACES, ROOT, Place, root_place
from .size_limits import LONGEST_ANCHOR, LONGEST_REL, MOST_LINKS

CONTEXT = 20  # words around a link, its own counted in
SIDE = 100  # characters kept on either side of a link where "words" are longer than 20 on average: no spaces there
LONGEST_WORD = 1000
LINKED_DATA = "application/ld+json"
GOES_ON, APART, BETWEEN = 0, 1, 2  # what is between a text and the one before: nothing, a space, the edge of a block

Attributes: TypeAlias = Mapping[str, str | None]


class Columns(NamedTuple):
    """The links of a page, in their order."""

    targets: Sequence[str]  # as written
    anchors: Sequence[str]
    contexts: Sequence[str]
    paths: list[str]
    images: list[bool]
    rels: list[tuple[str, ...]]


class Gathered(NamedTuple):
    """What one walk over the tree brings home."""

    text: str  # a line for each block
    keep: bytes  # for each of them 1 if it is content
    leaves: Sequence[str]  # the path to each link, text and image, with classes
    metadata: Sequence[tuple[str, Attributes, str]]  # tag, attributes and text of what speaks about the page
    counts: Mapping[str, int]
    root: Attributes
    links: Columns


class Anchor:
    """A link while its words are being collected."""

    __slots__ = ("alt", "end", "image", "place", "rel", "start", "target", "words")

    def __init__(self, target: str, attributes: Attributes, place: Place) -> None:
        rel = attributes.get("rel")
        self.target = target
        self.rel = tuple(rel[:LONGEST_REL].lower().split()) if rel else ()
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

    @property
    def own(self) -> str:
        return " ".join(self.words or self.alt.split())[:LONGEST_ANCHOR]


class Reader:
    """One walk over the tree, which collects everything."""

    def __init__(self) -> None:
        self.texts: list[tuple[str, Place, Anchor | None, int]] = []  # with what is before each; "" where a link begins
        self.words: list[str] = []
        self.blocks: list[tuple[int, int, int, int, bool]] = []  # start, end, size, linked, beside
        self.anchors: list[Anchor] = []
        self.leaves: list[str] = []
        self.metadata: list[tuple[str, Attributes, str]] = []
        self.counts: Counter[str] = Counter()

    def read(self, root: lexbor.LexborNode) -> Gathered:
        self.walk(root)
        self.lay_out()
        words, anchors = self.words, self.anchors
        return Gathered(
            "\n".join([" ".join(words[start:end]) for start, end, *_ in self.blocks]),
            content_blocks([block[2:] for block in self.blocks]),
            self.leaves,
            self.metadata,
            self.counts,
            root.attributes,
            Columns(
                [anchor.target for anchor in anchors],
                [anchor.own for anchor in anchors],
                [self.context(anchor) for anchor in anchors],
                [anchor.place.styled for anchor in anchors],
                [anchor.image for anchor in anchors],
                [anchor.rel for anchor in anchors],
            ),
        )

    def walk(self, node: lexbor.LexborNode) -> None:
        """Depth first, without recursion: pages nest as deep as they like. It runs for every node, so it calls little."""
        place, anchor, gap = root_place(), None, BETWEEN
        above: list[tuple[lexbor.LexborNode, Place, Anchor | None, int]] = []
        kind_of, texts, leaves = KINDS.get, self.texts, self.leaves
        while True:
            tag = node.tag or "-"
            if tag == "-text":
                raw = node.text_content
                if raw and not raw.isspace():
                    texts.append((raw, place, anchor, gap))
                    gap = GOES_ON
                    if anchor is None or place.path is not anchor.place.path:  # else it was counted with its link
                        leaves.append(place.styled)
                elif not gap:
                    gap = APART
            elif tag[0] != "-":  # no comment, no doctype
                kind, attributes, names, beside, inner = kind_of(tag, 0), node.attributes, "", False, anchor
                key: object = tag
                if attributes:
                    if "itemtype" in attributes:
                        self.metadata.append(("itemtype", attributes, ""))
                    names = attributes.get("class") or ""
                    beside = kind == BLOCK and (not names or len(attributes) > 1) and says_beside(attributes)
                    key = (tag, names, beside)
                inside = place.inside.get(key) or place.remember(key, tag, names, beside)
                if kind == BLOCK:
                    gap = BETWEEN
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
        self, node: lexbor.LexborNode, tag: str, attributes: Attributes, place: Place, anchor: Anchor | None
    ) -> Anchor | None:
        """Take in an element that says more than where its words are; the link that what is inside belongs to."""
        if tag in COUNTED:
            self.counts[tag] += 1
        if tag in LINKS:
            return self.open_link(attributes, LINKS[tag], place) or anchor
        if tag in PICTURES:
            self.leaves.append(place.styled)
            if anchor is not None:
                anchor.image = True
                anchor.alt = anchor.alt or attributes.get("alt") or ""
        elif tag in ABOUT or (tag == "script" and attributes.get("type") == LINKED_DATA):
            self.metadata.append((tag, attributes, node.text()))
        return anchor

    def open_link(self, attributes: Attributes, key: str, place: Place) -> Anchor | None:
        target = (attributes.get(key) or "").strip()
        if not target or len(self.anchors) >= MOST_LINKS:
            return None
        self.leaves.append(place.styled)
        anchor = Anchor(target, attributes, place)
        self.anchors.append(anchor)
        self.texts.append(("", place, anchor, GOES_ON))
        return anchor

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

    def context(self, anchor: Anchor) -> str:
        """CONTEXT words with the link in their middle, or as near to it as the ends of the page allow."""
        words, start, end = self.words, anchor.start, anchor.end
        alt = [] if start < end else anchor.alt.split()
        room = CONTEXT - (end - start) - len(alt)
        if room <= 0:
            return " ".join((alt or words[start:end])[:CONTEXT])[:LONGEST_ANCHOR]
        before = room // 2
        after = room - before
        if start < before or len(words) < end + after:
            after = min(len(words) - end, room - min(start, before))
            before = min(start, room - after)
        around = words[start - before : end + after]
        if alt:
            around[before:before] = alt
        if sum(map(len, around)) + len(around) - 1 <= 20 * CONTEXT:
            return " ".join(around)
        left = " ".join([word[-SIDE:] for word in words[start - before : start]])[-SIDE:]
        right = " ".join([word[:SIDE] for word in words[end : end + after]])[:SIDE]
        return " ".join(filter(None, (left, " ".join(alt or words[start:end])[:LONGEST_ANCHOR], right)))


def extend(words: list[str], new: list[str], goes_on: bool) -> None:
    if goes_on:
        words[-1] += new[0]
        words += new[1:]
    else:
        words += new


def gather_plainly(body: bytes) -> Gathered | None:
    """Parse a page and collect everything, in Python; None where there is no tree."""
    root = lexbor.LexborHTMLParser(body).root
    return Reader().read(root) if root else None


def gather_native(body: bytes) -> Gathered | None:
    """The same, compiled."""
    if not (found := native.functions.gather(body)):
        return None
    text, keep, leaves, metadata, counts, root, (packed, paths, images, rels) = found
    targets, words, contexts = (Words(packed, what) for what in (TARGET, OWN, AROUND))
    columns = Columns(targets, words, contexts, paths, images, rels)
    return Gathered(text, keep, leaves, metadata, counts, root, columns)


def _rules() -> dict[str, tuple[int, int]]:
    """What the compiled walk has to know of tags: their kinds, and what else there is to them, as bits in this order."""
    href, src = ({tag for tag, key in LINKS.items() if key == name} for name in ("href", "src"))
    bits = (href, src, PICTURES, COUNTED, ABOUT, PARTING, {"script"})
    return {tag: (kind, sum(1 << bit for bit, tags in enumerate(bits) if tag in tags)) for tag, kind in KINDS.items()}


def _opened() -> bool:
    """Whether there is a compiled walk, and it can read the trees of the parser that is installed."""
    numbers = (MOST_PLACES, LONGEST_CLASSES, MOST_LINKS, CONTEXT, SIDE, LONGEST_WORD)
    try:
        if native.has("gather"):
            content = (LEAST_CONTENT, LONG, ENOUGH_PROSE)
            native.functions.open(lexbor.__file__, _rules(), ROOT, BESIDE, numbers, content)
    except ImportError:
        return False
    return native.has("gather")


COMPILED = _opened()
gather = gather_native if COMPILED else gather_plainly
