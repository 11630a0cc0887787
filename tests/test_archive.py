"""The archive of a run folder: every answer once, indexed, grouped, and fit to be crawled again."""

from __future__ import annotations

import csv
import gzip
import json
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from warcio.archiveiterator import ArchiveIterator

from opilio.bench.corpus import Corpus, check
from opilio.bench.run import bench
from opilio.engine.to_corpus import make_corpus
from opilio.errors import ConfigError, UnreadableError
from opilio.fetchers.to_page import answered
from opilio.nouns import Lease, Link, Offer, Page, Weight, Wire
from opilio.store import duplicates
from opilio.store.cdxj import surt
from opilio.store.reader import reading
from opilio.store.run import RunStore
from opilio.store.tables import written
from opilio.store.warc import read
from opilio.testing import small_web

from .crawled import crawled

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns, as soon as it is imported, of old classes of its own
    from fastwarc.warc import ArchiveIterator as FastIterator
    from fastwarc.warc import WarcRecordType

TEXT = " ".join(f"word{number} of a text" for number in range(400))
HTML = f"<html><title>T</title><p>{TEXT}</p><a href=/x>x y</a><a href=/z rel=nofollow>z</a></html>".encode()


def visited(
    url: str, payload: bytes = HTML, status: int = 200, extra: str = "", time: float = 1000.0, error: str = ""
) -> Page:
    """A page as a live fetch brings it; the payload may be compressed."""
    head = f"HTTP/1.1 {status} Something\r\nContent-Type: text/html\r\n{extra}\r\n".encode()
    body = gzip.decompress(payload) if "gzip" in extra else payload
    headers = {"content-type": "text/html"} | dict(line.lower().split(": ") for line in extra.split("\r\n") if line)
    page = answered(Offer(Link(url)), status, headers, body)
    page.wire = Wire(f"GET / HTTP/1.1\r\nX: {url}\r\n\r\n".encode(), head, payload, time, "192.0.2.1")
    page.error = error or page.error
    return page


def stored(folder: Path, *pages: Page, **settings: Any) -> list[dict[str, Any]]:
    """Commit the pages into a run folder, one by one; the rows of all."""
    store = RunStore(folder, **settings)
    for number, page in enumerate(pages, 1):
        store.add(Lease(number, page.offer, Weight()), page, None)
        store.commit({})
    store.close()
    return rows(folder)


def rows(folder: Path, query: str = "SELECT * FROM pages ORDER BY number") -> list[dict[str, Any]]:
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        return [dict(row) for row in db.execute(query)]


