"""`import opilio` as programs use it: in a script, in a notebook, inside a running event loop."""

from __future__ import annotations

import ast
import asyncio
import gc
import json
import re
import signal
import subprocess
import sys
import threading
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import pytest

import opilio
from opilio import errors
from opilio.engine.run import Run
from opilio.engine.run_folder import configured
from opilio.report.summary import summary
from opilio.start import source
from opilio.synth.corpus import write
from opilio.synth.web import Web
from opilio.system.signals import STOPS

from .local_site import LocalSite, Reply, Request

DOC = Path(__file__).parents[1] / "docs" / "python.md"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("api") / "web"
    write(Web(600, 2), folder)
    return folder


@pytest.fixture(scope="module")
def settings(corpus: Path) -> dict[str, Any]:
    return {"corpus": corpus, "topic": "beekeeping", "strategy": "link-context", "max_pages": 60}


@pytest.fixture(scope="module")
def run(settings: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    return opilio.crawl(**settings, out=tmp_path_factory.mktemp("runs") / "bees")


def test_every_public_name_is_there() -> None:
    names = {"crawl", "stream", "resume", "open_run", "bench", "Strategy", "Topic", "Offer", "Link", "Page"}
    names |= {"Weight", "Terms"}
    assert set(opilio.__all__) == names | {"PARK", "DROP"}
    assert _stub_names() == set(opilio.__all__)  # what type checkers see
    assert all(callable(getattr(opilio, name)) for name in names)
    assert set(opilio.__all__) <= set(dir(opilio))
    with pytest.raises(AttributeError, match="crawler"):
        opilio.crawler  # type: ignore[attr-defined]  # noqa: B018


def _stub_names() -> set[str]:
    stub = ast.parse(Path(opilio.__file__).with_suffix(".pyi").read_text())
    return {
        alias.asname or alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }


def test_importing_it_loads_nothing_else() -> None:
    code = "import sys, opilio; print([name for name in sys.modules if name.startswith(('opilio.', 'numpy'))])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_a_run_has_pages_figures_and_a_curve(run: Any) -> None:
    assert run.why == "page limit: 60"
    assert run.summary == json.loads(json.dumps(summary(run.folder)))
    pages = list(run.pages())
    assert len(pages) == 60
    good = list(run.pages(relevance=0.5))
    assert [page.url for page in good] == [page.url for page in pages if (page.relevance or 0) >= 0.5]
    assert len(good) == run.summary["relevant"]
    assert all(page.title and page.text for page in good)
    shown = run._repr_html_()
    assert "data:image/svg+xml" in shown
    assert "page limit: 60" in shown


def test_a_mapping_and_a_file_say_the_same(settings: dict[str, Any], run: Any, tmp_path: Path) -> None:
    urls = [page.url for page in run.pages()][:20]
    mapped = opilio.crawl({**settings, "max_pages": 20}, out=tmp_path / "mapped")
    filed = opilio.crawl(run.folder / "config.toml", max_pages=20, out=tmp_path / "filed")
    assert [page.url for page in mapped.pages()] == [page.url for page in filed.pages()] == urls


def test_a_run_goes_on(settings: dict[str, Any], tmp_path: Path) -> None:
    opilio.crawl({**settings, "max_pages": 10}, out=tmp_path / "run")
    run = opilio.resume(tmp_path / "run", max_pages=20)
    assert run.why == opilio.open_run(str(tmp_path / "run")).why == "page limit: 20"
    assert len(list(run.pages())) == 20


def test_inside_a_running_loop(settings: dict[str, Any], run: Any, tmp_path: Path) -> None:
    async def notebook() -> list[str]:
        return [page.url for page in opilio.crawl(settings, out=tmp_path / "run").pages()]

    assert asyncio.run(notebook()) == [page.url for page in run.pages()]


def test_signal_handlers_stay_as_they_are(settings: dict[str, Any], tmp_path: Path) -> None:
    seen = []

    async def streamed() -> None:
        async for _ in opilio.stream(settings, out=tmp_path / "run"):
            seen.append([signal.getsignal(number) for number in STOPS])

    mine = [lambda number, frame: None for _ in STOPS]
    before = [signal.signal(number, handler) for number, handler in zip(STOPS, mine, strict=True)]
    try:
        asyncio.run(streamed())
        fetcher, home = source(configured(tmp_path / "run"))
        going_on = Run(tmp_path / "run", configured(tmp_path / "run", {"max_pages": 70}), fetcher, home)
        going_on.go(lambda: seen.append([signal.getsignal(number) for number in STOPS]))
        going_on.close()
    finally:
        for number, handler in zip(STOPS, before, strict=True):
            signal.signal(number, handler)
    assert len(seen) > 60
    assert all(handlers == mine for handlers in seen)


def test_a_stream_brings_pages_as_they_come(settings: dict[str, Any], run: Any, tmp_path: Path) -> None:
    async def streamed() -> list[tuple[str, float | None]]:
        return [(page.url, page.relevance) async for page in opilio.stream(settings, out=tmp_path / "run")]

    came = asyncio.run(streamed())
    assert [url for url, _ in came] == [page.url for page in run.pages()]
    # At its end the crawl judges pages by all that it has learned: what came before that was judged by less.
    assert [relevance is None for _, relevance in came] == [page.relevance is None for page in run.pages()]
    assert opilio.open_run(tmp_path / "run").why == "page limit: 60"


def test_a_stream_that_is_left_goes_on_at_once(
    settings: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """`break` closes nothing by itself: the next line must find the folder free all the same."""

    async def left() -> str | None:
        async for page in opilio.stream(settings, out=tmp_path / "run"):
            if page.relevance:
                break
        assert opilio.open_run(tmp_path / "run").why == "interrupted"
        return opilio.resume(tmp_path / "run").why

    assert asyncio.run(left()) == "page limit: 60"
    assert sorted(page.url for page in opilio.open_run(tmp_path / "run").pages()) == sorted(
        {page.url for page in opilio.open_run(tmp_path / "run").pages()}
    )
    assert gc.get_freeze_count() == 0
    assert caplog.records == []


@pytest.mark.parametrize("how", ["closed", "raised", "cancelled"])
def test_a_stream_ends_safely_however_it_is_left(settings: dict[str, Any], tmp_path: Path, how: str) -> None:
    async def left() -> None:
        stream = opilio.stream(settings, out=tmp_path / "run")
        async with aclosing(stream):
            async for _ in stream:
                if how == "raised":
                    raise ZeroDivisionError
                if how == "cancelled":
                    task = asyncio.current_task()
                    assert task
                    task.cancel()
                if how == "closed":
                    break
        assert stream.why == "interrupted"

    expected: dict[str, type[BaseException]] = {"raised": ZeroDivisionError, "cancelled": asyncio.CancelledError}
    if how in expected:
        with pytest.raises(expected[how]):
            asyncio.run(left())
    else:
        asyncio.run(left())
    assert opilio.open_run(tmp_path / "run").why == "interrupted"
    assert opilio.resume(tmp_path / "run").why == "page limit: 60"


class Backwards(opilio.Strategy):
    """The links of a page, the last one first."""

    def observe(self, page: opilio.Page) -> list[opilio.Offer]:
        return [opilio.Offer(link, number) for number, link in enumerate(page.links)]


def test_a_strategy_may_be_a_class(settings: dict[str, Any], tmp_path: Path) -> None:
    run = opilio.crawl({**settings, "max_pages": 20}, strategy=Backwards, out=tmp_path / "run")
    assert "Backwards" in (run.folder / "config.toml").read_text()
    assert opilio.resume(run.folder, max_pages=30).why == "page limit: 30"
    with pytest.raises(errors.ConfigError, match="is not a strategy"):
        opilio.crawl(settings, strategy=Path, out=tmp_path / "never")


def test_mistakes_are_sentences(settings: dict[str, Any], run: Any, tmp_path: Path) -> None:
    with pytest.raises(errors.ConfigError, match='settings: strategy "ottie" is not known; did you mean "otie"'):
        opilio.crawl({**settings, "strategy": "ottie"}, out=tmp_path / "run")
    with pytest.raises(errors.ConfigError, match=r'setting "max_page" is not known; did you mean "max_pages"'):
        opilio.stream(settings, max_page=3, out=tmp_path / "run")
    with pytest.raises(errors.ConfigError, match="there is a crawl already"):
        opilio.crawl(settings, out=run.folder)
    with pytest.raises(errors.UnreadableError, match="there is no such folder"):
        opilio.open_run(tmp_path / "nowhere")
    with pytest.raises(errors.ConfigError, match="give more than 60"):
        opilio.resume(run.folder, max_pages=5)
    with pytest.raises(errors.ConfigError, match="a stream has one process"):
        opilio.stream(settings, processes=2, out=tmp_path / "run")
    with pytest.raises(errors.ConfigError, match="3 is not a set of settings"):
        opilio.crawl(3, out=tmp_path / "run")  # type: ignore[arg-type]
    with pytest.raises(errors.ConfigError, match="relevance 7 is not allowed"):
        run.pages(relevance=7)
    with pytest.raises(errors.ConfigError, match="'no' is not an answer; say True, False"):
        run.label({next(run.pages()).url: "no"})
    with pytest.raises(errors.ConfigError, match="3 is neither the name of a strategy nor a class"):
        opilio.bench(settings["corpus"], strategies=[3])  # type: ignore[list-item]
    with pytest.raises(errors.ConfigError, match="give the class Backwards itself, not an object of it"):
        opilio.crawl(settings, strategy=Backwards(), out=tmp_path / "run")
    for wrong in (5, None):
        with pytest.raises(errors.ConfigError, match=f"{wrong} is not a folder; name one"):
            opilio.crawl(settings, out=wrong)  # type: ignore[arg-type]
    with pytest.raises(errors.ConfigError, match="relevance high is not allowed"):
        run.pages(relevance="high")
    with pytest.raises(errors.ConfigError, match="are not answers; give them by URL"):
        run.label(["http://a.test/"])
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_script_that_benches_while_it_is_loaded_gets_a_sentence(corpus: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        f"import opilio\nopilio.bench({str(corpus)!r}, 'threads', strategies=['otie'], budget=9, workers=2)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'put the call below the line: if __name__ == "__main__":' in done.stderr


def linked(count: int) -> dict[str, Any]:
    """A site on this machine where every page has links to three others."""
    pages: dict[str, Any] = {
        f"/{n}": f"<title>{n}</title>bees {' '.join(f'<a href=/{m}>{m}</a>' for m in range(3 * n + 1, 3 * n + 4))}".encode()
        for n in range(count)
    }
    return {"/": b"<title>home</title><a href=/0>0</a>", **pages}


def test_a_stream_of_a_live_site(tmp_path: Path) -> None:
    with LocalSite(linked(40)) as site:
        told = {"seeds": f"{site.url}/", "allow_networks": "loopback", "delay": 0, "strategy": "breadth-first"}

        async def streamed() -> list[str]:
            return [page.title async for page in opilio.stream(told, max_pages=30, out=tmp_path / "whole")]

        assert asyncio.run(streamed()) == [page.title for page in opilio.open_run(tmp_path / "whole").pages()]

        async def left() -> None:
            async for page in opilio.stream(told, max_pages=30, out=tmp_path / "left"):
                if page.title == "4":
                    break

        asyncio.run(left())
        run = opilio.resume(tmp_path / "left")
    urls = [page.url for page in run.pages()]
    assert (run.why, len(urls), len(set(urls))) == ("page limit: 30", 30, 30)


def test_a_stream_that_is_cancelled_while_a_server_keeps_it_waiting(tmp_path: Path) -> None:
    asked, answer = threading.Event(), threading.Event()

    def slow(request: Request) -> Reply:
        asked.set()
        answer.wait(120)
        return Reply(b"<title>slow</title>")

    async def cancelled(told: dict[str, Any]) -> None:
        async def crawl() -> None:
            async for _ in opilio.stream(told, out=tmp_path / "run"):
                pass

        task = asyncio.create_task(crawl())
        await asyncio.to_thread(asked.wait, 30)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait_for(task, 60)

    with LocalSite({"/": b"<a href=/slow>x</a>", "/slow": slow}) as site:
        told = {"seeds": f"{site.url}/", "allow_networks": "loopback", "delay": 0, "strategy": "breadth-first"}
        asyncio.run(cancelled(told))
        assert opilio.open_run(tmp_path / "run").why == "interrupted"
        answer.set()
        run = opilio.resume(tmp_path / "run")
    assert [page.title for page in run.pages()] == ["", "slow"]


def test_a_mistake_inside_a_running_loop_is_the_same(settings: dict[str, Any], tmp_path: Path) -> None:
    async def notebook() -> None:
        opilio.crawl({**settings, "topic": "", "strategy": "best-first"}, out=tmp_path / "run")

    with pytest.raises(errors.ConfigError, match="best-first needs a topic; say what the pages should be about"):
        asyncio.run(notebook())


@pytest.mark.slow
def test_the_examples_of_the_docs_work(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corpus").symlink_to(corpus)
    examples = re.findall(r"^```python\n(.*?)^```", DOC.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(examples) >= 5
    names: dict[str, Any] = {"__name__": "__main__"}
    for example in examples:
        exec(compile(example, str(DOC), "exec"), names)
    assert names["results"]["summary"]
