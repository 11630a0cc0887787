"""Labels for pages of an archive: by patterns of URLs, and from a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import ConfigError
from ...scope.bounds import url_pattern
from ..contents import read_labels, read_table
from ..problems import raise_first


class Labels(NamedTuple):
    """The columns of labels.csv, and the rows of a table by URL."""

    rules: list[tuple[re.Pattern[str], str]]  # of the column `column`: the first that a URL is like counts
    column: str
    columns: list[str]  # of the table
    rows: dict[str, list[str]]

    def all_columns(self) -> list[str]:
        return [*self.columns, *([self.column] if self.rules and self.column not in self.columns else [])]

    def of(self, urls: Sequence[str]) -> Iterator[dict[str, str]]:
        """A row for each page that something is known about; what the table says goes before the patterns."""
        for url in urls:
            row = {name: value for name, value in zip(self.columns, self.rows.get(url, []), strict=False) if value}
            if value := row.get(self.column) or self._by_rule(url):
                row[self.column] = value
            if row:
                yield {"url": url, **row}

    def _by_rule(self, url: str) -> str:
        return next((value for pattern, value in self.rules if pattern.fullmatch(url)), "")


def labels(rules: Sequence[str], column: str, table: Path | None) -> Labels:
    """Labels by PATTERN=VALUE and by a CSV file with a column `url`."""
    problems: list[str] = []
    columns: list[str] = []
    rows: dict[str, list[str]] = {}
    if table:
        if not table.is_file():
            raise ConfigError(f"{table}: there is no such file; name a CSV file with a column url")
        header, lines = read_table(table, ("url",), problems)
        columns = [name for name in header if name != "url"]
        rows = read_labels(table, header, lines, problems)
        raise_first(problems)
    return Labels([_rule(rule) for rule in rules], column, columns, rows)


def _rule(text: str) -> tuple[re.Pattern[str], str]:
    pattern, equals, value = text.rpartition("=")
    if not (pattern and equals and value.strip()):
        raise ConfigError(f'the label "{text}" is not PATTERN=VALUE; for example "*/news/*=news"')
    return re.compile(url_pattern(pattern), re.DOTALL), value.strip()
