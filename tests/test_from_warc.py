"""A corpus of archives that other programs wrote, and of archives that somebody damaged."""

from __future__ import annotations

import gzip
import io
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some
from typer.testing import CliRunner

from opilio.bench.corpus import Corpus, check
from opilio.bench.from_warc import Imported, from_warc
from opilio.bench.run import bench
from opilio.cli.commands import app
from opilio.errors import ConfigError, UnreadableError
from opilio.http_message import CHUNK
from opilio.store.any_warc import Damage, Record, records
from opilio.store.warc_records import Earlier, copied_record, response_record, warcinfo_record

DATE = "2026-01-02T03:04:05Z"
HTTP = "application/http; msgtype=response"
SITE = "http://a.example/"
SUITE = Path(__file__).parents[1].parent / "shared" / "suites" / "warc"
NUMBERS = range(8)


def page(name: str, *links: str) -> bytes:
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return f"<html><head><title>{name}</title></head><body><p>{name}</p>{anchors}</body></html>".encode()


def record(name: str, body: bytes = b"", status: int = 200, **headers: str) -> bytes:
    return response_record(SITE + name, status, {"Content-Type": "text/html", **headers}, body or page(name), DATE)


def made(tmp_path: Path, *files: Path, rules: tuple[str, ...] = (), **told: object) -> tuple[Imported, Corpus]:
    """The corpus of some archives, which `opilio corpus check` finds good."""
    folder = tmp_path / "corpus"
    imported = from_warc(files, folder, rules, **told)  # type: ignore[arg-type]
    assert [problem for problem in check(folder) if not problem.startswith("note: ")] == []
    return imported, Corpus.open(folder)


def archive(tmp_path: Path, *parts: bytes, name: str = "some.warc.gz") -> Path:
    (tmp_path / name).write_bytes(b"".join(parts))
    return tmp_path / name


def plain(*parts: bytes) -> bytes:
    return b"".join(gzip.decompress(part) for part in parts)


# Other programs, on a small site of this machine


class Site(BaseHTTPRequestHandler):
    """A home page, news and a blog, a redirect, a dead link, a picture, a page in chunks and a compressed one."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        kind, _, number = self.path.strip("/").partition("/")
        if self.path == "/":
            links = [f"/{kind}/{n}" for kind in ("news", "blog") for n in NUMBERS]
            self.answer(200, page("home", *links, "/old", "/gone", "/picture.png", "/chunks", "/packed"))
        elif kind in ("news", "blog"):
            self.answer(200, page(f"{kind} {number}", f"/{kind}/{(int(number) + 1) % len(NUMBERS)}", "/"))
        elif kind == "old":
            self.answer(301, b"", Location="/news/0")
        elif kind == "picture.png":
            self.answer(200, b"\x89PNG" + bytes(5000), **{"Content-Type": "image/png"})
        elif kind == "chunks":
            self.answer(200, b"5\r\n<p>on\r\n9\r\ne and all\r\n0\r\n\r\n", **{"Transfer-Encoding": "chunked"})
        elif kind == "packed":
            self.answer(200, gzip.compress(page("packed")), **{"Content-Encoding": "gzip"})
        else:
            self.answer(404, b"no")

    def answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        length = {} if "Transfer-Encoding" in headers else {"Content-Length": str(len(body))}
        for name, value in ({"Content-Type": "text/html"} | length | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def by_wget(site: str, folder: Path) -> Path:
    if not shutil.which("wget"):
        pytest.skip("wget is not installed")
    told = ["-q", "-r", "-e", "robots=off", "--delete-after", "-P", str(folder), f"--warc-file={folder / 'wget'}"]
    subprocess.run(["wget", *told, f"{site}/"], check=False, timeout=300, env={"no_proxy": "*"})
    return folder / "wget.warc.gz"


CAPTURE = """
import sys
from warcio.capture_http import capture_http
import http.client
site, path = sys.argv[1:]
with capture_http(path):
    pages = [f"{kind}/{n}" for kind in ("news", "blog") for n in range(8)]
    for name in ("", *pages, "old", "gone", "picture.png", "chunks", "packed"):
        connection = http.client.HTTPConnection(site.removeprefix("http://"))
        connection.request("GET", "/" + name)
        connection.getresponse().read()
        connection.close()
