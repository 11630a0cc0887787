"""The page types of a site, learned from a sample: which there are, which one a page is of, and new ones as they turn up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from ..codec import saved
from ..errors import ConfigError
from ..html.places import folded, tag_path
from ..nouns import Page
from .cluster_split import Leads, page_types, view
from .clusters import LEAST_POINTS, OUTLIER, Classifier, Labels, cluster, dbscan, distances, prototypes, thin_bin
from .leads import leads
from .likeness import Likeness, likeness, overlap
from .navigation import Kinds
from .paths import Bag, Matrix, Weights, marked, weights
from .sample import inside

WANTED = 1_000_000  # as a kind of page: the example's, in whatever cluster it is
COVER = 0.25  # of eps: no page of the sample is farther from a prototype
MOST_ROWS = 2_000  # prototypes; a site that needs more has no templates
HALF = 0.5  # of an example that is shared with another page
FARTHER = 0.1  # of the pages of the example's cluster are less like it than we ask of other clusters
ALIKE = 0.5  # a new cluster that stands where more than this share of wanted pages was expected is wanted


@saved
class Sitemap(NamedTuple):
    """What page types there are and how to tell them; it stays as it is: what was learned since makes another one."""

    columns: dict[str, int]
    idf: Matrix
    rows: Matrix  # of the prototypes
    labels: Labels
    eps: float
    spread: dict[int, float]  # DSim of each cluster
    like: Likeness | None = None  # how like the example a page of its cluster is
    wanted: dict[int, float] = {}  # noqa: RUF012  how much the pages of a cluster are of the wanted kind
    wider: dict[int, float] = {}  # noqa: RUF012  eps of clusters that are looser than the first
    many: dict[int, float] = {}  # noqa: RUF012  pages of each cluster, as far as the links of a sample show
    grown: tuple[tuple[int, int], ...] = ()  # columns and prototypes before each time that it was extended

    @property
    def clusters(self) -> list[int]:
        return sorted(self.spread)

    def row(self, bag: Bag) -> Matrix:
        return Weights(self.columns, self.idf).row(bag)

    def classify(self, row: Matrix) -> int:
        """The cluster of a page, or OUTLIER: by what was known first, then with what was added each time."""
        reach = np.full(len(self.labels), self.eps)
        for name, eps in self.wider.items():
            reach[self.labels == name] = eps
        for columns, rows in (*self.grown, self.rows.shape[::-1]):
            known = Classifier(self.rows[:rows, :columns], self.labels[:rows], reach[:rows])
            if (name := known(_first(row, columns))) != OUTLIER:
                return name
        return OUTLIER

    def kinds(self, name: int, row: Matrix, graded: bool = True) -> Kinds:
        """What a page counts as: its cluster, and as far as it is like the example, the wanted kind."""
        share = self.wanted.get(name, 0.0)
        if share and graded and self.like and name == self.target:
            share = self.like(_first(row, len(self.like.example)))
        return {kind: part for kind, part in ((WANTED, share), (name, 1.0 - share)) if part}

    @property
    def target(self) -> int:
        """The cluster of the example."""
        return next(iter(self.wanted), OUTLIER)

    def with_example(self, example: Page) -> Sitemap:
        """With the cluster of the example as the wanted one."""
        target = self.classify(self.row(example.paths))
        if target == OUTLIER:
            raise ConfigError(f"{example.url}: the example is of no known page type; learn the site anew")
        return self._replace(wanted={target: 1.0})

    def wanting(self, examples: Iterable[Page]) -> Sitemap:
        """With the clusters of further examples among the wanted ones; those that fit none bring nothing."""
        more = {self.classify(self.row(example.paths)): 1.0 for example in examples}
        more.pop(OUTLIER, None)
        return self._replace(wanted=self.wanted | more)

    def extended(self, bags: Sequence[Bag], promises: Sequence[float], few: bool = False) -> tuple[Sitemap, list[int]]:
        """With the clusters that these outliers make up, and the cluster of each of them.

        A new cluster is wanted when its pages stood where wanted pages were expected: `promises` says how much.
        Few pages do not show how far apart pages of one template are; they are taken to be as near as those before.
        """
        known = self._widened(bags)
        rows = known.rows(bags)
        found, eps = cluster(rows, thin_bin(len(rows)))
        if few:
            found, eps = dbscan(distances(rows, rows), self.eps), self.eps
        if (found == OUTLIER).all() or len(self.rows) >= MOST_ROWS:
            return self, [OUTLIER] * len(bags)
        first = max([*self.spread, OUTLIER]) + 1
        names = [OUTLIER if label == OUTLIER else first + int(label) for label in found]
        kept = prototypes(rows, found, COVER * self.eps)
        padded = np.pad(self.rows, ((0, 0), (0, len(known.columns) - len(self.columns))))
        fresh = {first + int(label): rows[found == label] for label in sorted(set(found.tolist()) - {OUTLIER})}
        return self._replace(
            columns=known.columns,
            idf=known.idf,
            rows=np.vstack([padded, rows[kept]]),
            labels=np.concatenate([self.labels, found[kept] + first]),
            spread=self.spread | {name: dsim(part) for name, part in fresh.items()},
            wanted=self.wanted | _promised(names, promises),
            wider=self.wider | (dict.fromkeys(fresh, eps) if eps > self.eps else {}),
            grown=(*self.grown, (len(self.columns), len(self.labels))),
        ), names

    def _widened(self, bags: Sequence[Bag]) -> Weights:
        """The paths known, and those that the new pages share; the old prototypes have none of these and stay as they are."""
        new = weights(bags)
        fresh = [path for path in new.columns if path not in self.columns]
        columns = self.columns | {path: len(self.columns) + number for number, path in enumerate(fresh)}
        return Weights(columns, np.concatenate([self.idf, new.idf[[new.columns[path] for path in fresh]]]))


class Learned(NamedTuple):
    sitemap: Sitemap
    names: list[int]  # the cluster of each page of the sample
    rows: Matrix

    def wanting(self, examples: Iterable[Page]) -> Learned:
        """With further examples."""
        return self._replace(sitemap=self.sitemap.wanting(examples)) if examples else self

    def renamed(self, before: Sequence[int], fresh: int) -> Learned:
        """Clusters that were there before keep their names: `before` has those of the first pages; others count from `fresh`."""
        names = _kept(before, self.names, self.sitemap.clusters, fresh)
        sitemap = self.sitemap._replace(
            labels=np.array([names[int(label)] for label in self.sitemap.labels], dtype=np.int64),
            spread={names[name]: spread for name, spread in self.sitemap.spread.items()},
            wanted={names[name]: share for name, share in self.sitemap.wanted.items()},
            wider={names[name]: eps for name, eps in self.sitemap.wider.items()},
        )
        return Learned(sitemap, [names.get(name, OUTLIER) for name in self.names], self.rows)


def learn(
    bags: Sequence[Bag], example: Bag | None = None, again: Sequence[Bag] = (), led: Leads | None = None
) -> Learned:
    """The page types of a sample; the example is a page of it and always has a cluster, if need be of its own.

    `again` has the same pages, the example last, as other bags: for a second look at clusters that are loose; `led` has them by
    their links.
    """
    look = view([*bags, *([example] if example else [])])
    known, rows, _, eps = look
    labels, wider = page_types(look, *([view(again)] if again else []), example=bool(example), leads=led)
    if example and labels[-1] == OUTLIER:
        labels = _housed(overlap(rows[-1], rows), labels)
    kept = prototypes(rows, labels, COVER * eps)
    spread = {name: dsim(rows[labels == name]) for name in sorted(set(labels.tolist()) - {OUTLIER})}
    sitemap = Sitemap(known.columns, known.idf, rows[kept], labels[kept], eps, spread, wider=wider)
    if example and labels[-1] != OUTLIER:  # of a few pages, no path may count
        like = likeness(rows[-1], rows[labels == labels[-1]])
        sitemap = sitemap._replace(like=like, wanted=_like_example(overlap(rows[-1], rows), labels, like))
    return Learned(sitemap, [int(label) for label in labels[: len(bags)]], rows[: len(bags)])


def learn_styled(bags: Sequence[Bag], example: Bag | None = None, led: Leads | None = None) -> Learned:
    """The same from bags of paths with the classes of all elements."""
    together = [*bags, *([example] if example else [])]
    plain = [folded(bag, tag_path) for bag in together]
    return learn(plain[: len(bags)], plain[-1] if example else None, [folded(bag, marked) for bag in together], led)


def learn_pages(pages: Sequence[Page]) -> Learned:
    """The same from whole pages: where their links lead tells types apart that are made alike."""
    led = leads([inside(page) for page in pages], [page.url for page in pages])
    return learn_styled([page.styled for page in pages], led=led)


def settled(styled: Sequence[Bag], most: float = 0.05) -> bool:
    """Whether the first half of a sample explains the second: hardly a page of it is an outlier."""
    bags, half = [folded(bag, tag_path) for bag in styled], len(styled) // 2
    sitemap = learn(bags[:half]).sitemap
    strange = sum(sitemap.classify(sitemap.row(bag)) == OUTLIER for bag in bags[half:])
    return half >= LEAST_POINTS and strange <= most * (len(bags) - half)


def _kept(before: Sequence[int], now: Sequence[int], clusters: Sequence[int], fresh: int) -> dict[int, int]:
    """The old name of each cluster: that of the one it shares the most pages with; two never have the same."""
    shared = Counter(pair for pair in zip(now, before, strict=False) if OUTLIER not in pair)
    names: dict[int, int] = {}
    for cluster_now, name in sorted(shared, key=lambda pair: (-shared[pair], pair)):
        if cluster_now not in names and name not in names.values():
            names[cluster_now] = name
    numbers = count(fresh)
    return {name: names[name] if name in names else next(numbers) for name in clusters}


def _housed(overlaps: Matrix, labels: Labels) -> Labels:
    """With a cluster for an example that is an outlier: that of the page most like it, or one of its own.

    Its own has all outliers in it that are more like the example than any page with a cluster is.
    """
    alone = labels == OUTLIER
    best = int(np.where(alone, 0.0, overlaps).argmax())
    near = HALF if alone[best] else max(HALF, float(overlaps[best]))
    kin = alone & (overlaps > near)  # the example itself among them
    home = int(labels[best]) if kin.sum() == 1 and overlaps[best] >= HALF and not alone[best] else int(labels.max()) + 1
    return np.where(kin, home, labels)


def _like_example(overlaps: Matrix, labels: Labels, like: Likeness) -> dict[int, float]:
    """The example's cluster, then others that are as like the example as its own pages: parts of the same type."""
    own = int(labels[-1])
    between = like.trust * (like.low + like.high) / 2
    least = max(between, float(np.quantile(overlaps[labels == own], FARTHER)))
    others = sorted(set(labels.tolist()) - {OUTLIER, own})
    alike = [name for name in others if overlaps[labels == name].mean() >= least]
    return {own: 1.0, **dict.fromkeys(alike, 1.0)}


def _first(row: Matrix, columns: int) -> Matrix:
    """A page by the first columns alone, summing up to 1 as if there were no others."""
    known = row[:columns]
    total = known.sum()
    return known / total if len(row) > columns and total else known


def dsim(rows: Matrix) -> float:
    """DSim: the mean distance of a cluster's pages to their centroid."""
    return float(np.sqrt(((rows - rows.mean(0)) ** 2).sum(1)).mean())


def _promised(names: Sequence[int], promises: Sequence[float]) -> dict[int, float]:
    known = [(name, share) for name, share in zip(names, promises, strict=True) if name != OUTLIER and share == share]
    means = {name: float(np.mean([share for other, share in known if other == name])) for name, _ in known}
    return {name: 1.0 for name, mean in sorted(means.items()) if mean > ALIKE}
