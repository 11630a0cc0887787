"""What becomes of the records of an archive: one record for each URL of the corpus, as its reader wants them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from ...http_message import fields, split
from ...store.any_warc import Record
from ...store.warc import read
from ...store.warc_records import copied_record, response_record, warcinfo_record
from ...urls import canonical

STATUS = re.compile(rb"HTTP/\S+\s+([1-5][0-9]{2})\b")
NO_TEXT = ("image/", "audio/", "video/", "font/")  # nothing reads these bodies, and most bytes of an archive are theirs
NOWHERE = "1970-01-01T00:00:00Z"  # the date of a record that has none
LONGEST = 120  # of what a program calls itself


class Answer(NamedTuple):
    """What a record says of its URL."""

    status: int
    mime: str
    start: int  # of the body


class Revisit(NamedTuple):
    """A page that came before under this or another URL."""

    url: str
    date: str
    digest: str
    earlier: str


class Pages:
    """The archive of a corpus, written record by record; what is left out is counted by its reason."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.left_out: Counter[str] = Counter()
        self.written: dict[str, tuple[int, int]] = {}  # of each URL the record that counts: offset and status
        self.software: dict[str, None] = {}  # what wrote the archives
        self.home = ""  # the first HTML page
        self._digests: dict[str, int] = {}
        self._revisits: list[Revisit] = []
        self._file = path.open("wb")
        self._file.write(warcinfo_record(path.name, {"software": "opilio"}, NOWHERE))

    def __enter__(self) -> Pages:
        return self

    def __exit__(self, *failed: object) -> None:
        self._file.close()

    def add(self, record: Record) -> None:
        kind = record.headers.get("warc-type", "")
        if kind == "warcinfo":
            wrote = fields(record.block.splitlines()).get("software", "")
            self.software |= {" ".join(wrote.split())[:LONGEST]: None} if wrote else {}
        if kind not in ("response", "resource", "revisit"):
            return
        url = record.headers.get("warc-target-uri", "").removeprefix("<").removesuffix(">").strip()
        if not (name := canonical(url)) or not name.startswith("http"):
            self.left_out["not of an http or https URL"] += 1
        elif kind == "revisit":
            self._revisits.append(_revisit(name, record))
        elif answer := _answer(record):
            self._write(name, url, kind, record, answer)
        else:
            self.left_out["no answer by HTTP"] += 1

    def _write(self, name: str, url: str, kind: str, record: Record, answer: Answer) -> None:
        if not self._better(name, answer.status):
            return
        cut = len(record.block) > answer.start and answer.mime.startswith(NO_TEXT)
        block = record.block[: answer.start] if cut else record.block
        self.written[name] = self._file.tell(), answer.status
        if digest := record.headers.get("warc-payload-digest"):
            self._digests.setdefault(digest, self._file.tell())
        truncated = "length" if cut or not record.whole else record.headers.get("warc-truncated", "")
        content_type = record.headers.get("content-type", "")
        self._file.write(copied_record(kind, url, _date(record), content_type, block, truncated))
        if not self.home and answer.status == 200 and "html" in answer.mime:
            self.home = name

    def _better(self, name: str, status: int) -> bool:
        """Whether a record is to count: the first page of a URL, and the first answer until a page comes."""
        _, before = self.written.get(name, (0, 0))
        if before and (200 <= before < 300 or not 200 <= status < 300):
            self.left_out["of a URL that has a record already"] += 1
            return False
        return True

    def finish(self) -> None:
        """Write whole pages for those that were archived as a reference to an earlier one."""
        self._file.flush()
        for revisit in self._revisits:
            if self._better(revisit.url, 200):
                self._write_revisit(revisit)

    def _write_revisit(self, revisit: Revisit) -> None:
        place = self._digests.get(revisit.digest)
        if place is None:
            place, _ = self.written.get(revisit.earlier, (None, 0))
        if place is None:
            self.left_out["a reference to a page that is in none of the archives"] += 1
            return
        answer = read(self.path, place)
        self.written[revisit.url] = self._file.tell(), answer.status
        self._file.write(response_record(revisit.url, *answer, revisit.date))
        self._file.flush()

    def urls(self) -> list[str]:
        """Those of pages, without redirects and dead links."""
        return [url for url, (_, status) in self.written.items() if 200 <= status < 300]


def _answer(record: Record) -> Answer | None:
    content_type = record.headers.get("content-type", "")
    if not content_type.lower().startswith("application/http"):
        return Answer(200, content_type.lower(), 0) if record.headers["warc-type"] == "resource" else None
    first, lines, start = split(record.block)
    status = STATUS.match(first)
    mime = fields(lines).get("content-type", "").lower()
    return Answer(int(status[1]), mime, start or len(record.block)) if status else None


def _revisit(name: str, record: Record) -> Revisit:
    earlier = canonical(record.headers.get("warc-refers-to-target-uri", "").strip("<>")) or name
    return Revisit(name, _date(record), record.headers.get("warc-payload-digest", ""), earlier)


def _date(record: Record) -> str:
    return record.headers.get("warc-date", "") or NOWHERE
