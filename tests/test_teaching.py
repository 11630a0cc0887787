"""What a topic rests on, and what an answer changes: tried out on the pages of a crawl, without writing anything."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.engine import teaching as teaching_module
from opilio.engine.labels import FILE, add_label
from opilio.engine.questions import questions
from opilio.engine.stored_topic import stored_topic
from opilio.engine.teaching import Teaching
from opilio.engine.topic_view import topic_view
from opilio.errors import ConfigError, UnreadableError
from opilio.nouns import RELEVANT
from opilio.report.watch import Now, Watch
from opilio.store.reader import reading
from opilio.testing import small_web

from .crawled import crawled, opened


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl for bees by two example pages."""
    examples = [str(_saved(tmp_path_factory.mktemp("pages"), number)) for number in (3, 9)]
    return crawled(tmp_path_factory.mktemp("teach") / "run", topic="", examples=examples, strategy="best-first")


def _saved(folder: Path, number: int) -> Path:
    path = folder / f"{number}.html"
    path.write_bytes(small_web.page(small_web.url(number)).body)
    return path


def test_a_topic_judges_as_the_crawl_left_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    going = opened(folder)
    try:
        going.go()
        pages = [small_web.page(small_web.url(number)) for number in range(9)]
        assert going.topic
        assert [stored_topic(folder).page(page) for page in pages] == [going.topic.page(page) for page in pages]
        assert stored_topic(folder).seen_ == going.topic.seen_ > 25
    finally:
        going.close()


