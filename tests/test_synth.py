"""The synthetic web: the same everywhere, true to its labels, and with every trouble it promises."""

from __future__ import annotations

import asyncio
import csv
import tomllib
from collections import Counter, deque
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from warcio.archiveiterator import ArchiveIterator

from opilio.errors import ConfigError
from opilio.html import Document
from opilio.nouns import Link, Offer
from opilio.synth.articles import ArticleSite, Mirror
from opilio.synth.corpus import write
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.layout import Settings
from opilio.synth.local_server import port_of, serve
from opilio.synth.special import Calendar
from opilio.synth.web import COLUMNS, Web
from opilio.urls import canonical

PAGES = 2000


@cache
def web() -> Web:
    return Web(PAGES, 1)


@cache
def urls() -> list[str]:
    return list(web().urls())


@cache
def truth() -> dict[str, dict[str, str]]:
    return {url: web().labels(url) for url in urls()}


@cache
def documents() -> dict[str, Document]:
    found = {}
    for url in urls():
        status, headers, body = web().answer(url)
        assert status == 200, url
        found[url] = Document(body, url, headers["Content-Type"])
    return found


@cache
def resolved(url: str) -> str:
    """The page that a link leads to; "" for a dead one."""
    if url in truth():
        return url
    answer = web().answer(url)
    return answer.headers["Location"] if answer.status in (301, 302) else ""


def of_type(kind: str) -> list[str]:
    return [url for url, labels in truth().items() if labels["page_type"].endswith(kind)]


# The same everywhere


@pytest.mark.slow
def test_same_numbers_same_web() -> None:
    again, other = Web(PAGES, 1), Web(PAGES, 2)
    assert list(again.urls()) == urls()
    assert all(again.answer(url) == web().answer(url) for url in urls()[::37])
    assert not set(other.urls()) & set(urls())


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    again = Web(PAGES, 1)
    backwards = [again.answer(url).body for url in reversed(urls()[::50])]
    assert backwards[::-1] == [web().answer(url).body for url in urls()[::50]]


def test_first_pages_are_pinned() -> None:
    # Machines and versions of Python must agree; a change here changes every corpus made from a seed.
    digest = blake2b(digest_size=8)
    for url in urls()[::97]:
        digest.update(url.encode() + web().answer(url).body)
    assert digest.hexdigest() == "6abd1aee8f98a056"


def test_every_page_has_a_canonical_url_of_its_own() -> None:
    assert len(urls()) == len(set(urls())) == PAGES
    assert all(canonical(url) == url for url in urls())


@pytest.mark.parametrize("pages", [500, 501, 777, 1500, 12345])
def test_all_sizes_add_up_and_are_found(pages: int) -> None:
    sized = Web(pages, 3)
    assert sum(site.size for site in sized.atlas.sites) == pages
    assert len(sized.atlas.sites) == len({site.host for site in sized.atlas.sites})
    for url in islice(sized.urls(), 0, None, 7):
        place = sized.find(url)
        assert place is not None
        assert place.url == url


@pytest.mark.slow
@pytest.mark.parametrize("share", ["forums", "media", "mirrors", "trap", "islands", "foreign", "dead", "locality"])
def test_everything_can_be_turned_off(share: str) -> None:
    plain = Web(600, 0, Settings(**{share: 0.0}))
    assert all(plain.answer(url).status == 200 for url in islice(plain.urls(), 0, None, 3))


@pytest.mark.slow
def test_a_million_pages_are_not_stored() -> None:
    huge = Web(1_000_000, 0)
    place = huge.place(876_543)
    assert huge.answer(place.url).status == 200
    assert huge.find(place.url) == place


# True to its labels


@pytest.mark.slow  # it parses every page
def test_labels_have_all_columns_and_agree_with_the_pages() -> None:
    for url, labels in truth().items():
        assert tuple(labels) == COLUMNS
        assert documents()[url].language == labels["language"], url
    assert web().labels("http://nowhere.example/") == {}


@pytest.mark.slow
def test_topics_have_two_levels_and_similar_sizes() -> None:
    sizes = Counter(labels["topic"] for labels in truth().values() if labels["topic"])
    assert set(sizes) == set(web().topics)
    assert min(sizes.values()) >= PAGES / 100
    assert max(sizes.values()) <= PAGES / 15


def test_seeds_are_on_topic() -> None:
    for topic in web().topics:
        seeds = web().seeds(topic.split("/")[1])
        assert len(seeds) == 10
        assert {truth()[seed]["topic"] for seed in seeds} == {topic}
    with pytest.raises(ConfigError, match='did you mean "beekeeping"'):
        web().seeds("beekeping")


@pytest.mark.slow
def test_topics_speak_of_themselves() -> None:
    pages = [url for url, labels in truth().items() if labels["topic"] == "food/coffee" and labels["language"] == "en"]
    named = [url for url in pages if "coffee" in documents()[url].text.lower()]
    assert len(named) > 0.6 * len(pages)


