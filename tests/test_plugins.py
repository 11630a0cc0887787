"""Strategies and topic models of one's own: in files, as classes, in installed packages; and what is typed wrongly."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from opilio import plugins, registry
from opilio.bench.corpus import Corpus
from opilio.bench.run import bench
from opilio.cli.commands import run as command_line
from opilio.config import Config
from opilio.config_file import load
from opilio.engine.run import Run
from opilio.engine.run_folder import configured
from opilio.errors import ConfigError, PageError
from opilio.nouns import Material, Offer, Page, Say, Strategy
from opilio.report.note_parts import strategy_of
from opilio.web.crawls import Crawls
from tests import tiny_corpus
from tests.tiny_corpus import labelled, task, url

OWN = """
from opilio.nouns import Offer, Strategy

class Longest(Strategy):
    notes = ("letters",)

    def __init__(self, sign: float = 1.0):
        self.sign = sign

    def observe(self, page):
        return [Offer(link, self.sign * len(link.url), note=(len(link.url),)) for link in page.links]
"""
MODEL = """
from opilio.model_file import Saved
from opilio.nouns import Topic

class Counting(Saved, Topic):
    def __init__(self, word, steep):
        self.word, self.steep = word, steep

    @classmethod
    def learn(cls, material, steep: float = 0.1):
        return cls(material.words, steep)

    def text(self, text):
        return min(1.0, self.steep * text.count(self.word))
"""


class Shortest(Strategy):
    """A class in a module of a package, as other processes can import it."""

    def observe(self, page: Page) -> Iterable[Say]:
        return (Offer(link, -len(link.url)) for link in page.links)


@pytest.fixture
def web(tmp_path: Path) -> Path:
    links = {"s": "h bb", "h": "ttt", "bb": "ttt h", "ttt": "s"}
    tasks = task("type", column="kind", target="thread", start=[url("s")])
    return tiny_corpus.write(tmp_path / "web", links, labelled(thread="ttt bb"), tasks).folder


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    return tmp_path / "own.py"


def test_a_file_and_its_class_make_a_strategy_with_settings(own: Path) -> None:
    made = registry.make("own.py:Longest(sign=-2)", {"seed": 1})
    assert type(made).__name__ == "Longest"
    assert vars(made) == {"sign": -2.0}
    assert type(made) is registry.kind_of(f"{own}:Longest")  # the file is run once


def test_a_crawl_with_a_file_goes_on_from_another_folder(web: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = load(None, {"strategy": "own.py:Longest(sign=2)", "corpus": str(web), "max_pages": 2})
    folder = own.parent / "run"
    crawl(folder, config)
    monkeypatch.chdir("/")
    again = configured(folder, {"max_pages": 10})
    assert again.strategy == f"{own}:Longest(sign=2)"
    crawl(folder, again)
    kind = strategy_of(folder)
    assert kind is not None
    assert kind.notes == ("letters",)


def crawl(folder: Path, config: Config) -> None:
    corpus = Corpus.open(Path(config.corpus))
    run = Run(folder, config, corpus.fetcher(), corpus.home)
    try:
        assert "internal" not in run.go()
        assert run.store.pages == min(4, config.max_pages)
    finally:
        run.close()


@pytest.mark.slow
def test_a_benchmark_takes_files_and_classes_in_several_processes(web: Path, own: Path) -> None:
    results = bench(web, strategies=["own.py:Longest", Shortest], workers=2)
    names = [row["strategy"] for row in results["runs"]]
    assert names == ["own.py:Longest", f"{__name__}:Shortest", "oracle", "random"]


def test_a_class_that_no_process_finds_again_runs_in_this_one(web: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Local(Shortest):
        pass

    with pytest.warns(UserWarning, match="here:Local is defined in no file .* save it in a file to use all cores"):
        results = bench(web, strategies=[Local], workers=2)
    assert results["runs"][0]["strategy"] == "here:Local"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bench(web, strategies=[Local], workers=1)  # nothing to warn of
    monkeypatch.setattr(plugins, "_here", {})  # as in another process
    with pytest.raises(ConfigError, match="was defined in another Python process"):
        registry.parse("here:Local")


def test_a_class_of_a_script_is_found_by_its_file(own: Path) -> None:
    kind = registry.kind_of("own.py:Longest")
    assert registry.spec_of(kind) == f"{own}:Longest"
    assert registry.spec_of("otie(a=0.5)") == "otie(a=0.5)"
    assert load(None, {"strategy": kind}, starts=False).strategy == f"{own}:Longest"


@pytest.fixture
def package(own: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package with entry points."""
    facts = own.parent / "ants-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: ants\nVersion: 1.0\n", encoding="utf-8")
    (facts / "entry_points.txt").write_text(
        "[opilio.strategies]\nants = ants:Longest\nbroken = nowhere:A\n\n[opilio.topics]\ncounting = ants:Counting\n",
        encoding="utf-8",
    )
    (own.parent / "ants.py").write_text(OWN + MODEL, encoding="utf-8")
    monkeypatch.syspath_prepend(own.parent)
    plugins.installed.cache_clear()
    yield own.parent
    plugins.installed.cache_clear()
    sys.modules.pop("ants", None)


