"""Names of hosts: made up, never the same twice in one web, under top-level domains that nobody can own."""

from __future__ import annotations

from .mix import Roll, mix

_SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
_ENDS = ("lo", "ra", "nix", "den", "vor", "mi", "sta", "qua")
_STRIDE = 104_729  # prime, and no factor of the number of names: walks through all of them
PLATFORMS = ("pagelane.example", "inkbarrel.example", "weblodge.test")


class Names:
    """Hands out host names one after the other."""

    def __init__(self, seed: int, dice: Roll) -> None:
        self._next = mix(seed, 99)
        self._dice = dice

    def word(self) -> str:
        """A word that was not handed out before."""
        self._next += _STRIDE
        rest, end = divmod(self._next % (len(_SYLLABLES) ** 3 * len(_ENDS)), len(_ENDS))
        parts = []
        for _ in range(3):
            rest, syllable = divmod(rest, len(_SYLLABLES))
            parts.append(_SYLLABLES[syllable])
        return "".join(parts) + _ENDS[end]

    def host(self, hint: str = "", platform: bool = False) -> str:
        """A host; with a hint it tells at times what it is about, on a platform it shares its domain with others."""
        word = self.word()
        if platform:
            return f"{word}.{PLATFORMS[int(self._dice() * len(PLATFORMS))]}"
        name = f"{hint}-{word}" if hint and self._dice() < 0.25 else word
        www = "www." if self._dice() < 0.3 else ""
        return f"{www}{name}.{'example' if self._dice() < 0.7 else 'test'}"
