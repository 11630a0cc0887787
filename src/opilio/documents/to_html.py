"""A PDF or DOCX file as HTML, so that the rest of the program reads it as it reads any page."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

from ..system.sandbox import Sandbox, SandboxError, SandboxTimeoutError

SECONDS, MEGABYTES = 10.0, 1000  # for one document
TYPES = {
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
}
UNTOLD = ("", "application/octet-stream", "binary/octet-stream", "application/unknown", "application/zip")


class Rendering(NamedTuple):
    """What a document became: HTML, or the reason why not."""

    html: bytes = b""
    error: str = ""
    slow: bool = False  # it took longer than it may


def kind_of_document(body: bytes, media_type: str) -> str:
    """pdf or docx, by what its server says and how it begins; "" for anything else."""
    if media_type in TYPES or media_type not in UNTOLD:
        return TYPES.get(media_type, "")
    if body.startswith(b"%PDF-"):
        return "pdf"
    return "docx" if body.startswith(b"PK\x03\x04") and b"word/" in body[:4096] else ""


def rendered(body: bytes, kind: str) -> Rendering:
    """The document as HTML: a paragraph a line, then its links. It takes as long as it takes, up to a limit."""
    if kind == "pdf" and not find_spec("pypdfium2"):
        return Rendering()  # as it is without the extra: stored, and not read
    try:
        title, blocks = _reader(kind).ask(body)
    except SandboxError as error:
        return Rendering(error=f"unreadable {kind}: {error}", slow=isinstance(error, SandboxTimeoutError))
    from html import escape  # here, since its table of entities takes a millisecond to make

    lines = "\n".join(f"<p>{_block(block, escape)}</p>" for block in blocks)
    html = f"<html><head><title>{escape(title)}</title></head><body><main>\n{lines}\n</main></body></html>"
    return Rendering(html.encode("utf-8", "replace"))


def _block(parts: list[tuple[str, str]], escape: Callable[[str], str]) -> str:
    """Pieces of text, some of which are links."""
    return " ".join(f'<a href="{escape(url)}">{escape(text)}</a>' if url else escape(text) for text, url in parts)


@cache
def _reader(kind: str) -> Sandbox:
    return Sandbox(f"opilio.documents.{kind}:read", seconds=SECONDS, megabytes=MEGABYTES)
