"""What speaks for a URL, and how much each signal counts, in words for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..nouns import RELEVANT, Link
from ..picture import Paragraph, Section, Table
from .evidence_kinds import LIST, PAGE, PLACE, address_kinds, key_of, where, words
from .named_words import NamedWords
from .signal_mix import SignalMix
from .track_record import TrackRecord
from .url_evidence import Evidence

FEW = 3  # pages of a host, up to which fetching another one is exploration
LEAST = 2.0  # pages before what came of a word is mentioned


def reasons(record: TrackRecord, named: NamedWords, link: Link, evidence: Evidence) -> list[str]:
    """Sentences about what is known by now, the nearest first."""
    return [
        *_links(evidence),
        *_named(named, evidence),
        *_kinds(record, evidence),
        *_words(record, link),
        *_host(record, link),
    ]


def mix_picture(mix: SignalMix, prior: Mapping[str, float]) -> list[Section]:
    """How much each signal counts now, and before anything was learned."""
    rows = [
        (name, f"{now:.2f}", f"{before:.2f}") for (name, before), now in zip(prior.items(), mix.weights, strict=False)
    ]
    summary = (
        f"Learned from {mix.chosen} pages that were chosen by these signals."
        if mix.chosen
        else "Nothing is learned yet."
    )
    return [Section("What counts", [Paragraph(summary), Table(("signal", "counts now", "counted at first"), rows)])]


def _links(evidence: Evidence) -> Iterator[str]:
    pages = "1 page links to it" if evidence.links == 1 else f"{evidence.links} pages link to it"
    yield f"{pages}, the most relevant with relevance {evidence.parent:.2f}"
    if evidence.context >= RELEVANT:
        yield f"the words around a link to it promise {evidence.context:.2f}"


def _named(named: NamedWords, evidence: Evidence) -> Iterator[str]:
    found = named.words(evidence.named)
    if found:
        named_words = ", ".join(f'"{word}"' for word in found)
        yield f"its links name {len(found)} of {len(named.roots)} words of the topic: {named_words}"


def _kinds(record: TrackRecord, evidence: Evidence) -> Iterator[str]:
    kinds = where(evidence.kinds)
    columns = {"in such lists": LIST, "at such places of a page": PLACE, "of the pages that link to it": PAGE}
    for name, column in columns.items():
        seen, good = _sums(record, dict.fromkeys(kinds[:, column].tolist()))
        if seen:
            yield f"links {name} were good {good:.0f} of {seen:.0f} times"


def _sums(record: TrackRecord, kinds: Iterable[int]) -> tuple[float, float]:
    rows = [record.seen(kind) for kind in kinds]
    return sum(seen for seen, _ in rows), sum(good for _, good in rows)


def _words(record: TrackRecord, link: Link) -> Iterator[str]:
    """The word of the link that says most for it."""
    rows = [(*record.seen(key_of(kind)), kind.partition(" ")[2]) for kind in words(link)]
    known = [(good / seen, seen, good, word) for seen, good, word in rows if seen >= LEAST]
    if known and (best := max(known))[0] > record.base[0]:
        yield f'links with the word "{best[3]}" were good {best[2]:.0f} of {best[1]:.0f} times'


def _host(record: TrackRecord, link: Link) -> Sequence[str]:
    seen, good = record.seen(address_kinds(link.url)[0])
    if not seen:
        return ["nothing of its host has been fetched: exploration"]
    return [f"{good:.0f} of {seen:.0f} pages of its host were good" + (": exploration" if seen <= FEW else "")]