@pytest.mark.usefixtures("package")
def test_installed_packages_bring_strategies_and_models(web: Path) -> None:
    assert vars(registry.make("ants(sign=3)", {})) == {"sign": 3.0}
    topic = registry.learn("counting(steep=0.25)", Material("bee"))
    assert topic.text("bee bee") == 0.5
    assert registry.names_of_others() == ["ants", "broken"]
    with pytest.raises(ConfigError, match='did you mean "ants"'):
        registry.parse("antz")
    with pytest.raises(ConfigError, match=r"broken = nowhere:A: it cannot be loaded: ModuleNotFoundError"):
        registry.parse("broken")


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("words", [["strategies"], ["strategies", "--json"]])
def test_a_broken_package_is_named_and_the_rest_is_listed(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["opilio", *words])
    assert command_line() == 0
    told = capsys.readouterr()
    assert "ants" in told.out
    assert "breadth-first" in told.out
    assert "broken" not in told.out
    assert "strategy broken is left out: package ants, opilio.strategies: broken = nowhere:A: it cannot be" in told.err


@pytest.mark.usefixtures("package")
def test_a_crawl_with_a_model_of_a_package_goes_on(web: Path, tmp_path: Path) -> None:
    said = {"topic": "bb", "model": "counting", "corpus": str(web), "strategy": "best-first"}
    crawl(tmp_path / "run", load(None, {**said, "max_pages": 2}))
    crawl(tmp_path / "run", configured(tmp_path / "run", {"max_pages": 10}))


def test_a_name_of_ours_looks_at_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "installed", None)
    registry.make("breadth-first", {})
    registry.parse_model("words")


WRONG = {
    "gone.py:A": "gone.py: there is no such file",
    "own.py:Longst": 'own.py: class "Longst" is not known; did you mean "Longest"',
    "own.py:Other": "own.py:Other is not a strategy; derive it from",
    "own.py:Empty": "strategy own.py:Empty has no method observe",
    "own.py:Greedy": 'strategy own.py:Greedy: its constructor needs "depth", which neither a crawl nor a benchmark can give',
    "own.py:Longest(sing=1)": 'setting "sing" is not known; did you mean "sign"',
    "own.py:Narrow": r"strategy own.py:Narrow: observe is given page, which \(self\) does not take; write def observe",
    "own.py:Late": "strategy own.py:Late: observe is async, and nobody would wait for it",
    "own.py:Unset": "strategy own.py:Unset: observe is not a method",
    "own.py:Mean": 'strategy own.py:Mean: merge = .mean. is not known; it must be "max", "sum" or "join"',
    "own.py:Longest(sign=abc)": "sign=abc is not of the same type as its default",
    "leaves.py:A": "leaves.py: it cannot be loaded: SystemExit: 3",
    "syntax.py:A": "syntax.py: it cannot be loaded: SyntaxError: .*line 2",
    "name.py:A": r"name.py: it cannot be loaded: NameError: .*\(name.py, line 3\)",
    "no.such.module:A": "no.such.module: it cannot be loaded: ModuleNotFoundError",
    "own.py": "cannot be read; write NAME",
}
MORE = """
class Other: pass

class Empty(Strategy): pass

class Greedy(Strategy):
    def __init__(self, depth): self.depth = depth
    def observe(self, page): return []

class Narrow(Strategy):
    def observe(self): return []

class Late(Strategy):
    async def observe(self, page): return []

class Unset(Strategy):
    observe = None

class Mean(Strategy):
    merge = "mean"
    def observe(self, page): return []

class Failing(Strategy):
    def __init__(self): raise ValueError("no luck")
    def observe(self, page): return []

class Keeping(Strategy):
    def __init__(self): self.seen_ = object()
    def observe(self, page): return []

class Noting(Strategy):
    def observe(self, page): return [Offer(link, note=(object(),)) for link in page.links]

class Shouting(Strategy):
    def observe(self, page): return [Offer(link, 1.0, "news") for link in page.links]

class Silent(Strategy):
    def observe(self, page): page.links

class Linking(Strategy):
    def observe(self, page): return page.links

class Yielding(Strategy):
    def observe(self, page): yield from page.links
"""


