"""Labels: what people say of pages is kept, learned from, and followed by the frontier, in a running crawl too."""

from __future__ import annotations

import csv
import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.codec import pack
from opilio.engine.label_updates import followed_labels
from opilio.engine.labels import FILE, add_label, labels, take_back
from opilio.engine.questions import Question, in_order, questions
from opilio.engine.run import Run
from opilio.errors import ConfigError, UnreadableError
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.frontier.memory import MemoryFrontier
from opilio.nouns import Frontier, Link, Offer, Weight
from opilio.shard.saved_state import learned
from opilio.store.reader import reading
from opilio.synth.corpus import write
from opilio.synth.web import Web
from opilio.testing import small_web

from .crawled import crawled, opened

WEB = 400  # pages, so that something is left to choose from


def pages(folder: Path) -> list[sqlite3.Row]:
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        return db.execute("SELECT * FROM pages ORDER BY number").fetchall()


def is_about_bees(url: str) -> bool:
    return int(url.rpartition("/p")[2]) % 3 == 0


def wrong_topic(folder: Path, max_pages: int = 150) -> Run:
    """A crawl whose words mislead it: what people say must set it right."""
    fetcher = small_web.fetcher(WEB, 3)
    told = {
        "topic": "stone river engine market",
        "seeds": [small_web.url(1), small_web.url(3)],
        "strategy": "best-first",
    }
    return opened(folder, fetcher, max_pages=max_pages, **told)


def judge_ten(folder: Path) -> None:
    """As somebody would who cares for bees: five pages about them, five that are not."""
    kinds: dict[bool, list[str]] = {True: [], False: []}
    for row in pages(folder):
        if row["status"] == 200:
            kinds[is_about_bees(row["url"])].append(row["url"])
    for relevant, urls in kinds.items():
        for url in urls[:5]:
            add_label(folder, url, relevant)


# the file


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("label") / "run")


def test_the_last_word_counts_and_people_may_write_the_file(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    (folder / FILE).write_text("\ufeffurl,relevant\nhttp://a.test/x,yes\n\nHTTP://A.test/x, No \nhttp://a.test/y,1\n")
    assert labels(folder) == {"http://a.test/x": False, "http://a.test/y": True}
    assert labels(run) == {}


@pytest.mark.parametrize("line", ["http://a.test/x,perhaps", "nonsense,yes", "http://a.test/x"])
def test_a_line_that_is_not_understood_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / FILE).write_text(f"url,relevant\nhttp://a.test/,yes\n{line}\n")
    with pytest.raises(UnreadableError, match="line 3"):
        labels(tmp_path)


def test_only_stored_pages_can_be_judged(run: Path) -> None:
    with pytest.raises(ConfigError, match="no stored page"):
        add_label(run, "http://nobody.test/", True)
    assert not (run / FILE).exists()


# which pages to ask about


def test_doubtful_pages_are_asked_about_and_every_fifth_time_the_surest(run: Path) -> None:
    asked = questions(run, 8)
    doubtful = [abs(page.relevance - 0.5) for page in (*asked[:4], *asked[5:])]
    assert [page.why for page in asked] == [*["the most doubtful"] * 4, "the surest", *["the most doubtful"] * 3]
    assert asked[4].relevance == max(row["relevance"] for row in pages(run) if row["relevance"] is not None)
    assert doubtful == sorted(doubtful)
    assert len({page.url for page in asked}) == 8


def test_of_pages_that_are_nearly_the_same_one_is_asked() -> None:
    one = Question(1, "http://a.test/1", "", 0.9, 1)
    rest = [one._replace(number=2, relevance=0.8), one._replace(number=3, group=3, relevance=0.1)]
    assert [page.number for page in in_order([one, *rest], 0)] == [1, 3]
    assert [page.number for page in in_order([one, *rest], 1)] == [
        1,
        3,
    ]  # the most doubtful first: both as far from 0.5


