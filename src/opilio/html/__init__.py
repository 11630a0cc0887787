"""What the bytes of a page say. It never raises, whatever the bytes are.

document: the page as everybody sees it; walk: one way through the tree that collects all of it; blocks: what of it is
content; charset: how to read the bytes; leaves: where each text and picture stands and how it is displayed, for who asks.
"""

from .document import Document

__all__ = ["Document"]
