"""What servers that do everything wrong cost: `python -m benchmarks.faults`.

Fetches every fault of tests/site, with a time limit, and prints those that came too late, the largest and the most laborious;
then the pages of a healthy host in a crawl through all faults, and in one of it alone at the same time.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.site.table import CASES
from tests.test_faults import GRACE, LIMIT, MEMORY, PAGES, _all, measured, pages_alone, serving

WORST = 5  # of each kind


def worst(title: str, found: dict[str, float], limit: float, unit: str) -> bool:
    """Print the worst; whether all are within the limit."""
    rows = sorted(found.items(), key=lambda row: -row[1])[:WORST]
    told = ", ".join(f"{name} {value:.1f}" for name, value in rows)
    print(f"{title}, {unit}: at most {limit:.0f} allowed; {told}")
    return rows[0][1] <= limit


def main() -> bool:
    with serving() as site, TemporaryDirectory(prefix="opilio-faults-") as scratch:
        answers, healthy = asyncio.run(_all(site))
        costs = asyncio.run(measured(site.settings()))
        alone = asyncio.run(pages_alone(site, Path(scratch)))
    print(
        f"{len(CASES)} faults, time limit {LIMIT:.0f} s; a healthy host asked {len(healthy)} times beside them: ",
        end="",
    )
    print(f"{sum(answer.status == 200 for answer in healthy)} times well")
    late = [name for name, (_, soon) in answers.items() if not soon]
    print(f"more than {GRACE:.0f} s after the limit: {', '.join(late) or 'none'}")
    good = not late and worst("memory", {name: float(size) for name, (size, _) in costs.items()}, MEMORY, "MB")
    good &= worst("work", {name: seconds for name, (_, seconds) in costs.items()}, GRACE, "CPU seconds")
    print(
        f"pages of a healthy host in a crawl through all faults: {PAGES}, in one of it alone at the same time: {alone}"
    )
    good &= alone <= 2 * PAGES and all(answer.status == 200 for answer in healthy)
    print("no fault does harm" if good else "SOMETHING IS WRONG")
    return good


if __name__ == "__main__":
    sys.exit(not main())
