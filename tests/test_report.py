"""What people see of a crawl: its story, its report, how it stands while it runs."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import tracemalloc
from base64 import b64encode
from contextlib import closing
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from opilio import picture, registry
from opilio.cli.commands import app
from opilio.cli.journal import Journal
from opilio.cli.progress import left, line, watched
from opilio.cli.progress_view import view
from opilio.engine.run_folder import configured
from opilio.errors import ConfigError, UnreadableError
from opilio.fetchers.replay import Recorded, Replay
from opilio.frontier.counts import open_urls
from opilio.nouns import RELEVANT, Fetcher, Link, Offer, Page, Terms
from opilio.report.estimate import MOST, RECENT, Estimate, by_price, next_hundred
from opilio.report.explain import story
from opilio.report.explain_paragraph import paragraph
from opilio.report.explain_words import _priority, _reason_lines
from opilio.report.harvest import Course
from opilio.report.harvest import read as read_course
from opilio.report.html_parts import table
from opilio.report.learned_strategies import fresh
from opilio.report.pictures import StoredCrawl, drawn
from opilio.report.run import page
from opilio.report.shipped_files import shipped
from opilio.report.summary import summary
from opilio.report.watch import Now, Watch
from opilio.shard import Shard
from opilio.store import tables
from opilio.store.reader import reading
from opilio.strategies.link_context_plus import LinkContextPlus
from opilio.strategies.opic import Opic
from opilio.strategies.target_map import TargetMap
from opilio.testing import small_web
from opilio.web.run_view import View

from .crawled import crawled, opened

EVIL = '<script>alert(1)</script>"><img src=http://evil.test/x onerror=alert(2)>\x1b[31m'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("report") / "run")


def rows(folder: Path, query: str) -> list[sqlite3.Row]:
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        return db.execute(query).fetchall()


# the story of a URL


def test_a_fetched_page_has_its_parts_by_name_and_its_chain(run: Path) -> None:
    row = rows(run, "SELECT * FROM pages WHERE source != '' AND error = '' ORDER BY number DESC LIMIT 1")[0]
    told = story(run, row["url"])
    visit = told["visits"][0]
    assert told["state"] == "fetched"
    assert visit["parts"].keys() == {"parent", "context"}
    assert visit["price"] == pytest.approx(0.25 * visit["parts"]["parent"] + 0.75 * visit["parts"]["context"])
    assert told["parents"][0]["url"] == row["source"]
    assert told["parents"][-1]["source"] == ""  # a seed
    assert [other["number"] for other in visit["before"]] == list(range(row["number"] - 3, row["number"]))
    text = "\n".join(told["lines"])
    assert f'as "{row["anchor"]}"' in text
    assert re.search(r"priority (\S+) = link promise \1 \(parent \S+, context \S+\)\n", text)
    assert "before it: page" in text


def test_a_story_begins_with_one_plain_paragraph(run: Path) -> None:
    (row,) = rows(
        run, "SELECT url, number, anchor FROM pages WHERE source != '' AND anchor != '' ORDER BY number DESC LIMIT 1"
    )
    told = story(run, row["url"])
    assert told["paragraph"].startswith(f"Fetched as page {row['number']} because “")
    assert f"links to it as “{row['anchor']}”" in told["paragraph"]
    good, times = told["visits"][0]["record"]
    assert f"such links were good {good} of {times} times before" in told["paragraph"]
    assert told["lines"][1] == told["paragraph"]
    assert told["needed"] == ""


def test_a_paragraph_names_few_reasons_and_the_numbers_all() -> None:
    reasons = [f"reason {number}" for number in range(9)]
    visit = {
        "number": 3, "source": "http://a.test/", "anchor": "b", "record": (0, 0), "reasons": reasons, "rank": 1, "of": 9,
        "location": "", "error": "", "relevance": 0.9,
    }  # fmt: skip
    told = paragraph({"visits": [visit], "parents": [], "strategy": ""})
    assert "By what is known now: reason 0; reason 1; reason 2; reason 3. Its priority" in told
    assert [line for line in _reason_lines(visit) if reasons[-1] in line]


def test_a_priority_is_said_in_the_words_of_its_strategy() -> None:
    place = {"shift": 0.0, "scale": 0.11, "value": 0.38, "parts": {}}
    assert _priority(place, LinkContextPlus.terms) == "priority 0.0418 = link promise 0.38 × record of such links 0.11"
    assert _priority({**place, "scale": 1.0}, Terms()) == "priority 0.38 = value 0.38"
    bonus = {**place, "shift": 1e6, "scale": 1.0, "value": -2.0}
    said = "bonus of targets 1e+06 + minus the number of links from the start -2"
    assert _priority(bonus, TargetMap.terms) == f"priority 1e+06 = {said}"
    turn = {**place, "shift": -7.0, "scale": 0.0}
    assert _priority(turn, Opic.terms) == "priority -7 = turn of its group -7"


def test_every_strategy_names_its_value() -> None:
    assert [name for name, kind in registry.strategies().items() if kind.terms == Terms()] == []


def test_rank_is_that_of_the_price_among_its_neighbours(run: Path) -> None:
    every = rows(run, "SELECT number, url, shift + scale * value AS price FROM pages ORDER BY number")
    row = every[40]
    near = [other["price"] for other in every if abs(other["number"] - row["number"]) <= 25]
    visit = story(run, row["url"])["visits"][0]
    assert (visit["rank"], visit["of"]) == (1 + sum(price > row["price"] for price in near), len(near))


def test_a_waiting_url_has_its_rank_and_the_limit_that_came_first(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", max_pages=30)
    links = {link.url for row in rows(folder, "SELECT url FROM pages") for link in small_web.page(row["url"]).links}
    open_urls = sorted(links - {row["url"] for row in rows(folder, "SELECT url FROM pages")})
    told = [story(folder, url) for url in open_urls]
    assert {one["state"] for one in told} == {"waiting"}
    assert sorted(one["waiting"][0]["ahead"] for one in told)[0] == 0
    best = next(one for one in told if one["waiting"][0]["ahead"] == 0)
    assert "number 1 in the frontier" in "\n".join(best["lines"])
    assert best["paragraph"].startswith("Not fetched yet: it is the next one. It is known because ")
    assert best["needed"].startswith("With a budget of 1 more page it would have had its turn")
    assert "page limit: 30" in best["lines"][-1]


@pytest.mark.parametrize(
    ("strategy", "how"), [("breadth-first", ""), ("link-context-plus", ", as links from relevant pages give")]
)
def test_a_waiting_url_says_which_priority_was_enough(strategy: str, how: str, tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", strategy=strategy, max_pages=40)
    fetched = {row["url"] for row in rows(folder, "SELECT url FROM pages")}
    links = {link.url for url in fetched for link in small_web.page(url).links} - fetched
    told = max((story(folder, url) for url in sorted(links)), key=lambda one: int(one["waiting"][0]["ahead"]))
    price, paid = told["waiting"][0]["price"], told["paid"]
    assert price < paid == rows(folder, "SELECT min(shift + scale * value) FROM pages WHERE source != ''")[0][0]
    enough = f"it has {price:.3g}, and the last 50 fetched pages had {paid:.3g} at least"
    assert told["needed"].endswith(f"; sooner with a higher priority{how}: {enough}.")


def test_the_method_is_said_where_a_strategy_gives_no_reasons(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", strategy="best-first", max_pages=20)
    told = story(folder, rows(folder, "SELECT url FROM pages WHERE source != ''")[-1]["url"])
    assert "The strategy is Best-first: a link is worth what the page it stands on is worth. Its" in told["paragraph"]


def test_never_seen_is_told_from_not_wanted(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", strategy="fish(depth=1)")
    assert story(folder, "http://nobody.test/")["state"] == "never seen"
    fetched = {row["url"] for row in rows(folder, "SELECT url FROM pages")}
    dead_end = next(
        link
        for url in sorted(fetched)
        for link in small_web.page(url).links
        if link.url not in fetched and story(folder, link.url)["state"] == "not wanted"
    )
    told = story(folder, dead_end.url)
    anchors = {link.anchor for url in fetched for link in small_web.page(url).links if link.url == dead_end.url}
    assert any(anchor in "\n".join(told["lines"]) for anchor in anchors)
    assert story(folder, dead_end.url, looks=0)["state"] == "never seen"


class Refusing(Fetcher):
    """As robots.txt might."""

    async def fetch(self, offer: Offer) -> Page:
        url = offer.link.url
        if url.endswith("5"):
            return Page(offer, url, error="robots: line 3, Disallow: /p", refused=True)
        return await small_web.fetcher().fetch(offer)


def test_a_refused_url_names_the_rule(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", Refusing())
    url = rows(folder, "SELECT url FROM refusals")[0]["url"]
    told = story(folder, url)
    assert told["state"] == "refused"
    assert "line 3, Disallow: /p" in told["lines"][-1]
    assert "line 3, Disallow: /p" in page(folder)
    assert summary(folder)["refused"] > 0


def test_out_of_scope_names_the_setting(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", exclude=["site1.test"])
    told = story(folder, small_web.url(1))
    assert told["state"] == "out of scope"
    assert "exclude has site1.test" in told["lines"][-1]
    assert "exclude has site1.test" in page(folder)  # and how many links it kept out


def test_a_parked_lane_is_named(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", strategy="profile-plus", max_pages=4)
    waiting = [story(folder, link.url) for seed in small_web.seeds() for link in small_web.page(seed).links]
    parked = [told for told in waiting if told["state"] == "parked"]
    assert parked
    assert "waiting, and parked" in "\n".join(parked[0]["lines"])
    json.dumps(parked)


def test_a_url_that_is_being_fetched_says_so(tmp_path: Path) -> None:
    run = opened(tmp_path / "run")
    try:
        run.shard.start(run.seeds)
        lease = run.shard.frontier.take(1)[0]
        run.shard.commit()
        assert story(run.folder, lease.offer.link.url)["state"] == "being fetched"
    finally:
        run.close()


def test_explain_command(run: Path) -> None:
    url = small_web.seeds()[0]
    assert "a seed" in CliRunner().invoke(app, ["explain", str(run), url]).stdout
    assert json.loads(CliRunner().invoke(app, ["explain", str(run), url, "--json"]).stdout)["state"] == "fetched"
    with pytest.raises(ConfigError, match="not an http"):
        story(run, "bees")


# the report


class Checker(HTMLParser):
    """Collects what a page would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        loads = ("src", "srcset", "data") if tag == "a" else ("src", "href", "srcset", "data")
        self.loads += [value or "" for name, value in attrs if name in loads or name[:2] == "on"]
        self.loads += [
            value or ""
            for name, value in attrs
            if tag == "a" and not (value or "").startswith("http") and name == "href"
        ]


