"""Letters between shards: those that wait here for others, and how far those of others were heard."""

from __future__ import annotations

from collections.abc import Iterator

from ..codec import pack, unpack
from ..nouns import Letter, Posted
from .commit_log import CommitLog, Marks
from .tables import Waiting


class Mailbox:
    """The letters of one shard. Nothing is written for good before the store commits."""

    def __init__(self, tables: Waiting, index: int, log: CommitLog | None = None) -> None:
        self._tables, self._index, self._log = tables, index, log
        self._outgoing: dict[int, list[Posted]] = {}
        self.posted: dict[int, int] = dict(tables.db.execute("SELECT receiver, number FROM posted"))  # the last to each
        self._received: dict[int, int] = dict(tables.db.execute("SELECT sender, number FROM heard"))
        self._committed = self._restored = Marks(dict(self.posted), dict(self._received))

    def post(self, receiver: int, say: Posted) -> None:
        """A letter to another shard; it is on its way once it is committed."""
        self._outgoing.setdefault(receiver, []).append(say)

    def write(self) -> None:
        """Write what was posted, before a commit."""
        # Letters to one shard are one row, under the number of the last: rows cost more than letters do.
        for receiver, says in self._outgoing.items():
            last = self.posted[receiver] = self.posted.get(receiver, 0) + len(says)
            self._tables.db.execute("INSERT OR REPLACE INTO posted VALUES (?, ?)", (receiver, last))
            self._tables.db.execute("INSERT INTO letters VALUES (?, ?, ?)", (receiver, last, pack(says)))
        self._outgoing = {}

    def committed(self) -> Marks:
        """The store has committed: how far letters have come with that."""
        self._committed = Marks(dict(self.posted), dict(self._received))
        return self._committed

    def bundles(self, receiver: int, after: int, last: int) -> list[tuple[int, bytes]]:
        """Letters to a shard after a number, up to another: the number of the last in each bundle, and their bytes."""
        query = "SELECT number, say FROM letters WHERE receiver = ? AND number > ? AND number <= ? ORDER BY number"
        return self._tables.db.execute(query, (receiver, after, last)).fetchall()

    def letters(self) -> Iterator[Letter]:
        """Committed letters that were not forgotten yet, in order."""
        query = "SELECT receiver, number, say FROM letters ORDER BY receiver, number"
        for receiver, last, data in self._tables.db.execute(query).fetchall():
            says = unpack(data)
            for number, say in enumerate(says, last - len(says) + 1):
                yield Letter(self._index, receiver, number, say)

    def forget(self, receiver: int, number: int) -> None:
        """Letters up to this number were heard. If they were never posted, the end of this database is lost (an older copy of
        it was put back): new letters need numbers that were not heard yet."""
        self._tables.db.execute("DELETE FROM letters WHERE receiver = ? AND number <= ?", (receiver, number))
        if number > self.posted.get(receiver, 0):
            self.posted[receiver] = number
            self._tables.db.execute("INSERT OR REPLACE INTO posted VALUES (?, ?)", (receiver, number))

    def forgotten(self, receiver: int) -> int:
        """The number of the last letter to a shard that is no longer here."""
        query = "SELECT number, say FROM letters WHERE receiver = ? ORDER BY number LIMIT 1"
        row = self._tables.db.execute(query, (receiver,)).fetchone()
        return row[0] - len(unpack(row[1])) if row else self.posted.get(receiver, 0)

    @property
    def sendable(self) -> dict[int, int]:
        """The last letter to each shard that a crash cannot take back."""
        return self._safe.posted

    @property
    def safe(self) -> dict[int, int]:
        """The last letter of each shard whose hearing a crash cannot undo."""
        return self._safe.received

    @property
    def _safe(self) -> Marks:
        if not self._log:
            return self._committed
        return self._restored if self._log.marks is None else self._log.marks

    @property
    def all_committed(self) -> bool:
        """Whether all letters that were heard are committed."""
        return self._committed.received == self._received

    def received(self, sender: int) -> int:
        """The number of the last letter of a shard that was heard."""
        return self._received.get(sender, 0)

    def receive(self, sender: int, number: int, count: int = 1) -> bool:
        """Whether these are the next letters from the sender, this many up to that number; notes them if so."""
        if number != self.received(sender) + count:
            return False
        self._received[sender] = number
        self._tables.db.execute("INSERT OR REPLACE INTO heard VALUES (?, ?)", (sender, number))
        return True

    def skip(self, sender: int, number: int) -> int:
        """The sender has no letters up to this number any more; how many are lost for ever."""
        lost = number - self.received(sender)
        return lost if lost > 0 and self.receive(sender, number, lost) else 0
