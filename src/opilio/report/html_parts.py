"""Pieces of HTML that reports are made of. Everything that comes from a page goes through `escape` here."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape

LONGEST = 200  # characters of a cell
FIGURE = re.compile(r"[-+±]?[0-9][0-9.,e-]*( ?(%|bytes|[KMG]B|s))?")


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], empty: str = "") -> str:
    """A table that can be moved sideways on a small screen; a sentence instead when it has no rows."""
    there = list(rows)
    if not there:
        return paragraph(empty) if empty else ""
    words = [all(_is_words(row[place]) for row in there) for place in range(len(heads))]
    body = "".join(f"<tr>{''.join(map(_cell, row, words))}</tr>\n" for row in there)
    top = "".join(f"<th{_aligned(is_words)}>{escape(head)}</th>" for head, is_words in zip(heads, words, strict=True))
    return f'<div class="wide"><table><tr>{top}</tr>\n{body}</table></div>'


def _cell(value: object, is_words: bool) -> str:
    return f"<td{_aligned(is_words)}>{escape(shown(value))}</td>"


def _aligned(is_words: bool) -> str:
    return ' class="words"' if is_words else ""


def _is_words(value: object) -> bool:
    """Whether a cell is to be read, and not to be compared with those above and below it."""
    return isinstance(value, str) and bool(value) and not FIGURE.fullmatch(value)


def shown(value: object) -> str:
    """A value as people read it."""
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3g}"
    text = str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def section(heading: str, *parts: str) -> str:
    """A heading with what belongs to it; nothing when there is nothing."""
    inside = "\n".join(part for part in parts if part)
    return f"<h2>{escape(heading)}</h2>\n{inside}\n" if inside else ""


def picture(svg: str, about: str) -> str:
    """A drawing with colours of its own, kept apart from those of the page."""
    data = b64encode(svg.encode()).decode()
    return f'<figure class="alone"><img alt="{escape(about)}" src="data:image/svg+xml;base64,{data}"></figure>'


def size(count: float) -> str:
    """Bytes as people read them."""
    for unit in ("bytes", "KB", "MB"):
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} GB"


def share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else ""
