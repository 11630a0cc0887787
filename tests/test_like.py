"""Pages like one that a user shows: on one site, on two at once, about a topic; the commands of docs/like.md."""

from __future__ import annotations

import asyncio
import csv
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

import opilio
from opilio import registry
from opilio.config_file import load
from opilio.engine.run import seeds_of
from opilio.errors import ConfigError
from opilio.fetchers.replay import Recorded, Replay
from opilio.fetchers.to_page import answered
from opilio.learning.page_likeness import Like, overlap
from opilio.loop import trace
from opilio.nouns import Fetcher, Link, Offer, Page, Topic
from opilio.store.reader import reading
from opilio.synth.software import SOFTWARE, World

DOC = Path(__file__).parents[1] / "docs" / "like.md"
WORLD = World(3, threads=120, users=100, boards=4)


def sites(*names: str) -> tuple[dict[str, Recorded], dict[str, str]]:
    """The pages of several sites, and the type of each."""
    pages, kinds = {}, {}
    for name in names:
        for page in SOFTWARE[name](WORLD).pages():
            url, target = f"http://{name}.test{page.path}", f"http://{name}.test{page.target}"
            pages[url] = (
                Recorded(301, {"location": target}, b"")
                if page.target
                else Recorded(200, {"content-type": "text/html"}, page.html.encode())
            )
            kinds[url] = page.kind
    return pages, kinds


def fetched(fetcher: Fetcher, url: str) -> Page:
    return asyncio.run(fetcher.fetch(Offer(Link(url))))


@pytest.mark.slow
def test_a_forum_and_a_shop_at_once() -> None:
    pages, kinds = sites("phpbb", "shop")
    fetcher = Replay(pages.get)
    wanted = {"phpbb": "thread", "shop": "product"}
    targets = {url for url, kind in kinds.items() if wanted[url.split("/")[2].partition(".")[0]] == kind}
    examples = [next(url for url in sorted(targets) if name in url) for name in wanted]
    strategy = registry.make("structure-plus(sample=60)", {"like": Like([fetched(fetcher, url) for url in examples])})
    urls = [visit.url for visit in trace(strategy, fetcher, [f"http://{name}.test/" for name in wanted], len(targets))]
    for name in wanted:
        there = {url for url in targets if name in url}
        assert len(there & set(urls)) > 0.6 * len(there), name


class Said(Topic):
    """Pages whose title has "go" in it, as has the anchor of links to them."""

    def text(self, text: str) -> float:
        return float("go" in text.partition("\n")[0])

    def links(self, page: Page) -> Sequence[float]:
        return [self.text(link.anchor) for link in page.links]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["structure-plus(sample=60)", "blend"])
def test_like_and_topic_are_a_product(name: str) -> None:
    """Over several forums, since in a crawl of 120 pages much hangs on the first example."""
    found = {"both": 0, "like": 0}
    for site in ("phpbb", "xenforo", "vbulletin", "drupal"):
        pages, kinds = sites(site)
        fetcher = Replay(pages.get)
        threads = sorted(url for url, kind in kinds.items() if kind == "thread")
        like = Like([fetched(fetcher, threads[0])])
        both = {url for url in threads if Said().text(fetched(fetcher, url).title)}
        for wanted, given in (("both", {"like": like, "topic": Said()}), ("like", {"like": like})):
            visits = trace(registry.make(name, given), fetcher, [f"http://{site}.test/"], 120)
            found[wanted] += len({visit.url for visit in visits} & both)
    assert found["both"] > 1.1 * found["like"], found


def test_likeness_tells_the_types_of_a_site() -> None:
    pages, kinds = sites("shop", "xenforo")
    fetcher = Replay(pages.get)
    for name, wanted in (("shop", "product"), ("xenforo", "thread")):
        urls = sorted(url for url, kind in kinds.items() if name in url and not pages[url].headers.get("location"))
        like = Like([fetched(fetcher, next(url for url in urls if kinds[url] == wanted))])
        told = [(like.page(fetched(fetcher, url)) >= 0.5) == (kinds[url] == wanted) for url in urls]
        assert sum(told) > 0.9 * len(told)


def test_overlap_is_a_share() -> None:
    assert overlap({"a": 3, "b": 1}, {"a": 3, "b": 1}) == pytest.approx(1.0)
    assert overlap({"a": 3}, {"b": 3}) == overlap({}, {"a": 1}) == 0.0


@pytest.mark.parametrize(
    ("like", "seeds", "home", "starts"),
    [
        ("http://a.test/t/1", [], "", ["http://a.test/", "http://a.test/t/1"]),
        ("http://a.test/t/1", [], "http://a.test/forum/", ["http://a.test/forum/", "http://a.test/t/1"]),
        ("http://a.test/t/1", ["http://a.test/b/"], "", ["http://a.test/b/", "http://a.test/t/1"]),
    ],
)
def test_where_it_starts(like: str, seeds: list[str], home: str, starts: list[str]) -> None:
    config = load(None, {"like": like, **({"seeds": seeds} if seeds else {})})
    assert config.strategy == "structure-plus"
    assert seeds_of(config, home) == starts


