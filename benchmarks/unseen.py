"""Sites that nothing was tried out on: page types and user content, on recorded sites and after the habits of known software.

python -m benchmarks.unseen [design] [report] [recorded] [SITE ...]
python -m benchmarks.unseen seeds [SITE ...]    structure-plus on sites of other seeds: mean, least and most
python -m benchmarks.unseen examples [SITE ...]    structure-plus beside target-map on recorded sites, over eight examples
python -m benchmarks.unseen views [SITE ...]    how many of the fetched pages held what pages fetched before had shown
python -m benchmarks.unseen clusters [SEED ...]    clusters of 1,000 pages of each site, recorded ones too, over several draws
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import stdev
from tempfile import TemporaryDirectory

from opilio.bench.agreement import Agreement, agreement
from opilio.bench.corpus import Corpus, Task
from opilio.bench.tasks import Trial, trials
from opilio.corpus_folder import corpus_toml, write_labels
from opilio.html.leaves import leaves
from opilio.learning.page_types import learn_pages
from opilio.nouns import Page
from opilio.store.warc_records import response_record
from opilio.synth.corpus import DATE
from opilio.synth.software import DESIGNED_ON, SOFTWARE, World

from .structure import SHARED, draw, mean, run, sites, type_of
from .structure import type_trials as all_examples

SPECS = ("structure-plus", "structure", "target-map", "irobot", "breadth-first", "oracle")
RECORDED = {"redash": ("thread", "profile"), "openenergymonitor": ("thread",), "postgresql-doc": ("sql_command",)}
CONTENT = ("redash", "openenergymonitor")  # recorded sites whose user content is marked
DESIGN_SEED, REPORT_SEED = 1, 2
OTHER_SEEDS = (11, 12, 13)
DRAWS = (21, 22, 23, 24, 25, 26)
VIEWED = ("structure-plus", "structure", "irobot", "breadth-first")
PARAGRAPH = 5  # words
RUNS = ((0, 0), (1, 0))  # seed and run
PARTS = ("design", "report", "recorded")


@contextmanager
def software(names: Sequence[str], seed: int) -> Iterator[dict[str, Corpus]]:
    """The sites of that software, as corpora."""
    with TemporaryDirectory(prefix="opilio-software-") as scratch:
        yield {name: written(name, Path(scratch, name), seed) for name in names}


def written(name: str, folder: Path, seed: int) -> Corpus:
    site, host = SOFTWARE[name](World(seed)), f"http://{name}.test"
    folder.mkdir()
    pages = list(site.pages())
    with (folder / "pages.warc.gz").open("wb") as file:
        for page in pages:
            answer = (
                (301, {"location": host + page.target}, b"")
                if page.target
                else (200, {"content-type": "text/html"}, page.html.encode())
            )
            file.write(response_record(host + page.path, *answer, DATE))
    rows = [{"url": host + page.path, "page_type": page.kind} for page in pages if not page.target]
    write_labels(folder / "labels.csv", ["page_type"], rows)
    facts = {
        "name": name,
        "about": f"after {name}",
        "home": f"{host}/",
        "source": "made up",
        "licence": "none needed",
        "language": "en",
    }
    content = {
        "name": "user-content",
        "kind": "user-content",
        "column": "page_type",
        "user_content": list(site.content),
        "start": [f"{host}/"],
    }
    (folder / "corpus.toml").write_text(corpus_toml(facts, [content]), encoding="utf-8")
    return Corpus.open(folder)


def type_trials(corpus: Corpus, target: str) -> list[Trial]:
    task = Task(f"type {target}", "type", {"column": "page_type", "target": target, "start": [corpus.home]})
    return [trials(corpus, task, number + 1, seed)[number] for seed, number in RUNS]


def content_trial(corpus: Corpus) -> list[Trial]:
    return trials(corpus, next(task for task in corpus.tasks if task.kind == "user-content"), 1, 0)


def rows_of(name: str, corpus: Corpus) -> Iterator[tuple[str, list[Trial]]]:
    types = RECORDED.get(name) or (SOFTWARE[name].target, SOFTWARE[name].second)
    for target in types:
        yield f"{name} {target}", type_trials(corpus, target)
    if name in SOFTWARE or name in CONTENT:
        yield f"{name} user content", content_trial(corpus)


def table(chosen: dict[str, Corpus], specs: Sequence[str] = SPECS) -> None:
    """Recall at budget: as many fetches as there are targets; for user content a quarter of the site."""
    print(f"{'site, goal':<34}{'pages':>7}" + "".join(f"{spec:>16}" for spec in specs))
    found: dict[str, list[float]] = {}
    for name, corpus in chosen.items():
        for title, plan in rows_of(name, corpus):
            recalls = [
                [run(corpus, trial, spec).recall for trial in plan if spec != "target-map" or trial.split.example]
                for spec in specs
            ]
            found[title] = [mean(recall) if recall else float("nan") for recall in recalls]
            print(f"{title:<34}{len(corpus.urls):>7}" + in_columns(found[title]), flush=True)
    for title, means in summary(found).items():
        print(f"{title:<41}" + in_columns(means))


def summary(found: dict[str, list[float]]) -> dict[str, list[float]]:
    """The means of types and of user content, and what share of the oracle's (the last column) the others have of each."""
    rows: dict[str, list[float]] = {}
    content = {title: row for title, row in found.items() if title.endswith(" user content")}
    types = {title: row for title, row in found.items() if title not in content}
    for name, part in (("types", types), ("user content", content)):
        if part:
            means = [mean(column) for column in zip(*part.values(), strict=True)]
            rows[f"mean of {name}"] = means
            rows[f"of the oracle's, {name}"] = [value / means[-1] for value in means]
    return rows


