"""Whether two pages have the same structure: the edit distance of their trees, mapped from the top (Reis et al. 2004, RTDM)."""

from __future__ import annotations

from collections.abc import Sequence

from selectolax.lexbor import LexborNode

from ...html.source import tree
from ...nouns import Page

ALIKE = 0.8  # of two trees is shared by pages of one structure
MOST_ELEMENTS, DEEPEST = 1_000, 150  # of a page are compared: those nearest to the root
MOST_PAIRS = 200_000  # distances remembered

Shape = tuple[str, tuple[int, ...]]  # the tag of an element and the numbers of its children's shapes


class Shapes:
    """Elements with all that is in them; those that are the same have one number."""

    def __init__(self) -> None:
        self.numbers: dict[Shape, int] = {}
        self.shapes: list[Shape] = []
        self.sizes: list[int] = []  # elements of each
        self.known: dict[tuple[int, int], int] = {}

    def read(self, page: Page) -> int:
        """The number of a page's tree; -1 for a page that is no HTML."""
        root = tree(page.body, page.document.charset).root if page.document and b"<" in page.body else None
        return self._numbered(root) if root else -1

    def _numbered(self, root: LexborNode) -> int:
        """Without recursion, from the leaves to the root: pages nest as deep as they like."""
        order, parents, depths = [root], [-1], [0]
        for place, node in enumerate(order):
            child = node.child if depths[place] < DEEPEST else None
            while child is not None and len(order) < MOST_ELEMENTS:
                if child.tag and child.tag[0] not in "-!#":
                    order.append(child)
                    parents.append(place)
                    depths.append(depths[place] + 1)
                child = child.next
        inside: list[list[int]] = [[] for _ in order]
        number = -1
        for place in range(len(order) - 1, -1, -1):
            number = self.number((order[place].tag or "", tuple(reversed(inside[place]))))
            if place:
                inside[parents[place]].append(number)
        return number

    def number(self, shape: Shape) -> int:
        found = self.numbers.setdefault(shape, len(self.shapes))
        if found == len(self.shapes):
            self.shapes.append(shape)
            self.sizes.append(1 + sum(self.sizes[child] for child in shape[1]))
        return found

    def alike(self, a: int, b: int) -> float:
        """1 for the same tree, 0 for trees that share nothing: 1 - distance / (|a| + |b|)."""
        return 1 - self.distance(a, b) / (self.sizes[a] + self.sizes[b])

    def distance(self, a: int, b: int) -> int:
        """Elements to delete and insert. Where two tags differ, nothing below them is shared: that is mapping from the top."""
        if a == b:
            return 0
        (tag, ours), (other, theirs) = self.shapes[a], self.shapes[b]
        if tag != other:
            return self.sizes[a] + self.sizes[b]
        pair = (a, b) if a < b else (b, a)
        if pair not in self.known:
            if len(self.known) >= MOST_PAIRS:
                self.known.clear()
            self.known[pair] = self._between(ours, theirs)
        return self.known[pair]

    def _between(self, ours: Sequence[int], theirs: Sequence[int]) -> int:
        """The edit distance of two lists of children; what both begin or end with is the same."""
        ours, theirs = _trimmed(ours, theirs)
        row = [0]
        for child in theirs:
            row.append(row[-1] + self.sizes[child])
        for child in ours:
            size, left, above = self.sizes[child], row[0], row
            row = [left + size]
            for place, other in enumerate(theirs):
                row.append(
                    min(
                        above[place + 1] + size,
                        row[place] + self.sizes[other],
                        above[place] + self.distance(child, other),
                    )
                )
        return row[-1]


def _trimmed(ours: Sequence[int], theirs: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    start, end = 0, min(len(ours), len(theirs))
    while start < end and ours[start] == theirs[start]:
        start += 1
    ours, theirs, end = ours[start:], theirs[start:], end - start
    last = 0
    while last < end and ours[-1 - last] == theirs[-1 - last]:
        last += 1
    return ours[: len(ours) - last], theirs[: len(theirs) - last]
