"""Page types by their characteristic path strings, learned from a few pages of each type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ...codec import saved
from ...html.leaves import TEXT, Leaf
from .path_strings import pairs, schema

LIST, DETAIL, PROFILE, OTHER = "list", "detail", "profile", "other"
MEDIA_TYPES = (LIST, DETAIL, PROFILE)
HALF = 0.5  # of what makes up a type: a page with less of it is of another one

Strings: TypeAlias = frozenset[str]


def strings(leaves: Iterable[Leaf]) -> Strings:
    """The path strings of a page; those of pictures and objects are marked as such."""
    return frozenset(leaf.path if leaf.kind == TEXT else f"{leaf.kind}:{leaf.path}" for leaf in leaves)


@saved
class PageTypes(NamedTuple):
    """What pages of each type have in common, and what tells any two types apart; plain values only."""

    core: dict[str, list[str]]  # by type: path strings of its pages that not every type has
    apart: dict[
        str, dict[str, list[str]]
    ]  # by type and another type: path strings of the first that no page of the other has
    whole: bool = False  # a page is of a type when it has all of its strings, as in the paper

    @property
    def names(self) -> list[str]:
        return list(self.core)

    def classify(self, page: Strings) -> str:
        """The type of a page, or OTHER.

        Between two types the one wins of whose distinguishing strings the page has the larger share; a type that has none
        against the other (a list, where profiles hold a list as well) wins when the page lacks most of the other's.
        """
        if not self.core:
            return OTHER
        if self.whole:
            return self._whole(page)
        best = max(self.names, key=lambda name: (self._wins(name, page), share(self.core[name], page)))
        return best if share(self.core[best], page) >= HALF else OTHER

    def _whole(self, page: Strings) -> str:
        """The type all of whose strings the page has; of several, the one with most of them."""
        fitting = [name for name, core in self.core.items() if core and page.issuperset(core)]
        return max(fitting, key=lambda name: (len(self.core[name]), name)) if fitting else OTHER

    def _wins(self, name: str, page: Strings) -> int:
        against = self.apart[name]
        return sum(
            _share_or_half(against[other], page) > _share_or_half(self.apart[other][name], page) for other in against
        )


def learn(examples: Mapping[str, Sequence[Strings]], common: float = 1.0) -> PageTypes:
    """From pages of each type: a type's strings are those on at least this share of its pages."""
    cores = {name: _common(pages, common) for name, pages in examples.items() if pages}
    everywhere = frozenset.intersection(*cores.values()) if len(cores) > 1 else frozenset()
    apart = {
        name: {
            other: sorted(core - _common(examples[other], 1 - common + 1e-9) if core else core)
            for other in cores
            if other != name
        }
        for name, core in cores.items()
    }
    return PageTypes({name: sorted(core - everywhere) for name, core in cores.items()}, apart)


def _common(pages: Sequence[Strings], least: float) -> Strings:
    """The strings that at least this share of the pages have."""
    counts = Counter(string for page in pages for string in page)
    return frozenset(string for string, count in counts.items() if count >= least * len(pages))


def share(wanted: Sequence[str], page: Strings) -> float:
    """How much of what is wanted a page has."""
    return sum(string in page for string in wanted) / len(wanted) if wanted else 0.0


def _share_or_half(wanted: Sequence[str], page: Strings) -> float:
    return share(wanted, page) if wanted else HALF


def all_strings(pages: Sequence[Sequence[Leaf]], kinds: Sequence[str]) -> PageTypes:
    """Algorithms 1 and 2: without the schema pairs, which are on every page, the path strings that all pages of a type have.

    Strings that all types have tell nothing and are left out.
    """
    schema_pairs = schema([pairs(leaves) for leaves in pages])
    real = [frozenset(path for path, text in pairs(leaves) if (path, text) not in schema_pairs) for leaves in pages]
    by_type = {kind: [look for look, own in zip(real, kinds, strict=True) if own == kind] for kind in MEDIA_TYPES}
    cores = {kind: frozenset.intersection(*looks) for kind, looks in by_type.items() if looks}
    everywhere = frozenset.intersection(*cores.values()) if len(cores) > 1 else frozenset()
    return PageTypes({kind: sorted(core - everywhere) for kind, core in cores.items()}, {}, True)
