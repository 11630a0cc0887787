"""How forums look: three templates that share nothing but what they show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from .templates import items


class Row(NamedTuple):
    """A line of a list: a board, or a thread."""

    link: str
    total: int
    author: str


class Post(NamedTuple):
    author: str
    text: str
    year: int


class Style(ABC):
    """The addresses and the markup of one make of forum software."""

    service: ClassVar[str]  # with the name of the page
    user: ClassVar[str]  # with the number of the user
    author: ClassVar[str] = ""  # class of a link to a profile
    session: ClassVar[str] = ""

    @abstractmethod
    def board(self, board: int, part: int) -> str: ...
    @abstractmethod
    def thread(self, thread: int, part: int) -> str: ...
    @abstractmethod
    def frame(self, name: str, nav: list[str], body: str, adverts: list[str]) -> str: ...
    @abstractmethod
    def index(self, rows: list[Row], newest: list[str]) -> str: ...
    @abstractmethod
    def listing(self, title: str, rows: list[Row], pager: list[str]) -> str: ...
    @abstractmethod
    def posts(self, title: str, back: str, posts: list[Post], pager: list[str]) -> str: ...
    @abstractmethod
    def profile(self, name: str, since: int, count: int, links: list[str]) -> str: ...

    def form(self, name: str, text: str) -> str:
        field = '<input name="user"><input name="word" type="password"><input type="submit">' if name != "help" else ""
        return f'<form class="{name}" method="post"><h2>{name.title()}</h2><p>{text}</p>{field}</form>'


class Tables(Style):
    """Nested tables and query strings."""

    service = "/{}.php"
    user = "/memberlist.php?u={}"

    def board(self, board: int, part: int) -> str:
        return f"/viewforum.php?f={board}" + (f"&start={part * 20}" if part else "")

    def thread(self, thread: int, part: int) -> str:
        return f"/viewtopic.php?t={thread}" + (f"&start={part * 10}" if part else "")

    def frame(self, name: str, nav: list[str], body: str, adverts: list[str]) -> str:
        head = f'<tr><td class="logo">{name}</td><td class="menu">{" :: ".join(nav)}</td></tr>'
        foot = f'<tr><td colspan="2" class="banner">{" ".join(adverts)}</td></tr>'
        return f'<table class="outer" width="100%">{head}<tr><td colspan="2">{body}</td></tr>{foot}</table>'

    def index(self, rows: list[Row], newest: list[str]) -> str:
        lines = "".join(f'<tr><td class="row1">{r.link}</td><td class="row2">{r.total}</td></tr>' for r in rows)
        return f'<table class="forumline">{lines}</table><p class="gensmall">{" &middot; ".join(newest)}</p>'

    def listing(self, title: str, rows: list[Row], pager: list[str]) -> str:
        lines = "".join(
            f'<tr><td class="topictitle">{r.link}</td><td class="name">{r.author}</td><td>{r.total}</td></tr>'
            for r in rows
        )
        pages = f'<span class="nav">{" ".join(pager)}</span>'
        return f'<h2>{title}</h2>{pages}<table class="forumline topics">{lines}</table>{pages}'

    def posts(self, title: str, back: str, posts: list[Post], pager: list[str]) -> str:
        lines = "".join(
            f'<tr><td class="name"><b>{p.author}</b><br>{p.year}</td>'
            f'<td><span class="postbody">{p.text}</span></td></tr>'
            for p in posts
        )
        pages = f'<span class="nav">{" ".join(pager)}</span>'
        return f'<a class="maintitle">{title}</a> {back}{pages}<table class="postline">{lines}</table>{pages}'

    def profile(self, name: str, since: int, count: int, links: list[str]) -> str:
        facts = f"<tr><td>Joined</td><td>{since}</td></tr><tr><td>Posts</td><td>{count}</td></tr>"
        return f'<table class="profile"><tr><th colspan="2">{name}</th></tr>{facts}</table><p>{" ".join(links)}</p>'


class Cards(Style):
    """Divisions with classes and readable addresses."""

    service = "/{}"
    user = "/u/{}"
    author = "username"

    def board(self, board: int, part: int) -> str:
        return f"/c/{board}" + (f"/page/{part + 1}" if part else "")

    def thread(self, thread: int, part: int) -> str:
        return f"/t/{thread}" + (f"/page/{part + 1}" if part else "")

    def frame(self, name: str, nav: list[str], body: str, adverts: list[str]) -> str:
        promoted = "".join(f'<aside class="promoted">{advert}</aside>' for advert in adverts)
        return f'<header class="d-header"><b>{name}</b>{items(nav, "d-nav")}</header><main>{body}</main>{promoted}'

    def index(self, rows: list[Row], newest: list[str]) -> str:
        boxes = "".join(
            f'<section class="category"><h3>{r.link}</h3><span>{r.total} threads</span></section>' for r in rows
        )
        return f'<div class="categories">{boxes}</div><div class="latest">{items(newest, "latest-list")}</div>'

    def listing(self, title: str, rows: list[Row], pager: list[str]) -> str:
        boxes = "".join(
            f'<article class="topic-item"><h4>{r.link}</h4><p class="posters">{r.author} {r.total}</p></article>'
            for r in rows
        )
        return f'<h1 class="category-title">{title}</h1>{boxes}<nav class="pages">{" ".join(pager)}</nav>'

    def posts(self, title: str, back: str, posts: list[Post], pager: list[str]) -> str:
        boxes = "".join(
            f'<article class="boxed"><div class="names">{p.author} <time>{p.year}</time></div>'
            f'<div class="cooked"><p>{p.text}</p></div></article>'
            for p in posts
        )
        head = f'<h1 class="topic-title">{title}</h1><p class="crumb">{back}</p>'
        return f'{head}{boxes}<nav class="pages">{" ".join(pager)}</nav>'

    def profile(self, name: str, since: int, count: int, links: list[str]) -> str:
        facts = f'<span class="since">{since}</span><span class="posts">{count}</span>'
        card = f'<div class="user-card"><h1>{name}</h1>{facts}</div>'
        return f'{card}<div class="activity">{items(links, "user-stream")}</div>'


class Lists(Style):
    """Definition lists, numbered files, and a session id in every link."""

    service = "/{}.html"
    user = "/member/{}.html"
    author = "member"
    session = "path"

    def board(self, board: int, part: int) -> str:
        return f"/forum/{board}/" + (f"{part + 1}.html" if part else "")

    def thread(self, thread: int, part: int) -> str:
        return f"/topic/{thread}" + (f"-{part + 1}" if part else "") + ".html"

    def frame(self, name: str, nav: list[str], body: str, adverts: list[str]) -> str:
        return (
            f'<h1 id="brand">{name}</h1><p id="path">{" &gt; ".join(nav)}</p><div id="board">{body}</div>'
            f'<p id="footer"><small>{" ".join(adverts)}</small></p>'
        )

    def index(self, rows: list[Row], newest: list[str]) -> str:
        lines = "".join(f"<dt>{r.link}</dt><dd>{r.total}</dd>" for r in rows)
        news = "".join(f"<li>{link}</li>" for link in newest)
        return f'<dl class="boards">{lines}</dl><h5>New</h5><ol class="new">{news}</ol>'

    def listing(self, title: str, rows: list[Row], pager: list[str]) -> str:
        lines = "".join(f"<li><strong>{r.link}</strong> <em>{r.author}</em> ({r.total})</li>" for r in rows)
        return f'<h2>{title}</h2><ol class="threads">{lines}</ol><div class="paging">{" ".join(pager)}</div>'

    def posts(self, title: str, back: str, posts: list[Post], pager: list[str]) -> str:
        lines = "".join(f"<dt>{p.author} <i>{p.year}</i></dt><dd><blockquote>{p.text}</blockquote></dd>" for p in posts)
        pages = f'<div class="paging">{" ".join(pager)}</div>'
        return f'<h2>{title}</h2><h5>{back}</h5><dl class="messages">{lines}</dl>{pages}'

    def profile(self, name: str, since: int, count: int, links: list[str]) -> str:
        lines = "".join(f"<li>{link}</li>" for link in links)
        return f'<h2>{name}</h2><p class="facts">{since}, {count}</p><h5>Wrote</h5><ul class="wrote">{lines}</ul>'


STYLES: tuple[Style, ...] = (Tables(), Cards(), Lists())
