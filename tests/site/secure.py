"""Faults of TLS and of HTTP/2, frame by frame."""

from __future__ import annotations

from .case import HELLO, Case, Do, Endless, answer

SILENT = ("timeout: connect", "timeout: total")
BROKEN = ("http2: broken", "bad headers", "reset", "empty answer", "cut off", "curl")

TLS = [
    Case("tls", (answer(),), body=HELLO, door="https"),
    Case("tls-cut-off", (answer()[:-5],), 200, ("cut off", "reset", "tls"), door="https"),
    Case("tls-reset", (answer()[:-5], 0.05, Do.RESET), 200, ("reset", "tls", "cut off"), door="https"),
    Case("tls-silence", (Do.HANG,), 0, "timeout: first byte", door="https"),
    Case("tls-huge", (b"HTTP/1.1 200 OK\r\n\r\n", Endless(b"x" * 65536)), 200, "too large", door="https"),
    Case("self-signed", (answer(),), 0, "tls", door="self-signed"),
    Case("unknown-issuer", (answer(),), 0, "tls", door="unknown-issuer"),
    Case("expired", (answer(),), 0, "tls", door="expired"),
    Case("not-yet-valid", (answer(),), 0, "tls", door="not-yet-valid"),
    Case("wrong-host", (answer(),), 0, "tls", door="wrong-host"),
    Case("old-tls", (answer(),), 0, ("tls", "reset"), door="old-tls"),
    Case("slow-tls", (Do.HANG,), 0, SILENT, door="raw"),
    Case("tls-junk", (b"\x00\xff" * 100,), 0, ("tls", "reset"), door="raw"),
    Case("tls-plain", (answer(),), 0, ("tls", "reset"), door="raw"),
    Case("tls-closed", (), 0, ("tls", "reset"), door="raw"),
    Case("tls-alert", (b"\x15\x03\x03\x00\x02\x02\x28",), 0, ("tls", "reset"), door="raw"),
    Case("tls-half-hello", (b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc", Do.HANG), 0, SILENT, door="raw"),
    Case(
        "tls-endless-hello",
        (Endless(b"\x16\x03\x03\x40\x00" + bytes(16384)),),
        0,
        ("tls", "reset", *SILENT),
        door="raw",
    ),
]


def frame(kind: int, flags: int = 0, stream: int = 0, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


DATA, HEADERS, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9
HELLO2 = frame(SETTINGS) + frame(SETTINGS, 1)
OK = b"\x88"  # :status 200, by its number in the table of HPACK
GOOD = HELLO2 + frame(HEADERS, 4, 1, OK) + frame(DATA, 1, 1, HELLO)


def two(name: str, *steps: bytes | Do | Endless | float, status: int | tuple[int, ...] = 0, error: str = "") -> Case:
    return Case(f"http2-{name}", steps, status, tuple(error.split("|")) if error else BROKEN, door="http2")


HTTP2 = [
    Case("http2", (GOOD, Do.HANG), body=HELLO, door="http2"),
    Case("http2-interim", (HELLO2 + frame(HEADERS, 4, 1, b"\x08\x03103") + GOOD[len(HELLO2):], Do.HANG), body=HELLO,
         door="http2"),
    two("junk", b"\x00\xff" * 200),
    two("as-http1", answer()),
    two("silence", HELLO2, Do.HANG, error="timeout"),
    two("goaway", HELLO2 + frame(GOAWAY, 0, 0, bytes(8))),
    two("reset-stream", HELLO2 + frame(RST, 0, 1, (2).to_bytes(4, "big")), Do.HANG),
    two("refused-stream", Endless(HELLO2 + frame(RST, 0, 1, (7).to_bytes(4, "big")), 0.05)),
    two("frame-too-large", HELLO2 + frame(DATA, 0, 1, bytes(100_000)), Do.HANG),
    two("headers-undecodable", HELLO2 + frame(HEADERS, 4, 1, b"\xff" * 50), Do.HANG),
    two("no-status", HELLO2 + frame(HEADERS, 5, 1, b"\x0f\x10\x00"), Do.HANG),
    two("data-first", HELLO2 + frame(DATA, 0, 1, HELLO), Do.HANG),
    two("cut", HELLO2 + frame(HEADERS, 4, 1, OK) + frame(DATA, 0, 1, HELLO), status=200),
    two("hang", HELLO2 + frame(HEADERS, 4, 1, OK) + frame(DATA, 0, 1, HELLO), Do.HANG, status=200, error="timeout"),
    two("huge", HELLO2 + frame(HEADERS, 4, 1, OK), Endless(frame(DATA, 0, 1, bytes(16_000))), status=200,
        error="too large|http2"),
    two("ping-flood", HELLO2, Endless(frame(PING, 0, 0, bytes(8)) * 100), error="timeout|http2|reset"),
    two("settings-flood", Endless(frame(SETTINGS) * 100), error="timeout|http2|reset"),
    two("continuation-flood", HELLO2 + frame(HEADERS, 0, 1, OK), Endless(frame(CONTINUATION, 0, 1, b"\x0f\x10\x01a" * 100)),
        status=(0, 200), error="http2|headers too large|timeout|reset"),
    two("empty-data-flood", HELLO2 + frame(HEADERS, 4, 1, OK), Endless(frame(DATA, 0, 1) * 100), status=(0, 200),
        error="timeout|http2|reset"),
    two("push", HELLO2 + frame(PUSH, 4, 1, (2).to_bytes(4, "big") + b"\x82\x84\x86") + GOOD[len(HELLO2):], Do.HANG),
    two("window-overflow", HELLO2 + frame(WINDOW, 0, 0, b"\x7f\xff\xff\xff") * 3, Do.HANG),
    two("window-zero", HELLO2 + frame(WINDOW, 0, 1, bytes(4)), Do.HANG),
]  # fmt: skip

CASES = [*TLS, *HTTP2]
