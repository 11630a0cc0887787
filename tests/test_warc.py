"""WARC files: what we write others read, what others wrote we read, and what is broken ends in one clear sentence."""

from __future__ import annotations

import gzip
import io
import random
import re
import warnings
import zlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as some
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from opilio.errors import UnreadableError
from opilio.http_message import split
from opilio.nouns import Wire
from opilio.store import warc
from opilio.store.archive import Archive
from opilio.store.warc import index, read
from opilio.store.warc_records import Earlier, date_of, digest_of, exchange, record_id, response_record, warcinfo_record

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns, as soon as it is imported, of old classes of its own
    from fastwarc.stream_io import BrotliWriter, ZstdWriter
    from fastwarc.warc import ArchiveIterator as FastIterator

DATE = "2026-01-02T03:04:05Z"
URL = "http://example.org/a?b=c"
SUITE = Path(__file__).parents[1].parent / "shared" / "suites" / "warc"
needs_suite = pytest.mark.skipif(not SUITE.is_dir(), reason=f"the archives of others are not at {SUITE}")
GOOD = [
    "example-digest.warc",
    "example-iana.org-chunked.warc",
    "example-resource.warc.gz",
    "example-space-in-target-uri.warc.gz",
    "example-wget-bad-target-uri.warc.gz",
    "example.warc",
    "example.warc.gz",
    "jwarc-cc.warc.gz",
    "jwarc-gzip_extra_sl.warc.gz",
    "post-test.warc.gz",
]
BAD = {
    "bad.arc": "byte 0: this is an ARC file",
    "example.arc": "byte 0: this is an ARC file",
    "example.arc.gz": "byte 0: this is an ARC file",
    "example-space-in-url.arc": "byte 0: this is an ARC file",
    "example-bad-non-chunked.warc.gz": "byte 0: one gzip member holds several records",
    "example-bad.warc.gz.bad": "byte 0: one gzip member holds several records",
    "example-wrong-chunks.warc.gz": "byte 0: the record ends too early",
    "example-trunc.warc": "byte 2560: no WARC record starts here",
}


def page(body: bytes = b"<p>hello", url: str = URL, **headers: str) -> bytes:
    return response_record(url, 200, {"content-type": "text/html"} | headers, body, DATE)


def raw_record(head: str, body: bytes, url: str = URL) -> bytes:
    """A response record with exactly these HTTP bytes, as another crawler may have stored them."""
    block = f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode() + body
    fields = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http\r\n"
    return gzip.compress(f"{fields}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n")


def stored(tmp_path: Path, *records: bytes) -> Path:
    path = tmp_path / "some.warc.gz"
    path.write_bytes(b"".join(records))
    return path


def by_warcio(data: bytes) -> list[tuple[str, str, bytes]]:
    records = WarcioIterator(io.BytesIO(data), check_digests="raise")
    return [
        (record.rec_type, record.rec_headers["WARC-Target-URI"], record.content_stream().read()) for record in records
    ]


def by_fastwarc(data: bytes) -> list[tuple[str, str, bytes]]:
    records = FastIterator(io.BytesIO(data), parse_http=True)
    return [(str(record.record_type), record.headers["WARC-Target-URI"], record.reader.read()) for record in records]


def digests_hold(data: bytes) -> bool:
    records = FastIterator(io.BytesIO(data), parse_http=True)
    return all(record.verify_payload_digest() for record in records if str(record.record_type) == "response")


# Writing


def test_both_readers_read_what_we_write() -> None:
    info = warcinfo_record("some.warc.gz", {"software": "opilio"}, DATE)
    data = info + page(b"<p>gr\xc3\xbc\xc3\x9fe")
    expected = [("response", URL, b"<p>gr\xc3\xbc\xc3\x9fe")]
    assert by_warcio(data)[1:] == expected
    assert by_fastwarc(data[len(info) :]) == expected
    assert digests_hold(data)
    assert b"software: opilio" in by_warcio(data)[0][2]


