"""What every page of the dashboard and the API share."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.requests import Request

from ..config import Config
from ..engine.labels import add_label, labels
from ..engine.run_folder import configured
from ..errors import OpilioError, UnreadableError
from ..report.search import update
from ..report.summary import manifest
from ..store.reader import LARGEST, reading
from .cache import Shared
from .crawls import Crawls
from .folders import Folders
from .guard import Keys
from .run_list import wanted
from .run_view import View

MOMENT = 0.1  # seconds that a search waits for pages that came since the last one
INDEXED = 200  # pages that are added to the index of a search before others get a turn


class Dashboard:
    """The folders, the crawls and the views of them."""

    def __init__(self, folders: Sequence[Path], keys: Keys, states: Sequence[str] = ()) -> None:
        self.states = states  # of crawls on clusters
        self.folders, self.keys, self.crawls = Folders(folders), keys, Crawls()
        self.events: dict[str, Shared[str]] = {}  # of each run, what is told to all who watch it
        self._views: dict[Path, View] = {}
        self._indexing: set[Path] = set()
        self._lock = threading.Lock()

    def view(self, folder: Path) -> View:
        """The view of a run; the same for all who look."""
        with self._lock:
            return self._views.setdefault(folder, View(folder))

    def figures(self, name: str) -> dict[str, Any]:
        """How a run stands, for people and programs."""
        folder = self.folders.run(name)
        facts, config = manifest(folder), self.config(folder)
        asked = {"topic": "", "wanted": "", "strategy": ""}
        if config:
            asked = {"topic": config.topic, "wanted": wanted(config), "strategy": config.strategy}
        ends = {key: facts[key] for key in ("started", "stopped", "why")}
        state, now = self.crawls.state(folder), self.view(folder).now()
        if state != "running" and now.seconds > 0:
            now = now._replace(pace=now.pages / now.seconds)  # of the whole crawl
        return {"name": name, "state": state, **asked, **ends, **now._asdict()}

    def config(self, folder: Path) -> Config | None:
        """What a crawl was told, as of the last change of its file; None where that cannot be read."""
        path = folder / "config.toml"
        try:
            return _config(folder, path.stat().st_mtime_ns)
        except (OpilioError, OSError):
            return None

    def all_figures(self) -> list[dict[str, Any]]:
        """How every run stands that can be read."""
        found = []
        for name in self.folders.runs():
            with suppress(UnreadableError):
                found.append(self.figures(name))
        return found

    def forget(self, folder: Path) -> None:
        """The folder is gone."""
        with self._lock:
            self._views.pop(folder, None)

    def label(self, folder: Path, url: str, relevant: bool) -> None:
        """Say what a page is; the crawl follows, running or not."""
        add_label(folder, url, relevant)
        self.crawls.learn(folder)

    def index(self, folder: Path) -> bool:
        """Add new pages to the index of a search, in the background; whether some are still to come."""
        with self._lock:
            if folder in self._indexing:
                return True
            self._indexing.add(folder)
        work = threading.Thread(target=self._index, args=(folder,), daemon=True)
        work.start()
        work.join(MOMENT)
        return work.is_alive()

    def _index(self, folder: Path) -> None:
        try:
            while update(folder, most=INDEXED):
                pass
        finally:
            self._indexing.discard(folder)

    def unlabelled(self, folder: Path, most: int) -> list[Any]:
        """The pages that a person should judge next."""
        view, known = self.view(folder), labels(folder)
        asked = (page for page in view.questions.get() if page.url not in known and page.number not in view.skipped)
        return [page for page, _ in zip(asked, range(most), strict=False)]


@lru_cache(maxsize=256)
def _config(folder: Path, changed: int) -> Config:
    return configured(folder)


def dashboard_of(request: Request) -> Dashboard:
    """The dashboard that a request is for."""
    dashboard: Dashboard = request.app.state.dashboard
    return dashboard


def row_of(folder: Path, number: int) -> dict[str, Any] | None:
    """One page's row with all its columns."""
    if not 0 < number <= LARGEST:
        return None
    with closing(reading(folder)) as db:
        cursor = db.execute("SELECT * FROM pages WHERE number = ?", (number,))
        row = cursor.fetchone()
        return dict(zip([name for name, *_ in cursor.description], row, strict=True)) if row else None
