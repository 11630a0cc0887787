"""A crawl that finds hardly anything any more stops, says why, and can be gone on with."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opilio.config import Config
from opilio.engine.run import Run, seeks_topic
from opilio.errors import UnreadableError
from opilio.fetchers.replay import Recorded, Replay
from opilio.nouns import Material
from opilio.report.run_state import run_state
from opilio.saturation import BLOCK, FOUND, LEAST, SHARE, Saturation
from opilio.store.manifest import known_facts
from opilio.topics.models.words import Words

HOME = "http://a.example/"


def saturated(flags: list[bool], share: float = SHARE, least: int = LEAST) -> str:
    rule = Saturation(share, least)
    rule.extend(flags)
    return rule.why()


def test_the_sentence() -> None:
    assert saturated([True] * 900 + [False] * 1000) == "saturated: none of the last 1,000 pages was relevant"
    assert saturated([True] * 900 + [False] * 998 + [True] * 2) == "saturated: 2 of the last 1,000 pages were relevant"
    assert saturated([True] * 900 + [False] * 900) == ""
    assert saturated([False] * 999) == ""
    assert saturated([True] * 5000 + [False] * 9000, share=0) == ""


def test_a_crawl_that_found_next_to_nothing_is_not_saturated() -> None:
    assert saturated([False] * 9000) == ""
    assert saturated([True] * (FOUND - 1) + [False] * 9000) == ""
    assert saturated([True] * FOUND + [False] * 9000).startswith("saturated: ")


def test_a_long_crawl_is_given_longer() -> None:
    assert saturated([True] * 4000 + [False] * 2000) == ""
    assert saturated([True] * 4000 + [False] * 4000).startswith("saturated: none of the last 4,000 pages")


@given(st.lists(st.booleans(), max_size=3000), st.floats(0.001, 1), st.integers(1, 20))
def test_what_it_says_is_so(flags: list[bool], share: float, blocks: int) -> None:
    """Against the definition, whatever comes in whatever pieces."""
    full = len(flags) // BLOCK * BLOCK
    window = round(max(blocks * BLOCK, full / 2) / BLOCK) * BLOCK
    found = sum(flags[full - window : full])
    enough = sum(flags[: full - window]) >= FOUND
    assert bool(saturated(flags, share, blocks * BLOCK)) == (full >= window and enough and found < share * window)


def web(pages: int) -> Replay:
    """A home page about bees that links to some more, and to a chain of pages about nothing."""

    def page(links: list[str], text: str) -> Recorded:
        html = "".join(f'<a href="{link}">next</a>' for link in links)
        return Recorded(200, {"content-type": "text/html"}, f"<p>{text}</p>{html}".encode())

    found = {f"{HOME}{n}": page([f"{HOME}{n + 1}"], f"stone number {n}") for n in range(pages)}
    more = [f"{HOME}bee{n}" for n in range(2 * FOUND)]
    found |= {url: page([], "honey bee hive") for url in more}
    found[HOME] = page([*more, *(f"{HOME}{n}" for n in range(0, pages, 10))], "honey bee hive")
    return Replay(found.get)


def go(folder: Path, monkeypatch: pytest.MonkeyPatch, **settings: object) -> str:
    limits = Config.limits
    monkeypatch.setattr(Config, "limits", lambda self: limits(self)._replace(window=100))
    told = {
        "corpus": "a chain",
        "topic": "honey bee hive",
        "seeds": [HOME],
        "strategy": "breadth-first",
        "model": "words",
    }
    run = Run(folder, Config(**{**told, "max_pages": 450, "max_barren": 0, **settings}), web(500))
    try:
        return run.go()
    finally:
        run.close()
        monkeypatch.undo()


def test_a_stopped_crawl_can_be_resumed_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    why = go(tmp_path, monkeypatch)
    assert why.startswith("saturated: ")
    first = known_facts(tmp_path)["pages"]
    assert 100 <= first < 300
    assert run_state(tmp_path) == "finished"
    assert go(tmp_path, monkeypatch).startswith("saturated: none of the last 100 pages")
    second = known_facts(tmp_path)["pages"]
    assert second >= first + 100  # what came before counts no more
    assert go(tmp_path, monkeypatch, saturation=0.0) == "page limit: 450"


def test_what_seeks_no_topic_is_never_saturated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words.learn(Material("bees"))
    kinds = {"blend": True, "breadth-first": True, "structure": False, "target-map": False, "profile": False}
    assert {name: seeks_topic(Config(strategy=name), words) for name in kinds} == kinds
    assert not seeks_topic(Config(), None)
    assert go(tmp_path, monkeypatch, topic="") == "page limit: 450"


def test_an_odd_manifest_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"saturated_at": "soon"}')
    with pytest.raises(UnreadableError, match='"saturated_at" is not a number'):
        known_facts(tmp_path)
