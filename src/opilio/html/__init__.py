"""What the bytes of a page say. It never raises, whatever the bytes are.

document: the page as everybody sees it; reader: one walk over the tree that collects all of it, and content, what that says;
blocks: what of it is content; charset and source: how to read the bytes; tags and places: what elements mean and where they
are; leaves: where each text and picture stands and how it is displayed, for who asks.
"""

from .document import Document

__all__ = ["Document"]
