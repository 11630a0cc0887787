"""Media-sharing sites: lists by tag, detail pages with one uploader and tags, profiles with tags and contacts.

Users and items come in groups, one per topic: item i belongs to group i mod groups, and so does its uploader. Which
user of the group follows a square law, so that a few upload a lot, and can be worked out both ways. A tag's list goes
through the items of its group, a window a page, and shows those that carry the tag.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import isqrt

from .media_styles import STYLES, Shot
from .mix import Roll, mix, pick, roll, shuffled
from .prose import slug
from .site import Atlas, Site
from .subjects import NAMES, NONE, TOPICS, WORDS, label

WINDOW = 40  # items looked through for a page of a list
TAGS = 6  # of a group, the topic's own name first
SERVICE = ("tour", "signup", "help")  # pages 1 to 3
NOISE = ("canon", "2009", "favourite", "upload", "hd", "new")
_GROUPS, _TAGS, _TEXT, _USER = range(4)  # what a key is mixed for


class MediaSite(Site):
    """Page 0 is home; then service pages, list pages, detail pages, profiles."""

    def __init__(self, atlas: Atlas, number: int, host: str, size: int, style: int) -> None:
        super().__init__(atlas, number, host, size)
        self.style = STYLES[style % len(STYLES)]
        count = max(1, min(12, size // 60))
        order = shuffled(range(len(TOPICS)), roll(atlas.seed, _GROUPS))
        self.groups = tuple(order[(style * 12 + i) % len(order)] for i in range(count))
        self.topics = self.groups
        self.items = max(count, int((size - 4 - TAGS * count) / (1 + 0.18 + TAGS / WINDOW)))
        self.rounds = -(-self.items // count)  # items of the largest group
        self.windows = -(-self.rounds // WINDOW)
        self.first_item = 1 + len(SERVICE) + len(self.tags) * self.windows
        self.first_user = self.first_item + self.items
        self.users = size - self.first_user

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """All tags with a list; TAGS of each group in a row."""
        return tuple(tag for group in self.groups for tag in WORDS[group][:TAGS])

    # where pages are

    def path(self, page: int) -> str:
        if page == 0:
            return "/"
        if page <= len(SERVICE):
            return self.style.service.format(SERVICE[page - 1])
        if page < self.first_item:
            tag, window = self._list_at(page)
            return self.style.listing_path(self._listed_tag(tag), window)
        if page < self.first_user:
            return self.style.detail_path.format(page - self.first_item)
        return self.style.profile_path.format(page - self.first_user)

    def _listed_tag(self, tag: int) -> str:
        # Two groups may share a word; the path must tell their lists apart.
        name = slug(self.tags[tag])
        return name if self.tags.index(self.tags[tag]) == tag else f"{name}-{NAMES[self.groups[tag // TAGS]]}"

    def _list_at(self, page: int) -> tuple[int, int]:
        return divmod(page - 1 - len(SERVICE), self.windows)

    def _list_page(self, tag: int, window: int = 0) -> int:
        return 1 + len(SERVICE) + tag * self.windows + window

    @cached_property
    def _tag_numbers(self) -> dict[str, int]:
        return {self._listed_tag(tag): tag for tag in range(len(self.tags))}

    def guesses(self, path: str, numbers: list[int]) -> Iterator[int]:
        yield from range(1, 1 + len(SERVICE))
        tag = self._tag_numbers.get(self.style.tag_in(path))
        if tag is not None:
            yield self._list_page(tag, numbers[-1] - 1 if numbers else 0)
        if numbers:
            yield from (self.first_item + numbers[0], self.first_user + numbers[0])

    # who has what

    def uploader(self, item: int) -> int:
        """The user of the item's group whose stretch it lies in; stretches grow shorter and shorter."""
        place, group = divmod(item, len(self.groups))
        return self._rank(place) * len(self.groups) + group

    def _members(self) -> int:
        return max(1, self.users // len(self.groups))

    def _rank(self, place: int) -> int:
        # rank = floor(members * (place / rounds)^2), kept in whole numbers
        return self._members() * place * place // (self.rounds * self.rounds)

    def uploads(self, user: int) -> range:
        """The items of a user."""
        rank, group = divmod(user, len(self.groups))
        first, last = (self._first_place(r) * len(self.groups) + group for r in (rank, rank + 1))
        return range(first, min(last, self.items), len(self.groups))

    def _first_place(self, rank: int) -> int:
        place = isqrt(rank * self.rounds * self.rounds // self._members())
        while place < self.rounds and self._rank(place) < rank:
            place += 1
        return place

    def tags_of(self, item: int) -> list[str]:
        """The item's tags: the topic's, more of its group, at times one of another group, and noise."""
        dice = roll(self.key, item, _TAGS)
        group = item % len(self.groups)
        own = self.tags[group * TAGS : (group + 1) * TAGS]
        found = [own[0]] if dice() < 0.75 else []
        found += [pick(own[1:], dice) for _ in range(1 + int(dice() * 3))]
        found += [pick(self.tags, dice)] if dice() < 0.25 else []
        found += [pick(NOISE, dice)] if dice() < 0.4 else []
        return list(dict.fromkeys(found))

    def topic_of(self, page: int) -> int:
        item = page - self.first_item
        if not 0 <= item < self.items:
            return NONE
        group = item % len(self.groups)
        return self.groups[group] if self.tags[group * TAGS] in self.tags_of(item) else NONE

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

    def user_name(self, user: int) -> str:
        return f"{self.atlas.prose.name(mix(self.key, user, _USER)).lower()}{user}"

    def title(self, page: int) -> str:
        if page <= len(SERVICE):
            return self.name if page == 0 else SERVICE[page - 1].title()
        if page < self.first_item:
            return self.tags[self._list_at(page)[0]]
        if page < self.first_user:
            item = page - self.first_item
            return self.voice(self.groups[item % len(self.groups)]).title(mix(self.key, item, _TEXT)).lower()
        return self.user_name(page - self.first_user)

    def html(self, page: int) -> str:
        dice = roll(self.key, page, _TEXT)
        nav = [self.here(page, n, self.title(n) if n else "home") for n in range(1 + len(SERVICE))]
        if page <= len(SERVICE):
            body = self._front(page, dice)
        elif page < self.first_item:
            body = self._list(page)
        elif page < self.first_user:
            body = self._detail(page, dice)
        else:
            body = self._profile(page, dice)
        return self.document(page, self.style.frame(nav, body))

    def _tag_link(self, page: int, tag: int) -> str:
        return self.here(page, self._list_page(tag), self.tags[tag], "tag")

    def _user_link(self, page: int, user: int) -> str:
        return self.here(page, self.first_user + user, self.user_name(user), "user")

    def _shot(self, page: int, item: int) -> Shot:
        picture = f'<img src="/thumbs/{item}.jpg" alt="{self.title(self.first_item + item)}">'
        return Shot(self.here(page, self.first_item + item, picture), self._user_link(page, self.uploader(item)))

    def _front(self, page: int, dice: Roll) -> str:
        if page:
            return self.style.text(self.title(page), "".join(self.voice(NONE).sentence(dice) for _ in range(12)))
        recent = [self._shot(0, int(dice() * self.items)) for _ in range(8)]
        return self.style.home([self._tag_link(0, tag) for tag in range(len(self.tags))], recent)

    def _list(self, page: int) -> str:
        tag, window = self._list_at(page)
        places = range(window * WINDOW, min((window + 1) * WINDOW, self.rounds))
        items = [place * len(self.groups) + tag // TAGS for place in places]
        shown = [item for item in items if item < self.items and self.tags[tag] in self.tags_of(item)]
        turns = [n for n in range(window - 3, window + 4) if 0 <= n < self.windows and n != window]
        pager = [self.here(page, self._list_page(tag, n), str(n + 1), "page") for n in turns]
        return self.style.listing(self.tags[tag], [self._shot(page, item) for item in shown], pager)

    def _detail(self, page: int, dice: Roll) -> str:
        item = page - self.first_item
        group = item % len(self.groups)
        words = "".join(
            self.voice(self.groups[group] if dice() < 0.5 else NONE).sentence(dice) for _ in range(1 + int(dice() * 4))
        )
        tags = [self._tag_link(page, self.tags.index(t)) if t in self.tags else t for t in self.tags_of(item)]
        user = self.uploader(item)
        own = self.uploads(user)
        more = [self._shot(page, pick(own, dice)) for _ in range(4)] if len(own) > 1 else []
        note = (
            f'<img class="big" src="/media/{item}.jpg" alt="">'
            if self.style.genre == "image"
            else f'<embed src="/m/{item}">'
        )
        return self.style.detail(self.title(page), note, self._user_link(page, user), tags, words, more)

    def contacts(self, user: int) -> list[int]:
        """Mostly users of the same group."""
        dice = roll(self.key, user, _USER)
        groups, found = len(self.groups), []
        for _ in range(4 + int(dice() * 8)):
            near = int(dice() * self._members()) * groups + user % groups
            found.append(near if dice() < 0.7 else int(dice() * self.users))
        return [other for other in dict.fromkeys(found) if other != user and other < self.users]

    def _profile(self, page: int, dice: Roll) -> str:
        user = page - self.first_user
        uploads = list(self.uploads(user))[:20]
        used = dict.fromkeys(tag for item in uploads for tag in self.tags_of(item) if tag in self.tags)
        tags = [self._tag_link(page, self.tags.index(tag)) for tag in used]
        contacts = [self._user_link(page, other) for other in self.contacts(user)]
        return self.style.profile(self.user_name(user), tags, contacts, [self._shot(page, item) for item in uploads])

    def labels(self, page: int) -> dict[str, str]:
        found = {"topic": label(self.topic_of(page)), "genre": "other", "page_type": "other"}
        if 1 + len(SERVICE) <= page < self.first_item:
            found["page_type"] = "list"
        elif self.first_item <= page < self.first_user:
            item = page - self.first_item
            told = {"tags": "|".join(self.tags_of(item)), "uploader": self.user_name(self.uploader(item))}
            found |= {"page_type": "detail", "genre": self.style.genre} | told
        elif page >= self.first_user:
            found["page_type"] = "profile"
        return found
