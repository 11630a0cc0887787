"""How a crawl starts: where its pages come from, and in how many processes it runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .config import Config
from .engine.run import Run
from .engine.run_folder import check_shards, configured
from .errors import ConfigError
from .nouns import RELEVANT, Fetcher
from .store.lock import is_running, lock
from .store.reader import reading
from .store.run import writing
from .system import durable

if TYPE_CHECKING:
    from .engine.parallel.processes import Processes

SHARD_COMMAND = (sys.executable, "-c", "from opilio.cli.shard import main; main()")
SYNTH = "synth:"


def made(folder: Path, config: Config, remark: Callable[[str], None] = lambda text: None) -> Run | Processes:
    """A crawl that has not begun, or does not go on yet; `remark` hears what its user should know."""
    if config.engine == "ray":
        kept = config.state or "URL"
        raise ConfigError(
            f"{folder}: a crawl on a cluster has no run folder to crawl into; start one with `opilio crawl --engine ray --state "
            f"URL`, continue it with `opilio resume {kept}`"
        )
    remark_contact(config, remark)
    fetcher, home = source(config)
    if config.processes > 1:
        from .engine.parallel.processes import Processes  # a crawl in one process starts sooner without

        return Processes(folder, config, [*SHARD_COMMAND, str(folder)], fetcher, home)
    check_shards(folder, config)
    return Run(folder, config, fetcher, home)


class Learned(NamedTuple):
    """What a crawl made of labels: how many pages counted as relevant before and after, and what judges now."""

    before: int
    after: int
    judged_by: str

    def __str__(self) -> str:
        if not self.judged_by:
            return "noted; this crawl has no topic to learn"
        return f"learned: relevant pages {self.before:,} → {self.after:,}; relevance is judged by {self.judged_by}"


def learn_labels(folder: Path) -> Learned | None:
    """Let a crawl that does not run follow what people said of its pages; None for one that does so by itself, as one that runs.

    Labels of a folder that was pulled from a cluster go there.
    """
    config = configured(folder)
    if config.engine == "ray":
        from .engine.cluster.pull import hand_labels

        hand_labels(folder, config.state)
        return None
    if is_running(folder):
        return None
    before = _relevant(folder)
    with closing(made(folder, config)) as run:
        run.follow_labels()
        judged_by = run.topic.why if run.topic else ""
    return Learned(before, _relevant(folder), judged_by)


def _relevant(folder: Path) -> int:
    with closing(reading(folder)) as db:
        return int(db.execute("SELECT count(*) FROM pages WHERE relevance >= ?", (RELEVANT,)).fetchone()[0])


def remark_contact(config: Config, remark: Callable[[str], None]) -> None:
    """Remark on a crawl of the web that names nobody to turn to."""
    if not config.corpus and not config.contact:
        remark("no contact is set: sites cannot reach you when something goes wrong; give one with -s contact=ADDRESS")


def check_more(folder: Path, max_pages: int) -> None:
    """A limit that was passed long ago is a mistake."""
    with closing(reading(folder)) as db:
        pages = db.execute("SELECT count(*) FROM pages").fetchone()[0]
    if max_pages <= pages:
        raise ConfigError(
            f"--max-pages {max_pages}: this crawl has fetched {pages:,} pages already; the limit counts from its start, so "
            f"give more than {pages:,}"
        )


def continued(folder: Path, max_pages: int | None) -> Config:
    """The configuration of a crawl that goes on; a new limit is noted in its folder, unless somebody else is at work there."""
    if max_pages is None:
        return configured(folder)
    config = configured(folder, {"max_pages": max_pages})
    check_more(folder, max_pages)
    with writing(folder), closing(lock(folder)):
        durable.write(folder / "config.toml", config.toml())
    return config


def source(config: Config) -> tuple[Fetcher | None, str]:
    """Where the pages of a crawl come from (None: the web), and the home page that it starts from unless told."""
    if not config.corpus:
        return None, ""
    if config.corpus.startswith(SYNTH) and not Path(config.corpus).exists():
        return _synthetic(config.corpus)
    from .bench.corpus import Corpus  # this and others: a crawl of the web starts sooner without them

    stored = Corpus.open(Path(config.corpus))
    return stored.fetcher(), stored.home


def _synthetic(name: str) -> tuple[Fetcher, str]:
    from .synth.fetcher import SynthFetcher
    from .synth.site import Place
    from .synth.web import Web

    found = re.fullmatch(rf"{SYNTH}(\d{{1,12}})(?::(\d{{1,12}}))?", name)
    if not found:
        raise ConfigError(f'corpus = "{name}" is not a synthetic web; write synth:PAGES or synth:PAGES:SEED')
    web = Web(int(found[1]), int(found[2] or 0))
    return SynthFetcher(web), Place(web.atlas.sites[0], 0).url
