"""Models as files: a magic line, a version, a checksum and plain values. Loading runs no code and refuses what is not ours."""

from __future__ import annotations

import hashlib
import inspect
from errno import EISDIR
from importlib import import_module
from os import strerror
from pathlib import Path
from typing import Any, ClassVar, Self

import msgpack

from . import durable
from .codec import pack, unpack
from .errors import UnreadableError
from .files import written

MAGIC = b"opilio model\n"
VERSION = 1
DIGEST = 32


class Saved:
    """Whatever inherits this can be saved and loaded: it is what its constructor was given, kept under the same names."""

    kinds: ClassVar[dict[str, type[Saved]]] = {}
    remedy: ClassVar[str] = "name a file that `opilio topic train` made"
    homes: ClassVar[dict[str, str]] = {}  # modules that kinds are in, imported when a file has such a one

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Saved.kinds[cls.__name__.lower()] = cls

    def save(self, path: Path) -> None:
        """Write the model to a file, all of it or nothing."""
        body = dump(self)
        with written(path):
            if path.is_dir():
                raise IsADirectoryError(EISDIR, strerror(EISDIR))
            durable.write(path, MAGIC + hashlib.sha256(body).digest() + body)

    @classmethod
    def load(cls, path: Path) -> Self:
        """The model of a file; UnreadableError when it is none, is damaged, or is of another kind."""
        found = read(path)
        if not isinstance(found, cls):
            kind = type(found).__name__.lower()
            raise UnreadableError(f"{path}: it holds a model of kind {kind}, not {cls.__name__.lower()}; {cls.remedy}")
        return found


def read(path: Path) -> Saved:
    """Whatever model a file holds."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read ({error.strerror}); name a file that was trained") from None
    body = content[len(MAGIC) + DIGEST :]
    if not content.startswith(MAGIC):
        raise UnreadableError(
            f"{path}: this is not a saved model; name a file that `topic train` or `genre train` made"
        )
    if hashlib.sha256(body).digest() != content[len(MAGIC) : len(MAGIC) + DIGEST]:
        raise UnreadableError(f"{path}: the file is damaged or cut off; save the model again")
    return _model(path, body)


def _model(path: Path, body: bytes) -> Saved:
    try:
        version, value = unpack(body)
        if version != VERSION:
            raise UnreadableError(
                f"{path}: version {version} is not known here (only {VERSION}); train the model again"
            )
        found = _made(value)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, msgpack.UnpackException) as error:
        raise UnreadableError(f"{path}: what it holds is not understood ({error}); train the model again") from None
    if not isinstance(found, Saved):
        raise UnreadableError(f"{path}: there is no model in it; train it again")
    return found


def dump(model: Saved) -> bytes:
    """The model as bytes."""
    return pack([VERSION, _plain(model)])


def undump(body: bytes) -> Saved:
    """The model of bytes that `dump` made here."""
    return _model(Path("state of the crawl"), body)


def _plain(value: Any) -> Any:
    if isinstance(value, Saved):
        names = list(inspect.signature(type(value)).parameters)
        return {"kind": type(value).__name__.lower(), "parts": [_plain(getattr(value, name)) for name in names]}
    if isinstance(value, tuple):
        return tuple(_plain(part) if isinstance(part, (Saved, tuple)) else part for part in value)
    return value


def _made(value: Any) -> Any:
    if isinstance(value, dict):
        return _kind(value["kind"])(*map(_made, value["parts"]))
    if isinstance(value, tuple):
        return tuple(_made(part) if isinstance(part, (dict, tuple)) else part for part in value)
    return value


def _kind(name: str) -> Any:
    if name not in Saved.kinds and name in Saved.homes:
        import_module(Saved.homes[name])
    return Saved.kinds[name]