@given(
    body=some.binary(max_size=300),
    status=some.integers(200, 599),
    values=some.dictionaries(some.sampled_from(["x-a", "X-B", "etag", "server"]), some.text(max_size=20)),
)
def test_any_page_comes_back(tmp_path_factory: Any, body: bytes, status: int, values: dict[str, str]) -> None:
    path = stored(tmp_path_factory.mktemp("any"), response_record(URL, status, values, body, DATE))
    (entry,) = index(path)
    response = read(path, entry.offset)
    assert (entry.url, entry.status, entry.length) == (URL, status, path.stat().st_size)
    assert (response.status, response.body) == (status, body)
    assert set(response.headers) == {name.lower() for name in values} | {"content-length"}
    assert by_warcio(path.read_bytes()) == [("response", URL, body)]


@given(some.text("ab: \r\n", max_size=30).map(str.encode))
def test_a_head_ends_at_the_first_empty_line(raw: bytes) -> None:
    end = re.search(rb"\r?\n\r?\n", raw)
    lines = (raw[: end.start()] if end else raw).splitlines() or [b""]
    assert split(raw) == (lines[0], lines[1:], end.end() if end else 0)


def test_a_record_is_the_same_for_the_same_content() -> None:
    assert page() == page()
    assert record_id("response", URL, DATE, "a") == record_id("response", URL, DATE, "a")
    assert record_id("response", URL, DATE, "a") != record_id("response", URL, DATE, "b")
    assert UUID(record_id("response", URL, DATE, "a")[1:-1]).version == 5


@given(some.floats(0, 4e9) | some.integers(1, 4_000_000_000).map(lambda whole: whole - 4e-7))
def test_dates_have_microseconds(seconds: float) -> None:
    date = date_of(seconds)
    assert len(date) == len("2026-01-02T03:04:05.250000Z")
    assert abs(datetime.fromisoformat(date).timestamp() - seconds) < 2e-6


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=1\r\nset-cookie:b=2\r\n\r\n"
REQUEST = b"GET /a?b=c HTTP/1.1\r\nHost: example.org\r\nUser-Agent: opilio\r\n\r\n"
WIRE = Wire(REQUEST, HEAD, b"<p>hello, wire", 1_767_323_045.25, "192.0.2.7")


def fetched(wire: Wire = WIRE, earlier: Earlier | None = None, truncated: str = "") -> bytes:
    return b"".join(exchange(URL, wire, digest_of(wire.payload), earlier, truncated))


def blocks(data: bytes) -> list[tuple[Any, bytes]]:
    """WARC headers and whole blocks, read by somebody else."""
    records = WarcioIterator(io.BytesIO(data), no_record_parse=True)
    return [(record.rec_headers, record.raw_stream.read()) for record in records]


def test_an_exchange_is_kept_byte_for_byte(tmp_path: Path) -> None:
    (answer, came), (question, sent) = blocks(fetched())
    assert [kind for kind, _, _ in by_warcio(fetched())] == ["response", "request"]
    assert (came, sent) == (HEAD + WIRE.payload, REQUEST)
    assert question["WARC-Concurrent-To"] == answer["WARC-Record-ID"] != question["WARC-Record-ID"]
    assert answer["WARC-IP-Address"] == question["WARC-IP-Address"] == "192.0.2.7"
    assert answer["WARC-Date"] == "2026-01-02T03:04:05.250000Z"
    assert answer["WARC-Payload-Digest"] == digest_of(WIRE.payload)
    assert answer["WARC-Truncated"] is None
    assert digests_hold(fetched())
    assert read(stored(tmp_path, fetched()), 0).body == WIRE.payload


def test_chunks_and_compression_stay_as_they_came(tmp_path: Path) -> None:
    packed_body = gzip.compress(TEXT, mtime=0)
    payload = f"{len(packed_body):x}\r\n".encode() + packed_body + b"\r\n0\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
    data = fetched(Wire(REQUEST, head, payload, 1.0))
    assert blocks(data)[0][1] == head + payload
    assert by_warcio(data)[0] == ("response", URL, TEXT)
    assert digests_hold(data)
    assert read(stored(tmp_path, data), 0).body == TEXT


def test_http2_is_written_as_http1_and_says_so(tmp_path: Path) -> None:
    wire = Wire(
        REQUEST.replace(b"HTTP/1.1", b"HTTP/2"), b"HTTP/2 404 \r\ncontent-type: text/html\r\n\r\n", b"<p>no", 1.0
    )
    (answer, came), (question, sent) = blocks(fetched(wire))
    assert came == b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\n\r\n<p>no"
    assert sent == REQUEST
    assert answer["WARC-Protocol"] == question["WARC-Protocol"] == "h2"
    assert read(stored(tmp_path, fetched(wire)), 0).status == 404


