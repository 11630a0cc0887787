"""What blend goes by: kinds of links with their records, yields of hubs, and a mix that is learned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from opilio.batch import Many, parts
from opilio.codec import pack, unpack
from opilio.fetchers.replay import Recorded, Replay
from opilio.frontier.memory import MemoryFrontier
from opilio.frontier.merge import joins
from opilio.html import Document
from opilio.learning import experience, texts, track_record, visit_log
from opilio.learning.evidence_kinds import (
    DIGITS,
    PageKinds,
    address_kinds,
    around_kinds,
    key_of,
    keys_of,
    where,
    word_kinds,
    words,
)
from opilio.learning.evidence_signals import PRIOR, Signals, _first_of_page
from opilio.learning.evidence_words import reasons
from opilio.learning.host_search import HostSearch
from opilio.learning.named_words import NamedWords
from opilio.learning.page_likeness import Like
from opilio.learning.percentiles import Percentiles
from opilio.learning.signal_mix import SignalMix
from opilio.learning.track_record import TrackRecord, log_odds
from opilio.learning.url_evidence import LINKS, Evidence, PageLinks
from opilio.learning.visit_log import VisitLog
from opilio.learning.wanted import Wanted
from opilio.loop import trace
from opilio.nouns import Link, Offer, Page, Topic
from opilio.strategies.blend import DOUBTFUL, SEED, UNPRICED, Blend
from opilio.testing import small_web

NAMES = list(PRIOR)
NAMED = NamedWords.of("full text search")


def place_of(place: int, listed: int, page: int) -> str:
    """A link there: its kinds as a note has them."""
    return f"{place:016x}{listed:016x}{page:016x}"


def key(kind: str | tuple[int, int, int], number: int = 0) -> int:
    return key_of(kind) if isinstance(kind, str) else int(where(place_of(*kind))[0, number])


def evidence(**given: object) -> Evidence:
    said: dict[str, object] = {"context": 0.5, "promising": 0, "parent": 0.5, "good": 0.5, "links": 1, "cash": 1.0}
    said |= {"named": 0, "first": "http://a.test/", "kinds": place_of(1, 2, 3)} | given
    return Evidence(**said)  # type: ignore[arg-type]


def signal(name: str, record: TrackRecord, says: Evidence, url: str = "http://a.test/b/c") -> float:
    seen = Percentiles()
    for value in (0.1, 0.3, 0.5, 0.7, 0.9):
        seen.add(value)
    other = Link("http://b.test/", anchor="else", context="something else")
    link = Link(url, anchor="hive tools", context="all about hive tools")
    found = Signals(record, seen, NAMED, 0.0).of([other, link], [evidence(kinds=place_of(9, 9, 9)), says])
    assert found.shape == (2, len(PRIOR))
    return float(found[1, NAMES.index(name)])


def recorded(kind: int, good: int, bad: int) -> TrackRecord:
    record = TrackRecord()
    for relevance in [1.0] * good + [0.0] * bad:
        record.count(relevance)
        record.learn(np.array([kind]), relevance)
    for _ in range(good + bad):
        record.count(0.5)
    return record


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("links at such places", key((1, 0, 0))),
        ("links in such lists", key((0, 2, 0), 1)),
        ("other links of the pages that link to it", key((0, 0, 3), 2)),
        ("links with such words around", key("around about")),
        ("links with such words", key("anchor hive")),
        ("links with such words", key("word b")),
        ("pages of its host", key("host a.test")),
        ("pages of its folder", address_kinds("http://a.test/b/c")[1]),
    ],
)
def test_kinds_that_were_good_speak_for_a_link_and_others_against(name: str, kind: int) -> None:
    assert signal(name, recorded(kind, 6, 1), evidence()) > 0.2
    assert signal(name, recorded(kind, 1, 6), evidence()) < -0.2
    assert signal(name, TrackRecord(), evidence()) == 0.0


def test_more_relevant_parents_speak_for_a_link() -> None:
    name, record = "relevant pages among those that link to it", recorded(key("x"), 5, 15)
    several = signal(name, record, evidence(good=3.0, links=3))
    assert (
        several > signal(name, record, evidence(good=1.0, links=1)) > signal(name, record, evidence(good=0.0, links=3))
    )


def test_a_link_that_names_the_topic_is_promising() -> None:
    name = "words of the topic in the link"
    shares = [signal(name, TrackRecord(), evidence(named=mask)) for mask in (0, 0b1, 0b111)]
    assert shares[0] == 0.0
    assert 0.0 < shares[1] < shares[2] == 1.0


@pytest.mark.parametrize(
    ("said", "text", "url", "words"),
    [
        ("full text search", "Next", "http://a.test/textsearch-intro.html", ["text", "search"]),
        ("regular expressions", "Regular Expression HOWTO", "http://a.test/", ["regul", "express"]),
        ("date and time", "and so on", "http://time.test/x", []),  # neither a stop word nor the host counts
        ("機械学習", "機械の話", "http://a.test/", ["機械"]),
        ("", "anything", "http://a.test/", []),
    ],
)
def test_words_of_the_topic_are_found_in_text_and_address(said: str, text: str, url: str, words: list[str]) -> None:
    named = NamedWords.of(said)
    assert [named.words(mask) for mask in named.masks(["none", text], ["http://b.test/", url])] == [[], words]


class Fetched:
    """What was kept of pages that were fetched, by the last part of their URLs."""

    def __init__(self, known: dict[str, tuple[float, ...]]) -> None:
        self.known = known

    def all(self, urls: Sequence[str]) -> list[tuple[float, ...] | None]:
        return [self.known.get(url.rpartition("/")[2]) for url in urls]


def linking(**known: tuple[float, ...]) -> PageLinks:
    """A page with links to places of /a, to /b and to itself."""

    body = b"<a href=a#1>text</a><p><a href=b>x</a> <a href=a#2>search</a></p><a href=here>x</a><a href=a#3>x</a>"
    page = Page(Offer(Link(HERE)), HERE, 200, {}, body, document=Document(body, HERE, "text/html"))
    page.known = Fetched(known)  # type: ignore[assignment]
    return PageLinks(page)


HERE = "http://a.test/here"


def test_a_page_counts_once_for_a_url_with_its_best_link_and_the_words_and_places_of_all() -> None:
    named = NamedWords.of("full text search")
    found = linking(b=(0.5,), here=(0.5,)).evidence([0.2, 0.9, 0.8, 0.1, 0.3], named, 0.4, 1.5)
    assert [link.url for link, _ in found] == ["http://a.test/a"]
    link, says = found[0]
    assert link.anchor == "search"
    assert says[:6] == (0.8, 1, 0.4, 0.4, 1, 1.5)
    assert named.words(says.named) == ["text", "search"]
    assert says.first == HERE
    assert len(says.kinds) == 2 * DIGITS  # the first and the last link stand at the same place
    assert named.seen == 3  # URLs, of which one has both words
    assert named.links == [0, 1, 1]


def test_a_link_to_a_url_adds_its_place_once_and_no_more_than_are_remembered() -> None:
    held = place_of(1, 2, 3) + place_of(4, 5, 6)
    joined = [evidence(kinds=held).joined(evidence(kinds=place_of(*new))).kinds for new in ((7, 8, 9), (4, 5, 6))]
    assert joined == [held + place_of(7, 8, 9), held]
    shifted = f"{'0' * 8}{place_of(7, 8, 9)}{'0' * (DIGITS - 8)}"  # the same digits, but not as one place
    assert evidence(kinds=shifted).joined(evidence(kinds=place_of(7, 8, 9))).kinds == shifted + place_of(7, 8, 9)


def test_the_offers_of_a_page_are_columns() -> None:
    """What is said of hundreds of links is not looked at one by one on its way to the frontier."""
    body = b"<p>honey and bees</p><a href=/b>bees</a>"
    page = Page(Offer(Link(HERE), note=()), HERE, 200, {}, body, document=Document(body, HERE, "text/html"))
    page.known = Fetched({})  # type: ignore[assignment]
    *_, offers = parts(Blend(Bees()).observe(page))
    assert isinstance(offers, Many)
    assert [offer.link.url for offer in offers] == ["http://a.test/b"]


def test_links_to_pages_that_were_fetched_say_what_such_links_bring() -> None:
    links = linking(a=(0.25,), b=(), here=(0.5,))
    kinds, notes = links.fetched()
    assert notes == [(0.25,)] * 3  # nothing was kept of b, and a page says nothing of itself
    assert len(set(kinds)) == 2


def test_a_rare_word_of_the_topic_counts_more() -> None:
    named = NamedWords.of("text search")
    named.count([0b01] * 50)
    named.count([0b10])
    assert named.share(0b01) < 0.2 < 0.8 < named.share(0b10)
    assert unpack(pack(named)) == named


def test_titles_and_addresses_of_pages_teach_what_links_say() -> None:
    strategy = Blend(Bees())
    seed = Offer(Link("http://a.test/textsearch-tables.html"))
    page = Page(seed, seed.link.url, document=Document(b"<title>Bees, Tables and Indexes</title>", seed.link.url))
    list(strategy.observe(page))
    assert strategy.past_.record.seen(key("word textsearch")) == (1.0, 0.9**DOUBTFUL)
    assert strategy.past_.record.seen(key("anchor indexes")) == (1.0, 0.9**DOUBTFUL)


def test_an_unknown_host_is_worth_a_look_until_it_is_known() -> None:
    name = "little known of its host"
    looks = [signal(name, recorded(key("host a.test"), 0, bad), evidence()) for bad in (0, 1, 5)]
    assert looks[0] == 1.0
    assert looks == sorted(looks, reverse=True)


def test_evidence_of_several_pages_adds_up() -> None:
    second = place_of(1, 4, 5)
    other = evidence(context=0.9, promising=1, parent=0.2, good=0.2, cash=0.5, first="http://b.test/", kinds=second)
    both = evidence().joined(other)
    assert (both.context, both.parent, both.good, both.links, both.cash) == (0.9, 0.5, 0.7, 2, 1.5)
    assert both.first == "http://a.test/"
    assert both.promising == 1
    assert both.kinds == evidence().kinds + second
    assert both.joined(other).kinds == both.kinds
    assert (where(both.kinds) - key((0, 0, 0))).tolist() == [[1, 2, 3], [1, 4, 5]]
    assert Evidence.of(unpack(pack(tuple(both)))) == both
    many = evidence()
    for number in range(3 * LINKS):
        many = many.joined(evidence(kinds=place_of(1, number, 1)))
    assert len(many.kinds) == LINKS * DIGITS


def test_a_list_belongs_to_a_page_and_a_place_to_a_host() -> None:
    def kinds(page: str, path: str) -> list[int]:
        return list(where(PageKinds(page)(path))[0])

    one, other = kinds("http://a.test/1", "ul/li/a"), kinds("http://a.test/2", "ul/li/a")
    assert [mine == theirs for mine, theirs in zip(one, other, strict=True)] == [True, False, False]
    assert kinds("http://a.test/1", "p/a")[0] != one[0]
    assert kinds("http://b.test/1", "ul/li/a")[0] != one[0]


def test_kinds_of_which_least_is_known_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(track_record, "MOST", 10)
    record = TrackRecord()
    for number in range(25):
        record.learn(keys_of([f"word {number}", "next"]), 1.0)
    assert record.known <= 10
    for kept in (record, unpack(pack(record))):
        assert kept.seen(key("word 24")) == (1.0, 1.0)
        assert kept.seen(key("word 0")) == (0.0, 0.0)
        assert kept.seen(key("next")) == (25.0, 25.0)


def test_a_hub_yields_what_its_links_bring() -> None:
    log = VisitLog(0)
    log.add("http://hub.test/", [], 0.0, keys_of(["anchor students"]))
    gains = [log.credit("http://hub.test/", 1.0) for _ in range(4)]
    assert [kinds.tolist() for kinds, _ in gains] == [[key("anchor students")]] * 4
    assert sum(more for _, more in gains) == pytest.approx(4 / 5)
    nobody, nothing = log.credit("http://unknown.test/", 1.0)
    assert (nobody.tolist(), nothing) == ([], 0.0)
    record = TrackRecord()
    record.count(0.0)
    record.learn(keys_of(["anchor students"]), 0.0)
    for kinds, more in gains:
        record.improve(kinds, more)
    relevance, brought = record.rates(record.numbers(keys_of(["anchor students"])), np.array([0.1, 0.1]))[0]
    assert brought > 0.3 > relevance


def test_links_from_a_good_page_do_not_lower_its_yield() -> None:
    log = VisitLog(0)
    log.add("http://a.test/", [], 0.9, keys_of(["word a"]))
    assert log.credit("http://a.test/", 0.0)[1] == 0.0


def test_the_last_pages_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit_log, "MOST", 3)
    log = VisitLog(2)
    for number in range(5):
        log.add(f"http://a.test/{number}", [number, 1.0] if number != 3 else [], number / 10, keys_of(["word a"]))
    log.add("http://a.test/2", [2.5, 1.0], 0.2, keys_of([]))
    log.credit("http://a.test/2", 1.0)
    assert list(log.urls) == ["http://a.test/3", "http://a.test/4", "http://a.test/2"]
    signals, yields = log.examples()
    assert signals.tolist() == [[4.0, 1.0], [2.5, 1.0]]
    assert yields == pytest.approx([0.4, 0.6])
    assert pack(unpack(pack(log))) == pack(log)


def test_percentiles_tell_how_high_a_number_stands() -> None:
    seen = Percentiles()
    assert seen.of(np.array([0.3])).tolist() == [0.5]
    for value in range(100):
        seen.add(value / 100)
    low, middle, high = seen.of(np.array([0.0, 0.5, 1.0]))
    assert low < 0.02 < 0.45 < middle < 0.55 < 0.98 < high


def test_the_mix_learns_which_signal_works() -> None:
    rng = np.random.default_rng(1)
    signals = rng.normal(size=(800, 2))
    yields = (signals[:, 0] + rng.normal(size=800) > 0).astype(float)
    mix = SignalMix([0.3, 0.3, 0.0])
    mix.learn([0.3, 0.3], signals, yields)
    assert mix.weights[0] > 0.8 > 0.3 > mix.weights[1]
    few = SignalMix([0.3, 0.3, 0.0])
    few.learn([0.3, 0.3], signals[:5], yields[:5])
    assert few.weights == pytest.approx([0.3, 0.3, 0.0], abs=0.05)


def test_no_signal_counts_against_a_page() -> None:
    rng = np.random.default_rng(2)
    signals = rng.normal(size=(900, 1))
    mix = SignalMix([0.3, 0.0])
    mix.learn([0.3], signals, (signals[:, 0] < 0).astype(float))
    assert mix.weights[0] == 0.0


def test_log_odds_are_cut_off() -> None:
    assert log_odds(np.array([0.0, 0.5, 1.0])) == pytest.approx([-4.0, 0.0, 4.0])


def test_few_hosts_draw_where_little_was_fetched() -> None:
    record, search = TrackRecord(), HostSearch()

    def draw(url: str) -> float:
        return float(search.draws(record, ["http://c.test/", url])[1])

    for _ in range(50):
        record.count(0.1)
        record.learn(np.array(address_kinds("http://a.test/1")), 0.1)
    search.see(["http://a.test/1", "http://a.test/2"])
    assert draw("http://b.test/") == 0.0  # one host: nothing to look for
    search.see(["http://b.test/"])
    assert draw("http://b.test/") > 3.0
    assert draw("http://a.test/2") == pytest.approx(0.0)
    assert search.reasons(record, "http://a.test/2") == []
    told = "0 of 50 pages were of its host, so it counts 3.4 more: exploration"
    assert search.reasons(record, "http://b.test/") == [told]
    search.see(f"http://h{n}.test/" for n in range(98))
    assert draw("http://b.test/") < 0.02  # of a hundred hosts, two pages each would take the crawl


def test_reasons_are_sentences_with_counts() -> None:
    record = TrackRecord()
    link = Link("http://a.test/b/c", anchor="hive tools")
    for relevance in (1.0, 1.0, 0.0):
        record.count(relevance)
        record.learn(np.array([key((0, 2, 0), 1), key("anchor hive"), *address_kinds(link.url)]), relevance)
    said = "; ".join(reasons(record, NAMED, link, evidence(links=3, parent=0.9, context=0.8, named=0b110)))
    assert said == (
        "3 pages link to it, the most relevant with relevance 0.90; the words around a link to it promise 0.80; its links name 2 "
        'of 3 words of the topic: "text", "search"; links in such lists were good 2 of 3 times; links with the word "hive" were '
        "good 2 of 3 times; 2 of 3 pages of its host were good: exploration"
    )
    unknown = reasons(record, NAMED, Link("http://new.test/"), evidence())
    assert unknown[-1] == "nothing of its host has been fetched: exploration"


class Bees(Topic):
    def text(self, text: str) -> float:
        return 0.9 if "bee" in text.lower() else 0.1


def test_what_is_learned_can_be_saved() -> None:
    strategy = Blend(Bees())
    trace(strategy, small_web.fetcher(), small_web.seeds(), 60)
    assert strategy.past_.mix.weights != [*PRIOR.values(), 0.0]
    learned = pack((strategy.past_, strategy.texts_))
    assert pack(unpack(learned)) == learned


def test_a_page_teaches_by_the_signals_that_it_was_chosen_by(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by those of the time when it comes: by then there may be more to know."""
    strategy, past = Blend(Bees()), Blend(Bees()).past_
    offers = [Offer(Link(f"http://a.test/{name}"), 0.0, note=tuple(evidence())) for name in "xyz"]
    strategy.reprice(offers)
    before = past.chosen_by(offers[0], NAMED)
    strategy.past_.record.learn(np.array([key((1, 0, 0))]), 1.0)
    assert strategy.past_.chosen_by(offers[0], NAMED) == before
    assert strategy.past_.chosen_by(offers[0], NAMED) != before  # once: it may be chosen again, by other ones
    monkeypatch.setattr(experience, "REMEMBERED", 2)
    strategy.past_.remember(offers, np.zeros((3, len(PRIOR))), np.array([3.0, 1.0, 2.0]))
    assert list(strategy.past_.priced) == ["http://a.test/z", "http://a.test/x"]  # the highest-priced is the newest


