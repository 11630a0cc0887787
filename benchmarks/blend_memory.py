"""What a URL that waits costs blend in memory, beside otie: bytes of its offer, as the frontier holds it.

    python -m benchmarks.blend_memory DIR... [--synth SEED...]

One topic of each corpus, and of each synthetic web of 3,000 pages, is crawled up to its budget. The evidence of a URL holds the
links that led to it, 16 at most. What blend has learned by then is the same for a crawl of any length, within its bounds.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from opilio.bench.trial_runs import Job
from opilio.codec import pack
from opilio.registry import spec_of
from opilio.shard.saved_state import learned

from .blend import Ground, grounds
from .waiting_offers import WatchedBlend, WatchedOtie


def crawl(ground: Ground, kind: type[WatchedBlend] | type[WatchedOtie]) -> WatchedBlend | WatchedOtie:
    trial = ground.trials[0]
    job, given = Job(ground.folder, "topics", trial, (), 50, "auto"), ground.course.given(trial, "auto")
    ground.course.outcome(job, spec_of(kind), given, ground.course.truth(trial), None, [])
    return kind.seen[-1]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("corpora", nargs="*", type=Path, metavar="DIR")
    asked.add_argument("--synth", nargs="*", type=int, default=[], metavar="SEED")
    given = asked.parse_args()
    print("| corpus | URLs waiting | bytes of an offer of blend, mean | most | of otie | what blend has learned, KB |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="opilio-blend-") as scratch:
        for name, ground in grounds(given.corpora, given.synth, 1, 0, Path(scratch)).items():
            blend, otie = crawl(ground, WatchedBlend), crawl(ground, WatchedOtie)
            sizes, others = blend.waiting.sizes(), otie.waiting.sizes()
            state = len(pack(learned(blend))) / 1000
            figures = f"{len(sizes)} | {sizes.mean():.0f} | {sizes.max()} | {others.mean():.0f} | {state:.0f}"
            print(f"| {name} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
