"""Stored pages with ground truth: a folder with corpus.toml, labels.csv and WARC files (see docs/corpora.md)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, TypeAlias

from .. import html, http_message
from ..errors import unknown
from ..fetchers.replay import Recorded, Replay
from ..nouns import Link, Offer, Page
from ..store import warc
from . import corpus_cache
from .contents import Contents, good, read_contents
from .description import Described, Task, describe
from .graph import Graph
from .problems import NOTE, fatal, raise_first, sentence, some

__all__ = ["Corpus", "Task", "check"]

THIS = sys.modules[__name__]  # decides what is cached, as do the modules that corpus_cache.key knows
HOPS = 10
COLUMNS = ("column", "types")
Outside: TypeAlias = Literal["left-out", "dead"]  # what becomes of links that lead out of the recording
VALUES = ("topics", "target", "user_content", "positive")


class Corpus:
    """A recorded web with labels; every URL in it is canonical."""

    def __init__(self, folder: Path, described: Described, contents: Contents) -> None:
        self.folder = folder
        self.name = described.name
        self.about = described.about
        self.home = described.home
        self.language = described.language
        self.tasks = described.tasks
        self.aliases = contents.aliases
        self.collisions = contents.collisions  # records whose URL was taken by an earlier one
        self.columns = contents.columns
        self.labels = {url: dict(zip(contents.columns, row, strict=True)) for url, row in contents.labels.items()}
        self.edges = [(source, target) for source, target in contents.edges]
        self._files = [folder / name for name in contents.files]
        self._rows = dict(zip(contents.urls, contents.places, strict=True))
        self.urls = [url for url, (_, _, status) in self._rows.items() if good(status)]
        self._replay = Replay(self.find, self._rows.__contains__)
        self._all_links = Replay(self.find)
        self._graph: Graph | None = None

    @classmethod
    def open(cls, folder: Path) -> Corpus:
        """The corpus in a folder; UnreadableError says what is wrong with it."""
        problems: list[str] = []
        described = describe(folder, problems)
        raise_first(problems)
        key = corpus_cache.key(folder, THIS)
        saved = corpus_cache.load(folder, "index", key)
        contents = Contents(*saved) if saved else read_contents(folder, problems)
        raise_first(problems)
        if not saved:
            corpus_cache.save(folder, "index", key, [getattr(contents, name) for name in contents.__slots__])
        corpus = cls(folder, described, contents)
        raise_first(corpus.problems())
        return corpus

    def find(self, url: str) -> Recorded | None:
        """What was recorded for a URL."""
        row = self._rows.get(url)
        return Recorded(*warc.read(self._files[row[0]], row[1])) if row else None

    def fetcher(self, outside: Outside = "left-out") -> Replay:
        """The corpus as a fetcher, the same one for all, so that a page is parsed once."""
        return self._replay if outside == "left-out" else self._all_links

    def page(self, url: str, outside: Outside = "left-out") -> Page:
        """The page at a URL, redirects followed; with all of its links if asked for: what a page is does not depend on them."""
        for _ in range(HOPS):
            url = self.aliases.get(url, url)
        return self.fetcher(outside).answer(Offer(Link(url)))

    def graph(self) -> Graph:
        """All links between URLs of the corpus."""
        if self._graph is None:
            key = corpus_cache.key(self.folder, THIS, http_message, html)
            saved = corpus_cache.load(self.folder, "graph", key)
            nodes = self._nodes()
            self._graph = Graph(nodes, *saved) if saved else Graph.build(nodes, self._arcs())
            if not saved:
                found = self._graph
                corpus_cache.save(self.folder, "graph", key, [found.sources, found.targets, found.outside, found.edge])
        return self._graph

    def _nodes(self) -> list[str]:
        ends = (end for edge in self.edges for end in edge)
        return list(dict.fromkeys([*self._rows, *self.aliases, *ends, *(self.labels if self.edges else ())]))

    def _arcs(self) -> Iterator[tuple[str, Iterable[str]]]:
        # Not through the shared fetcher: that would keep every page of the corpus in memory.
        for url in self.urls:
            page = Replay(self.find).answer(Offer(Link(url)))
            yield url, (link.url for link in page.links)
        for url, target in self.aliases.items():
            yield url, (target,)
        for source, target in self.edges:
            yield source, (target,)

    def problems(self) -> Iterator[str]:
        """What does not fit together, as sentences."""
        yield from _about_urls(self)
        for task in self.tasks:
            yield from _about_task(self, task)


def check(folder: Path) -> Iterator[str]:
    """Everything that is wrong with a folder; a sentence that starts with "note: " is no reason not to use it."""
    problems: list[str] = []
    described = describe(folder, problems)
    contents = read_contents(folder, problems) if folder.is_dir() else Contents()
    yield from problems
    if not any(fatal(problems)):
        yield from Corpus(folder, described, contents).problems()


# What does not fit together


def _about_urls(corpus: Corpus) -> Iterator[str]:
    known = {*corpus.urls, *corpus.aliases}
    lost = [url for url in corpus.labels if url not in known]
    if lost and corpus.urls:
        what = f"{len(lost)} labelled URLs have no page, so no crawl finds them"
        yield f"{NOTE}{corpus.folder / 'labels.csv'}: {what} ({some(lost)}); remove the rows or add the pages"
    if corpus.home and known and corpus.home not in known:
        yield f"{NOTE}{corpus.folder / 'corpus.toml'}: the home page {corpus.home} is not among the pages; correct home"
    if corpus.collisions:
        what = f"{corpus.collisions} records have a URL that another record has in canonical form"
        yield f"{NOTE}{corpus.folder}: {what}; pages go before redirects, else the first one counts"


def _about_task(corpus: Corpus, task: Task) -> Iterator[str]:
    place = f'{corpus.folder / "corpus.toml"}, task "{task.name}"'
    columns = [task.settings[key] for key in COLUMNS if key in task.settings]
    for column in columns:
        if column not in corpus.columns:
            what = unknown("column", column, corpus.columns) if corpus.columns else f'column "{column}" is nowhere'
            yield f"{place}: {what}; labels.csv must have it"
            return
    known = _levels(row[columns[0]] for row in corpus.labels.values())
    for key in VALUES:
        wanted = task.settings.get(key, [])
        for problem in _lost([wanted] if isinstance(wanted, str) else wanted, known, f"{key} names labels"):
            yield sentence(place, f'{problem} in column "{columns[0]}" of labels.csv')
    for problem in _lost(task.settings.get("start", []), {*corpus.urls, *corpus.aliases}, "start names pages"):
        yield sentence(place, f"{problem} among the pages")


def _lost(wanted: list[str], known: set[str], what: str) -> Iterator[str]:
    """A note when some are not known; more than a note when none is, as nothing can be done then."""
    lost = [name for name in wanted if known.isdisjoint(name.split("|"))]
    if lost:
        near = get_close_matches(lost[0], sorted(known), n=1)
        hint = f'; did you mean "{near[0]}"?' if near else ""
        yield f"{NOTE if len(lost) < len(wanted) else ''}{what} ({some(lost)}{hint}) that are not"


def _levels(cells: Iterable[str]) -> set[str]:
    """Every value of a column, with all levels above it."""
    values = {value.strip() for cell in set(cells) for value in cell.split("|")} - {""}
    return {"/".join(parts[: n + 1]) for parts in (value.split("/") for value in values) for n in range(len(parts))}
