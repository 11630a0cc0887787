"""How much of a page is read: what is beyond is there to keep us busy, not to be read."""

from __future__ import annotations

import re
from itertools import islice

MOST = 1_500_000  # bytes of HTML; a page takes twenty times as much memory while it is read
LONGEST_TAG = 1 << 16  # bytes; the parser compares every attribute of a tag with every other
MOST_TAGS = 100_000  # that begin or end something; each takes hundreds of bytes in the tree
MOST_LINKS = 10_000
MOST_LINK_TEXT = 8_000_000  # characters of the links of a page, with their paths, contexts and where they stand
FEW_LINKS = 500  # that cannot have as much
LONGEST_TITLE = 1_000  # characters; it is stored with the page, sent to whoever lists it, and shown
LONGEST_ANCHOR = 1_000  # characters of a link's own words, which are stored with it; src/native/layout.h has it too
LONGEST_REL = 200  # characters; src/native/layout.h has it too
LONGEST_TAG_NAME = 100  # characters of it in a path, which every link below it has

_LONG_TAG = re.compile(rb"<[a-zA-Z][^<>]{%d}[^<>]*" % LONGEST_TAG)


def bounded(body: bytes) -> bytes:
    """The beginning of a page, with absurdly long tags shortened."""
    if len(body) <= LONGEST_TAG:
        return body
    return _LONG_TAG.sub(lambda tag: _cut(tag[0], LONGEST_TAG), _few_tags(_cut(body, MOST)))


def _cut(body: bytes, size: int) -> bytes:
    """The beginning of some UTF-8, without half a character at its end."""
    while len(body) > size > 0 and body[size] & 0xC0 == 0x80:  # three times at most
        size -= 1
    return body[:size]


def _few_tags(body: bytes) -> bytes:
    if body.count(b"<") <= MOST_TAGS:
        return body
    last = next(islice(re.finditer(b"<", body), MOST_TAGS, None))
    return body[: last.start()]
