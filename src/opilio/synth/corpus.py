"""Writes a synthetic web down as a corpus folder: pages.warc.gz, labels.csv, edges.csv, corpus.toml."""

from __future__ import annotations

import csv
import io
import os
import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..corpus_folder import new_folder
from ..store.warc_records import response_record, warcinfo_record
from ..system.process_pool import ProcessPool
from .articles import ArticleSite
from .layout import Settings
from .site import GONE, Place
from .tasks import described
from .web import COLUMNS, Web

DATE = "2020-01-01T00:00:00Z"  # fixed, so that the same web gives the same bytes
PART = 500  # pages that a worker hands back at a time
ALONE = 4000  # pages below which starting workers costs more than they bring

DEAD = re.compile(rb'"(http://[^/"]+%s\d+\.html)"' % GONE.encode())

Part = tuple[bytes, str]  # gzip members, and rows of labels.csv


def write(web: Web, folder: Path, workers: int = 0, tick: Callable[[int], None] | None = None) -> None:
    """Write the corpus folder, whole or not at all; the bytes do not depend on `workers` (0: one per core).

    `tick` is told after each part how many pages are written.
    """
    with new_folder(folder) as half:
        _write_pages(web, half, workers, tick)
        _write_edges(web, half / "edges.csv")
        (half / "corpus.toml").write_text(described(web), encoding="utf-8")


def _write_pages(web: Web, folder: Path, workers: int, tick: Callable[[int], None] | None) -> None:
    with (
        (folder / "pages.warc.gz").open("wb") as pages,
        (folder / "labels.csv").open("w", encoding="utf-8", newline="") as labels,
        _parts(web, workers) as parts,
    ):
        pages.write(warcinfo_record("pages.warc.gz", {"software": "opilio"}, DATE))
        labels.write(",".join(("url", *COLUMNS)) + "\n")
        for start, (records, rows) in zip(range(0, web.pages, PART), parts, strict=True):
            pages.write(records)
            labels.write(rows)
            if tick:
                tick(min(start + PART, web.pages))


@contextmanager
def _parts(web: Web, workers: int) -> Iterator[Iterator[Part]]:
    """All parts in order, made here or by other processes."""
    count = workers or (os.cpu_count() or 1 if web.pages >= ALONE else 1)
    starts = range(0, web.pages, PART)
    if count == 1:
        yield (_part(web, start) for start in starts)
        return
    with ProcessPool(count, _begin, web.pages, web.seed, web.settings) as pool:
        parts = deque(pool.submit(_part_of_mine, start) for start in starts)
        yield (parts.popleft().result() for _ in starts)  # what was written is forgotten


_mine: list[Web] = []  # the web of a worker process


def _begin(pages: int, seed: int, settings: Settings) -> None:
    _mine[:] = [Web(pages, seed, settings)]


def _part_of_mine(start: int) -> Part:
    return _part(_mine[0], start)


def _part(web: Web, start: int) -> Part:
    numbers = range(start, min(start + PART, web.pages))
    rows = io.StringIO()
    table = csv.writer(rows, lineterminator="\n")
    records = []
    for number in numbers:
        place = web.place(number)
        labels = web.labels_of(place)
        answer = web.answer(place.url)
        records.append(response_record(place.url, *answer, DATE))
        dead = [] if labels["duplicate_of"] else DEAD.findall(answer.body)  # a copy has those of the original
        records += [_record(web, url) for url in (*web.redirects(number), *(url.decode() for url in dead))]
        table.writerow((place.url, *labels.values()))
    return b"".join(records), rows.getvalue()


def _record(web: Web, url: str) -> bytes:
    return response_record(url, *web.answer(url), DATE)


def _write_edges(web: Web, path: Path) -> None:
    """The links between sites that their home pages show: what a community is grown on."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("source", "target"))
        for site in web.atlas.sites:
            if isinstance(site, ArticleSite):
                table.writerows((Place(site, 0).url, Place(other, 0).url) for other in site.outside())
