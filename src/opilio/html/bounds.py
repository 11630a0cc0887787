"""How much of a page is read: what is beyond is there to keep us busy, not to be read."""

from __future__ import annotations

import re

MOST = 1_500_000  # bytes of HTML; a page takes twenty times as much memory while it is read
LONGEST_TAG = 1 << 16  # bytes; the parser compares every attribute of a tag with every other
MOST_LINKS = 10_000

_LONG_TAG = re.compile(rb"<[a-zA-Z][^<>]{%d}[^<>]*" % LONGEST_TAG)


def bounded(body: bytes) -> bytes:
    """The beginning of a page, with absurdly long tags shortened."""
    if len(body) <= LONGEST_TAG:
        return body
    return _LONG_TAG.sub(lambda tag: tag[0][:LONGEST_TAG], body[:MOST])