@pytest.mark.parametrize(
    ("head", "profile"),
    [(HEAD, "identical-payload-digest"), (b"HTTP/1.1 304 Not Modified\r\n\r\n", "server-not-modified")],
)
def test_a_revisit_names_the_record_with_its_bytes(head: bytes, profile: str) -> None:
    first = Wire(REQUEST, HEAD, WIRE.payload, 1000.0, "192.0.2.7")
    earlier = Earlier(URL, date_of(first.time), digest_of(first.payload))
    again = Wire(REQUEST, head, b"" if b"304" in head else first.payload, 2000.0, "192.0.2.7")
    (response, _), _, (revisit, block), _ = blocks(fetched(first) + fetched(again, earlier))
    assert revisit["WARC-Type"] == "revisit"
    assert revisit["WARC-Profile"] == f"http://netpreserve.org/warc/1.1/revisit/{profile}"
    assert revisit["WARC-Refers-To"] == response["WARC-Record-ID"]
    assert revisit["WARC-Refers-To-Date"] == response["WARC-Date"]
    assert revisit["WARC-Refers-To-Target-URI"] == response["WARC-Target-URI"] == URL
    assert revisit["WARC-Payload-Digest"] == response["WARC-Payload-Digest"]
    assert block == head


def test_an_answer_that_broke_off_says_why() -> None:
    assert blocks(fetched(truncated="time"))[0][0]["WARC-Truncated"] == "time"


def test_a_line_break_in_a_value_forges_no_header(tmp_path: Path) -> None:
    path = stored(tmp_path, page(etag="1\r\nlocation: http://evil.example/\r\n\r\n<script>"))
    (entry,) = index(path)
    assert entry.location == ""
    assert read(path, entry.offset).body == b"<p>hello"


def test_headers_of_the_encoding_are_kept_aside(tmp_path: Path) -> None:
    path = stored(tmp_path, page(b"decoded", **{"Content-Encoding": "gzip", "Content-Length": "99"}))
    response = read(path, 0)
    assert response.body == b"decoded"
    assert response.headers["x-crawler-content-encoding"] == "gzip"
    assert response.headers["content-length"] == "7"


# The archive


def places(archive: Archive, *bodies: bytes) -> list[tuple[str, int, int]]:
    return [archive.append(page(body)) for body in bodies]


def test_what_was_appended_is_read_by_its_place(tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", None)
    found = places(archive, b"one", b"two")
    archive.close()
    assert [read(tmp_path / "archive" / name, offset).body for name, offset, _ in found] == [b"one", b"two"]
    data = (tmp_path / "archive" / found[0][0]).read_bytes()
    assert [kind for kind, _, _ in by_warcio(data)] == ["warcinfo", "response", "response"]


def test_a_full_file_is_followed_by_the_next(tmp_path: Path) -> None:
    archive = Archive(tmp_path, None, limit=1500)
    names = [name for name, _, _ in places(archive, *(bytes([65 + n]) * 50 for n in range(10)))]
    archive.close()
    assert len(set(names)) > 2
    assert names == sorted(names)
    assert all(path.stat().st_size <= 1500 for path in tmp_path.iterdir())
    bodies = [body for path in sorted(tmp_path.iterdir()) for kind, _, body in by_warcio(path.read_bytes())[1:]]
    assert bodies == [bytes([65 + n]) * 50 for n in range(10)]


@pytest.mark.parametrize("limit", [800, 10_000])
def test_opening_forgets_what_was_not_committed(tmp_path: Path, limit: int) -> None:
    archive = Archive(tmp_path, None, limit)
    places(archive, b"kept")
    position = archive.sync()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    places(archive, b"lost", b"lost too", b"and this")
    archive.close()
    Archive(tmp_path, position, limit).close()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    again = Archive(tmp_path, position, limit)
    name, offset, _ = places(again, b"new")[0]
    again.close()
    assert read(tmp_path / name, offset).body == b"new"


def test_nothing_committed_starts_afresh_and_leaves_other_files_alone(tmp_path: Path) -> None:
    (tmp_path / "theirs.warc.gz").write_bytes(page())
    archive = Archive(tmp_path, None)
    places(archive, b"lost")
    archive.close()
    Archive(tmp_path, None).close()
    assert (tmp_path / "theirs.warc.gz").read_bytes() == page()
    assert list(index(tmp_path / "opilio-000000.warc.gz")) == []


@pytest.mark.parametrize("position", [("opilio-000000.warc.gz", 10**6), ("opilio-000007.warc.gz", 5)])
def test_a_committed_file_that_is_gone_or_short_is_said(tmp_path: Path, position: tuple[str, int]) -> None:
    Archive(tmp_path, None).close()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UnreadableError, match=f"{position[0]}.* {position[1]} bytes"):
        Archive(tmp_path, position)
    assert sorted(tmp_path.iterdir()) == before


