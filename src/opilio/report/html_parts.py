"""Pieces of HTML that reports are made of. Everything that comes from a page goes through `escape` here."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

LONGEST = 200  # characters of a cell
FIGURE = re.compile(r"[-+±]?[0-9][0-9.,e-]*( ?(%|bytes|[KMG]B|s))?")


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], empty: str = "") -> str:
    """A table that can be moved sideways on a small screen; a sentence instead when it has no rows."""
    there = list(rows)
    if not there:
        return paragraph(empty) if empty else ""
    words = [all(_is_words(row[place]) for row in there) for place in range(len(heads))]
    body = "".join(f"<tr>{''.join(map(_cell, row, words, heads))}</tr>\n" for row in there)
    top = "".join(
        f'<th scope="col"{_aligned(is_words)}>{escape(head)}</th>' for head, is_words in zip(heads, words, strict=True)
    )
    return f'<div class="wide"><table class="stack"><thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _cell(value: object, is_words: bool, head: str) -> str:
    return f'<td{_aligned(is_words)} data-label="{escape(head)}">{escape(shown(value))}</td>'


class Bar(NamedTuple):
    """One bar: a name, how many, and how many of them count."""

    name: str
    whole: int
    part: int | None = None  # None: nothing was judged
    link: str = ""
    is_bad: bool = False


def bars(about: str, rows: Sequence[Bar], counted: str = "fetched") -> str:
    """Bars beside their names and numbers: a picture and a table at once."""
    if not rows:
        return ""
    most = max(row.whole for row in rows) or 1
    judged = any(row.part is not None for row in rows)
    heads = ["", "", f"relevant of {counted}" if judged else counted]
    body = "".join(_bar(row, most) for row in rows)
    top = "".join(
        f'<th scope="col" class="{kind}">{escape(head)}</th>' if head else f'<td class="{kind}"></td>'
        for kind, head in zip(("name", "bar", "count"), heads, strict=True)
    )
    caption = f'<caption class="words">{escape(about)}</caption>' if about else ""
    return f'<table class="bars">{caption}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>'


def _bar(row: Bar, most: int) -> str:
    count = f"{row.whole:,}" if row.part is None else f"{row.part:,} of {row.whole:,}"
    name = escape(shown(row.name)) or "(none)"
    if row.link:
        name = f'<a href="{escape(row.link)}">{name}</a>'
    return (
        f'<tr><th scope="row" class="name">{name}</th><td class="bar">'
        f'<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{_rects(row, most)}</svg></td>'
        f'<td class="count">{count}</td></tr>\n'
    )


def _rects(row: Bar, most: int) -> str:
    whole = max(0.5, 100 * row.whole / most)
    if row.part is None:
        return f'<rect class="{"bad" if row.is_bad else "whole"}" width="{whole:.2f}" height="10"/>'
    part = f'<rect class="part" width="{100 * row.part / most:.2f}" height="10"/>' if row.part else ""
    return f'<rect class="rest" width="{whole:.2f}" height="10"/>{part}'


def is_link(url: str) -> bool:
    """Whether a URL may be a link of ours: what is crawled is http(s), and nothing else is let through."""
    return url.startswith(("http://", "https://"))


def marked(pieces: Iterable[tuple[str, bool]]) -> str:
    """Pieces of text, some of them set off."""
    return "".join(f"<mark>{escape(text)}</mark>" if is_match else escape(text) for text, is_match in pieces)


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
    return f"{100 * part / whole:.1f} %" if whole else ""
