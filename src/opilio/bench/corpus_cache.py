"""The cache: never in the corpus, rebuilt when a file of the corpus or the code that read it changed."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import urls
from ..codec import pack, unpack
from ..store import warc
from . import contents


def cache_folder() -> Path:
    """Where indexes are kept: $OPILIO_CACHE, else opilio in $XDG_CACHE_HOME, else ~/.cache/opilio."""
    if chosen := os.environ.get("OPILIO_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "opilio"


def key(folder: Path, *code: ModuleType) -> bytes:
    """What a cached part depends on: the files of the corpus and the code that reads them; `code` is more of that."""
    digest = blake2b(str(folder.resolve()).encode(), digest_size=16)
    for path in sorted(folder.iterdir()):
        if path.name in ("labels.csv", "edges.csv") or path.name.endswith(contents.ARCHIVES):
            digest.update(f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}\n".encode())
    for module in (sys.modules[__name__], contents, urls, warc, *code):
        digest.update(_source(module))
    return digest.digest()


@cache
def _source(module: ModuleType) -> bytes:
    """The text of a module, all files of it when it is a folder: who changes the code need not remember the cache."""
    file = Path(str(module.__file__))
    files = sorted(file.parent.glob("*.py")) if file.name == "__init__.py" else [file]
    return b"".join(path.read_bytes() for path in files)


def _cache_file(folder: Path, part: str) -> Path:
    place = blake2b(str(folder.resolve()).encode(), digest_size=6).hexdigest()
    return cache_folder() / f"{folder.resolve().name}-{place}.{part}"


def load(folder: Path, part: str, key: bytes) -> Any:
    """What was saved under this key; None when there is nothing, or it is stale or damaged."""
    try:
        saved = _cache_file(folder, part).read_bytes()
    except OSError:
        return None
    return unpack(saved[16:]) if saved[:16] == _seal(key, saved[16:]) else None


def save(folder: Path, part: str, key: bytes, value: Any) -> None:
    """Keep a plain value under a key; a part has one value, the last."""
    path, data = _cache_file(folder, part), pack(value)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(OSError):  # a cache that cannot be written costs time, nothing else
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(_seal(key, data) + data)
        draft.replace(path)


def _seal(key: bytes, data: bytes) -> bytes:
    return blake2b(data, key=key, digest_size=16).digest()
