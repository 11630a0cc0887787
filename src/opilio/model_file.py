"""Models as files: a magic line, a version, a checksum and plain values. Loading runs no code and refuses what is not ours."""

from __future__ import annotations

import hashlib
from errno import EISDIR
from os import strerror
from pathlib import Path
from typing import ClassVar, Self

import msgpack

from .codec import pack, saved, unpack
from .errors import UnreadableError
from .system import durable
from .system.files import written

MAGIC = b"opilio model\n"
VERSION = 2
DIGEST = 32


class Saved:
    """Whatever inherits this can be saved to a file and loaded, as `codec.saved` says, and be part of what can."""

    remedy: ClassVar[str] = "name a file that `opilio topic train` made"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        saved(cls)

    def save(self, path: Path) -> None:
        """Write the model to a file, all of it or nothing."""
        body = pack([VERSION, self])
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
        version, found = unpack(body)
        if version != VERSION:
            raise UnreadableError(
                f"{path}: version {version} is not known here (only {VERSION}); train the model again"
            )
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, msgpack.UnpackException) as error:
        raise UnreadableError(f"{path}: what it holds is not understood ({error}); train the model again") from None
    if not isinstance(found, Saved):
        raise UnreadableError(f"{path}: there is no model in it; train it again")
    return found