"""


def by_warcio(site: str, folder: Path) -> Path:
    path = folder / "warcio.warc.gz"
    subprocess.run([sys.executable, "-W", "ignore", "-c", CAPTURE, site, str(path)], check=True, timeout=300)
    return path


def by_wacz(site: str, folder: Path) -> Path:
    if not find_spec("wacz"):
        pytest.skip("py-wacz is not installed (pip install wacz)")
    path = folder / "made.wacz"
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "wacz.main",
        "create",
        "-o",
        str(path),
        str(by_warcio(site, folder)),
    ]
    subprocess.run(command, check=True, timeout=300, capture_output=True)
    return path


PROXY = """
import sys
from warcprox import main, warcproxy
warcproxy.WarcProxyHandler.allow_localhost = True
main.main(sys.argv)
"""
NAMES = [
    "",
    *(f"{kind}/{n}" for kind in ("news", "blog") for n in NUMBERS),
    "old",
    "gone",
    "picture.png",
    "chunks",
    "packed",
]


def by_warcprox(site: str, folder: Path) -> Path:
    if not find_spec("warcprox"):
        pytest.skip("warcprox is not installed (pip install warcprox)")
    port = socket.create_server(("127.0.0.1", 0)).getsockname()[1]
    told = ["-b", "127.0.0.1", "-p", str(port), "-z", "-d", "proxied", "-c", "ca.pem", "--certs-dir", "certs"]
    told += ["--dedup-db-file", "/dev/null", "--stats-db-file", "/dev/null"]
    asked = [sys.executable, "-W", "ignore", "-c", PROXY, *told]
    with subprocess.Popen(asked, cwd=folder, stderr=subprocess.DEVNULL) as proxy:
        for name in NAMES:
            _through(port, f"{site}/{name}")
        proxy.terminate()
    return folder / "proxied"


def _through(port: int, url: str) -> None:
    """Ask a proxy for a page; it may take a while to begin."""
    for _ in range(300):
        with suppress(ConnectionRefusedError), closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            connection.request("GET", url)
            connection.getresponse().read()
            return
        time.sleep(0.1)


WRITE_JS = """
const { WARCRecord, WARCSerializer } = require("warcio");
const [site, path, ...names] = process.argv.slice(1);
const out = require("node:fs").createWriteStream(path);
const get = (url) => new Promise((done) => require("node:http").get(url, (answer) => {
  const parts = [];
  answer.on("data", (part) => parts.push(part)).on("end", () => done([answer, Buffer.concat(parts)]));
}));
(async () => {
  const warcVersion = "WARC/1.1", gzip = true;
  const info = await WARCRecord.createWARCInfo({ filename: path, warcVersion }, { software: "warcio.js" });
  out.write(await WARCSerializer.serialize(info, { gzip }));
  for (const name of names) {
    const [answer, body] = await get(`${site}/${name}`);
    const { "transfer-encoding": _, ...httpHeaders } = answer.headers;
    const statusline = `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`;
    const url = `${site}/${name}`, date = new Date().toISOString(), type = "response";
    const told = { url, type, date, warcVersion, statusline, httpHeaders };
    const record = await WARCRecord.create(told, (async function* () { yield new Uint8Array(body); })());
    out.write(await WARCSerializer.serialize(record, { gzip }));
  }
  out.end();
})();
"""


def by_warcio_js(site: str, folder: Path) -> Path:
    """What Browsertrix writes its archives with."""
    node = shutil.which("node")
    if not node or subprocess.run([node, "-e", "require('warcio')"], capture_output=True).returncode:
        pytest.skip("warcio.js is not installed (npm install warcio, NODE_PATH=node_modules)")
    path = folder / "js.warc.gz"
    subprocess.run([node, "-e", WRITE_JS, site, str(path), *NAMES], check=True, timeout=300)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("writer", [by_wget, by_warcio, by_wacz, by_warcprox, by_warcio_js])
def test_archives_of_other_programs_become_corpora(writer: object, site: str, tmp_path: Path) -> None:
    file = writer(site, tmp_path)  # type: ignore[operator]
    rules = ("*/news/*=news", "*/blog/*=blog")
    imported, corpus = made(tmp_path, file, rules=rules, column="section")
    assert imported.unread == []
    assert corpus.home == f"{site}/"
    assert {f"{site}/{kind}/{n}" for kind in ("news", "blog") for n in NUMBERS} <= set(corpus.urls)
    assert corpus.aliases == {f"{site}/old": f"{site}/news/0"}
    assert corpus.find(f"{site}/gone").status == 404  # type: ignore[union-attr]
    assert corpus.page(f"{site}/chunks").body == b"<p>one and all"
    assert corpus.page(f"{site}/packed").body == page("packed")
    assert corpus.find(f"{site}/picture.png").body == b""  # type: ignore[union-attr]
    assert [corpus.labels[f"{site}/{name}"]["section"] for name in ("news/3", "blog/4")] == ["news", "blog"]
    assert [task.name for task in corpus.tasks] == ["section", "section-blog", "section-news"]
    results = bench(corpus.folder, "section-news", strategies=["breadth-first"], budget=10, workers=1)
    assert {run["strategy"]: run["targets"] for run in results["runs"]}["breadth-first"] == len(
        NUMBERS
    ) - 1  # one shows the type


@pytest.mark.skipif(not SUITE.is_dir(), reason=f"the archives of others are not at {SUITE}")
def test_archives_of_a_suite(tmp_path: Path) -> None:
    files = sorted(path for path in SUITE.iterdir() if ".arc" not in path.name)
    imported, corpus = made(tmp_path, *files)
    assert set(corpus.urls) >= {"http://example.com/", "http://www.iana.org/", "http://httpbin.org/post"}
    assert imported.unread == []


@pytest.mark.skipif(not SUITE.is_dir(), reason=f"the archives of others are not at {SUITE}")
def test_a_file_that_cannot_be_read_costs_that_file_alone(tmp_path: Path) -> None:
    imported, _ = made(tmp_path, SUITE / "example.arc", tmp_path / "nowhere.warc", SUITE / "example.warc")
    assert ["ARC file" in imported.unread[0], "No such file" in imported.unread[1]] == [True, True]
    assert imported.pages == 1


# What archives may hold


def test_a_wacz_file_is_read_without_unpacking_it(tmp_path: Path) -> None:
    path = tmp_path / "some.wacz"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("archive/data.warc.gz", record("1") + record("2"))
        packed.writestr("archive/more.warc", plain(record("3")), zipfile.ZIP_DEFLATED)
        packed.writestr("archive/../../evil.warc", plain(record("4")))
        packed.writestr("pages/pages.jsonl", "{}")
    _, corpus = made(tmp_path, path)
    assert corpus.urls == [SITE + name for name in "1234"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus", "some.wacz"]


def test_a_broken_wacz_file_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "some.wacz"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("archive/data.warc.gz", record("1"))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(UnreadableError, match=r"some\.wacz: it cannot be read"):
        from_warc([path], tmp_path / "corpus")
    assert not (tmp_path / "corpus").exists()


def test_folders_are_searched(tmp_path: Path) -> None:
    (tmp_path / "in" / "archive").mkdir(parents=True)
    archive(tmp_path / "in" / "archive", record("1"))
    assert made(tmp_path, tmp_path / "in")[1].urls == [SITE + "1"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="there is no"):
        from_warc([tmp_path / "empty"], tmp_path / "other")


def test_a_page_goes_before_a_redirect_and_the_first_page_counts(tmp_path: Path) -> None:
    parts = (
        record("1", status=302, Location="/2"),
        record("1", b"first"),
        record("1", b"second"),
        record("1", status=404),
    )
    imported, corpus = made(tmp_path, archive(tmp_path, *parts))
    assert corpus.page(SITE + "1").body == b"first"
    assert imported.left_out == {"of a URL that has a record already": 2}


def test_revisits_become_whole_pages(tmp_path: Path) -> None:
    from opilio.nouns import Wire
    from opilio.store.warc_records import digest_of, exchange

    body = page("long " * 100)
    wire = Wire(b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", body, 0.0, "")
    whole = exchange(SITE + "1", wire, digest_of(body))
    again = exchange(SITE + "2", wire, digest_of(body), Earlier(SITE + "1", DATE, digest_of(body)))
    lost = exchange(SITE + "3", wire, digest_of(b"x"), Earlier(SITE + "9", DATE, digest_of(b"x")))
    imported, corpus = made(tmp_path, archive(tmp_path, *again, *lost, *whole))  # the reference comes first
    assert [corpus.page(SITE + name).body for name in "12"] == [body, body]
    assert imported.left_out == {"a reference to a page that is in none of the archives": 1}


def test_what_is_no_page_is_left_out_and_counted(tmp_path: Path) -> None:
    parts = (
        warcinfo_record("some.warc.gz", {"software": "Heritrix/3.4"}, DATE),
        copied_record("resource", "metadata://gnu.org/wget.log", DATE, "text/plain", b"log"),
        copied_record("response", "dns:a.example", DATE, "text/dns", b"1.2.3.4"),
        copied_record("response", SITE + "odd", DATE, HTTP, b"SPDY is no HTTP\r\n\r\n"),
        copied_record("request", SITE + "1", DATE, "application/http; msgtype=request", b"GET / HTTP/1.1\r\n\r\n"),
        record("1"),
    )
    imported, corpus = made(tmp_path, archive(tmp_path, *parts))
    assert corpus.urls == [SITE + "1"]
    assert imported.left_out == {"not of an http or https URL": 2, "no answer by HTTP": 1}
    assert "Heritrix/3.4" in (corpus.folder / "corpus.toml").read_text()


# Labels


def test_labels_by_pattern_and_by_table(tmp_path: Path) -> None:
    table = tmp_path / "labels.csv"
    table.write_text(f"url,topic,kind\n{SITE}a/1,bees,\n{SITE}b/1,,mine\n{SITE}nowhere,bees,\n")
    file = archive(tmp_path, *(record(f"{kind}/{n}") for kind in "abc" for n in range(6)))
    imported, corpus = made(
        tmp_path, file, rules=("*/a/*=first", "*/?/*=never", "*b/=x", "*/b/*=second"), column="kind", table=table
    )
    assert corpus.labels[SITE + "a/1"] == {"topic": "bees", "kind": "first"}
    assert corpus.labels[SITE + "b/1"] == {"topic": "", "kind": "mine"}  # the table goes before the patterns
    assert corpus.labels[SITE + "b/2"] == {"topic": "", "kind": "second"}
    assert SITE + "c/1" not in corpus.labels
    assert imported.labelled == 12
    tasks = {task.name: task for task in corpus.tasks}
    assert list(tasks) == ["kind", "kind-first", "kind-second"]  # one bee is too few, and so is mine
    assert tasks["kind"].settings["topics"] == ["first", "second"]
    assert tasks["kind-first"].settings["start"] == [SITE + "a/0"]


@pytest.mark.parametrize("rule", ["news", "=news", "*/news/*=", ""])
def test_a_label_that_is_none_is_refused_before_anything_is_read(rule: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="PATTERN=VALUE"):
        from_warc([tmp_path / "nowhere.warc"], tmp_path / "corpus", [rule])


def test_the_command(tmp_path: Path) -> None:
    file, out = archive(tmp_path, *(record(f"a/{n}") for n in range(6)), b"rubbish"), tmp_path / "corpus"
    words = ["corpus", "from-warc", str(file), "-o", str(out), "--label", "*/a/*=a", "--home", SITE + "a/3"]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0
    assert said.stdout.strip() == str(out)
    assert "6 pages, 6 labelled" in said.stderr
    assert Corpus.open(out).home == SITE + "a/3"


# Damage


def found(data: bytes) -> tuple[list[str], int]:
    """The names of the pages in an archive, and the damaged places."""
    read = list(records(io.BytesIO(data)))
    urls = [part.headers.get("warc-target-uri", "") for part in read if isinstance(part, Record)]
    return [url.removeprefix(SITE) for url in urls], sum(isinstance(part, Damage) for part in read)


PARTS = [record(str(n), page(str(n)) + b"x" * n * 700) for n in range(9)]
ALL = [str(n) for n in range(9)]


def with_length(part: bytes, length: int) -> bytes:
    head, _, rest = gzip.decompress(part).partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length")]
    return b"\r\n".join([*lines, b"Content-Length: %d" % length]) + b"\r\n\r\n" + rest


@pytest.mark.parametrize("pack", [b"".join, plain, lambda parts: gzip.compress(plain(*parts))])
def test_all_forms_of_an_archive_are_read(pack: object) -> None:
    data = plain(*PARTS) if pack is plain else pack(PARTS)  # type: ignore[operator]
    assert found(data) == (ALL, 0)


def test_a_record_over_several_gzip_members() -> None:
    raw = plain(*PARTS)
    assert found(b"".join(gzip.compress(raw[at : at + 1000]) for at in range(0, len(raw), 1000))) == (ALL, 0)


def test_a_damaged_gzip_member_costs_one_record() -> None:
    hurt = bytearray(PARTS[4])
    hurt[len(hurt) // 2 : len(hurt) // 2 + 8] = b"\xff" * 8
    names, _ = found(b"".join([*PARTS[:4], bytes(hurt), *PARTS[5:]]))
    assert set(names) >= set(ALL) - {"4"}


def test_rubbish_between_records_costs_none() -> None:
    assert found(b"".join([*PARTS[:4], b"rubbish" * 9, *PARTS[4:]]))[0] == ALL
    names, damaged = found(plain(*PARTS[:4]) + b"rubbish\r\n" * 9 + plain(*PARTS[4:]))
    assert (names, damaged) == (ALL, 1)


def test_a_record_behind_rubbish_is_found_over_the_edge_of_a_piece() -> None:
    for cut in range(1, 8):  # of "\\nWARC/1."
        assert found(b"x" * (CHUNK - cut) + b"\n" + plain(*PARTS[:2])) == (ALL[:2], 1)


@pytest.mark.parametrize("length", [0, 7, 10**6, 10**17])
@pytest.mark.parametrize("packed", [True, False])
def test_a_wrong_length_costs_one_record(length: int, packed: bool) -> None:
    wrong = with_length(PARTS[4], length)
    parts = [gzip.decompress(part) for part in PARTS]
    parts[4] = wrong
    names, damaged = found(b"".join(map(gzip.compress, parts)) if packed else b"".join(parts))
    assert set(names) >= set(ALL) - {"4"}
    assert damaged == 1


def test_a_file_that_breaks_off_costs_its_last_record() -> None:
    whole = b"".join(PARTS)
    assert found(whole[:-20]) == (ALL[:-1], 1)
    assert found(plain(*PARTS)[:-2000]) == (ALL[:-1], 1)


def test_headers_without_end_and_without_length() -> None:
    odd = b"WARC/1.0\r\nWARC-Type: response\r\n\r\n", b"WARC/1.0\r\n" + b"X: y\r\n" * 40_000
    names, damaged = found(odd[0] + plain(*PARTS[:4]) + odd[1] + plain(*PARTS[4:]))
    assert set(names) >= set(ALL) - {"4"}
    assert damaged


def test_a_file_of_damage_alone_comes_to_an_end() -> None:
    names, damaged = found(b"WARC/1.0\r\nContent-Length: 99999999\r\n\r\n" * 20_000)
    assert names == []
    assert damaged <= 1002


@settings(deadline=None, max_examples=60)
@given(some.integers(0, 10**9), some.integers(1, 30), some.booleans())
@example(814767, 1, False)  # in the name of a header
def test_whatever_is_damaged_most_records_stay(seed: int, places: int, packed: bool) -> None:
    chance, data = random.Random(seed), bytearray(b"".join(PARTS) if packed else plain(*PARTS))
    at = chance.randrange(len(data))
    for place in range(at, min(at + places, len(data))):
        data[place] = chance.randrange(256)
    names, _ = found(bytes(data))
    assert len(set(names) & set(ALL)) >= len(ALL) - 2


def test_a_long_record_takes_bounded_memory() -> None:
    """A hundred megabytes of nothing, and a page behind it."""
    head = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/big\r\nContent-Length: 100000000\r\n\r\n"
    )
    packer = zlib.compressobj(wbits=31)
    packed = packer.compress(head) + b"".join(packer.compress(bytes(10**7)) for _ in range(10)) + packer.flush()
    tracemalloc.start()
    read = list(records(io.BytesIO(packed + PARTS[1]), limit=1 << 20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [part.headers["warc-target-uri"] for part in read if isinstance(part, Record)] == [SITE + "big", SITE + "1"]
    assert isinstance(read[0], Record)
    assert not read[0].whole
    assert peak < 20 << 20
