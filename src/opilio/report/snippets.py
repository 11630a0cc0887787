"""What a page that was found says around the words that were looked for.

FTS5 has a function for that, but it compares each match with all others: a page that says one word 250,000 times keeps it busy
for minutes. Here a text is cut into parts, the best part is found as pages are, and its best place in one pass.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Sequence

TOKENIZE = "porter unicode61 remove_diacritics 2"
APART = "\u200b"  # invisible, and no letter: lets the words of scripts without spaces be told apart
ON, OFF = "\x02", "\x03"  # around a match; never in a text
AROUND = 24  # words of a snippet
PART = 20_000  # characters; marking the matches of a text costs more than its length
WORD = re.compile(rf"[^\s{APART}]+")

Snippet = list[tuple[str, bool]]  # pieces of text, and whether each is a match


def snippets(db: sqlite3.Connection, wanted: str, numbers: Sequence[int]) -> dict[int, Snippet]:
    """Where each of some pages in the index has most of what is wanted, a query of FTS5."""
    db.execute(f'CREATE VIRTUAL TABLE temp.parts USING fts5(text, tokenize = "{TOKENIZE}")')
    owners: list[int] = []
    found: dict[int, str] = {}
    query = "SELECT rowid, text FROM words WHERE rowid IN (SELECT value FROM json_each(?))"
    for number, text in db.execute(query, (json.dumps(numbers),)).fetchall():
        found[number] = text[:PART]  # for pages that have it in their titles alone
        for at in range(0, len(text), PART):
            owners.append(number)
            db.execute("INSERT INTO parts (rowid, text) VALUES (?, ?)", (len(owners), text[at : at + PART]))
    best: dict[int, int] = {}
    for (part,) in db.execute("SELECT rowid FROM parts WHERE parts MATCH ? ORDER BY rank", (wanted,)):
        best.setdefault(owners[part - 1], part)
    marked = f"SELECT highlight(parts, 0, '{ON}', '{OFF}') FROM parts WHERE parts MATCH ? AND rowid = ?"
    found |= {number: db.execute(marked, (wanted, part)).fetchone()[0] for number, part in best.items()}
    return {number: _pieces(_around(found[number])) for number in numbers}


def _around(text: str) -> str:
    """The part of a text that has most of the words that were looked for, each counted once; its beginning if it has none."""
    words = list(WORD.finditer(text))
    matches = [(place, word[0].strip(ON + OFF).lower()) for place, word in enumerate(words) if ON in word[0]]
    first = best = begin = 0
    inside: Counter[str] = Counter()
    for place, name in matches:
        inside[name] += 1
        while matches[begin][0] <= place - AROUND:
            inside -= Counter([matches[begin][1]])
            begin += 1
        if len(inside) > best:
            first, best = (matches[begin][0] + place - AROUND + 1) // 2, len(inside)
    first = max(0, min(first, len(words) - AROUND))
    shown = words[first : first + AROUND]
    if not shown:
        return ""
    part = text[shown[0].start() : shown[-1].end()]
    return f"{'…' if first else ''}{part}{'…' if first + AROUND < len(words) else ''}"


def _pieces(snippet: str) -> Snippet:
    text = " ".join(snippet.replace(APART, "").split())
    pieces = []
    for piece in text.split(ON):
        inside, mark, after = piece.rpartition(OFF)
        pieces += [(inside, True)] if mark else []
        pieces.append((after, False))
    return [piece for piece in pieces if piece[0]]