def test_a_topic_beside_it_is_for_the_default_strategy() -> None:
    assert load(None, {"like": "http://a.test/", "topic": "cheese"}).strategy == "blend"
    assert load(None, {"like": "http://a.test/", "examples": ["http://b.test/"]}).strategy == "blend"
    assert load(None, {"like": "http://a.test/", "model": "cheese.model"}).strategy == "blend"
    assert load(None, {"like": "http://a.test/", "model": "linear"}).strategy == "structure-plus"


def test_it_stays_on_the_sites_that_it_starts_from() -> None:
    bounds = load(None, {"like": "http://www.a.test/t/1", "topic": "cheese", "seeds": ["http://b.test/"]}).bounds()
    assert not bounds.reason("http://forum.a.test/t/2")
    assert not bounds.reason("http://b.test/x")
    assert bounds.reason("http://c.test/") == "scope: c.test is not among hosts"
    named = load(None, {"like": "http://www.a.test/t/1", "hosts": ["www.a.test", "c.test"]}).bounds()
    assert not named.reason("http://c.test/")
    assert not load(None, {"topic": "cheese", "seeds": ["http://b.test/"]}).bounds().reason("http://c.test/")


def test_blend_needs_a_topic_or_a_page() -> None:
    with pytest.raises(registry.Missing, match="blend needs a topic"):
        registry.make("blend", {"seed": 1})
    pages, kinds = sites("xenforo")
    fetcher = Replay(pages.get)
    threads = {url for url, kind in kinds.items() if kind == "thread"}
    shown = fetched(fetcher, min(threads))
    strategy = registry.make("blend", {"like": Like([shown])})
    visits = trace(strategy, fetcher, ["http://xenforo.test/"], len(threads))
    assert len(threads & {visit.url for visit in visits}) > 0.6 * len(threads)


def test_another_strategy_may_be_named_and_mistakes_are_told() -> None:
    assert load(None, {"like": "http://a.test/", "strategy": "breadth-first"}).strategy == "breadth-first"
    with pytest.raises(ConfigError, match=r'like: "x" is not an http\(s\) URL'):
        load(None, {"like": ["x"]})


def test_a_page_that_cannot_be_read_is_no_example(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"like http://a\.test/nothing: cannot be fetched"):
        opilio.crawl(like="http://a.test/nothing", corpus="synth:500", out=tmp_path / "run")


def test_an_example_from_elsewhere_counts_where_there_is_none() -> None:
    page = answered(Offer(Link("http://a.test/1")), 200, {"content-type": "text/html"}, b"<p>x</p>")
    assert Like([page]).on("b.test") == [page]


def told(*words: str, cwd: Path | None = None) -> str:
    """What the command line says."""
    line = [sys.executable, "-c", "from opilio.cli import main; main()", *words]
    return subprocess.run(line, capture_output=True, text=True, cwd=cwd, check=True).stdout


@pytest.fixture(scope="module")
def run_of_the_doc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the commands of the page were run."""
    folder = tmp_path_factory.mktemp("like")
    for line in re.findall(r"^    opilio (.*)$", DOC.read_text(encoding="utf-8"), re.MULTILINE):
        told(*shlex.split(line), cwd=folder)
    return folder


@pytest.mark.slow
def test_the_commands_of_the_page_find_threads(run_of_the_doc: Path) -> None:
    kinds = {
        row["url"]: row
        for row in csv.DictReader((run_of_the_doc / "web" / "labels.csv").read_text(encoding="utf-8").splitlines())
    }
    for name, hosts in (("threads", 1), ("both", 2), ("cheese", 1)):
        with closing(reading(run_of_the_doc / name)) as db:
            urls = [url for (url,) in db.execute("SELECT url FROM pages WHERE relevance >= 0.5")]
        assert len({url.split("/")[2] for url in urls}) == hosts
        right = [url for url in urls if "thread" in kinds[url]["page_type"] or kinds[url]["page_type"] == "detail"]
        assert len(right) > 0.8 * len(urls) > 3


@pytest.mark.slow
def test_status_explain_and_report_say_what_it_was_like(
    run_of_the_doc: Path,
) -> None:
    example = "http://forum.dogukavor.example/viewtopic.php?t=3"
    run = str(run_of_the_doc / "threads")
    said = {words[0]: told(*words) for words in (["status", run], ["explain", run, example], ["report", run])}
    said["report"] = Path(run, "report.html").read_text(encoding="utf-8")
    assert all(example in said[name] for name in ("status", "explain", "report"))
    assert f"pages like {example}" in said["explain"]
    assert re.search(rf"Found \d+ pages like {re.escape(example)} in 150 fetches", said["report"])
