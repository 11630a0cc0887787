"""Tags: how they are written, and which ones belong to a topic because they stand beside its tags (co-tagging)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ...codec import saved
from ...html.blocks import names

Items: TypeAlias = Sequence[frozenset[str]]

BETWEEN = re.compile(r"[,;|/·•\n]+")
BLANKS = re.compile(r"[\s_-]+")
LONGEST, WORDS = 40, 5  # characters and words of a tag; what is longer is a sentence
LEAST, FIFTY = 5, 50  # votes: this many, or one in fifty of the items with the start tag, before it can be no accident
TOP = 10  # tags of a round: those of the first open the second, which finds the others
MOST_COTAGS = 15  # tags of a topic, the start tag counted in: as many as the tables of the paper have
# What cameras, upload forms and habits write; not about what is shown.
STOP = names(
    "canon nikon sony olympus pentax fujifilm panasonic leica lumix iphone slr dslr digital camera photo photos photography "
    "picture pictures image images video videos film movie clip geotagged upload uploaded hd new favourite favorite "
    "favourites favorites fav favs untitled misc other"
)


def tag_name(text: str) -> str:
    """The one form under which we know a tag: lower case, hyphens between its words."""
    return BLANKS.sub("-", text.strip().strip("#\"'()[]").lower()).strip("-")


def start_tags(text: str) -> list[str]:
    """The tags that a user names, with | between them."""
    return [name for part in text.split("|") if (name := tag_name(part))]


def split_tags(text: str) -> list[str]:
    """The tags of a text such as "honey, hive"; a sentence holds none."""
    found = [tag_name(part) for part in BETWEEN.split(text)]
    return [name for name in found if name and len(name) <= LONGEST and name.count("-") < WORDS]


class Cotag(NamedTuple):
    """A tag of a topic."""

    tag: str
    score: float  # how much more often than by chance it stands beside a tag of the topic, at least
    votes: int  # items that have it and a tag of the topic


def distinct(items: Iterable[Iterable[str]]) -> list[frozenset[str]]:
    """The tag sets, identical ones once: who uploads a series tags it once."""
    return list(dict.fromkeys(names for item in items if (names := frozenset(map(tag_name, item)) - {""})))


def discover(
    items: Items,
    topic: Collection[str],
    rounds: int = 2,
    least: int = 0,
    threshold: float = 2.0,
    stop: Collection[str] = STOP,
) -> list[Cotag]:
    """The tags of a topic, best first, the start tags left out.

    φ = n(T∩T1)/(n(T)·n(T1)), times the number of items, so that 1 means chance whatever their number; the votes n(T∩T1) are
    counted less their own standard error, so that a tag seen five times is not ahead of one seen a hundred times. A tag needs
    `threshold`, and `least` votes (0: one in fifty of the items with the start tag, but five). Each further round starts from
    the best tags so far; what it adds is worth less than everything before it.
    """
    start = frozenset(map(tag_name, topic))
    found = _cotags(items, start, least, threshold, stop)
    for _ in range(rounds - 1):
        wider = start | {cotag.tag for cotag in found[:TOP]}
        known = {cotag.tag for cotag in found} | wider
        fresh = [cotag for cotag in _cotags(items, wider, least, threshold, stop) if cotag.tag not in known]
        ceiling = min((cotag.score for cotag in found), default=0.0)
        best = max((cotag.score for cotag in fresh), default=0.0)
        found += [cotag._replace(score=ceiling * cotag.score / best) for cotag in fresh]
    return found


def _cotags(items: Items, start: frozenset[str], least: int, threshold: float, stop: Collection[str]) -> list[Cotag]:
    sizes = Counter(name for item in items for name in item)
    near = [item for item in items if not start.isdisjoint(item)]
    votes = Counter(name for item in near for name in item if name not in start and name not in stop)
    needed = least or max(LEAST, -(-len(near) // FIFTY))
    found = [
        Cotag(name, (count - count**0.5) * len(items) / (len(near) * sizes[name]), count)
        for name, count in votes.items()
        if count >= needed
    ]
    kept = [cotag for cotag in found if cotag.score >= threshold]
    return sorted(kept, key=lambda cotag: (-cotag.score, -cotag.votes, cotag.tag))


def cotags(items: Items, topic: Collection[str], threshold: float, stop: Collection[str] = STOP) -> list[Cotag]:
    """Tags T1 that stand beside those of the topic, T, by eq. 6: φ = n(T∩T1)/(n(T)·n(T1)) above a threshold; by votes.

    φ is multiplied by the number of items, so that 1 is chance whatever that number is. Where all items have a tag of the topic,
    φ is the same for all tags, and only votes tell.
    """
    sizes = Counter(name for item in items for name in item)
    near = [item for item in items if not item.isdisjoint(topic)]
    votes = Counter(name for item in near for name in item if name not in topic and name not in stop)
    needed = max(LEAST, -(-len(near) // FIFTY))
    found = [Cotag(name, count * len(items) / (len(near) * sizes[name]), count) for name, count in votes.items()]
    kept = [one for one in found if one.votes >= needed and (one.score > threshold or len(near) == len(items))]
    return sorted(kept, key=lambda one: (-one.votes, one.tag))


@saved
class Listed(NamedTuple):
    """A detail page as it is known after stage one."""

    link: int  # hash of its URL
    starts: bool  # it was fetched from a list of the start tags
    names: Sequence[str]


def confirmed(
    items: Iterable[Listed], lists: Mapping[str, Iterable[int]], topic: Collection[str], share: float = 0.2
) -> list[Cotag]:
    """The tags on whose own lists at least this share of the items is of the topic.

    φ·n(T) = n(T∩T1)/n(T1), counted on the lists of T1: those of its items that the lists of T had shown before are known to
    have T, and of the others some were fetched. Standard errors are taken off as in `discover`.
    """
    known = {item.link: item for item in items}
    found = []
    for tag, links in lists.items():
        shown = [known.get(link) for link in sorted(set(links))]
        first = sum(item is not None and item.starts for item in shown)
        others = [not item_tags.isdisjoint(topic) for item_tags in _others(shown)]
        votes = first + sum(others)
        if votes < LEAST or not (others or first == len(shown)):
            continue
        rate = sum(others) / len(others) if others else 0.0
        score = (first + rate * (len(shown) - first)) / len(shown) * (1 - votes**-0.5)
        if score >= share:
            found.append(Cotag(tag, score, votes))
    return sorted(found, key=lambda cotag: (-cotag.score, -cotag.votes, cotag.tag))


def _others(shown: Iterable[Listed | None]) -> list[frozenset[str]]:
    return [frozenset(item.names) for item in shown if item is not None and not item.starts]


def most_voted(items: Items, topic: Collection[str]) -> list[Cotag]:
    """The tags that stand beside those of the topic most often, by votes alone."""
    found = [cotag._replace(score=float(cotag.votes)) for cotag in discover(items, topic, 1, threshold=0.0)]
    return sorted(found, key=lambda cotag: (-cotag.votes, cotag.tag))


def weights(found: Sequence[Cotag], spread: float) -> dict[str, float]:
    """The weights of the best tags beside a start tag's 1: their scores, the best one's as `spread`."""
    return {cotag.tag: spread * cotag.score / found[0].score for cotag in found[:TOP] if spread}