def kinds(folder: Path) -> list[tuple[str, str]]:
    found = []
    for path in sorted((folder / "archive").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
                found.append((record.rec_type, record.rec_headers["WARC-Target-URI"]))
    return found


def checked(folder: Path, payloads: bool = True) -> int:
    """Readers of others find nothing wrong with any record; how many there are."""
    count = 0
    for path in sorted((folder / "archive").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.raw_stream.read()
                count += 1
        with gzip.open(path) as file:
            file.read()  # each member is what its checksum says
        with path.open("rb") as file:
            if not payloads:
                continue
            responses = FastIterator(file, parse_http=True, record_types=WarcRecordType.response)
            assert all(record.verify_payload_digest() for record in responses)
    return count


def test_the_commands_of_others_find_nothing_wrong(tmp_path: Path) -> None:
    stored(tmp_path, visited("http://a.example/1"), visited("http://a.example/2", HTML + b"2"))
    (path,) = (tmp_path / "archive").glob("*.warc.gz")
    tools = Path(sys.executable).parent
    assert checked(tmp_path) == 5
    subprocess.run([tools / "warcio", "check", path], check=True, capture_output=True)
    subprocess.run([tools / "fastwarc", "check", "-q", "--verify-payloads", path], check=True, capture_output=True)


def test_what_was_not_committed_can_be_read(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    page = visited("http://a.example/")
    store.add(Lease(1, page.offer, Weight()), page, None)
    found = store.find("http://a.example/")
    assert found
    assert found.body == HTML
    store.close()


def test_what_was_stored_is_found(tmp_path: Path) -> None:
    """Whether it was committed in an earlier life, or added before or after somebody asked for it first."""
    stored(tmp_path, visited("http://a.example/1"))
    store = RunStore(tmp_path)
    pages = [visited(f"http://a.example/{n}", HTML + b"%d" % n) for n in (2, 3, 1)]
    for n, page in enumerate(pages):
        store.add(Lease(n, page.offer, Weight()), page, None)
        assert [bool(store.find(f"http://a.example/{n}")) for n in (1, 2, 3)] == [True, True, n > 0]
    again = store.find("http://a.example/1")
    assert again
    assert again.body == HTML + b"1"
    store.close()


@pytest.mark.parametrize("read", [
    lambda store: store.relevant(), lambda store: list(store.fetched()), lambda store: store.row("number = ?", 1),
    lambda store: store.db.execute("SELECT * FROM pages").fetchall(),
    lambda store: store.db.execute("SELECT * FROM texts").fetchall(),
])  # fmt: skip
def test_rows_wait_unseen(tmp_path: Path, read: Callable[[RunStore], Any]) -> None:
    """Whoever asks sees the page that was added last; nothing of it is left where it was not committed."""
    store, page = RunStore(tmp_path), visited("http://a.example/")
    store.add(Lease(1, page.offer, Weight()), page, 0.75)
    store.new_text(17)
    assert read(store)
    page = visited("http://a.example/2")
    store.add(Lease(2, page.offer, Weight()), page, 0.75)
    store.close()
    assert rows(tmp_path) == rows(tmp_path, "SELECT * FROM texts") == []


# Records


def test_bytes_are_archived_as_they_came(tmp_path: Path) -> None:
    packed = gzip.compress(HTML, mtime=0)
    (row,) = stored(tmp_path, visited("http://a.example/", packed, extra="Content-Encoding: gzip\r\n"))
    response = read(tmp_path / "archive" / row["file"], row["offset"])
    assert response.body == HTML
    with (tmp_path / "archive" / row["file"]).open("rb") as file:
        file.seek(row["offset"])
        record = next(iter(ArchiveIterator(file, no_record_parse=True)))
        assert record.raw_stream.read().partition(b"\r\n\r\n")[2] == packed
    checked(tmp_path)


def test_the_same_payload_is_kept_once(tmp_path: Path) -> None:
    first, second, third, other = stored(
        tmp_path,
        visited("http://a.example/1"),
        visited("http://a.example/2", time=2000.0),
        visited("http://a.example/3", time=3000.0),
        visited("http://a.example/4", b"<p>short"),
    )
    assert [kind for kind, _ in kinds(tmp_path) if kind != "request"] == [
        "warcinfo", "response", "revisit", "revisit", "response",
    ]  # fmt: skip
    places = [(row["file"], row["offset"], row["digest"]) for row in (first, second, third, other)]
    assert places[0] == places[1] == places[2] != places[3]
    checked(tmp_path)


def test_bytes_are_known_to_the_next_life(tmp_path: Path) -> None:
    for number in range(3):
        stored(tmp_path, visited(f"http://a.example/{number}", time=1000.0 * number))
    assert [kind for kind, _ in kinds(tmp_path) if kind != "request"] == ["warcinfo", "response", "revisit", "revisit"]
    assert len({(row["file"], row["offset"]) for row in rows(tmp_path)}) == 1
    checked(tmp_path)


def test_texts_are_known_to_the_next_life(tmp_path: Path) -> None:
    for number, (key, new) in enumerate([(1, True), (2**64 - 1, True), (1, False)], 1):
        store = RunStore(tmp_path)
        page = visited(f"http://a.example/{number}")
        store.add(Lease(number, page.offer, Weight()), page, None)
        assert store.new_text(key) is new
        assert store.new_text(key) is False
        store.commit({})
        assert [first for *_, first in store.fetched()] == [True, True, False][:number]
        store.close()


@pytest.mark.parametrize(
    "other",
    [
        visited("http://a.example/2", status=404),
        visited("http://a.example/2", error="cut off"),
        visited("http://a.example/2", extra="X-Type: other\r\n").__class__(
            Offer(Link("http://a.example/2")), "http://a.example/2", 200, {"content-type": "text/plain"}, HTML,
            wire=visited("http://a.example/2").wire,
        ),
    ],
    ids=["an error", "a part", "another type"],
)  # fmt: skip
def test_what_only_looks_the_same_is_kept_by_itself(tmp_path: Path, other: Page) -> None:
    stored(tmp_path, visited("http://a.example/1"), other)
    assert [kind for kind, _ in kinds(tmp_path)].count("response") == 2


def test_not_modified_refers_to_what_was_there_before(tmp_path: Path) -> None:
    first, again = stored(
        tmp_path, visited("http://a.example/"), visited("http://a.example/", b"", status=304, time=2000.0)
    )
    assert (again["status"], again["file"], again["offset"]) == (304, first["file"], first["offset"])
    store = RunStore(tmp_path)
    found = store.find("http://a.example/")
    store.close()
    assert found
    assert (found.status, found.body) == (200, HTML)
    checked(tmp_path)


def test_an_answer_without_earlier_page_is_a_response(tmp_path: Path) -> None:
    stored(tmp_path, visited("http://a.example/", b"", status=304))
    assert [kind for kind, _ in kinds(tmp_path)] == ["warcinfo", "response", "request"]


@pytest.mark.parametrize(
    ("error", "said"), [("timeout: total", "time"), ("too large", "length"), ("reset", "disconnect")]
)
def test_a_part_of_an_answer_says_so(tmp_path: Path, error: str, said: str) -> None:
    (row,) = stored(tmp_path, visited("http://a.example/", error=error))
    with (tmp_path / "archive" / row["file"]).open("rb") as file:
        headers = {record.rec_type: record.rec_headers["WARC-Truncated"] for record in ArchiveIterator(file)}
    assert headers == {"warcinfo": None, "response": said, "request": None}


# Index


def lines(folder: Path) -> dict[str, list[tuple[str, str, dict[str, str]]]]:
    found = {}
    for path in sorted((folder / "archive").glob("*.cdxj")):
        parts = [line.split(" ", 2) for line in path.read_text().splitlines()]
        assert parts == sorted(parts)
        found[path.name] = [(key, stamp, json.loads(fields)) for key, stamp, fields in parts]
    return found


def test_every_file_has_its_index(tmp_path: Path) -> None:
    pages = [visited(f"http://www{n}.example/p?b={n}&a=1", HTML * n, time=1000.0 * n) for n in (3, 1, 2)]
    stored(tmp_path, *pages, visited("http://b.example/", HTML, time=9000.0), file_size=2000)
    names = sorted(path.name.removesuffix(".warc.gz") for path in (tmp_path / "archive").glob("*.warc.gz"))
    found = lines(tmp_path)
    assert [name.removesuffix(".cdxj") for name in found] == names
    assert len(names) > 2
    entries = [entry for part in found.values() for entry in part]
    assert sorted(entry[2]["url"] for entry in entries) == sorted([*(page.url for page in pages), "http://b.example/"])
    for _, _, fields in entries:
        with (tmp_path / "archive" / fields["filename"]).open("rb") as file:
            file.seek(int(fields["offset"]))
            record = next(iter(ArchiveIterator(file)))
            assert record.rec_headers["WARC-Target-URI"] == fields["url"]
            assert record.rec_headers["WARC-Payload-Digest"] == fields["digest"]
    assert [fields["mime"] for _, _, fields in entries].count("warc/revisit") == 1


def test_a_crash_leaves_no_index_of_what_is_not_there(tmp_path: Path) -> None:
    stored(tmp_path, visited("http://a.example/1"))
    store = RunStore(tmp_path, file_size=2000)
    for number in range(5):
        page = visited(f"http://a.example/{number}", HTML * number)
        store.add(Lease(number, page.offer, Weight()), page, None)
        if number == 2:
            store.commit({})
    crash(store)
    assert len(list((tmp_path / "archive").glob("*.warc.gz"))) > len(lines(tmp_path))
    RunStore(tmp_path).close()
    urls = [fields["url"] for part in lines(tmp_path).values() for _, _, fields in part]
    assert sorted(urls) == sorted(row["url"] for row in rows(tmp_path))
    assert len(list((tmp_path / "archive").glob("*.warc.gz"))) == len(lines(tmp_path))
    checked(tmp_path)


def crash(store: RunStore) -> None:
    """Let go of the files as a process that dies does."""
    store.archive.close()
    store.db.close()
    store._lock.close()


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.Example.com/A?b=2&a=1", "com,example)/a?a=1&b=2"),
        ("https://sub.example.co.uk:8443/x", "uk,co,example,sub:8443)/x"),
        ("http://127.0.0.1:80/", "127.0.0.1)/"),
        ("http://[::1]/", "[::1])/"),
        ("http://example.com/", "com,example)/"),
    ],
)
def test_sort_keys(url: str, key: str) -> None:
    assert surt(url) == key


