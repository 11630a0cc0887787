"""Stored pages judged again at the end of a crawl, by all that its topic has learned until then.

A page is judged when it comes, by a topic that has seen no more than the pages before it. So that counts, exports and reports say
what `opilio topic show` says, the pages that matter most are judged again. The crawl goes on from where it was: its topic and
its frontier are left alone. All of it is one commit; after a kill nothing of it is there, and the next end does it anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..nouns import RELEVANT, Page
from ..shard import Shard
from ..store.reader import JUDGED_AGAIN
from ..store.run import RunStore
from .label_updates import followed_labels
from .stored_pages import copy as stored_copy

if TYPE_CHECKING:
    from ..topics.adaptive import Growing

MOST = 5_000  # pages, the most relevant first: some milliseconds each where they have to be read from the archive
IN_VAIN = 200  # pages one after the other that are not relevant: what was given even less is not judged again
JUDGED = "SELECT number, url FROM pages WHERE relevance IS NOT NULL AND file IS NOT NULL"


def judge_again(shard: Shard, topic: Growing | None) -> None:
    """Give stored pages the relevance that the topic would give them now."""
    if topic is None or not topic.learned_:  # what came first was judged by the same model as what came last
        return
    store = shard.store
    assert isinstance(store, RunStore)
    now, labelled, in_vain = topic.without(""), followed_labels(store), 0
    for number, url in store.db.execute(f"{JUDGED} ORDER BY relevance DESC, number LIMIT ?", (MOST,)).fetchall():
        page = None if url in labelled else topic.met.get(url) or _stored(store, number)
        if page is None:
            continue
        with shard.page_errors.isolated(page, "judge"):
            relevance = now.page(page)
            store.db.execute("UPDATE pages SET relevance = ? WHERE number = ?", (relevance, number))
            in_vain = 0 if relevance >= RELEVANT else in_vain + 1
        if in_vain >= IN_VAIN:
            break
    store.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (JUDGED_AGAIN, str(store.pages)))
    shard.commit()


def _stored(store: RunStore, number: int) -> Page | None:
    row = store.row("number = ?", number)
    return stored_copy(store.folder, row) if row else None
