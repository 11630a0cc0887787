"""A number that nobody outside knows, another one in each process.

Tables in memory that pages fill go by it, so that nobody can choose words, classes or URLs that all meet in one place. What is
written to disk, or decides what is fetched next, never does: it would not be the same in the next life of a crawl.
"""

from __future__ import annotations

import os

SECRET = int.from_bytes(os.urandom(8)) | 1  # odd: no two numbers times it are the same
