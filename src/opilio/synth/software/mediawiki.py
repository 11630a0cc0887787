"""After MediaWiki: articles that link each other, and for each a talk page, a history, old versions, forms and lists about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from .world import ON_A_PAGE, Made, Software, Thread, a, chunks

LISTED = 100  # titles in a list of all pages


class MediaWiki(Software):
    """Old versions and the printable view say what the article says; editing is for members only."""

    target, second, content = "article", "user", ("article", "talk", "user")
    same: ClassVar[Mapping[str, str]] = {"old": "article", "print": "article"}

    def frame(self, title: str, body: str) -> str:
        special = ("RecentChanges", "AllPages", "Random", "SpecialPages")
        menu = "".join(f'<li id="n-{word}">{a(f"/wiki/Special:{word}", word)}</li>' for word in special)
        return (
            f'<div id="content" class="mw-body"><h1 class="firstHeading">{title}</h1><div class="mw-content">{body}</div></div>'
            f'<div id="mw-navigation"><div class="portal"><ul><li>{a("/", "Main page")}</li>{menu}</ul></div></div>'
            f'<div id="footer"><ul><li>{a("/wiki/Project:About", "About")}</li><li>{a("/wiki/Project:Privacy", "Privacy")}</li>'
            "</ul></div>"
        )

    def name(self, thread: Thread) -> str:
        return f"{thread.slug.capitalize().replace('-', '_')}_{thread.number}"

    def article(self, thread: Thread, space: str = "") -> str:
        return f"/wiki/{space}{self.name(thread)}"

    def action(self, thread: Thread, what: str) -> str:
        return f"/index.php?title={self.name(thread)}&{what}"

    def user(self, number: int, space: str = "User") -> str:
        return f"/wiki/{space}:{self.world.names[number]}"

    def pages(self) -> Iterator[Made]:
        world = self.world
        chosen = "".join(f"<li>{a(self.article(t), t.title)}</li>" for t in world.threads[::70])
        topics = "".join(f"<li>{a(self._category(n, 0), t)}</li>" for n, t in enumerate(world.titles))
        yield self.page(
            "/",
            "index",
            "Main page",
            f'<div class="box"><ul>{chosen}</ul></div><div class="box"><ul>{topics}</ul></div>',
        )
        for thread in world.threads:
            yield from self._article(thread)
        yield from self._lists()
        for user, name in world.names.items():
            tools = f"<ul>{self._tool(self.user(user, 'Special:Contributions/User'), 'Contributions')}</ul>"
            yield self.page(self.user(user), "user", f"User:{name}", world.body("user", user), tools)
            mine = "".join(
                f"<li>{a(self.action(t, f'oldid={t.number * 100}'), 'then')} {a(self.action(t, 'action=history'), 'hist')} "
                f"{a(self.article(t), t.title, 'mw-title')}</li>"
                for t in world.by_user[user][:50]
            )
            path = self.user(user, "Special:Contributions/User")
            yield self.page(path, "contributions", "Contributions", f'<ul class="contribs">{mine}</ul>')
        talks = [f"/index.php?title=User_talk:{user}&action=edit" for user in world.names]
        yield from self.refusals(
            [*talks, *(self._missing(thread) for thread in world.threads if thread.number % 4 > 1)]
        )
        fixed = ["/wiki/Project:About", "/wiki/Project:Privacy", "/wiki/Special:SpecialPages", "/wiki/Special:Random"]
        for path in fixed:
            yield self.page(path, "text", path[6:], world.body(path))

    def _category(self, number: int, part: int) -> str:
        name = self.world.titles[number].replace(" ", "_")
        return f"/index.php?title=Category:{name}&from={part * LISTED}" if part else f"/wiki/Category:{name}"

    def _lists(self) -> Iterator[Made]:
        world = self.world
        for number, rows in enumerate(world.by_board):
            parts = chunks(rows, LISTED)
            paths = [self._category(number, n) for n in range(len(parts))]
            for n, part in enumerate(parts):
                titles = "".join(f"<li>{a(self.article(t), t.title)}</li>" for t in part)
                body = f'<div class="mw-category"><ul>{titles}</ul></div>{self._turn(paths, n)}'
                yield self.page(paths[n], "category", f"Category:{world.titles[number]}", body)
        parts = chunks(world.threads, LISTED)
        paths = [
            "/wiki/Special:AllPages",
            *(f"/index.php?title=Special:AllPages&from={n}" for n in range(1, len(parts))),
        ]
        for n, part in enumerate(parts):
            titles = "".join(f"<td>{a(self.article(t), t.title)}</td>" for t in part)
            yield self.page(
                paths[n], "all", "All pages", f"<table class='chunk'><tr>{titles}</tr></table>{self._turn(paths, n)}"
            )
        changes = "".join(
            f"<li>{a(self.action(t, 'diff=prev'), 'diff')} {a(self.action(t, 'action=history'), 'hist')} "
            f"{a(self.article(t), t.title, 'mw-title')} {a(self.user(t.posts[-1]), world.names[t.posts[-1]], 'mw-userlink')}</li>"
            for t in world.threads[-80:]
        )
        yield self.page("/wiki/Special:RecentChanges", "changes", "Changes", f"<ul class='special'>{changes}</ul>")

    def _turn(self, paths: list[str], now: int) -> str:
        around = [(now - 1, "previous"), (now + 1, "next")]
        return " ".join(a(paths[n], word) for n, word in around if 0 <= n < len(paths))

    def _tool(self, path: str, text: str) -> str:
        return f"<li>{a(path, text)}</li>"

    def _article(self, thread: Thread) -> Iterator[Made]:
        world, name = self.world, self.name(thread)
        text, near = self._text(thread)
        tools = [
            (self.article(thread, "Talk:"), "Talk"),
            (self.action(thread, "action=edit"), "Edit"),
            (self.action(thread, "action=history"), "History"),
            (f"/wiki/Special:WhatLinksHere/{name}", "What links here"),
            (self.action(thread, "printable=yes"), "Print"),
            (self.action(thread, f"oldid={thread.number * 100}"), "Permanent link"),
        ]
        listed = f'<div class="tools"><ul>{"".join(self._tool(*tool) for tool in tools)}</ul></div>'
        under = f'<div class="catlinks"><ul><li>{a(self._category(thread.board, 0), world.titles[thread.board])}</li></ul></div>'
        yield self.page(self.article(thread), "article", thread.title, text, under, listed)
        yield self.page(self.action(thread, "printable=yes"), "print", thread.title, text, under)
        warning = '<div class="warning"><p>An old version.</p></div>'
        yield self.page(
            self.action(thread, f"oldid={thread.number * 100}"), "old", thread.title, warning, text, under, listed
        )
        yield from self.refusals([self.action(thread, "action=edit")])
        comments = "".join(
            f"<h2>{n}</h2>{world.body('talk', thread.number, n)}<p>{a(self.user(user), world.names[user])} "
            f"{a(f'/index.php?title=User_talk:{user}&action=edit', 'talk', 'new')}</p>"
            for n, user in enumerate(thread.posts[1:ON_A_PAGE], 1)
        )
        if comments:
            yield self.page(self.article(thread, "Talk:"), "talk", f"Talk:{thread.title}", comments, listed)
        versions = "".join(
            f"<li>{a(self.action(thread, f'oldid={thread.number * 100}'), 'then')} "
            f"{a(self.user(user), world.names[user], 'mw-userlink')} "
            f"{a(self.user(user, 'Special:Contributions/User'), 'contribs')}</li>"
            for user in thread.posts[:50]
        )
        yield self.page(
            self.action(thread, "action=history"), "history", thread.title, f"<ul id='pagehistory'>{versions}</ul>"
        )
        back = "".join(f"<li>{a(self.article(t), t.title)}</li>" for t in near)
        yield self.page(f"/wiki/Special:WhatLinksHere/{name}", "backlinks", thread.title, f"<ul>{back}</ul>")

    def _missing(self, thread: Thread) -> str:
        return f"/index.php?title=Missing_{thread.number}&action=edit&redlink=1"

    def _text(self, thread: Thread) -> tuple[str, list[Thread]]:
        """Sections with links to other articles, now and then to one that nobody wrote."""
        world, parts, near = self.world, [], []
        for n in range(1 + thread.number % 4):
            other = world.threads[(thread.number * (7 + n) + n * 31) % len(world.threads)]
            near.append(other)
            missing = a(self._missing(thread), "missing", "new") if n == 2 else ""
            parts.append(
                f"<h2>{other.title}</h2>{world.body(thread.number, n)}<p>See {a(self.article(other), other.title)} {missing}</p>"
            )
        box = f"<table class='infobox'><tr><td>{thread.number}</td></tr></table>" if thread.number % 3 else ""
        return box + "".join(parts), near