# Tables


def test_near_duplicates_have_one_group(tmp_path: Path) -> None:
    changed = HTML.replace(b"word7 ", b"another ")
    different = f"<html><p>{' '.join(f'thing{n} in another place' for n in range(400))}</p></html>".encode()
    short = b"<html><p>hello</p></html>"
    found = stored(
        tmp_path,
        *(visited(f"http://a.example/{n}", body) for n, body in enumerate((HTML, changed, different, short, changed))),
    )
    assert [row["duplicate_group"] for row in found] == [1, 1, 3, None, 1]


def test_groups_are_known_to_the_next_life(tmp_path: Path) -> None:
    other = " ".join(f"thing{n} in another place" for n in range(400))
    bodies = [HTML, HTML.replace(b"word7 ", b"another "), other.encode(), HTML.replace(b"word9 ", b"another ")]
    for number, body in enumerate(bodies):
        found = stored(tmp_path, visited(f"http://a.example/{number}", body))
    assert [row["duplicate_group"] for row in found] == [1, 1, 3, 1]


@given(some.lists(some.tuples(some.integers(0, 5), some.sets(some.integers(0, 63), max_size=4)), max_size=40))
def test_groups_are_those_of_a_look_at_all(changes: list[tuple[int, set[int]]]) -> None:
    groups, firsts = duplicates.Groups(), dict[int, int]()
    for page, (text, flipped) in enumerate(changes, 1):
        raw = text * 0x9E3779B97F4A7C15 % 2**64 ^ sum(1 << bit for bit in flipped)
        bits = raw - 2**64 if raw >> 63 else raw
        far = [((bits ^ other) % 2**64).bit_count() for other in firsts.values()]
        expected = min(
            ((apart, first) for apart, first in zip(far, firsts, strict=True) if apart <= 3), default=(0, page)
        )
        assert groups.of(bits, page) == expected[1]
        if expected[1] == page:
            firsts[page] = bits


