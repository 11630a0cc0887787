"""Files in object stores, through obstore: S3 and what speaks like it, GCS, Azure."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import ConfigError, UnwritableError
from .system import durable

if TYPE_CHECKING:
    from obstore.store import ObjectStore

SCHEMES = ("s3", "gs", "az")
EXTRA = 'pip install "opilio[stores]"'


def is_url(named: str) -> bool:
    """Whether this names a place in an object store, and not one on a disk."""
    return "://" in named and not named.startswith("file://")


def opened(url: str) -> ObjectStore:
    """The store below a URL such as s3://BUCKET/PATH; credentials come from the environment."""
    scheme, is_url, rest = url.partition("://")
    if not find_spec("obstore"):
        raise ConfigError(f"{url}: object stores need another package: {EXTRA}")
    if not is_url:
        raise ConfigError(f"{url} is not in an object store; give s3://BUCKET/PATH, gs://... or az://...")
    if scheme not in SCHEMES or not rest.strip("/"):
        raise ConfigError(
            f"{url}: {scheme} is not known; give a directory, or s3://BUCKET/PATH, gs://... or az://..."
            if scheme not in SCHEMES
            else f"{url}: it names no bucket; write {scheme}://BUCKET/PATH"
        )
    from obstore.store import from_url

    plain = os.environ.get("AWS_ALLOW_HTTP", "").lower() == "true"
    return from_url(url, client_options={"allow_http": plain, "timeout": "30s"}, retry_config={"max_retries": 2})


class FileStore:
    """Files below a URL; what a store refuses is one sentence."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._store = opened(url)

    def sizes(self) -> dict[str, int]:
        """The names of all files below, with their lengths."""
        import obstore

        with self._sentence():
            return {found["path"]: found["size"] for part in obstore.list(self._store) for found in part}

    def put(self, name: str, path: Path) -> None:
        """Upload a file, in parts where it is large; it is whole or not there."""
        import obstore

        with self._sentence(name):
            obstore.put(self._store, name, path)

    def begin(self, name: str, size: int) -> bytes:
        """The first bytes of a file."""
        import obstore

        with self._sentence(name):
            return obstore.get_range(self._store, name, start=0, length=size).to_bytes()

    def fetch(self, name: str, path: Path) -> None:
        """Download a file; it is whole or not there."""
        import obstore

        durable.make_folder(path.parent)
        with self._sentence(name), durable.whole(path) as file:
            for chunk in obstore.get(self._store, name).stream():
                file.write(chunk)

    @contextmanager
    def _sentence(self, name: str = "") -> Iterator[None]:
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, FileNotFoundError, PermissionError) as error:
            reason = " ".join(str(error).split())[:200]
            raise UnwritableError(
                f"{self.url}{'/' * bool(name)}{name}: the object store refuses, or does not answer ({reason}); check the bucket, "
                "that it is reachable (AWS_ENDPOINT_URL for stores other than Amazon's), and the credentials in the environment"
            ) from error


@contextmanager
def uploaded(url: str, name: str) -> Iterator[Path]:
    """A path to write a file or folder to that goes to a URL when the block ends without an error."""
    from tempfile import TemporaryDirectory

    above, _, last = url.rstrip("/").rpartition("/")
    if above.endswith(":/") or "://" not in above:
        opened(url)
        raise ConfigError(f"{url}: it names a bucket and no file in it; write {url.rstrip('/')}/FILE")
    store = FileStore(above)
    with TemporaryDirectory(prefix="opilio-") as scratch:
        path = Path(scratch, last or name)
        yield path
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                store.put(file.relative_to(path.parent).as_posix(), file)