def test_what_was_judged_is_not_asked_again(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", max_pages=30)
    first = questions(folder, 1)[0]
    add_label(folder, first.url, True)
    assert first.url not in {page.url for page in questions(folder, 30)}


# the frontier follows


def test_ten_labels_change_what_a_running_crawl_fetches_next(tmp_path: Path) -> None:
    fetched: dict[bool, list[bool]] = {}
    for told in (False, True):
        run = wrong_topic(tmp_path / f"run {told}")
        done: list[int] = []

        def watch(run: Run = run, told: bool = told, done: list[int] = done) -> None:
            if told and not done and run.store.pages >= 60:
                judge_ten(run.folder)
                done.append(run.store.pages)

        try:
            run.go(watch)
        finally:
            run.close()
        rows = [row for row in pages(run.folder) if row["status"] == 200]
        # best-first takes the links of good pages first, wherever they lead
        fetched[told] = [is_about_bees(row["source"]) for row in rows if row["number"] > 60]
        if told:
            assert sum(row["relevance"] in (0.0, 1.0) for row in rows) >= 10
    before, after = (sum(flags[:50]) / len(flags[:50]) for flags in (fetched[False], fetched[True]))
    assert after > before + 0.3, (before, after)


def test_a_stopped_crawl_follows_without_fetching_and_only_once(tmp_path: Path) -> None:
    run = wrong_topic(tmp_path / "run", max_pages=60)
    try:
        run.go()
    finally:
        run.close()
    judge_ten(run.folder)
    run = wrong_topic(run.folder)
    try:
        count, waiting, state = run.store.pages, len(run.shard.frontier), pack(learned(run.shard.strategy))
        before = {row["url"]: row["relevance"] for row in pages(run.folder)}
        run.follow_labels()
        after = {row["url"]: row["relevance"] for row in pages(run.folder)}
        assert (run.store.pages, len(run.shard.frontier), pack(learned(run.shard.strategy))) == (count, waiting, state)
        assert before != after
        assert len(followed_labels(run.store)) == 10
        told = labels(run.folder)
        assert all(after[url] == float(said) for url, said in told.items())
        changes = run.store.db.total_changes
        run.follow_labels()
        assert run.store.db.total_changes - changes < 50  # a commit, and no page read again
    finally:
        run.close()
    again = wrong_topic(run.folder)
    try:
        assert again.topic is not None
        assert len(again.topic.told_) == 10  # it still knows
        leases = again.shard.frontier.take(20)
        good = [is_about_bees(lease.offer.link.source) for lease in leases if lease.offer.link.source]
        assert sum(good) / len(good) > 0.8  # best-first: links on pages about bees are taken first
    finally:
        again.close()


def test_a_broken_file_does_not_stop_a_running_crawl(tmp_path: Path) -> None:
    run = opened(tmp_path / "run", max_pages=40)

    def watch() -> None:
        if run.store.pages >= 20:
            (run.folder / FILE).write_text("url,relevant\nhalf a li")

    try:
        assert run.go(watch) == "page limit: 40"
    finally:
        run.close()


@pytest.fixture(params=["memory", "disk"])
def frontier(request: pytest.FixtureRequest) -> Iterator[Frontier]:
    def weigh(lane: tuple[str, ...]) -> Weight:
        return Weight(0.0, 2.0 if lane == ("b",) else 1.0)

    if request.param == "memory":
        yield MemoryFrontier(weigh)
        return
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.execute("BEGIN")
        yield DiskFrontier(db, weigh)


def test_renewed_offers_come_out_in_their_new_order(frontier: Frontier) -> None:
    rng = random.Random(5)
    values: dict[tuple[str, str], tuple[float, str]] = {}
    for number in range(900):
        url, lane, source = f"http://h{number % 3}.test/{number % 600}", rng.choice("ab"), f"http://s.test/{number % 7}"
        offer = Offer(Link(url, source), rng.random(), (lane,))
        frontier.offer([offer])
        old = values.get((url, lane))
        if old is None or offer.value > old[0]:
            values[url, lane] = (offer.value, source)
    for lease in frontier.take(50):
        for lane in "ab":
            values.pop((lease.offer.link.url, lane), None)
    again = {"http://s.test/1", "http://s.test/2"}
    opened = len(frontier)
    for _ in range(400):
        url, lane = f"http://h{rng.randrange(3)}.test/{rng.randrange(700)}", rng.choice("ab")
        value, source = rng.random(), rng.choice(sorted(again))
        frontier.renew([Offer(Link(url, source), value, (lane,))], again)
        if (url, lane) in values and (value > values[url, lane][0] or values[url, lane][1] in again):
            values[url, lane] = (value, source)
    assert len(frontier) == opened
    price: dict[str, float] = {}
    for (url, lane), (value, _) in values.items():
        price[url] = max(price.get(url, 0.0), value * (2.0 if lane == "b" else 1.0))
    leases = frontier.take(2000)
    assert {lease.offer.link.url for lease in leases} == price.keys()
    assert [lease.price for lease in leases] == sorted(price.values(), reverse=True)


def test_values_that_add_up_stay(tmp_path: Path) -> None:
    frontier = MemoryFrontier(lambda lane: Weight(), "sum")
    frontier.offer([Offer(Link("http://a.test/", "http://s.test/"), 1.0)])
    frontier.renew([Offer(Link("http://a.test/", "http://s.test/"), 5.0)], {"http://s.test/"})
    assert frontier.total() == 1.0


# the command


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labels") / "web"
    write(Web(500, 4), folder)
    return folder


def opilio(*words: object, typed: str = "") -> tuple[str, str]:
    done = CliRunner().invoke(app, list(map(str, words)), input=typed, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout, done.stderr


def test_questions_and_answers(web: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    opilio("crawl", "--corpus", web, "--topic", "beekeeping", "--max-pages", 60, "--out", folder)
    asked = json.loads(opilio("label", folder, "--json", "-n", 3)[0])
    assert len(asked) == 3
    assert "learned" not in opilio("label", folder, typed="q\n")[1]
    assert not (folder / FILE).exists()
    shown, said = opilio("label", folder, typed="y\nwhat?\nn\n")  # the end of the input is like q
    assert asked[0]["url"] in shown
    assert list(labels(folder).values()) == [True, False]
    assert next(iter(labels(folder))) == asked[0]["url"]
    assert "topic: beekeeping" in shown
    assert "relevant pages" in said
    assert "→" in said
    assert "learned" in said
    url = asked[2]["url"] if asked[2]["url"] not in labels(folder) else asked[1]["url"]
    opilio("label", folder, "--yes", url)
    assert labels(folder)[url] is True


@pytest.mark.slow
def test_answers_are_taken_back(web: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    opilio("crawl", "--corpus", web, "--topic", "beekeeping", "--max-pages", 60, "--out", folder)
    said = opilio("label", folder, typed="u\ny\ny\nu\nn\nq\n")[1]
    assert "nothing to take back" in said
    first, second = labels(folder)
    assert labels(folder) == {first: True, second: False}
    before = {row["url"]: row["relevance"] for row in pages(folder)}
    url = next(url for url, value in before.items() if value is not None and url not in (first, second))
    opilio("label", folder, "--yes", url)
    assert heard(folder) == {first: True, second: False, url: True}
    opilio("label", folder, "--undo", url)
    assert heard(folder) == {first: True, second: False}
    assert {row["url"]: row["relevance"] for row in pages(folder)} == before


def heard(folder: Path) -> dict[str, bool]:
    with closing(reading(folder)) as db:
        found: dict[str, bool] = json.loads(db.execute("SELECT value FROM meta WHERE name = 'labels'").fetchone()[0])
    return found


def test_what_was_said_before_counts_again(run: Path, tmp_path: Path) -> None:
    lines = ["url,relevant", "http://a.test/x,yes", "http://a.test/y,no", "HTTP://a.test/x,no"]
    (tmp_path / FILE).write_text("\n".join(lines) + "\n")
    take_back(tmp_path, "http://a.test/x")
    assert labels(tmp_path) == {"http://a.test/x": True, "http://a.test/y": False}
    take_back(tmp_path, "http://a.test/x")
    assert labels(tmp_path) == {"http://a.test/y": False}
    with pytest.raises(ConfigError, match="has no label"):
        take_back(tmp_path, "http://a.test/x")


@pytest.mark.slow
def test_ten_answers_change_what_words_alone_found(web: Path, tmp_path: Path) -> None:
    """Whatever the answers are: here most of the pages that it is unsure of are not about the topic."""
    folder = tmp_path / "run"
    opilio("crawl", "--corpus", web, "--topic", "beekeeping", "--max-pages", 300, "--out", folder)
    before = {row["url"]: row["relevance"] for row in pages(folder)}
    truth = {url: about == "nature/beekeeping" for url, about in topics(web).items()}
    wrong = sum(truth.get(url, False) != (value >= 0.5) for url, value in before.items() if value is not None)
    asked = [page.url for page in questions(folder, 10)]
    answers = [word for url in asked for word in ("--yes" if truth.get(url) else "--no", url)]
    said = opilio("label", folder, *answers)[1]
    assert "pages off the topic with" in said
    assert "pages around" in said
    after = {row["url"]: row["relevance"] for row in pages(folder)}
    assert sum(after[url] != before[url] for url in before if before[url] is not None) > 100
    still = sum(truth.get(url, False) != (value >= 0.5) for url, value in after.items() if value is not None)
    assert still <= wrong < 5  # at its end the crawl judged its pages by all that it had met: little is left to learn


def topics(web: Path) -> dict[str, str]:
    with (web / "labels.csv").open(encoding="utf-8", newline="") as file:
        return {row["url"]: row["topic"] for row in csv.DictReader(file)}
