"""The text and the links of a DOCX file: XML in a zip archive. This runs in a sandbox: nothing else imports it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree

MOST_BYTES = 32 << 20  # of one part, unpacked
MOST_LETTERS = 1_000_000
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
TITLE = "{http://purl.org/dc/elements/1.1/}title"

Block = list[tuple[str, str]]  # text, and the URL that it leads to or ""


def read(body: bytes) -> tuple[str, list[Block]]:
    """Title and blocks of a document; ValueError when it cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            targets = {
                link.get("Id", ""): link.get("Target", "")
                for link in _tree(archive, "word/_rels/document.xml.rels")
                if link.get("TargetMode") == "External"
            }
            text = _tree(archive, "word/document.xml", needed=True)
            about = _tree(archive, "docProps/core.xml")
    except (zipfile.BadZipFile, ElementTree.ParseError, NotImplementedError, RuntimeError, EOFError) as error:
        raise ValueError(str(error)) from None
    return (about.findtext(TITLE) or "").strip(), list(_blocks(text, targets))


def _tree(archive: zipfile.ZipFile, name: str, needed: bool = False) -> ElementTree.Element:
    if name not in archive.namelist():
        if needed:
            raise ValueError(f"no {name} in it")
        return ElementTree.Element("nothing")
    with archive.open(name) as part:
        data = part.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"{name} is longer than {MOST_BYTES >> 20} MB")
    return ElementTree.fromstring(data)


def _blocks(text: ElementTree.Element, targets: dict[str, str]) -> Iterator[Block]:
    letters = 0
    for paragraph in text.iter(f"{WORD}p"):
        block = [piece for piece in _pieces(paragraph, targets) if piece[0].strip()]
        letters += sum(len(words) for words, _ in block)
        if letters > MOST_LETTERS:
            return
        if block:
            yield block


def _pieces(paragraph: ElementTree.Element, targets: dict[str, str]) -> Iterator[tuple[str, str]]:
    plain = ""
    for child in paragraph:
        if child.tag == f"{WORD}hyperlink":
            yield plain.strip(), ""
            yield _words(child).strip(), targets.get(child.get(RELATION, ""), "")
            plain = ""
        else:
            plain += _words(child)
    yield plain.strip(), ""


def _words(element: ElementTree.Element) -> str:
    return "".join(node.text or "" if node.tag == f"{WORD}t" else " " for node in element.iter() if node.tag in SHOWN)


SHOWN = {f"{WORD}t", f"{WORD}tab", f"{WORD}br"}