def in_columns(values: Sequence[float]) -> str:
    return "".join(f"{value:>16.3f}" for value in values)


def seeds_table(names: Sequence[str]) -> None:
    """How much structure-plus varies with what is on a site, and with the example."""
    print("structure-plus on sites of other seeds, all examples: recall at budget, mean (least to most)")
    found: dict[str, list[float]] = {}
    for seed in OTHER_SEEDS:
        with software(names, seed) as chosen:
            for name, corpus in chosen.items():
                for title, plan in rows_of(name, corpus):
                    found.setdefault(title, []).extend(run(corpus, trial, SPECS[0]).recall for trial in plan)
    for title, recalls in found.items():
        print(f"{title:<34}{mean(recalls):.3f} ({min(recalls):.3f} to {max(recalls):.3f})")


def examples_table(names: Sequence[str]) -> None:
    """Whether structure-plus is ahead of target-map or behind by more than the chance of an example."""
    print("Recall at budget over examples: mean and standard error of structure-plus, of target-map, of the difference")
    for name in names:
        corpus = Corpus.open(SHARED / name)
        for target in RECORDED[name]:
            plan = all_examples(corpus, target)
            ours, theirs = ([run(corpus, trial, spec).recall for trial in plan] for spec in (SPECS[0], "target-map"))
            differences = [our - their for our, their in zip(ours, theirs, strict=True)]
            title = f"{name} {target}"
            print(f"{title:<34}" + "   ".join(map(with_error, (ours, theirs, differences))), flush=True)


def with_error(values: Sequence[float]) -> str:
    """The mean with its standard error."""
    return f"{mean(values):.3f} ({stdev(values) / len(values) ** 0.5:.3f})"


def views_table(names: Sequence[str]) -> None:
    """Second views among the pages fetched until the last wanted one: all of their paragraphs stood on pages before, or they are
    lists in another order."""
    print(
        "Share of fetches that were second views, by strategy: same text / sorted lists; threads or the like, user content"
    )
    print(f"{'site, goal':<34}" + "".join(f"{spec:>20}" for spec in VIEWED))
    for part in (DESIGNED_ON, [name for name in SOFTWARE if name not in DESIGNED_ON]):
        with software(
            [name for name in part if name in names], DESIGN_SEED if part is DESIGNED_ON else REPORT_SEED
        ) as chosen:
            for name, corpus in chosen.items():
                texts: dict[str, frozenset[int]] = {}
                for title, plan in (
                    (f"{name} {SOFTWARE[name].target}", type_trials(corpus, SOFTWARE[name].target)[:1]),
                    (f"{name} user content", content_trial(corpus)),
                ):
                    wanted = plan[0].split.targets
                    crawls = [fruitful(run(corpus, plan[0], spec).urls, wanted) for spec in VIEWED]
                    shares = [views(corpus, urls, texts) for urls in crawls]
                    print(
                        f"{title:<34}" + "".join(f"{f'{same:.3f} / {order:.3f}':>20}" for same, order in shares),
                        flush=True,
                    )


def fruitful(urls: Sequence[str], wanted: Container[str]) -> Sequence[str]:
    """The fetches up to the last wanted page: what comes after it is all that is left."""
    return urls[: max((number for number, url in enumerate(urls, 1) if url in wanted), default=len(urls))]