@pytest.mark.parametrize(
    ("pages", "counts", "first"),
    [
        ([7, 7, 8], [3], [1, 0, 1]),
        ([7, 7, 7], [1, 2], [1, 1, 0]),
        ([5], [1], [1]),
    ],
)
def test_a_page_counts_once_for_each_url_that_it_links_to(
    pages: list[int], counts: list[int], first: list[int]
) -> None:
    assert _first_of_page(np.array(pages), counts).tolist() == first


def test_joining_keeps_the_most_promising_link_and_counts_both_pages() -> None:
    strategy = Blend(Bees())
    one = Offer(Link("http://a.test/x", anchor="here"), 0.0, note=tuple(evidence(context=0.2)))
    two = Offer(Link("http://a.test/x", anchor="bees"), 0.0, note=tuple(evidence(context=0.9)))
    both = strategy.join(one, two)
    assert both.link.anchor == "bees"
    assert Evidence.of(both.note).links == 2
    assert strategy.join(Offer(Link("http://a.test/x"), 100.0), two).value == 100.0


def test_what_is_remembered_of_a_link_is_small_whatever_it_holds() -> None:
    long = Link(f"http://a.test/{'x' * 1900}/{'y' * 90}", anchor=f"{'q' * 100_000} hive")
    kinds = [*words(long), *words(Link("http://a.test/", anchor="hive"))]
    assert "anchor hive" in kinds
    assert max(map(len, kinds)) <= 60
    assert word_kinds(long).tolist() == [key(kind) for kind in words(long)]
    assert len(around_kinds(Link("http://a.test/", context="bee " * 100))) == 1


