"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# How long an example takes says more about the machine's other work than about the program.
settings.register_profile("unhurried", deadline=None)
settings.register_profile("fast", deadline=None, max_examples=25)  # for `make test-fast`; else 100
settings.load_profile("unhurried")
