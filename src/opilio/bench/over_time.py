"""What came of a crawl by the clock: the same metrics, over seconds instead of fetches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from .metrics.harvest_rate import harvest_rate
from .metrics.target_recall import target_recall
from .results import Timed
from .significance import SAMPLES
from .simulated_time import Arrival
from .truth import Truth, news, ratio

METRICS = {"target_recall": target_recall, "harvest_rate": harvest_rate}


def over_time(arrivals: Sequence[Arrival], truth: Truth, seconds: float) -> Timed:
    """The metrics at 50 moments, evenly spaced up to the end, and the area under the curve of target recall."""
    urls, times = [arrival.url for arrival in arrivals], [arrival.seconds for arrival in arrivals]
    moments = [seconds * i / SAMPLES for i in range(1, SAMPLES + 1)]
    pages = [bisect_right(times, moment) for moment in moments]
    curves = {name: [0.0, *metric(urls, truth)] for name, metric in METRICS.items()}
    curve: dict[str, list[int | float]] = {"seconds": [*moments], "pages": [*pages]}
    curve |= {name: [whole[n] for n in pages] for name, whole in curves.items()}
    return Timed(seconds=seconds, fetched=len(urls), auc=area(arrivals, truth, seconds), curve=curve)


def area(arrivals: Sequence[Arrival], truth: Truth, seconds: float) -> float:
    """The area under target recall over time as a share of the greatest there could be.

    area = (1/T) · ∫ target recall(t) dt for t = 0 ... T: a target found at t counts (T - t) / T
    """
    fresh = news([arrival.url for arrival in arrivals], truth.targets)
    gains = [seconds - arrival.seconds for arrival, new in zip(arrivals, fresh, strict=True) if new]
    return min(1.0, ratio(sum(gains), seconds * len(truth.targets)))