# Reading


@needs_suite
@pytest.mark.parametrize("name", GOOD)
def test_archives_of_others_say_what_warcio_reads(name: str) -> None:
    path = SUITE / name
    found = {entry.url.replace(" ", "%20"): read(path, entry.offset).body for entry in index(path)}
    with path.open("rb") as file:
        expected = {
            record.rec_headers["WARC-Target-URI"].strip("<>").replace(" ", "%20"): record.content_stream().read()
            for record in WarcioIterator(file)
            if record.rec_type in ("response", "resource")
        }
    assert found == expected


@needs_suite
@pytest.mark.parametrize("name", BAD)
def test_bad_archives_are_said_to_be_so(name: str) -> None:
    with pytest.raises(UnreadableError) as error:
        list(index(SUITE / name))
    assert str(error.value).startswith(f"{SUITE / name}, {BAD[name]}; ")


@needs_suite
def test_the_suite_is_covered() -> None:
    assert {path.name for path in SUITE.iterdir()} == {*GOOD, *BAD}


def test_an_archive_cut_anywhere_gives_its_beginning_and_a_sentence(tmp_path: Path) -> None:
    records = [page(b"first"), page(b"second"), page(b"third")]
    ends = [sum(map(len, records[:n])) for n in range(4)]
    whole = b"".join(records)
    for cut in [*range(1, len(whole), 3), *ends[1:3]]:
        path = stored(tmp_path, whole[:cut])
        entries = []
        try:
            for entry in index(path):
                entries.append(entry)
        except UnreadableError as error:
            assert f"{path}, byte {ends[len(entries)]}: " in str(error)  # noqa: PT017
        else:
            assert cut in ends
        assert len(entries) == sum(end <= cut for end in ends[1:])


def test_a_damaged_byte_is_found_or_harmless(tmp_path: Path) -> None:
    whole = page(b"first") + page(b"second")
    for place in [*range(20), *range(20, len(whole), 3)]:
        path = stored(tmp_path, whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            bodies = [read(path, entry.offset).body for entry in index(path)]
        except UnreadableError:
            continue
        assert bodies == [b"first", b"second"]  # a flag or the time in the gzip header


@pytest.mark.parametrize("data", [b"", b"hello", b"<html>", b"WARC/1.0\r\n", b"WARC/1.0\r\nContent-Length: x\r\n\r\n"])
def test_what_is_no_archive(tmp_path: Path, data: bytes) -> None:
    for content in (data, gzip.compress(data, mtime=0)) if data else ():
        with pytest.raises(UnreadableError, match="byte 0"):
            list(index(stored(tmp_path, content)))
    assert list(index(stored(tmp_path, b""))) == []


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"missing\.warc\.gz: it cannot be read"):
        list(index(tmp_path / "missing.warc.gz"))
    with pytest.raises(UnreadableError, match=r"missing\.warc\.gz: it cannot be read"):
        read(tmp_path / "missing.warc.gz", 0)


def test_offsets_behind_the_first_chunk_are_those_in_the_file(tmp_path: Path) -> None:
    """The file is read by chunks of 64 KB; a record that begins or ends beyond one has its true place and length."""
    path, rng = tmp_path / "long.warc.gz", random.Random(1)
    bodies = [rng.randbytes(size) for size in (10, 40_000, 60_000, 70_000, 200_000, 10)]
    records = [response_record(f"http://a.test/{n}", 200, {}, body, DATE) for n, body in enumerate(bodies)]
    path.write_bytes(b"".join(records))
    starts = [sum(map(len, records[:n])) for n in range(len(records))]
    assert starts[3] > 65_536
    found = list(index(path))
    assert [(entry.offset, entry.length) for entry in found] == list(zip(starts, map(len, records), strict=True))
    assert [read(path, entry.offset).body for entry in found] == bodies


