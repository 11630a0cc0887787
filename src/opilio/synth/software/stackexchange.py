"""After Stack Exchange: questions with answers in several orders, short addresses that redirect, tags, users with tabs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from .world import Made, Software, Thread, a, chunks, pager

SORTS = ("newest", "active", "votes")
USERS = 36  # in a list


class StackExchange(Software):
    """?answertab= shows the same answers sorted otherwise, /q/N and /a/N redirect; editing and flagging are for members only."""

    target, second, content = "question", "profile", ("question", "profile")
    same: ClassVar[Mapping[str, str]] = {"permalink": "question", "sorted": "list", "tagged": "list", "tab": "profile"}

    def frame(self, title: str, body: str) -> str:
        menu = "".join(
            f"<li>{a(path, path[1:], 's-nav')}</li>" for path in ("/questions", "/tags", "/users", "/unanswered")
        )
        hot = "".join(f"<li>{a(self.question(t), t.title, 'hot')}</li>" for t in self.world.threads[100:106])
        return (
            f'<div class="topbar">{a("/", "Home")}{a("/users/login", "Log in")}</div><div class="container">'
            f'<div id="left"><ol>{menu}</ol></div><div id="content"><h1>{title}</h1>{body}</div>'
            f'<div id="sidebar"><ul>{hot}</ul></div></div><div id="footer">{a("/help", "Help")} {a("/legal", "Legal")}</div>'
        )

    def question(self, thread: Thread) -> str:
        return f"/questions/{thread.number}/{thread.slug}"

    def user(self, number: int) -> str:
        return f"/users/{number}/{self.world.names[number].lower()}"

    def tags(self, thread: Thread) -> str:
        words = dict.fromkeys(word[:2] for word in thread.slug.split("-"))
        return "".join(a(f"/questions/tagged/{word}", word, "post-tag") for word in words)

    def summary(self, thread: Thread) -> str:
        first, last = thread.posts[0], thread.posts[-1]
        return (
            f'<div class="summary"><div class="stats">{len(thread.posts) - 1}</div><div class="excerpt">'
            f"<h3>{a(self.question(thread), thread.title)}</h3><div>{self.world.body(thread.number, 0)[:80]}</div>"
            f'<div class="tags">{self.tags(thread)}</div><div class="started">{a(self.user(first), self.world.names[first])}'
            f"{a(self.question(thread) + '?noredirect=1', 'asked') if thread.number % 3 == 0 else ''}"
            f"{a(self.user(last), self.world.names[last])}</div></div></div>"
        )

    def pages(self) -> Iterator[Made]:
        world = self.world
        yield self.page("/", "index", "Top questions", *map(self.summary, world.threads[-30:]))
        tagged: dict[str, list[Thread]] = {}
        for thread in world.threads[::-1]:
            for word in dict.fromkeys(word[:2] for word in thread.slug.split("-")):
                tagged.setdefault(word, []).append(thread)
        lists = [("/questions", "list", world.threads[::-1], SORTS), ("/unanswered", "list", world.threads[::5], ())]
        lists += [(f"/questions/tagged/{word}", "tagged", rows, SORTS[:2]) for word, rows in tagged.items()]
        for path, kind, rows, sorts in lists:
            for sort in ("", *sorts):
                ordered = sorted(rows, key=lambda thread: len(thread.posts)) if sort else rows
                yield from self._list(path, kind, chunks(ordered, 15), sort, sorts)
        for thread in world.threads:
            yield from self._question(thread)
        yield from self._people()
        cells = [f"<div class='tag-cell'>{a(f'/questions/tagged/{word}', word, 'post-tag')}</div>" for word in tagged]
        yield self.page("/tags", "tags", "Tags", *cells)
        for path in ("/help", "/legal"):
            yield self.page(path, "text", path, *(world.body(path, n) for n in range(3)))
        yield from self.refusals(["/users/login"])

    def _list(
        self, path: str, kind: str, parts: list[list[Thread]], sort: str, sorts: tuple[str, ...]
    ) -> Iterator[Made]:
        query = [f"tab={sort}"] if sort else []
        paths = [
            path + ("?" if query or n else "") + "&".join(query + [f"page={n + 1}"] * bool(n))
            for n in range(len(parts))
        ]
        tabs = "".join(a(f"{path}?tab={word}", word, "tab") for word in sorts)
        for n, part in enumerate(parts):
            body = f"<div class='tabs'>{tabs}</div>{''.join(map(self.summary, part))}<div class='pager'>{pager(paths, n)}</div>"
            yield self.page(paths[n], "sorted" if sort else kind, path, body)

    def _question(self, thread: Thread) -> Iterator[Made]:
        world, number = self.world, thread.number
        near = [world.threads[(number * n) % len(world.threads)] for n in (3, 5, 7, 11, 13)]
        related = "".join(f"<div class='spacer'>{a(self.question(t), t.title)}</div>" for t in near)
        for sort in ("", "?answertab=active", "?answertab=votes", "?noredirect=1"):
            if sort == "?noredirect=1" and number % 3:
                continue
            order = thread.posts[1:] if sort in ("", "?noredirect=1") else thread.posts[:0:-1]
            answers = "".join(self._post(thread, place, user) for place, user in enumerate(order[:30], 1))
            tabs = "".join(a(f"{self.question(thread)}?answertab={word}", word) for word in ("active", "votes"))
            body = (
                f"{self._post(thread, 0, thread.posts[0])}<div class='post-taglist'>{self.tags(thread)}</div>"
                f"<div class='answers'><div class='subtabs'>{tabs if len(order) > 1 else ''}</div>{answers}</div>"
                f"<div class='related'>{related}</div>"
            )
            if len(order) > 1 or "answertab" not in sort:
                yield self.page(self.question(thread) + sort, "permalink" if sort else "question", thread.title, body)
        yield Made(f"/q/{number}", "redirect", target=self.question(thread))
        for place in range(1, min(31, len(thread.posts))):
            yield Made(f"/a/{number * 100 + place}", "redirect", target=self.question(thread))
        yield from self.refusals([f"/posts/{number}/edit", f"/posts/{number}/flag"])
        versions = "".join(f"<tr><td>{a(self.user(user), world.names[user])}</td></tr>" for user in thread.posts[:3])
        yield self.page(f"/posts/{number}/revisions", "revisions", thread.title, f"<table>{versions}</table>")

    def _post(self, thread: Thread, place: int, user: int) -> str:
        number = thread.number
        share = f"/a/{number * 100 + place}" if place else f"/q/{number}"
        menu = [(share, "share"), (f"/posts/{number}/edit", "edit"), (f"/posts/{number}/flag", "flag")]
        body = self.world.body(number, place)
        return (
            f'<div class="{"answer" if place else "question"}"><div class="post-text">{body}</div>'
            f"<div class='post-menu'>{''.join(a(path, word) for path, word in menu)}</div>"
            f'<div class="post-signature">{a(f"/posts/{number}/revisions", "edited") if not place else ""}'
            f'<div class="user-details">{a(self.user(user), self.world.names[user])}</div></div></div>'
        )

    def _people(self) -> Iterator[Made]:
        world = self.world
        users = list(world.names)
        parts = [users[start : start + USERS] for start in range(0, len(users), USERS)]
        for tab in ("", "tab=new"):
            paths = [
                "/users" + "?" * bool(tab or n) + "&".join([tab] * bool(tab) + [f"page={n + 1}"] * bool(n))
                for n in range(len(parts))
            ]
            for n, part in enumerate(parts):
                cells = "".join(
                    f"<div class='user-info'>{a(self.user(u), world.names[u])}</div>" for u in part[:: -1 if tab else 1]
                )
                body = f"<div>{a('/users?tab=new', 'new')}</div>{cells}<div class='pager'>{pager(paths, n)}</div>"
                yield self.page(paths[n], "memberlist", "Users", body)
        for user, name in world.names.items():
            mine = "".join(f"<div class='row'>{a(self.question(t), t.title)}</div>" for t in world.by_user[user][:10])
            tabs = "".join(a(f"{self.user(user)}?tab={tab}", tab) for tab in ("profile", "activity"))
            card = f"<div class='user-card'><h2>{name}</h2>{tabs}</div>"
            yield self.page(
                self.user(user), "profile", name, card, world.body("about", user), f"<div class='top'>{mine}</div>"
            )
            yield self.page(
                f"{self.user(user)}?tab=profile",
                "tab",
                name,
                card,
                world.body("about", user),
                f"<div class='top'>{mine}</div>",
            )
            if world.by_user[user]:
                yield self.page(
                    f"{self.user(user)}?tab=activity", "activity", name, card, f"<div class='all'>{mine}</div>"
                )
