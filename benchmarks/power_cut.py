"""Cuts the power of a crawl again and again, and looks for what got lost: `python -m benchmarks.power_cut PAGES CUTS`.

A crawl runs once while a preloaded library (power_cut.c, needs a C compiler) notes every change to its folder, and every
sync. From these notes the folder is made as a disk may have it when the power fails at some moment: what was synced is
there; of everything since then nothing, all, or some of it, each file and each folder for itself, the last write torn.
Every such folder must be sound, and the crawl that goes on in it must end with every page once.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeAlias

from opilio.codec import unpack
from opilio.engine.run_folder import check_shards, configured
from opilio.engine.topic import FILE as TOPIC
from opilio.errors import OpilioError
from opilio.model_file import read as read_model
from opilio.report.summary import manifest
from opilio.start import made
from opilio.store.reader import Reading, check_states, reading, state_files
from opilio.store.warc import read
from opilio.synth.corpus import write
from opilio.synth.web import Web

from .crash import broken, finite, reachable, seeds

SOURCE = Path(__file__).with_suffix(".c")
HEAD = struct.Struct("<QqIIII")
LAST = 300.0  # seconds that the recorded crawl may take


class Change(NamedTuple):
    """Something that was done to a file or a folder."""

    kind: str  # C(reate), W(rite), T(runcate), S(ync), D (sync of a folder), R(ename), U(nlink), M(ake a folder)
    file: int
    where: int
    first: bytes  # what was written, or a path
    second: bytes


@dataclass
class File:
    """The bytes of a file that are on the disk, and what was done to it since the last sync."""

    data: bytearray = field(default_factory=bytearray)
    pending: list[Change] = field(default_factory=list)


Keep: TypeAlias = Callable[
    [Sequence[Change]], Sequence[Change]
]  # which of the changes that were not synced reach the disk


class Recorder:
    """A web to crawl, without servers, and the library that notes what a crawl does to its files (None: no C compiler)."""

    def __init__(self, scratch: Path, pages: int) -> None:
        self.scratch, self.web, self.corpus = scratch, finite(pages, 4), scratch / "corpus"
        self.known = reachable(self.web)
        write(self.web, self.corpus, workers=1)
        self.library = self._built()

    def changes(self, root: Path, words: Sequence[str]) -> list[Change]:
        """All that a command does to the files under a folder."""
        log = root.with_name(f"{root.name}.log")
        told = {"LD_PRELOAD": str(self.library), "POWER_CUT_ROOT": str(root), "POWER_CUT_LOG": str(log)}
        command = [sys.executable, "-c", "from opilio.cli import main; main()", *words]
        subprocess.run(command, env=os.environ | told, check=True, capture_output=True, timeout=LAST)
        return list(_changes(log.read_bytes()))

    def _built(self) -> Path | None:
        compiler, library = shutil.which("cc"), self.scratch / "power_cut.so"
        if compiler:
            subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
        return library if compiler else None


def _changes(data: bytes) -> Iterator[Change]:
    start = 0
    while start < len(data):
        file, where, first, second, kind, _ = HEAD.unpack_from(data, start)
        start += HEAD.size
        yield Change(chr(kind), file, where, data[start : start + first], data[start + first : start + first + second])
        start += first + second


class Disk:
    """What a power cut leaves at a moment: changes are made one by one, and `cut` writes the folder as it may be then."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.syncs = 0
        self._files: dict[int, File] = {}  # by inode
        self._names: dict[str, int] = {}  # on the disk
        self._folders = {str(root)}
        self._pending: dict[str, list[Change]] = {}  # changes of names since the last sync of the folder they are in
        self._inode = 0

    def make(self, change: Change) -> None:
        match change.kind:
            case "W" | "T":
                self._files[change.file].pending.append(change)
            case "S":
                file = self._files[change.file]
                file.data, file.pending = _applied(file, file.pending), []
            case "D":
                for pending in self._pending.pop(change.first.decode(), []):
                    _rename(self._names, self._folders, pending)
            case _:
                self._change_name(change)
        self.syncs += change.kind in "SD"

    def _change_name(self, change: Change) -> None:
        if change.kind == "C":  # inodes are used again
            self._inode += 1
            self._files[self._inode], self._files[change.file] = (file := File()), file
            change = change._replace(file=self._inode)
        self._pending.setdefault(os.path.dirname(change.first.decode()), []).append(change)

    def cut(self, target: Path, keep: Keep) -> None:
        """Write the folder as it is when the power fails now, and what was not synced reaches the disk by this rule."""
        names, folders = dict(self._names), set(self._folders)
        for pending in self._pending.values():
            for change in keep(pending):
                _rename(names, folders, change)
        for path in folders:
            self._place(target, path).mkdir(parents=True, exist_ok=True)
        for path, inode in names.items():
            file = self._files[inode]
            if os.path.dirname(path) in folders:  # else it went with its folder
                self._place(target, path).write_bytes(_applied(file, keep(file.pending)))

    def _place(self, target: Path, path: str) -> Path:
        return target / Path(path).relative_to(self.root)


