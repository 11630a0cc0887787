"""Profile plus on synthetic media-sharing sites of two makes, and on sites that are none."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing
from functools import cache, partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio import registry
from opilio.cli.commands import app
from opilio.errors import ConfigError
from opilio.fetchers.replay import Recorded, Replay
from opilio.html.leaves import leaves
from opilio.loop import trace
from opilio.nouns import DROP, PARK, Link, Offer, Page, Reweigh
from opilio.store.reader import reading
from opilio.strategies.profile.lanes import USER, WHO
from opilio.strategies.profile.media_sample import opened, press, site_of
from opilio.strategies.profile.media_site import MediaSite
from opilio.strategies.profile.media_strategy import CRAWL
from opilio.strategies.profile.page_types import MEDIA_TYPES
from opilio.strategies.profile.roles import NO_ROWS, Seen
from opilio.strategies.profile.sampled_site import FALLBACK
from opilio.strategies.profile.site_file import Known, described, read
from opilio.strategies.profile.site_learning import NO_TAGS
from opilio.strategies.profile.uploaders import Uploaders
from opilio.strategies.profile_plus import ProfilePlus
from opilio.strategies.profile_plus.gate import LAST, Bar, Gate, Rules
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.layout import Settings
from opilio.synth.media import MediaSite as MadeUp
from opilio.synth.media_people import TAGS
from opilio.synth.site import Place
from opilio.synth.web import Web
from opilio.testing import laws, small_web
from tests.crawled import crawled as run_folder

MAKES = ["stream", "rows"]  # tags as links in lists; tags as plain text in tables
WORDS = CliRunner()


@cache
def web() -> Web:
    return Web(2000, 7, Settings(media=0.55, forums=0.0, mirrors=0.0, trap=0.0))


@cache
def made(make: str) -> MadeUp:
    return next(s for s in web().atlas.sites if isinstance(s, MadeUp) and type(s.style).__name__.lower() == make)


def home(make: str) -> str:
    return Place(made(make), 0).url


def fetched(url: str) -> Page:
    return asyncio.run(SynthFetcher(web()).fetch(Offer(Link(url))))


def crawled(make: str, spec: str, budget: int) -> tuple[list[str], ProfilePlus]:
    strategy = registry.make(spec, {"tag": tag(make), "seed": 1})
    visits = trace(strategy, SynthFetcher(web()), [home(make)], budget, batch=10)
    return [visit.url for visit in visits], strategy  # type: ignore[return-value]


def tag(make: str) -> str:
    return made(make).tags[0]


def harvest(make: str, urls: list[str]) -> float:
    rows = [web().labels(url) for url in urls]
    details = [row["tags"].split("|") for row in rows if row.get("page_type") == "detail"]
    return sum(tag(make) in tags for tags in details) / len(details)


def sample(make: str, pages: int = 60) -> list[Seen]:
    """The pages that the strategy looks at first."""
    seen: list[Seen] = []

    class Recorder(SynthFetcher):
        async def fetch(self, offer: Offer) -> Page:
            page = await super().fetch(offer)
            seen.append(Seen(page.url, leaves(page)))
            return page

    trace(ProfilePlus(tag(make), sample=pages), Recorder(web()), [home(make)], pages, batch=1)
    return [page for page in seen if page.leaves]


@cache
def learned(make: str) -> MediaSite:
    site = site_of(sample(make))
    assert isinstance(site, MediaSite), site
    return site


@pytest.mark.parametrize("make", MAKES)
def test_harvest_is_far_above_opic_and_breadth_first(make: str) -> None:
    urls, strategy = crawled(make, "profile-plus", 300)
    assert strategy.stage_ == CRAWL
    others = [crawled(make, name, 300)[0] for name in ("opic", "breadth-first")]
    assert harvest(make, urls) > 1.5 * max(harvest(make, other) for other in others)


@pytest.mark.parametrize("make", MAKES)
def test_page_types_are_found_without_examples(make: str) -> None:
    places = [Place(made(make), number) for number in range(0, made(make).size, 3)]
    found = [learned(make).classify(leaves(fetched(place.url))) for place in places]
    right = [kind == place.site.labels(place.page)["page_type"] for kind, place in zip(found, places, strict=True)]
    assert sum(right) >= 0.99 * len(right)


@pytest.mark.parametrize("make", MAKES)
def test_tags_uploaders_and_contacts_are_read_off_pages(make: str) -> None:
    site, media = learned(make), made(make)
    for item in range(0, media.items, 9):
        page = fetched(Place(media, media.first_item + item).url)
        found = leaves(page)
        assert {term.name for term in site.terms(found, "detail")} == set(media.people.tags_of(item))
        linked = [leaf for leaf in found if leaf.url]
        assert site.owner(linked).endswith(
            media.style.profile_path.format(media.people.uploader(item))
        ) or "/go/" in site.owner(linked)
    user = 3
    terms, contacts = site.profile(leaves(fetched(Place(media, media.first_user + user).url)), "http://other.test/")
    assert {term.name for term in terms} <= set(media.tags)
    assert not contacts or terms


def test_contacts_are_those_of_the_profile() -> None:
    media = made("rows")
    url = Place(media, media.first_user + 3).url
    _, contacts = learned("rows").profile(leaves(fetched(url)), url)
    assert len(contacts) == len(media.people.contacts(3))


@pytest.mark.slow
@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("make", MAKES)
def test_laws_hold_in_every_stage(law: laws.Law, make: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_web, "fetcher", lambda: SynthFetcher(web()))
    monkeypatch.setattr(small_web, "seeds", lambda: [home(make)])
    monkeypatch.setattr(small_web, "page", fetched)
    spec = "profile-plus(sample=20,discover=5,rest=True)"
    assert crawled(make, spec, 80)[1].stage_ == CRAWL
    law(partial(registry.make, spec, {"tag": tag(make)}))


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
def test_laws_hold_when_it_falls_back(law: laws.Law) -> None:
    law(partial(registry.make, "profile-plus(sample=8)", {"tag": "honey"}))


@pytest.mark.slow
def test_unknown_uploaders_wait_and_those_below_the_threshold_are_left_alone() -> None:
    urls, strategy = crawled("stream", "profile-plus(threshold=0.3)", 1000)
    low, _ = crawled("stream", "profile-plus(threshold=0.3,rest=True)", 1000)
    assert len(urls) < len(low)
    assert harvest("stream", urls) > harvest("stream", low)
    assert strategy.stage_ == CRAWL


def test_the_gate_closes_on_ranks_that_bring_too_little_and_opens_at_last() -> None:
    people = Uploaders()
    for name, inner in (("high", 0.8), ("low", 0.2)):
        people.learn(name, inner, ())
    unknown = people.number("unknown")
    assert unknown is not None
    gate = Gate(Rules(0.7, 0.3, 0.01, 0.05, 2, True), Bar(), people, {}, [])
    high, low = (people.numbers[name] for name in ("high", "low"))
    assert gate.user(high).shift > gate.user(low).shift > 0
    assert gate.user(unknown) == gate.profile(unknown) == gate.other() == PARK
    assert gate.profile(high) == DROP
    bars = [gate.judged(low, good=False) for _ in range(LAST)]
    assert {bar.floor for bar in bars[:-1]} == {0.0}
    assert bars[-1].floor == pytest.approx(0.2)
    closed = gate._replace(bar=bars[-1])
    assert closed.user(low) == PARK
    assert closed.user(high) != PARK
    opened_up = gate._replace(bar=bars[-1]._replace(open=True))
    assert PARK not in (opened_up.user(low), opened_up.user(unknown), opened_up.profile(unknown), opened_up.other())


def test_profiles_are_asked_for_when_enough_links_wait() -> None:
    people = Uploaders()
    number = people.number("somebody")
    assert number is not None
    gate = Gate(Rules(0.7, 0.3, 0.01, 0.05, 2, True), Bar(), people, {}, [])
    for link, asked in ((1, []), (1, []), (2, [Reweigh((WHO, "0"))])):
        people.saw(number, link, 1.0)
        assert list(gate.asked([number, number])) == asked
    assert gate.profile(number).shift > 0
    moved = people.learn("somebody", 0.5, ())
    assert list(gate.moved(moved)) == [Reweigh((USER, "0"))]


def test_the_topic_grows_by_co_tagging() -> None:
    _, strategy = crawled("stream", "profile-plus", 300)
    cotags = set(strategy.topic_) - {tag("stream")}
    assert cotags & set(made("stream").tags[1:TAGS])
    assert all(weight <= 0.5 for name, weight in strategy.topic_.items() if name != tag("stream"))
    assert list(crawled("stream", "profile-plus(spread=0.0)", 300)[1].topic_) == [tag("stream")]


def test_lists_without_end_do_not_keep_it_from_their_details() -> None:
    wide = Web(300_000, 7, Settings(media=0.55, forums=0.0, mirrors=0.0, trap=0.0))
    media = next(site for site in wide.atlas.sites if isinstance(site, MadeUp))
    strategy = ProfilePlus(media.tags[0], discover=50)
    visits = trace(strategy, SynthFetcher(wide), [Place(media, 0).url], 400, batch=10)
    kinds = [wide.labels(visit.url).get("page_type") for visit in visits]
    assert strategy.stage_ == CRAWL
    assert kinds.count("detail") > 2 * kinds.count("list")
    assert media.windows > 100  # pages of one list


# what it learned is a file


def test_site_file_is_read_back_and_saves_the_sample_and_the_profiles() -> None:
    site = learned("rows")
    media = made("rows")
    url = Place(media, media.first_user).url
    text = described(site, [Known(url, [("x", 2)], ["http://y.test/"])])
    _, profiles = read(text, "site.json")
    assert profiles == [(url, [("x", 2)], ["http://y.test/"])]
    strategy = ProfilePlus(tag("rows"), discover=5)
    strategy.know_site(text, "site.json")
    urls = [visit.url for visit in trace(strategy, SynthFetcher(web()), [home("rows")], 150, batch=10)]
    assert strategy.stage_ == CRAWL
    people = strategy.uploaders_
    assert people.inner[people.numbers[url]] == 0.0  # as stored: the real one is on some topic of the site
    assert harvest("rows", urls) > 0.3


def test_a_corrected_file_counts() -> None:
    parts = json.loads(described(learned("rows"), []))
    parts["tags"]["detail"] = []
    strategy = ProfilePlus(tag("rows"), discover=5)
    strategy.know_site(json.dumps(parts), "site.json")
    trace(strategy, SynthFetcher(web()), [home("rows")], 100, batch=10)
    assert list(strategy.topic_) == [tag("rows")]  # no tags are read any more, so there is no co-tagging


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot be read as JSON"),
        ("{}", "not a site file"),
        ('{"format": "opilio media site 1"}', '"types" is missing'),
    ],
)
def test_wrong_site_files_are_named(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=words):
        registry.make(f"profile-plus(site={path})", {"tag": "x"})


def test_a_site_file_is_for_profile_alone(tmp_path: Path) -> None:
    (tmp_path / "site.json").write_text("{}")
    with pytest.raises(ConfigError, match='setting "site" is not known'):
        registry.make(f"breadth-first(site={tmp_path / 'site.json'})", {})
    with pytest.raises(ConfigError, match="this strategy cannot start from a site file"):
        registry.make("breadth-first", {}).know_site("{}", "site.json")


# sites on which it does not work


def article(url: str) -> Recorded | None:
    number = int(url.rpartition("/")[2] or 0)
    links = "".join(f'<li><a href="/{(number * 7 + n) % 90}">article {n}</a></li>' for n in range(1, 9))
    return Recorded(200, {"content-type": "text/html"}, f"<h1>{number}</h1><p>honey</p><ul>{links}</ul>".encode())


def test_a_site_without_profiles_is_said_to_be_one_and_crawled_by_opic() -> None:
    strategy = ProfilePlus("honey", sample=10)
    urls = [visit.url for visit in trace(strategy, Replay(article), ["http://plain.test/0"], 80, batch=10)]
    assert len(set(urls)) == 80
    assert strategy.stage_ == FALLBACK
    assert strategy.why_ == f"profile does not work on this site: {NO_ROWS}; it goes by OPIC instead"


def untagged(url: str) -> Recorded | None:
    """Lists with thumbnails and names, but nothing that looks like a tag."""
    kind, _, number = url.partition("test/")[2].partition("/")
    n = int(number or 0)
    if kind == "item":
        body = f"<h1>{n}</h1><div class=big><img></div><p class=by><a href=/user/{n % 5}>user {n % 5}</a></p>"
    elif kind == "user":
        body = f"<h2>user {n}</h2><ul class=friends><li><a href=/user/{(n + 1) % 5}>user {(n + 1) % 5}</a></li></ul>"
    else:
        units = "".join(
            f"<p><a href=/item/{i}><img></a></p><b><a href=/user/{i % 5}>user {i % 5}</a></b>" for i in range(n, n + 6)
        )
        body = f"{units}<div class=pages><a href=/list/{n + 6}>next</a></div>"
    return Recorded(200, {"content-type": "text/html"}, body.encode())


def test_a_site_without_tags_is_said_to_have_none() -> None:
    strategy = ProfilePlus("honey", sample=30)
    trace(strategy, Replay(untagged), ["http://untagged.test/list/0"], 130, batch=5)
    assert strategy.stage_ == FALLBACK
    assert NO_TAGS in strategy.why_


def test_an_empty_site_is_left() -> None:
    strategy = ProfilePlus("honey")
    visits = trace(strategy, Replay(lambda url: None), ["http://gone.test/"], 10)
    assert len(visits) == 1
    assert "no page of it can be read" in strategy.why_


def test_sampled_pages_are_kept_in_little_room() -> None:
    page = fetched(home("stream"))
    found = leaves(page)
    pressed = press(page.url, "x", found)
    assert opened(pressed) == (Seen(page.url, found), "x")
    assert len(pressed) < len(page.body)


# the commands


@pytest.mark.slow
def test_crawl_then_site_then_crawl_again(tmp_path: Path) -> None:
    from opilio.synth.corpus import write

    write(Web(600, 7, Settings(media=0.55, forums=0.0, mirrors=0.0, trap=0.0)), tmp_path / "web", workers=1)
    small = Web(600, 7, Settings(media=0.55, forums=0.0, mirrors=0.0, trap=0.0))
    media = next(site for site in small.atlas.sites if isinstance(site, MadeUp))
    common = [
        "--corpus",
        str(tmp_path / "web"),
        "--strategy",
        "profile-plus",
        "--seed",
        Place(media, 0).url,
        "-s",
        "model=words",
    ]
    first = WORDS.invoke(
        app, ["crawl", *common, "--topic", media.tags[0], "--max-pages", "150", "--out", str(tmp_path / "run")]
    )
    assert first.exit_code == 0, first.output
    done = WORDS.invoke(app, ["site", str(tmp_path / "run"), "-o", str(tmp_path / "site.json")])
    assert done.exit_code == 0, done.output
    profiles = json.loads((tmp_path / "site.json").read_text())["profiles"]
    assert set(profiles) == set(fetched_profiles(tmp_path / "run"))
    again = ["--topic", media.tags[TAGS], "--max-pages", "60", "--out", str(tmp_path / "again")]
    second = WORDS.invoke(app, ["crawl", *common, *again, "--strategy", f"profile-plus(site={tmp_path / 'site.json'})"])
    assert second.exit_code == 0, second.output
    anew = fetched_profiles(tmp_path / "again")
    assert not set(profiles) & set(anew)  # none is fetched twice
    third = WORDS.invoke(app, ["site", str(tmp_path / "again")])
    assert set(json.loads(third.stdout)["profiles"]) == {*profiles, *anew}
    (tmp_path / "site.json").unlink()
    gone = WORDS.invoke(app, ["site", str(tmp_path / "again")])
    assert "site.json" in str(gone.exception)
    assert "put it back" in str(gone.exception)


def fetched_profiles(folder: Path) -> list[str]:
    with closing(reading(folder)) as db:
        return [url for (url,) in db.execute("SELECT url FROM pages WHERE status = 200") if "/people/" in url]


def test_examples_of_each_type_tell_the_site_out_of_any_crawl(tmp_path: Path) -> None:
    media = made("rows")
    urls, _ = crawled("rows", "profile-plus", 150)
    places = {place.url: place.site.labels(place.page) for place in (Place(media, n) for n in range(media.size))}
    told = {kind: [url for url in urls if places.get(url, {}).get("page_type") == kind] for kind in MEDIA_TYPES}
    run = stored_run(tmp_path / "run", urls)
    given = [f"--example={kind}={url}" for kind in MEDIA_TYPES for url in told[kind][:3]]
    done = WORDS.invoke(app, ["site", str(run), *given])
    assert done.exit_code == 0, done.output
    _, profiles = read(done.stdout, "site.json")
    assert {url for url, *_ in profiles} == set(told["profile"])
    strategy = ProfilePlus(tag("rows"), discover=5)
    strategy.know_site(done.stdout, "site.json")
    again = trace(strategy, SynthFetcher(web()), [home("rows")], 150, batch=10)
    assert strategy.stage_ == CRAWL
    direct = {
        visit.url for visit in again if not visit.lease.offer.hops
    }  # where an older address leads is not known before
    assert not direct & set(told["profile"])
    assert harvest("rows", [visit.url for visit in again]) > 0.3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["card=http://a.test/"], 'page type "card" is not known'),
        (["list=http://a.test/"], "none of type detail and profile"),
        ([f"{kind}=http://a.test/" for kind in MEDIA_TYPES], "no readable page with that URL"),
    ],
)
def test_wrong_examples_are_named(given: list[str], words: str, tmp_path: Path) -> None:
    run = stored_run(tmp_path / "run", [home("rows")])
    done = WORDS.invoke(app, ["site", str(run), *(f"--example={text}" for text in given)])
    assert words in str(done.exception)


def stored_run(folder: Path, urls: list[str]) -> Path:
    """A breadth-first crawl of these pages alone."""
    settings = {"strategy": "breadth-first", "seeds": urls, "max_pages": len(urls), "topic": ""}
    return run_folder(folder, SynthFetcher(web()), **settings)


def test_site_of_another_crawl_is_refused(tmp_path: Path) -> None:
    done = WORDS.invoke(app, ["site", str(tmp_path)])
    assert "not a run folder" in str(done.exception)
