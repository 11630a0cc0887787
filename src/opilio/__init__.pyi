"""What type checkers see of the package, whose names are loaded when they are asked for."""

from .api import crawl, open_run, resume, stream
from .bench.run import bench as bench
from .nouns import DROP, PARK, Link, Offer, Page, Strategy, Terms, Topic, Weight

__version__: str
__all__ = (
    "DROP",
    "PARK",
    "Link",
    "Offer",
    "Page",
    "Strategy",
    "Terms",
    "Topic",
    "Weight",
    "bench",
    "crawl",
    "open_run",
    "resume",
    "stream",
)
