"""How second views among the fetched pages are counted."""

from __future__ import annotations

from pathlib import Path

from benchmarks.unseen import paragraphs, views, written


def test_a_second_address_of_a_thread_is_a_second_view(tmp_path: Path) -> None:
    corpus = written("vbulletin", tmp_path / "site", 1)
    threads = [url for url in corpus.urls if "showthread.php?t=" in url and "page=" not in url]
    text = {url: paragraphs(corpus.page(url)) for url in threads[:20]}
    assert all(text.values())
    posts = [url for url in corpus.urls if "showthread.php?p=" in url]
    again = next(url for url in posts if paragraphs(corpus.page(url)) in text.values())
    first = next(url for url in threads[:20] if text[url] == paragraphs(corpus.page(again)))
    assert views(corpus, [first, again], {}) == (0.5, 0.0)
    assert views(corpus, threads[:20], {}) == (0.0, 0.0)
    ordered = [url for url in corpus.urls if "sort=" in url][:1]
    assert views(corpus, ordered, {})[1] == 1.0