def test_fingerprints_are_near_when_texts_are() -> None:
    words = TEXT.split()
    base = duplicates.fingerprint(TEXT)
    assert base is not None
    assert duplicates.fingerprint(TEXT.upper()) == base
    for place in range(0, len(words), 97):
        other = duplicates.fingerprint(" ".join([*words[:place], "changed", *words[place + 1 :]]))
        assert other is not None
        assert duplicates._apart(base, other) <= duplicates.FAR
    assert duplicates.fingerprint("too few words " * 4) is None


PARTS = some.floats() | some.integers() | some.booleans() | some.text(max_size=3) | some.fractions()


@given(some.lists(PARTS | some.tuples(PARTS, PARTS), max_size=4).map(tuple))
def test_notes_are_json(note: tuple[Any, ...]) -> None:
    assert written(note) == json.dumps(note, default=str)


def test_a_note_tells_genre_and_type(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    page = visited("http://a.example/")
    store.add(Lease(1, page.offer, Weight()), page, 0.5)
    store.keep("http://a.example/", (0.25, ("genre", "blog"), ("type", "list")))
    store.commit({})
    store.close()
    (row,) = rows(tmp_path)
    assert (row["genre"], row["page_type"]) == ("blog", "list")
    assert json.loads(row["kept"])[0] == 0.25


def test_a_folder_of_another_version_is_left_alone(tmp_path: Path) -> None:
    stored(tmp_path, visited("http://a.example/"))
    with closing(sqlite3.connect(tmp_path / "state.db")) as db:
        db.execute("PRAGMA user_version = 1")
    with pytest.raises(UnreadableError, match="another version"):
        RunStore(tmp_path)


# A crawl becomes a corpus


def test_a_crawl_becomes_a_corpus(tmp_path: Path) -> None:
    run, folder = crawled(tmp_path / "run"), tmp_path / "corpus"
    count = make_corpus(run, folder)
    assert [problem for problem in check(folder) if not problem.startswith("note: ")] == []
    corpus = Corpus.open(folder)
    fetched = {row["url"]: row for row in rows(run)}
    good = {url for url, row in fetched.items() if row["status"] == 200}
    assert set(corpus.urls) == good == set(corpus.labels)
    assert count == len(good)
    for url in good:
        assert corpus.page(url).body == small_web.pages()[url].body
        assert corpus.labels[url]["relevant"] == ("yes" if fetched[url]["relevance"] >= 0.5 else "no")
    results = bench(folder, strategies=["breadth-first", "best-first"], budget=20, workers=1)
    assert {run["strategy"] for run in results["runs"]} >= {"breadth-first", "best-first"}


def test_what_a_crawl_did_not_fetch_is_outside_of_its_corpus(tmp_path: Path) -> None:
    """Nobody knows what was there: it is no dead link, and no strategy is offered it."""
    run, folder = crawled(tmp_path / "run", max_pages=30), tmp_path / "corpus"
    make_corpus(run, folder)
    with closing(reading(run)) as db:
        fetched = {url for (url,) in db.execute("SELECT url FROM pages")}
    corpus = Corpus.open(folder)
    results = bench(folder, strategies=["breadth-first"], budget=1000, workers=1)
    assert results["outside"] == corpus.graph().outside > 0
    for url in corpus.urls:
        assert {link.url for link in corpus.fetcher().answer(Offer(Link(url))).links} <= fetched


def test_revisits_are_whole_pages_of_a_corpus(tmp_path: Path) -> None:
    run, folder = tmp_path / "run", tmp_path / "corpus"
    stored(run, visited("http://a.example/1"), visited("http://a.example/2", time=2000.0))
    (run / "config.toml").write_text('corpus = "x"\n')
    make_corpus(run, folder)
    corpus = Corpus.open(folder)
    assert [corpus.page(f"http://a.example/{n}").body for n in (1, 2)] == [HTML, HTML]


def test_going_on_with_the_crawl_leaves_the_corpus_alone(tmp_path: Path) -> None:
    run, folder = crawled(tmp_path / "run", max_pages=30), tmp_path / "corpus"
    make_corpus(run, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    crawled(run, max_pages=60)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_nothing_is_written_over(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", max_pages=10)
    with pytest.raises(ConfigError, match="there already"):
        make_corpus(run, run)
    with pytest.raises(UnreadableError, match="not a run folder"):
        make_corpus(tmp_path, tmp_path / "corpus")


def test_labels_are_a_table(tmp_path: Path) -> None:
    make_corpus(crawled(tmp_path / "run", max_pages=20), tmp_path / "corpus")
    with (tmp_path / "corpus" / "labels.csv").open(newline="") as file:
        header, *found = csv.reader(file)
    assert header == ["url", "relevant", "relevance", "language", "genre", "page_type", "duplicate_group"]
    assert {row[1] for row in found} == {"yes", "no"}


def test_pages_that_all_share_a_band_are_not_all_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody may make them so: the bits of a text are for all to know."""
    groups, compared, apart = duplicates.Groups(), [0], duplicates._apart
    monkeypatch.setattr(duplicates, "_apart", lambda one, other: compared.append(1) or apart(one, other))  # type: ignore[func-returns-value]
    for page in range(1, 1501):
        groups.of(page * 0x9E3779B97F4A7C15 & 0x7FFF_FFFF_FFFF_0000, page)  # 0 in the first band
    compared.clear()
    groups.of(0x0F0F_F0F0_0F0F_0000, 1501)
    assert duplicates.MOST_LOOKED_AT <= len(compared) < duplicates.MOST_LOOKED_AT + 100