def _rename(names: dict[str, int], folders: set[str], change: Change) -> None:
    path = change.first.decode()
    match change.kind:
        case "C":
            names[path] = change.file
        case "R" if path in names:
            names[change.second.decode()] = names.pop(path)
        case "U":
            names.pop(path, None)
        case "M":
            folders.add(path)


def _applied(file: File, changes: Sequence[Change]) -> bytearray:
    data = bytearray(file.data)
    for change in changes:
        if change.kind == "T":
            del data[change.where :]
            data.extend(bytes(change.where - len(data)))
        else:
            data.extend(bytes(max(0, change.where - len(data))))
            data[change.where : change.where + len(change.first)] = change.first
    return data


def nothing(changes: Sequence[Change]) -> Sequence[Change]:
    """Only what was synced is there."""
    return ()


def everything(changes: Sequence[Change]) -> Sequence[Change]:
    """As after a kill."""
    return changes


def some(chance: random.Random) -> Keep:
    """Of each file and folder: nothing, all, the beginning of it, or, of a file, any part of it; the last write may be torn."""

    def keep(changes: Sequence[Change]) -> Sequence[Change]:
        kept = list(changes)
        match chance.randrange(4):
            case 0:
                kept = []
            case 1:
                kept = kept[: chance.randrange(len(kept) + 1)]
            case 2 if all(change.kind in "WT" for change in kept):
                kept = [change for change in kept if chance.random() < 0.5]
        if kept and kept[-1].kind == "W" and chance.random() < 0.5:
            kept[-1] = kept[-1]._replace(first=kept[-1].first[: chance.randrange(len(kept[-1].first))])
        return kept

    return keep


def unsound(folder: Path, again: bool = False) -> str:
    """What is wrong with a folder after a power cut, without going on in it; "" if nothing is. Pages may be visited again."""
    if not (folder / "config.toml").exists():
        return ""  # it had not begun
    try:
        config = configured(folder)
        check_shards(folder, config)
        manifest(folder)
        check_states(folder)
        if (folder / TOPIC).exists():
            read_model(folder / TOPIC)
        if not all(map(_has_tables, state_files(folder))):
            return ""  # no page was promised
        with closing(reading(folder)) as db:
            return _broken_tables(db, folder, again)
    except (OpilioError, ValueError, sqlite3.DatabaseError) as error:
        return f"{type(error).__name__}: {error}"


