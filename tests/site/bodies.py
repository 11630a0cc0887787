"""Faults of lengths, chunks and connections."""

from __future__ import annotations

from .case import HELLO, TYPE, Case, Do, Endless, answer, chunked, head

CHUNKED = "Transfer-Encoding: chunked"
END = b"0\r\n\r\n"
ODD = ("", "bad headers", "cut off", "bad chunk", "reset")


def length(*values: str, body: bytes = HELLO) -> tuple[bytes]:
    return (head("Content-Type: text/html", *(f"Content-Length: {value}" for value in values)) + body,)


def in_chunks(raw: bytes, *lines: str) -> tuple[bytes]:
    return (head("Content-Type: text/html", CHUNKED, *lines) + raw,)


LENGTHS = [
    Case("lying-length-short", length("5"), body=HELLO[:5]),
    Case("lying-length-long", length("5000"), 200, "cut off"),
    Case("length-twice-the-same", length(str(len(HELLO)), str(len(HELLO))), (0, 200), ODD),
    Case("length-twice", length("5", str(len(HELLO))), (0, 200), ODD),
    Case("length-negative", length("-5"), (0, 200), ODD),
    Case("length-letters", length("many"), (0, 200), ODD),
    Case("length-plus", length("+5"), (0, 200), ODD),
    Case("length-hex", length("0x10"), (0, 200), ODD),
    Case("length-list", length("5, 5"), (0, 200), ODD),
    Case("length-empty", length(""), (0, 200), ODD),
    Case("length-enormous", (*length(str(10**15)), Do.HANG), (0, 200), "too large"),
    Case("length-overflow", (*length("9" * 40), Do.HANG), (0, 200), ("too large", "timeout", "bad headers")),
    Case("length-zero-with-body", length("0"), body=b""),
    Case("length-and-chunks", (head(TYPE.strip(), "Content-Length: 3", CHUNKED) + chunked(HELLO) + END,), body=HELLO),
    Case("no-length", (head("Content-Type: text/html") + HELLO,), body=HELLO),
    Case("no-length-hang", (head("Content-Type: text/html") + HELLO, Do.HANG), 200, "timeout: total"),
    Case("huge", (head("Content-Type: text/html"), Endless(b"x" * 65536)), 200, "too large"),
    Case("huge-declared", (head("Content-Type: text/html", f"Content-Length: {1 << 32}"), Endless(b"x" * 65536)), 200,
         "too large"),
    Case("huge-error-page", (head("Content-Type: text/html", first="HTTP/1.1 404 No"), Endless(b"x" * 65536)), 404,
         "too large"),
    Case("drip", (head("Content-Type: text/html", "Content-Length: 9999"), Endless(b"x", 0.1)), 200, "timeout: total"),
    Case("drip-chunks", (head("Content-Type: text/html", CHUNKED), Endless(b"1\r\nx\r\n", 0.1)), 200, "timeout: total"),
    Case("pause", (answer()[:-5], Do.HANG), 200, "timeout: total"),
    Case("slow-but-good", (answer()[:-5], 0.3, answer()[-5:]), body=HELLO),
    Case("slow-first-byte", (0.3, answer()), body=HELLO),
]  # fmt: skip

CONNECTIONS = [
    Case("drop", (answer()[:-5],), 200, "cut off"),
    Case("drop-at-once", (), 0, ("empty answer", "reset")),
    Case("reset", (Do.RESET,), 0, ("reset", "empty answer")),
    Case("reset-in-body", (answer()[:-5], 0.05, Do.RESET), 200, "reset"),
    Case("reset-after-all", (answer(HELLO, "Connection: close"), 0.05, Do.RESET), body=HELLO),
    Case("half-close", (answer()[:-5], Do.HALF_CLOSE), 200, "cut off"),
    Case("half-close-at-once", (Do.HALF_CLOSE,), 0, "empty answer"),
    Case("half-close-whole", (head("Content-Type: text/html") + HELLO, Do.HALF_CLOSE), body=HELLO),
    Case("closed-port", (), 0, "connect: refused", door="closed"),
    Case("pipelined-junk", (answer() + b"and then some" * 100,), body=HELLO),
    Case("pipelined-answer", (answer() + answer(b"<p>not asked for</p>"), Do.KEEP), body=HELLO),
    Case("junk-kept-open", (answer() + b"\x00\xff" * 500, Do.KEEP), body=HELLO),
    Case("byte-by-byte", tuple(bytes([byte]) for byte in answer()), body=HELLO),
]

