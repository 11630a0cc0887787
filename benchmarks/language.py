"""How often the language of a page is told rightly, wrongly, or not at all; what pages say of themselves is not looked at.

    python -m benchmarks.language DIR... [--html CODE=FOLDER]... [--pages 200]

DIR is a corpus folder in English, FOLDER one with HTML files in the language of CODE. Beside whole pages: lists (the own words
of a page's links), code (Python's own library), numbers, and pairs of texts in two languages, one behind the other. For those
that have no one language, "not at all" is right. *before* is resiliparse's detect_fast, which says a language for everything.
"""

from __future__ import annotations

import argparse
import gzip
import random
import sysconfig
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

from resiliparse.parse.lang import detect_fast

from opilio.bench.corpus import Corpus
from opilio.html import Document
from opilio.html.language import detected
from opilio.topics.material import example

PAIRS, HALF = 8, 4_000  # texts of each two languages, and characters of each


class Text(NamedTuple):
    kind: str
    language: str  # "" where there is none, or more than one
    text: str


def texts(options: argparse.Namespace) -> Iterator[Text]:
    chance = random.Random(1)
    for folder in options.folders:
        corpus = Corpus.open(folder)
        for url in chance.sample(sorted(corpus.urls), min(options.pages, len(corpus.urls))):
            page = corpus.page(url)
            yield Text(corpus.name, "en", page.text)
            yield Text("lists of links", "en", example(page).anchors)
    for code, folder in options.html:
        for path in sorted(folder.rglob("*.html*"))[: options.pages]:
            content = path.read_bytes()
            content = gzip.decompress(content) if path.suffix == ".gz" else content
            yield Text(f"HTML files, {code}", code, Document(content, "http://page.test/").text)
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[: options.pages]:
        yield Text("code", "en", path.read_text(encoding="utf-8", errors="ignore"))
    for _ in range(options.pages // 4):
        yield Text("numbers", "", " ".join(f"{chance.random() * 1e4:.2f}" for _ in range(300)))


def mixed(known: list[Text]) -> Iterator[Text]:
    chance, by_language = random.Random(2), defaultdict[str, list[str]](list)
    for _, language, text in known:
        if language and len(text) > 500:
            by_language[language].append(text)
    for pair in permutations(sorted(by_language), 2):
        for _ in range(PAIRS):
            both = [chance.choice(by_language[language]) for language in pair]
            half = min(HALF, *map(len, both))
            yield Text("two languages", "", "\n".join(text[:half] for text in both))


def before(text: str) -> str:
    found = detect_fast(text[:10_000])[0] if len(text) >= 100 else "unknown"
    return "" if found == "unknown" else str(found)


def outcome(said: str, language: str) -> str:
    return "right" if said == language else "wrong" if said else "not told"


def html(text: str) -> tuple[str, Path]:
    code, _, folder = text.partition("=")
    return code, Path(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--html", type=html, action="append", default=[])
    parser.add_argument("--pages", type=int, default=200)
    options = parser.parse_args()
    known = list(texts(options))
    counts, cost = defaultdict[str, Counter[str]](Counter), defaultdict[str, float](float)
    for kind, language, text in [*known, *mixed(known)]:
        for name, tell in (("before", before), ("now", detected)):
            began = time.process_time()
            counts[kind][f"{name} {outcome(tell(text), language)}"] += 1
            cost[name] += time.process_time() - began
    print("| | texts | before: right | not told | wrong | now: right | not told | wrong |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for kind, count in counts.items():
        cells = [str(count[f"{name} {how}"]) for name in ("before", "now") for how in ("right", "not told", "wrong")]
        print(f"| {kind} | {sum(count.values()) // 2} | {' | '.join(cells)} |")
    whole = sum(sum(count.values()) for count in counts.values()) / 2
    print(f"\nCPU milliseconds a text: before {1e3 * cost['before'] / whole:.2f}, now {1e3 * cost['now'] / whole:.2f}")


if __name__ == "__main__":
    main()
