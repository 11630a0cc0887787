"""The text and the links of a PDF file, by PDFium. This runs in a sandbox: nothing else imports it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

MOST_PAGES = 300
MOST_LETTERS = 1_000_000
MOST_LINKS = 200  # on a page
LONGEST_URL = 4096

Block = list[tuple[str, str]]  # text, and the URL that it leads to or ""


def read(body: bytes) -> tuple[str, list[Block]]:
    """Title and blocks of a document; ValueError when it cannot be read."""
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        raise ValueError(str(error)) from None
    blocks: list[Block] = []
    letters = 0
    for number in range(min(len(document), MOST_PAGES)):
        try:
            found = list(_page(document, number, MOST_LETTERS - letters))
        except pypdfium2.PdfiumError:  # a page that is broken
            continue
        blocks += found
        letters += sum(len(text) for block in found for text, _ in block)
        if letters >= MOST_LETTERS:
            break
    return document.get_metadata_value("Title").strip(), blocks


def _page(document: Any, number: int, most: int) -> Iterator[Block]:
    page = document[number]
    words = page.get_textpage()
    text = words.get_text_range(0, min(words.count_chars(), most)) if words.count_chars() else ""
    for line in text.splitlines():
        if line.strip():
            yield [(line.strip(), "")]
    for url, where in _links(document, page):
        yield [((words.get_text_bounded(*where) or url).strip(), url)]


def _links(document: Any, page: Any) -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    """The URLs of link annotations, and where each stands: left, bottom, right, top."""
    place, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    for _ in range(MOST_LINKS):
        if not pdfium.FPDFLink_Enumerate(page.raw, place, link):
            return
        if url := _url(document, pdfium.FPDFLink_GetAction(link)):
            box = pdfium.FS_RECTF()
            pdfium.FPDFLink_GetAnnotRect(link, box)
            yield url, (box.left, box.bottom, box.right, box.top)


def _url(document: Any, action: Any) -> str:
    if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
        return ""
    buffer = ctypes.create_string_buffer(LONGEST_URL)
    size = pdfium.FPDFAction_GetURIPath(document.raw, action, buffer, LONGEST_URL)
    return buffer.value.decode("utf-8", "replace") if 0 < size <= LONGEST_URL else ""
