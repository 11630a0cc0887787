"""One process of a crawl to which all host names are at one address, as the names of a hoster's customers are.

`python -m benchmarks.one_address PORT FOLDER INDEX SOCKET` does what `opilio.cli.shard` does, with that answer in place of the
system's resolver. `fetch_to` would not do: names that the user sends to one server are not taken for one server's.
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

from opilio.cli import shard
from opilio.config import Config
from opilio.engine.parallel.processes import Processes
from opilio.fetchers.http.dns import Place


def crawled(folder: Path, config: Config, port: int) -> str:
    """Crawl with several processes; why it ended."""
    command = [sys.executable, "-m", "benchmarks.one_address", str(port), str(folder)]
    with closing(Processes(folder, config, command)) as processes:
        return processes.go()


def main() -> None:
    port = int(sys.argv.pop(1))

    async def resolve(host: str, asked: int) -> Place:
        return Place(("127.0.0.1",), port)

    with patch("opilio.fetchers.http.client.system", resolve):
        shard.main()


if __name__ == "__main__":
    main()