def _has_tables(path: Path) -> bool:
    """Whether a shard had begun. Like a crawl that goes on, this undoes what SQLite was in the middle of."""
    if not path.is_file():
        return False
    with closing(sqlite3.connect(path)) as db:
        return bool(db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'pages'").fetchone()[0])


def _broken_tables(db: Reading, folder: Path, again: bool) -> str:
    for part in db.shards:
        if (found := part.execute("PRAGMA quick_check").fetchone()[0]) != "ok":
            return f"damaged database: {found}"
    for file, end in db.execute("SELECT file, max(offset + length) FROM pages WHERE file IS NOT NULL GROUP BY file"):
        if (folder / "archive" / file).stat().st_size < end:
            return f"{file} is shorter than {end}"
    for file, offset in db.execute(
        "SELECT file, offset FROM pages WHERE file IS NOT NULL ORDER BY number DESC LIMIT 3"
    ):
        read(folder / "archive" / file, offset)
    twice = db.execute("SELECT url FROM pages GROUP BY url HAVING count(*) > 1").fetchall()
    return f"stored twice: {twice[:3]}" if twice and not again else lost_letters(db)


def lost_letters(db: Reading) -> str:
    """Letters that neither their sender has any more nor their receiver has heard, or that were heard and never sent."""
    for sender, one in enumerate(db.shards):
        for receiver, other in enumerate(db.shards):
            heard = dict(other.execute("SELECT sender, number FROM heard")).get(sender, 0)
            posted = dict(one.execute("SELECT receiver, number FROM posted")).get(receiver, 0)
            first = one.execute(
                "SELECT number, say FROM letters WHERE receiver = ? ORDER BY number LIMIT 1", (receiver,)
            )
            forgotten = next((number - len(unpack(say)) for number, say in first), posted)
            if not forgotten <= heard <= posted:
                return (
                    f"of shard {sender}, shard {receiver} heard {heard} letters; {forgotten} forgotten, {posted} posted"
                )
    return ""


@dataclass
class Outcome:
    """What the cuts did."""

    pages: int = 0
    syncs: int = 0
    looked: int = 0  # folders that were looked at
    resumed: int = 0  # folders in which the crawl went on to its end
    trouble: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Crawl:
    """A crawl of all of the web, by one or more processes, and what its disk is told."""

    def __init__(self, recorder: Recorder, processes: int, batch: int = 10) -> None:
        self.scratch, self.web, self.known = recorder.scratch, recorder.web, recorder.known
        self.root = self.scratch / f"disk{processes}"
        self.root.mkdir()
        told = {
            "corpus": f'"{recorder.corpus}"',
            "processes": processes,
            "batch": batch,
            "max_barren": 0,
            "max_pages": 10**9,
        }
        words = [word for name, value in told.items() for word in ("-s", f"{name}={value}")]
        words += [word for url in seeds(self.web) for word in ("--seed", url)]
        out = ["--strategy", "breadth-first", "--out", str(self.root / "run")]
        self.changes = recorder.changes(self.root, ["crawl", *words, *out])

    def cut(self, moments: Sequence[int], keep: Keep) -> Iterator[Path]:
        """The run folder as it may be after a power cut at each of these moments, in order; gone when the next one is made."""
        disk = Disk(self.root)
        for before, moment in pairwise([0, *moments]):
            for change in self.changes[before:moment]:
                disk.make(change)
            with TemporaryDirectory(dir=self.scratch) as target:
                disk.cut(Path(target), keep)
                yield Path(target, "run")

    def look(self, moments: Sequence[int], keep: Keep, outcome: Outcome) -> None:
        """Look at each of these folders."""
        for folder in self.cut(moments, keep):
            outcome.looked += 1
            if wrong := unsound(folder):
                outcome.trouble.append(wrong)

    def resume(self, moments: Sequence[int], keep: Keep, outcome: Outcome) -> None:
        """Go on in each of these folders, to the end."""
        for folder in self.cut(moments, keep):
            if (folder / "config.toml").exists():
                outcome.resumed += 1
                outcome.trouble += finished(folder, self.web, self.known)

    def syncs(self) -> list[int]:
        """The moments right behind every sync: what is safe changes then alone."""
        return [moment for moment, change in enumerate(self.changes, 1) if change.kind in "SD"]

    def spread(self, count: int, chance: random.Random) -> list[int]:
        """This many moments, spread over the crawl."""
        length = len(self.changes) / count
        return [round((number + chance.random()) * length) for number in range(count)]


def end_of(folder: Path) -> str:
    """Let a crawl go on to its end; why it ends."""
    with closing(made(folder, configured(folder))) as run:
        return run.go(_in_time())


def finished(folder: Path, web: Web, known: set[str]) -> list[str]:
    """Let a crawl go on to its end; what is wrong then."""
    why = end_of(folder)
    with closing(reading(folder)) as db:
        stored = Counter(url for (url,) in db.execute("SELECT url FROM pages"))
    found = {
        "ended otherwise": [why] if why != "nothing left to fetch" else [],
        "lost": sorted(known - set(stored)),
        "strange": sorted(set(stored) - known),
        "stored twice": [url for url, count in stored.items() if count > 1],
        "broken": [*broken(folder, {url for url in stored if web.answer(url).status})],
    }
    return [f"{name}: {len(urls)}, {urls[:3]}" for name, urls in found.items() if urls]


def _in_time() -> Callable[[], None]:
    deadline = time.monotonic() + LAST

    def watch() -> None:
        if time.monotonic() > deadline:
            raise RuntimeError("the crawl does not end")

    return watch


def power_cuts(recorder: Recorder, processes: int, cuts: int, seed: int = 1) -> Outcome:
    """Look at the folder at every sync and at ten times as many moments as there are cuts; let the crawl go on after each cut."""
    begun, chance = time.monotonic(), random.Random(seed)
    crawl = Crawl(recorder, processes)
    outcome = Outcome(len(crawl.known), len(crawl.syncs()))
    crawl.look(crawl.syncs(), nothing, outcome)
    crawl.look(crawl.spread(10 * cuts, chance), some(chance), outcome)
    crawl.resume(crawl.spread(cuts - cuts // 2, chance), nothing, outcome)
    crawl.resume(crawl.spread(cuts // 2, chance), some(chance), outcome)
    outcome.seconds = time.monotonic() - begun
    return outcome


def main() -> None:
    pages, cuts = (int(word) for word in (sys.argv[1:] or ["1000", "50"]))
    with TemporaryDirectory(prefix="opilio-power-") as scratch:
        recorder = Recorder(Path(scratch), pages)
        if not recorder.library:
            sys.exit("a C compiler is needed")
        outcomes = [power_cuts(recorder, processes, cuts) for processes in (1, 2)]
    for processes, outcome in enumerate(outcomes, 1):
        print(
            f"{processes} processes, {outcome.pages} pages, {outcome.syncs} syncs: {outcome.looked} folders looked at, "
            f"{outcome.resumed} crawled to the end, {outcome.seconds:.0f} s; trouble: {len(outcome.trouble)}"
        )
        print(*outcome.trouble[:5], sep="\n")
    good = not any(outcome.trouble for outcome in outcomes)
    print("nothing lost" if good else "SOMETHING IS WRONG")
    sys.exit(not good)


if __name__ == "__main__":
    main()
