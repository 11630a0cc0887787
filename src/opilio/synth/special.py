"""Sites that lead elsewhere or nowhere: topic directories, and a calendar without end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .mix import roll
from .site import Atlas, Place, Site
from .subjects import AREAS, NAMES, NONE, PER_AREA, siblings

LISTED = 40  # links on a page of a directory
_ENTRIES = 0  # what a key is mixed for


class Directory(Site):
    """The hub of an area: says little itself, links to the sites and pages of each topic. Page 0 lists the topics."""

    def __init__(self, atlas: Atlas, number: int, host: str, size: int, area: int) -> None:
        super().__init__(atlas, number, host, size)
        self.area = area
        self.about = siblings(area * PER_AREA)
        self.depth = (size - 1) // PER_AREA  # pages of each topic
        self.homes: dict[int, list[Site]] = {}  # sites of each topic that want to be found
        self.others: list[Site] = []  # sites of no topic, listed on the first page

    def path(self, page: int) -> str:
        if page == 0:
            return "/"
        turn, part = divmod(page - 1, self.depth)
        return f"/dir/{NAMES[self.about[turn]]}/" + (f"{part + 1}.html" if part else "")

    def guesses(self, path: str, numbers: list[int]) -> Iterator[int]:
        for turn in range(PER_AREA):
            yield 1 + turn * self.depth + (numbers[0] - 1 if numbers else 0)

    def title(self, page: int) -> str:
        return f"{AREAS[self.area].title()} links" if page == 0 else f"Directory page {(page - 1) % self.depth + 1}"

    def html(self, page: int) -> str:
        dice = roll(self.key, page, _ENTRIES)
        intro = "".join(self.voice(NONE).sentence(dice) for _ in range(4))
        links = self._front() if page == 0 else self._entries(page)
        rows = "".join(f'<div class="entry">{link}</div>' for link in links)
        return self.document(page, f'<div class="portal"><h1>{self.title(page)}</h1><p>{intro}</p>{rows}</div>')

    def _front(self) -> list[str]:
        first = [1 + turn * self.depth for turn in range(PER_AREA)]
        own = [self.here(0, page, NAMES[topic]) for page, topic in zip(first, self.about, strict=True)]
        return own + [self.link(0, Place(site, 0), site.name) for site in self.others]

    def _entries(self, page: int) -> list[str]:
        """Home pages first, each on one page of the topic; the rest of the page goes to single pages."""
        turn, part = divmod(page - 1, self.depth)
        topic, dice = self.about[turn], roll(self.key, page, _ENTRIES + 1)
        sites = self.homes.get(topic, [])[part :: self.depth]
        places = [Place(site, 0) for site in sites]
        places += [self.atlas.somewhere(topic, dice) for _ in range(max(10, LISTED - len(sites)))]
        links = [self.link(page, place, place.site.title(place.page)) for place in dict.fromkeys(places)]
        turns = [(0, "up"), (page - 1, "previous"), (page + 1, "next")]
        return links + [self.here(page, n, text) for n, text in turns if n == 0 or (n - 1) // self.depth == turn]

    def labels(self, page: int) -> dict[str, str]:
        return {"genre": "other", "page_type": "directory"}


class Calendar(Site):
    """A trap: every month links to the next one, for ever. `size` of them count as pages of the web; all exist."""

    first_year = 1990

    def path(self, page: int) -> str:
        if page == 0:
            return "/"
        years, month = divmod(page - 1, 12)
        return f"/calendar/{self.first_year + years}/{month + 1:02d}"

    def find(self, path: str) -> int | None:
        """Any month from the first on, also beyond `size`: there is no last one."""
        found = re.fullmatch(r"/calendar/(\d{4,9})/(\d\d)", path)
        page = (int(found[1]) - self.first_year) * 12 + int(found[2]) if found else 0
        return page if page >= 0 and self.path(page) == path else None

    def guesses(self, path: str, numbers: list[int]) -> Iterator[int]:
        return iter(())

    def title(self, page: int) -> str:
        return self.name if page == 0 else f"Events {self.path(page)[10:]}"

    def html(self, page: int) -> str:
        dice = roll(self.key, page, _ENTRIES)
        months = (
            [(page + 1, "next month"), (page + 12, "next year"), (page - 1, "previous month")]
            if page
            else [(1, "calendar")]
        )
        links = "".join(f"<td>{self.here(page, n, text)}</td>" for n, text in months if n >= 0)
        days = "".join(f"<tr><td>{day}</td><td>{self.voice(NONE).sentence(dice)}</td></tr>" for day in range(1, 29, 2))
        return self.document(page, f'<table class="months"><tr>{links}</tr></table><table class="days">{days}</table>')

    def aliases(self, page: int) -> list[str]:
        return []

    def labels(self, page: int) -> dict[str, str]:
        return {"genre": "other", "page_type": "trap" if page else "other"}
