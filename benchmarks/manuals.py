"""Corpora of real manuals that nobody has looked at while Opilio was made: HTML documentation from Debian's packages.

    python -m benchmarks.manuals SET DIR

Each package of a set is downloaded with apt-get and becomes a site of its own, as it is installed. A page is about a topic when
the words for it stand there five times or more. The sets and their topics are below; nothing of them was chosen by what a crawl
brings. A set is for trying things out, or for reporting: see `SETS`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from opilio.corpus_folder import corpus_toml, new_folder, write_labels
from opilio.html import Document
from opilio.store.warc_records import response_record, warcinfo_record

DATE = "2020-01-01T00:00:00Z"
OFTEN = 5  # times that the words have to stand on a page
LEAST = 20  # pages that a topic needs to be one
MOST = 1200  # pages of a package that are taken: the first by path
LARGEST = 2_000_000  # bytes of a page
HEADERS = {"content-type": "text/html"}


class ManualSet(NamedTuple):
    """Packages, and topics with the pattern that their words match."""

    purpose: str
    packages: Sequence[str]
    topics: dict[str, str]


SETS = {
    "web": ManualSet(
        "trying things out",
        (
            "python-django-doc",
            "python-sqlalchemy-doc",
            "python-celery-doc",
            "python-flask-doc",
            "bind9-doc",
            "git-doc",
            "borgbackup-doc",
        ),
        {
            "authentication": r"authenticat\w*",
            "caching": r"cach(e|es|ed|ing)",
            "database transactions": r"transactions?",
            "unit tests": r"unit ?tests?|test cases?|testcase",
            "date and time": r"datetime|time ?zones?|timestamps?",
            "encryption": r"encrypt\w*",
            "merging branches": r"merg(e|es|ed|ing)",
            "HTML templates": r"templates?",
        },
    ),
    "servers": ManualSet(
        "reporting",
        (
            "postfix-doc",
            "exim4-doc-html",
            "debian-reference-en",
            "zsh-doc",
            "python-asyncssh-doc",
            "libapache2-mod-perl2-doc",
        ),
        {
            "TLS encryption": r"tls|ssl|starttls",
            "authentication": r"authenticat\w*|sasl",
            "regular expressions": r"regular expressions?|regexp?|regex|pcre",
            "spam filtering": r"spam|blacklist\w*|dnsbl",
            "proxies": r"prox(y|ies)",
            "package management": r"packages?",
            "containers": r"containers?",
            "command line completion": r"completions?",
        },
    ),
    "desktop": ManualSet(
        "reporting",
        ("gimp-help-en", "lilypond-doc-html", "gnucash-docs", "kicad-doc-en", "grass-doc", "maxima-doc"),
        {
            "printing": r"print(s|er|ers|ed|ing)",
            "fonts": r"fonts?",
            "colors": r"colou?rs?",
            "importing and exporting files": r"imports?|importing|exports?|exporting",
            "keyboard shortcuts": r"shortcuts?|hotkeys?|key bindings?",
            "layers": r"layers?",
            "curves": r"curves?|splines?|bezier",
            "maps and coordinates": r"coordinates?|projections?|latitude|longitude",
            "money": r"currenc(y|ies)|prices?|invoices?|payments?",
        },
    ),
    "languages": ManualSet(
        "reporting",
        ("octave-doc", "r-doc-html", "cmake-doc", "python-pandas-doc", "erlang-doc", "tcl8.6-doc", "ruby3.1-doc"),
        {
            "regular expressions": r"regular expressions?|regexp?|regex",
            "plotting": r"plot(s|ted|ting)?",
            "missing values": r"missing (data|values?)|nan|nas?",
            "strings": r"strings?",
            "compilers": r"compilers?",
            "exceptions": r"exceptions?|errors?",
            "time series": r"time ?series|timestamps?|datetime\w*",
            "linear algebra": r"matrix|matrices|eigenvalues?",
            "installation": r"install(s|ed|ing|ation)?",
        },
    ),
}


def fetch(package: str, scratch: Path) -> Path:
    """Where the files of a package lie."""
    subprocess.run(["apt-get", "-qq", "download", package], cwd=scratch, check=True)
    archive = next(scratch.glob(f"{package}_*.deb"))
    out = scratch / package
    subprocess.run(["dpkg-deb", "-x", str(archive), str(out)], check=True)
    return out


def pages(package: str, files: Path) -> Iterator[tuple[str, bytes]]:
    """URL and bytes of each page; the site begins at the folder that all have in common."""
    found = sorted(path for path in files.rglob("*.htm*") if path.is_file() and not path.is_symlink())
    if not found:
        return
    folders = Counter(path.parent for path in found)
    root = min(folders, key=lambda folder: (len(folder.parts), -folders[folder]))
    for path in [path for path in found if path.is_relative_to(root)][:MOST]:
        if path.stat().st_size <= LARGEST:
            yield f"http://{package.replace('.', '-')}.example/{quote(str(path.relative_to(root)))}", path.read_bytes()


def about(text: str, topics: dict[str, str]) -> list[str]:
    """The topics of a text."""
    lower = text.lower()
    return [name for name, words in topics.items() if len(re.findall(rf"\b(?:{words})\b", lower)) >= OFTEN]


def build(name: str, folder: Path) -> None:
    chosen, rows, counts = SETS[name], [], Counter[str]()
    with new_folder(folder) as half, tempfile.TemporaryDirectory(prefix="opilio-manuals-") as scratch:
        with (half / "pages.warc.gz").open("wb") as out:
            out.write(warcinfo_record("pages.warc.gz", {"software": "opilio"}, DATE))
            for package in chosen.packages:
                for url, body in pages(package, fetch(package, Path(scratch))):
                    topics = about(Document(body, url).text, chosen.topics)
                    counts.update(topics)
                    rows.append({"url": url, "about": "|".join(topics)})
                    out.write(response_record(url, 200, HEADERS, body, DATE))
        write_labels(half / "labels.csv", ("about",), rows)
        task = {"name": "topics", "kind": "topic", "column": "about", "seeds": 4, "train": 5}
        task["topics"] = [topic for topic in chosen.topics if LEAST <= counts[topic] <= len(rows) // 8]
        head = {
            "name": folder.name,
            "home": rows[0]["url"],
            "about": f"manuals of Debian packages, for {chosen.purpose}",
        }
        (half / "corpus.toml").write_text(corpus_toml(head, [task]), encoding="utf-8")
    print(f"{len(rows)} pages; {dict(counts)}", file=sys.stderr)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("set", choices=SETS)
    asked.add_argument("folder", type=Path)
    given = asked.parse_args()
    build(given.set, given.folder)


if __name__ == "__main__":
    main()