CHUNKS = [
    Case("chunks", in_chunks(chunked(HELLO[:10], HELLO[10:]) + END), body=HELLO),
    Case("bad-chunk", in_chunks(b"zz\r\n" + HELLO), 200, ("bad chunk", "reset")),
    Case("chunk-negative", in_chunks(b"-5\r\nhello\r\n" + END), 200, ("bad chunk", "reset")),
    Case("chunk-overflow", in_chunks(b"F" * 17 + b"\r\n" + HELLO), 200, ("bad chunk", "reset", "curl", "cut off")),
    Case("chunk-enormous", (*in_chunks(b"7FFFFFFFFFFFFFFF\r\n"), Endless(b"x" * 65536)), 200, ("too large", "bad chunk")),
    Case("chunk-cut", in_chunks(b"ff\r\nhello"), 200, "cut off"),
    Case("chunk-no-end", in_chunks(chunked(HELLO)), 200, ("cut off", "bad chunk")),
    Case("chunk-no-end-hang", (*in_chunks(chunked(HELLO)), Do.HANG), 200, "timeout: total"),
    Case("chunk-without-newline", in_chunks(b"5\r\nhello5\r\nworld" + END), 200, ("bad chunk", "reset")),
    Case("chunk-bare-lf", in_chunks(b"5\nhello\n0\n\n"), 200, ("", "bad chunk"), body=b"hello"),
    Case("chunk-extension", in_chunks(b'5;name="va;lue"\r\nhello\r\n' + END), body=b"hello"),
    Case("chunk-extension-huge", (*in_chunks(b"5;"), Endless(b"x" * 4096)), 200, ("too large", "bad chunk", "reset")),
    Case("chunk-leading-zeros", in_chunks(b"0005\r\nhello\r\n" + END), body=b"hello"),
    Case("chunk-spaces", in_chunks(b"5  \r\nhello\r\n" + END), 200, ("", "bad chunk")),
    Case("chunk-empty", in_chunks(END), body=b""),
    Case("chunk-single-bytes", in_chunks(b"1\r\nx\r\n" * 20_000 + END), body=b"x" * 20_000),
    Case("chunk-flood", (*in_chunks(b""), Endless(b"1\r\nx\r\n" * 5000)), 200, "too large"),
    Case("chunk-trailers", in_chunks(chunked(HELLO) + b"0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n"), body=HELLO),
    Case("chunk-trailer-flood", (*in_chunks(chunked(HELLO) + b"0\r\n"), Endless(b"X-More: yes\r\n" * 100)), 200,
         ("headers too large", "too large", "bad chunk", "cut off", "timeout")),
    Case("chunk-trailer-hang", (*in_chunks(chunked(HELLO) + b"0\r\nX-Sum:"), Do.HANG), 200, "timeout: total"),
    Case("chunk-trailer-type", in_chunks(chunked(HELLO) + b"0\r\nContent-Type: image/png\r\n\r\n"), body=HELLO),
    Case("chunk-then-junk", in_chunks(chunked(HELLO) + END + b"junk" * 50), body=HELLO),
    Case("chunked-twice", in_chunks(chunked(HELLO) + END, CHUNKED), (0, 200), ODD),
    Case("chunked-lie", in_chunks(HELLO), 200, ("bad chunk", "reset")),
    Case("chunked-in-http-1.0", (head("Content-Type: text/html", CHUNKED, first="HTTP/1.0 200 OK") + chunked(HELLO) + END,),
         (0, 200), ODD),
    Case("transfer-gzip", (head("Transfer-Encoding: gzip, chunked") + chunked(HELLO) + END,), (0, 200), (*ODD, "curl")),
    Case("transfer-unknown", (head("Transfer-Encoding: spam") + HELLO,), (0, 200), (*ODD, "curl")),
    Case("transfer-identity", (head("Transfer-Encoding: identity", f"Content-Length: {len(HELLO)}") + HELLO,), (0, 200), ODD),
]  # fmt: skip

EMPTY = [
    Case("empty-200", (answer(b""),), body=b""),
    Case("204", (head(first="HTTP/1.1 204 No Content"),), 204, body=b""),
    Case("204-with-body", (answer(first="HTTP/1.1 204 No Content"),), 204, body=b""),
    Case("205-with-body", (answer(first="HTTP/1.1 205 Reset Content"),), 205),
    Case("206-unasked", (answer(HELLO, "Content-Range: bytes 0-50/100", first="HTTP/1.1 206 Partial"),), 206),
    Case("304-unasked", (head("ETag: \"x\"", first="HTTP/1.1 304 Not Modified"),), 304, body=b"", location=""),
    Case("304-with-body", (answer(first="HTTP/1.1 304 Not Modified"),), 304, body=b"", location=""),
]  # fmt: skip

CASES = [*LENGTHS, *CONNECTIONS, *CHUNKS, *EMPTY]
