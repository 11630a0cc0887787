"""Makes the tables of how common words are, out of the documentation that is installed on a Linux machine.

    python benchmarks/background.py src/opilio/learning/data

Manuals, package documentation and message catalogues exist in every language and nobody has to be asked for them. They are
cut into pages of 2,000 words, few of each program; the share of pages that have a word is counted per stem, and the stem's
commonest form is written down. Their subject is computing, so words of computing look commoner than they are on the web and
others rarer; what matters is the long tail of ordinary words that every text has.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from gettext import GNUTranslations
from pathlib import Path

from opilio.text.tokens import stems, tokens

LANGUAGES = {"en": "", "de": "de", "fr": "fr", "es": "es", "ja": "ja", "zh": "zh_CN", "vi": "vi"}
PAGE, LEAST_PAGE = 2_000, 200  # words
RARE, MOST = 0.002, 5_000  # smallest share that is listed; words at most
FEW = 8  # pages of one program or package
LARGEST = 3_000_000  # bytes of a file that is read
DIGIT = re.compile(r"\d")
ROFF = re.compile(r"\\f.|\\\(..|\\[&\-e]|^\.\S*", re.MULTILINE)
MARKUP = re.compile(r"<[^>]{1,300}>")


def main(folder: Path) -> None:
    for language, code in LANGUAGES.items():
        pages = [page for texts in sources(code).values() for page in cut(texts)]
        lines = table(counted(pages, language))
        (folder / f"common-{language}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(language, len(pages), "pages,", sum(len(line.split()) - 1 for line in lines), "words")


def counted(pages: list[list[str]], language: str) -> dict[str, float]:
    """The share of pages that have each stem, under the stem's commonest form."""
    known, counts = stems(language), Counter[str]()
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for page in pages:
        counts.update({known[word] for word in page} - {""})
        for word in set(page):
            forms[known[word]][word] += 1
    listed = [stem for stem, count in counts.items() if count >= max(3, RARE * len(pages)) and not DIGIT.search(stem)]
    return {min(forms[stem].items(), key=_commonest)[0]: counts[stem] / len(pages) for stem in listed}


def _commonest(form: tuple[str, int]) -> tuple[int, str]:
    return -form[1], form[0]


def table(shares: dict[str, float]) -> list[str]:
    """Lines of a share and the words that have it, the commonest first."""
    lines: defaultdict[float, list[str]] = defaultdict(list)
    for form, share in sorted(shares.items(), key=lambda item: (-item[1], item[0]))[:MOST]:
        lines[float(f"{share:.1g}")].append(form)
    return [f"{share:g} {' '.join(sorted(words))}" for share, words in sorted(lines.items(), reverse=True)]


def cut(texts: Iterable[str]) -> Iterator[list[str]]:
    """The first few pages of what one program says about itself."""
    words = [word for text in texts for word in tokens(text)][: FEW * PAGE]
    for start in range(0, len(words), PAGE):
        if len(words) - start >= LEAST_PAGE:
            yield words[start : start + PAGE]


def sources(code: str) -> dict[str, list[str]]:
    """The texts of a language by program: manuals, then documentation (English) or message catalogues (all others)."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(Path("/usr/share/man", code).glob("man[1-8]/*.gz")):
        name = re.split(r"[-_.:\d]", path.name)[0]
        if len(found[name]) < FEW:
            found[name].append(ROFF.sub(" ", read(path)))
    if code:
        for path in sorted(Path("/usr/share/locale", code, "LC_MESSAGES").glob("*.mo")):
            found[path.stem].append(messages(path))
    for package in sorted(Path("/usr/share/doc").iterdir()) if not code else ():
        files = [path for path in sorted(package.rglob("*")) if path.is_file() and path.stat().st_size < LARGEST]
        texts = [path for path in files if not re.search("changelog|copyright", path.name.lower())]
        found[package.name] += [MARKUP.sub(" ", read(path)) for path in texts[:FEW]]
    return found


def read(path: Path) -> str:
    raw = path.read_bytes()
    try:
        raw = gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (OSError, EOFError):
        return ""
    return "" if b"\0" in raw else raw.decode("utf-8", "ignore")


def messages(path: Path) -> str:
    """The translations of a catalogue; those in another charset than UTF-8 are left out."""
    try:
        with path.open("rb") as file:
            catalogue = GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    except UnicodeDecodeError:
        return ""
    return "\n".join(text for text in catalogue.values() if isinstance(text, str))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
