"""What the files of a corpus beside corpus.toml hold: pages, labels and edges, every URL in canonical form."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import UnreadableError
from ..store import warc
from ..urls import canonical
from .problems import MANUAL, NOTE, lines

ARCHIVES = (".warc.gz", ".warc")


@dataclass(slots=True)
class Contents:
    """Pages, labels and edges as they are cached: plain lists and arrays."""

    files: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    places: list[list[int]] = field(default_factory=list)  # file, offset, status
    aliases: dict[str, str] = field(default_factory=dict)
    collisions: int = 0
    columns: list[str] = field(default_factory=list)
    labels: dict[str, list[str]] = field(default_factory=dict)
    edges: list[list[str]] = field(default_factory=list)


def read_contents(folder: Path, problems: list[str]) -> Contents:
    """All that the files hold; what is wrong with them is added to the problems."""
    contents = Contents(files=sorted(path.name for path in folder.iterdir() if path.name.endswith(ARCHIVES)))
    if not contents.files and not (folder / "edges.csv").exists():
        problems.append(f"{folder}: there are neither pages (*.warc.gz) nor edges.csv in it; {MANUAL}")
    header, rows = read_table(folder / "labels.csv", ("url",), problems)
    contents.columns = [name for name in header if name != "url"]
    contents.labels = read_labels(folder / "labels.csv", header, rows, problems)
    header, rows = read_table(folder / "edges.csv", ("source", "target"), problems)
    contents.edges = _edges(folder / "edges.csv", header, rows, problems)
    _read_pages(folder, contents, problems)
    return contents


def _read_pages(folder: Path, contents: Contents, problems: list[str]) -> None:
    rows: dict[str, list[int]] = {}
    for number, name in enumerate(contents.files):
        try:
            for entry in warc.index(folder / name):
                contents.collisions += not _take(contents, rows, number, entry)
        except UnreadableError as error:
            problems.append(str(error))
    contents.urls, contents.places = list(rows), list(rows.values())


def _take(contents: Contents, rows: dict[str, list[int]], number: int, entry: warc.Entry) -> bool:
    """Enter a record unless its URL is taken; a page wins over a redirect or an error, else the first one wins."""
    url = canonical(entry.url) or entry.url.strip()
    if not url.startswith("http") and url not in contents.labels:
        return True  # dns:, metadata: and the like, of no use here; a page that has labels is, whatever its name
    target = canonical(entry.location, url) if 300 <= entry.status < 400 and entry.location else ""
    better = url not in rows or (good(entry.status) and not good(rows[url][2]))
    new = url not in rows and target != url
    if better and target != url:
        rows[url] = [number, entry.offset, entry.status]
        contents.aliases.pop(url, None)
        contents.aliases |= {url: target} if target else {}
    return new


def good(status: int) -> bool:
    """Whether the answer is a page, and not a redirect or an error."""
    return 200 <= status < 300


Rows = list[tuple[int, list[str]]]  # line number and fields


def read_table(path: Path, needed: tuple[str, ...], problems: list[str]) -> tuple[list[str], Rows]:
    """Header and rows of a CSV file; both empty where there is no file or it is no use."""
    if not path.exists():
        return [], []
    try:
        header, rows = _parsed(path.read_bytes())
    except (OSError, ValueError) as error:
        problems.append(f"{path}, {error}; write it as CSV in UTF-8")
        return [], []
    if len(set(header)) < len(header):
        problems.append(f"{path}, line 1: two columns have the same name ({', '.join(header)}); rename one")
        return [], []
    for name in needed:
        if name not in header:
            problems.append(f'{path}, line 1: there is no column "{name}" (found: {", ".join(header)}); add it')
            return [], []
    wrong = [line for line, row in rows if len(row) != len(header)]
    if wrong:
        problems.append(f"{path}, {lines(wrong)}: not {len(header)} fields as in line 1; quote values that hold commas")
    return header, [] if wrong else rows


def _parsed(data: bytes) -> tuple[list[str], Rows]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line}: {error.reason}") from None
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header = [name.strip() for name in next(reader, [])]
        return header, [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from None


def read_labels(path: Path, header: list[str], rows: Rows, problems: list[str]) -> dict[str, list[str]]:
    labels: dict[str, list[str]] = {}
    odd: list[int] = []
    double: list[int] = []
    for line, row in rows:
        written = row.pop(header.index("url")).strip()
        url = canonical(written)
        if not url:
            odd.append(line)
        if labels.setdefault(url or written, row) is not row:
            double.append(line)
    if odd:
        problems.append(f"{NOTE}{path}, {lines(odd)}: no http or https URL, so no link leads there; correct the URL")
    if double:
        what = "the URL, in canonical form, has labels already; the first row counts, remove the others"
        problems.append(f"{NOTE}{path}, {lines(double)}: {what}")
    return labels


def _edges(path: Path, header: list[str], rows: Rows, problems: list[str]) -> list[list[str]]:
    edges: dict[tuple[str, str], None] = {}
    odd: list[int] = []
    for line, row in rows:
        source, target = (canonical(row[header.index(name)]) for name in ("source", "target"))
        if source and target:
            edges[source, target] = None
        else:
            odd.append(line)
    if odd:
        problems.append(
            f"{path}, {lines(odd)}: source and target must both be http or https URLs; correct or remove the row"
        )
    return [list(edge) for edge in edges]
