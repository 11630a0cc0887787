"""What a page of the dashboard declares: its addresses, and its tab in the menu of a run, if it has one."""

from __future__ import annotations

from typing import NamedTuple

from fastapi import APIRouter


class Tab(NamedTuple):
    """An entry in the menu of a run."""

    label: str
    end: str  # of the address, after that of the run
    place: int  # in the menu


class PageRouter(APIRouter):
    """The addresses of one file in pages/."""

    def __init__(self, tab: Tab | None = None) -> None:
        super().__init__()
        self.tab = tab
