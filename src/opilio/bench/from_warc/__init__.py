"""A corpus of archives that anybody wrote: WARC and WACZ files in, a corpus folder out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ... import __version__
from ...corpus_folder import LEAST, corpus_toml, new_folder, topic_task, write_labels
from ...errors import ConfigError, UnreadableError
from ...store.any_warc import Damage, Record
from ...urls import canonical
from ..problems import some
from .archives import Unread, read_all
from .labels import Labels, labels
from .pages import Pages

MOST_TOPICS = 50  # of a column, the most frequent; a column of names or numbers has no topics


class Imported(NamedTuple):
    """What came of it."""

    pages: int
    labelled: int
    left_out: Counter[str]  # records, by the reason
    unread: list[str]  # sentences about archives that could not be read to their end


def from_warc(
    files: Sequence[Path],
    folder: Path,
    rules: Sequence[str] = (),
    column: str = "label",
    table: Path | None = None,
    home: str = "",
    tick: Callable[[int], None] = lambda number: None,
) -> Imported:
    """Make a corpus folder, whole or not at all."""
    known = labels(rules, column, table)
    with new_folder(folder) as half:
        with Pages(half / "pages.warc.gz") as pages:
            unread = _take(pages, files, tick)
        if not pages.urls():
            raise UnreadableError("; ".join(unread) or _no_page(files, pages.left_out))
        rows = list(known.of(pages.urls()))
        write_labels(half / "labels.csv", known.all_columns(), rows)
        start = _home(pages, home)
        (half / "corpus.toml").write_text(_described(folder.name, start, pages, known, rows), encoding="utf-8")
    return Imported(len(pages.urls()), len(rows), pages.left_out, unread)


def _take(pages: Pages, files: Sequence[Path], tick: Callable[[int], None]) -> list[str]:
    unread: list[str] = []
    for found in read_all(files, tick):
        match found:
            case Record():
                pages.add(found)
            case Damage(what):
                pages.left_out[what] += 1
            case Unread(sentence):
                unread.append(sentence)
    pages.finish()
    return unread


def _no_page(files: Sequence[Path], left_out: Counter[str]) -> str:
    reasons = ", ".join(f"{count} × {reason}" for reason, count in left_out.most_common())
    return f"{some([str(path) for path in files])}: there is no page in it{reasons and f' ({reasons} left out)'}"


def _home(pages: Pages, home: str) -> str:
    if not home:
        return pages.home or pages.urls()[0]
    if (url := canonical(home)) not in pages.written:
        raise ConfigError(f"{home}: the archives have no record of it; name another --home")
    return url


def _described(name: str, home: str, pages: Pages, known: Labels, rows: list[dict[str, str]]) -> str:
    wrote = ", ".join(list(pages.software)[:3]) or "archives"
    about = f"{len(pages.urls())} pages of archives"
    head = {"name": name, "about": about, "home": home, "source": f"{wrote}, read by opilio {__version__}"}
    return corpus_toml(head, _tasks(known, rows, home))


def _tasks(known: Labels, rows: list[dict[str, str]], home: str) -> Iterator[dict[str, Any]]:
    """One for each column of labels; what is known by the URL is likely a type of pages, so there is one for each type, too."""
    for column in known.all_columns():
        counts = Counter(value for row in rows for value in row.get(column, "").split("|") if value)
        common = dict(sorted(counts.most_common(MOST_TOPICS)))
        yield from topic_task(column, column, common)
        for value, count in common.items() if known.rules and column == known.column else ():
            if count >= LEAST:
                yield {"name": f"{column}-{value}", "kind": "type", "column": column, "target": value, "start": [home]}
