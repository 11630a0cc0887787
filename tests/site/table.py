"""All faults in one table: name -> what must come of it."""

from __future__ import annotations

from collections.abc import Iterator

from . import bodies, encodings, heads, pages, redirects, secure

FAMILIES = {
    "heads": heads.CASES,
    "bodies": bodies.CASES,
    "encodings": encodings.CASES,
    "pages": pages.CASES,
    "redirects": redirects.CASES,
    "tls and http/2": secure.CASES,
}
CASES = {case.name: case for cases in FAMILIES.values() for case in cases}


def markdown() -> Iterator[str]:
    """The table as docs/faults.md shows it."""
    yield "| family | fault | status | error begins with |"
    yield "| --- | --- | --- | --- |"
    for family, cases in FAMILIES.items():
        for case in cases:
            statuses = " or ".join(str(status) if status else "none" for status in case.statuses)
            errors = ", ".join(error or "(no error)" for error in case.errors)
            yield f"| {family} | {case.name} | {statuses} | {errors} |"
