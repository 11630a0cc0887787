"""Pages that are kept to be judged again: as good as the archive's, and no more than there is room for."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from sqlite3 import Row

import pytest

from opilio.engine.stored_pages import copy
from opilio.nouns import RELEVANT, Link, Page
from opilio.store.reader import reading
from opilio.topics.kept_material import LONGEST, shown
from opilio.topics.met_pages import FEW, MetPages

from .crawled import crawled, opened


def page(number: int, text: str = "bees in a hive") -> Page:
    url = f"http://h/{number}"
    return shown(url, f"page {number}", text, (Link(url, anchor="one"), Link(url, anchor="two")))


def test_a_page_comes_back_as_models_read_it() -> None:
    met, long = MetPages(1_000_000), page(1, "honey " * LONGEST)
    met.add(long)
    back = met.get(long.url)
    assert back is not None
    assert (back.title, back.text, back.links[0].anchor) == (long.title, long.text, "one two")
    assert met.get("http://h/2") is None


def test_pages_are_kept_while_there_is_room() -> None:
    met = MetPages(1_000)
    for number in range(1_000):
        met.add(page(number, f"{number} " * 50))
    kept = [number for number in range(1_000) if met.get(f"http://h/{number}")]
    assert kept == list(range(len(kept)))
    assert 2 < len(kept) < 100


def test_of_many_pages_those_are_kept_that_may_be_relevant() -> None:
    met = MetPages(1_000_000)
    for number in range(FEW + 20):
        met.add(page(number), 0.3 if number % 2 else 0.01)
    kept = [number for number in range(FEW + 20) if met.get(f"http://h/{number}")]
    assert kept == [*range(FEW), *range(FEW + 1, FEW + 20, 2)]


def test_pages_that_hardly_can_be_relevant_are_not_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = MetPages.get, list[str]()

    def get(met: MetPages, url: str) -> Page | None:
        asked.append(url)
        return real(met, url)

    monkeypatch.setattr(MetPages, "get", get)
    crawled(tmp_path / "every", max_pages=80)
    every = len(asked)
    asked.clear()
    monkeypatch.setattr("opilio.engine.judged_again.IN_VAIN", 5)
    with closing(reading(crawled(tmp_path / "few", max_pages=80))) as db:
        stored = dict(db.execute("SELECT url, relevance FROM pages WHERE relevance IS NOT NULL"))
    assert 5 <= len(asked) < every
    assert max(stored[url] for url in asked[-5:]) < RELEVANT


def test_a_crawl_judges_again_without_its_archive_as_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def copied(folder: Path, row: Row) -> Page | None:
        read.append(row["url"])
        return copy(folder, row)

    monkeypatch.setattr("opilio.engine.judged_again.stored_copy", copied)
    found = []
    for name in ("quick", "slow"):
        going = opened(tmp_path / name)
        try:
            if name == "slow":
                assert going.topic
                going.topic.met = MetPages(0)
            going.go()
            found.append(dict(going.store.db.execute("SELECT url, relevance FROM pages")))
        finally:
            going.close()
        assert bool(read) == (name == "slow")
    assert found[0] == found[1]
