"""What the shards of one crawl are told: how many pages each may store, when a stage is over, what became of its letters.

Nothing here is state that a crash could take: it follows from what the shards report, and they keep it in their databases.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from ... import errors
from ...config import Config
from ...loop import reached
from ...saturation import Saturation
from . import protocol
from .budget import Allowance
from .members import Member, quiet
from .protocol import Message, Report
from .turns import turns

TICK = 0.2  # seconds between two looks at the clock


class Coordinator:
    """Deals out the budget and decides when the crawl is over, from the reports of its members."""

    def __init__(self, config: Config, members: Sequence[Member]) -> None:
        self.members, self._limits = members, config.limits()
        self.allowance, self._batch = Allowance(config.max_pages, len(members)), config.batch
        self.recent = Saturation(self._limits.saturation, self._limits.window)
        self._stage = 0  # that all shards have ended, or are about to
        self._failed: tuple[str, str] | None = None
        self.changed = asyncio.Event()

    async def turn(self) -> str:
        """Answer to everything that was reported; why the crawl is over, or ""."""
        if why := self._over():
            return why
        reports = [member.report for member in self.members]
        for index, cap in self.allowance.dealt(
            reports, turns([member.offering() for member in self.members], self._batch)
        ):
            asked = self.allowance.known(index)[1]
            self.members[index].say(*(protocol.CAP, cap) if cap is not None else (protocol.GIVE_BACK, asked))
        await self.wait()
        return ""

    def repeat(self) -> None:
        """Say again what a member may have missed, where messages can get lost; to hear it twice changes nothing."""
        for member in self.members:
            cap, asked = self.allowance.known(member.index)
            if not member.report:
                continue
            if asked > member.report.given:
                member.say(protocol.GIVE_BACK, asked)
            elif cap is not None and cap > member.report.cap:
                member.say(protocol.CAP, cap)
            if member.stage > member.report.dried:
                member.say(protocol.DRY, member.stage)
            for other in self.members:
                if other is not member and member.index in (posted := other.report.posted if other.report else {}):
                    received = member.report.received.get(other.index, 0)
                    other.say(protocol.RECEIVED, member.index, min(received, posted[member.index]))

    async def wait(self) -> None:
        """Until something has changed, or for a short time."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.changed.wait(), TICK)
        self.changed.clear()

    def hear(self, member: Member, message: Message) -> None:
        """What a member says."""
        kind, *parts = message
        match kind:
            case protocol.LETTERS | protocol.SKIP:
                self.members[parts[0]].say(kind, member.index, parts[1])
            case protocol.REPORT:
                self._note(member, Report(*parts))
            case protocol.FAILED:
                self._failed = (parts[0], parts[1])
        self.changed.set()

    def check(self) -> None:
        """Raise what a member has failed by, if one has: to start it again would not help."""
        if self._failed:
            kind, sentence = self._failed
            raise errors.by_name(kind)(sentence)

    @property
    def reports(self) -> list[Report]:
        """How those shards stand that have said so."""
        return [member.report for member in self.members if member.report]

    @property
    def pages(self) -> int:
        """Stored by all shards."""
        return sum(report.pages for report in self.reports)

    @property
    def open_urls(self) -> int:
        """URLs that wait in all shards."""
        return sum(report.waiting for report in self.reports)

    @property
    def fallen(self) -> str:
        """Why the strategy does not go by its own method; "" when it does."""
        return next((report.fallen for report in self.reports if report.fallen), "")

    def _note(self, member: Member, report: Report) -> None:
        before = member.report
        member.note(report)
        self.recent.extend(report.brought)
        if before and report.pages > before.pages:
            member.deaths = 0
        for other in self.members:
            if other is not member:
                self._confirm(member, other, before)

    def _confirm(self, member: Member, other: Member, before: Report | None) -> None:
        """Tell the other what this one has heard of its letters; and this one, if it was just started, the same of its own."""
        assert member.report
        received = member.report.received.get(other.index, 0)
        if before is None:
            other.say(protocol.AGAIN, member.index, received)
            if other.report:
                member.say(protocol.RECEIVED, other.index, other.report.received.get(member.index, 0))
        if before is None or received != before.received.get(other.index, 0):
            other.say(protocol.RECEIVED, member.index, received)

    def _over(self) -> str:
        reports = self.reports
        if len(reports) < len(self.members):
            return ""
        if failing := next((report.failing for report in reports if report.failing), ""):
            return failing
        seconds = max(report.seconds for report in reports)
        if why := reached(self._limits, self.pages, seconds, sum(report.bytes for report in reports), self.recent):
            return why
        return self.ended_stage(reports) if quiet(reports) else ""

    def ended_stage(self, reports: Sequence[Report]) -> str:
        """Let all shards end a stage together; when that brings nothing to any of them, it is over."""
        if all(report.dried == self._stage for report in reports):
            if self._stage and not any(report.more for report in reports):
                return "nothing left to fetch"
            self._stage += 1
        for member in self.members:
            if member.stage != self._stage and member.report and member.report.dried != self._stage:
                member.stage = self._stage
                member.say(protocol.DRY, self._stage)
        return ""
