"""Forums of the synthetic web as corpora, one for each make of forum software, and what they look like after a redesign."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from tempfile import TemporaryDirectory

from opilio.bench.corpus import Corpus
from opilio.nouns import Fetcher, Offer, Page
from opilio.store.warc_records import response_record
from opilio.synth.corpus import DATE
from opilio.synth.forum import Forum
from opilio.synth.forum_styles import STYLES, Style
from opilio.synth.layout import Settings
from opilio.synth.site import Place
from opilio.synth.web import Web

PAGES, SEED = 20_000, 5
SETTINGS = Settings(forums=0.5, media=0.0)
KINDS = ("thread", "profile")


@contextmanager
def forums(redesign: bool = False) -> Iterator[dict[str, Corpus]]:
    """The largest forum of each style; with the markup of the next style, all addresses as they were, after a redesign."""
    web = Web(PAGES, SEED, SETTINGS)
    with TemporaryDirectory(prefix="opilio-forums-") as scratch:
        found = {}
        for number, style in enumerate(STYLES):
            sites = [site for site in web.atlas.sites if isinstance(site, Forum) and site.style is style]
            forum = max(sites, key=lambda site: site.size)
            if redesign:
                forum.style = _dressed(style, STYLES[(number + 1) % len(STYLES)])
            name = f"forum-{type(style).__name__.lower()}"
            found[name] = _written(web, forum, Path(scratch, name))
        yield found


class Redesigned(Fetcher):
    """A site that looks different after this many answers."""

    def __init__(self, before: Fetcher, after: Fetcher, answers: int) -> None:
        self.before, self.after, self.left = before, after, answers
        self.shown: set[str] = set()  # pages of the new look
        self.led: list[str] = []  # what was fetched by links that stood on these

    async def fetch(self, offer: Offer) -> Page:
        self.left -= 1
        if offer.link.source in self.shown:
            self.led.append(offer.link.url)
        if self.left < 0:
            self.shown.add(offer.link.url)
        return await (self.before if self.left >= 0 else self.after).fetch(offer)


def _dressed(style: Style, other: Style) -> Style:
    """The addresses of one style, the markup of another."""
    new = copy(other)
    kept = {name: getattr(style, name) for name in ("service", "user", "session", "board", "thread")}
    vars(new).update(kept)
    return new


def _written(web: Web, forum: Forum, folder: Path) -> Corpus:
    folder.mkdir()
    places = [Place(forum, page) for page in range(forum.size)]
    with (folder / "pages.warc.gz").open("wb") as pages:
        for place in places:
            older = [f"http://{forum.host}{path}" for path in forum.aliases(place.page)]
            pages.writelines(response_record(url, *web.answer(url), DATE) for url in (place.url, *older))
    with (folder / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("url", "page_type"))
        table.writerows((place.url, forum.labels(place.page)["page_type"].partition("-")[2]) for place in places)
    (folder / "corpus.toml").write_text(_described(folder.name, places[0].url), encoding="utf-8")
    return Corpus.open(folder)


def _described(name: str, home: str) -> str:
    task = (
        f'[[task]]\nname = "user-content"\nkind = "user-content"\ncolumn = "page_type"\nuser_content = {list(KINDS)}\n'
        f'start = ["{home}"]\n'
    )
    facts = f'name = "{name}"\nabout = "a forum of the synthetic web"\nhome = "{home}"\nlanguage = "en"\n'
    return f'{facts}source = "made up"\nlicence = "none needed"\n\n{task}'