def views(corpus: Corpus, urls: Sequence[str], texts: dict[str, frozenset[int]]) -> tuple[float, float]:
    """Of these pages in their order: the share whose paragraphs were all seen before, and of lists in another order that led to
    nothing but what pages before had led to, and to other such lists."""
    seen: set[int] = set()
    linked: set[str] = set()
    again = order = 0
    for url in urls:
        if url not in texts:
            texts[url] = paragraphs(corpus.page(url))
        again += bool(texts[url]) and texts[url] <= seen
        seen |= texts[url]
        new = {link.url for link in corpus.page(url).links} - linked
        order += type_of(corpus, url) == "sorted" and all(type_of(corpus, link) == "sorted" for link in new)
        linked |= new
    return again / len(urls), order / len(urls)


def paragraphs(page: Page) -> frozenset[int]:
    """What is written on a page, without its links."""
    return frozenset(hash(leaf.text) for leaf in leaves(page) if not leaf.url and len(leaf.text.split()) >= PARAGRAPH)


def clusters_table(seeds: Sequence[int]) -> None:
    """How well clusters agree with types as addresses say, and with types by what pages hold, over draws of sites and pages."""
    print(
        "Clusters of 1,000 pages drawn at random: purity / micro F / B-cubed F; by address, by content, least and most of it"
    )
    draws = [clusters_of(seed) for seed in seeds]
    for name in draws[0]:
        print(f"{name:<20}" + over_draws([draw[name] for draw in draws]), flush=True)
    for title, names in (
        ("recorded sites and forums", [*draws[0]][: -len(SOFTWARE)]),
        ("software", [*SOFTWARE]),
        ("all", [*draws[0]]),
    ):
        means = [
            tuple(averaged(column) for column in zip(*(draw[name] for name in names), strict=True)) for draw in draws
        ]
        print(f"{f'mean of {title}':<34}" + over_draws(means))


def clusters_of(seed: int) -> dict[str, tuple[Agreement, ...]]:
    """Of one draw: sites of software are made anew, of all others other pages are taken."""
    found: dict[str, tuple[Agreement, ...]] = {}
    with sites(()) as known, software([*SOFTWARE], seed) as made:
        for name, corpus in {**known, **made}.items():
            pages = draw(corpus, seed)
            labels = learn_pages(pages).names
            kinds = [type_of(corpus, page.url) for page in pages]
            same = SOFTWARE[name].same if name in SOFTWARE else {}
            found[name] = agreement(labels, kinds), agreement(labels, [same.get(kind, kind) for kind in kinds])
    return found


def over_draws(found: Sequence[tuple[Agreement, ...]]) -> str:
    """The means, and the least and most by content."""
    by_content = [row[1] for row in found]
    least, most = (Agreement(*map(pick, zip(*by_content, strict=True))) for pick in (min, max))
    means = [in_brief(averaged(column)) for column in zip(*found, strict=True)]
    return "   ".join([*means, f"({in_brief(least)} to {in_brief(most)})"])


def averaged(found: Sequence[Agreement]) -> Agreement:
    return Agreement(*map(mean, zip(*found, strict=True)))


def in_brief(found: Agreement) -> str:
    return f"{found.purity:.3f} / {found.micro:.3f} / {found.cubed:.3f}"


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["clusters"]:
        return clusters_table([int(word) for word in words[1:]] or DRAWS)
    if words[:1] == ["views"]:
        return views_table(words[1:] or [*SOFTWARE])
    if words[:1] == ["examples"]:
        return examples_table(words[1:] or [*RECORDED])
    if words[:1] == ["seeds"]:
        return seeds_table(words[1:] or [*SOFTWARE])
    asked = [word for word in words if word in PARTS] or PARTS
    names = [word for word in words if word not in PARTS]
    for part, seed in ((("design"), DESIGN_SEED), (("report"), REPORT_SEED)):
        made = [
            name for name in SOFTWARE if (name in DESIGNED_ON) == (part == "design") and name in (names or SOFTWARE)
        ]
        if part in asked and made:
            print(f"Synthetic sites, {part}:")
            with software(made, seed) as chosen:
                table(chosen)
    known = [name for name in RECORDED if name in (names or RECORDED)]
    if "recorded" in asked and known and SHARED.is_dir():
        print("Recorded sites:")
        table({name: Corpus.open(SHARED / name) for name in known})


if __name__ == "__main__":
    main()
