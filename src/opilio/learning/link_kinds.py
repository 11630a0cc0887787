"""What links of a kind have brought so far: learned from every page that was fetched through one.

A link is described by where it stands on its page (path), where it leads (host, first folder) and what it names (extension).
Links that share all four share a lane; what a lane is worth follows from what each of the four has brought, so that a lane
nobody has tried yet is judged by its relatives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from ..codec import saved
from ..nouns import Lane, Lesson, Link, Page, Reweigh, Say
from ..urls import digest

DOUBT = 2.0  # pages' worth of doubt: a part that was seen this often is believed half
FIRST = 0.5  # what links bring before anything is known
MOST = 20_000  # parts remembered; after that, new ones are judged by the average
MOST_LANES = 20_000  # kinds that have lanes of their own, each of which takes 3 kB, and as many hosts after that
LONGEST = 200  # characters of a part that stay readable
OTHERS = ("path", "host", "folder", "type")  # the lane of all that is beyond: its parts are those of no link
GROWTH = 1.1  # all lanes are weighed again when there are this many times more pages: the cost is by the logarithm

Table = dict[str, list[float]]  # part -> [pages, what they brought]


def parts(link: Link) -> Lane:
    """The kind of a link, as a lane: where it stands and where it leads."""
    _, _, target, *folders = link.url.split("/")
    name = folders[-1].partition("?")[0] if folders else ""
    folder = folders[0] if len(folders) > 1 else ""
    path, site = _short(link.path), _short(target)
    return (f"path {path}", f"host {site}", f"folder {site}/{_short(folder)}", f"type {_extension(name)}")


def _short(text: str) -> str:
    """A part with an end: pages can make it as long as they like, and what is learned is saved with each commit."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… {digest(text):x}"


@saved
@dataclass(slots=True)
class Lanes:
    """Gives each kind of link a lane, as long as there are not too many: a page may have a new kind for each link."""

    known: dict[int, None] = field(default_factory=dict)  # digests of lanes

    def of(self, link: Link) -> Lane:
        """The lane of its kind."""
        return self.lane(parts(link))

    def lane(self, kind: Lane) -> Lane:
        """That of a kind; where there are too many kinds, that of its host; where there are too many hosts, OTHERS."""
        path, _, folder, extension = OTHERS
        for lane, most in ((kind, MOST_LANES), ((path, kind[1], folder, extension), 2 * MOST_LANES)):
            key = digest(" ".join(lane))
            if key in self.known:
                return lane
            if len(self.known) < most:
                self.known[key] = None
                return lane
        return OTHERS


def learn(table: Table, lane: Lane, brought: float) -> None:
    """A page that was fetched through a link of this kind brought so much, in [0, 1]."""
    for part in ("", *lane):
        if part in table or len(table) < MOST:
            row = table.setdefault(part, [0.0, 0.0])
            row[0] += 1
            row[1] += brought


def worth(table: Table, lane: Lane) -> float:
    """What a link of this kind brings: the mean of all links, times how each part compares with it; at most 1."""
    pages, brought = table.get("", (0.0, 0.0))
    mean = (brought + FIRST) / (pages + 1)
    value = mean
    for part in lane:
        seen, good = table.get(part, (0.0, 0.0))
        value *= (good + DOUBT * mean) / ((seen + DOUBT) * mean)
    return min(1.0, value)


class Learner(Protocol):
    """A strategy that learns what kinds of links bring."""

    table_: Table
    lanes_: Lanes
    weighed_: int  # pages learned from when all lanes were last weighed


def observed(learner: Learner, page: Page, brought: float) -> Iterator[Say]:
    """Learn from a page, let other shards learn from it, and say which lanes to weigh again."""
    if page.offer.link.source and page.kept is None:
        lesson = Lesson((parts(page.offer.link), brought))
        yield lesson
        yield from studied(learner, lesson)


def studied(learner: Learner, lesson: Lesson) -> Iterator[Reweigh]:
    """Learn what a page brought; weigh the lane of its kind again, and all of them whenever pages grew by a tenth."""
    kind, brought = lesson.fact
    learn(learner.table_, kind, brought)
    yield Reweigh(learner.lanes_.lane(kind))
    pages = int(learner.table_[""][0])
    if pages >= GROWTH * learner.weighed_:
        learner.weighed_ = pages
        yield Reweigh()


def _extension(name: str) -> str:
    return name.rpartition(".")[2][:5].lower() if "." in name else ""
