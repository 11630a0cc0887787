"""Which reader finds the main text of a page: words found and words that do not belong, on pages whose main text is known.

python -m benchmarks.main_text [FOLDER]

FOLDER has pages NAME.html and their main texts NAME.txt, in subfolders html and txt. The newspaper pages of the docs are those
in tests/data of the source package of newspaper4k (`pip download --no-deps --no-binary :all: newspaper4k`). The other sets are
recorded manuals and forums (../shared/corpora), where an element that all pages of the site have holds the main text; the labels
are the words of that element.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from resiliparse.extract.html2text import extract_plain_text
from selectolax.lexbor import LexborHTMLParser

from opilio.content import main_text
from opilio.content.extract import is_enough
from opilio.html import Document
from opilio.html.charset import decode, sniff
from opilio.html.source import source
from opilio.store import warc

SHARED = Path(__file__).parents[2] / "shared" / "corpora"
URL = "http://www.example.org/a/page.html"
MOST, LEAST_WORDS = 120, 100  # pages of a set; words of a label
ELEMENTS = {  # that hold the main text, by corpus
    "postgresql-doc": "div.refentry, div.sect1, div.chapter",
    "docs": "div[role=main], main",
    "openenergymonitor": "div.field-name-body, div.comment .content, div.content.clearfix",
    "redash": "div.post, div.cooked",
}
# Scripts without spaces are counted by letters.
WORD = re.compile(r"[\u0e00-\u0e7f\u1000-\u109f\u3040-\u30ff\u4e00-\u9fff]|\w+")


class Labelled(NamedTuple):
    body: bytes
    text: str


def opilio(page: Labelled, html: str) -> str:
    return Document(page.body, URL, "text/html").main


def everything(page: Labelled, html: str) -> str:
    return Document(page.body, URL, "text/html").text


def trafilatura(page: Labelled, html: str) -> str:
    found: dict[str, str] | None = main_text.read(html, URL)
    return found["text"] if found else ""


def resiliparse(page: Labelled, html: str) -> str:
    return str(extract_plain_text(html, main_content=True, alt_texts=False))


def exported(page: Labelled, html: str) -> str:
    """trafilatura's text, or ours where it is much longer, as exports have it."""
    theirs, ours = trafilatura(page, html), opilio(page, html)
    return theirs if is_enough(theirs, ours) else ours


READERS: tuple[Callable[[Labelled, str], str], ...] = (everything, opilio, resiliparse, trafilatura, exported)


def folder_pages(folder: Path) -> Iterator[Labelled]:
    for path in sorted((folder / "txt").glob("*.txt")):
        page = folder / "html" / f"{path.stem}.html"
        if page.exists():
            yield Labelled(page.read_bytes(), path.read_text(encoding="utf-8"))


def corpus_pages(folder: Path, element: str) -> Iterator[Labelled]:
    """Every seventh page that has the element with enough words in it."""
    entries = (entry for path in sorted(folder.glob("*.warc.gz")) for entry in warc.index(path))
    for entry in islice(entries, 0, None, 7):
        status, _, body = warc.read(next(folder.glob("*.warc.gz")), entry.offset)
        found = LexborHTMLParser(body).css(element) if status == 200 else []
        outer = [node for node in found if not any(other.mem_id == up for up in _above(node) for other in found)]
        text = " ".join(node.text(separator=" ") for node in outer)
        if len(text.split()) >= LEAST_WORDS:
            yield Labelled(body, text)


def _above(node: Any) -> Iterator[int]:
    while node := node.parent:
        yield node.mem_id


def score(found: str, label: str) -> tuple[float, float, float]:
    """Precision, recall and F of words, each counted as often as it stands there."""
    got, wanted = (Counter(WORD.findall(text.lower())) for text in (found, label))
    same = sum((got & wanted).values())
    precision, recall = same / max(1, sum(got.values())), same / max(1, sum(wanted.values()))
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def measure(name: str, pages: list[Labelled]) -> None:
    for reader in READERS:
        total, seconds = [0.0, 0.0, 0.0], 0.0
        for page in pages:
            html = decode(source(page.body, sniff(page.body, "")), "utf-8")
            begun = time.process_time()
            found = reader(page, html)
            seconds += time.process_time() - begun
            total = [one + two for one, two in zip(total, score(found, page.text), strict=True)]
        precision, recall, f = (value / len(pages) for value in total)
        cost = 1000 * seconds / len(pages)
        print(f"| {name} ({len(pages)}) | {reader.__name__} | {precision:.3f} | {recall:.3f} | {f:.3f} | {cost:.1f} |")


def main() -> None:
    print("| pages | reader | precision | recall | F | ms a page |\n| --- | --- | --- | --- | --- | --- |")
    if sys.argv[1:]:
        measure("newspapers", list(folder_pages(Path(sys.argv[1]))))
    for name, element in ELEMENTS.items():
        if (SHARED / name).is_dir():
            measure(name, list(islice(corpus_pages(SHARED / name, element), MOST)))


if __name__ == "__main__":
    main()
