"""Synthetic sites after the habits of known software: every page can be reached, links lead to pages, habits are there."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from opilio.fetchers.replay import Recorded, Replay
from opilio.nouns import Link, Offer
from opilio.synth.software import DESIGNED_ON, SOFTWARE, World

HOST = "http://site.test"


def recorded(name: str, seed: int = 1) -> dict[str, Recorded]:
    site = SOFTWARE[name](World(seed, threads=60, users=80, boards=4))
    return {
        HOST + page.path: Recorded(301, {"location": HOST + page.target}, b"")
        if page.target
        else Recorded(200, {"content-type": "text/html"}, page.html.encode())
        for page in site.pages()
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", SOFTWARE)
def test_nearly_all_pages_are_reached_and_few_links_are_dead(name: str) -> None:
    pages = recorded(name)
    fetcher, seen, waiting, dead = Replay(pages.get), {f"{HOST}/"}, [f"{HOST}/"], set()
    while waiting:
        answer = fetcher.answer(Offer(Link(waiting.pop())))
        onward = {link.url for link in answer.links if link.url.startswith(HOST)}
        dead |= onward - set(pages)
        fresh = (onward & set(pages)) - seen
        seen |= fresh
        waiting += fresh
    kinds = Counter(page.kind for page in SOFTWARE[name](World(1, threads=60, users=80, boards=4)).pages())
    assert kinds[SOFTWARE[name].target] >= 60
    assert kinds[SOFTWARE[name].second] >= 60
    assert len(seen) > 0.8 * len(pages)
    assert len(dead) < 0.2 * len(pages)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOFTWARE)
def test_the_seed_decides(name: str) -> None:
    assert recorded(name) == recorded(name)
    assert recorded(name) != recorded(name, seed=2)


@pytest.mark.parametrize("name", SOFTWARE)
def test_kinds_that_hold_the_same_are_made(name: str) -> None:
    kinds = {page.kind for page in SOFTWARE[name](World(1, threads=60, users=80, boards=4)).pages()}
    same = SOFTWARE[name].same
    assert {*same, *same.values()} - {"list"} <= kinds
    assert not set(same) & set(same.values())


def test_talk_pages_say_something_of_their_own() -> None:
    said: dict[str, list[set[str]]] = {"article": [], "talk": []}
    for page in SOFTWARE["mediawiki"](World(1, threads=60, users=80, boards=4)).pages():
        if page.kind in said:
            said[page.kind].append(set(re.findall(r"<p>([^<]{40,})</p>", page.html)))
    articles = set().union(*said["article"])
    assert sum(map(bool, said["talk"])) > 10
    assert not any(talk & articles for talk in said["talk"])


def test_some_are_left_for_the_report() -> None:
    assert set(DESIGNED_ON) < set(SOFTWARE)