def test_words_separate_topics_but_not_perfectly() -> None:
    pages = [url for url, labels in truth().items() if labels["topic"] and labels["language"] == "en"]
    topics = np.array([truth()[url]["topic"] for url in pages])
    vectors = TfidfVectorizer(sublinear_tf=True).fit_transform([documents()[url].text for url in pages])
    train = np.arange(len(pages)) % 2 == 0
    names = sorted(set(topics))
    centres = np.vstack([np.asarray(vectors[train & (topics == name)].mean(axis=0)) for name in names])
    guessed = np.array(names)[np.asarray(vectors[~train] @ centres.T).argmax(axis=1)]
    assert 0.8 < (guessed == topics[~train]).mean() < 0.99


def locality(found: Web, genre: str = "") -> float:
    same = total = 0
    for url in islice(found.urls(), 0, None, 5):
        labels = found.labels(url)
        if labels["topic"] and labels["page_type"] == "article" and genre in ("", labels["genre"]):
            _, headers, body = found.answer(url)
            links = [link.url for link in Document(body, url, headers["Content-Type"]).links]
            total += len(links)
            same += sum(found.labels(link).get("topic") == labels["topic"] for link in links)
    return same / total


@pytest.mark.slow
def test_topical_locality_is_what_was_asked_for() -> None:
    low, middle, high = (locality(Web(1000, 5, Settings(locality=strength))) for strength in (0.1, 0.4, 0.8))
    assert low < 0.3 < middle < 0.5 < high


@pytest.mark.slow
def test_genres_differ_in_where_their_links_lead_if_asked_for() -> None:
    alike, apart = (Web(1000, 5, Settings(genres=strength)) for strength in (0.0, 1.0))
    assert [locality(alike, genre) for genre in ("blog", "other")] == pytest.approx([0.4, 0.4], abs=0.06)
    assert locality(apart, "blog") > 0.55 > 0.35 > locality(apart, "other")
    assert [*alike.urls()] == [*apart.urls()]


def test_tags_and_uploaders_stand_on_the_detail_pages() -> None:
    details = of_type("detail")
    assert len(details) > 50
    for url in details:
        text = documents()[url].text
        assert all(tag in text for tag in truth()[url]["tags"].split("|"))
        assert truth()[url]["uploader"] in text


def test_media_profiles_list_what_their_users_uploaded() -> None:
    profiles = [url for url in of_type("profile") if truth()[url]["page_type"] == "profile"]
    owners: dict[str, set[str]] = {}
    for url in profiles:
        for link in documents()[url].links:
            if truth().get(link.url, {}).get("page_type") == "detail":
                owners.setdefault(truth()[link.url]["uploader"], set()).add(url)
    assert owners
    assert all(len(pages) == 1 for pages in owners.values())


def test_communities_link_to_each_other_more_than_elsewhere() -> None:
    homes = {url: labels["community"] for url, labels in truth().items() if labels["community"]}
    inside = [link.url in homes and homes[link.url] == homes[url] for url in homes for link in documents()[url].links]
    assert len(set(homes.values())) > 5
    assert sum(inside) > 2 * len(homes)


# Every trouble it promises


def test_everything_is_reached_from_the_seeds() -> None:
    seeds = web().seeds("glaciers")
    seen, queue = set(seeds), deque(seeds)
    while queue:
        for link in documents()[queue.popleft()].links:
            page = resolved(link.url)
            if page in truth() and page not in seen:
                seen.add(page)
                queue.append(page)
    assert len(seen) == PAGES


def test_islands_are_reached_over_off_topic_pages_only() -> None:
    islands = {site.host: site for site in web().atlas.sites if site.island}
    assert islands
    for url in urls():
        for link in documents()[url].links:
            target = link.url.split("/")[2]
            if target in islands and url.split("/")[2] != target and "/gone/" not in link.url:
                assert truth()[url]["topic"] != web().topics[islands[target].topic], (url, link.url)


def test_hubs_are_off_topic_and_link_to_topics() -> None:
    hub = next(url for url in of_type("directory") if url.endswith("/dir/glaciers/"))
    on_topic = [
        truth().get(resolved(link.url), {}).get("topic") == "nature/glaciers" for link in documents()[hub].links
    ]
    assert truth()[hub]["topic"] == ""
    assert sum(on_topic) > 15


def share_of_dead_links() -> float:
    links = [link.url for url in urls()[::20] for link in documents()[url].links]
    return sum(web().answer(url).status == 404 for url in links) / len(links)


