"""Faults of content encodings: bombs, nests, lies and torn streams."""

from __future__ import annotations

import gzip
import io
import random
import struct
import warnings
import zlib
from functools import cache, reduce

from .case import HELLO, Case, chunked, head

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns, as soon as it is imported, of old classes of its own
    from fastwarc.stream_io import BrotliWriter, ZstdWriter

MEGABYTE = 1 << 20
PROSE = " ".join(random.Random(7).choices(["hive", "wax", "honey", "queen", "swarm"], k=20_000)).encode()
GZIP_HEAD, DEFLATE_HEAD = b"\x1f\x8b\x08" + bytes(6) + b"\xff", b"\x78\x9c"
ZEROS_64_SUM = struct.pack(">I", zlib.adler32(bytes(64 * MEGABYTE)))
TORN = ("", "cut off")
# A frame that asks for a window of two gigabytes and holds five bytes.
ZSTD_WINDOW = b"\x28\xb5\x2f\xfd\x00" + bytes([21 << 3]) + b"\x29\x00\x00hello"


def _written(kind: type, data: bytes) -> bytes:
    out = io.BytesIO()
    writer = kind(out)
    for start in range(0, len(data), MEGABYTE):  # of more at a time, it writes the beginning only
        writer.write(data[start : start + MEGABYTE])
    writer.close()
    return out.getvalue()


def brotli(data: bytes) -> bytes:
    return _written(BrotliWriter, data)


def zstd(data: bytes) -> bytes:
    return _written(ZstdWriter, data)


