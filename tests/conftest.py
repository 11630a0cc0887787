"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# How long an example takes says more about the machine's other work than about the program. The same tree gives the same result:
# examples are drawn by a fixed seed here, and `make fuzz` looks for new ones.
settings.register_profile("fixed", deadline=None, derandomize=True)
settings.register_profile("fast", deadline=None, derandomize=True, max_examples=25)  # for `make test-fast`; else 100
settings.register_profile("fuzz", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("fixed")
