"""What the pages of a synthetic site are about: people, subjects, threads with posts; the same for all software."""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar, NamedTuple

ON_A_PAGE = 10  # posts
IN_A_LIST = 25  # threads, members
SYLLABLES = re.findall("..", "badefigohukaleminopurasetivowaxeyizo")


class Made(NamedTuple):
    """A page of a site; `target`: it redirects there instead."""

    path: str
    kind: str
    html: str = ""
    target: str = ""


class Thread(NamedTuple):
    number: int
    board: int
    title: str
    posts: list[int]  # their authors, the first one's first

    @property
    def parts(self) -> int:
        return -(-len(self.posts) // ON_A_PAGE)

    @property
    def slug(self) -> str:
        return self.title.lower().replace(" ", "-")


class World:
    """People who write on boards, drawn by a seed."""

    def __init__(self, seed: int, threads: int = 700, users: int = 900, boards: int = 9) -> None:
        dice = random.Random(f"world {seed}")
        self.seed, self.users, self.boards = seed, users, boards
        self.threads = [
            Thread(number, int(boards * dice.random() ** 2), phrase(dice, 3), writers(dice, users))
            for number in range(1, threads + 1)
        ]
        self.names = {user: word(dice).title() + str(user) for user in range(1, users + 1)}
        self.titles = [phrase(dice, 2).title() for _ in range(boards)]

    @cached_property
    def by_board(self) -> list[list[Thread]]:
        found: list[list[Thread]] = [[] for _ in range(self.boards)]
        for thread in reversed(self.threads):
            found[thread.board].append(thread)
        return found

    @cached_property
    def by_user(self) -> dict[int, list[Thread]]:
        found: dict[int, list[Thread]] = {user: [] for user in self.names}
        for thread in self.threads:
            for user in dict.fromkeys(thread.posts):
                found[user].append(thread)
        return found

    def body(self, *key: object) -> str:
        """What somebody wrote: paragraphs, and now and then a quotation, a list, a picture, some code."""
        dice = random.Random(f"{self.seed} {key}")
        parts = [f"<p>{phrase(dice, dice.randint(6, 40))}.</p>" for _ in range(dice.randint(1, 3))]
        extras = (
            f"<blockquote>{phrase(dice, 8)}</blockquote>",
            f"<ul>{''.join(f'<li>{phrase(dice, 3)}</li>' for _ in range(dice.randint(2, 5)))}</ul>",
            f'<p><img src="/upload/{dice.randint(1, 999)}.jpg"></p>',
            f"<pre><code>{phrase(dice, 6)}</code></pre>",
            f'<p><a href="http://elsewhere.example/{word(dice)}">{phrase(dice, 2)}</a></p>',
        )
        return "".join(parts + [extra for extra in extras if dice.random() < 0.12])


def writers(dice: random.Random, users: int) -> list[int]:
    """Many threads are short and some are long; a few people write most."""
    count = 1 + int(min(60, dice.paretovariate(0.9)))
    return [1 + int(users * dice.random() ** 3) for _ in range(count)]


def word(dice: random.Random) -> str:
    return "".join(dice.choice(SYLLABLES) for _ in range(dice.randint(1, 3)))


def phrase(dice: random.Random, words: int) -> str:
    return " ".join(word(dice) for _ in range(words))


def chunks(rows: list[Thread], size: int = IN_A_LIST) -> list[list[Thread]]:
    return [rows[start : start + size] for start in range(0, len(rows), size)] or [[]]


def a(path: str, text: object, style: str = "") -> str:
    return f'<a class="{style}" href="{path}">{text}</a>' if style else f'<a href="{path}">{text}</a>'


def pager(paths: list[str], now: int, style: str = "") -> str:
    """Links to the first, the last and the pages around, and to the next one."""
    if len(paths) < 2:
        return ""
    shown = sorted({0, len(paths) - 1, *range(max(0, now - 2), min(len(paths), now + 3))})
    links = [str(n + 1) if n == now else a(paths[n], n + 1, style) for n in shown]
    return " ".join(links + ([a(paths[now + 1], "&gt;", style)] if now + 1 < len(paths) else []))


class Software(ABC):
    """One make: all pages of a site."""

    target: ClassVar[str] = "thread"  # the type that most of its pages are
    second: ClassVar[str] = "profile"
    content: ClassVar[tuple[str, ...]] = ("thread", "profile")  # what users wrote
    same: ClassVar[
        Mapping[str, str]
    ] = {}  # kinds whose pages hold what those of another hold: second addresses, other orders

    def __init__(self, world: World) -> None:
        self.world = world

    @abstractmethod
    def frame(self, title: str, body: str) -> str:
        """Everything around the content of a page."""

    @abstractmethod
    def pages(self) -> Iterator[Made]:
        """The start page first, at "/"."""

    def page(self, path: str, kind: str, title: str, *body: str) -> Made:
        html = f"<!doctype html><html><head><title>{title}</title></head><body>{self.frame(title, ''.join(body))}</body></html>"
        return Made(path, kind, html)

    def refusals(self, paths: Iterable[str], kind: str = "login") -> Iterator[Made]:
        """Pages for members only: all of them are the same form."""
        form = (
            '<form method="post"><label>Name <input name="user"></label><label>Word <input name="word"></label></form>'
        )
        return (self.page(path, kind, "Log in", form) for path in paths)