def packed(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def bare(data: bytes) -> bytes:
    """Deflate without the wrapper that the standard asks for."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def encoded(coding: str, payload: bytes, *lines: str) -> tuple[bytes]:
    length = f"Content-Length: {len(payload)}"
    return (head("Content-Type: text/html", f"Content-Encoding: {coding}", length, *lines) + payload,)


@cache
def zeros() -> bytes:
    return packed(bytes(MEGABYTE))  # about a kilobyte


@cache
def bare_zeros(megabytes: int) -> bytes:
    """Deflate without its wrapper, in one stream; after a full flush, a block can be said again without packing it again."""
    packer = zlib.compressobj(wbits=-15)
    block = packer.compress(bytes(MEGABYTE)) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * megabytes + packer.flush()


@cache
def many_zeros() -> bytes:
    """Two hundred megabytes in one stream of gzip."""
    checked = reduce(lambda sum_, _: zlib.crc32(bytes(MEGABYTE), sum_), range(200), 0)
    return GZIP_HEAD + bare_zeros(200) + struct.pack("<II", checked, 200 * MEGABYTE)


def nested(times: int, data: bytes) -> bytes:
    for _ in range(times):
        data = packed(data)
    return data


GOOD = [
    Case("gzip", encoded("gzip", packed(PROSE)), body=PROSE),
    Case("gzip-upper-case", encoded("GZIP", packed(PROSE)), body=PROSE),
    Case("x-gzip", encoded("x-gzip", packed(PROSE)), body=PROSE),
    Case("deflate", encoded("deflate", zlib.compress(PROSE)), body=PROSE),
    Case("deflate-bare", encoded("deflate", bare(PROSE)), body=PROSE),
    Case("brotli", encoded("br", brotli(PROSE)), body=PROSE),
    Case("zstd", encoded("zstd", zstd(PROSE)), body=PROSE),
    Case("identity", encoded("identity", PROSE), body=PROSE),
    Case("gzip-in-chunks", (head("Content-Encoding: gzip", "Transfer-Encoding: chunked")
         + chunked(packed(PROSE)[:100], packed(PROSE)[100:]) + b"0\r\n\r\n",), body=PROSE),
    Case("gzip-then-brotli", encoded("gzip, br", brotli(packed(PROSE))), body=PROSE),
    Case("encoding-twice", encoded("gzip", brotli(packed(PROSE)), "Content-Encoding: br"), body=PROSE),
    Case("gzip-five-times", encoded("gzip, gzip, gzip, gzip, gzip", nested(5, PROSE)), body=PROSE),
]  # fmt: skip

BOMBS = [
    Case("bomb-gzip", encoded("gzip", many_zeros()), 200, "too large"),
    Case("bomb-gzip-members", encoded("gzip", zeros() * 500), 200, ("", "too large")),
    Case("bomb-deflate", encoded("deflate", DEFLATE_HEAD + bare_zeros(64) + ZEROS_64_SUM), 200, "too large"),
    Case("bomb-deflate-bare", encoded("deflate", bare_zeros(64)), 200, "too large"),
    Case("bomb-brotli", encoded("br", brotli(bytes(64 * MEGABYTE))), 200, "too large"),
    Case("bomb-zstd", encoded("zstd", zstd(bytes(64 * MEGABYTE))), 200, "too large"),
    Case("bomb-zstd-frames", encoded("zstd", zstd(bytes(MEGABYTE)) * 200), 200, ("", "too large")),
    Case("bomb-zstd-window", encoded("zstd", ZSTD_WINDOW), 200, ("", "too large")),
    Case("bomb-nested", encoded("gzip, gzip", packed(many_zeros())), 200, "too large"),
    Case("bomb-nested-deep", encoded(", ".join(["gzip"] * 8), nested(7, many_zeros())), 200, "too large"),
    Case("bomb-mixed", encoded("gzip, br", brotli(many_zeros())), 200, "too large"),
    Case("bomb-in-an-error", (head("Content-Encoding: gzip", f"Content-Length: {len(many_zeros())}",
         first="HTTP/1.1 500 Oh") + many_zeros(),), 500, "too large"),
    Case("a-thousand-encodings", encoded(", ".join(["gzip"] * 1000), packed(HELLO)), 200),
]  # fmt: skip

LIES = [
    Case("gzip-lie", encoded("gzip", HELLO), body=HELLO),
    Case("deflate-lie", encoded("deflate", HELLO), 200),
    Case("brotli-lie", encoded("br", HELLO), body=HELLO),
    Case("zstd-lie", encoded("zstd", HELLO), body=HELLO),
    Case("gzip-said-brotli-sent", encoded("gzip", brotli(PROSE)), 200),
    Case("gzip-unsaid", (head("Content-Type: text/html") + packed(PROSE),), body=packed(PROSE)),
    Case("gzip-of-nothing", encoded("gzip", b""), body=b""),
    Case("brotli-of-nothing", encoded("br", b""), body=b""),
    Case("encoding-unknown", encoded("rot13", HELLO), body=HELLO),
    Case("encoding-compress", encoded("compress", HELLO), body=HELLO),
    Case("encoding-empty", encoded("", HELLO), body=HELLO),
    Case("encoding-with-parameter", encoded("gzip;q=1.0", packed(HELLO)), 200),
    Case("encoding-huge", encoded("x" * 40_000, HELLO), body=HELLO),
    Case("gzip-torn", encoded("gzip", packed(PROSE)[:-100]), 200, TORN),
    Case("gzip-torn-in-head", encoded("gzip", packed(PROSE)[:6]), 200, TORN),
    Case("brotli-torn", encoded("br", brotli(PROSE)[:-100]), 200, TORN),
    Case("zstd-torn", encoded("zstd", zstd(PROSE)[:-100]), 200, TORN),
    Case("gzip-bad-sum", encoded("gzip", packed(PROSE)[:-8] + b"\0" * 8), 200),
    Case("gzip-damaged", encoded("gzip", packed(PROSE)[:500] + b"\xff" * 50 + packed(PROSE)[550:]), 200),
    Case("gzip-then-junk", encoded("gzip", packed(PROSE) + b"junk" * 100), body=PROSE),
    Case("gzip-long-name", encoded("gzip", b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * 100_000), 200),
]

CASES = [*GOOD, *BOMBS, *LIES]