def test_words_of_anchor_and_address_are_kinds() -> None:
    assert words(Link("http://a.test/hive/tools", anchor="Hive tools hive")) == (
        "anchor hive",
        "anchor tools",
        "word hive",
        "word tools",
    )


def html(body: str) -> Recorded:
    return Recorded(200, {"content-type": "text/html"}, body.encode())


def test_a_page_that_says_what_another_one_said_is_worth_nothing() -> None:
    """Nor is a redirect to a page that was fetched before; so links of such kinds are not followed again and again."""
    print_view = "http://a.test/print/1"
    links = f'<p><a href="{print_view}">print</a><p><b><a href="/moved">go on</a></b>'
    pages = {
        "http://a.test/": html('<a href="/1">bees</a>'),
        "http://a.test/1": html(f"all about bees {links}"),
        print_view: html(f"all about bees {links}"),
        "http://a.test/moved": Recorded(301, {"location": "/1"}, b""),
    }
    strategy = Blend(Bees())
    assert len(trace(strategy, Replay(pages.get), ["http://a.test/"], 10)) == 4
    visits = strategy.past_.visits
    assert [visits.relevance(url) for url in list(pages)[1:]] == [0.9**DOUBTFUL, 0.0, 0.0]


def test_texts_are_forgotten_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST", 4)
    seen = texts.Texts()
    assert [seen.add(text) for text in "abcdaea"] == [True, True, True, True, False, True, True]


