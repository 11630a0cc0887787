"""The nouns of Opilio: one file each, and one place to import them from. They import nothing of ours but errors and pictures."""

from .frontier import Frontier, LaneState, Lease
from .link import Link
from .offer import (
    DEFERRED,
    DROP,
    PARK,
    Keep,
    Lane,
    Lesson,
    Letter,
    News,
    Offer,
    Posted,
    Reweigh,
    Say,
    TopicNews,
    Weight,
)
from .page import INTERNAL, RELEVANT, Content, Document, Fetcher, Known, Page, Wire
from .strategy import Fetched, PastCrawl, Strategy, Terms
from .topic import Material, Topic

__all__ = [
    "DEFERRED", "DROP", "INTERNAL", "PARK", "RELEVANT", "Content", "Document", "Fetched", "Fetcher", "Frontier", "Keep",
    "Known", "Lane", "LaneState", "Lease", "Lesson", "Letter", "Link", "Material", "News", "Offer", "Page", "PastCrawl",
    "Posted", "Reweigh", "Say", "Strategy", "Terms", "Topic", "TopicNews", "Weight", "Wire",
]  # fmt: skip
