"""A crawl that starts with what an earlier one learned of a site."""

from __future__ import annotations

from pathlib import Path

from ..errors import ConfigError, UnreadableError
from ..learning.site_file import state
from ..nouns import Strategy
from ..shard import restore


def know_site(strategy: Strategy, path: Path) -> None:
    """Teach a strategy a site out of its file."""
    if not hasattr(strategy, "held_"):
        raise ConfigError(
            f"site = {path}: only strategy profile starts from a site file; leave it out, or take profile"
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(f"{path}: cannot be read ({error}); make it with `opilio site`") from None
    restore(strategy, state(text, str(path)))
