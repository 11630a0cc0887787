"""The run folder of a crawl: made, found again with its settings, and its manifest, which says when the crawl ended and why."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any

from .. import __version__
from ..config import Config
from ..config_file import load
from ..errors import ConfigError, UnwritableError
from ..nouns import INTERNAL
from ..saturation import SATURATED
from ..store.manifest import known_facts
from ..store.reader import not_a_run, reading
from ..store.run import writing
from ..system.durable import make_folder, sync_folder, write

NOTHING = "nothing could be fetched"  # why a crawl ended that has no page to show
# What a kill may leave before a folder is one of a run.
HALF_MADE = ("manifest.json", ".manifest.json.part", ".config.toml.part")


def free(folder: Path) -> None:
    """A new crawl needs a folder of its own; one that is there already is left alone."""
    if folder.parts[:1] in (("s3:",), ("gs:",), ("az:",)):
        raise ConfigError(
            f"{str(folder).replace(':/', '://', 1)}: a run folder is on a disk while it is crawled into; name one with "
            "--out DIR, and `opilio push DIR URL` puts it into an object store"
        )
    if (folder / "config.toml").is_file() and (folder / "manifest.json").is_file():
        raise ConfigError(
            f"{folder}: there is a crawl already; `opilio resume {folder}` continues it, --out names another folder"
        )
    if folder.exists() and (not folder.is_dir() or any(file.name not in HALF_MADE for file in folder.iterdir())):
        what = "a folder with other files" if folder.is_dir() else "a file"
        raise ConfigError(f"{folder}: this is {what}; name a new or empty folder with --out")
    above = next(place for place in folder.absolute().parents if place.exists())
    if not above.is_dir():
        raise ConfigError(f"{folder}: {above} is a file, so there is no folder in it; name another one with --out")


def prepare(folder: Path, config: Config) -> None:
    """Make the folder of a new crawl."""
    free(folder)
    with writing(folder):
        make_folder(folder)
        parts = {"processes": config.processes} if config.processes > 1 else {}
        asked = {"like": config.like} if config.like else {}
        note(folder, version=__version__, seed=config.seed, **parts, **asked)
        write(folder / "config.toml", config.toml())  # the last: with it, this is a run folder


@contextmanager
def brought(folder: Path) -> Iterator[Path]:
    """Where to put the files of a run folder that comes from elsewhere: it is whole under its name or not there.

    What a killed process left of it is cleared away.
    """
    free(folder)
    draft = folder.absolute().with_name(f".{folder.absolute().name}.part")
    rmtree(draft, ignore_errors=True)
    try:
        make_folder(draft)
        yield draft
        rmtree(folder, ignore_errors=True)  # it is empty, or what a kill left before it was a run folder
        draft.replace(folder)
        sync_folder(draft.parent)
    except OSError as error:
        raise UnwritableError(
            f"{folder}: it cannot be written ({error.strerror or error}); free some space, or name a folder where there is room"
        ) from error
    finally:
        rmtree(draft, ignore_errors=True)


def configured(folder: Path, overrides: Mapping[str, Any] | None = None) -> Config:
    """The configuration that a run folder was made with, changed by what the command line says."""
    if not (folder / "config.toml").is_file():
        raise not_a_run(folder, "config.toml")
    return load(folder / "config.toml", overrides or {})


def check_shards(folder: Path, config: Config) -> None:
    """A run folder goes on with as many processes as it was made for: each site has its place."""
    made = known_facts(folder).get("processes", 1) if (folder / "manifest.json").exists() else config.processes
    if made != config.processes:
        raise ConfigError(
            f"{folder}: it was made by {made} processes and cannot continue with {config.processes}; set processes = {made} "
            f"in its config.toml"
        )


def note(folder: Path, **facts: Any) -> None:
    """Put facts into the manifest."""
    known = known_facts(folder)
    write(folder / "manifest.json", json.dumps({**known, **facts}, indent=2) + "\n")


def note_stop(folder: Path, why: str, pages: int) -> None:
    """Put into the manifest why a crawl ended; and when, if it was saturated: a resume counts from there."""
    saturated = {"saturated_at": pages} if why.startswith(SATURATED) else {}
    note(folder, stopped=now(), why=why, pages=pages, **saturated)


def saturated_at(folder: Path) -> int:
    """How many pages there were when the crawl was saturated; 0 if it never was."""
    return int(known_facts(folder).get("saturated_at", 0))


def outcome(folder: Path, why: str) -> str:
    """Why a crawl ended; also when it ended without a single page."""
    if why == "interrupted":
        return why
    with closing(reading(folder)) as db:
        page = db.execute("SELECT 1 FROM pages WHERE error = '' AND location = '' LIMIT 1").fetchone()
    return why if page or why.startswith(INTERNAL) else f"{NOTHING} ({why})"


def now() -> str:
    """The time as the manifest has it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
