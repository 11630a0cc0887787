"""What the pages of a forum look like: boards, threads, profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .forum_styles import Post, Row
from .forum_threads import AUTHOR, BOARD_ROWS, LENGTHS, SERVICE, thread_at
from .mix import Roll, chance, mix
from .subjects import NONE

if TYPE_CHECKING:
    from .forum import Forum


class ForumPages:
    """The bodies of a forum's pages."""

    def __init__(self, forum: Forum) -> None:
        self.forum = forum

    def index(self) -> str:
        rows = [
            Row(
                self.forum.here(0, self.forum.board_page(board), self.forum.board_title(board)),
                self.forum.threads // len(self.forum.boards),
                "",
            )
            for board in range(len(self.forum.boards))
        ]
        newest = [
            self.forum.here(0, self.forum.thread_page(t), self.forum.thread_title(t))
            for t in range(min(8, self.forum.threads))
        ]
        return self.forum.style.index(rows, newest)

    def board(self, page: int) -> str:
        board, part = divmod(page - 1 - len(SERVICE), self.forum.depth)
        first = part * BOARD_ROWS * len(self.forum.boards) + board
        threads = range(
            first, min(first + BOARD_ROWS * len(self.forum.boards), self.forum.threads), len(self.forum.boards)
        )
        rows = [
            Row(
                self.forum.here(page, self.forum.thread_page(t), self.forum.thread_title(t)),
                LENGTHS[t % 10] * 10,
                self._by(page, t),
            )
            for t in threads
        ]
        pages = [(n, self.forum.board_page(board, n)) for n in turns(part, self.forum.depth)]
        return self.forum.style.listing(self.forum.title(page), rows, self._pager(page, part, pages))

    def _by(self, page: int, number: int) -> str:
        if not self.forum.users:
            return "guest"
        luck = chance(self.forum.key, number, AUTHOR)
        user = int(self.forum.users * luck * luck)
        return self.forum.here(page, self.forum.first_user + user, self.forum.user_name(user), self.forum.style.author)

    def _pager(self, page: int, now: int, pages: list[tuple[int, int]]) -> list[str]:
        return [
            str(n + 1) if n == now else self.forum.here(page, target, "next" if n == now + 1 else str(n + 1))
            for n, target in pages
        ]

    def thread(self, page: int, dice: Roll) -> str:
        thread, part = thread_at(page - self.forum.first_thread)
        topic = self.forum.boards[self.forum.board_of(thread)]
        posts = [
            Post(self._by(page, mix(page, n) >> 40), self._post(page, topic, dice), 2005 + int(dice() * 12))
            for n in range(4 + int(dice() * 7))
        ]
        pages = [(n, self.forum.thread_page(thread, n)) for n in turns(part, LENGTHS[thread % 10])]
        back = self.forum.here(
            page,
            self.forum.board_page(self.forum.board_of(thread)),
            self.forum.board_title(self.forum.board_of(thread)),
        )
        return self.forum.style.posts(self.forum.thread_title(thread), back, posts, self._pager(page, part, pages))

    def _post(self, page: int, topic: int, dice: Roll) -> str:
        text = [self.forum.voice(topic if dice() < 0.6 else NONE).sentence(dice) for _ in range(2 + int(dice() * 5))]
        if dice() < 0.25:
            text.append(self.forum.onward(page, topic, dice))
        return "".join(text)

    def profile(self, page: int, dice: Roll) -> str:
        wrote = [int(dice() * self.forum.threads) for _ in range(2 + int(dice() * 5))]
        links = [self.forum.here(page, self.forum.thread_page(t), self.forum.thread_title(t)) for t in wrote]
        return self.forum.style.profile(self.forum.title(page), 2000 + int(dice() * 15), int(dice() * 900), links)


def turns(now: int, count: int) -> list[int]:
    """The pages that a pager shows: first, last and those around."""
    return sorted({0, count - 1, *range(max(0, now - 2), min(count, now + 3))}) if count > 1 else []
