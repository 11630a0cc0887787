"""Files that come with the package."""

from __future__ import annotations

from importlib.resources import files


def shipped(name: str) -> str:
    """The text of a file beside this one."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
