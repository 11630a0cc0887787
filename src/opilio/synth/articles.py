"""Ordinary sites (news, blogs, galleries, videos, plain pages, shops): home, about, archive pages and articles."""

from __future__ import annotations

from collections.abc import Iterator

from .mix import Roll, chance, mix, pick, roll
from .prose import Voice
from .site import Atlas, Place, Site
from .subjects import NONE, TOPICS, label, siblings
from .templates import TEMPLATES, Parts, items
from .tongues import GENRES

LISTED = 50  # articles on an archive page
_TWIN, _TOPIC, _TITLE, _TEXT, _FRIENDS = range(5)  # what a key is mixed for
TWINS = 0.02  # share of articles that repeat the one before them under /print/
STRAY, SIBLING = 0.2, 0.1  # share of articles not on the site's topic; of them on one of the same area
THIN = 0.12  # share of articles with hardly any text
VAGUE = 0.08  # that beat about the bush
SECOND = 0.3  # that are as much about another topic


class ArticleSite(Site):
    """Page 0 is home, 1 about, then the archive pages, then the articles."""

    def __init__(
        self, atlas: Atlas, number: int, host: str, size: int, topic: int = NONE, tongue: int = 0, genre: str = "other"
    ) -> None:
        super().__init__(atlas, number, host, size, topic, tongue)
        self.genre, self._shop = genre, genre == "shop"
        self.topics = (topic,) if genre != "shop" else ()
        self.lists = -((2 - size) // (LISTED + 1))
        self.first = 2 + self.lists  # page number of article 0
        self.count = size - self.first
        self.friends: list[Site] = []  # of the same community, and a few others
        self.robots = "User-agent: *\nDisallow: /print/\n" if self.key % 3 == 0 else ""

    # where pages are

    def path(self, page: int) -> str:
        if page < self.first:
            return self._front(page)
        article = page - self.first
        if self._twin(article):
            return f"/print/{article}"
        slug = self._voice(article).slug(mix(self.key, article, _TITLE)) or "p"
        match self.key % 4:
            case 0:
                year, month = 2004 + article * 7 % 13, 1 + article * 5 % 12
                return f"/{year}/{month:02d}/{slug}-{article}.html"
            case 1:
                return f"/{slug}-{article}.html"
            case 2:
                return f"/articles/{article}/{slug}"
            case _:
                return f"/node/{article}"

    def _front(self, page: int) -> str:
        return ("/", "/about.html", "/archive/")[page] if page < 3 else f"/archive/page{page - 1}.html"

    def guesses(self, path: str, numbers: list[int]) -> Iterator[int]:
        yield from (1, 2)
        for number in numbers:
            yield from (number + self.first, number + 1)

    # what an article is about

    def _twin(self, article: int) -> bool:
        return article % 8 == 5 and chance(self.key, article, _TWIN) < TWINS * 8

    def _topic(self, article: int) -> int:
        article -= self._twin(article)
        stray = chance(self.key, article, _TOPIC) if self.topic != NONE else 1.0
        if stray >= STRAY:
            return self.topic
        if stray < SIBLING:
            return siblings(self.topic)[int(stray / SIBLING * len(siblings(self.topic)))]
        return int((stray - SIBLING) / (STRAY - SIBLING) * (len(TOPICS) + 1)) + NONE

    def topic_of(self, page: int) -> int:
        if page >= self.first:
            return self._topic(page - self.first)
        return self.topic if page == 0 else NONE

    def _voice(self, article: int) -> Voice:
        return self.voice(self._topic(article))

    def title(self, page: int) -> str:
        if page < self.first:
            return (self.name, self.speech.menu[1])[page] if page < 2 else f"{self.speech.menu[2]} {page - 1}"
        article = page - self.first
        article -= self._twin(article)
        return self._voice(article).title(mix(self.key, article, _TITLE))

    def share(self, topic: int) -> int:
        return self.count

    def pick(self, topic: int, dice: Roll) -> int:
        """Old articles are linked to more often; a few links go to the home page."""
        if dice() < 0.05:
            return 0
        for _ in range(4):
            article = int(self.count * dice() * dice())
            if self._topic(article) == topic and not self._twin(article):
                return self.first + article
        return 0

    # what a page looks like

    def html(self, page: int) -> str:
        page -= page >= self.first and self._twin(page - self.first)
        dice = roll(self.key, page, _TEXT)
        parts = self._parts(page, dice)
        if page >= self.first:
            self._fill_article(page, parts)
        elif page >= 2:
            parts.extra = f'<ol class="list">{"".join(f"<li>{link}</li>" for link in self._listed(page))}</ol>'
        else:
            self._fill_front(page, parts)
        return self.document(page, TEMPLATES[self.genre](parts))

    def _parts(self, page: int, dice: Roll) -> Parts:
        menu, genre = self.speech.menu, self.genre
        archive = 2 if page < self.first else 2 + (page - self.first) // LISTED
        nav = [self.here(page, 0, menu[0]), self.here(page, 1, menu[1])]
        nav += [self.here(page, archive, menu[2])] if archive < self.first else []
        word = self.speech.genre[GENRES.index(genre)] if genre in GENRES else ""
        date = f"{2004 + int(dice() * 13)}-{1 + int(dice() * 12):02d}-{1 + int(dice() * 28):02d}"
        author = self.atlas.prose.name(mix(self.key, page))
        parts = Parts(self.name, self.title(page), word, menu[7], date, author, nav, dice, article=page >= self.first)
        parts.adverts = self.adverts(page, dice) if self not in self.atlas.adverts else []
        return parts

    def _fill_article(self, page: int, parts: Parts) -> None:
        topic, dice = self.topic_of(page), parts.dice
        second = pick(range(len(TOPICS)), dice) if dice() < SECOND else NONE
        thin, vague = dice() < THIN, dice() < VAGUE
        focus = (0.05 if vague else 0.5) + (0.15 if vague else 0.45) * dice()
        paragraphs = 1 if thin else 3 if self.genre == "image" else 6 + int(dice() * 8)
        links = [self.onward(page, topic, dice) for _ in range(14 + int(dice() * 12))] if not self._shop else []
        for turn in range(paragraphs):
            text = [self._sentence(topic, second, focus, dice) for _ in range(2 + int(dice() * 4))]
            here = links[turn::paragraphs]
            text += [link + self._sentence(topic, second, focus, dice) for link in here]
            parts.paragraphs.append("".join(text))
        near = (page - 1, page + 1, self.first + int(dice() * self.count), self.first + int(dice() * self.count))
        parts.more = [self.here(page, n, self.title(n)) for n in near if self.first <= n < self.size and n != page]
        bridges = self.atlas.extra.get((self.number, page), ())
        parts.more += [self.link(page, place, place.site.title(place.page)) for place in bridges]

    def _sentence(self, topic: int, second: int, focus: float, dice: Roll) -> str:
        if dice() >= focus:
            return self.voice(NONE).sentence(dice)
        return self.voice(second if second != NONE and dice() < 0.5 else topic).sentence(dice)

    def _fill_front(self, page: int, parts: Parts) -> None:
        dice = parts.dice
        topic = self.topic if page == 0 else NONE
        parts.paragraphs = [
            "".join(self._sentence(topic, NONE, 0.6, dice) for _ in range(3 + int(dice() * 4)))
            for _ in range(2 + int(dice() * 3))
        ]
        if page:
            return
        latest = range(max(self.first, self.size - 15), self.size)
        parts.more = [self.here(0, n, self.title(n)) for n in latest]
        parts.adverts = [
            self.link(0, Place(shop, 0), shop.name, "ad") for shop in self.outside() if shop in self.atlas.adverts
        ]
        friends = [site for site in self.outside() if site not in self.atlas.adverts]
        parts.extra = (
            f'<div class="friends"><h3>Links</h3>{items([self.link(0, Place(s, 0), s.name) for s in friends])}</div>'
        )

    def _listed(self, page: int) -> list[str]:
        first = self.first + (page - 2) * LISTED
        links = [self.here(page, n, self.title(n)) for n in range(first, min(first + LISTED, self.size))]
        pager = [(page - 1, self.speech.menu[4]), (page + 1, self.speech.menu[3])]
        return links + [self.here(page, n, text) for n, text in pager if 2 <= n < self.first]

    def outside(self) -> list[Site]:
        """The other sites that the home page links to: friends, then a few signposts, then every advertiser."""
        if self._shop:
            return []
        dice = roll(self.key, _FRIENDS)
        posts = [pick(self.atlas.signposts, dice) for _ in range(2)] if self.atlas.signposts else []
        others = self.friends + posts
        return [site for site in dict.fromkeys(others + self.atlas.adverts) if site is not self]

    def labels(self, page: int) -> dict[str, str]:
        article = page - self.first
        kind = (
            ("home", "about")[page]
            if page < 2
            else "archive"
            if article < 0
            else "product"
            if self._shop
            else "article"
        )
        shown = self.genre if self.genre in GENRES and (article >= 0 or page == 0) else "other"
        found = {"topic": label(self.topic_of(page)), "genre": shown, "page_type": kind}
        if page == 0 and self.community:
            found["community"] = self.community
        if article >= 0 and self._twin(article):
            found["duplicate_of"] = Place(self, page - 1).url
        return found


class Mirror(Site):
    """A copy of another site, byte by byte, under another name."""

    def __init__(self, atlas: Atlas, number: int, host: str, original: Site) -> None:
        super().__init__(atlas, number, host, original.size, original.topic, original.tongue)
        self.original, self.charset, self.robots = original, original.charset, original.robots

    def path(self, page: int) -> str:
        return self.original.path(page)

    def guesses(self, path: str, numbers: list[int]) -> Iterator[int]:
        return self.original.guesses(path, numbers)

    def title(self, page: int) -> str:
        return self.original.title(page)

    def html(self, page: int) -> str:
        return self.original.html(page)

    def aliases(self, page: int) -> list[str]:
        return self.original.aliases(page)

    def topic_of(self, page: int) -> int:
        return self.original.topic_of(page)

    def labels(self, page: int) -> dict[str, str]:
        found = {key: value for key, value in self.original.labels(page).items() if key != "community"}
        return found | {"duplicate_of": found.get("duplicate_of", Place(self.original, page).url)}
