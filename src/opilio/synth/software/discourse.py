"""After Discourse as it shows itself to crawlers: topics with addresses for each post, categories, tags, lists of what is new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from .world import IN_A_LIST, ON_A_PAGE, Made, Software, Thread, a, chunks

LISTS = ("latest", "top", "new")


class Discourse(Software):
    """/t/NAME/N/POST is the topic again, /t/N redirects to it; profiles have tabs; lists have nothing but a next page."""

    same: ClassVar[Mapping[str, str]] = {
        "permalink": "thread",
        "summary": "profile",
        "latest": "board",
        "top": "board",
        "new": "board",
        "tag": "board",
    }

    def frame(self, title: str, body: str) -> str:
        menu = "".join(
            f'<span itemprop="itemListElement">{a(f"/{word}", word)}</span>' for word in ("latest", "top", "categories")
        )
        return (
            f'<header><a href="/"><img src="/logo.png"></a></header>'
            f'<div id="main-outlet" class="wrap"><h1>{title}</h1>{body}</div>'
            f'<footer class="crawler-nav"><nav>{menu}{a("/guidelines", "Guidelines")}{a("/tos", "Terms")}{a("/about", "About")}'
            f"{a('/login', 'Log in')}</nav></footer>"
        )

    def thread(self, thread: Thread, part: int = 0) -> str:
        return f"/t/{thread.slug}/{thread.number}" + (f"?page={part + 1}" if part else "")

    def category(self, number: int) -> str:
        return f"/c/{self.world.titles[number].lower().replace(' ', '-')}/{number + 1}"

    def user(self, number: int) -> str:
        return f"/u/{self.world.names[number].lower()}"

    def row(self, thread: Thread) -> str:
        users = dict.fromkeys([thread.posts[0], thread.posts[-1]])
        posters = "".join(f'<a class="poster" href="{self.user(user)}"><img src="/f.png"></a>' for user in users)
        tag = thread.slug.split("-")[0]
        return (
            f'<tr class="topic-list-item"><td class="main-link"><span class="link-top-line">'
            f"{a(self.thread(thread), thread.title, 'title raw-link')}</span>"
            f'<div class="link-bottom-line">{a(self.category(thread.board), "in", "badge-wrapper")} '
            f"{a(f'/tag/{tag}', tag, 'discourse-tag') if thread.number % 4 == 0 else ''}</div></td>"
            f'<td class="posters">{posters}</td><td class="replies">{len(thread.posts)}</td>'
            f"<td>{a(f'{self.thread(thread)}/{len(thread.posts)}', '1d') if thread.number % 2 else '1d'}</td></tr>"
        )

    def pages(self) -> Iterator[Made]:
        world = self.world
        lists = [("/" + word, word, world.threads[:: -1 if word != "top" else 1]) for word in LISTS]
        lists += [(self.category(n), "board", rows) for n, rows in enumerate(world.by_board)]
        tagged: dict[str, list[Thread]] = {}
        for thread in world.threads[3::4]:
            tagged.setdefault(thread.slug.split("-")[0], []).append(thread)
        lists += [(f"/tag/{word}", "tag", rows) for word, rows in tagged.items()]
        boards = "".join(
            f'<tr><td class="category"><h3>{a(self.category(n), t)}</h3></td></tr>' for n, t in enumerate(world.titles)
        )
        newest = "".join(map(self.row, world.threads[: -IN_A_LIST - 1 : -1]))
        front = f"<table class='topic-list'>{newest}</table>{a('/latest?page=1', 'next page')}"
        yield self.page("/", "index", "Forum", front)
        yield self.page("/categories", "index", "Categories", f"<table class='category-list'>{boards}</table>")
        for path, kind, rows in lists:
            parts = chunks(rows)
            for n, part in enumerate(parts):
                more = (
                    f'<div class="navigation">{a(f"{path}?page={n + 1}", "next page")}</div>'
                    if n + 1 < len(parts)
                    else ""
                )
                table = f"<table class='topic-list'>{''.join(map(self.row, part))}</table>{more}"
                yield self.page(path + (f"?page={n}" if n else ""), kind, path, table)
        for thread in world.threads:
            yield from self._thread(thread)
        for user, name in world.names.items():
            yield from self._profile(user, name)
        for path in ("/guidelines", "/tos", "/about"):
            yield self.page(path, "text", path, *(world.body(path, n) for n in range(4)))
        yield from self.refusals(["/login"])

    def _first(self, thread: Thread, user: int) -> str:
        """The address of the first post of the page on which somebody wrote."""
        return f"{self.thread(thread)}/{1 + thread.posts.index(user) // ON_A_PAGE * ON_A_PAGE}"

    def _profile(self, user: int, name: str) -> Iterator[Made]:
        mine = self.world.by_user[user]
        shown = "".join(f'<li class="topic">{a(self.thread(t), t.title)}</li>' for t in mine[:6])
        tabs = "".join(f"<li>{a(f'{self.user(user)}/{tab}', tab)}</li>" for tab in ("summary", "activity", "badges"))
        facts = f'<div class="user-crawler"><h2 class="username">{name}</h2><ul class="nav">{tabs}</ul></div>'
        yield self.page(self.user(user), "profile", name, facts, f"<p>{name}</p><ul class='top'>{shown}</ul>")
        yield self.page(f"{self.user(user)}/summary", "summary", name, facts, f"<ul class='top'>{shown}</ul>")
        posts = "".join(
            f'<div class="excerpt">{a(self._first(t, user), t.title)}{self.world.body(user, t.number)}</div>'
            for t in mine[:20]
        )
        yield self.page(f"{self.user(user)}/activity", "activity", name, facts, posts)
        yield from self.refusals([f"{self.user(user)}/badges"])

    def _thread(self, thread: Thread) -> Iterator[Made]:
        crumb = f'<div class="topic-category"><span class="badge">{a(self.category(thread.board), "in")}</span></div>'
        near = [self.world.threads[(thread.number * n) % len(self.world.threads)] for n in (3, 5, 7, 11)]
        related = f"<div class='suggested'><table class='topic-list'>{''.join(map(self.row, near))}</table></div>"
        for n in range(thread.parts):
            places = range(n * ON_A_PAGE, min((n + 1) * ON_A_PAGE, len(thread.posts)))
            posts = "".join(self._post(thread, place) for place in places)
            turn = " ".join(
                a(self.thread(thread, k), word)
                for k, word in ((n - 1, "previous page"), (n + 1, "next page"))
                if 0 <= k < thread.parts
            )
            body = f"{crumb}{posts}<div class='navigation'>{turn}</div>{related}"
            yield self.page(self.thread(thread, n), "thread", thread.title, body)
            for place in {places[0], places[-1]}:
                yield self.page(f"{self.thread(thread)}/{place + 1}", "permalink", thread.title, body)
        yield Made(f"/t/{thread.number}", "redirect", target=self.thread(thread))

    def _post(self, thread: Thread, place: int) -> str:
        user = thread.posts[place]
        first = place // ON_A_PAGE * ON_A_PAGE
        quoted = self.world.threads[(thread.number + place * 13) % len(self.world.threads)]
        beside = f'<div class="link-list">{a(f"/t/{quoted.number}", quoted.title)}</div>' if place % 7 == 3 else ""
        return (
            f'<div class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator">'
            f"{a(self.user(user), self.world.names[user])}</span>"
            f"{a(f'{self.thread(thread)}/{first + 1}', f'#{place + 1}', 'post-date')}</div>"
            f'<div class="post">{self.world.body(thread.number, place)}</div>{beside}</div>'
        )
