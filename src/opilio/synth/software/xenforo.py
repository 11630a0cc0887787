"""After XenForo: readable addresses with a number, links that redirect to the last post, lists of what is new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from .world import IN_A_LIST, ON_A_PAGE, Made, Software, Thread, a, chunks, pager


class XenForo(Software):
    """Structured items with classes; /latest and /post-N redirect; tags and what is new are further lists of threads."""

    same: ClassVar[Mapping[str, str]] = {"new": "board"}

    def frame(self, title: str, body: str) -> str:
        tabs = "".join(
            f'<li><a class="navTab" href="{path}">{path}</a></li>'
            for path in ("/", "/whats-new/", "/members/", "/help/")
        )
        return (
            f'<div class="p-nav"><ul>{tabs}</ul></div><div class="p-body"><div class="p-title"><h1>{title}</h1></div>{body}'
            f'<div class="p-side">'
            f"<ul>{''.join(f'<li>{a(self.thread(t), t.title)}</li>' for t in self.world.threads[-5:])}</ul></div></div>"
        )

    def board(self, number: int, part: int) -> str:
        return f"/forums/{self.world.titles[number].lower().replace(' ', '-')}.{number + 1}/" + (
            f"page-{part + 1}" if part else ""
        )

    def thread(self, thread: Thread, part: int = 0) -> str:
        return f"/threads/{thread.slug}.{thread.number}/" + (f"page-{part + 1}" if part else "")

    def user(self, number: int) -> str:
        return f"/members/{self.world.names[number].lower()}.{number}/"

    def item(self, thread: Thread) -> str:
        first, last = thread.posts[0], thread.posts[-1]
        return (
            f'<div class="structItem"><div class="cell--main"><div class="title">{a(self.thread(thread), thread.title)}</div>'
            f'<div class="minor">{a(self.user(first), self.world.names[first], "username")} '
            f'{a(self.thread(thread), "2 May", "u-dt")}</div></div><div class="cell--latest">'
            f"{a(self.thread(thread) + 'latest', 'today')} {a(self.user(last), self.world.names[last], 'username')}</div></div>"
        )

    def pages(self) -> Iterator[Made]:
        world = self.world
        nodes = "".join(
            f'<div class="node"><h3 class="node-title">{a(self.board(n, 0), t)}</h3></div>'
            for n, t in enumerate(world.titles)
        )
        yield self.page("/", "index", "Forums", nodes)
        for number, threads in enumerate(world.by_board):
            parts = chunks(threads)
            paths = [self.board(number, n) for n in range(len(parts))]
            for n, part in enumerate(parts):
                yield self.page(
                    paths[n],
                    "board",
                    world.titles[number],
                    *map(self.item, part),
                    f'<div class="pageNav">{pager(paths, n)}</div>',
                )
        for thread in world.threads:
            yield from self._thread(thread)
        for user, name in world.names.items():
            recent = "".join(
                f"<li>{a(self.thread(t), t.title)} {a(self.thread(t) + 'latest', 'last')}</li>"
                for t in world.by_user[user][:6]
            )
            tabs = [a(self.user(user) + tab, tab, "tabs-tab") for tab in ("about", "recent-content") if user % 3 == 0]
            yield self.page(
                self.user(user),
                "profile",
                name,
                f'<div class="memberHeader"><h1>{name}</h1>{"".join(tabs)}</div><ol>{recent}</ol>',
            )
            if user % 3 == 0:
                yield self.page(self.user(user) + "about", "about", name, world.body("about", user))
                yield self.page(self.user(user) + "recent-content", "recent", name, f"<ol>{recent}</ol>")
        yield from self._lists()

    def _lists(self) -> Iterator[Made]:
        newest = chunks(self.world.threads[::-1])[:12]
        paths = ["/whats-new/" + (f"page-{n + 1}" if n else "") for n in range(len(newest))]
        for n, part in enumerate(newest):
            yield self.page(
                paths[n], "new", "What is new", *map(self.item, part), f'<div class="pageNav">{pager(paths, n)}</div>'
            )
        users = list(self.world.names)[: 4 * IN_A_LIST]
        rows = "".join(
            f'<li class="block-row"><h3>{a(self.user(u), self.world.names[u], "username")}</h3></li>' for u in users
        )
        yield self.page("/members/", "memberlist", "Notable members", f"<ol>{rows}</ol>")
        yield self.page("/help/", "help", "Help", self.world.body("help"))

    def _thread(self, thread: Thread) -> Iterator[Made]:
        paths = [self.thread(thread, n) for n in range(thread.parts)]
        for n in range(thread.parts):
            posts = "".join(
                self._message(thread, place)
                for place in range(n * ON_A_PAGE, min((n + 1) * ON_A_PAGE, len(thread.posts)))
            )
            crumb = f'<ul class="crumbs"><li>{a(self.board(thread.board, 0), "up")}</li></ul>'
            yield self.page(
                paths[n], "thread", thread.title, crumb, f'<div class="pageNav">{pager(paths, n)}</div>', posts
            )
            yield Made(f"{self.thread(thread)}post-{thread.number * 100 + n * ON_A_PAGE}", "redirect", target=paths[n])
        yield Made(self.thread(thread) + "latest", "redirect", target=paths[-1])

    def _message(self, thread: Thread, place: int) -> str:
        user, first = thread.posts[place], place // ON_A_PAGE * ON_A_PAGE
        return (
            f'<article class="message"><div class="message-user">'
            f"<h4>{a(self.user(user), self.world.names[user], 'username')}</h4></div>"
            f'<div class="message-main"><ul>'
            f"<li>{a(f'{self.thread(thread)}post-{thread.number * 100 + first}', f'#{place + 1}')}</li></ul>"
            f'<div class="bbWrapper">{self.world.body(thread.number, place)}</div></div></article>'
        )
