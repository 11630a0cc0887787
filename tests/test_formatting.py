"""Formatting tags that are never closed do not become millions of elements; those that are closed stay."""

from __future__ import annotations

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from opilio.html import Document
from opilio.html.formatting import FEW_TAGS, MOST_REOPENED
from opilio.html.source import source

BLOCKS = b"<p>x</p>" * 3000


def elements(body: bytes, names: str = "b, i, font") -> int:
    return len(LexborHTMLParser(source(body, "utf-8")).css(names))


def open_tags(count: int, tag: bytes = b"<b id=%d>") -> bytes:
    return b"<p>" + b"".join(tag % number for number in range(count)) + b"</p>"


@pytest.mark.parametrize(
    "body",
    [
        open_tags(400) + BLOCKS,
        open_tags(400, b"<FONT size=%d>") + BLOCKS,
        open_tags(400, b'<b id="%d>x</b>" >') + BLOCKS,  # the end is inside of an attribute
        open_tags(400, b"<b id=%d><i title='></b>'>") + BLOCKS,
        open_tags(400) + b"<textarea>" + b"</b>" * 400 + b"</textarea>" + BLOCKS,
        open_tags(400) + b"<!--" + b"</b>" * 400 + b"-->" + BLOCKS,
        open_tags(400) + b"<table><td>" + b"</b>" * 400 + b"</table>" + BLOCKS,
        open_tags(400, b"<b id=%d><a title='</b>'></a>") + BLOCKS,
        open_tags(FEW_TAGS // 2) + b"<p>x" * (FEW_TAGS // 2),
    ],
)
def test_tags_without_an_end_are_not_opened_again_without_end(body: bytes) -> None:
    assert elements(body) <= MOST_REOPENED


def test_words_and_links_stay() -> None:
    page = Document(open_tags(400) + b"<p><i>one</i> <a href=/two><b>two</b></a></p>" * 1000, "http://a.example/")
    assert page.text.startswith("one two")
    assert {link.anchor for link in page.links} == {"two"}


def test_tags_with_an_end_stay() -> None:
    row = b'<p><b>one</b> <font size="2"><a href="/x">two</a></font> <b class=x><i>three</i></b><br>'
    assert elements(row * 2000) == 8000


def test_pairs_in_pairs_count_as_closed() -> None:
    row = b"<p><b>one <i>two <em>three</em></i></b></p>"
    assert elements(row * 2000, "b, i, em") == 6000


def test_it_takes_no_longer_than_the_page_is_long() -> None:
    for piece in (
        b"<b ",
        b"<b a=",
        b'<b a="',
        b"<b>",
        b"<b>x",
        b"<b><a ",
        b"<b><a>",
        b"<b\t",
        b"<b a=b ",
        b"<b><span a='",
    ):
        body = b"<p>" * (FEW_TAGS + 1) + piece * (400_000 // len(piece))
        begun = time.process_time()
        source(body, "utf-8")
        assert time.process_time() - begun < 2, piece
