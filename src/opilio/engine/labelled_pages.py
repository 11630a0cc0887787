"""Pages that people have judged: a CSV file, or a corpus folder with its labels.csv and recorded pages."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigError, UnreadableError, unknown
from ..fetchers.replay import Recorded, Replay
from ..html import Document
from ..nouns import Fetcher, Link, Material, Offer, Page
from ..store import warc
from ..urls import canonical, digest

YES = frozenset(("1", "yes", "true", "positive", "relevant", "on"))
NO = frozenset(("0", "no", "false", "negative", "irrelevant", "off"))
SOURCES = ("text", "file", "url")  # columns that say where a page is, the first that there is counts
SHOWN = 40  # labels in a sentence
MOST = 1_000  # pages of each kind


class Row(NamedTuple):
    place: str  # file and line
    label: str
    text: str
    file: str
    url: str


def parts(spec: str) -> tuple[Path, str, str]:
    """What FILE, FILE:LABEL or FILE:COLUMN=LABEL says: the file or folder, the column, the label that is wanted."""
    places = [spec, *(spec[:at] for at in reversed(range(len(spec))) if spec[at] == ":")]
    path = next((place for place in places if place and Path(place).exists()), places[-1])
    column, sign, label = spec[len(path) + 1 :].partition("=")
    return (Path(path), column, label) if sign else (Path(path), "", column)


async def labelled(spec: str, fetcher: Fetcher | None) -> Material:
    """The pages of a label file or corpus folder by kind; URLs are looked for in the folder, else fetched.

    The column may be left out when there is only one, the label that is wanted when labels say yes or no.
    """
    path, column, positive = parts(spec)
    table = path / "labels.csv" if path.is_dir() else path
    rows, column = _rows(table, column)
    is_positive = _judge(table, rows, column, positive)
    judged = _some([(row, is_positive(row)) for row in rows])
    source = recorded(path) if path.is_dir() else fetcher
    kinds: dict[bool, list[Page]] = {True: [], False: []}
    for row, kind in judged:
        page = await _page(row, table, source)
        if page.text.strip() or not path.is_dir():  # a corpus may have labels without pages
            kinds[kind].append(page)
    return Material("", tuple(kinds[True]), tuple(kinds[False]))


def recorded(folder: Path) -> Replay:
    """The pages in the WARC files of a folder, as a fetcher."""
    places: dict[str, tuple[Path, int]] = {}
    for path in sorted((*folder.glob("*.warc.gz"), *folder.glob("*.warc"))):
        for entry in warc.index(path):
            places.setdefault(canonical(entry.url) or entry.url, (path, entry.offset))
    if not places:
        raise UnreadableError(f"{folder}: there are no recorded pages in it (*.warc.gz); name a corpus folder")
    return Replay(lambda url: Recorded(*warc.read(*places[url])) if url in places else None)


async def followed(fetcher: Fetcher, url: str) -> Page:
    """The page at a URL, behind one redirect if there is one."""
    page = await fetcher.fetch(Offer(Link(url)))
    return await fetcher.fetch(Offer(Link(page.location))) if page.location else page


def from_file(path: Path, url: str = "") -> Page:
    """A page in a file: HTML or plain text."""
    try:
        body = path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read ({error.strerror}); name a file with a page in it") from None
    url = url or path.resolve().as_uri()
    return Page(Offer(Link(url)), url, 200, body=body, document=Document(body, url))


def _rows(path: Path, column: str) -> tuple[list[Row], str]:
    """The rows that have a label, and the name of the column of labels."""
    header, lines = _table(path)
    others = [name for name in header if name not in SOURCES and name]
    if not set(SOURCES) & set(header):
        raise UnreadableError(f"{path}, line 1: no column names the pages; add a column url, file or text")
    if column and column not in others:
        raise ConfigError(f"{path}, line 1: {unknown('column', column, others)}")
    if not column and len(others) != 1:
        found = f"there are {', '.join(others)}" if others else "there is none beside the pages"
        raise ConfigError(
            f"{path}, line 1: which column has the labels? ({found}); name it as in {path}:{(others or ['COLUMN'])[0]}=LABEL"
        )
    column = column or others[0]
    made = [
        Row(f"{path}, line {n}", line[column].strip(), *(line.get(name, "").strip() for name in SOURCES))
        for n, line in lines
    ]
    rows = [row for row in made if row.label]
    if not rows:
        raise UnreadableError(f"{path}: no row has a label in column {column}; label some pages")
    return rows, column


def _table(path: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            header = [name.strip() for name in next(reader, [])]
            lines = list(_numbered(reader))
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read ({error.strerror}); name a CSV file of labels") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise UnreadableError(f"{path}: this is not CSV in UTF-8 ({error}); write it as such") from None
    for number, line in lines:
        if len(line) != len(header):
            raise UnreadableError(
                f"{path}, line {number}: {len(line)} fields, not {len(header)} as in line 1; quote values with commas"
            )
    return header, [(number, dict(zip(header, line, strict=True))) for number, line in lines]


def _numbered(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """The rows with the number of the line where each begins."""
    first = reader.line_num + 1
    for row in reader:
        if row:
            yield first, row
        first = reader.line_num + 1


def _judge(path: Path, rows: list[Row], column: str, positive: str) -> Callable[[Row], bool]:
    if not positive or positive.lower() in YES:
        return _says_yes
    if not any(_is_about(row.label, positive) for row in rows):
        labels = {label.strip() for row in rows for label in row.label.split("|")}
        raise ConfigError(f"{path}, column {column}: {unknown('label', positive, sorted(labels)[:SHOWN])}")
    return lambda row: _is_about(row.label, positive)


def _says_yes(row: Row) -> bool:
    answer = row.label.lower()
    if answer not in YES | NO:
        raise ConfigError(
            f'{row.place}: label "{row.label}" is not known; write yes or no, or name the label that is wanted behind the file, '
            f"as in {row.place.rpartition(', line')[0]}:{row.label}"
        )
    return answer in YES


def _is_about(labels: str, wanted: str) -> bool:
    """Whether one of several labels, parted by |, is the wanted one or below it in a hierarchy."""
    return any(f"{label.strip()}/".startswith(f"{wanted}/") for label in labels.split("|"))


def _some(judged: list[tuple[Row, bool]]) -> list[tuple[Row, bool]]:
    """At most MOST of each kind, by the hash of what names the page: learning from more takes long and brings little."""
    kept = []
    for kind in (True, False):
        rows = [(row, answer) for row, answer in judged if answer == kind]
        kept += sorted(rows, key=lambda pair: digest("".join(pair[0][2:])))[:MOST] if len(rows) > MOST else rows
    return kept


async def _page(row: Row, table: Path, fetcher: Fetcher | None) -> Page:
    if row.text:
        from ..topics.kept_material import shown  # with all that topics learn by, which a crawl may do without

        return shown(row.url or row.place, "", row.text)
    if row.file:
        return from_file(table.parent / row.file, row.url)
    url = canonical(row.url) or row.url
    if not url:
        raise UnreadableError(f"{row.place}: the row names no page; fill in url, file or text")
    if fetcher is None:
        raise ConfigError(
            f"{row.place}: {url} has to be fetched; name the folder where it is recorded with --corpus DIR"
        )
    return await followed(fetcher, url)
