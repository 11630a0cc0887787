"""The page types of the site that a crawl started from, and how they link, as a picture."""

from __future__ import annotations

from collections import Counter

from ...nouns import RELEVANT, PastCrawl
from ...picture import Paragraph, Section, Sitemap, Table
from ...urls import site
from .survey import Survey, survey
from .survey_file import describe

SAMPLED = 300  # pages that a sitemap is drawn from
HEADS = ("type", "name", "pages", "relevant", "title", "example", "hub", "authority")


def sitemap_picture(crawl: PastCrawl) -> list[Section]:
    """The sitemap, and a table of its page types."""
    pages = crawl.first_site(SAMPLED)
    if len(pages) < 2:
        return []
    learned = survey(pages)
    found, paid = describe(learned), _paid(learned, crawl)
    rows = [
        (k["type"], k["name"], k["pages"], paid.get(k["type"], 0) if paid is not None else None, k["title"], k["example"],
         k["hub"], k["authority"]) for k in found["types"]
    ]  # fmt: skip
    sentence = f"{site(pages[0].url)}: page types among {found['pages']} pages, and where their links lead."
    drawn = [Sitemap(found)] if rows else []
    return [Section("Sitemap", [Paragraph(sentence), *drawn, Table(HEADS, rows, "No two pages are of one type.")])]


def _paid(learned: Survey, crawl: PastCrawl) -> Counter[int] | None:
    """How many pages of each type were relevant; None where nothing was judged."""
    judged = crawl.judged()
    types = zip(learned.pages, learned.names, strict=True)
    return Counter(name for page, name in types if judged.get(page.url, 0.0) >= RELEVANT) if judged else None
