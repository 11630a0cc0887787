"""What a strategy answers, checked: where it raises an exception or returns something wrong, the crawl goes on without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from ..batch import Many, parts
from ..frontier.frontier import check_finite
from ..frontier.lanes import Weigh, checked
from ..frontier.merge import Join, joins, prices
from ..nouns import Keep, Lane, Lesson, Link, News, Offer, Page, Reweigh, Say, Strategy, Weight
from ..page_errors import PageErrors

SAYS = frozenset((Offer, Reweigh, Keep, News, Lesson))
Answer: TypeAlias = list[Say | Many[Offer]]


class Answers:
    """Asks a strategy for everything but what it makes of a page."""

    def __init__(self, strategy: Strategy, errors: PageErrors) -> None:
        self._strategy, self._errors = strategy, errors
        self._mute = False  # whether the strategy could not say why

    def start(self, links: Sequence[Link], pages: Sequence[Page]) -> Answer:
        return self._answer("start", lambda: self._strategy.start(links, pages), needed=True)

    def dry(self) -> Answer:
        return self._answer("dry", self._strategy.dry, needed=True)

    def hear(self, news: News) -> Answer:
        return self._answer("hear", lambda: self._strategy.hear(news))

    def study(self, lesson: Lesson) -> Answer:
        return self._answer("study", lambda: self._strategy.study(lesson))

    def reprices(self) -> int:
        return self._errors.answer("reprices", self._strategy.reprices, 0)

    def reprice(self, offers: Sequence[Offer]) -> Sequence[float]:
        """What offers are worth now; as before where the strategy raises an exception."""
        before = [offer.value for offer in offers]
        return self._errors.answer("reprice", lambda: prices(self._strategy, offers), before)

    def why(self) -> str:
        """Why the strategy does not go by its own method; "" when it does. It is not asked again once it raised an exception."""
        if self._mute:
            return ""
        self._mute = True
        found = self._errors.answer("why", lambda: str(self._strategy.why()), None)
        self._mute = found is None
        return found or ""

    def _answer(self, what: str, ask: Callable[[], Iterable[Say]], *, needed: bool = False) -> Answer:
        name = f"{type(self._strategy).__name__}.{what}"
        return self._errors.answer(what, lambda: finite_offers(listed(name, ask())), [], needed=needed)


def weighing(strategy: Strategy, errors: PageErrors) -> Weigh:
    """What lanes weigh, for a frontier; a lane for which the strategy raises an exception stays as it is."""

    def weigh(lane: Lane) -> Weight | None:
        return errors.answer("weigh", lambda: checked(lane, strategy.weigh(lane)), None)

    return weigh


def joining(strategy: Strategy, errors: PageErrors) -> Join:
    """How offers become one, for a frontier; those that were there stay where the strategy raises an exception."""
    plain = joins(strategy)

    def checked_join(groups: Sequence[Sequence[Offer]]) -> Sequence[Offer]:
        return errors.answer("join", lambda: _joined(plain, groups), [group[0] for group in groups])

    return checked_join


def _joined(join: Join, groups: Sequence[Sequence[Offer]]) -> Sequence[Offer]:
    found = join(groups)
    for (first, *more), offer in zip(groups, found, strict=True):
        if more and (offer.link.url != first.link.url or offer.lane != first.lane):
            raise ValueError("join changed the URL or the lane of an offer; they have to stay")
    check_finite(found)
    return found


def answer_to(strategy: Strategy, page: Page) -> Answer:
    """What a strategy answers to a page; TypeError where that is not what a strategy can say."""
    return listed(f"{type(strategy).__name__}.observe", strategy.observe(page))


def listed(name: str, says: Iterable[Say] | None) -> Answer:
    """What a method of a strategy returned; TypeError where that is not what a strategy can say."""
    if says is None:
        raise TypeError(f"{name} returned None; it has to return a list of offers, or yield them")
    listed_parts = parts(says)
    for kind in {say.kind if type(say) is Many else type(say) for say in listed_parts} - SAYS:
        if not issubclass(kind, tuple(SAYS)):
            raise TypeError(f"{name} returned a {kind.__name__}; it has to be an offer, as in Offer(link, value)")
    return listed_parts


def finite_offers(says: Answer) -> Answer:
    """The same; ValueError where the frontier would refuse an offer: by then it would have taken those before."""
    for many in says:
        if isinstance(many, Many):
            check_finite(many)
    offers = [say for say in says if isinstance(say, Offer)]
    for offer in offers:
        if type(offer.lane) is not tuple or not isinstance(offer.link, Link) or isinstance(offer.value, str):
            raise TypeError(f"{offer!r:.300} is not an offer; write Offer(link, number, lane), a lane as in ('news',)")
    check_finite(offers)
    return says
