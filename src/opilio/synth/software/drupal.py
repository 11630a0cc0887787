"""After Drupal: nodes by number, comments with addresses of their own, terms, trackers, print versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from .world import IN_A_LIST, ON_A_PAGE, Made, Software, Thread, a, chunks, pager


class Drupal(Software):
    """/comment/N shows the node that the comment stands on; adding comments is for members only."""

    same: ClassVar[Mapping[str, str]] = {"permalink": "thread", "tracker": "board"}

    content = ("thread", "permalink", "profile")

    def frame(self, title: str, body: str) -> str:
        blocks = "".join(
            f'<li class="leaf">{a(f"/taxonomy/term/{n + 1}", t)}</li>' for n, t in enumerate(self.world.titles[:4])
        )
        return (
            f'<div id="header">{a("/", "Home")} {a("/tracker", "Recent")} {a("/user/login", "Log in")}</div>'
            f'<div class="sidebar"><ul class="menu">{blocks}</ul></div>'
            f'<div id="content"><h1 class="title">{title}</h1>{body}</div>'
        )

    def board(self, number: int, part: int) -> str:
        return f"/forum/{number + 1}" + (f"?page={part}" if part else "")

    def thread(self, thread: Thread, part: int = 0) -> str:
        return f"/node/{thread.number}" + (f"?page={part}" if part else "")

    def user(self, number: int) -> str:
        return f"/user/{number}"

    def row(self, thread: Thread) -> str:
        first, last = thread.posts[0], thread.posts[-1]
        return (
            f"<tr class='odd'><td class='title'>{a(self.thread(thread), thread.title)}"
            f"<br>by {a(self.user(first), self.world.names[first])}</td>"
            f"<td class='replies'>{len(thread.posts)}<br>{a(f'/comment/{thread.number * 100}', '1 new')}</td>"
            f"<td class='last'>by {a(self.user(last), self.world.names[last])}</td></tr>"
        )

    def pages(self) -> Iterator[Made]:
        world = self.world
        rows = "".join(
            f"<tr><td class='container'>{a(self.board(n, 0), t)}</td></tr>" for n, t in enumerate(world.titles)
        )
        yield self.page("/", "index", "Forums", f"<table class='forum'>{rows}</table>")
        lists = [
            (world.titles[n], "board", chunks(rows), [self.board(n, k) for k in range(99)])
            for n, rows in enumerate(world.by_board)
        ]
        tracked = chunks(world.threads[::-1])[:20]
        lists.append(("Recent", "tracker", tracked, ["/tracker" + (f"?page={n}" if n else "") for n in range(20)]))
        for title, kind, parts, paths in lists:
            for n, part in enumerate(parts):
                body = (
                    f"<table class='forum'>{''.join(map(self.row, part))}</table>"
                    f"<div class='pager'>{pager(paths[: len(parts)], n)}</div>"
                )
                yield self.page(paths[n], kind, title, body)
        for thread in world.threads:
            yield from self._node(thread)
        for user, name in world.names.items():
            facts = f"<dl><dt>Member for</dt><dd>{user % 9} years</dd></dl>"
            yield self.page(self.user(user), "profile", name, facts, a(f"/user/{user}/track", "Track"))
            mine = "".join(map(self.row, world.by_user[user][:IN_A_LIST]))
            yield self.page(f"/user/{user}/track", "track", name, f"<table>{mine}</table>")
        for n, title in enumerate(world.titles[:4]):
            teasers = "".join(
                f"<div class='node'><h2>{a(self.thread(t), t.title)}</h2>{world.body(t.number, 0)}</div>"
                for t in world.by_board[n][:10]
            )
            yield self.page(f"/taxonomy/term/{n + 1}", "term", title, teasers)
        yield from self.refusals(["/user/login"])

    def _node(self, thread: Thread) -> Iterator[Made]:
        paths = [self.thread(thread, n) for n in range(thread.parts)]
        first, rest = thread.posts[0], thread.posts[1:]
        for n in range(thread.parts):
            posts = "".join(
                self._comment(thread, place) for place in range(n * ON_A_PAGE, min((n + 1) * ON_A_PAGE, len(rest)))
            )
            body = (
                f"<div class='node'><div class='submitted'>{a(self.user(first), self.world.names[first])}"
                f"</div>{self.world.body(thread.number, 0)}"
                f"<ul class='links'><li>{a(f'/print/{thread.number}', 'Print')}</li>"
                f"<li>{a(f'/comment/reply/{thread.number}', 'Reply')}</li></ul></div>"
                f"<div id='comments'>{posts}</div><div class='pager'>{pager(paths, n)}</div>"
                f"{a(self.board(thread.board, 0), 'up')}"
            )
            yield self.page(paths[n], "thread", thread.title, body)
            if not n:
                yield self.page(f"/comment/{thread.number * 100}", "permalink", thread.title, body)
        yield Made(
            f"/print/{thread.number}",
            "print",
            f"<html><body><h1>{thread.title}</h1>{self.world.body(thread.number, 0)}</body></html>",
        )
        yield from self.refusals([f"/comment/reply/{thread.number}"])

    def _comment(self, thread: Thread, place: int) -> str:
        user = thread.posts[place + 1]
        return (
            f"<div class='comment'><div class='submitted'>{a(self.user(user), self.world.names[user])} "
            f"{a(f'/comment/{thread.number * 100}', 'permalink')}</div>{self.world.body(thread.number, place + 1)}"
            f"<ul class='links'><li>{a(f'/comment/reply/{thread.number}', 'reply')}</li></ul></div>"
        )