def test_of_a_long_record_the_index_keeps_the_beginning_alone(tmp_path: Path) -> None:
    path = tmp_path / "long.warc.gz"
    path.write_bytes(response_record(URL, 200, {}, random.Random(1).randbytes(600_000), DATE))
    with path.open("rb") as file:
        assert [len(head) for _, _, head, _ in warc._members(file, path)] == [warc.HEAD]


def test_a_large_plain_record(tmp_path: Path) -> None:
    body = bytes(range(256)) * 4000
    path = tmp_path / "plain.warc"
    path.write_bytes(gzip.decompress(page(body) + page(b"next")))
    first, second = index(path)
    assert read(path, first.offset).body == body
    assert read(path, second.offset).body == b"next"


def packed(kind: Any, data: bytes) -> bytes:
    out = io.BytesIO()
    writer = kind(out)
    writer.write(data)
    writer.close()
    return out.getvalue()


def brotli(data: bytes) -> bytes:
    return packed(BrotliWriter, data)


TEXT = b"<p>some text, " * 500
BARE = zlib.compressobj(wbits=-15)
DEFLATED = BARE.compress(TEXT) + BARE.flush()
CHUNKED = b"5\r\nhello\r\n6;name=value\r\n world\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "sent", "meant"),
    [
        ("Content-Encoding: gzip", gzip.compress(TEXT, mtime=0), TEXT),
        ("Content-Encoding: X-GZIP", gzip.compress(TEXT, mtime=0), TEXT),
        ("content-encoding: deflate", zlib.compress(TEXT), TEXT),
        ("content-encoding: deflate", DEFLATED, TEXT),
        ("content-encoding: br", brotli(TEXT), TEXT),
        ("content-encoding: zstd", packed(ZstdWriter, TEXT), TEXT),
        ("content-encoding: zstd", TEXT, TEXT),
        ("content-encoding: gzip, br", brotli(gzip.compress(TEXT, mtime=0)), TEXT),
        ("content-encoding: gzip", TEXT, TEXT),
        ("content-encoding: br", TEXT, TEXT),
        ("content-encoding: gzip", b"", b""),
        ("content-encoding: br", b"", b""),
        ("content-encoding: never-heard-of", TEXT, TEXT),
        ("transfer-encoding: chunked", CHUNKED, b"hello world"),
        ("transfer-encoding: chunked", CHUNKED[:26], b"hello w"),
        ("transfer-encoding: chunked", b"0\r\n\r\n", b""),
        ("transfer-encoding: chunked", TEXT, TEXT),
        ("transfer-encoding: chunked", b"0 results", b"0 results"),
        ("x-long: folded\r\n  over lines", TEXT, TEXT),
    ],
)
def test_encodings_are_undone(tmp_path: Path, head: str, sent: bytes, meant: bytes) -> None:
    assert read(stored(tmp_path, raw_record(head, sent)), 0).body == meant


@pytest.mark.parametrize("coding", ["gzip", "br", "identity"])
def test_a_bomb_is_cut(tmp_path: Path, coding: str) -> None:
    packers: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "br": brotli, "identity": bytes}
    bomb = packers[coding](bytes(20_000_000))
    assert read(stored(tmp_path, raw_record(f"content-encoding: {coding}", bomb)), 0, limit=1000).body == bytes(1000)


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_a_cut_body_gives_what_is_there(tmp_path: Path, coding: str) -> None:
    noise = random.Random(1).randbytes(300_000)
    whole = {"gzip": gzip.compress(noise, mtime=0), "br": brotli(noise), "zstd": packed(ZstdWriter, noise)}[coding]
    body = read(stored(tmp_path, raw_record(f"content-encoding: {coding}", whole[:-200])), 0).body
    assert len(body) > 100_000
    assert noise.startswith(body)


def test_repeated_headers(tmp_path: Path) -> None:
    head = "link: </a>\r\nLink: </b>\r\nlocation: /first\r\nLocation: /second\r\nx-latin: gr\u00fc\u00dfe"
    response = read(stored(tmp_path, raw_record(head, b"")), 0)
    assert response.headers == {"link": "</a>, </b>", "location": "/first", "x-latin": "grüße"}
