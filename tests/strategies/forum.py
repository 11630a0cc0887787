"""A forum in memory: boards that turn page by page, threads, profiles, pages nobody wants, and links that lead nowhere new."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property

from opilio.fetchers.replay import Recorded, Replay
from opilio.nouns import Link, Offer, Page

HOME = "http://forum.test/"
ON_A_BOARD = 15


@dataclass(frozen=True)
class Forum:
    threads: int = 300
    users: int = 60
    changed: int = 10**9  # threads from this one on have another template
    redirects: bool = False  # each thread has a link that redirects to the thread itself
    titled: bool = False  # boards say which threads they list

    @cached_property
    def pages(self) -> dict[str, Recorded]:
        site = {
            HOME: self._page(self._menu() + "".join(f'<h2><a href="/board/{b}/1">Board</a></h2>' for b in range(3)))
        }
        for word in ("about", "rules", "login", "help", "contact", "imprint"):
            site[f"{HOME}{word}"] = self._page(self._menu() + "<form><label>name</label></form>")
        for board in range(3):
            for part in range(1, self._parts(board) + 1):
                site[f"{HOME}board/{board}/{part}"] = self._page(self._board(board, part))
        for thread in range(self.threads):
            site[f"{HOME}t/{thread}"] = self._page(self._thread(thread))
            if self.redirects:
                site[f"{HOME}go/{thread}"] = Recorded(301, {"location": f"{HOME}t/{thread}"}, b"")
        for user in range(self.users):
            site[f"{HOME}u/{user}"] = self._page(self._profile(user))
        return site

    def fetcher(self) -> Replay:
        return Replay(self.pages.get)

    def get(self, url: str) -> Page:
        return self.fetcher().answer(Offer(Link(url)))

    def wanted(self, word: str) -> set[str]:
        return {url for url in self.pages if url.startswith(f"{HOME}{word}/")}

    def _parts(self, board: int) -> int:
        return -(-len(range(board, self.threads, 3)) // ON_A_BOARD)

    def _page(self, body: str) -> Recorded:
        html = f"<html><head><title>forum</title></head><body>{body}</body></html>"
        return Recorded(200, {"content-type": "text/html"}, html.encode())

    def _menu(self) -> str:
        words = ("", "about", "rules", "login", "help", "contact", "imprint")
        return "<nav><ul>" + "".join(f'<li><a href="/{word}">{word}</a></li>' for word in words) + "</ul></nav>"

    def _board(self, board: int, part: int) -> str:
        rows = range(board, self.threads, 3)[(part - 1) * ON_A_BOARD : part * ON_A_BOARD]
        number = " {}" if self.titled else ""
        body = "".join(
            f'<tr><td><a class=title href="/t/{t}">Thread{number.format(t)}</a></td>'
            f'<td><a class=by href="/u/{t % self.users}">by</a></td></tr>'
            for t in rows
        )
        more = f'<p class=pager><a href="/board/{board}/{part + 1}">next</a></p>' if part < self._parts(board) else ""
        return f"{self._menu()}<table>{body}</table>{more}"

    def _thread(self, thread: int) -> str:
        rng = random.Random(thread)
        new = thread >= self.changed
        post = "<section><h4>{}</h4><blockquote>{}</blockquote></section>" if new else "<div><h3>{}</h3><p>{}</p></div>"
        posts = "".join(
            post.format(f'<a href="/u/{rng.randrange(self.users)}">user</a>', f"words{thread} " * rng.randrange(3, 9))
            for _ in range(rng.randrange(1, 8))
        )
        again = f'<h1><a href="/go/{thread}">permanent link</a></h1>' if self.redirects else "<h1>Thread</h1>"
        return f"{self._menu()}<main>{again}{posts}<p><a class=up href='/board/{thread % 3}/1'>up</a></p></main>"

    def _profile(self, user: int) -> str:
        wrote = "".join(f'<li><a href="/t/{t}">t</a></li>' for t in range(user, self.threads, self.users * 4))
        facts = "<dl><dt>joined</dt><dd>2001</dd><dt>posts</dt><dd>7</dd></dl>"
        return f"{self._menu()}<article><img src=/a.png>{facts}<ol>{wrote}</ol></article>"