def test_dead_links_and_redirects() -> None:
    links = Counter(link.url for url in urls() for link in documents()[url].links if link.url not in truth())
    statuses = Counter(web().answer(url).status for url in links)
    assert 0.05 < share_of_dead_links() < 0.1
    assert statuses[301] > 5
    assert statuses[302] > 5
    assert all(resolved(url) in truth() for url in links if web().answer(url).status in (301, 302))


def test_mirrors_and_duplicates_are_the_same_bytes() -> None:
    copies = {url: labels["duplicate_of"] for url, labels in truth().items() if labels["duplicate_of"]}
    assert any("/print/" in url for url in copies)
    assert any(isinstance(site, Mirror) for site in web().atlas.sites)
    assert all(web().answer(url).body == web().answer(original).body for url, original in copies.items())


@pytest.mark.parametrize("mark", [";jsessionid=", "PHPSESSID="])
def test_session_ids_change_nothing_but_the_url(mark: str) -> None:
    bodies = (web().answer(url).body.decode("utf-8", "replace") for url in urls())
    page, body = next((url, body) for url, body in zip(urls(), bodies, strict=True) if mark in body)
    raw = next(part.split('"')[0] for part in body.split('href="') if mark in part)
    url = f"http://{page.split('/')[2]}{raw.replace('&amp;', '&')}"
    assert canonical(url) in truth()
    assert web().answer(url) == web().answer(canonical(url))


def test_the_calendar_never_ends() -> None:
    calendar = next(site for site in web().atlas.sites if isinstance(site, Calendar))
    url = f"http://{calendar.host}/calendar/2999/12"
    answer = web().answer(url)
    after = [link.url for link in Document(answer.body, url, answer.headers["Content-Type"]).links]
    assert web().labels(url)["page_type"] == "trap"
    assert f"http://{calendar.host}/calendar/3000/01" in after
    assert web().answer(f"http://{calendar.host}/calendar/2999/13").status == 404


def test_forums_come_in_different_templates_with_pagination() -> None:
    threads = {
        n: [url for url in of_type("thread") if truth()[url]["page_type"] == f"forum{n}-thread"] for n in (1, 2, 3)
    }
    assert all(len(found) > 10 for found in threads.values())
    paths = [set(documents()[found[0]].paths) for found in threads.values()]
    shared = paths[0] & paths[1] & paths[2]
    assert len(shared) < 0.2 * min(map(len, paths))
    assert of_type("-login")
    assert of_type("-board")


def test_genres_have_marks_of_their_own() -> None:
    pages = {genre: [u for u in of_type("article") if truth()[u]["genre"] == genre] for genre in GENRES}
    images = {
        genre: np.mean([web().answer(u).body.count(b"<img") for u in found[:30]]) for genre, found in pages.items()
    }
    assert images["image"] > 5 > max(images[genre] for genre in GENRES if genre != "image")
    assert all(b"<video" in (body := web().answer(u).body) or b"<embed" in body for u in pages["video"][:30])


