"""Faults of status lines and headers."""

from __future__ import annotations

from .case import HELLO, TYPE, Case, Do, Endless, answer, head

LENGTH = f"Content-Length: {len(HELLO)}"
BAD = ("not http", "bad headers", "cut off")


def first_line(line: bytes) -> tuple[bytes]:
    return (line + b"\r\n" + TYPE + LENGTH.encode() + b"\r\n\r\n" + HELLO,)


def with_header(*lines: bytes | str) -> tuple[bytes]:
    return (answer(HELLO, *lines),)


STATUS_LINES = [
    Case("http-0.9", (HELLO,), 0, BAD),
    Case("no-status-line", (b"hello there\r\n\r\n" + HELLO,), 0, BAD),
    Case("only-newlines", (b"\r\n" * 20,), 0, (*BAD, "empty answer")),
    Case("binary-junk", (bytes(range(256)) * 40,), 0, BAD),
    Case("status-letters", first_line(b"HTTP/1.1 abc OK"), 0, BAD),
    Case("status-missing", first_line(b"HTTP/1.1"), 0, BAD),
    Case("status-negative", first_line(b"HTTP/1.1 -200 OK"), 0, BAD),
    Case("status-two-digits", first_line(b"HTTP/1.1 20 OK"), 0, BAD),
    Case("status-four-digits", first_line(b"HTTP/1.1 2000 OK"), (0, 200), (*BAD, "")),
    Case("status-000", first_line(b"HTTP/1.1 000 None"), 0, BAD),
    Case("status-999", first_line(b"HTTP/1.1 999 Denied"), 999),
    Case("no-reason", first_line(b"HTTP/1.1 200"), 200, body=HELLO),
    Case("long-reason", first_line(b"HTTP/1.1 200 " + b"O" * 50_000), 200, body=HELLO),
    Case("endless-reason", (b"HTTP/1.1 200 ", Endless(b"O" * 4096)), 0, ("headers too large", "curl", *BAD)),
    Case("version-9.9", first_line(b"HTTP/9.9 200 OK"), 0, BAD),
    Case("version-2-in-plain", first_line(b"HTTP/2 200 OK"), (0, 200), (*BAD, "")),
    Case("lower-case", first_line(b"http/1.1 200 ok"), (0, 200), (*BAD, "")),
    Case("icy", first_line(b"ICY 200 OK"), 0, BAD),
    Case("many-spaces", first_line(b"HTTP/1.1    200    OK"), (0, 200), (*BAD, "")),
    Case("blank-lines-first", first_line(b"\r\n\r\nHTTP/1.1 200 OK"), (0, 200), (*BAD, "")),
    Case("bom-first", first_line(b"\xef\xbb\xbfHTTP/1.1 200 OK"), 0, BAD),
    Case("http-1.0", first_line(b"HTTP/1.0 200 OK"), 200, body=HELLO),
    Case("http-1.0-keep", (answer(HELLO, "Connection: keep-alive", first="HTTP/1.0 200 OK"), Do.KEEP), body=HELLO),
]

INTERIM = [
    Case("100-first", (head(first="HTTP/1.1 100 Continue") + answer(),), body=HELLO),
    Case("102-first", (head(first="HTTP/1.1 102 Processing") * 3 + answer(),), body=HELLO),
    Case("103-first", (head("Link: </x>; rel=preload", first="HTTP/1.1 103 Early Hints") + answer(),), body=HELLO),
    Case("199-first", (head(first="HTTP/1.1 199 What") + answer(),), body=HELLO),
    Case("1xx-flood", (Endless(head(first="HTTP/1.1 100 Continue") * 100),), (0, 100), ("headers too large", "timeout", "curl")),
    Case("1xx-drip", (Endless(head(first="HTTP/1.1 100 Continue"), 0.05),), (0, 100), ("timeout", "headers too large")),
    Case("100-and-silence", (head(first="HTTP/1.1 100 Continue"), Do.HANG), (0, 100), "timeout"),
    Case("100-and-close", (head(first="HTTP/1.1 100 Continue"),), (0, 100), ("empty answer", "cut off", "bad headers", "reset")),
    Case("101-unasked", (head("Upgrade: websocket", first="HTTP/1.1 101 Switching") + b"\x81\x05hello", Do.HANG),
         (0, 101), ("timeout", "bad headers", "curl", "")),
]  # fmt: skip

