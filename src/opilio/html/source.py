"""The bytes of a page made ready for the parser: UTF-8, and neither endless nor absurdly deep."""

from __future__ import annotations

import re
from itertools import accumulate, islice
from operator import sub

from selectolax.lexbor import LexborHTMLParser

from .. import native
from . import charset
from .formatting import closed
from .size_limits import bounded

DEEPEST = 2000  # nested elements; text pasted from office programs reaches 700

# Tags that can pile up: all but those that are empty, or that the next of their kind closes. In scripts "/" is escaped.
NESTING = re.compile(
    rb"<(\\?/)?(?!(?:area|base|body|br|col|colgroup|dd|dt|embed|head|hr|html|img|input|li|link|meta|optgroup|option|p|param|"
    rb"rp|rt|source|tbody|td|tfoot|th|thead|tr|track|wbr|circle|ellipse|image|line|path|polygon|polyline|rect|stop|use)"
    rb"[\s/>])[a-z]",
    re.IGNORECASE,
)
STEP = {b"": 1, b"/": -1, b"\\/": -1}  # deeper, by what stands before the name


def source(body: bytes, name: str) -> bytes:
    """What the parser is given of a body in the charset of that name."""
    if name != "utf-8" or not _valid(body):
        body = charset.decode(body, name).encode(errors="replace")
    body = bounded(body.removeprefix(b"\xef\xbb\xbf"))
    tags = (native.functions.opened if native.has("opened") else opened)(body)
    return closed(_shallow(body, tags), tags)


def tree(body: bytes, name: str) -> LexborHTMLParser:
    return LexborHTMLParser(source(body, name))


def _valid(body: bytes) -> bool:
    if body.isascii():
        return True
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def opened(body: bytes) -> int:
    """How many tags begin in a body, at most; there is a compiled one, too."""
    return body.count(b"<") - body.count(b"</")


def _shallow(body: bytes, tags: int) -> bytes:
    """The body up to where it nests absurdly deep: the parser's time grows with the square of the depth."""
    if tags < DEEPEST:
        return body
    steps = list(map(STEP.__getitem__, NESTING.findall(body)))
    heights = list(
        accumulate(steps, initial=0)
    )  # below 0 where more ends than begins, which is a new ground to count from
    depths = map(sub, heights, accumulate(heights, min))
    deep = next((number for number, depth in enumerate(depths) if depth > DEEPEST), 0)
    return body[: next(islice(NESTING.finditer(body), deep - 1, None)).start()] if deep else body
