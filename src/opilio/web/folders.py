"""Which runs and benchmarks are shown: those in the folders that were given, and no others.

A name is only ever looked up in the list of what is there, so no name can lead anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import ConfigError, UnreadableError
from ..report.summary import manifest

RUN, BENCHMARK = "state.db", "results.json"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Folders:
    """Folders of runs and benchmarks; a folder may be one itself or hold some."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.given = [folder.absolute() for folder in folders]

    def runs(self) -> dict[str, Path]:
        """The run folders by name, once the crawl has begun there."""
        return {name: folder for name, folder in self._named(RUN).items() if _has_begun(folder)}

    def benchmarks(self) -> dict[str, Path]:
        """The folders with results of benchmarks by name."""
        return self._named(BENCHMARK)

    def run(self, name: str) -> Path:
        return _known(self.runs(), name, "run")

    def benchmark(self, name: str) -> Path:
        return _known(self.benchmarks(), name, "benchmark")

    @property
    def home(self) -> Path | None:
        """Where new runs are made; None where every folder given is a run or a benchmark itself."""
        return next((folder for folder in self.given if not _is_one(folder)), None)

    def place(self, name: str) -> Path:
        """The folder for a new run of this name."""
        if self.home is None:
            raise ConfigError(
                "no folder for new crawls was given; start `opilio serve` with one, as in: opilio serve runs"
            )
        if not NAME.fullmatch(name):
            raise ConfigError(f'"{name[:80]}" is not a valid name for a run; use letters, digits, ".", "-" and "_"')
        if (self.home / name).exists():
            raise ConfigError(f'there is a "{name}" already; take another name')
        return self.home / name

    def _named(self, file: str) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for folder in self._folders():
            if (folder / file).is_file():
                found[_free(folder.name, found)] = folder
        return found

    def _folders(self) -> Iterator[Path]:
        for folder in self.given:
            if _is_one(folder):
                yield folder
            elif folder.is_dir():
                yield from sorted(inside for inside in folder.iterdir() if inside.is_dir())


def _has_begun(folder: Path) -> bool:
    try:
        return manifest(folder)["started"] is not None
    except UnreadableError:
        return True  # whoever looks at it is told what is wrong


def _is_one(folder: Path) -> bool:
    return (folder / RUN).is_file() or (folder / BENCHMARK).is_file()


def _free(name: str, taken: dict[str, Path]) -> str:
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


def _known(there: dict[str, Path], name: str, kind: str) -> Path:
    if name not in there:
        raise UnreadableError(f'there is no {kind} "{name[:80]}" here')
    return there[name]