def test_at_its_end_a_crawl_judges_its_pages_by_all_that_it_learned(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", strategy="best-first")
    now = Teaching(folder)
    assert now.topic.learned_
    with closing(reading(folder)) as db:
        stored = dict(db.execute("SELECT url, relevance FROM pages WHERE relevance IS NOT NULL AND file IS NOT NULL"))
    assert stored == pytest.approx(now.relevance)
    assert sum(relevance >= RELEVANT for relevance in stored.values()) == now.relevant


def test_what_is_judged_again_changes_nothing_for_a_crawl_that_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    going = opened(folder)
    try:
        going.go()
        assert going.topic
        model, seen = going.topic.model_, going.topic.seen_
    finally:
        going.close()
    kept = stored_topic(folder)
    assert (kept.model_, kept.seen_) == (model, seen)


def test_a_crawl_without_a_topic_says_so(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", topic="", strategy="breadth-first", max_pages=5)
    with pytest.raises(ConfigError, match="has no topic"):
        stored_topic(folder)
    with pytest.raises(UnreadableError, match="not a run folder"):
        stored_topic(tmp_path)


def test_what_an_answer_would_change_is_what_it_changes(run: Path) -> None:
    teaching = Teaching(run)
    url = max(teaching.relevance, key=lambda one: teaching.relevance[one])
    other = min(teaching.relevance, key=lambda one: teaching.relevance[one])
    supposed = [teaching.supposed(url, False), teaching.supposed(other, False)]
    assert [one.before for one in supposed] == [teaching.relevant] * 2
    first = teaching.answer(url, False)
    assert first == supposed[0]
    assert teaching.relevance[url] == 0.0
    assert str(first) == f"relevant pages {first.before} → {first.after}"
    assert teaching.answer(other, False).before == first.after == sum(p >= RELEVANT for p in _before(teaching, other))
    assert not (run / FILE).exists()


def _before(teaching: Teaching, url: str) -> list[float]:
    """What pages were judged before the last answer."""
    known = Teaching.__new__(Teaching)
    known.pages = teaching.pages
    return list(known._judged(teaching.topic.without(url)).values())


def test_what_was_said_can_be_taken_back(run: Path) -> None:
    teaching = Teaching(run)
    before = dict(teaching.relevance)
    urls = sorted(before, key=before.__getitem__)
    for url in (*urls[:3], urls[-1]):
        teaching.answer(url, False)
    assert teaching.relevance != before
    for url in (*urls[:3], urls[-1]):
        teaching.answer(url, None)
    assert teaching.relevance == before


def test_examples_are_not_asked_about_and_a_no_to_one_counts(tmp_path: Path) -> None:
    urls = [small_web.url(number) for number in (3, 9)]
    folder = crawled(tmp_path / "run", topic="", examples=urls, seeds=[*urls, small_web.url(1)], strategy="best-first")
    teaching = Teaching(folder)
    assert set(urls) <= teaching.pages.keys()
    assert not {page.url for page in (*teaching.questions(), *questions(folder, 80))} & set(urls)
    teaching.answer(urls[0], False)
    material = teaching.topic.material()
    assert [page.url for page in material.positives] == [urls[1]]
    assert [page.url for page in material.negatives] == [urls[0]]
    teaching.answer(urls[1], False)  # nothing is left to go by, so examples stay examples
    assert [page.url for page in teaching.topic.material().positives] == urls
    assert teaching.relevance[urls[1]] == 0.0


def test_some_pages_stand_for_many(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Teaching(run)
    monkeypatch.setattr(teaching_module, "BEST", 20)
    monkeypatch.setattr(teaching_module, "OTHERS", 10)
    some = Teaching(run)
    assert 20 < len(some.pages) <= 31 < len(whole.pages)
    assert sum(one.stands_for for one in some.pages.values()) == pytest.approx(len(whole.pages))


def test_labels_count_before_the_crawl_has_heard_of_them(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", max_pages=40)
    url = next(iter(Teaching(folder).pages))
    add_label(folder, url, False)
    assert Teaching(folder).relevance[url] == 0.0


@pytest.mark.slow
def test_show_says_words_pages_doubts_and_what_would_change(run: Path) -> None:
    view = topic_view(run, 10)
    assert view.deciding[0].word in small_web.TOPIC_WORDS  # as people write it, not its stem
    assert 0 < view.deciding[0].share < 1
    assert [one.role for one in view.support] == ["example", "example"]
    assert all(one.change.before == view.relevant for one in view.support)
    assert len(view.doubts) == 5
    said = CliRunner().invoke(app, ["topic", "show", str(run)])
    assert said.exit_code == 0, said.output
    for part in ("2 examples", "Pages that decide", "Most doubtful pages", view.doubts[0].page.url, "→"):
        assert part in said.output
    told = json.loads(CliRunner().invoke(app, ["topic", "show", str(run), "--json"]).stdout)
    assert told["relevant"] == view.relevant
    assert told["doubts"][0]["relevant_if_yes"] == view.doubts[0].yes.after
    assert told["support"][0]["relevant_without"] == view.support[0].change.after


def test_show_points_out_an_example_that_is_about_something_else(tmp_path: Path) -> None:
    examples = [str(_saved(tmp_path, number)) for number in (3, 9)]
    wrong = tmp_path / "wrong.html"
    wrong.write_text(
        "<title>Copyright</title><p>All rights reserved. The licence allows copies of this notice, unchanged.</p>"
    )
    folder = crawled(tmp_path / "run", examples=[*examples, str(wrong)], max_pages=60)
    view = topic_view(folder, 5)
    assert [Path(one.url).name for one in view.odd] == ["wrong.html"]
    said = CliRunner().invoke(app, ["topic", "show", str(folder)])
    assert "does not seem to be about the topic" in " ".join(said.output.split())
    assert view.plain()["odd"] == [view.odd[0].url]


def test_an_only_example_cannot_be_left_out(tmp_path: Path) -> None:
    example = str(_saved(tmp_path, 3))
    view = topic_view(crawled(tmp_path / "run", topic="", examples=[example], max_pages=30), 5)
    assert view.examples == 1
    assert view.support == []


def test_a_page_is_announced_once_though_all_are_judged_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    going, looks, announced = opened(folder), list[Now](), list[str]()
    watch = Watch(folder)
    watch.on_page = lambda page: announced.append(page.url)
    try:
        going.go(lambda: looks.append(watch.look()))  # while it runs, before stored pages are judged again
    finally:
        going.close()
    assert watch.look().pages == len(announced) == len(set(announced)) > 25
