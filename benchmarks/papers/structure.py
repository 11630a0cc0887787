"""SOUrCe: what `python -m benchmarks.structure` prints, by the tables and figures of the paper."""

from __future__ import annotations

import io
import subprocess
import sys
from functools import cache, partial

from .experiment import Result


@cache
def printed(*words: str) -> Result:
    """The lines of tables that are made elsewhere."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.structure", *words], capture_output=True, text=True, check=True
    )
    lines = [line for line in io.StringIO(done.stdout).read().splitlines() if line.strip()]
    return Result([f"`python -m benchmarks.structure {' '.join(words)}`"], [[f"`{line}`"] for line in lines], "", {})


TABLES = {
    "table2": "clustering",
    "figure4": "draws",
    "figure5": "clustering",
    "table3": "content",
    "table4": "target",
    "figure6": "target",
    "figure7": "target",
    "figure8": "samples",
    "table5": "parts",
}
RUNS = {f"001 {name}": partial(printed, table) for name, table in TABLES.items()}
