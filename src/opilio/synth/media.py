"""Media-sharing sites: lists by tag, detail pages with one uploader and tags, profiles with tags and contacts.

Users and items come in groups, one per topic: item i belongs to group i mod groups, and so does its uploader. Which
user of the group follows a square law, so that a few upload a lot, and can be worked out both ways. A tag's list goes
through the items of its group, a window a page, and shows those that carry the tag.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from .media_pages import WINDOW, MediaPages
from .media_people import GROUPS, TAGS, TEXT, MediaPeople
from .media_styles import STYLES
from .mix import Roll, mix, roll, shuffled
from .prose import slug
from .site import Atlas, Site
from .subjects import NAMES, NONE, TOPICS, WORDS, label

SERVICE = ("tour", "signup", "help")  # pages 1 to 3


class MediaSite(Site):
    """Page 0 is home; then service pages, list pages, detail pages, profiles."""

    def __init__(self, atlas: Atlas, number: int, host: str, size: int, style: int) -> None:
        super().__init__(atlas, number, host, size)
        self.style = STYLES[style % len(STYLES)]
        count = max(1, min(12, size // 60))
        order = shuffled(range(len(TOPICS)), roll(atlas.seed, GROUPS))
        self.groups = tuple(order[(style * 12 + i) % len(order)] for i in range(count))
        self.topics = self.groups
        self.tags = tuple(tag for group in self.groups for tag in WORDS[group][:TAGS])  # all that have a list
        self.items = max(count, int((size - 4 - TAGS * count) / (1 + 0.18 + TAGS / WINDOW)))
        self.rounds = -(-self.items // count)  # items of the largest group
        self.windows = -(-self.rounds // WINDOW)
        self.first_item = 1 + len(SERVICE) + len(self.tags) * self.windows
        self.first_user = self.first_item + self.items
        self.users = size - self.first_user
        self.people = MediaPeople(atlas.prose, self.key, count, self.items, self.users, self.rounds, self.tags)

    # where pages are

    def path(self, page: int) -> str:
        if page == 0:
            return "/"
        if page <= len(SERVICE):
            return self.style.service.format(SERVICE[page - 1])
        if page < self.first_item:
            tag, window = self.list_at(page)
            return self.style.listing_path(self._listed_tag(tag), window)
        if page < self.first_user:
            return self.style.detail_path.format(page - self.first_item)
        return self.style.profile_path.format(page - self.first_user)

    def _listed_tag(self, tag: int) -> str:
        # Two groups may share a word; the path must tell their lists apart.
        name = slug(self.tags[tag])
        return name if self.tags.index(self.tags[tag]) == tag else f"{name}-{NAMES[self.groups[tag // TAGS]]}"

    def list_at(self, page: int) -> tuple[int, int]:
        return divmod(page - 1 - len(SERVICE), self.windows)

    def list_page(self, tag: int, window: int = 0) -> int:
        return 1 + len(SERVICE) + tag * self.windows + window

    @cached_property
    def _tag_numbers(self) -> dict[str, int]:
        return {self._listed_tag(tag): tag for tag in range(len(self.tags))}

    def guesses(self, path: str, numbers: list[int]) -> Iterator[int]:
        yield from range(1, 1 + len(SERVICE))
        tag = self._tag_numbers.get(self.style.tag_in(path))
        if tag is not None:
            yield self.list_page(tag, numbers[-1] - 1 if numbers else 0)
        if numbers:
            yield from (self.first_item + numbers[0], self.first_user + numbers[0])

    # what a page is about

    def topic_of(self, page: int) -> int:
        item = page - self.first_item
        if not 0 <= item < self.items:
            return NONE
        group = item % len(self.groups)
        return self.groups[group] if self.tags[group * TAGS] in self.people.tags_of(item) else NONE

    def share(self, topic: int) -> int:
        # A third: the web links to media pages less often than to articles.
        return self.rounds // 3

    def pick(self, topic: int, dice: Roll) -> int:
        group, item = self.groups.index(topic), 0
        for _ in range(4):
            item = int(dice() * (self.items // len(self.groups))) * len(self.groups) + group
            if self.topic_of(self.first_item + item) == topic:
                break
        return self.first_item + item

    # what a page looks like

    def title(self, page: int) -> str:
        if page <= len(SERVICE):
            return self.name if page == 0 else SERVICE[page - 1].title()
        if page < self.first_item:
            return self.tags[self.list_at(page)[0]]
        if page < self.first_user:
            item = page - self.first_item
            return self.voice(self.groups[item % len(self.groups)]).title(mix(self.key, item, TEXT)).lower()
        return self.people.user_name(page - self.first_user)

    def html(self, page: int) -> str:
        dice, pages = roll(self.key, page, TEXT), MediaPages(self)
        nav = [self.here(page, n, self.title(n) if n else "home") for n in range(1 + len(SERVICE))]
        if page <= len(SERVICE):
            body = pages.front(page, dice)
        elif page < self.first_item:
            body = pages.listing(page)
        elif page < self.first_user:
            body = pages.detail(page, dice)
        else:
            body = pages.profile(page, dice)
        return self.document(page, self.style.frame(nav, body))

    def labels(self, page: int) -> dict[str, str]:
        found = {"topic": label(self.topic_of(page)), "genre": "other", "page_type": "other"}
        if 1 + len(SERVICE) <= page < self.first_item:
            found["page_type"] = "list"
        elif self.first_item <= page < self.first_user:
            item = page - self.first_item
            facts = {
                "tags": "|".join(self.people.tags_of(item)),
                "uploader": self.people.user_name(self.people.uploader(item)),
            }
            found |= {"page_type": "detail", "genre": self.style.genre} | facts
        elif page >= self.first_user:
            found["page_type"] = "profile"
        return found
