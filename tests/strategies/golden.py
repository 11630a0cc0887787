"""Golden traces: what each strategy visits on a synthetic web, pinned.

`python -m tests.strategies.golden "REASON"` pins them anew; each trace that changed is written down with the reason.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tomllib
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from opilio import registry
from opilio.loop import trace
from opilio.nouns import Link, Offer, Topic
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.layout import Settings
from opilio.synth.media import MediaSite
from opilio.synth.site import Place
from opilio.synth.web import Web
from tests.strategies.forum import HOME, Forum

PATH = Path(__file__).with_suffix(".toml")
WORDS = ("bee", "hive", "honey")
PAGES = 120
FORUM = Forum(titled=True)


class Mentions(Topic):
    """How often a text speaks of bees; it never changes, so neither do the traces."""

    def text(self, text: str) -> float:
        lower = text.lower()
        count = sum(lower.count(word) for word in WORDS)
        return count / (count + 2)


# Where it takes another web to tell strategies apart: on the first one, all that genre-plus learns comes to nothing.
FURTHER = {f"{name}, genres differ": name for name in ("best-first", "genre", "genre-plus")}
# Methods that learn a site: on the first web, the sample is all that they fetch.
SITE = {
    f"{name}, a forum, {goal}": (f"{name}(sample=60)", goal)
    for name in ("structure", "structure-plus", "target-map", "irobot")
    for goal in ("target", "user-content")
    if name.startswith("structure") or (name == "target-map") == (goal == "target")
}
MEDIA = {f"{name}, a media site": name for name in ("profile", "profile-opic", "profile-plus")}


@cache
def web() -> SynthFetcher:
    return SynthFetcher(Web(600, 5))


@cache
def web_of_genres() -> SynthFetcher:
    return SynthFetcher(Web(4000, 3, Settings(genres=1.0)))


def names() -> list[str]:
    return [*registry.strategies(), *FURTHER, *SITE, *MEDIA]


def visited(name: str) -> list[str]:
    """The first pages that a strategy visits."""
    if name in SITE:
        return visited_forum(*SITE[name])
    if name in MEDIA:
        return visited_media(MEDIA[name])
    fetcher, name = (web_of_genres(), FURTHER[name]) if name in FURTHER else (web(), name)
    topic = next(topic for topic in fetcher.web.topics if "bee" in topic)
    seeds = fetcher.web.seeds(topic)[:5]
    truth = {url: float(fetcher.web.labels(url).get("topic") == topic) for url in fetcher.web.urls()}
    example = asyncio.run(fetcher.fetch(Offer(Link(seeds[0]))))
    given = {
        "topic": Mentions(),
        "seed": 3,
        "truth": truth,
        "example": example,
        "goal": "target",
        "tag": "honey",
        "words": " ".join(WORDS),
    }
    visits = trace(registry.make(name, given), fetcher, seeds, PAGES, batch=10)
    return [visit.url for visit in visits]


def visited_forum(spec: str, goal: str) -> list[str]:
    """The same on a forum, long enough for what is learned from the sample to be used."""
    given = {"seed": 3, "goal": goal, "example": FORUM.get(HOME + "t/7") if goal == "target" else None}
    return [visit.url for visit in trace(registry.make(spec, given), FORUM.fetcher(), [HOME], 2 * PAGES, batch=10)]


def visited_media(name: str) -> list[str]:
    """The same on a site where people share media."""
    web = Web(2000, 7, Settings(media=0.55, forums=0.0, mirrors=0.0, trap=0.0))
    site = next(site for site in web.atlas.sites if isinstance(site, MediaSite))
    strategy = registry.make(name, {"tag": site.tags[0], "seed": 3})
    visits = trace(strategy, SynthFetcher(web), [Place(site, 0).url], 2 * PAGES, batch=10)
    return [visit.url for visit in visits]


def digest(urls: list[str]) -> str:
    return sha256("\n".join(urls).encode()).hexdigest()[:16]


def pinned(text: str | None = None) -> dict[str, dict[str, Any]]:
    """What the file says, or another text of it."""
    return tomllib.loads(PATH.read_text() if text is None else text)


def main(reason: str) -> None:
    before = pinned()
    lines = [
        '# Made by `python -m tests.strategies.golden "REASON"`: a changed trace is a changed strategy, and has to be meant.'
    ]
    for name in names():
        urls = visited(name)
        known = before.get(name, {})
        same = known.get("digest") == digest(urls)
        why = json.dumps(known["reason"] if same else reason)
        title = name if name in registry.strategies() else json.dumps(name)
        lines.append(
            f'\n[{title}]\ndigest = "{digest(urls)}"\npages = {len(urls)}\nlast = "{urls[-1]}"\nreason = {why}'
        )
    PATH.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].strip():
        sys.exit('usage: python -m tests.strategies.golden "REASON", in words: why a trace changed, or what is new')
    main(sys.argv[1].strip())
