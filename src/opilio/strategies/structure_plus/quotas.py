"""How many fetches a lane gets before it must have brought a page to look at.

A link can lead nowhere without anybody hearing of it: a redirect to a page that is known already. A lane of such links
would be taken to its end, since nothing ever speaks against it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...codec import saved
from ...nouns import Lane

TRIAL = 10  # fetches from a lane of which nothing is known
MOST = 50
LAST = 3  # misses after which the next grant is one fetch


@saved
@dataclass(slots=True)
class Quotas:
    """Answers when a lane was last granted something, and grants in a row that brought no answer."""

    heard: dict[Lane, int] = field(default_factory=dict)
    misses: dict[Lane, int] = field(default_factory=dict)

    def grant(self, lane: Lane, answers: int, trial: int = TRIAL) -> int:
        """What a lane may fetch now; each grant without an answer is half of the one before, then one in 1, 2, 4, 8 ... times."""
        misses = 0 if answers > self.heard.get(lane, -1) else self.misses.get(lane, 0) + 1
        self.heard[lane], self.misses[lane] = answers, misses
        quota = min(trial + answers, MOST) >> min(misses, 16)
        return quota or int(misses & (misses - 1) == 0)

    def renew(self, lane: Lane, answers: int, trial: int) -> int:
        """What a lane may fetch now where every fetch is heard of, redirects too."""
        self.heard[lane] = answers
        return min(trial + answers, MOST)

    def due(self, lane: Lane, answers: int, trial: int = TRIAL) -> bool:
        """Whether enough answers came to grant the lane more."""
        before = self.heard.get(lane, 0)
        return 4 * (answers - before) >= min(trial + before, MOST)

    def retry(self) -> None:
        """Everything may have one more try: after these misses the next grant is one fetch at least."""
        for lane, misses in self.misses.items():
            self.misses[lane] = min(misses, LAST)
