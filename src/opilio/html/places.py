"""Where elements are, by tags and classes from the root."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache

from .blocks import looks_beside
from .element_kinds import BLOCKS
from .size_limits import LONGEST_TAG_NAME

LONGEST_PATH = 2000  # characters; elements below that do not lengthen it any more, or nested tags would cost n²
LONGEST_CLASSES = 500  # characters of one element's tag and classes; longer ones are not remembered
MOST_PLACES = 16384  # that are remembered


class Place:
    """Where an element is: the tags from the root, the same with classes, whether it is furniture; and what was seen inside.

    Templates repeat themselves, so nearly every element is at a place that is known, and its strings are shared by pages.
    """

    __slots__ = ("beside", "inside", "path", "styled")
    made = 0

    def __init__(self, path: str = "", styled: str = "", beside: bool = False) -> None:
        self.path, self.styled, self.beside = path, styled, beside
        self.inside: dict[object, Place] = {}

    def step(self, tag: str, names: str, beside: bool) -> Place:
        """One element further down."""
        path, styled, classes = self.path, self.styled, names.split()
        if len(styled) <= LONGEST_PATH:
            # The path needs "/" and "." for itself.
            suffix = "".join("." + name.replace("/", "_").replace(".", "_") for name in classes)[:LONGEST_CLASSES]
            name = tag[:LONGEST_TAG_NAME]
            path, styled = (f"{path}/{name}", f"{styled}/{name}{suffix}") if path else (name, name + suffix)
        beside = self.beside or beside or (tag in BLOCKS and looks_beside(tag, classes))
        return Place(path, styled, beside)

    def remember(self, key: object, tag: str, names: str, beside: bool) -> Place:
        """The same; it is found by this key from now on, unless it is absurdly long."""
        place = self.step(tag, names, beside)
        if len(tag) + len(names) <= LONGEST_CLASSES:
            self.inside[key] = place
            Place.made += 1
        return place


@lru_cache(maxsize=MOST_PLACES)  # templates repeat themselves
def tag_path(styled: str) -> str:
    """A path without its classes."""
    return "/".join([element.partition(".")[0] for element in styled.split("/")])


def folded(counts: Mapping[str, int], name: Callable[[str], str]) -> Mapping[str, int]:
    """The counts of paths that have one name, together."""
    found: Counter[str] = Counter()
    for path, count in counts.items():
        found[name(path)] += count
    return found


ROOT = Place()


def root_place() -> Place:
    """Where a walk begins; when too many places are known, all are forgotten."""
    if Place.made > MOST_PLACES:
        ROOT.inside, Place.made = {}, 0
    return ROOT
