"""Pages as Markdown: one file each, in a folder for each host, with what is known about the page in front of its text."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from ..engine.stored_content import StoredContent
from ..engine.stored_pages import rows
from ..errors import ConfigError, UnreadableError
from ..nouns import Content
from ..store.reader import reading
from ..urls import host
from .export import Tick, wanted, watched

LONGEST = 80  # letters of a name; file systems take 255 bytes
NOT_SAFE = re.compile(r"[^a-z0-9.]+")
# Only the last visit to a page: the index on url makes this cheap.
LAST = " AND file IS NOT NULL AND number = (SELECT max(number) FROM pages AS later WHERE later.url = pages.url)"


def write_markdown(
    folder: Path, target: Path, *, least: float | None = None, noindex: bool = False, tick: Tick | None = None
) -> int:
    """Write each page that has a text to a file in a new folder; how many. The folder is whole or not there."""
    with closing(reading(folder)) as db, _whole(target) as draft, StoredContent(folder) as contents:
        count = 0
        for row in watched(db, rows(db, f"SELECT * FROM pages{wanted(least, noindex)}{LAST}"), tick):
            content = contents.of(row)
            if content.markdown.strip():
                _write(draft / file_name(row["url"], row["number"]), front_matter(row, content) + content.markdown)
                count += 1
        return count


def file_name(url: str, number: int) -> Path:
    """A name that every file system takes, whatever the URL is: host/000123-the-path.md."""
    path = url.partition("://")[2].partition("/")[2]
    return Path(_safe(host(url)) or "host", f"{number:06}-{_safe(path) or 'index'}.md")


def front_matter(row: sqlite3.Row, content: Content) -> str:
    """What is known about a page, as YAML between two lines of dashes; what is not known is left out."""
    fields = {
        "url": row["url"],
        "title": content.title or row["title"],
        "date": content.date,
        "author": content.author,
        "language": content.language or row["language"],
        "relevance": row["relevance"],
        "fetched": datetime.fromtimestamp(row["time"], UTC).isoformat(timespec="seconds"),
    }
    lines = (f"{name}: {_yaml(value)}\n" for name, value in fields.items() if value not in ("", None))
    return f"---\n{''.join(lines)}---\n\n"


def _yaml(value: str | float) -> str:
    """A value that YAML reads as it is: JSON, with escapes for what is not printed."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in text)


def _safe(text: str) -> str:
    return NOT_SAFE.sub("-", text.lower())[:LONGEST].strip("-.")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.rstrip() + "\n", encoding="utf-8", errors="replace")


@contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """A folder to fill, which takes its name at the end."""
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise ConfigError(f"{target}: there is something already; name a new folder with -o")
    draft = target.with_name(f".{target.name}.part")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        yield draft
        draft.replace(target)
    except OSError as error:
        raise UnreadableError(f"{target}: cannot be written ({error.strerror}); name another folder with -o") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
