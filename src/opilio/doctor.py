"""What is installed, what is missing, and the command that adds it."""

from __future__ import annotations

import re
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from . import native
from .html.walk import COMPILED

FOR_DEVELOPERS = {"dev", "docs"}


def examine() -> Iterator[tuple[str, str, str]]:
    """Rows of part, state, and the command that would add it."""
    yield "Python", sys.version.split()[0], "" if sys.version_info >= (3, 11) else "install Python 3.11 or newer"
    yield "SQLite", sqlite3.sqlite_version, ""
    yield "compiled parts", *_compiled()
    for requirement in requires("opilio") or []:
        name = re.split(r"[\s<>=!~;\[]", requirement, maxsplit=1)[0]
        extra = re.search(r"extra == ['\"](\w+)['\"]", requirement)
        if (extra and extra[1] in FOR_DEVELOPERS) or name == "opilio":  # an extra that needs another one
            continue
        group = f" ({extra[1]})" if extra else ""
        yield name + group, _version(name), "" if _version(name) != "missing" else _remedy(name, extra and extra[1])
    yield "chromium", "found" if shutil.which("chromium") else "missing (only to look at reports)", ""


def _compiled() -> tuple[str, str]:
    """The state of what is written in C, and the remedy where it is not in use."""
    if COMPILED:
        return f"built for selectolax {native.built_for}", ""
    if native.functions:
        found = f"built for another selectolax than {native.installed}"
        return f"{found}: pages are read in Python, more slowly", "install opilio again"
    remedy = "install a C compiler and Python's headers, then opilio again"
    return "not built: pages are read in Python, more slowly", remedy


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _remedy(name: str, extra: str | None) -> str:
    return f'pip install "opilio[{extra}]"' if extra else f"pip install {name}"
