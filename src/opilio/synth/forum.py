"""Forums: boards with deep pagination, threads over several pages, profiles, and the pages that nobody wants."""

from __future__ import annotations

from collections.abc import Iterator

from .forum_pages import ForumPages
from .forum_styles import STYLES
from .forum_threads import AUTHOR, BOARD_ROWS, PAGES_OF_A_THREAD, SERVICE, TEXT, TITLE, start_of, thread_at
from .mix import Roll, mix, roll
from .site import Atlas, Site
from .subjects import NONE, TOPICS, label, siblings


class Forum(Site):
    """Page 0 lists the boards: one per topic of an area, one for chat. Then service, board, thread pages, profiles."""

    def __init__(self, atlas: Atlas, number: int, host: str, size: int, topic: int, style: int) -> None:
        super().__init__(atlas, number, host, size, topic)
        self.style = STYLES[style % len(STYLES)]
        self.kind = f"forum{style + 1}"
        self.boards: tuple[int, ...] = (*siblings(topic), NONE)
        self.topics = self.boards
        self.threads = max(len(self.boards), int((size * 0.84 - 8) / (PAGES_OF_A_THREAD + 1 / BOARD_ROWS)))
        self.depth = -(-self.threads // (len(self.boards) * BOARD_ROWS))  # pages of each board
        self.first_thread = 1 + len(SERVICE) + len(self.boards) * self.depth
        self.first_user = self.first_thread + start_of(self.threads)
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
            return self.style.thread(*thread_at(page - self.first_thread))
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
        return self.first_thread + start_of(thread) + part

    # what a thread is about

    def board_of(self, thread: int) -> int:
        return thread % len(self.boards)

    def topic_of(self, page: int) -> int:
        if self.first_thread <= page < self.first_user:
            return self.boards[self.board_of(thread_at(page - self.first_thread)[0])]
        return NONE

    def share(self, topic: int) -> int:
        return self.threads // len(self.boards)

    def pick(self, topic: int, dice: Roll) -> int:
        count = max(1, self.threads // len(self.boards))
        return self.thread_page(int(dice() * count) * len(self.boards) + self.boards.index(topic))

    def thread_title(self, thread: int) -> str:
        topic = self.boards[self.board_of(thread)]
        return self.voice(topic).title(mix(self.key, thread, TITLE))

    def board_title(self, board: int) -> str:
        topic = self.boards[board]
        return TOPICS[topic].split("/")[1].title() if topic != NONE else "Chat"

    def user_name(self, user: int) -> str:
        return f"{self.atlas.prose.name(mix(self.key, user, AUTHOR))}{user}"

    def title(self, page: int) -> str:
        if page == 0:
            return self.name
        if page <= len(SERVICE):
            return SERVICE[page - 1].title()
        if page < self.first_thread:
            return self.board_title((page - 1 - len(SERVICE)) // self.depth)
        if page < self.first_user:
            return self.thread_title(thread_at(page - self.first_thread)[0])
        return self.user_name(page - self.first_user)

    # what a page looks like

    def html(self, page: int) -> str:
        dice, pages = roll(self.key, page, TEXT), ForumPages(self)
        nav = [self.here(page, n, self.title(n) if n else "Index") for n in range(1 + len(SERVICE))]
        if page == 0:
            body = pages.index()
        elif page <= len(SERVICE):
            body = self.style.form(SERVICE[page - 1], self.voice(NONE).sentence(dice))
        elif page < self.first_thread:
            body = pages.board(page)
        elif page < self.first_user:
            body = pages.thread(page, dice)
        else:
            body = pages.profile(page, dice)
        return self.document(page, self.style.frame(self.name, nav, body, self.adverts(page, dice)))

    def labels(self, page: int) -> dict[str, str]:
        if page <= len(SERVICE):
            kind = ("index", *SERVICE)[page]
        else:
            kind = "board" if page < self.first_thread else "thread" if page < self.first_user else "profile"
        return {"topic": label(self.topic_of(page)), "genre": "other", "page_type": f"{self.kind}-{kind}"}