def harmless(text: str) -> None:
    """It loads nothing, runs nothing, and is one file."""
    checker = Checker()
    checker.feed(text)
    assert not checker.tags & {"link", "iframe", "object", "base"}
    assert re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL) in ([], [shipped("charts.js")])
    assert all(load.startswith("data:image/svg+xml;base64,") for load in checker.loads)


def test_report_has_every_section_and_loads_nothing(run: Path) -> None:
    text = page(run)
    harmless(text)
    for heading in (
        "The best pages", "What to do next", "Over the crawl", "What is left", "What came", "Map",
        "Where time and bytes went", "Robots and politeness",
    ):  # fmt: skip
        assert f"<h2>{heading}</h2>" in text
    for heading in ("Sites that paid off", "Kinds of URLs that paid off", "Languages that paid off", "Errors"):
        assert f"<h3>{heading}</h3>" in text
    figures = summary(run)
    assert f"<h1>Found {figures['relevant']} pages about honey bee hive in {figures['pages']} fetches" in text
    assert text.count('class="title"') == 10
    digest = b64encode(sha256(shipped("charts.js").encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert len(text) < 200_000
    assert "page limit: 80" in text
    assert "prefers-color-scheme:dark" in text
    assert 'name="viewport"' in text


@pytest.mark.parametrize("name", [name for name in registry.strategies() if name != "oracle"])
def test_report_of_every_strategy(name: str, tmp_path: Path) -> None:
    if set(registry.needs(registry.strategies()[name])) - {"topic", "seed"}:
        pytest.skip(f"{name} needs what a plain crawl does not give")
    folder = crawled(tmp_path / "run", strategy=name)
    harmless(page(folder))


@pytest.mark.parametrize(
    ("strategy", "heading"),
    [
        ("opic", "Importance"),
        ("otie-plus", "Importance"),
        ("link-context-plus", "Kinds of links"),
        ("structure", "Sitemap"),
        ("community", "Community"),
        ("genre", "Genres"),
    ],
)
def test_own_picture(strategy: str, heading: str, tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", strategy=strategy)
    assert f"<h2>{heading}</h2>" in page(folder)


@pytest.mark.parametrize("name", registry.strategies())
def test_a_strategy_that_has_learned_nothing_yet_can_be_drawn(name: str, run: Path) -> None:
    config = configured(run).model_copy(update={"strategy": name, "examples": ["http://a.test/"], "tag": "bee"})
    with closing(reading(run)) as db:
        db.row_factory = sqlite3.Row
        harmless(drawn(fresh(config).picture(StoredCrawl(run, db))))


def test_what_another_version_has_learned_is_refused(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", strategy="genre")
    with closing(sqlite3.connect(folder / "state.db")) as db:
        db.execute("PRAGMA user_version = 5")
    with pytest.raises(
        UnreadableError, match=r"state\.db: written by another version .* version 5, and this one reads"
    ):
        page(folder)


def test_a_strategy_describes_its_picture_and_the_report_draws_it() -> None:
    curve = picture.Curve("cash", [0.0, 1.0], [0.0, 1.0])
    parts: list[picture.Part] = [
        picture.Paragraph("what <b> it knows"),
        picture.Table(["name"], [("x & y",)]),
        picture.Plot("Share", "pages", [curve]),
        picture.SiteGraph([("a.test", "b.test"), ("b.test", "c.test")], "a.test", ["a.test", "b.test"]),
    ]
    text = drawn([picture.Section("My own", parts), picture.Section("Nothing", [])])
    assert text.startswith("<h2>My own</h2>")
    assert "what &lt;b&gt; it knows" in text
    assert "x &amp; y" in text
    assert text.count("<figure") == 2
    assert "Nothing" not in text


def test_what_pages_say_is_never_html_of_ours(tmp_path: Path) -> None:
    def evil(url: str) -> Recorded:
        body = f"<title>{EVIL.replace('<', '&lt;')}</title><p>honey bee hive</p><a href='/{EVIL}'>{EVIL}</a>"
        return Recorded(200, {"content-type": f"text/html{EVIL}"}, body.encode())

    folder = crawled(tmp_path / "run", Replay(evil), seeds=["http://a.test/"], max_pages=5)
    harmless(page(folder))
    told = CliRunner().invoke(app, ["explain", str(folder), "http://a.test/"]).stdout
    assert "\x1b" not in told
    assert "\x1b" not in CliRunner().invoke(app, ["search", str(folder), "honey"]).stdout


def test_without_a_topic_nothing_is_said_of_relevance(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", topic="", strategy="breadth-first")
    text = page(folder)
    assert "no page was judged" in text
    assert "relevant" not in text.split("Where time and bytes went")[0]
    assert "Sites that were fetched" in text


def test_words_stand_on_the_left_and_figures_on_the_right() -> None:
    made = table(["type", "title", "share", "pages"], [("1", "A page", "98.5%", 3), ("2", "12 monkeys", "1.2 KB", 4)])
    assert made.count('<td class="words"') == 2
    assert '<th scope="col" class="words">title</th>' in made
    assert '<th scope="col">share</th>' in made


def test_report_of_a_crawl_that_has_not_begun(tmp_path: Path) -> None:
    run = opened(tmp_path / "run")
    try:
        run.shard.start(run.seeds)
        text = page(run.folder)
    finally:
        run.close()
    assert "No page was fetched yet" in text
    assert "it was still running" in text


# estimates


def test_the_next_hundred_is_like_the_last() -> None:
    rng = random.Random(4)
    flags = [rng.random() < 0.3 for _ in range(5000)]
    told = next_hundred(flags)
    assert told is not None
    assert told.value == sum(flags[-100:])
    assert told.error == pytest.approx((2 * 100 * 0.3 * 0.7) ** 0.5, rel=0.3)  # the difference of two binomials
    assert next_hundred(flags[:299]) is None


def test_price_curve_finds_what_waits(tmp_path: Path) -> None:
    """Where relevance depends on price alone, the share of relevant URLs that wait is known; the interval covers it."""
    rng = random.Random(7)
    covered = []
    for trial in range(5):
        run = opened(tmp_path / str(trial), strategy="random")
        try:
            run.shard.start(run.seeds)
            truth = _made_up(run.shard, run.store.db, rng)
            with closing(reading(run.folder)) as db:
                told = by_price(db)
            assert told is not None
            covered.append(abs(told.value - truth) <= 2.5 * told.error)
        finally:
            run.close()
    assert sum(covered) >= 4


def _made_up(shard: Shard, db: sqlite3.Connection, rng: random.Random) -> int:
    """Fetched pages and waiting URLs whose chance to be relevant is their price; how many relevant ones wait."""
    values = [rng.random() for _ in range(2000)]
    good = [rng.random() < value for value in values]
    for number, (value, is_good) in enumerate(zip(values, good, strict=True)):
        if rng.random() < 0.5:
            row = (number + 1, f"http://f.test/{number}", "http://f.test/", value, 0.9 * is_good)
            db.execute(
                "INSERT INTO pages (number, url, source, value, relevance, shift, scale) VALUES (?, ?, ?, ?, ?, 0, 1)",
                row,
            )
            good[number] = False
        else:
            shard.frontier.offer([Offer(Link(f"http://w.test/{number}"), value)])
    shard.commit()
    return sum(good)


def test_shards_tell_together_what_one_would_tell(tmp_path: Path) -> None:
    """The newest pages count, whichever shard has them: older ones were all relevant, of these every fourth was."""
    run = opened(tmp_path / "run", strategy="random")
    try:
        run.shard.start(run.seeds)
        run.shard.commit()
        counted = 2 * MOST - int(RECENT * MOST)  # the first that counts
        _add_pages(run.store.db, 1, counted, "1")
        _add_pages(run.store.db, counted, 2 * MOST, "number % 4 = 0")
        run.shard.commit()
        with closing(reading(run.folder)) as db:
            alone, waiting = by_price(db), open_urls(db)
        with closing(sqlite3.connect(run.folder / "state-1.db")) as other:
            tables.create(other)
            other.executemany(
                f"INSERT INTO pages VALUES ({', '.join('?' * 30)})",
                run.store.db.execute("SELECT * FROM pages WHERE number % 3 = 0"),
            )
            other.commit()
        run.store.db.execute("DELETE FROM pages WHERE number % 3 = 0")
        run.shard.commit()
        with closing(reading(run.folder)) as db:
            together = by_price(db)
    finally:
        run.close()
    assert alone is not None
    assert alone.value == pytest.approx(waiting / 4, rel=0.01)
    assert together == alone


def _add_pages(db: sqlite3.Connection, first: int, last: int, is_good: str) -> None:
    """Pages of these numbers, without the last, relevant where the SQL says so."""
    db.execute(
        f"""WITH RECURSIVE numbers(number) AS (SELECT ? UNION ALL SELECT number + 1 FROM numbers WHERE number + 1 < ?)
        INSERT INTO pages (number, url, source, error, bytes, value, relevance, shift, scale)
        SELECT number, 'http://f.test/', 'http://f.test/', '', 1, number % 100 / 100.0, {is_good}, 0, 1 FROM numbers""",
        (first, last),
    )


def test_recall_and_its_interval() -> None:
    middle, low, high = Estimate(100.0, 50.0).recall(100)
    assert middle == 0.5
    assert low == pytest.approx(100 / 298)
    assert high == pytest.approx(100 / 102)
    assert Estimate(10.0, 50.0).recall(100)[2] == 1.0


# while it runs


def test_watch_counts_what_the_summary_counts(tmp_path: Path) -> None:
    run = opened(tmp_path / "run")
    watch, seen = Watch(run.folder), []
    try:
        run.go(lambda: seen.append(watch.look()))
    finally:
        run.close()
    now, figures = watch.look(), summary(run.folder)
    assert [one.pages for one in seen] == sorted(one.pages for one in seen)
    assert len({one.pages for one in seen}) > 3
    assert (now.pages, now.relevant, now.sites) == (80, figures["relevant"], figures["sites_with_relevant_pages"])
    assert now.headline.startswith(f"Found {now.relevant} pages about honey bee hive in 80 fetches")
    assert now.errors == figures["errors"]
    assert now.bytes == figures["bytes"]
    assert [page.number for page in now.last] == list(range(73, 81))
    good = [(row["relevance"] or 0) >= RELEVANT for row in rows(run.folder, "SELECT relevance FROM pages")]
    assert now.harvest == sum(good) / 80


def test_pages_of_several_shards_are_told_in_the_order_of_time(tmp_path: Path) -> None:
    """Numbers of pages do not tell it: one shard is quicker than another."""
    run = opened(tmp_path / "run")
    try:
        run.go()
        _make_times_differ(run.store.db)
        before, course = _told(run.folder)
        with closing(sqlite3.connect(run.folder / "state-1.db")) as other:
            tables.create(other)
            other.executemany(
                f"INSERT INTO pages VALUES ({', '.join('?' * 30)})",
                run.store.db.execute("SELECT * FROM pages WHERE number <= 30"),
            )
            other.execute("UPDATE pages SET number = -number")
            other.execute("UPDATE pages SET number = -2 * number")
            other.commit()
        run.store.db.execute("DELETE FROM pages WHERE number <= 30")
        run.store.db.execute("UPDATE pages SET number = -number")
        run.store.db.execute("UPDATE pages SET number = 2 * (-number - 30) - 1")
        run.store.db.commit()
        after, again = _told(run.folder)
    finally:
        run.close()
    assert [page.url for page in after.last] == [page.url for page in before.last]
    assert after.last_hundred == before.last_hundred
    assert after.relevant == before.relevant
    for one, other_one in ((course.relevance, again.relevance), (course.time, again.time)):
        assert one.tolist() == other_one.tolist()


def _make_times_differ(db: sqlite3.Connection) -> None:
    db.execute("UPDATE pages SET time = 1000 + number")
    db.commit()


def _told(folder: Path) -> tuple[Now, Course]:
    """What the terminal and the dashboard tell of a run, and what its report does."""
    view = View(folder)
    with closing(reading(folder)) as db:
        course = read_course(db)
    assert view.course().relevance.tolist() == course.relevance.tolist()
    return view.now(), course


@pytest.mark.slow
def test_a_look_takes_as_much_memory_however_many_pages_there_are(tmp_path: Path) -> None:
    run = opened(tmp_path / "run", strategy="random")
    peaks = []
    try:
        run.shard.start(run.seeds)
        for first, last in ((1, 2 * MOST), (2 * MOST, 4 * MOST)):
            _add_pages(run.store.db, first, last, "number % 2")
            run.shard.commit()
            tracemalloc.start()
            now = Watch(run.folder).look()
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            assert (now.pages, now.left is None) == (last - 1, False)
    finally:
        tracemalloc.stop()
        run.close()
    assert peaks[1] < 1.2 * peaks[0]


@pytest.mark.slow
def test_a_look_reads_the_urls_that_wait_some_at_a_time(tmp_path: Path) -> None:
    """It has an index of them, 16 bytes at most in three quarters of its places, which doubles; and nothing else of all."""
    run, many, peaks = opened(tmp_path / "run", strategy="random"), 1 << 16, []
    try:
        run.shard.start(run.seeds)
        _add_pages(run.store.db, 1, 1000, "number % 2")
        for first in (many, 2 * many):
            run.shard.frontier.offer([Offer(Link(f"http://a.test/{n}"), n % 7) for n in range(first, first + many)])
            run.shard.commit()
            with closing(reading(run.folder)) as db:
                tracemalloc.start()
                assert by_price(db)
                peaks.append(tracemalloc.get_traced_memory()[1])
                tracemalloc.stop()
    finally:
        tracemalloc.stop()
        run.close()
    assert peaks[1] - peaks[0] < 200 * many


def test_view_and_line_say_what_matters(run: Path) -> None:
    now = Watch(run).look()._replace(pace=2.0)
    config = configured(run).model_copy(update={"max_pages": 100})
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(view(now, config))
    console.file.close()
    shown = console.export_text()
    for part in (
        "80",
        "2.0/s",
        f"{now.relevant} on {now.sites} sites",
        "harvest now",
        "waiting",
        "http 404",
    ):
        assert part in shown
    assert "20 pages left, about 10 s" in shown
    assert all(f"{page.relevance:.2f}" in shown for page in now.last if page.relevance is not None)
    assert "80 of 100 pages" in line(now, config)
    assert left(now, config.model_copy(update={"max_seconds": now.seconds + 5})) == "20 pages left, about 5 s"


def test_plain_lines_come_now_and_then(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = {"now": 0.0}
    monkeypatch.setattr("opilio.cli.progress.time.monotonic", lambda: clock["now"])
    with watched(run, configured(run), Journal()) as step:
        for second in range(100):
            clock["now"] = float(second)
            step()
    lines = capsys.readouterr().err.splitlines()
    assert 3 <= len([text for text in lines if " pages, " in text]) <= 9


def test_closing_words_name_the_next_steps(tmp_path: Path) -> None:
    from opilio.synth.corpus import write
    from opilio.synth.web import Web

    write(Web(500, 1), tmp_path / "web")
    words = [
        "--corpus",
        str(tmp_path / "web"),
        "--topic",
        "beekeeping",
        "--max-pages",
        "40",
        "--out",
        str(tmp_path / "run"),
    ]
    done = CliRunner().invoke(app, ["crawl", *words])
    assert done.exit_code == 0, done.output
    for part in ("Found", "opilio report", "opilio search", "opilio export", "opilio resume"):
        assert part in done.stderr


def test_closing_words_say_why_nothing_came(tmp_path: Path) -> None:
    words = ["--topic", "beekeeping", "--seed", "http://127.0.0.1/", "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(app, ["crawl", *words])
    assert "nothing was fetched" in done.stderr
    assert "http://127.0.0.1/: refused address" in done.stderr
    assert "opilio search" not in done.stderr  # there is nothing in it
