"""Memory that large pages have used goes back to the system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HELD = """
import re, sys
from pathlib import Path
from opilio.system.heap import return_large

def held():
    return int(re.search(r"RssAnon:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) >> 10

if sys.argv[1] == "returned":
    return_large()
before, small = held(), []
for _ in range(3):  # the first time glibc does well, and learns the wrong thing from it
    large = []
    for _ in range(30):
        large.append(bytearray(b"x") * (3 << 20))
        small.append(bytearray(b"x") * 50_000)
    del large
print(held() - before)
"""


def held(how: str) -> int:
    """Megabytes that stay after pages of 90 MB were there; some 5 of it are in use."""
    return int(subprocess.run([sys.executable, "-c", HELD, how], capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux says how much a process holds")
def test_what_large_pages_used_goes_back_to_the_system() -> None:
    assert held("returned") < 20


def test_elsewhere_it_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from opilio.system.heap import return_large

    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setitem(sys.modules, "ctypes", None)  # to import it would be an error
    return_large()