@pytest.fixture
def mistakes(own: Path) -> Path:
    own.write_text(OWN + MORE, encoding="utf-8")
    (own.parent / "syntax.py").write_text("\nclass A(:\n", encoding="utf-8")
    (own.parent / "leaves.py").write_text("raise SystemExit(3)", encoding="utf-8")
    (own.parent / "name.py").write_text("\n\nclass A(Strategie): pass\n", encoding="utf-8")
    return own


@pytest.mark.parametrize(("spec", "sentence"), WRONG.items(), ids=WRONG)
@pytest.mark.usefixtures("mistakes")
def test_what_is_typed_wrongly_is_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=f"command line: .*{sentence}"):
        load(None, {"strategy": spec}, starts=False)


@pytest.mark.parametrize(
    ("name", "sentence"),
    {
        "Silent": "returned None; it has to return",
        "Linking": "returned a Link; it",
        "Yielding": "returned a Link; it",
    }.items(),
)
@pytest.mark.usefixtures("mistakes")
def test_an_answer_that_is_none_is_a_sentence(
    web: Path,
    tmp_path: Path,
    name: str,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(PageError, match=f"{name}.observe {sentence}"):
        bench(web, strategies=[f"own.py:{name}"], workers=1)
    words = ["opilio", "crawl", f"--corpus={web}", f"--strategy=own.py:{name}", f"--out={tmp_path / 'run'}"]
    monkeypatch.setattr(sys, "argv", words)
    assert command_line() == 1
    assert f"TypeError: {name}.observe {sentence}" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("name", "code", "sentence"),
    [
        ("Failing", 2, "strategy own.py:Failing: it cannot be made: ValueError: no luck (own.py, line"),
        ("Keeping", 1, "Keeping: of what it keeps in names that end in _, object cannot be saved: keep to numbers"),
        ("Noting", 1, "of the note of the offer for http://"),
        ("Shouting", 1, "is not an offer; write Offer(link, number, lane), a lane as in ('news',)"),
    ],
)
@pytest.mark.usefixtures("mistakes")
def test_a_mistake_that_shows_while_it_runs_is_a_sentence(
    web: Path,
    tmp_path: Path,
    name: str,
    code: int,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    words = ["opilio", "crawl", f"--corpus={web}", f"--strategy=own.py:{name}", f"--out={tmp_path / 'run'}"]
    monkeypatch.setattr(sys, "argv", words)
    assert command_line() == code
    err = capfd.readouterr().err
    assert sentence in err.replace(f"{Path.cwd()}/", "")
    assert "Traceback" not in err


def test_the_dashboard_runs_no_files(own: Path, tmp_path: Path) -> None:
    own.write_text("raise SystemExit", encoding="utf-8")
    for settings in ({"strategy": f"{own}:A"}, {"model": f"{own}:A(b=1)"}, {"strategy": "os.path:join"}):
        with pytest.raises(ConfigError, match="classes in files are for the command line"):
            Crawls().start(tmp_path / "run", settings)