GENRES = ("news", "blog", "image", "video", "other")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "http://",
        "ftp://a.example/",
        "http://[",
        "http://nowhere.example/",
        "http://{host}/" + "9" * 5000,
        "http://{host}/%",
    ],
)
def test_what_does_not_exist_is_missing(url: str) -> None:
    for site in web().atlas.sites[:: len(web().atlas.sites) // 20]:
        assert web().answer(url.replace("{host}", site.host)).status == 404


def test_some_hosts_have_a_robots_file() -> None:
    answers = [web().answer(f"http://{site.host}/robots.txt") for site in web().atlas.sites]
    assert {answer.status for answer in answers} == {200, 404}
    assert any(b"Disallow: /print/" in answer.body for answer in answers)


def test_bad_settings_get_a_sentence() -> None:
    with pytest.raises(ConfigError, match="from 500 to"):
        Web(10)
    with pytest.raises(ConfigError, match=r"locality .* not 1\.5"):
        Settings(locality=1.5)


# As a corpus


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.slow
def test_a_written_corpus_holds_what_the_web_answers(tmp_path: Path) -> None:
    small = Web(700, 4)
    write(small, tmp_path / "new" / "corpus")
    with (tmp_path / "new" / "corpus" / "pages.warc.gz").open("rb") as file:
        records = {
            record.rec_headers["WARC-Target-URI"]: (int(record.http_headers.get_statuscode()), record.raw_stream.read())
            for record in ArchiveIterator(file)
            if record.rec_type == "response"
        }
    assert set(small.urls()) < set(records)
    assert all(small.answer(url)[::2] == answer for url, answer in records.items())
    assert {status for status, _ in records.values()} == {200, 301, 302, 404}
    with (tmp_path / "new" / "corpus" / "labels.csv").open(encoding="utf-8", newline="") as table:
        assert {row.pop("url"): row for row in csv.DictReader(table)} == {
            url: small.labels(url) for url in small.urls()
        }


@pytest.mark.slow
def test_tasks_of_a_corpus_can_be_asked(tmp_path: Path) -> None:
    write(web(), tmp_path / "corpus")
    config = tomllib.loads((tmp_path / "corpus" / "corpus.toml").read_text(encoding="utf-8"))
    kinds = Counter(task["kind"] for task in config["task"])
    assert set(kinds) == {"topic", "type", "user-content", "tag", "genre", "community"}
    for task in config["task"]:
        column = task["column"]
        values = [value for labels in truth().values() for value in labels[column].split("|")]
        wanted = (
            task.get("topics", []) + task.get("user_content", []) + [task[key] for key in ("target",) if key in task]
        )
        assert all(values.count(value) >= 5 for value in wanted), task
        assert all(start in truth() for start in task.get("start", []))
    edges = (tmp_path / "corpus" / "edges.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert all(end in truth() for edge in edges for end in edge.split(","))


def test_edges_are_the_links_of_the_home_pages() -> None:
    for site in web().atlas.sites:
        if isinstance(site, ArticleSite):
            home = f"http://{site.host}/"
            shown = {link.url.split("/")[2] for link in documents()[home].links} - {site.host}
            assert shown == {other.host for other in site.outside()}


@pytest.mark.slow
def test_the_number_of_workers_does_not_change_a_byte(tmp_path: Path) -> None:
    small = Web(1200, 2)
    for workers in (1, 2):
        write(small, tmp_path / str(workers), workers)
    assert files(tmp_path / "1") == files(tmp_path / "2")


@pytest.mark.slow
def test_nothing_is_overwritten_or_left_half_written(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="already"):
        write(Web(500), tmp_path / "full")
    with pytest.raises(ConfigError, match="cannot be written"):
        write(Web(500), tmp_path / "file" / "below")

    def stop(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(Web(500), tmp_path / "stopped", tick=stop)
    write(Web(500), tmp_path / "empty")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file", "full"]


# As a fetcher, and over HTTP


def test_the_fetcher_gives_pages_errors_and_redirects() -> None:
    fetch = SynthFetcher(web()).fetch
    number = next(n for n in range(PAGES) if web().redirects(n))
    page = asyncio.run(fetch(Offer(Link(urls()[0]))))
    moved = asyncio.run(fetch(Offer(Link(web().redirects(number)[0]))))
    gone = asyncio.run(fetch(Offer(Link("http://nowhere.example/"))))
    assert (page.status, page.error, bool(page.links)) == (200, "", True)
    assert (moved.location, moved.links) == (urls()[number], ())
    assert (gone.error, gone.status, gone.document) == ("http 404", 404, None)


def talk(request: bytes, answer: Callable[[str], tuple[int, dict[str, str], bytes]] | None = None) -> bytes:
    """Send bytes to a real server on loopback and read until it closes."""

    async def run() -> bytes:
        async with await serve(answer or web().answer) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", port_of(server))
            writer.write(request)
            said = await asyncio.wait_for(reader.read(), 60)
            writer.close()
            await writer.wait_closed()
            return said

    return asyncio.run(run())


def get(url: str, method: str = "GET", more: str = "Connection: close\r\n") -> bytes:
    host, _, path = url.removeprefix("http://").partition("/")
    return f"{method} /{path} HTTP/1.1\r\nHost: {host}:8080\r\n{more}\r\n".encode()


def test_hosts_share_a_port_and_connections_are_kept() -> None:
    wanted = urls()[:: PAGES // 20]
    said = talk(b"".join(get(url, more="") for url in wanted) + get(urls()[0]))
    for url in wanted:
        head, _, said = said.partition(b"\r\n\r\n")
        body = web().answer(url).body
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert said[: len(body)] == body
        said = said[len(body) :]


def test_head_sends_no_body_and_a_post_body_is_skipped() -> None:
    said = talk(
        get(urls()[0], "HEAD", "") + get(urls()[0], "POST", "Content-Length: 5\r\n") + b"GET /" + get(urls()[0], "HEAD")
    )
    heads = said.split(b"\r\n\r\n")
    assert [head.split(b" ")[1] for head in heads[:3]] == [b"200", b"405", b"200"]
    assert heads[3:] == [b""]


def test_redirects_keep_their_location() -> None:
    number = next(n for n in range(PAGES) if web().redirects(n))
    assert f"Location: {urls()[number]}\r\n".encode() in talk(get(web().redirects(number)[0]))


@pytest.mark.parametrize(
    "request_",
    [
        b"\x16\x03\x01\x00\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/9\r\nHost: a.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a.example\r\nContent-Length: -5\r\n\r\n",
        b"GET nowhere HTTP/1.1\r\nHost: a.example\r\n\r\n",
        b"GET /" + b"x" * 100_000,
    ],
)
def test_bad_requests_are_told_so(request_: bytes) -> None:
    assert talk(request_).startswith(b"HTTP/1.1 400 ")
