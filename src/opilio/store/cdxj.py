"""A CDXJ index beside each archive file: one line a page, sorted, as replay tools read it.

It is made of the committed rows when a file is full and when the crawl stops, so it never speaks of bytes that are not
there; a crash leaves a file without index, and the next one to open the folder writes it.
"""

from __future__ import annotations

import re
import sqlite3
import time
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _quoted
from pathlib import Path

from ..system import durable

ENDING = ".cdxj"
WWW = re.compile(r"www\d*\.")
QUERY = """
SELECT url, time, status, mime, digest, offset, length FROM pages WHERE file = ?1 AND number NOT IN (SELECT page FROM revisits)
UNION ALL
SELECT p.url, p.time, p.status, 'warc/revisit', p.digest, r.offset, r.length
FROM revisits AS r JOIN pages AS p ON p.number = r.page WHERE r.file = ?1
UNION ALL
SELECT url, time, status, mime, digest, offset, length FROM files WHERE file = ?1
"""


def index_of(path: Path) -> Path:
    """Where the index of an archive file is."""
    return path.with_name(path.name.removesuffix(".warc.gz") + ENDING)


def write(db: sqlite3.Connection, path: Path) -> None:
    """Write the index of an archive file, whole or not at all."""
    durable.write(index_of(path), "".join(lines(db, path.name)))


def lines(db: sqlite3.Connection, name: str) -> list[str]:
    """The index of the committed pages in an archive file."""
    return sorted(_line(name, row) for row in db.execute(QUERY, (name,)))


def _line(name: str, row: tuple[str, float, int, str, str, int, int]) -> str:
    url, when, status, mime, digest, offset, length = row
    kind = mime.partition(";")[0].strip() or "unk"
    fields = (
        f'"url": {_quoted(url)}, "mime": {_quoted(kind)}, "status": "{status}", "digest": "{digest}", '
        f'"length": "{length}", "offset": "{offset}", "filename": "{name}"'
    )
    return f"{surt(url)} {_stamp(int(when))} {{{fields}}}\n"


@lru_cache(maxsize=64)
def _stamp(second: int) -> str:
    return time.strftime("%Y%m%d%H%M%S", time.gmtime(second))


def surt(url: str) -> str:
    """A URL turned round so that the pages of a site stand together: com,example)/path?a&b."""
    scheme, _, rest = url.lower().partition("://")
    authority, _, path = rest.partition("/")
    place, mark, query = path.partition("?")
    query = "&".join(sorted(query.split("&"))) if mark else ""
    return f"{_host(authority, scheme)})/{place}{mark}{query}".replace(" ", "%20")


@lru_cache(maxsize=1024)  # a file has many pages of one host
def _host(authority: str, scheme: str) -> str:
    if authority.startswith("["):
        return authority
    host, colon, port = authority.partition(":")
    usual = {"http": "80", "https": "443"}.get(scheme)
    name = WWW.sub("", host, count=1) if WWW.match(host) else host
    labels = [name] if re.fullmatch(r"[\d.]+", name) else name.split(".")
    return ",".join(reversed(labels)) + (f":{port}" if colon and port != usual else "")
