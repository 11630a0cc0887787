"""Formatting tags that are never closed: the parser opens all of them again in every block that follows.

So 400 of them before 4,000 paragraphs become 1.6 million elements. Where that may happen, formatting tags are left out: they hold
neither words nor links.
"""

from __future__ import annotations

import re
from operator import itemgetter

MOST_REOPENED = 150_000  # elements, of 400 bytes each
FEW_TAGS = 750  # that begin something: however many of these are formatting, they cannot become too many elements
PASSES = 3  # over nested pairs

_NAMES = rb"(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)"
# A tag is read as the parser reads it only if every quote in it is closed and holds no other tag.
_ATTRIBUTES = rb"""(?:\s++[\w:-]++(?:=(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=`]++))?)*\s*+"""
_START = re.compile(rb"<%b[\s/>]" % _NAMES, re.IGNORECASE)
_ANY = re.compile(rb"<(?=/?%b[\s/>])[^<>]*>?" % _NAMES, re.IGNORECASE)
_INSIDE = rb"(?:[^<>]++|<(?:a|span)%b>|</(?:a|span)>|<(?:br|img)%b/?>)" % (_ATTRIBUTES, _ATTRIBUTES)
_CONTENT = itemgetter(2)  # of a pair
_PAIR = re.compile(rb"<(%b)%b>(%b{0,50})</\1\s*>" % (_NAMES, _ATTRIBUTES, _INSIDE), re.IGNORECASE)


def closed(body: bytes, tags: int) -> bytes:
    """A body in which this many tags begin, without its formatting tags if too many of them may be opened again."""
    most = MOST_REOPENED // max(tags, FEW_TAGS)  # that may stay open
    if tags <= FEW_TAGS or _few(body, most):
        return body
    return _ANY.sub(b"", body)


def _few(body: bytes, most: int) -> bool:
    """Whether no more formatting tags begin than this, those left out that plainly have an end."""
    for _ in range(PASSES):
        if len(_START.findall(body)) <= most:
            return True
        body = _PAIR.sub(_CONTENT, body)
    return len(_START.findall(body)) <= most
