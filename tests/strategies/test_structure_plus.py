"""Structure-plus: what it learns while it crawls, and the learned site that it can start from."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from benchmarks.structure_additions import WITHOUT

from opilio import registry
from opilio.bench.agreement import agreement
from opilio.codec import pack, unpack
from opilio.errors import ConfigError, UnreadableError
from opilio.fetchers.replay import Replay
from opilio.learning.navigation import COPY, RULE, RULED, Kinds, Table
from opilio.learning.page_types import WANTED, learn
from opilio.learning.paths import Matrix
from opilio.learning.url_patterns import common_words, pattern
from opilio.loop import trace
from opilio.nouns import Fetcher, Lane, Link, Offer, Page
from opilio.report.structure import learn_site, site_table, write_site
from opilio.shard.saved_state import learned
from opilio.strategies.structure.survey_file import describe
from opilio.strategies.structure_plus import StructurePlus
from opilio.strategies.structure_plus.copies import Copies, text_print
from opilio.strategies.structure_plus.goals import Aim
from opilio.strategies.structure_plus.harvest import OTHER_RULE, Harvest
from opilio.strategies.structure_plus.lane_worths import LaneWorths
from opilio.strategies.structure_plus.lanes import Row, by_rule
from opilio.strategies.structure_plus.remembered import Remembered
from opilio.strategies.structure_plus.rule_likeness import separation
from opilio.strategies.structure_plus.sampling import Sampling
from opilio.strategies.structure_plus.url_rules import UrlRules
from opilio.strategies.structure_plus.yields import Yields, return_of
from opilio.testing import laws, small_web
from opilio.urls import digest
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
    spec = f"structure-plus(sample={60 if kind == 't' else 20})"
    by_structure = found(spec, FORUM, kind, budget, goal="target", example=FORUM.get(HOME + example))
    assert by_structure > 0.5
    assert by_structure > 1.15 * found("breadth-first", FORUM, kind, budget)


def test_user_content_leaves_the_rest_alone() -> None:
    forum = Forum(threads=600)
    urls = [visit.url for visit in trace(StructurePlus(sample=60), forum.fetcher(), [HOME], 300, batch=10)]
    assert len((forum.wanted("t") | forum.wanted("u") | forum.wanted("board")).intersection(urls[100:])) > 190


def test_user_content_is_harvested_while_the_sample_is_taken() -> None:
    """Boards and menus are few, threads and profiles many: that is known before the sample is complete."""
    forum = Forum(threads=600)
    content = forum.wanted("t") | forum.wanted("u")
    shares = {}
    for spec in ("structure-plus", "structure", "breadth-first"):
        urls = [visit.url for visit in trace(registry.make(spec, {"seed": 3}), forum.fetcher(), [HOME], 200, batch=10)]
        shares[spec] = len(content.intersection(urls)) / len(urls)
    assert shares["structure-plus"] > 0.9
    assert shares["structure-plus"] > max(shares["structure"], shares["breadth-first"])


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("goal", ["target", "user-content"])
def test_laws_hold_when_the_sample_is_over(law: laws.Law, goal: str) -> None:
    law(partial(registry.make, "structure-plus(sample=20)", small_web.given() | {"goal": goal}))


class Redesigned(Fetcher):
    """A site that looks different from its 251st answer on."""

    def __init__(self, before: Fetcher, after: Fetcher) -> None:
        self.before, self.after, self.answers = before, after, 0

    async def fetch(self, offer: Offer) -> Page:
        self.answers += 1
        return await (self.before if self.answers <= 250 else self.after).fetch(offer)


def test_new_templates_are_learned_while_crawling() -> None:
    """Half-way through, threads look different: they are taken for what they are."""
    before, after = Forum(threads=600), Forum(threads=600, changed=0)
    strategy = StructurePlus("target", before.get(HOME + "t/7"), seed=3, sample=40)
    trace(strategy, Redesigned(before.fetcher(), after.fetcher()), [HOME], 500, batch=10)
    new = [after.get(f"{HOME}t/{n}") for n in range(560, 580)]
    (crawl,) = strategy.sites_.values()
    assert crawl.harvest is not None
    assert sum(map(crawl.harvest.is_wanted, new)) > 0.9 * len(new)


def test_links_that_redirect_to_known_pages_are_given_up() -> None:
    forum = Forum(redirects=True)
    strategy = StructurePlus("target", forum.get(HOME + "t/7"), sample=40)
    urls = [visit.url for visit in trace(strategy, forum.fetcher(), [HOME], 330, batch=10)]
    assert len(forum.wanted("go").intersection(urls)) < 60
    assert len(forum.wanted("t").intersection(urls)) > 180


def test_the_sample_waits_for_types_that_come_late() -> None:
    """It has forty pages of a type at most: it is complete when it has enough pages, not when enough were fetched."""
    plan, sampling = StructurePlus("target", FORUM.get(HOME + "u/7"), sample=10).plan, Sampling()

    def gather(kind: str, numbers: range) -> None:
        for visits in numbers:
            sampling.gather(FORUM.get(f"{HOME}{kind}/{visits % 60}"), 0, kind, [], plan, visits)

    gather("u", range(120))
    assert len(sampling.pages.pages) == 40
    assert not sampling.complete(plan, 120)
    gather("t", range(120, 150))
    assert (len(sampling.pages.pages), sampling.idle) == (70, 0)
    gather("u", range(150, 249))
    assert not sampling.complete(plan, 249)
    gather("u", range(249, 250))
    assert sampling.complete(plan, 250)  # as many visits as it has pages at most brought it none


@pytest.mark.slow
def test_state_stays_small() -> None:
    forum = Forum(threads=900)
    strategy = StructurePlus(sample=60)
    trace(strategy, forum.fetcher(), [HOME], 300, batch=10)
    early = len(pack(learned(strategy)))
    strategy = StructurePlus(sample=60)
    trace(strategy, forum.fetcher(), [HOME], 900, batch=10)
    assert len(pack(learned(strategy))) < 1.2 * early + 600 * 12  # of each page a number for its text is kept


def test_user_content_leaves_links_alone_that_redirect_to_known_pages() -> None:
    forum = Forum(redirects=True)
    urls = [visit.url for visit in trace(StructurePlus(sample=40), forum.fetcher(), [HOME], 330, batch=10)]
    assert len(forum.wanted("go").intersection(urls)) < 30


def test_a_list_that_brings_new_links_is_followed_though_other_urls_of_its_rule_are_copies() -> None:
    known = LaneWorths(aim=Aim({}, {WANTED: 1.0}, True))
    people, pager = ("0", "html/body/table/a", "=u/*"), ("0", "html/body/div/a", "=u/*")
    for _ in range(5):
        known.credit(people, [], [])
        assert [*known.hear(people, {COPY: 1.0})] == []
    assert known.weigh(people).scale < 0.01
    assert known.weigh(pager)[1:] == (0.25, 1)  # one try: nothing of the rule was tried at this place
    known.yields.note(pager, 30.0)
    assert [*known.hear(pager, {0: 1.0})]
    assert known.weigh(pager).scale > 0.9


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"goal": "target"}, "needs an example"),
        ({"goal": "fame"}, "not known"),
    ],
)
def test_wrong_settings_are_refused(given: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        StructurePlus(**given)  # type: ignore[arg-type]


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
    known = f"structure-plus(site={tmp_path / 'site.json'})"
    strategy = registry.make(known, {"goal": "target", "example": FORUM.get(HOME + "t/7")})
    urls = [visit.url for visit in trace(strategy, FORUM.fetcher(), [HOME], 100, batch=10)]
    assert len(FORUM.wanted("t").intersection(urls)) > 60
    strategy = registry.make(known, {})
    urls = [visit.url for visit in trace(strategy, FORUM.fetcher(), [HOME], 100, batch=10)]
    assert len((FORUM.wanted("t") | FORUM.wanted("u")).intersection(urls)) > 80


def test_a_file_that_is_no_site_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(UnreadableError, match="not a site file"):
        registry.make(f"structure-plus(site={tmp_path / 'x.json'})", {})
    with pytest.raises(UnreadableError, match="cannot be read"):
        registry.make(f"structure-plus(site={tmp_path / 'missing.json'})", {})


def test_links_into_a_dead_folder_are_left_alone() -> None:
    """Each board has a link beside every thread that leads to a page which is gone: a few fetches are enough to know."""
    forum = Forum(threads=600)
    pages = {
        url: page._replace(body=page.body.replace(b'<a class=by href="/u/', b'<a class=by href="/old/'))
        for url, page in forum.pages.items()
    }
    strategy = StructurePlus("target", forum.get(HOME + "t/7"), sample=60)
    urls = [visit.url for visit in trace(strategy, Replay(pages.get), [HOME], 500, batch=10)]
    assert sum(url.startswith(HOME + "old/") for url in urls) < 10


# several addresses, several kinds of links at one place


def test_urls_of_one_place_are_told_apart_by_their_rule() -> None:
    """Threads and people stand at one place; what was learned of a rule elsewhere holds for places never seen."""
    table, words = (
        Table(),
        common_words([f"http://a.test/{kind}.php?n={n}" for kind in ("thread", "member") for n in range(9)]),
    )
    rows = [
        Row("http://a.test/", ("0", "html/td/a"), "html/td/a", f"http://a.test/{kind}.php?n={n}")
        for n in range(9)
        for kind in ("thread", "member")
    ]
    known: dict[tuple[Lane, str], Kinds] = {
        (row.lane, row.url): {WANTED if "thread" in row.url else 3: 1.0} for row in rows[:12]
    }
    for (lane, _), shares in known.items():
        table.note(lane, shares)
    lanes = by_rule(table, rows, known, lambda url: RULE + pattern(url, words))
    assert len(set(lanes)) == 2
    assert table.chance(("0", "html/td/a"), WANTED) == pytest.approx(0.5, abs=0.1)
    assert table.chance(lanes[0], WANTED) > 0.9
    assert table.chance(lanes[1], WANTED) < 0.1
    assert table.chance(("7", "html/p/a", lanes[0][2]), WANTED) > 0.8
    assert table.chance(("7", "html/p/a", lanes[1][2]), WANTED) < 0.2


def test_a_rule_that_tells_nothing_leaves_it_to_the_place() -> None:
    table = Table()
    for place, kind in (("ul", 1), ("ol", 2)):
        for _ in range(20):
            table.note(("0", place, "=a.test/*"), {kind: 1.0})
    assert table.chance(("9", "ul", "=a.test/*"), 1) > table.chance(("9", "ol", "=a.test/*"), 1)
    assert table.chance(("0", "ul", "=a.test/*"), 1) > 0.9


def test_what_was_said_before_is_known_with_the_rule_of_its_url() -> None:
    copies, others = Copies(), Copies()
    assert [copies.first(text, rule) for text, rule in ((7, "=t"), (7, "=p"), (8, "=p"), (7, "=t"), (0, "=t"), (0, "=t"))] == [
        None, "=t", None, "=t", None, None,
    ]  # fmt: skip
    assert others.first(9, "=q") is None
    copies.add(others)
    assert copies.first(9, "=t") == "=q"


def test_what_was_seen_is_remembered_and_little_else_is_taken_for_it() -> None:
    known = Remembered()
    numbers = [digest(str(number)) for number in range(30_000)]
    taken = sum(not known.is_new(number) for number in numbers[:20_000])
    assert taken < 0.1 * 20_000
    assert not any(known.is_new(number) for number in numbers[:20_000])
    again = unpack(pack(known))
    assert sum(again.is_new(number) for number in numbers[20_000:]) == sum(
        known.is_new(number) for number in numbers[20_000:]
    )
    assert sum(map(len, known.parts)) < 300_000


def test_a_list_is_worth_what_new_links_its_kind_brought() -> None:
    yields = Yields()
    assert [yields.is_new(url) for url in (HOME, HOME + "t/1", HOME)] == [True, True, False]
    for _ in range(20):
        yields.note(("0", "html/ul/a", "=a"), 25.0)
        yields.note(("0", "html/ul/a", "=sorted"), 0.0)
    rich, dry = (yields.expected((("0", "html/ul/a", rule),), 1.0) for rule in ("=a", "=sorted"))
    assert rich > 20 > 1 > dry
    assert return_of(0.0, rich) > 0.9 > return_of(0.5, 0.0) > return_of(0.0, dry)


def rows_of(kind: int, count: int) -> Matrix:
    """Pages of a template, each with some more or less of one part."""
    return np.array(
        [[0.7 - 0.01 * n, 0.3 + 0.01 * n, 0.0] if kind else [0.0, 0.3 + 0.01 * n, 0.7 - 0.01 * n] for n in range(count)]
    )


def test_pages_of_two_rules_are_told_apart_by_their_nearest_pages() -> None:
    threads, lists = rows_of(0, 12), rows_of(1, 12)
    assert separation(threads, lists) == 1.0
    assert separation(threads[::2], threads[1::2]) < 0.3
    assert separation(threads, lists[:3]) == 0.0  # too few to tell


def test_pages_in_the_cluster_of_the_example_that_another_rule_leads_to_count_for_little() -> None:
    """Histories and people are one cluster in a small sample, since that of the example is left whole."""
    pages = [f"http://wiki.test/user/{n}" for n in range(8)] + [f"http://wiki.test/history/{n}" for n in range(8)]
    page_type = learn([{"html/body/p": 1 + n % 2} for n in range(8)]).sitemap
    name = page_type.clusters[0]
    known = Harvest(page_type._replace(wanted={name: 1.0}), rules=UrlRules([pages[0]]))
    known.rules.learn(pages, set())
    (history, *_), kinds = pages[8:], {WANTED: 1.0}
    assert known.by_rule(history, name, kinds)[WANTED] == pytest.approx(OTHER_RULE)
    known.compare_rules(pages, [name] * 16, np.vstack([rows_of(0, 8), rows_of(1, 8)]))
    assert known.by_rule(history, name, kinds)[WANTED] == 0.0
    assert known.by_rule(pages[3], name, kinds) == kinds


def test_a_copy_has_the_same_title_text_and_links() -> None:
    one, other, again = FORUM.get(HOME + "t/7"), FORUM.get(HOME + "t/8"), FORUM.get(HOME + "t/7")
    assert text_print(one) == text_print(again) != text_print(other)
    boards = [FORUM.get(f"{HOME}board/0/{n}") for n in (2, 3)]
    assert boards[0].main == boards[1].main
    assert text_print(boards[0]) != text_print(boards[1])
    assert text_print(Page(Offer(Link(HOME)), HOME, 200)) == 0


def test_the_usual_address_is_the_one_nearer_to_that_of_the_example() -> None:
    """The example is a later page of a thread; the first page is seen at two addresses, and first at the one of a post."""
    rules = UrlRules([HOME + "t?id=7&start=10"])
    rules.learn(
        [HOME + form.format(n) for n in range(20) for form in ("t?id={}", "t?id={}&start=10", "t?post={}")], set()
    )
    first, post = HOME + "t?id=8", HOME + "t?post=80"
    assert [rules.nearness(rules.rule(url)) for url in (HOME + "t?id=8&start=20", first, post)] == [2, 1, 0]
    harvest = Harvest(learn([{"html/body/p": 1}] * 8).sitemap, rules=rules)
    assert not harvest._repeats(harvest.copies, 5, post)
    assert not harvest._repeats(harvest.copies, 5, first)
    assert harvest.worths.table.counts[RULED, rules.rule(post)] == {COPY: 1.0}
    assert harvest._repeats(harvest.copies, 5, HOME + "t?post=81")
    assert not harvest._repeats(harvest.copies, 5, HOME + "t?id=8&start=20")


def test_a_thread_with_two_addresses_is_fetched_by_that_of_the_example() -> None:
    """Each thread is at /t/N and at /post/N, and boards link to both from one place."""
    forum = Forum(threads=400)
    pages = {
        url: page._replace(
            body=re.sub(rb'<a href="/t/(\d+)">', rb'<a href="/t/\1">1</a> <a href="/post/\1">', page.body)
        )
        for url, page in forum.pages.items()
    }
    pages |= {url.replace("/t/", "/post/"): page for url, page in pages.items() if url in forum.wanted("t")}
    strategy = StructurePlus("target", Replay(pages.get).answer(Offer(Link(HOME + "t/7"))), seed=3, sample=60)
    urls = [visit.url for visit in trace(strategy, Replay(pages.get), [HOME], 400, batch=10)]
    assert len(forum.wanted("t").intersection(urls)) > 4 * sum("/post/" in url for url in urls)


def test_what_the_table_of_additions_takes_out_is_there() -> None:
    for name, parts in WITHOUT.items():
        assert all(hasattr(where, what) for where, what, _ in parts), name
        for where, what, instead in parts:
            if inspect.isfunction(instead):
                assert asked_by_name(getattr(where, what)) <= asked_by_name(instead), (name, what)


def asked_by_name(function: Callable[..., object]) -> set[str]:
    """Parameters that callers can give by their names alone."""
    return {one.name for one in inspect.signature(function).parameters.values() if one.kind is one.KEYWORD_ONLY}
