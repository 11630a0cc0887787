"""The topic of a crawl, learned from everything that its configuration says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .. import registry
from ..config import Config
from ..errors import ConfigError, UnreadableError
from ..nouns import Fetcher, Material, Page, Topic
from ..system.files import read_text
from ..urls import canonical
from .examples import Remark, examples, remark_seeds
from .labelled_pages import followed, labelled

if TYPE_CHECKING:
    from ..topics.adaptive import Growing
    from ..topics.kept_material import Kept
    from ..topics.models.auto import Auto

FILE = "topic.model"  # in a run folder
ROOM = 16_000_000  # bytes for pages as they were judged: most crawls need not read them from the archive to judge them again
WORD = re.compile(r"\w")


class TopicSettings(NamedTuple):
    """What a user says about a topic, every part of it by choice; the names are those of the settings."""

    topic: str = ""
    topic_file: str = ""
    examples: Sequence[str] = ()
    labels: str = ""


async def learn(config: Config, fetcher: Fetcher, folder: Path) -> Growing | None:
    """The topic of a run folder, learned from everything that its configuration says; None if that says nothing.

    Once learned it is a file in the folder: a crawl that goes on judges as it did, whatever became of the examples.
    """
    made = folder / FILE
    remarks: list[str] = []
    learned = _saved(made) if made.is_file() else await _learned(config, fetcher, remarks.append)
    if not learned:
        return None
    from ..topics.adaptive import Growing  # here, since a crawl without a topic starts sooner without it

    return Growing(learned, config.adapt, remarks, ROOM)


def keep(topic: Growing | None, folder: Path) -> None:
    """Save the topic of a run folder, unless that was done before."""
    if topic and not (folder / FILE).exists():
        topic.given.save(folder / FILE)


async def _learned(config: Config, fetcher: Fetcher, remark: Remark) -> Auto | None:
    settings = TopicSettings(config.topic, config.topic_file, config.examples, config.labels)
    known = saved(config.model)
    if not any(settings) and not known:
        return None
    material = await gather(settings, fetcher, remark)
    remark_seeds(material.positives, [canonical(url) for url in config.seeds], remark)
    seeds = [await followed(fetcher, url) for url in map(canonical, config.seeds)]
    pages = tuple(page for page in seeds if page.text.strip())
    if _names_a_topic(material) or (known and _names_a_topic(known.kept)):
        return _made(config, known, material._replace(around=pages), remark)  # places to start
    learned = _made(config, known, material._replace(positives=pages), remark)
    learned.why += "; the seeds count as examples, since there is nothing else on the topic to go by"
    return learned


def _made(config: Config, known: Auto | None, material: Material, remark: Remark) -> Auto:
    """By the model that a user named, else by that of the strategy's method, if the material is enough for it."""
    if known or config.model:
        return make(known or config.model, material)
    learned, lacking = registry.learn_as_method(config.strategy, material)
    if lacking:
        remark(lacking)
    return _relearning(learned, material)


def _names_a_topic(given: Material | Kept) -> bool:
    return bool(given.words.strip() or given.positives)


async def gather(given: TopicSettings, fetcher: Fetcher | None, remark: Remark = lambda text: None) -> Material:
    """Words, examples and labelled pages, as models learn from them; `remark` hears of examples that are left out."""
    if given.topic and not WORD.search(given.topic):
        raise ConfigError(
            f'topic "{given.topic}": there is no word in it; say in a few words what pages should be about'
        )
    words = [given.topic, text_of(Path(given.topic_file)) if given.topic_file else ""]
    shown = await examples(given.examples, fetcher, remark)
    judged = Material()
    if given.labels:
        judged = await labelled(given.labels, fetcher)
    good = {page.url: page for page in (*shown, *judged.positives)}  # a page that is named twice counts once
    return Material("\n".join(filter(None, words)), tuple(good.values()), judged.negatives)


def make(model: str | Auto, material: Material) -> Auto:
    """A topic that learned from the material by the model of that name; a saved one goes on from what it knows."""
    if not isinstance(model, str):
        return _more(model, material)
    return _relearning(registry.learn(model, material), material)


def _relearning(learned: Topic, material: Material) -> Auto:
    """The topic with what it learned from, so that it can learn more."""
    from ..topics.models.auto import Auto

    return learned if isinstance(learned, Auto) else Auto.around(learned, material)


def relearned(topic: Growing, labels: Iterable[tuple[Page, bool]]) -> str:
    """Tell a topic what people said of some pages; it has learned from all of that when this returns how it judges now."""
    for page, relevant in labels:
        topic.labelled(page, relevant)
    return topic.why


def text_of(path: Path) -> str:
    """The words of a text file; there must be some."""
    text = read_text(path, "name a text about the topic")
    if not WORD.search(text):
        raise UnreadableError(f"{path}: there is no word in it; name a text about the topic")
    return text


def saved(model: str) -> Auto | None:
    """The model in a file that a user named; None where they named none."""
    return _saved(Path(model)) if registry.is_saved_model(model) else None


def _saved(path: Path) -> Auto:
    from ..topics.models.auto import Auto

    return Auto.load(path)


def _more(known: Auto, material: Material) -> Auto:
    """A topic that has learned from this, too, if it says anything."""
    says = material.words.strip() or any(material[1:])
    return known.more(material) if says else known
