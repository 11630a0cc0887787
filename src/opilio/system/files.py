"""Files that users name: what cannot be read or written is one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import UnreadableError, UnwritableError


def read_text(path: Path, remedy: str) -> str:
    """The text of a file in UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read ({error.strerror}); {remedy}") from None
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{path}: this is not text in UTF-8 ({error.reason}); {remedy}") from None


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Around whatever writes a file that a user named."""
    try:
        yield
    except OSError as error:
        raise UnwritableError(
            f"{path}: cannot be written ({error.strerror or error}); name another file, or free some space"
        ) from None
