"""How ordinary sites look: one template per genre, all fed with the same parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .mix import Roll


@dataclass(slots=True)
class Parts:
    """What there is to show on a page."""

    name: str
    title: str
    genre_word: str
    comments: str
    date: str
    author: str
    nav: list[str]
    dice: Roll
    paragraphs: list[str] = field(default_factory=list)
    more: list[str] = field(default_factory=list)
    adverts: list[str] = field(default_factory=list)
    extra: str = ""  # blocks of home and index pages
    article: bool = True


def items(links: list[str], css: str = "") -> str:
    return f"<ul{css and f' class={chr(34)}{css}{chr(34)}'}>{''.join(f'<li>{link}</li>' for link in links)}</ul>"


def _prose(parts: Parts) -> str:
    return "\n".join(f"<p>{paragraph}</p>" for paragraph in parts.paragraphs)


def _images(parts: Parts, count: int) -> str:
    return "".join(
        f'<div class="thumb"><img src="/img/{int(parts.dice() * 1e6)}.jpg" alt="" width="240"></div>'
        for _ in range(count)
    )


def news(parts: Parts) -> str:
    return (
        f'<div class="masthead"><span>{parts.name} {parts.genre_word.title()}</span>'
        f'{items(parts.nav, "sections")}</div><div class="story"><h1>{parts.title}</h1>'
        f'<p class="byline">{parts.author}, {parts.date}</p>{_prose(parts)}</div>'
        f'{parts.extra}<div class="side"><h3>{parts.genre_word.title()}</h3>{items(parts.more, "headlines")}</div>'
        f'<div class="ads">{" ".join(parts.adverts)}</div>'
    )


def blog(parts: Parts) -> str:
    replies = "".join(
        f'<li class="comment"><b>{parts.author}</b><p>{paragraph[:160]}</p></li>'
        for paragraph in parts.paragraphs[: int(parts.dice() * 4) if parts.article else 0]
        if "<" not in paragraph[:160]
    )
    return (
        f'<div id="header"><h2>{parts.name} {parts.genre_word}</h2></div><div id="content"><div class="post">'
        f'<h1 class="entry-title">{parts.title}</h1><div class="entry">{_prose(parts)}</div>'
        f'<p class="meta">{parts.date} | {parts.author} | {parts.genre_word}</p>{parts.extra}'
        f'<h3>{parts.comments}</h3><ol class="comments">{replies}</ol></div></div>'
        f'<div id="sidebar">{items(parts.nav, "pages")}{items(parts.more, "recent")}'
        f'<div class="widget sponsors">{"<br>".join(parts.adverts)}</div></div>'
    )


def image(parts: Parts) -> str:
    return (
        f'<table class="frame"><tr><td class="menu">{"<br>".join(parts.nav)}</td>'
        f'<td class="pictures"><h1>{parts.title}</h1>'
        f"{_images(parts, 6 + int(parts.dice() * 18))}<p>{parts.genre_word} {parts.date}</p>{_prose(parts)}"
        f'{parts.extra}</td></tr><tr><td class="ads">{"<br>".join(parts.adverts)}</td>'
        f'<td class="see-also">{" | ".join(parts.more)}</td></tr></table>'
    )


def video(parts: Parts) -> str:
    number = int(parts.dice() * 1e6)
    player = (
        f'<video src="/media/{number}.mp4" controls></video>' if number % 3 else f'<embed src="/media/{number}.swf">'
    )
    return (
        f'<div class="top"><b>{parts.name}</b> {" ".join(parts.nav)}</div>'
        f'<div class="player">{player if parts.article else ""}<h1>{parts.title}</h1></div>'
        f'<div class="about">{parts.genre_word}: {parts.date}{_prose(parts)}</div>{parts.extra}'
        f'<div class="up-next">{"".join(f"<div>{link}</div>" for link in parts.more)}</div>'
        f'<div class="ads">{" ".join(parts.adverts)}</div>'
    )


def other(parts: Parts) -> str:
    return (
        f"<center>{' - '.join(parts.nav)}</center><hr><h1>{parts.title}</h1>{_prose(parts)}{parts.extra}<hr>"
        f'{items(parts.more)}<font size="1">{parts.date} {parts.author} {" ".join(parts.adverts)}</font>'
    )


def shop(parts: Parts) -> str:
    price = 5 + int(parts.dice() * 900)
    return (
        f'<div id="shop"><h1>{parts.title}</h1><div class="price">{price}.90</div>'
        f'<form action="/cart/"><input type="submit"></form>'
        f'<div class="description">{_prose(parts)}</div>{parts.extra}{items(parts.nav, "service")}'
        f"{items(parts.more, 'others-bought')}</div>"
    )


TEMPLATES: dict[str, Callable[[Parts], str]] = {
    "news": news,
    "blog": blog,
    "image": image,
    "video": video,
    "other": other,
    "shop": shop,
}
