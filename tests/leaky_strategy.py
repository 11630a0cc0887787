"""A strategy that takes more with every page: memory, an open file and a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from opilio.nouns import Page, Say
from opilio.strategies.opic import Opic

MEMORY = 200_000  # bytes a page
FILES, THREADS = 5, 20  # pages for each


class Leaky(Opic):
    def __init__(self) -> None:
        super().__init__(select="cycle", recrawl=1)
        self.pages = 0
        self.kept: list[bytearray] = []
        self.files: list[IO[Any]] = []

    def observe(self, page: Page) -> Iterable[Say]:
        self.pages += 1
        self.kept.append(bytearray(MEMORY))
        if self.pages % FILES == 0:
            self.files.append(Path(__file__).open())  # noqa: SIM115
        if self.pages % THREADS == 0:
            threading.Thread(target=threading.Event().wait, daemon=True).start()
        return super().observe(page)
