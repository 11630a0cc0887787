"""What hosts say for all of their pages, and what becomes of what pages ask for; real servers on loopback."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.fetchers.http.client import Answer, Transport
from opilio.fetchers.live import Manners
from opilio.report.explain import story
from opilio.report.refusals import sentence
from opilio.report.run import write as write_report
from opilio.report.summary import summary
from opilio.report.watch import Watch
from opilio.store.reader import reading
from opilio.store.warc import read
from tests.polite_web import MISSING, QUICK, Served, fetched, moved, page, text
from tests.test_archive import checked
from tests.test_polite import LINKS, PAGE, crawled

TDMREP = "http://a.test/.well-known/tdmrep.json"


@pytest.mark.parametrize(
    ("entries", "location"),
    [
        ([{"location": "/", "tdm-reservation": 1, "tdm-policy": "http://a.test/policy"}], "/"),
        ([{"location": "/x", "tdm-reservation": 1}], "/x"),
        ([{"location": "/*", "tdm-reservation": "1"}], "/*"),
        ([{"location": "/x$", "tdm-reservation": 1}], "/x$"),
        ([{"location": "/y", "tdm-reservation": 1}], ""),
        ([{"location": "/", "tdm-reservation": 0}], ""),
        ([{"location": "/", "tdm-reservation": 1}, {"location": "/x", "tdm-reservation": 0}], ""),
        ([{"location": "/", "tdm-reservation": 0}, {"location": "/x", "tdm-reservation": 1}], "/x"),
        ([{"location": "/x", "tdm-reservation": 0}, {"location": "/x", "tdm-reservation": 1}], "/x"),
        (
            [
                {"location": 3, "tdm-reservation": 1},
                {"location": "/"},
                "x",
                None,
                {"location": "/", "tdm-reservation": []},
            ],
            "",
        ),
        ({"location": "/", "tdm-reservation": 1}, ""),
        ("[" * 100_000, ""),
        ("no JSON", ""),
        ("", ""),
    ],
)
def test_what_a_host_reserves_for_all_of_its_pages(entries: object, location: str) -> None:
    said = entries if isinstance(entries, str) else json.dumps(entries)
    pages = {PAGE: page("text"), TDMREP: text(said)}
    [got], served = fetched(pages, PAGE, manners=Manners(frozenset({"tdm"}), pace=QUICK))
    reason = f"reserved: tdm-reservation of {location} in /.well-known/tdmrep.json"
    assert (got.error, got.refused) == ((reason, True) if location else ("", False))
    assert (PAGE in served.urls) == (not location)
    assert served.urls.count(TDMREP) == 1


@pytest.mark.parametrize("said", [MISSING, (503, {}, b""), (200, {}, b"\xff\xfe"), text('[{"location": "/"}]')])
def test_a_host_that_reserves_nothing(said: tuple[int, dict[str, str], bytes]) -> None:
    [first, second], served = fetched(
        {PAGE: page("x"), TDMREP: said}, PAGE, "http://a.test/y", manners=Manners(frozenset({"tdm"}), pace=QUICK)
    )
    assert (first.error, second.error) == ("", "http 404")
    assert served.urls.count(TDMREP) <= 2  # a host that is tired may be asked again


def test_the_file_is_asked_for_when_wanted_and_allowed_only() -> None:
    pages = {PAGE: page("x"), TDMREP: text('[{"location": "/", "tdm-reservation": 1}]')}
    [got], served = fetched(pages, PAGE)
    assert (TDMREP in served.urls, got.directives) == (False, frozenset())
    forbidding = {**pages, "http://a.test/robots.txt": text("User-agent: *\nDisallow: /.well-known/")}
    manners = Manners(frozenset({"robots", "tdm"}), pace=QUICK)
    [got], served = fetched(forbidding, PAGE, manners=manners)
    assert (TDMREP in served.urls, got.error) == (False, "")


def test_pages_that_ask_not_to_be_indexed_are_left_out_of_export_and_search(tmp_path: Path) -> None:
    shy = page('<meta name="robots" content="none"><title>shy</title>honey and more honey')
    bold = page('<a href="/shy">x</a> honey too')
    run = tmp_path / "run"
    crawled(run, Served({PAGE: bold, "http://a.test/shy": shy}), [PAGE, "http://a.test/shy"], 100)
    for words, found in ([], {PAGE}), (["--noindex"], {PAGE, "http://a.test/shy"}):
        told = CliRunner().invoke(app, ["export", str(run), "-o", "-", *words])
        assert {json.loads(line)["url"] for line in told.stdout.splitlines() if line.startswith("{")} == found
        told = CliRunner().invoke(app, ["search", str(run), "honey", "--json", *words])
        assert {hit["url"] for hit in json.loads(told.stdout)["hits"]} == found


def test_links_that_are_not_followed_are_explained(tmp_path: Path) -> None:
    crawled(tmp_path / "run", Served({PAGE: page(LINKS)}), [PAGE], 100)
    told = story(tmp_path / "run", "http://a.test/2")
    assert (told["state"], told["scope"]) == (
        "out of scope",
        f"robots: {PAGE} asks not to follow this link (nofollow)",
    )


def test_what_decisions_rest_on_is_archived(tmp_path: Path) -> None:
    """robots.txt files, what they redirect to, and reservations are records of their own, and no pages."""
    robots, elsewhere = "http://a.test/robots.txt", "http://a.test/rules.txt"
    pages = {
        PAGE: page("x"),
        robots: moved("/rules.txt"),
        elsewhere: text("User-agent: *\nDisallow: /no"),
        TDMREP: text("[]"),
    }
    crawled(tmp_path / "run", Served(pages), [PAGE], 100, obey=["robots", "tdm"])
    with closing(reading(tmp_path / "run")) as db:
        assert [url for (url,) in db.execute("SELECT url FROM pages")] == [PAGE]
        files = {url: (status, file, offset) for url, status, file, offset in db.execute(FILES)}
    assert {url: status for url, (status, _, _) in files.items()} == {robots: 301, elsewhere: 200, TDMREP: 200}
    for url, (status, file, offset) in files.items():
        assert read(tmp_path / "run" / "archive" / file, offset)[::2] == (status, pages[url][2])
    index = next((tmp_path / "run" / "archive").glob("*.cdxj")).read_text()
    assert all(f'"url": "{url}"' in index for url in (PAGE, *files))
    assert checked(tmp_path / "run") == 1 + 2 * 4


FILES = "SELECT url, status, file, offset FROM files"


# Every refusal has a reason that `explain` shows

HOPS = {f"http://a.test/hop{n}": moved(f"/hop{n + 1}") for n in range(9)}
REFUSED = {
    "http://a.test/no/1": "robots: line 2: Disallow: /no",
    "http://10.0.0.1/": "refused address 10.0.0.1 (private use)",
    "http://a.test:22/": "refused port 22",
    "http://other.test/": "scope: exclude has other.test",
    f"http://a.test/{'x' * 3000}": "trap: longer than 2000 characters",
    f"http://a.test{'/x' * 9}": "trap: a part occurs more than 3 times",
    "http://a.test/hop6": "trap: more than 5 redirects in a row",
    "http://a.test/2": f"robots: {PAGE} asks not to follow this link (nofollow)",
    "http://a.test/below-noai": "never seen",
    "http://a.test/kept": "reserved: tdm-reservation of /kept in /.well-known/tdmrep.json",
    "http://down.test/": "unreachable (http 500): no robots.txt, so nothing may be fetched",
}
ELSEWHERE = ("http://a.test/2", "http://a.test/hop6", "http://a.test/below-noai")  # of these, where links to them stand


def everything(url: str) -> tuple[int, dict[str, str], bytes]:
    if url == PAGE:
        return page(LINKS + "".join(f'<a href="{to}">x</a>' for to in [*REFUSED, *MORE] if to not in ELSEWHERE))
    if url == "http://a.test/noai":
        return page('<a href="/below-noai">x</a>', X_Robots_Tag="noai")
    if url.startswith("http://down.test/"):
        return 500, {}, b""
    rules = {
        "http://a.test/robots.txt": text("User-agent: *\nDisallow: /no"),
        TDMREP: text('[{"location": "/kept", "tdm-reservation": 1}]'),
    }
    return rules.get(url) or HOPS.get(url) or (page("x") if url.startswith("http://many.test/") else MISSING)


MORE = ["http://a.test/hop0", "http://a.test/noai", *(f"http://many.test/{n}" for n in range(10, 40))]


def test_every_refusal_is_explained(tmp_path: Path) -> None:
    run = tmp_path / "run"
    obey = ["robots", "nofollow", "tdm", "noai"]
    crawled(run, Served(everything), [PAGE], 200, obey=obey, exclude=["other.test"], max_per_site=15, delay=0.01)
    for url, reason in REFUSED.items():
        told = reason if reason.startswith(("scope", "trap", "never")) or url in ELSEWHERE else sentence(reason)
        assert told in " ".join(story(run, url)["lines"]), url
    many = [" ".join(story(run, url)["lines"]) for url in MORE[2:]]
    assert sum("scope: many.test has had its max_per_site = 15" in line for line in many) == len(many) - 15


APART = {
    "https://a.test/": ("unreachable (tls: handshake failed)", "unreachable (tls: handshake failed): no robots.txt"),
    "http://down.test/": ("unreachable (http 500)", "unreachable (http 500): no robots.txt"),
    "http://a.test/no/1": ("robots.txt", "refused by robots.txt (line 2: Disallow: /no)"),
    "http://10.0.0.1/": ("guard (address)", "refused by the guard (address 10.0.0.1 (private use))"),
    "http://a.test:22/": ("guard (port)", "refused by the guard (port 22)"),
}


def test_unreachable_robots_and_guard_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A handshake that fails is not what a robots.txt asks for."""
    get = Transport.get

    async def plain_only(self: Transport, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        if url.startswith("https://"):
            return Answer(url, error="tls: handshake failed")
        return await get(self, url, headers)

    monkeypatch.setattr(Transport, "get", plain_only)

    def answer(url: str) -> tuple[int, dict[str, str], bytes]:
        links = "".join(f'<a href="{to}">x</a>' for to in APART)
        return page(links) if url == PAGE else everything(url)

    run = tmp_path / "run"
    crawled(run, Served(answer), [PAGE], 50, delay=0.01)
    kinds = {kind: 1 for kind, _ in APART.values()}
    assert summary(run)["refused_because"] == Watch(run).look().refused_because == kinds
    assert summary(run)["refused"] == len(APART)
    status = " ".join(CliRunner().invoke(app, ["status", str(run)]).stdout.split())
    report = write_report(run).read_text()
    for url, (kind, told) in APART.items():
        assert f"{kind}: 1" in status
        assert f">{kind}</td>" in report
        assert f"not fetched: {told}" in " ".join(story(run, url)["lines"])
