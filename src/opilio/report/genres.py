"""Genres of recorded pages: WARC files in, lines out; labelled pages in, a model out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from ..bench.contents import good
from ..bench.corpus import Corpus
from ..errors import ConfigError, unknown
from ..fetchers.to_page import answered
from ..nouns import Link, Offer, Page
from ..store import warc
from ..strategies.genre.forest import Forest
from ..strategies.genre.model import GENRES, guess, learn
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


def train(
    folder: Path | None,
    column: str = "genre",
    others: Sequence[str] = (),
    alone: bool = False,
    further: bool = False,
) -> Trained:
    """A model from the labelled pages of a corpus folder and, unless they stand alone, the synthetic ones.

    Labels in `others` mean the genre "other"; further ones that are no genre are left out.
    """
    pages, labels, left_out = labelled(folder, column, others) if folder else ([], [], Counter())
    own = Counter(labels)
    if alone and len(own) < 2:
        found = ", ".join(f"{count} {genre}" for genre, count in own.items()) or "none"
        raise ConfigError(f"{folder}: pages of two genres at least are needed ({found} found); leave out --alone")
    for page, genre in chain(made_up(), of_a_web()) if not alone else ():
        pages.append(page)
        labels.append(genre)
    return Trained(learn(pages, labels, further, SEED), own, left_out)


def made_up(count: int = MADE_UP, seed: int = SEED) -> Iterator[tuple[Page, str]]:
    """Synthetic pages with their genres."""
    for row in genre_pages(count, seed):
        headers = {"content-type": "text/html; charset=utf-8"}
        yield answered(Offer(Link(row.url)), 200, headers, row.html.encode()), row.genre


def of_a_web(most: int = OF_A_WEB, seed: int = SEED) -> Iterator[tuple[Page, str]]:
    """Pages of a synthetic web with their genres, so many of each at most: these name their genre once or twice only."""
    web, left = Web(max(LEAST, 20 * most), seed), Counter(dict.fromkeys(GENRES, most))
    for url in sorted(web.urls(), key=digest):
        genre = web.labels(url)["genre"]
        if left[genre]:
            left[genre] -= 1
            status, headers, body = web.answer(url)
            yield answered(Offer(Link(url)), status, {"content-type": headers["Content-Type"]}, body), genre


def labelled(folder: Path, column: str, others: Sequence[str]) -> tuple[list[Page], list[str], Counter[str]]:
    """Pages with their genres, and how many pages have labels that are no genre."""
    corpus = Corpus.open(folder)
    if column not in corpus.columns:
        raise ConfigError(
            f"{folder / 'labels.csv'}: {unknown('column', column, corpus.columns)}; name it with --column"
        )
    told = [(url, corpus.labels[url][column]) for url in corpus.urls if url in corpus.labels]
    known = dict.fromkeys(others, "other") | {genre: genre for genre in GENRES}
    left_out = Counter(label for _, label in told if label not in known)
    rows = [(corpus.page(url), known[label]) for url, label in told if label in known]
    if not rows:
        raise ConfigError(f'{folder}: no page has one of the genres {", ".join(GENRES)} in column "{column}"')
    pages, labels = zip(*rows, strict=True)
    return list(pages), list(labels), left_out


def told(counts: Iterable[tuple[str, int]]) -> str:
    """Counts in words."""
    return ", ".join(f"{count} {name or 'without'}" for name, count in counts)
