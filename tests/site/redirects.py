"""Answers that send somewhere else, and answers that send away."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

from .case import HELLO, Case, Endless, answer, head

HOPS = 8
PAST = format_datetime(datetime(2001, 1, 1, tzinfo=UTC), usegmt=True)
FAR = format_datetime(datetime(2999, 1, 1, tzinfo=UTC), usegmt=True)


def to(place: bytes | str, status: int = 302) -> tuple[bytes]:
    line = b"Location: " + (place.encode() if isinstance(place, str) else place)
    return (answer(b"<p>gone", line, first=f"HTTP/1.1 {status} Moved"),)


def at(name: str) -> str:
    return f"http://{name}.http.test"


def moved(name: str, place: bytes | str, leads: str | None, status: int = 302) -> Case:
    return Case(f"to-{name}", to(place, status), status, location=leads)


LOOPS = [
    Case("loop", to("/loop"), 302, location=f"{at('loop')}/loop"),
    Case("loop-by-fragment", to("#again"), 302, location=f"{at('loop-by-fragment')}/loop-by-fragment"),
    Case("ping-pong", to(f"{at('pong-ping')}/pong-ping"), 302, location=f"{at('pong-ping')}/pong-ping"),
    Case("pong-ping", to(f"{at('ping-pong')}/ping-pong"), 302, location=f"{at('ping-pong')}/ping-pong"),
    *(Case(f"chain-{n}", to(f"{at(f'chain-{n - 1}')}/chain-{n - 1}") if n else (answer(),), 302 if n else 200)
      for n in range(HOPS)),
]  # fmt: skip

REFRESHES = [
    Case("refresh-header", (answer(b"", "Refresh: 0; url=/there"),), location=f"{at('refresh-header')}/there"),
    Case("refresh-meta", (answer(b"<meta http-equiv=refresh content='0; url=/there'>"),),
         location=f"{at('refresh-meta')}/there"),
    Case("refresh-loop", (answer(b"", "Refresh: 0"),), location=""),
    Case("refresh-private", (answer(b"", "Refresh: 0; url=http://10.0.0.1/"),), location="http://10.0.0.1/"),
    Case("refresh-blanks", (answer(b"", "Refresh: 0;" + " " * 40_000),), location=""),
]  # fmt: skip

PLACES = [
    *(moved(str(status), "/there", f"{at(f'to-{status}')}/there", status) for status in (301, 302, 303, 307, 308)),
    moved("300", "/there", f"{at('to-300')}/there", 300),
    moved("399", "/there", f"{at('to-399')}/there", 399),
    moved("relative", "there?a=b", f"{at('to-relative')}/there?a=b"),
    moved("dots", "/a/../../../b", f"{at('to-dots')}/b"),
    moved("other-host", "//other.test/x", "http://other.test/x"),
    moved("spaces", "/a b  c ", f"{at('to-spaces')}/a%20b%20%20c"),
    moved("backslashes", "\\\\other.test\\x", "http://other.test/x"),
    moved("user", "http://user:pass@other.test/", "http://other.test/"),
    moved("umlaut", "http://bücher.test/ü", "http://xn--bcher-kva.test/%C3%BC"),
    moved("latin-1", "/ü".encode("latin-1"), None),
    moved("nothing", "", ""),
    moved("javascript", "javascript:alert(1)", ""),
    moved("data", "data:text/html,<p>hi", ""),
    moved("file", "file:///etc/passwd", ""),
    moved("ftp", "ftp://other.test/", ""),
    moved("mailto", "mailto:a@b.test", ""),
    moved("gopher", "gopher://127.0.0.1:6379/_FLUSHALL", ""),
    moved("unparsable", "http://[::1", ""),
    moved("private-10", "http://10.0.0.1/", "http://10.0.0.1/"),
    moved("metadata", "http://169.254.169.254/latest/", "http://169.254.169.254/latest/"),
    moved("loopback-6", "http://[::1]/", "http://[::1]/"),
    moved("mapped-6", "http://[::ffff:10.0.0.1]/", "http://[::ffff:a00:1]/"),
    moved("decimal-address", "http://2130706433/", "http://127.0.0.1/"),
    moved("octal-address", "http://0177.0.0.1/", "http://127.0.0.1/"),
    moved("port-22", "http://other.test:22/", "http://other.test:22/"),
    moved("port-99999", "http://other.test:99999/", ""),
    moved("very-long", "/" + "a" * 50_000, ""),
    moved("control", b"/a\x01\x1b[2Jb", None),
    moved("tab", b"/a\tb", f"{at('to-tab')}/ab"),
    moved("split", "/x\r\nSet-Cookie: evil=1", f"{at('to-split')}/x"),
    Case("to-two-places", (answer(b"", "Location: /one", "Location: /two", first="HTTP/1.1 302 Found"),), (0, 302),
         ("", "bad headers")),
    Case("to-nowhere", (answer(b"", first="HTTP/1.1 301 Moved"),), 301, location=""),
    Case("to-with-nul", to(b"/a\0b"), (0, 302), ("bad headers", "not http")),
    Case("to-too-long", to("/" + "a" * 200_000), (0, 302), ("headers too large", "curl", "bad headers")),
    Case("to-with-endless-body", (head("Location: /x", first="HTTP/1.1 302 Found"), Endless(b"x" * 65536)), 302, "too large"),
    Case("200-with-location", (answer(HELLO, "Location: /other"),), 200, body=HELLO),
]  # fmt: skip


def sorry(status: int, *lines: str) -> tuple[bytes]:
    return (answer(b"<p>sorry", *lines, first=f"HTTP/1.1 {status} Sorry"),)


STATUSES = [
    *(
        Case(f"status-{n}", sorry(n), n)
        for n in (400, 401, 403, 404, 405, 407, 408, 410, 418, 425, 451, 500, 502, 504, 599)
    ),
    Case("429", sorry(429), 429),
    Case("429-seconds", sorry(429, "Retry-After: 7"), 429),
    Case("503-seconds", sorry(503, "Retry-After: 7"), 503),
    Case("503-date", sorry(503, f"Retry-After: {FAR}"), 503),
    Case("503-past", sorry(503, f"Retry-After: {PAST}"), 503),
    Case("503-absurd", sorry(503, f"Retry-After: {'9' * 30}"), 503),
    Case("503-negative", sorry(503, "Retry-After: -5"), 503),
    Case("503-junk", sorry(503, "Retry-After: when we are ready"), 503),
]

CASES = [*LOOPS, *REFRESHES, *PLACES, *STATUSES]
