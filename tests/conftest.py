"""What holds for all tests."""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# How long an example takes says more about the machine's other work than about the program. The same tree gives the same result:
# examples are drawn by a fixed seed here, and `make fuzz` looks for new ones.
ANY_TIME = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fixed", ANY_TIME, derandomize=True)
settings.register_profile("fast", ANY_TIME, derandomize=True, max_examples=25)  # for `make test-fast`; else 100
settings.register_profile("fuzz", ANY_TIME, max_examples=1000, print_blob=True)
settings.load_profile("fixed")

# A shell without job control ignores SIGINT in what it starts in the background, nohup ignores SIGHUP, and what is ignored stays
# so in every process that a test starts. What is handled does not.
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else lambda number, frame: None)


def pytest_configure(config: pytest.Config) -> None:
    """Let an example not depend on what was imported before.

    Hypothesis also tries constants from those modules of ours that happen to be imported: other examples with every change of any
    of them, and with every order in which tests are dealt out to processes.
    """
    if config.getoption("--hypothesis-profile") != "fuzz":
        providers._get_local_constants = lambda: providers._local_constants
