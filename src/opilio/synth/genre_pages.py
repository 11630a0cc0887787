"""Synthetic pages of known genre, for training: each follows one of several sketches of how such pages are built.

A sketch says how much there is of everything; a page draws from it. The ranges are wide and the genres overlap, as they do:
most sites have the words "news" and "blog" in some menu, and most articles have pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..strategies.genre.word_counts import KINDS, lists, plain
from .mix import Roll, pick, roll
from .prose import Prose, Voice
from .subjects import TOPICS
from .tongues import TONGUES

Span = tuple[int, int]  # least and most; a draw is uniform in the logarithm
SAYS_SO = 0.4  # the share of pages that declare what they are
MISFIT = 0.1  # the share of pages that hardly ever name their genre
_PAGE = 31  # what a key is mixed for


class Sketch(NamedTuple):
    genre: str
    paragraphs: Span
    inside: Span  # links to the own site
    outside: Span  # to others
    images: Span
    media: Span = (0, 0)
    words: Span = (1, 4)  # that name the genre
    dates: Span = (0, 2)
    schema: str = ""
    menu: float = 0.35  # the chance that the menu names a genre


SKETCHES = (
    Sketch("news", (8, 60), (40, 400), (4, 60), (3, 60), (0, 0), (0, 12), (1, 12), "NewsArticle", 0.6),  # an article
    Sketch("news", (8, 60), (80, 400), (5, 60), (15, 100), (0, 2), (2, 30), (2, 40), "WebSite", 0.6),  # a front page
    Sketch("news", (4, 30), (25, 200), (3, 40), (3, 30), (0, 0), (0, 10), (1, 20), "NewsArticle", 0.4),  # a small paper
    Sketch("blog", (5, 50), (20, 150), (5, 60), (3, 40), (0, 0), (1, 12), (1, 20), "BlogPosting", 0.3),  # a post
    Sketch("blog", (15, 90), (30, 250), (8, 80), (5, 60), (0, 2), (2, 25), (4, 30), "Blog", 0.3),  # the last posts
    Sketch("blog", (5, 40), (10, 80), (1, 40), (1, 15), (0, 1), (0, 8), (1, 6), "BlogPosting", 0.2),  # a plain one
    Sketch("image", (0, 4), (15, 150), (1, 20), (20, 150), (0, 0), (4, 40), (0, 6), "ImageGallery", 0.2),  # thumbnails
    Sketch("image", (1, 6), (10, 80), (1, 15), (6, 40), (0, 0), (4, 25), (1, 4), "Photograph", 0.2),  # one picture
    Sketch("image", (1, 8), (5, 60), (0, 10), (12, 60), (0, 1), (3, 15), (0, 2), "WebSite", 0.2),  # a portfolio
    Sketch("video", (1, 10), (20, 150), (1, 25), (5, 60), (1, 3), (4, 50), (1, 20), "VideoObject"),  # one to watch
    Sketch("video", (0, 6), (30, 250), (1, 25), (20, 120), (0, 2), (6, 80), (0, 40), "VideoGallery"),  # a list
    Sketch("video", (1, 12), (5, 60), (1, 20), (1, 15), (1, 8), (2, 20), (0, 6), "VideoObject"),  # a small channel
    Sketch("other", (8, 120), (20, 400), (1, 60), (0, 15)),  # an encyclopedia
    Sketch("other", (2, 20), (30, 300), (0, 15), (10, 120)),  # a shop
    Sketch("other", (4, 25), (20, 150), (1, 30), (4, 40)),  # a recipe
    Sketch("other", (2, 15), (8, 80), (1, 20), (1, 12)),  # a company
    Sketch("other", (1, 15), (1, 25), (1, 25), (0, 4)),  # somebody's home page
    Sketch("other", (6, 80), (20, 150), (1, 40), (2, 40), dates=(4, 60)),  # a thread of a forum
    Sketch("other", (3, 80), (10, 200), (0, 15), (0, 6)),  # documentation
    Sketch("other", (0, 5), (10, 100), (10, 200), (0, 5)),  # a directory
)


class GenrePage(NamedTuple):
    url: str
    genre: str
    html: str


def genre_pages(count: int, seed: int = 0) -> Iterator[GenrePage]:
    """This many pages of each genre, the sketches of a genre and the languages taking turns."""
    prose = Prose(seed)
    for kind in (*KINDS, "other"):
        sketches = [sketch for sketch in SKETCHES if sketch.genre == kind]
        for number in range(count):
            dice = roll(seed, _PAGE, SKETCHES.index(sketches[0]), number)
            page = _Page(sketches[number % len(sketches)], prose, number, dice)
            yield GenrePage(page.url, kind, page.html())


class _Page:
    """One page while it is being made."""

    def __init__(self, sketch: Sketch, prose: Prose, number: int, dice: Roll) -> None:
        self.sketch, self.dice = sketch, dice
        self.tongue = int(dice() * len(TONGUES))
        self.speech = TONGUES[self.tongue]
        self.voice: Voice = prose.voice(int(dice() * len(TOPICS)), self.tongue)
        self.host = f"www.{sketch.genre}{number}.example"
        self.url = f"http://{self.host}/{number}"
        self.misfit = dice() < MISFIT

    def html(self) -> str:
        blocks = [*self._paragraphs(), *self._images(), *self._media(), *self._dated()]
        shuffled = sorted(blocks, key=lambda _: self.dice())
        return (
            f'<html lang="{self.speech.code}"><head><title>{self._title()}</title>{self._declared()}</head><body>'
            f"<ul>{''.join(f'<li>{item}</li>' for item in self._menu())}</ul><h1>{self._title()}</h1>"
            f"{''.join(shuffled)}<div>{' '.join(self._links())}</div></body></html>"
        )

    def _draw(self, span: Span) -> int:
        least, most = span
        return int((least + 1) * ((most + 1) / (least + 1)) ** self.dice() - 1 + 0.5)

    def _title(self) -> str:
        return self.voice.title(int(self.dice() * (1 << 40)))

    def _word(self, kind: str) -> str:
        """A word of the page's language for a genre; at times an English one, as on the web."""
        code = self.speech.code if self.speech.code in lists() and self.dice() < 0.8 else "en"
        return plain(pick(lists()[code][kind], self.dice))

    def _paragraphs(self) -> Iterator[str]:
        words = [] if self.sketch.genre == "other" else [self._word(self.sketch.genre) for _ in range(self._naming())]
        count = self._draw(self.sketch.paragraphs)
        for turn in range(count):
            text = "".join(self.voice.sentence(self.dice) for _ in range(1 + int(self.dice() * 5)))
            yield f"<p>{text} {' '.join(words[turn::count])}</p>"
        if not count:
            yield f"<p>{' '.join(words)}</p>"

    def _naming(self) -> int:
        return int(self.dice() * 2) if self.misfit else self._draw(self.sketch.words)

    def _menu(self) -> Iterator[str]:
        yield from self.speech.menu[:3]
        for kind in KINDS:
            if self.dice() < self.sketch.menu:
                yield from [self._word(kind)] * self._draw((1, 12))

    def _images(self) -> Iterator[str]:
        for number in range(self._draw(self.sketch.images)):
            image = f'<img src="/img/{number}.jpg" alt="">'
            yield f'<a href="/show/{number}">{image}</a>' if self.dice() < 0.3 else f"<div>{image}</div>"

    def _media(self) -> Iterator[str]:
        for _ in range(self._draw(self.sketch.media)):
            yield pick(("<video controls></video>", '<embed src="/m.swf">', "<object></object>"), self.dice)

    def _dated(self) -> Iterator[str]:
        for _ in range(self._draw(self.sketch.dates)):
            year, month, day = 2000 + int(self.dice() * 25), 1 + int(self.dice() * 12), 1 + int(self.dice() * 28)
            shown = pick((f"{year}-{month:02d}-{day:02d}", f"{day}.{month}.{year}", f"{month}/{day}/{year}"), self.dice)
            yield f"<time>{shown}</time>" if self.dice() < 0.4 else f"<p>{shown}</p>"

    def _links(self) -> Iterator[str]:
        in_list = self.dice() < 0.5
        for number in range(self._draw(self.sketch.inside)):
            link = f'<a href="/{number}.html">{self._title()}</a>'
            yield f"<li>{link}</li>" if in_list else link
        for number in range(self._draw(self.sketch.outside)):
            yield f'<a href="http://site{number}.example/">{self._title()}</a>'

    def _declared(self) -> str:
        if self.dice() >= SAYS_SO:
            return ""
        schema = self.sketch.schema or pick(("WebPage", "Product", "Organization", "Article"), self.dice)
        kind = "video.other" if self.sketch.genre == "video" else pick(("article", "website"), self.dice)
        return (
            f'<meta property="og:type" content="{kind}">'
            f'<script type="application/ld+json">{{"@context": "https://schema.org", "@type": "{schema}"}}</script>'
        )
