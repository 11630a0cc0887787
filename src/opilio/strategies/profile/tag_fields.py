"""Where on a page its tags stand, learned from a few pages: the text at a place, told apart by the heading before it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from ...codec import saved
from ...html.leaves import TEXT, Leaf
from .path_strings import Pair, pairs, schema
from .tags import split_tags, tag_name

INLINE = re.compile(
    r"(?:<(?:a|abbr|b|bdi|big|cite|code|em|font|i|mark|s|small|span|strong|sub|sup|tt|u)(?:-[^>]*)?>)+", re.IGNORECASE
)
PREFIX = re.compile(r"([^\W\d][\w ]{0,24}):\s*(.*)", re.DOTALL)  # "Tags: honey, hive"
COUNT = re.compile(r"[(\[x×]?\s*(\d{1,9})\s*[)\]x×]?")
EVERYWHERE, OFTEN = 0.9, 0.3  # of the pages: what is on this many is template; a heading that stands apart may be rarer
FIXED, MIXED = 0.8, 0.3  # of the texts in a place repeat: it is one for headings; or for headings and content
LEAST_PAGES = 0.2  # a field that fewer pages have is no field
LEAST_KNOWN = 0.2  # of a field's values are tags that are known from elsewhere
AS_GOOD = 0.5  # of the best field: such a field holds tags as well
MOST_COUNT = 1000


@saved
class Field(NamedTuple):
    """A place on the pages of one type."""

    container: str  # path string, the inline elements at its end left out: links, spans and bold words are all the same
    label: str  # the heading before it


class Term(NamedTuple):
    name: str
    uses: int  # the number that stands behind it, or 1


def container(path: str) -> str:
    """The path string of the nearest ancestor that is a block."""
    found = INLINE.match(path)
    return path[found.end() :] if found else path


Headings: TypeAlias = list[Pair]  # what repeats on the pages of a type, and so is heading and not content


def headings(pages: Sequence[Sequence[Leaf]]) -> Headings:
    """Texts on nearly all pages, and those on many where hardly anything else stands in that place or a colon follows.

    Where mostly content stands, what is on all pages is content as well: the tag that all of them were chosen for.
    """
    each = [pairs(leaves) for leaves in pages]
    always, often = schema(each, EVERYWHERE), schema(each, OFTEN)
    apart = {pair for pair in often if pair[1].endswith(":")}
    return sorted(apart | _in_places(always, each, MIXED) | _in_places(often, each, FIXED))


def _in_places(repeated: set[Pair], pages: Sequence[set[Pair]], share: float) -> set[Pair]:
    """Those in places where at least this share of all texts is among them."""
    texts = Counter(container(path) for page in pages for path, _ in page)
    among = Counter(container(pair[0]) for page in pages for pair in page & repeated)
    return {pair for pair in repeated if among[block := container(pair[0])] >= share * texts[block]}


def fields(leaves: Sequence[Leaf], known: Headings) -> Iterator[tuple[Field, Leaf]]:
    """Every text of a page that is content, with the field that it stands in."""
    repeated = set(known)
    label = ""
    for leaf in leaves:
        if leaf.kind != TEXT:
            continue
        block = container(leaf.path)
        if (leaf.path, leaf.text) in repeated:
            label = tag_name(leaf.text.rstrip(":"))
        elif prefix := PREFIX.fullmatch(leaf.text):
            yield Field(block, tag_name(prefix[1])), leaf._replace(text=prefix[2])
        else:
            yield Field(block, label), leaf


def terms(leaves: Sequence[Leaf], chosen: Collection[Field], known: Headings) -> list[Term]:
    """The tags of a page in the chosen fields; a number right behind one is how often it was used."""
    found: list[Term] = []
    last = ""
    for field, leaf in fields(leaves, known):
        if field not in chosen:
            continue
        number = COUNT.fullmatch(leaf.text)
        if number and last and leaf.path != last and len(leaf.path) > len(field.container):
            found[-1] = found[-1]._replace(uses=min(int(number[1]), MOST_COUNT))
            last = ""
            continue
        names = split_tags(leaf.text)
        found += [Term(name, 1) for name in names]
        last = leaf.path if names else ""
    return list({term.name: term for term in reversed(found)}.values())[::-1]


def find_fields(pages: Sequence[Sequence[Leaf]], known: Headings, tags: Collection[str]) -> list[Field]:
    """The fields whose values are known tags more than those of any other."""
    values, sizes = _values(pages, known)
    scores = {
        field: sum(name in tags for name in names) / len(names)
        for field, names in values.items()
        if sizes[field] >= LEAST_PAGES * len(pages)
    }
    best = max(scores.values(), default=0.0)
    return sorted(field for field, score in scores.items() if best >= LEAST_KNOWN and score >= AS_GOOD * best)


def _values(pages: Sequence[Sequence[Leaf]], known: Headings) -> tuple[dict[Field, set[str]], Counter[Field]]:
    """The values of each field, and on how many pages it is."""
    values: dict[Field, set[str]] = {}
    sizes: Counter[Field] = Counter()
    for leaves in pages:
        here = set()
        for field, leaf in fields(leaves, known):
            if not COUNT.fullmatch(leaf.text):
                here.add(field)
                # A sentence is one value that is no tag.
                values.setdefault(field, set()).update(split_tags(leaf.text) or [leaf.text])
        sizes.update(here)
    return values, sizes


def shared_values(details: Sequence[Sequence[Leaf]], profiles: Sequence[Sequence[Leaf]]) -> set[str]:
    """Words that stand both in a field of details and in one of profiles, of the two fields that share most."""
    one, _ = _values(details, headings(details))
    two, _ = _values(profiles, headings(profiles))
    return max(
        (a & b for a in one.values() for b in two.values()), key=lambda both: (len(both), sorted(both)), default=set()
    )
