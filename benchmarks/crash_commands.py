"""Kills the commands that look at a crawl or teach it, and looks for what they left behind: part of `make crash`.

Each runs once to its end, then is killed this many times at moments spread over that time; the dashboard is killed after as
many answers, while it works on the next. After every kill the folder must be sound; in the end every command must do its
work, and the crawl must go on to its end with every page once.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from multiprocessing.process import BaseProcess
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from opilio.cli import main
from opilio.config import Config
from opilio.store.reader import reading
from opilio.synth.corpus import write

from .crash import FORK, crawled, finite, kill, reachable, seeds
from .power_cut import finished, unsound

TOKEN = "a token for the dashboard"
WORDS = {"export": ("--format", "jsonl"), "search": ("beekeeping",)}
LAST = 120.0  # seconds that a command may take


def kill_commands(scratch: Path, kills: int, pages: int = 500, processes: int = 1) -> list[str]:
    """Crawl a part of a web, kill each command so often, let the crawl go on; what went wrong."""
    web, folder = finite(pages, 4), scratch / "run"
    write(web, scratch / "corpus", workers=1)
    told = {"corpus": str(scratch / "corpus"), "seeds": seeds(web), "topic": "beekeeping", "strategy": "breadth-first"}
    config = Config(**told, processes=processes, max_barren=0, max_pages=pages // 2)
    crawled(folder, config)
    trouble: list[str] = []
    for name, killed in COMMANDS.items():
        for number in range(kills):
            killed(folder, name, number, kills)
            trouble += [f"{name}, kill {number}: {wrong}" for wrong in [unsound(folder)] if wrong]
    (folder / "config.toml").write_text(config.model_copy(update={"max_pages": 10**9}).toml())
    return trouble + finished(folder, web, reachable(web))


def _label(folder: Path, name: str, number: int, kills: int) -> None:
    """Every time another page is judged."""
    with closing(reading(folder)) as db:
        urls = db.execute("SELECT url FROM pages WHERE relevance IS NOT NULL ORDER BY number LIMIT ?", (2 * kills,))
        url, other = [url for (url,) in urls][2 * number : 2 * number + 2]
    lasting = lasted(("label", folder, "--yes", url))
    killed_after(("label", folder, "--no", other), lasting * (number + 1) / (kills + 1))


def _plain(folder: Path, name: str, number: int, kills: int) -> None:
    words = (name, folder, *WORDS[name])
    lasting = lasted(words)
    for path in folder.glob("search.db*"):  # so that there is something to do again
        path.unlink()
    killed_after(words, lasting * (number + 1) / (kills + 1))


def _serve(folder: Path, name: str, number: int, kills: int) -> None:
    port = _free_port()
    process = _started(("serve", folder, "--port", port))
    asked = [f"runs/{folder.name}{rest}" for rest in ("", "/pages", "/search?q=beekeeping", "/frontier", "/labels")]
    _until(lambda: _answers(port, "runs"))
    for path in asked[: number % len(asked)]:
        assert _answers(port, path)
    with socket.create_connection(("127.0.0.1", port)) as line:  # asked, and killed before the answer is read
        line.sendall(f"GET /api/{asked[number % len(asked)]} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n".encode())
        line.sendall(f"Authorization: Bearer {TOKEN}\r\n\r\n".encode())
        _end(process)


def _answers(port: int, path: str) -> bool:
    request = Request(f"http://127.0.0.1:{port}/api/{path}", headers={"Authorization": f"Bearer {TOKEN}"})
    try:
        with urlopen(request, timeout=LAST) as answer:
            return bool(answer.status == 200)
    except URLError as error:
        if not isinstance(error.reason, ConnectionRefusedError):
            raise
        return False  # it does not listen yet


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LAST
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        number: int = one.getsockname()[1]
        return number


def lasted(words: Sequence[object]) -> float:
    """How long a command takes that is left alone."""
    begun = time.monotonic()
    assert (code := exit_code(words)) == 0, (words, code)
    return time.monotonic() - begun


def exit_code(words: Sequence[object]) -> int | None:
    """How a command ends that is left alone; None when it does not."""
    process = _started(words)
    process.join(LAST)
    return process.exitcode


def killed_after(words: Sequence[object], seconds: float) -> None:
    """Let a command work for so long."""
    process = _started(words)
    process.join(seconds)
    _end(process)


def _end(process: BaseProcess) -> None:
    if process.is_alive():
        kill(process.pid)
    process.join()


def _started(words: Sequence[object]) -> BaseProcess:
    process = FORK.Process(target=_command, args=(list(map(str, words)),))
    process.start()
    return process


def _command(words: list[str]) -> None:
    """One command, silent, in a process group of its own."""
    os.setsid()
    os.environ["OPILIO_TOKEN"] = TOKEN
    silent = os.open(os.devnull, os.O_RDWR)
    os.dup2(silent, 1), os.dup2(silent, 2)
    sys.argv = ["opilio", *words]
    main()


COMMANDS = {"label": _label, "export": _plain, "search": _plain, "serve": _serve}
