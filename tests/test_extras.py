"""Every extra, taken away: what needs it says so in one sentence that names it, and nothing is begun or left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from .crawled import crawled
from .local_site import LocalSite, Reply
from .test_documents import PAPER, PDF

pytestmark = pytest.mark.slow

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LIVE = "crawl --topic bees --out new --seed http://127.0.0.1:1/ -s contact=you@example.org"
# Of each extra: what is taken away, and commands that need it.
NEEDED = {
    "parquet": ("pyarrow", ["export bees", "export bees -o new.arrow"]),
    "browser": ("playwright", [f"{LIVE} -s render=auto"]),
    "content": ("trafilatura", ["export bees --content -o new.csv", "export bees --format markdown -o new"]),
    "web": ("fastapi", ["serve ."]),
    "stores": (
        "obstore",
        ["push bees s3://b/r", "pull s3://b/r new", "export bees -o s3://b/r.csv", "serve s3://b/r", "status s3://b/r"],
    ),
    "cluster": ("ray", [f"{LIVE} --engine ray --state new"]),
    "mcp": ("mcp", ["mcp ."]),
    "semantic": ("ctranslate2", ["crawl --topic bees --out new --corpus synth:500:1 -s model=semantic"]),
}
ELSEWHERE = {"documents", "scrapy"}  # a crawl does without the one; the other is imported, which test_scrapy tries

WITHOUT = """
import importlib.util, sys
real = importlib.util.find_spec
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "{gone}":
            raise ModuleNotFoundError(name)
if __name__ == "__main__":
    importlib.util.find_spec = lambda name, *more: None if name == "{gone}" else real(name, *more)
    sys.meta_path.insert(0, Gone())
    from opilio.cli import main
    main()
"""


def without(gone: str, words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT.format(gone=gone), *words.split()]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, env=os.environ)


def test_no_extra_is_forgotten() -> None:
    assert PROJECT["optional-dependencies"].keys() - {"dev", "docs"} == NEEDED.keys() | ELSEWHERE


@pytest.mark.parametrize("extra", NEEDED)
def test_what_needs_an_extra_names_it(extra: str, tmp_path: Path) -> None:
    crawled(tmp_path / "bees")
    gone, commands = NEEDED[extra]
    for words in commands:
        done = without(gone, words, tmp_path)
        assert (done.returncode, done.stdout) == (2, ""), (words, done.stderr)
        assert done.stderr.startswith("opilio: ")
        assert done.stderr.count("\n") == 1
        assert f"opilio[{extra}]" in done.stderr
        assert [path.name for path in tmp_path.iterdir()] == ["bees"], words


def test_a_crawl_does_without_and_counts_what_was_not_read(tmp_path: Path) -> None:
    with LocalSite({"/": b'<p>Bees <a href="/paper.pdf">a paper</a>', "/paper.pdf": Reply(PAPER, PDF)}) as site:
        words = f'crawl --topic bees --seed {site.url}/ -s allow_networks=["loopback"] -s delay=0 --out new'
        done = without("pypdfium2", words, tmp_path)
    assert done.returncode == 0, done.stderr
    assert 'PDF files stored and not read: 1; they are read with: pip install "opilio[documents]"\n' in done.stderr
