"""Strategies that learn a site: structure, target-map, irobot; and what the learned site can be used for."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from opilio import registry
from opilio.bench.agreement import agreement
from opilio.codec import pack
from opilio.engine.known_site import know_site
from opilio.errors import ConfigError, UnreadableError
from opilio.fetchers.replay import Replay
from opilio.loop import trace
from opilio.nouns import Fetcher, Offer, Page
from opilio.report.structure import cluster_features, learn_site, site_table, write_site
from opilio.shard import learned
from opilio.strategies.structure import Structure
from opilio.strategies.structure.survey_file import describe
from opilio.testing import laws, small_web
from tests.strategies.forum import HOME, Forum

FORUM = Forum()


def found(spec: str, forum: Forum, kind: str, budget: int, **given: object) -> float:
    """The share of the budget that went to pages of a kind."""
    strategy = registry.make(spec, {"seed": 3, **given})
    urls = [visit.url for visit in trace(strategy, forum.fetcher(), [HOME], budget, batch=10)]
    return len(forum.wanted(kind).intersection(urls)) / budget


@pytest.mark.parametrize(("kind", "example"), [("t", "t/7"), ("u", "u/7")])
def test_target_is_found_far_sooner_than_breadth_first(kind: str, example: str) -> None:
    budget = len(FORUM.wanted(kind))
    spec = f"structure(sample={60 if kind == 't' else 20})"
    by_structure = found(spec, FORUM, kind, budget, goal="target", example=FORUM.get(HOME + example))
    assert by_structure > 0.5
    assert by_structure > 1.15 * found("breadth-first", FORUM, kind, budget)


def test_user_content_leaves_the_rest_alone() -> None:
    forum = Forum(threads=600)
    urls = [visit.url for visit in trace(Structure(sample=60), forum.fetcher(), [HOME], 300, batch=10)]
    assert len((forum.wanted("t") | forum.wanted("u") | forum.wanted("board")).intersection(urls[100:])) > 190


def test_user_content_is_harvested_while_the_sample_is_taken() -> None:
    """Boards and menus are few, threads and profiles many: that is known before the sample is complete."""
    forum = Forum(threads=600)
    content = forum.wanted("t") | forum.wanted("u")
    shares = {}
    for spec in ("structure", "structure(learn=False)", "breadth-first"):
        urls = [visit.url for visit in trace(registry.make(spec, {"seed": 3}), forum.fetcher(), [HOME], 200, batch=10)]
        shares[spec] = len(content.intersection(urls)) / len(urls)
    assert shares["structure"] > 0.9
    assert shares["structure"] > max(shares["structure(learn=False)"], shares["breadth-first"])


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("goal", ["target", "user-content"])
@pytest.mark.parametrize("learning", [True, False])
def test_laws_hold_when_the_sample_is_over(law: laws.Law, goal: str, learning: bool) -> None:
    law(partial(registry.make, f"structure(sample=20,learn={learning})", small_web.given() | {"goal": goal}))


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", ["target-map", "irobot"])
def test_laws_hold_for_the_others_when_the_sample_is_over(law: laws.Law, name: str) -> None:
    law(partial(registry.make, f"{name}(sample=20)", small_web.given()))


class Redesigned(Fetcher):
    """A site that looks different from its 251st answer on."""

    def __init__(self, before: Fetcher, after: Fetcher) -> None:
        self.before, self.after, self.answers = before, after, 0

    async def fetch(self, offer: Offer) -> Page:
        self.answers += 1
        return await (self.before if self.answers <= 250 else self.after).fetch(offer)


def test_new_templates_are_learned_while_crawling() -> None:
    """Half-way through, threads look different: learning takes them for what they are, the frozen table loses them."""
    before, after = Forum(threads=600), Forum(threads=600, changed=0)
    given = {"goal": "target", "example": before.get(HOME + "t/7")}
    sitemaps = {}
    for learning in (True, False):
        strategy = registry.make(f"structure(sample=40,learn={learning})", {"seed": 3, **given})
        trace(strategy, Redesigned(before.fetcher(), after.fetcher()), [HOME], 500, batch=10)
        assert isinstance(strategy, Structure)
        sitemaps[learning] = strategy
    new = [after.get(f"{HOME}t/{n}") for n in range(560, 580)]
    wanted = {
        learning: sum(strategy.is_wanted(page) for page in new) / len(new) for learning, strategy in sitemaps.items()
    }
    assert wanted[True] > 0.9
    assert wanted[False] < 0.1


def test_links_that_redirect_to_known_pages_are_given_up() -> None:
    forum = Forum(redirects=True)
    strategy = Structure("target", forum.get(HOME + "t/7"), sample=40)
    urls = [visit.url for visit in trace(strategy, forum.fetcher(), [HOME], 330, batch=10)]
    assert len(forum.wanted("go").intersection(urls)) < 60
    assert len(forum.wanted("t").intersection(urls)) > 180


def test_state_stays_small() -> None:
    forum = Forum(threads=900)
    strategy = Structure(sample=60)
    trace(strategy, forum.fetcher(), [HOME], 300, batch=10)
    early = len(pack(learned(strategy)))
    strategy = Structure(sample=60)
    trace(strategy, forum.fetcher(), [HOME], 900, batch=10)
    assert len(pack(learned(strategy))) < 1.5 * early


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"goal": "target"}, "needs an example"),
        ({"goal": "fame"}, "not known"),
        ({"parts": "info+luck"}, "luck"),
    ],
)
def test_wrong_settings_are_refused(given: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        Structure(**given)  # type: ignore[arg-type]


def test_target_map_follows_its_way_and_stops() -> None:
    strategy = registry.make("target-map(sample=40)", {"example": FORUM.get(HOME + "t/7")})
    urls = [visit.url for visit in trace(strategy, FORUM.fetcher(), [HOME], 2000, batch=10)]
    assert len(FORUM.wanted("t").intersection(urls)) > 250
    assert len(FORUM.wanted("u").intersection(urls)) < len(FORUM.wanted("u"))


def test_irobot_turns_the_pages_of_boards() -> None:
    strategy = registry.make("irobot(sample=200)", {})
    urls = [visit.url for visit in trace(strategy, FORUM.fetcher(), [HOME], 2000, batch=10)]
    assert FORUM.wanted("board") <= set(urls)


def test_irobot_follows_nothing_else() -> None:
    """A small sample shows too few boards to keep them, and without them no way leads on."""
    strategy = registry.make("irobot(sample=60)", {})
    urls = [visit.url for visit in trace(strategy, FORUM.fetcher(), [HOME], 2000, batch=10)]
    assert len(urls) < len(FORUM.pages) / 2


# a learned site


def test_site_is_written_shown_and_used_again(tmp_path: Path) -> None:
    learned_site = learn_site(FORUM.fetcher(), [HOME], 150)
    types = [
        page.url.removeprefix(HOME).partition("/")[0] if "/" in page.url.removeprefix(HOME) else ""
        for page in learned_site.pages
    ]
    assert agreement(learned_site.names, types).purity > 0.95
    picture = write_site(tmp_path / "site.json", learned_site)
    site = json.loads((tmp_path / "site.json").read_text())
    assert sum(kind["pages"] for kind in site["types"]) + site["outliers"] == site["pages"] == 150
    assert all(sum(row["to"].values()) == pytest.approx(1.0) for row in site["navigation"])
    assert picture.read_text().count("<rect") == len(site["types"])
    assert len(site_table(describe(learned_site))) == len(site["types"]) + 1
    strategy = Structure("target", FORUM.get(HOME + "t/7"))
    know_site(strategy, tmp_path / "site.json")
    urls = [visit.url for visit in trace(strategy, FORUM.fetcher(), [HOME], 100, batch=10)]
    assert len(FORUM.wanted("t").intersection(urls)) > 60
    strategy = Structure()
    know_site(strategy, tmp_path / "site.json")
    urls = [visit.url for visit in trace(strategy, FORUM.fetcher(), [HOME], 100, batch=10)]
    assert len((FORUM.wanted("t") | FORUM.wanted("u")).intersection(urls)) > 80


def test_a_file_that_is_no_site_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(UnreadableError, match="no site file"):
        know_site(Structure(), tmp_path / "x.json")
    with pytest.raises(UnreadableError, match="cannot be read"):
        know_site(Structure(), tmp_path / "missing.json")


def test_features_are_clustered_line_by_line() -> None:
    pages = [FORUM.get(f"{HOME}{kind}/{n}") for kind in ("t", "u") for n in range(20)]
    lines = [json.dumps({"url": page.url, "xpaths": dict(page.paths)}) for page in pages]
    rows = list(cluster_features(lines, "pages.jsonl"))
    assert [row["url"] for row in rows] == [page.url for page in pages]
    assert agreement([row["cluster"] for row in rows], ["t"] * 20 + ["u"] * 20).purity == 1.0
    assert list(cluster_features([], "empty.jsonl")) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 2: this is not JSON"),
        ('{"url": "x"}', "xpaths is missing"),
        ("[1]", "xpaths is missing"),
        ('{"url": "x", "xpaths": {"a": -1}}', "not a whole number"),
    ],
)
def test_broken_features_are_named_with_their_line(line: str, words: str) -> None:
    with pytest.raises(UnreadableError, match=words):
        list(cluster_features(['{"url": "http://a.test/", "xpaths": {"a": 1}}', line], "pages.jsonl"))


def test_links_into_a_dead_folder_are_left_alone() -> None:
    """Each board has a link beside every thread that leads to a page which is gone: a few fetches are enough to know."""
    forum = Forum(threads=600)
    pages = {
        url: page._replace(body=page.body.replace(b'<a class=by href="/u/', b'<a class=by href="/old/'))
        for url, page in forum.pages.items()
    }
    strategy = Structure("target", forum.get(HOME + "t/7"), sample=60)
    urls = [visit.url for visit in trace(strategy, Replay(pages.get), [HOME], 500, batch=10)]
    assert sum(url.startswith(HOME + "old/") for url in urls) < 10


def test_a_sample_can_be_taken_breadth_first() -> None:
    near = [
        [visit.url for visit in trace(registry.make(spec, {"seed": 3}), FORUM.fetcher(), [HOME], 40, batch=10)]
        for spec in ("structure(sample=200,sampling='breadth-first')", "breadth-first")
    ]
    assert set(near[0]) == set(near[1])
    with pytest.raises(ConfigError, match="sampling=depth"):
        Structure(sampling="depth")
