"""After phpBB: a session id in the links of the first page, print views, two addresses for each thread, search by author."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from .world import IN_A_LIST, ON_A_PAGE, Made, Software, Thread, a, chunks, pager


class PhpBB(Software):
    """Lists of definition lists with classes."""

    same: ClassVar[Mapping[str, str]] = {"permalink": "thread"}

    content = ("thread", "permalink", "profile")

    def frame(self, title: str, body: str) -> str:
        menu = "".join(
            f'<li class="icon-{word}">{a(f"/{word}.php", word)}</li>' for word in ("faq", "search", "ucp", "memberlist")
        )
        return (
            f'<div id="wrap"><div class="headerbar"><h1>{a("/", "Board")}</h1><ul class="linklist">{menu}</ul></div>'
            f'<div id="page-body"><h2>{title}</h2>{body}</div>'
            f'<div class="navbar">{a("/memberlist.php?mode=leaders", "team")}</div></div>'
        )

    def board(self, number: int, part: int) -> str:
        return f"/viewforum.php?f={number + 1}" + (f"&start={part * IN_A_LIST}" if part else "")

    def thread(self, thread: Thread, part: int = 0, whole: bool = True) -> str:
        forum = f"f={thread.board + 1}&" if whole else ""
        return f"/viewtopic.php?{forum}t={thread.number}" + (f"&start={part * ON_A_PAGE}" if part else "")

    def user(self, number: int) -> str:
        return f"/memberlist.php?mode=viewprofile&u={number}"

    def row(self, thread: Thread, whole: bool = True) -> str:
        first, last = thread.posts[0], thread.posts[-1]
        parts = "".join(a(self.thread(thread, n), n + 1) for n in range(1, thread.parts))
        return (
            f'<li class="row"><dl class="icon"><dt>{a(self.thread(thread, 0, whole), thread.title, "topictitle")} '
            f'<span class="pagination">{parts}</span><br>by {a(self.user(first), self.world.names[first])}</dt>'
            f'<dd class="posts">{len(thread.posts)}</dd><dd class="lastpost">'
            f"<span>by {a(self.user(last), self.world.names[last])} "
            f"{a(f'/viewtopic.php?p={thread.number * 100}', 'view')}</span></dd></dl></li>"
        )

    def pages(self) -> Iterator[Made]:
        world = self.world
        rows = "".join(
            f'<li class="row"><dl><dt>{a(self.board(n, 0) + "&sid=0123456789abcdef", title, "forumtitle")}</dt></dl></li>'
            for n, title in enumerate(world.titles)
        )
        newest = "".join(self.row(thread, whole=False) for thread in world.threads[-8:])
        yield self.page(
            "/", "index", "Index", f'<ul class="topiclist">{rows}</ul><ul class="topiclist topics">{newest}</ul>'
        )
        for number, threads in enumerate(world.by_board):
            parts = chunks(threads)
            paths = [self.board(number, n) for n in range(len(parts))]
            for n, part in enumerate(parts):
                body = (
                    f'<ul class="topiclist topics">{"".join(map(self.row, part))}'
                    f'</ul><div class="pagination">{pager(paths, n)}</div>'
                )
                yield self.page(paths[n], "board", world.titles[number], body)
                if not n:
                    yield Made(paths[0] + "&sid=0123456789abcdef", "redirect", target=paths[0])
        for thread in world.threads:
            yield from self._thread(thread)
        for user, name in world.names.items():
            if user:
                yield from self._profile(user, name)
        yield from self.refusals(["/search.php", "/ucp.php"])
        yield self.page(
            "/faq.php",
            "faq",
            "FAQ",
            *(f"<dl class='faq'><dt>{title}</dt><dd>{world.body(title)}</dd></dl>" for title in world.titles),
        )
        yield from self._members()

    def _profile(self, user: int, name: str) -> Iterator[Made]:
        world = self.world
        found = "".join(f"<dt>{word}</dt><dd>{user * 3 % 50}</dd>" for word in ("Joined", "Visited", "Posts"))
        search = a(f"/search.php?author_id={user}", "Search posts")
        yield self.page(self.user(user), "profile", name, f'<dl class="details">{found}</dl>{search}', world.body(user))
        posts = "".join(
            f'<div class="post"><h3>{a(self.thread(t), t.title)}</h3>{world.body(user, t.number)}</div>'
            for t in world.by_user[user][:10]
        )
        yield self.page(f"/search.php?author_id={user}", "search", "Search", posts)

    def _members(self) -> Iterator[Made]:
        users = list(self.world.names)
        parts = [users[start : start + IN_A_LIST] for start in range(0, len(users), IN_A_LIST)]
        paths = ["/memberlist.php" + (f"?start={n * IN_A_LIST}" if n else "") for n in range(len(parts))]
        for n, part in enumerate(parts):
            rows = "".join(
                f"<tr><td>{a(self.user(user), self.world.names[user], 'username')}</td><td>{user}</td></tr>"
                for user in part
            )
            yield self.page(
                paths[n],
                "memberlist",
                "Members",
                f'<table class="table1">{rows}</table><div class="pagination">{pager(paths, n)}</div>',
            )
        yield self.page(
            "/memberlist.php?mode=leaders",
            "team",
            "Team",
            "".join(a(self.user(u), self.world.names[u]) for u in (1, 3)),
        )

    def _thread(self, thread: Thread) -> Iterator[Made]:
        paths = [self.thread(thread, n) for n in range(thread.parts)]
        tools = a(paths[0] + "&view=print", "Print", "print") + a(
            f"/posting.php?mode=reply&t={thread.number}", "Reply", "reply-icon"
        )
        for n in range(thread.parts):
            posts = "".join(
                self._post(thread, place) for place in range(n * ON_A_PAGE, min((n + 1) * ON_A_PAGE, len(thread.posts)))
            )
            up = a(self.board(thread.board, 0), "Return", "left-box")
            body = f'<div class="topic-actions">{tools}<div class="pagination">{pager(paths, n)}</div></div>{posts}<p>{up}</p>'
            yield self.page(paths[n], "thread", thread.title, body)
            if not n:
                yield self.page(self.thread(thread, 0, whole=False), "permalink", thread.title, body)
                yield self.page(f"/viewtopic.php?p={thread.number * 100}", "permalink", thread.title, body)
        text = "".join(
            f"<hr><h3>{self.world.names[user]}</h3>{self.world.body(thread.number, n)}"
            for n, user in enumerate(thread.posts)
        )
        yield Made(paths[0] + "&view=print", "print", f"<html><body><div id='wrap'>{text}</div></body></html>")
        yield from self.refusals([f"/posting.php?mode=reply&t={thread.number}"])

    def _post(self, thread: Thread, place: int) -> str:
        user = thread.posts[place]
        return (
            f'<div class="post"><dl class="postprofile">'
            f'<dt>{a(self.user(user), self.world.names[user])}</dt></dl><div class="postbody">'
            f'<p class="author">{a(f"/viewtopic.php?p={thread.number * 100}", "#")}</p><div class="content">'
            f"{self.world.body(thread.number, place)}</div></div></div>"
        )