HEADERS = [
    Case("bare-lf", (answer().replace(b"\r\n", b"\n"),), body=HELLO),
    Case("bare-cr", (answer().replace(b"\r\n", b"\r"),), 0, (*BAD, "empty answer")),
    Case("mixed-ends", (answer().replace(b"text/html\r\n", b"text/html\n"),), body=HELLO),
    Case("folded", with_header("X-Long: one\r\n two\r\n\tthree"), body=HELLO),
    Case("folded-first", (b"HTTP/1.1 200 OK\r\n folded\r\n" + TYPE + b"Content-Length: 2\r\n\r\nhi",), (0, 200), (*BAD, "")),
    Case("space-before-colon", with_header("X-Odd : value"), body=HELLO),
    Case("no-colon", with_header("what is this"), (0, 200), ("", *BAD)),
    Case("no-name", with_header(": value"), (0, 200), ("", *BAD)),
    Case("no-value", with_header("X-Empty:"), body=HELLO),
    Case("nul-header", with_header(b"X-Nul: a\0b"), (0, 200), BAD),
    Case("nul-name", with_header(b"X\0Nul: a"), (0, 200), BAD),
    Case("control-header", with_header(b"X-Bell: \x07\x1b[31m"), body=HELLO),
    Case("latin-1-header", with_header("X-Word: grüße".encode("latin-1")), body=HELLO),
    Case("utf-8-header", with_header("X-Word: grüße 日本"), body=HELLO),
    Case("header-50k", with_header("X-Long: " + "a" * 50_000), body=HELLO),
    Case("header-200k", with_header("X-Long: " + "a" * 200_000), (0, 200), ("headers too large", "curl", *BAD)),
    Case("endless-header", (b"HTTP/1.1 200 OK\r\nX-Long: ", Endless(b"a" * 4096)), (0, 200), ("headers too large", "curl", *BAD)),
    Case("endless-headers", (b"HTTP/1.1 200 OK\r\n", Endless(b"X-More: and more\r\n" * 50)), (0, 200), "headers too large"),
    Case("many-headers", with_header(*(f"X-{n}: {n}" for n in range(2000))), body=HELLO),
    Case("too-many-headers", with_header(*(f"X-{n}: {n}" for n in range(20_000))), (0, 200), "headers too large"),
    Case("header-drip", (b"HTTP/1.1 200 OK\r\n", Endless(b"X-Slow: yes\r\n", 0.1)), (0, 200), "timeout"),
    Case("header-byte-drip", (b"HTTP/1.1 200 OK\r\nX-Slow: ", Endless(b"y", 0.1)), (0, 200), "timeout"),
    Case("first-byte-never", (Do.HANG,), 0, "timeout: first byte"),
    Case("first-line-half", (b"HTTP/1.", Do.HANG), 0, "timeout"),
    Case("head-half", (b"HTTP/1.1 200 OK\r\nContent-Ty", Do.HANG), (0, 200), "timeout"),
    Case("head-dropped", (b"HTTP/1.1 200 OK\r\nContent-Ty",), (0, 200), ("cut off", "bad headers", "reset")),
    Case("head-reset", (b"HTTP/1.1 200 OK\r\nContent-Ty", 0.05, Do.RESET), (0, 200), "reset"),
    Case("cookie-flood", with_header(*(f"Set-Cookie: c{n}={'x' * 20}; Path=/" for n in range(1000))), body=HELLO),
    Case("cookie-huge", with_header("Set-Cookie: big=" + "x" * 40_000), body=HELLO),
    Case("cookie-odd", with_header("Set-Cookie: =;;;\x01=\x02; Domain=.com; Max-Age=99999999999999"), (0, 200), ("", *BAD)),
    Case("type-twice", with_header("Content-Type: image/png"), body=HELLO),
    Case("keep-alive-lie", (answer(HELLO, "Connection: keep-alive"),), body=HELLO),
    Case("close-and-linger", (answer(HELLO, "Connection: close"), Do.HANG), body=HELLO),
    Case("header-only-drop", (head("Content-Type: text/html", LENGTH),), 200, "cut off"),
]  # fmt: skip

CASES = [*STATUS_LINES, *INTERIM, *HEADERS]
