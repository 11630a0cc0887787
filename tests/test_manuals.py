"""Corpora of manuals: what becomes of the files of a package."""

from __future__ import annotations

from pathlib import Path

from benchmarks import manuals


def test_a_page_is_about_a_topic_when_its_words_stand_there_often() -> None:
    topics = {"plotting": r"plot(s|ted|ting)?", "strings": r"strings?"}
    assert manuals.about("Plots: plot, plotted, plotting. Plot! A string and an exploit.", topics) == ["plotting"]
    assert manuals.about("strings " * manuals.OFTEN, topics) == ["strings"]


def test_the_site_of_a_package_begins_where_its_pages_do(tmp_path: Path) -> None:
    html = tmp_path / "usr/share/doc/some/html"
    (html / "deep er").mkdir(parents=True)
    (html / "index.html").write_bytes(b"home")
    (html / "deep er" / "a.html").write_bytes(b"page")
    (html / "link.html").symlink_to(html / "index.html")
    found = dict(manuals.pages("some-doc", tmp_path))
    assert found == {"http://some-doc.example/index.html": b"home", "http://some-doc.example/deep%20er/a.html": b"page"}
