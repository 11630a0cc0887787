"""After vBulletin: query strings, nested tables with hardly a class, post permalinks that show whole threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from .world import IN_A_LIST, ON_A_PAGE, Made, Software, Thread, a, chunks, pager

SORTS = ("title", "replycount", "views", "lastpost")


class VBulletin(Software):
    """A thread is at ?t=, at ?p= of each first post of a page, in print and in the archive."""

    same: ClassVar[Mapping[str, str]] = {"permalink": "thread", "sorted": "board"}

    content = ("thread", "permalink", "profile")

    def frame(self, title: str, body: str) -> str:
        menu = "".join(
            f"<td><a href='/{path}'>{text}</a></td>"
            for path, text in (
                ("faq.php", "FAQ"),
                ("memberlist.php", "Members"),
                ("calendar.php?m=1", "Calendar"),
                ("search.php", "Search"),
                ("register.php", "Register"),
            )
        )
        jump = "".join(f"<div>{a(self.board(n, 0), t)}</div>" for n, t in enumerate(self.world.titles))
        return (
            f"<table><tr><td><a href='/'>Home</a> &gt; {title}</td></tr></table><table><tr>{menu}</tr></table>"
            f"<div><table><tr><td>{body}</td></tr></table></div><table><tr><td>{jump}</td></tr></table>"
            f"<div>{a('/archive/index.php', 'Archive')} {a('http://ads.example/x', 'Buy')}</div>"
        )

    def board(self, number: int, part: int, sort: str = "") -> str:
        return (
            f"/forumdisplay.php?f={number + 1}"
            + (f"&sort={sort}" if sort else "")
            + (f"&page={part + 1}" if part else "")
        )

    def thread(self, thread: Thread, part: int = 0) -> str:
        return f"/showthread.php?t={thread.number}" + (f"&page={part + 1}" if part else "")

    def post(self, thread: Thread, part: int) -> str:
        return f"/showthread.php?p={thread.number * 100 + part * ON_A_PAGE}"

    def user(self, number: int) -> str:
        return f"/member.php?u={number}"

    def row(self, thread: Thread) -> str:
        last = thread.posts[-1]
        return (
            f"<tr><td><img src='/icon.gif'></td><td><div>{a(self.thread(thread), thread.title)} "
            f"{pager([self.thread(thread, n) for n in range(thread.parts)], -1)}"
            f"</div><div><span>{self.world.names[thread.posts[0]]}"
            f"</span></div></td><td><div>12:30<br>by {a(self.user(last), self.world.names[last])} "
            f"{a(self.post(thread, thread.parts - 1), '&raquo;')}</div></td>"
            f"<td>{a(f'/misc.php?do=whoposted&t={thread.number}', 7)}</td></tr>"
        )

    def pages(self) -> Iterator[Made]:
        world = self.world
        boards = "".join(
            f"<tr><td>{a(self.board(n, 0), title)}</td><td><div>{a(self.post(rows[0], rows[0].parts - 1), 'last')} by "
            f"{a(self.user(rows[0].posts[-1]), 'x')}</div></td></tr>"
            for n, (title, rows) in enumerate(zip(world.titles, world.by_board, strict=True))
            if rows
        )
        yield self.page("/", "index", "Forums", f"<table>{boards}</table>")
        for number, rows in enumerate(world.by_board):
            for sort in ("", *SORTS[: 2 if number < 4 else 0]):
                ordered = sorted(rows, key=lambda thread: thread.title) if sort == "title" else rows
                yield from self._board(number, chunks(ordered), sort)
        for thread in world.threads:
            yield from self._thread(thread)
        for user, name in world.names.items():
            facts = "".join(
                f"<tr><td>{word}</td><td>{user * 7 % 90}</td></tr>" for word in ("Joined", "Posts", "Location")
            )
            links = (
                f"<div>{a(f'/search.php?do=finduser&u={user}', 'Find all posts')} {a(f'/private.php?do=newpm&u={user}', 'PM')}"
                f"</div>"
            )
            yield self.page(
                self.user(user),
                "profile",
                name,
                f"<table><tr><th>{name}</th></tr>{facts}</table>{links}",
                world.body("sig", user),
            )
            if user % 2:
                found = "".join(self.row(thread) for thread in world.by_user[user][:IN_A_LIST])
                yield self.page(f"/search.php?do=finduser&u={user}", "search", "Search", f"<table>{found}</table>")
        yield from self._lists()
        private = [f"/private.php?do=newpm&u={user}" for user in world.names]
        yield from self.refusals(["/search.php", "/register.php", *private])

    def _board(self, number: int, parts: list[list[Thread]], sort: str) -> Iterator[Made]:
        paths = [self.board(number, n, sort) for n in range(len(parts))]
        heads = "".join(f"<td>{a(self.board(number, 0, word), word)}</td>" for word in SORTS[:2]) if number < 4 else ""
        for n, rows in enumerate(parts):
            table = f"<table><tr>{heads}</tr>{''.join(map(self.row, rows))}</table>"
            kind = "sorted" if sort else "board"
            yield self.page(
                paths[n],
                kind,
                self.world.titles[number],
                f"<div>{pager(paths, n)}</div>{table}<div>{pager(paths, n)}</div>",
            )

    def _thread(self, thread: Thread) -> Iterator[Made]:
        paths = [self.thread(thread, n) for n in range(thread.parts)]
        tools = (
            f"<div>{a(f'/printthread.php?t={thread.number}', 'Print')} {a(f'/sendmessage.php?t={thread.number}', 'Email')}"
            f"</div>"
        )
        for n in range(thread.parts):
            posts = "".join(
                self._post(thread, place) for place in range(n * ON_A_PAGE, min((n + 1) * ON_A_PAGE, len(thread.posts)))
            )
            body = f"<div>{pager(paths, n)}</div>{tools}{posts}<div>{a(self.board(thread.board, 0), 'Up')}</div>"
            yield self.page(paths[n], "thread", thread.title, body)
            yield self.page(self.post(thread, n), "permalink", thread.title, body)
        text = "".join(
            f"<hr><p>{self.world.names[user]}</p>{self.world.body(thread.number, n)}"
            for n, user in enumerate(thread.posts)
        )
        yield Made(
            f"/printthread.php?t={thread.number}", "print", f"<html><body><h1>{thread.title}</h1>{text}</body></html>"
        )
        yield from self.refusals([f"/sendmessage.php?t={thread.number}"])
        who = "".join(
            f"<tr><td>{a(self.user(user), self.world.names[user])}</td><td>1</td></tr>"
            for user in dict.fromkeys(thread.posts)
        )
        yield Made(
            f"/misc.php?do=whoposted&t={thread.number}", "popup", f"<html><body><table>{who}</table></body></html>"
        )
        yield Made(
            f"/archive/index.php/t-{thread.number}.html", "archive", f"<html><body><div>{text}</div></body></html>"
        )

    def _post(self, thread: Thread, place: int) -> str:
        user = thread.posts[place]
        return (
            f"<table><tr><td><div>{a(self.user(user), self.world.names[user])}</div><div>Member</div></td><td><div>"
            f"{self.world.body(thread.number, place)}</div></td></tr><tr><td>{place + 1}</td></tr></table>"
        )

    def _lists(self) -> Iterator[Made]:
        users = list(self.world.names)
        parts = [users[start : start + IN_A_LIST] for start in range(0, len(users), IN_A_LIST)]
        paths = ["/memberlist.php" + (f"?page={n + 1}" if n else "") for n in range(len(parts))]
        for n, part in enumerate(parts):
            rows = "".join(
                f"<tr><td>{a(self.user(user), self.world.names[user])}</td><td>{user}</td></tr>" for user in part
            )
            yield self.page(paths[n], "memberlist", "Members", f"<table>{rows}</table><div>{pager(paths, n)}</div>")
        for month in range(1, 60):
            days = "".join(f"<td>{day}</td>" for day in range(1, 31))
            turn = f"{a(f'/calendar.php?m={month + 1}', '&gt;')}" if month < 59 else ""
            yield self.page(f"/calendar.php?m={month}", "calendar", "Calendar", f"<table><tr>{days}</tr></table>{turn}")
        yield self.page(
            "/faq.php", "faq", "FAQ", *(f"<h3>{n}</h3><p>{title}</p>" for n, title in enumerate(self.world.titles))
        )
        links = "".join(
            f"<li>{a(f'/archive/index.php/t-{t.number}.html', t.title)}</li>" for t in self.world.threads[:200]
        )
        yield Made("/archive/index.php", "archive list", f"<html><body><ol>{links}</ol></body></html>")
