"""Forums: boards with deep pagination, threads over several pages, profiles, and the pages that nobody wants."""

from __future__ import annotations

from collections.abc import Iterator

from .forum_styles import STYLES, Post, Row
from .mix import Roll, chance, mix, roll
from .site import Atlas, Site
from .subjects import NONE, TOPICS, label, siblings

BOARD_ROWS = 20  # threads on a page of a board
SERVICE = ("login", "register", "help")  # pages 1 to 3
_LENGTHS = (1, 1, 2, 1, 1, 3, 1, 1, 6, 1)  # pages of ten threads in a row; the pattern repeats
_BEFORE = tuple(sum(_LENGTHS[:i]) for i in range(len(_LENGTHS)))
_ROUND = sum(_LENGTHS)
_TITLE, _TEXT, _AUTHOR = range(3)  # what a key is mixed for


class Forum(Site):
    """Page 0 lists the boards: one per topic of an area, one for chat. Then service, board, thread pages, profiles."""

    def __init__(self, atlas: Atlas, number: int, host: str, size: int, topic: int, style: int) -> None:
        super().__init__(atlas, number, host, size, topic)
        self.style = STYLES[style % len(STYLES)]
        self.kind = f"forum{style + 1}"
        self.boards: tuple[int, ...] = (*siblings(topic), NONE)
        self.topics = self.boards
        self.threads = max(len(self.boards), int((size * 0.84 - 8) / (_ROUND / len(_LENGTHS) + 1 / BOARD_ROWS)))
        self.depth = -(-self.threads // (len(self.boards) * BOARD_ROWS))  # pages of each board
        self.first_thread = 1 + len(SERVICE) + len(self.boards) * self.depth
        self.first_user = self.first_thread + _start(self.threads)
        self.users = size - self.first_user
        self.robots = f"User-agent: *\nDisallow: {self.style.service.format('login')}\n"
        if self.style.session:
            self.session = self.style.session

    # where pages are

    def path(self, page: int) -> str:
        if page == 0:
            return "/"
        if page <= len(SERVICE):
            return self.style.service.format(SERVICE[page - 1])
        if page < self.first_thread:
            board, part = divmod(page - 1 - len(SERVICE), self.depth)
            return self.style.board(board, part)
        if page < self.first_user:
            return self.style.thread(*_thread_at(page - self.first_thread))
        return self.style.user.format(page - self.first_user)

    def guesses(self, path: str, numbers: list[int]) -> Iterator[int]:
        yield from range(1, 1 + len(SERVICE))
        if numbers:
            number, part = numbers[0], numbers[1] if len(numbers) > 1 else 0
            yield self.first_user + number
            for turn in (part, part - 1, part // BOARD_ROWS):
                yield self.board_page(number, turn)
            for turn in (part, part - 1, part // 10):
                yield self.thread_page(number, turn)

    def board_page(self, board: int, part: int = 0) -> int:
        return 1 + len(SERVICE) + board * self.depth + part

    def thread_page(self, thread: int, part: int = 0) -> int:
        return self.first_thread + _start(thread) + part

    # what a thread is about

    def _board(self, thread: int) -> int:
        return thread % len(self.boards)

    def topic_of(self, page: int) -> int:
        if self.first_thread <= page < self.first_user:
            return self.boards[self._board(_thread_at(page - self.first_thread)[0])]
        return NONE

    def share(self, topic: int) -> int:
        return self.threads // len(self.boards)

    def pick(self, topic: int, dice: Roll) -> int:
        count = max(1, self.threads // len(self.boards))
        return self.thread_page(int(dice() * count) * len(self.boards) + self.boards.index(topic))

    def _thread_title(self, thread: int) -> str:
        topic = self.boards[self._board(thread)]
        return self.voice(topic).title(mix(self.key, thread, _TITLE))

    def _board_title(self, board: int) -> str:
        topic = self.boards[board]
        return TOPICS[topic].split("/")[1].title() if topic != NONE else "Chat"

    def user_name(self, user: int) -> str:
        return f"{self.atlas.prose.name(mix(self.key, user, _AUTHOR))}{user}"

    def title(self, page: int) -> str:
        if page == 0:
            return self.name
        if page <= len(SERVICE):
            return SERVICE[page - 1].title()
        if page < self.first_thread:
            return self._board_title((page - 1 - len(SERVICE)) // self.depth)
        if page < self.first_user:
            return self._thread_title(_thread_at(page - self.first_thread)[0])
        return self.user_name(page - self.first_user)

    # what a page looks like

    def html(self, page: int) -> str:
        dice = roll(self.key, page, _TEXT)
        nav = [self.here(page, n, self.title(n) if n else "Index") for n in range(1 + len(SERVICE))]
        if page == 0:
            body = self._index()
        elif page <= len(SERVICE):
            body = self.style.form(SERVICE[page - 1], self.voice(NONE).sentence(dice))
        elif page < self.first_thread:
            body = self._board_html(page)
        elif page < self.first_user:
            body = self._thread_html(page, dice)
        else:
            body = self._profile(page, dice)
        return self.document(page, self.style.frame(self.name, nav, body, self.adverts(page, dice)))

    def _index(self) -> str:
        rows = [
            Row(self.here(0, self.board_page(board), self._board_title(board)), self.threads // len(self.boards), "")
            for board in range(len(self.boards))
        ]
        newest = [self.here(0, self.thread_page(t), self._thread_title(t)) for t in range(min(8, self.threads))]
        return self.style.index(rows, newest)

    def _board_html(self, page: int) -> str:
        board, part = divmod(page - 1 - len(SERVICE), self.depth)
        first = part * BOARD_ROWS * len(self.boards) + board
        threads = range(first, min(first + BOARD_ROWS * len(self.boards), self.threads), len(self.boards))
        rows = [
            Row(self.here(page, self.thread_page(t), self._thread_title(t)), _LENGTHS[t % 10] * 10, self._by(page, t))
            for t in threads
        ]
        pages = [(n, self.board_page(board, n)) for n in _turns(part, self.depth)]
        return self.style.listing(self.title(page), rows, self._pager(page, part, pages))

    def _by(self, page: int, number: int) -> str:
        if not self.users:
            return "guest"
        luck = chance(self.key, number, _AUTHOR)
        user = int(self.users * luck * luck)
        return self.here(page, self.first_user + user, self.user_name(user), self.style.author)

    def _pager(self, page: int, now: int, pages: list[tuple[int, int]]) -> list[str]:
        return [
            str(n + 1) if n == now else self.here(page, target, "next" if n == now + 1 else str(n + 1))
            for n, target in pages
        ]

    def _thread_html(self, page: int, dice: Roll) -> str:
        thread, part = _thread_at(page - self.first_thread)
        topic = self.boards[self._board(thread)]
        posts = [
            Post(self._by(page, mix(page, n) >> 40), self._post(page, topic, dice), 2005 + int(dice() * 12))
            for n in range(4 + int(dice() * 7))
        ]
        pages = [(n, self.thread_page(thread, n)) for n in _turns(part, _LENGTHS[thread % 10])]
        back = self.here(page, self.board_page(self._board(thread)), self._board_title(self._board(thread)))
        return self.style.posts(self._thread_title(thread), back, posts, self._pager(page, part, pages))

    def _post(self, page: int, topic: int, dice: Roll) -> str:
        text = [self.voice(topic if dice() < 0.6 else NONE).sentence(dice) for _ in range(2 + int(dice() * 5))]
        if dice() < 0.25:
            text.append(self.onward(page, topic, dice))
        return "".join(text)

    def _profile(self, page: int, dice: Roll) -> str:
        wrote = [int(dice() * self.threads) for _ in range(2 + int(dice() * 5))]
        links = [self.here(page, self.thread_page(t), self._thread_title(t)) for t in wrote]
        return self.style.profile(self.title(page), 2000 + int(dice() * 15), int(dice() * 900), links)

    def labels(self, page: int) -> dict[str, str]:
        if page <= len(SERVICE):
            kind = ("index", *SERVICE)[page]
        else:
            kind = "board" if page < self.first_thread else "thread" if page < self.first_user else "profile"
        return {"topic": label(self.topic_of(page)), "genre": "other", "page_type": f"{self.kind}-{kind}"}


def _start(thread: int) -> int:
    """How many pages the threads before this one have."""
    rounds, rest = divmod(thread, len(_LENGTHS))
    return rounds * _ROUND + _BEFORE[rest]


def _thread_at(number: int) -> tuple[int, int]:
    """The thread, and the part of it, at a thread page."""
    rounds, rest = divmod(number, _ROUND)
    step = max(i for i, before in enumerate(_BEFORE) if before <= rest)
    return rounds * len(_LENGTHS) + step, rest - _BEFORE[step]


def _turns(now: int, count: int) -> list[int]:
    """The pages that a pager shows: first, last and those around."""
    return sorted({0, count - 1, *range(max(0, now - 2), min(count, now + 3))}) if count > 1 else []
