"""What links on pages of each genre are believed to lead to, as a picture."""

from __future__ import annotations

from collections.abc import Mapping

from ...picture import Section, Table


def prior_picture(rates: Mapping[str, Mapping[str, float]]) -> list[Section]:
    rows = [(genre, kind, f"{rate:.1%}") for kind, found in rates.items() for genre, rate in found.items()]
    return [Section("Genres", [Table(("genre of the page", "its relevance", "links that lead to the topic"), rows)])]
