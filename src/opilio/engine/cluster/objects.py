"""Named bytes that outlive machines: in a directory, or in a bucket of an object store.

All that is asked of a place is that a name can be taken once: of two who create it, one is told that it was too late.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from ...errors import UnwritableError
from ...object_store import opened
from ...system import durable

if TYPE_CHECKING:
    from obstore.store import ObjectStore

PATIENCE = 120.0  # seconds for which a store that does not answer is asked again
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # seconds between two tries
T = TypeVar("T")
CONFIG = "crawl/config.toml"  # what a crawl was told
EXTRA = 'pip install "opilio[cluster]"'


class Objects(ABC):
    """Bytes by name; names have parts, with slashes between them."""

    def __init__(self, url: str) -> None:
        self.url = url

    @abstractmethod
    def create(self, name: str, data: bytes) -> bool:
        """Make a new object; False: somebody else has made one of this name, with other bytes."""

    @abstractmethod
    def put(self, name: str, data: bytes) -> None:
        """Make an object, or replace it."""

    @abstractmethod
    def get(self, name: str) -> bytes | None:
        """The bytes of an object; None where there is none."""

    @abstractmethod
    def names(self, folder: str) -> list[str]:
        """The names of all objects below a folder, sorted."""

    @abstractmethod
    def delete(self, names: Sequence[str]) -> None:
        """Remove objects."""


class Directory(Objects):
    """A directory that all machines see."""

    def __init__(self, url: str, folder: Path) -> None:
        super().__init__(url)
        self._folder = folder

    def create(self, name: str, data: bytes) -> bool:
        path, draft = self._drafted(name, data)
        try:
            os.link(draft, path)
        except FileExistsError:
            return path.read_bytes() == data
        finally:
            draft.unlink()
        durable.sync_folder(path.parent)
        return True

    def put(self, name: str, data: bytes) -> None:
        path, draft = self._drafted(name, data)
        draft.replace(path)
        durable.sync_folder(path.parent)

    def _drafted(self, name: str, data: bytes) -> tuple[Path, Path]:
        """Where an object goes, and a file with its bytes beside it; others may write the same one at the same time."""
        path = self._folder / name
        durable.make_folder(path.parent)
        draft = path.with_name(f".{path.name}.{uuid4().hex}")
        with draft.open("wb") as file:
            file.write(data)
            durable.sync(file)
        return path, draft

    def get(self, name: str) -> bytes | None:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def names(self, folder: str) -> list[str]:
        return sorted(self._below(folder))

    def _below(self, folder: str) -> Iterator[str]:
        for place, _, files in os.walk(self._folder / folder):
            below = Path(place).relative_to(self._folder)
            yield from ((below / name).as_posix() for name in files if not name.startswith("."))

    def delete(self, names: Sequence[str]) -> None:
        for name in names:
            (self._folder / name).unlink(missing_ok=True)


class Bucket(Objects):
    """A bucket of an object store, through obstore: S3 and what speaks like it, GCS, Azure."""

    def __init__(self, url: str, store: ObjectStore, patience: float = PATIENCE) -> None:
        super().__init__(url)
        self._store, self._patience = store, patience

    def create(self, name: str, data: bytes) -> bool:
        import obstore
        from obstore.exceptions import AlreadyExistsError

        def attempt() -> bool:
            try:
                obstore.put(self._store, name, data, mode="create", use_multipart=False)
                return True
            except AlreadyExistsError:  # by an earlier try, whose answer got lost, or by somebody else
                return self.get(name) == data

        return self._insist(attempt)

    def put(self, name: str, data: bytes) -> None:
        import obstore

        self._insist(lambda: obstore.put(self._store, name, data))

    def get(self, name: str) -> bytes | None:
        import obstore

        def attempt() -> bytes | None:
            try:
                return obstore.get(self._store, name).bytes().to_bytes()
            except FileNotFoundError:
                return None

        return self._insist(attempt)

    def names(self, folder: str) -> list[str]:
        import obstore

        return self._insist(
            lambda: sorted(found["path"] for part in obstore.list(self._store, folder) for found in part)
        )

    def delete(self, names: Sequence[str]) -> None:
        import obstore

        if names:
            self._insist(lambda: obstore.delete(self._store, list(names)))

    def _insist(self, attempt: Callable[[], T]) -> T:
        """Try until the store answers; a sentence after too long."""
        from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

        deadline, pause = time.monotonic() + self._patience, FIRST_PAUSE
        while True:
            try:
                return attempt()
            except (BaseError, OSError) as error:
                final = isinstance(error, PermissionDeniedError | UnauthenticatedError)
                if final or time.monotonic() + pause > deadline:
                    raise self._silent(error) from error
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _silent(self, error: Exception) -> UnwritableError:
        reason = " ".join(str(error).split())[:200]
        return UnwritableError(
            f"{self.url}: the object store refuses, or does not answer ({reason}); check that it is reachable and may be "
            f"written to with the credentials of this machine. What was committed is safe: opilio resume {self.url}"
        )


def is_state(named: str) -> bool:
    """Whether this names the state of a crawl on a cluster, and not a run folder."""
    return "://" in named or Path(named, CONFIG).is_file()


def place(url: str, patience: float = PATIENCE) -> Objects:
    """The objects at a URL, or in a directory."""
    scheme, mark, rest = url.partition("://")
    if not mark or scheme == "file":
        return Directory(url, Path(rest if mark else url).absolute())
    return Bucket(url, opened(url), patience)
