"""What the pages of a media-sharing site look like: lists, details, profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .media_people import TAGS
from .media_styles import Shot
from .mix import Roll, pick
from .subjects import NONE

if TYPE_CHECKING:
    from .media import MediaSite

WINDOW = 40  # items looked through for a page of a list


class MediaPages:
    """The bodies of a site's pages."""

    def __init__(self, site: MediaSite) -> None:
        self.site = site

    def _tag_link(self, page: int, tag: int) -> str:
        return self.site.here(page, self.site.list_page(tag), self.site.tags[tag], "tag")

    def _user_link(self, page: int, user: int) -> str:
        return self.site.here(page, self.site.first_user + user, self.site.people.user_name(user), "user")

    def _shot(self, page: int, item: int) -> Shot:
        picture = f'<img src="/thumbs/{item}.jpg" alt="{self.site.title(self.site.first_item + item)}">'
        return Shot(
            self.site.here(page, self.site.first_item + item, picture),
            self._user_link(page, self.site.people.uploader(item)),
        )

    def front(self, page: int, dice: Roll) -> str:
        if page:
            return self.site.style.text(
                self.site.title(page), "".join(self.site.voice(NONE).sentence(dice) for _ in range(12))
            )
        recent = [self._shot(0, int(dice() * self.site.items)) for _ in range(8)]
        return self.site.style.home([self._tag_link(0, tag) for tag in range(len(self.site.tags))], recent)

    def listing(self, page: int) -> str:
        tag, window = self.site.list_at(page)
        places = range(window * WINDOW, min((window + 1) * WINDOW, self.site.rounds))
        items = [place * len(self.site.groups) + tag // TAGS for place in places]
        shown = [
            item for item in items if item < self.site.items and self.site.tags[tag] in self.site.people.tags_of(item)
        ]
        turns = [n for n in range(window - 3, window + 4) if 0 <= n < self.site.windows and n != window]
        pager = [self.site.here(page, self.site.list_page(tag, n), str(n + 1), "page") for n in turns]
        return self.site.style.listing(self.site.tags[tag], [self._shot(page, item) for item in shown], pager)

    def detail(self, page: int, dice: Roll) -> str:
        item = page - self.site.first_item
        group = item % len(self.site.groups)
        words = "".join(
            self.site.voice(self.site.groups[group] if dice() < 0.5 else NONE).sentence(dice)
            for _ in range(1 + int(dice() * 4))
        )
        tags = [
            self._tag_link(page, self.site.tags.index(t)) if t in self.site.tags else t
            for t in self.site.people.tags_of(item)
        ]
        user = self.site.people.uploader(item)
        own = self.site.people.uploads(user)
        more = [self._shot(page, pick(own, dice)) for _ in range(4)] if len(own) > 1 else []
        note = (
            f'<img class="big" src="/media/{item}.jpg" alt="">'
            if self.site.style.genre == "image"
            else f'<embed src="/m/{item}">'
        )
        return self.site.style.detail(self.site.title(page), note, self._user_link(page, user), tags, words, more)

    def profile(self, page: int, dice: Roll) -> str:
        user = page - self.site.first_user
        uploads = list(self.site.people.uploads(user))[:20]
        used = dict.fromkeys(tag for item in uploads for tag in self.site.people.tags_of(item) if tag in self.site.tags)
        tags = [self._tag_link(page, self.site.tags.index(tag)) for tag in used]
        contacts = [self._user_link(page, other) for other in self.site.people.contacts(user)]
        return self.site.style.profile(
            self.site.people.user_name(user), tags, contacts, [self._shot(page, item) for item in uploads]
        )
