"""Corpora of a handful of pages, written by the tests that need them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from opilio.bench.corpus import Corpus
from opilio.store.warc_records import response_record

SITE = "http://tiny.example/"
DATE = "2024-01-01T00:00:00Z"


def url(name: str) -> str:
    return SITE + name


def urls(names: str) -> list[str]:
    return [url(name) for name in names.split()]


def write(folder: Path, links: Mapping[str, str], labels: Mapping[str, Mapping[str, str]], tasks: str) -> Corpus:
    """A corpus of pages (name -> names it links to; "-> name" is a redirect, "404" a dead link) with labels and tasks."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "corpus.toml").write_text(f'name = "tiny"\nhome = "{url("s")}"\n{tasks}', encoding="utf-8")
    (folder / "pages.warc.gz").write_bytes(b"".join(_record(name, to) for name, to in links.items()))
    columns = sorted({column for row in labels.values() for column in row})
    with (folder / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["url", *columns])
        rows.writerows([url(name), *(row.get(column, "") for column in columns)] for name, row in labels.items())
    return Corpus.open(folder)


def labelled(**kinds: str) -> dict[str, dict[str, str]]:
    """Labels in the column `kind` from value="names of pages"."""
    return {name: {"kind": kind} for kind, names in kinds.items() for name in names.split()}


def task(kind: str, **settings: object) -> str:
    rows = [f"{key} = {_toml(value)}" for key, value in settings.items()]
    return "\n".join(["[[task]]", f'name = "{kind}"', f'kind = "{kind}"', *rows, ""])


def _toml(value: object) -> str:
    if isinstance(value, str):
        return '"' + value + '"'
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, Sequence) else str(value)


def _record(name: str, to: str) -> bytes:
    if to.startswith("-> "):
        return response_record(url(name), 301, {"Location": url(to[3:])}, b"", DATE)
    if to == "404":
        return response_record(url(name), 404, {}, b"", DATE)
    words = f"{name.rstrip('0123456789')} " * 5
    anchors = "".join(f'<a href="{url(target)}">{target}</a> ' for target in to.split())
    body = f"<html><head><title>{name}</title></head><body><p>{words}</p>{anchors}</body></html>"
    return response_record(url(name), 200, {"Content-Type": "text/html"}, body.encode(), DATE)
