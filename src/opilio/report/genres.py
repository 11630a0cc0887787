"""Genres of recorded pages: WARC files in, lines out; labelled pages in, a model out."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from ..bench.contents import good
from ..bench.corpus import Corpus
from ..errors import ConfigError, UnreadableError, unknown
from ..fetchers.to_page import answered
from ..nouns import Link, Offer, Page, Topic
from ..store import warc
from ..strategies.genre.forest import Forest
from ..strategies.genre.model import GENRES, guess, learn
from ..strategies.genre.prior import Prior, read_all
from ..synth.genre_pages import genre_pages
from ..synth.layout import LEAST
from ..synth.web import Web
from ..urls import canonical, digest

BATCH = 50
MADE_UP, OF_A_WEB = 400, 100  # pages of each genre that the shipped model is trained on
SEED = 1


class Trained(NamedTuple):
    forest: Forest
    examples: Counter[str]  # of the user's own pages, by genre
    left_out: Counter[str]  # labels that are no genre, with their pages


def classify(path: Path, forest: Forest) -> Iterator[dict[str, Any]]:
    """For each page of a WARC file its {"url", "genre", "confidence"}; what is no page to read is left out."""
    pages = _readable(path)
    while batch := list(islice(pages, BATCH)):
        guesses = guess([page for _, page in batch], forest)
        for (url, _), found in zip(batch, guesses, strict=True):
            yield {"url": url, "genre": found.genre, "confidence": round(found.confidence, 4)}


def _readable(path: Path) -> Iterator[tuple[str, Page]]:
    for entry in warc.index(path):
        url = canonical(entry.url)
        if good(entry.status) and url:
            page = answered(Offer(Link(url)), *warc.read(path, entry.offset))
            if page.text or page.links or page.paths:
                yield entry.url, page


def sampled(files: Sequence[Path], topic: Topic, forest: Forest) -> Prior:
    """P[I,G] by the pages of some WARC files, such as a crawl two hops wide."""
    pages = [page for path in files for _, page in _readable(path)]
    return Prior.of(read_all(pages, topic.page, lambda page: guess([page], forest)[0].genre))


def train(
    sources: Sequence[Path] = (),
    column: str = "genre",
    others: Sequence[str] = (),
    alone: bool = False,
    further: bool = False,
    labels: Path | None = None,
) -> Trained:
    """A model from labelled pages and, unless they stand alone, the synthetic ones.

    Sources are corpus folders, or WARC files whose labels are in a CSV file with the column url. Labels in `others` mean the
    genre "other"; further ones that are no genre are left out.
    """
    pages, genres, left_out = list[Page](), list[str](), Counter[str]()
    for source in sources:
        labelled = _labelled(source, column, labels)
        found = _chosen(source, labelled, column, others)
        pages, genres, left_out = pages + found[0], genres + found[1], left_out + found[2]
    own = Counter(genres)
    if alone and len(own) < 2:
        seen = ", ".join(f"{count} {genre}" for genre, count in own.items()) or "none"
        raise ConfigError(f"{sources[0]}: pages of two genres at least are needed ({seen} found); leave out --alone")
    for page, genre in chain(made_up(), of_a_web()) if not alone else ():
        pages.append(page)
        genres.append(genre)
    return Trained(learn(pages, genres, further, SEED), own, left_out)


def made_up(count: int = MADE_UP, seed: int = SEED) -> Iterator[tuple[Page, str]]:
    """Synthetic pages with their genres."""
    for row in genre_pages(count, seed):
        headers = {"content-type": "text/html; charset=utf-8"}
        yield answered(Offer(Link(row.url)), 200, headers, row.html.encode()), row.genre


def of_a_web(most: int = OF_A_WEB, seed: int = SEED) -> Iterator[tuple[Page, str]]:
    """Pages of a synthetic web with their genres, this many of each at most: these name their genre once or twice only."""
    web, left = Web(max(LEAST, 20 * most), seed), Counter(dict.fromkeys(GENRES, most))
    for url in sorted(web.urls(), key=digest):
        genre = web.labels(url)["genre"]
        if left[genre]:
            left[genre] -= 1
            status, headers, body = web.answer(url)
            yield answered(Offer(Link(url)), status, {"content-type": headers["Content-Type"]}, body), genre


def labelled(folder: Path, column: str, others: Sequence[str]) -> tuple[list[Page], list[str], Counter[str]]:
    """Pages of a corpus with their genres, and how many pages have labels that are no genre."""
    return _chosen(folder, _of_corpus(folder, column), column, others)


Labelled = Iterable[tuple[Callable[[], Page], str]]  # pages, read when they are wanted, and their labels


def _labelled(source: Path, column: str, labels: Path | None) -> Labelled:
    if source.is_dir():
        return _of_corpus(source, column)
    if labels is None:
        raise ConfigError(f"{source}: what genres its pages have is not known; name a CSV file with --labels")
    return _of_files(source, column, labels)


def _of_corpus(folder: Path, column: str) -> Labelled:
    corpus = Corpus.open(folder)
    if column not in corpus.columns:
        raise _no_column(folder / "labels.csv", column, corpus.columns)
    rows = [(url, corpus.labels[url][column]) for url in corpus.urls if url in corpus.labels]
    return [(partial(corpus.page, url, "dead"), label) for url, label in rows]  # links that lead out count, too


def _of_files(path: Path, column: str, labels: Path) -> Labelled:
    try:
        with labels.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UnreadableError(f"{labels}: it cannot be read ({error}); give a CSV file with url and {column}") from None
    if not rows or {"url", column} - set(rows[0]):
        raise _no_column(labels, column if rows and "url" in rows[0] else "url", list(rows[0]) if rows else [])
    known = {canonical(row["url"]): row[column] or "" for row in rows}
    return [(partial(_same, page), known[page.url]) for _, page in _readable(path) if page.url in known]


def _same(page: Page) -> Page:
    return page


def _no_column(path: Path, column: str, columns: Sequence[str]) -> ConfigError:
    return ConfigError(f"{path}: {unknown('column', column, columns)}; name it with --column")


def _chosen(
    source: Path, labelled: Labelled, column: str, others: Sequence[str]
) -> tuple[list[Page], list[str], Counter[str]]:
    known = dict.fromkeys(others, "other") | {genre: genre for genre in GENRES}
    left_out = Counter(label for _, label in labelled if label not in known)
    rows = [(page(), known[label]) for page, label in labelled if label in known]
    if not rows:
        raise ConfigError(f'{source}: no page has one of the genres {", ".join(GENRES)} in column "{column}"')
    return [page for page, _ in rows], [label for _, label in rows], left_out


def listing(counts: Iterable[tuple[str, int]]) -> str:
    """Counts in words."""
    return ", ".join(f"{count} {name or 'without'}" for name, count in counts)