def test_links_of_examples_may_go_before_seeds() -> None:
    seeds, example = (
        [Link("http://a.test/"), Link("http://b.test/")],
        Page(Offer(Link("http://b.test/")), "http://b.test/"),
    )
    prices = {
        offer.link.url: offer.value for offer in Blend(Bees()).start(seeds, [example]) if isinstance(offer, Offer)
    }
    assert prices["http://b.test/"] > prices["http://a.test/"]
    alone = [offer.value for offer in Blend(Bees()).start(seeds, []) if isinstance(offer, Offer)]
    assert alone == [prices["http://b.test/"]] * 2


class Half(Topic):
    def text(self, text: str) -> float:
        return 0.5


@pytest.mark.parametrize("seed_first", [True, False])
def test_a_seed_keeps_its_price_where_an_example_links_to_it(seed_first: bool) -> None:
    strategy = Blend(Bees())
    frontier = MemoryFrontier(strategy.weigh, "join", join=joins(strategy))
    link = Offer(Link("http://a.test/"), UNPRICED, note=tuple(evidence(context=0.01)))
    for offer in sorted(
        [link, Offer(Link("http://a.test/"), SEED)], key=lambda o: bool(o.note), reverse=not seed_first
    ):
        frontier.offer([offer])
    assert [lease.offer.value for lease in frontier.take(1)] == [SEED]


def test_wanted_is_what_is_about_the_topic_like_a_page_or_both() -> None:
    page, other = (
        Page(Offer(Link(url)), url, document=Document(f"<{tag}>text <a href=/x>x</a></{tag}>".encode(), url))
        for url, tag in (("http://a.test/1", "p"), ("http://a.test/2", "h1"))
    )
    like = Like([page])
    assert Wanted(Half(), None).page(other) == 0.5
    assert Wanted(None, like).page(page) > 0.9 > 0.1 > Wanted(None, like).page(other)
    assert Wanted(Half(), like).page(page) == Wanted(None, like).page(page) / 2
    assert (list(Wanted(Half(), like).links(page)), list(Wanted(None, like).links(page))) == ([0.5], [0.0])
    offer = Offer(Link("http://a.test/b/c"), note=tuple(evidence()))
    assert "wanted on a.test: pages like http://a.test/1" in Blend(like=like).reasons(offer)
    assert not any("pages like" in said for said in Blend(Half()).reasons(offer))
