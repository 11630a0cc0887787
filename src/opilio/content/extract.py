"""The content of a page, whatever it is made of. Libraries that read hostile bytes do so in a process of their own."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from ..errors import ConfigError
from ..html.charset import decode, sniff
from ..html.document import kind_of
from ..html.source import source
from ..nouns import Content, Page
from ..system.sandbox import Sandbox, SandboxError

SECONDS, MEGABYTES = 20.0, 1500  # for one page
ENOUGH = 0.65  # of the words that our own reading finds; with fewer, much was left out, such as all posts of a thread but one


def installed() -> bool:
    """Whether the extra for it is there."""
    return find_spec("trafilatura") is not None


def check_installed() -> None:
    if not installed():
        raise ConfigError('main text and Markdown need trafilatura; install it with: pip install "opilio[content]"')


def extracted(page: Page) -> Content:
    """Main text, Markdown, title, date, author and language of a page that was fetched; nothing of one that was not."""
    check_installed()
    document = page.document
    if not document:
        return Content()
    plain = Content(document.main, document.main, document.title, language=document.language)
    content_type = page.headers.get("content-type", "")
    if kind_of(page.body, content_type) != "html":
        return plain
    answer = _asked(page.body, content_type, page.url)
    if not answer:
        return plain
    content = Content(**{**answer, "title": answer["title"] or plain.title}, language=plain.language)
    return content if is_enough(content.text, plain.text) else content._replace(text=plain.text, markdown=plain.text)


def is_enough(text: str, ours: str) -> bool:
    """Whether a text is not just a small part of what our own reader finds on the page."""
    return len(text.split()) >= ENOUGH * len(ours.split())


def _asked(body: bytes, content_type: str, url: str) -> dict[str, str] | None:
    """What the sandbox makes of a page; None where that is nothing."""
    html = decode(source(body, sniff(body, content_type)), "utf-8")
    try:
        answer: dict[str, str] | None = _reader().ask(html, url)
    except SandboxError:  # this page is left to our own reading of it, which is always there
        return None
    return answer if answer and answer["text"] else None


@cache
def _reader() -> Sandbox:
    return Sandbox("opilio.content.main_text:read", seconds=SECONDS, megabytes=MEGABYTES)
