"""One process of a crawl by several: what starts it, and where its pages come from. People do not call it."""

from __future__ import annotations

import re
import socket
import sys
from pathlib import Path
from typing import NoReturn

from ..config import Config
from ..engine.run import configured
from ..errors import ConfigError
from ..gc_pause import rarely_collecting
from ..nouns import Fetcher
from .terminal import leave

COMMAND = (sys.executable, "-c", "from opilio.cli.shard import main; main()")
SYNTH = "synth:"


def source(config: Config) -> tuple[Fetcher | None, str]:
    """Where the pages of a crawl come from (None: the web), and the home page that it starts from unless told."""
    if not config.corpus:
        return None, ""
    if config.corpus.startswith(SYNTH) and not Path(config.corpus).exists():
        return _made_up(config.corpus)
    from ..bench.corpus import Corpus  # this and others: a crawl of the web starts sooner without them

    stored = Corpus.open(Path(config.corpus))
    return stored.fetcher(), stored.home


def _made_up(name: str) -> tuple[Fetcher, str]:
    from ..synth.fetcher import SynthFetcher
    from ..synth.site import Place
    from ..synth.web import Web

    found = re.fullmatch(rf"{SYNTH}(\d{{1,12}})(?::(\d{{1,12}}))?", name)
    if not found:
        raise ConfigError(f'corpus = "{name}" is not a synthetic web; write synth:PAGES or synth:PAGES:SEED')
    web = Web(int(found[1]), int(found[2] or 0))
    return SynthFetcher(web), Place(web.atlas.sites[0], 0).url


def main() -> NoReturn:
    """Be the shard that the parent wants: run folder, index, and the number of a socket are on the command line."""
    from ..engine.parallel.worker import serve  # a crawl in one process starts sooner without

    folder, index, handle = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    with socket.socket(fileno=handle) as end, rarely_collecting():
        config = configured(folder)
        serve(folder, config, index, end, *source(config))
    leave(0)
