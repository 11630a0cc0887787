"""How a crawl stands in one sentence, the same on a terminal, in the dashboard and in a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

HUNDRED = 100
SHOWN = 60  # letters of a topic or a URL
MOST = 0.5  # of all fetches: what failed as often is the reason


def headline(
    pages: int, relevant: int, topic: str, last_hundred: int = 0, left: float | None = None, like: Sequence[str] = ()
) -> str:
    """As in "Found 63 pages about TLS in 600 fetches; about 17 more are known of; the last hundred brought none."

    `left` is an estimate of relevant pages among the URLs that wait; None where there is none. `like` are pages that
    the wanted ones are to be like.
    """
    if not pages:
        return "Nothing was fetched yet."
    parts = [f"Found {_counted(relevant, topic, like)} in {_times(pages)}"]
    if left is not None and round(left):
        parts.append(f"about {left:,.0f} more {'is' if round(left) == 1 else 'are'} known of")
    if pages >= 2 * HUNDRED:
        parts.append(f"the last hundred brought {last_hundred or 'none'}")
    return "; ".join(parts) + "."


def headline_unjudged(pages: int, sites: int) -> str:
    """The same for a crawl that was told of no topic and no page."""
    if not pages:
        return "Nothing was fetched yet."
    return f"Fetched {_times(pages, 'page')} from {_times(sites, 'site')}; no topic was given, so none was judged."


def _counted(relevant: int, topic: str, like: Sequence[str]) -> str:
    line = " ".join(topic.split())
    alike = f" like {_short(like[0]) if len(like) == 1 else f'one of {len(like)} pages'}" if like else ""
    wanted = alike + (f" about {_short(line)}" if line else "")
    return f"{f'{relevant:,}' if relevant else 'no'} {'' if wanted else 'relevant '}page{'s' * (relevant != 1)}{wanted}"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _times(count: int, noun: str = "fetch") -> str:
    return f"{count:,} {noun}{('es' if noun == 'fetch' else 's') * (count != 1)}"


def why_nothing(
    pages: int, relevant: int, errors: Mapping[str, int], refused: Mapping[str, int], waiting: int, topic: str
) -> str:
    """Why a crawl has brought nothing so far, and what to do about it; "" when it has brought something."""
    failed = sum(errors.values())
    if relevant or (not topic and failed < pages):
        return ""
    if not pages:
        commonest = _most(refused)
        return f"No page was fetched: {commonest}. {_remedy(commonest)}" if commonest else ""
    if failed > MOST * pages:
        commonest = _most(errors)
        count = "Every fetch" if failed == pages else f"{failed:,} of {pages:,} fetches"
        return f"{count} failed, {'most ' * (len(errors) > 1)}with {commonest}. {_remedy(commonest)}"
    end = "" if waiting else " and no URL is waiting: no page led to new ones in scope"
    return (
        f"None of {pages:,} pages was judged relevant{end}. The words of the topic may not be those of the pages: "
        "try other words, give example pages, or say yes or no to some pages under Labels."
    )


def _most(kinds: Mapping[str, int]) -> str:
    return max(kinds, key=lambda kind: kinds[kind]) if kinds else ""


def _remedy(kind: str) -> str:
    if "robots" in kind:
        return "The site asks crawlers to stay away; start from pages elsewhere, or ask its owner."
    if "guard" in kind:
        return "The address or port is one that is never fetched unless a setting allows it (docs/politeness.md)."
    if kind.startswith(("http 401", "http 403", "http 429")):
        return "The site turns this crawler away; a contact in the settings and a longer delay may help."
    if kind.startswith("http"):
        return "Check the addresses of the seeds."
    return "Check the addresses of the seeds and the connection."
