"""The command line as a user meets it: results on stdout, one sentence and an exit code for every mistake."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from contextlib import suppress
from http.client import HTTPConnection
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from typer.main import get_group

from opilio import cli, native, registry
from opilio.cli.commands import COMMANDS
from opilio.cli.terminal import WIDTH, print_pairs
from opilio.synth.corpus import write
from opilio.synth.web import Web


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "web"
    write(Web(600, 2), folder)
    return folder


def opilio(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", "from opilio.cli import main; main()", *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, cwd=cwd)


@pytest.fixture(scope="module")
def run(web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    words: list[str | Path] = ["--corpus", web, "--topic", "beekeeping", "--strategy", "link-context", "--out", out]
    done = opilio("crawl", *words, "--max-pages", "120")
    assert done.returncode == 0, done.stderr
    assert "harvest rate" in done.stdout
    assert "page limit: 120" in done.stderr
    return out


def test_version() -> None:
    assert opilio("--version").stdout.startswith("opilio ")


def test_the_package_can_be_run_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "opilio", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, opilio("--version").stdout)


def test_run_folder_has_everything(run: Path) -> None:
    assert {path.name for path in run.iterdir()} >= {"config.toml", "manifest.json", "archive", "state.db"}
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["why"] == "page limit: 120"
    assert "max_pages = 120" in (run / "config.toml").read_text()


def test_status_as_json(run: Path) -> None:
    told = json.loads(opilio("status", run, "--json").stdout)
    assert told["pages"] == 120
    assert 0 < told["relevant"] <= 120
    assert told["open_urls"] > 0


@pytest.mark.slow
def test_report_is_one_file_without_network(run: Path) -> None:
    path = Path(opilio("report", run).stdout.strip())
    page = path.read_text()
    assert "<svg" in page
    assert page.count("<script") == 1  # our own
    assert 'src="http' not in page
    assert '<link rel="stylesheet"' not in page


@pytest.mark.slow
def test_explain_tells_why(run: Path) -> None:
    told = json.loads(opilio("status", run, "--json").stdout)
    assert told["pages"]
    first = opilio("explain", run, seeds(run)[0])
    assert "a seed" in first.stdout
    unseen = opilio("explain", run, "http://nobody.example/nothing")
    assert "not fetched, and not waiting" in unseen.stdout


def seeds(run: Path) -> list[str]:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(run / "state.db")) as db:
        return [url for (url,) in db.execute("SELECT url FROM pages WHERE source = '' ORDER BY number")]


def test_explain_of_a_waiting_url_gives_its_rank(run: Path) -> None:
    import sqlite3
    from contextlib import closing

    from opilio.frontier.inspect import some_urls

    with closing(sqlite3.connect(run / "state.db")) as db:
        (url,) = some_urls(db, 1)
    told = opilio("explain", run, url).stdout
    assert "waiting: priority" in told
    assert "before it" in told or "it is the next one" in told


def test_strategies_are_listed() -> None:
    rows = json.loads(opilio("strategies", "--json").stdout)
    assert [row["name"] for row in rows] == list(registry.strategies())
    assert all(row["about"] for row in rows)


@pytest.mark.slow
def test_doctor_names_what_is_installed() -> None:
    told = opilio("doctor").stdout
    assert "selectolax" in told
    assert "Python" in told
    assert "pytest" not in told  # tools for developers are no part of it


def test_corpus_check_is_content_with_a_good_one(web: Path) -> None:
    done = opilio("corpus", "check", web)
    assert done.returncode == 0
    assert "600 pages" in done.stdout


def bad(code: int, *expected: str, words: list[str | Path], cwd: Path | None = None) -> None:
    """It ends with that code and one sentence that has all the expected parts; no traceback."""
    done = opilio(*words, cwd=cwd)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    said = " ".join((done.stderr + done.stdout).split())
    for part in expected:
        assert part in said, said


def test_broken_toml(tmp_path: Path) -> None:
    (tmp_path / "crawl.toml").write_text('topic = "x"\nstrategy = \n')
    bad(2, "crawl.toml", "line 2", words=["crawl", tmp_path / "crawl.toml"])


def test_unknown_strategy_in_a_file(web: Path, tmp_path: Path) -> None:
    (tmp_path / "crawl.toml").write_text(f'corpus = "{web}"\ntopic = "x"\n\nstrategy = "ottie"\n')
    out = tmp_path / "run"
    words: list[str | Path] = ["crawl", tmp_path / "crawl.toml", "--out", out]
    bad(2, "crawl.toml, line 4", 'strategy "ottie" is not known; did you mean "otie"?', words=words)
    assert not out.exists()


def test_unknown_strategy_setting(web: Path, tmp_path: Path) -> None:
    words: list[str | Path] = [
        "crawl",
        "--corpus",
        web,
        "--topic",
        "x",
        "--strategy",
        "otie(q=1)",
        "--out",
        tmp_path / "run",
    ]
    bad(2, 'setting "q" is not known', words=words)


def test_unknown_setting(web: Path, tmp_path: Path) -> None:
    words: list[str | Path] = ["crawl", "--corpus", web, "-s", "max_page=3", "--out", tmp_path / "run"]
    bad(2, 'did you mean "max_pages"?', words=words)


def test_value_out_of_range(web: Path, tmp_path: Path) -> None:
    bad(2, "batch = 0", "must be 1 or more", words=["crawl", "--corpus", web, "-s", "batch=0"], cwd=tmp_path)


def test_a_strategy_without_what_it_needs(web: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    bad(2, "blend needs a topic", "--topic", words=["crawl", "--corpus", web, "--out", out])
    assert not out.exists()


def test_no_corpus(tmp_path: Path) -> None:
    bad(2, "no seeds given", "--seed URL", words=["crawl", "--topic", "x"], cwd=tmp_path)


def test_seed_that_is_no_url(web: Path, tmp_path: Path) -> None:
    words: list[str | Path] = ["crawl", "--corpus", web, "--topic", "x", "--seed", "bees.example"]
    bad(2, '"bees.example" is not an http(s) URL', words=words, cwd=tmp_path)


def test_existing_run_folder(web: Path, run: Path) -> None:
    words: list[str | Path] = ["crawl", "--corpus", web, "--topic", "x", "--out", run]
    bad(2, "there is a crawl already", f"opilio resume {run}", words=words)


@pytest.mark.slow
def test_folder_that_is_no_run(tmp_path: Path) -> None:
    for verb in ("status", "resume", "report"):
        bad(4, "not a run folder", words=[verb, tmp_path])


def test_folder_that_is_no_corpus(tmp_path: Path) -> None:
    bad(4, "corpus.toml", words=["bench", tmp_path])
    assert list(tmp_path.iterdir()) == []


def test_unknown_task(web: Path, tmp_path: Path) -> None:
    words: list[str | Path] = ["bench", web, "--task", "topisc", "--out", tmp_path / "out"]
    bad(2, 'did you mean "topics"?', words=words)
    assert not (tmp_path / "out").exists()


def test_labels_without_url_column(tmp_path: Path) -> None:
    (tmp_path / "corpus.toml").write_text('name = "x"\n')
    (tmp_path / "edges.csv").write_text("source,target\nhttp://a.test/,http://b.test/\n")
    (tmp_path / "labels.csv").write_text("address,topic\nhttp://a.test/,bees\n")
    bad(4, "labels.csv", "url", words=["bench", tmp_path])


def test_truncated_archive(tmp_path: Path) -> None:
    (tmp_path / "corpus.toml").write_text('name = "x"\n')
    (tmp_path / "pages.warc.gz").write_bytes(gzip.compress(b"WARC/1.1\r\nContent-Length: 5000\r\n\r\n")[:-10])
    bad(4, "pages.warc.gz", words=["bench", tmp_path])


def test_archive_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "corpus.toml").write_text('name = "x"\n')
    (tmp_path / "pages.warc.gz").write_bytes(b"this is no archive")
    bad(4, "pages.warc.gz", words=["corpus", "check", tmp_path])


def test_synth_refuses_a_folder_that_is_in_use(web: Path) -> None:
    bad(2, str(web), words=["corpus", "synth", web, "--pages", "600"])


def test_structure_of_features(tmp_path: Path) -> None:
    lines = [
        json.dumps({"url": f"http://a.test/{n}", "xpaths": {f"html/body/{'p' if n % 2 else 'ul/li'}": 5}})
        for n in range(40)
    ]
    (tmp_path / "features.jsonl").write_text("\n".join(lines))
    rows = [
        json.loads(line) for line in opilio("structure", "--features", tmp_path / "features.jsonl").stdout.splitlines()
    ]
    assert [row["url"] for row in rows] == [f"http://a.test/{n}" for n in range(40)]
    assert len({row["cluster"] for row in rows if row["cluster"] >= 0}) == 2


@pytest.mark.slow
def test_structure_needs_to_be_told_what(tmp_path: Path) -> None:
    bad(2, "either --features", words=["structure"])
    (tmp_path / "features.jsonl").write_text("{not json}\n")
    bad(4, "features.jsonl, line 1", words=["structure", "--features", tmp_path / "features.jsonl"])


@pytest.mark.slow
def test_communities_of_a_graph(tmp_path: Path) -> None:
    inside = [f"{a},{b}" for a in "abcd" for b in "abcd" if a < b]
    outside = [f"{a},{b}" for a in "wxyz" for b in "wxyz" if a < b]
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *inside, *outside, "d,w"]))
    words: list[str | Path] = ["communities", "--graph", tmp_path / "edges.csv", "--seed", "a"]
    assert opilio(*words, "-o", tmp_path / "graph.svg").stdout.split() == ["a", "b", "c", "d"]
    assert (tmp_path / "graph.svg").read_text().startswith("<svg")
    bad(2, "q", words=["communities", "--graph", tmp_path / "edges.csv", "--seed", "q"])
    (tmp_path / "edges.csv").write_text("source,target\nonly-one\n")
    bad(4, "edges.csv, line 2", words=words)


@pytest.mark.slow
def test_the_site_graph_of_a_crawl_is_a_file(web: Path, tmp_path: Path) -> None:
    made = Web(600, 2)
    topic = made.topics[0]
    words: list[str | Path] = ["crawl", "--corpus", web, "--topic", topic.split("/")[-1], "--out", tmp_path / "run"]
    for url in made.seeds(topic)[:5]:
        words += ["--seed", url]
    opilio(*words, "--strategy", "community(homes=20)", "--max-pages", "60")
    edges = opilio("communities", "--run", tmp_path / "run").stdout
    assert edges.startswith("source,target\n")
    (tmp_path / "edges.csv").write_text(edges)
    seed = edges.splitlines()[1].split(",")[0]
    found = opilio("communities", "--graph", tmp_path / "edges.csv", "--seed", seed).stdout.split()
    assert seed in found
    bad(2, "--graph EDGES.csv", words=["communities"])


def test_serve_answers_for_every_host(web: Path) -> None:
    line = [sys.executable, "-c", "from opilio.cli import main; main()", "corpus", "serve", str(web)]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            said = " ".join(server.stderr.readline() for _ in range(2))
            port, url = int(said.split("127.0.0.1:")[1].split(",")[0]), said.split()[-1]
            asked = HTTPConnection("127.0.0.1", port, timeout=120)
            asked.request("GET", "/", headers={"Host": urlsplit(url).netloc})
            assert b"<title>" in asked.getresponse().read()
            asked.request("GET", "/", headers={"Host": "nobody.example"})
            assert asked.getresponse().status == 404
            asked.close()
        finally:
            server.terminate()


def test_every_command_is_where_it_is_looked_for() -> None:
    for module, names in COMMANDS.items():
        assert sorted(get_group(import_module(f"opilio.cli.{module}").app).commands) == sorted(names)
    groups = {
        path.stem
        for path in Path(cli.__file__).parent.glob("*.py")
        if "\napp = typer.Typer()" in path.read_text("utf-8")
    }
    assert groups == set(COMMANDS)


def test_a_command_imports_what_it_needs_and_no_more() -> None:
    code = "import sys, opilio.cli.commands; print([name for name in sys.modules if name.startswith(('opilio.bench', 'numpy'))])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"[]\n"


def test_a_crawl_without_topic_starts_without_what_topics_and_terminals_need(tmp_path: Path) -> None:
    told = "import sys; from opilio.cli.commands import run; code = run(); print(code, *sorted(sys.modules), file=sys.stderr)"
    words = ["crawl", "--seed", "http://127.0.0.1/", "--strategy", "breadth-first", "--out", str(tmp_path / "run")]
    done = subprocess.run([sys.executable, "-c", told, *words], capture_output=True, text=True, check=True)
    code, *modules = done.stderr.splitlines()[-1].split()
    assert code == "1"
    assert "opilio.frontier.disk.frontier" in modules
    unneeded = (
        "opilio.topics.models.", "opilio.topics.adaptive", "opilio.bench",
        "opilio.engine.parallel.processes", "rich", "threadpoolctl",
        *(["numpy"] if native.functions else []),
    )  # fmt: skip
    assert [name for name in modules if name.startswith(unneeded)] == []


def test_a_crawl_is_drawn_on_a_terminal(web: Path, tmp_path: Path) -> None:
    code = "from opilio.cli import main, progress; progress.REFRESH = 0; main()"
    words = [
        "crawl",
        "--corpus",
        str(web),
        "--strategy",
        "breadth-first",
        "--max-pages",
        "9",
        "--out",
        str(tmp_path / "run"),
    ]
    screen, terminal = os.openpty()
    with subprocess.Popen([sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=terminal) as crawl:
        os.close(terminal)
        shown = _all_of(screen)
        assert crawl.stdout
        figures = crawl.stdout.read()
    assert b"harvest now" in shown
    assert b"stopped: page limit: 9\r\n" in shown
    assert b"\n pages                      9  " in figures


def _all_of(screen: int) -> bytes:
    shown = b""
    with open(screen, "rb", buffering=0) as pieces, suppress(OSError):  # which is how a terminal ends
        while piece := pieces.read(1 << 16):
            shown += piece
    return shown


def test_pairs_stand_in_two_columns(capsys: pytest.CaptureFixture[str]) -> None:
    print_pairs({"pages": "12", "open urls": "", "[b] :x:": "[none] :smile:"})
    assert capsys.readouterr().out == (
        " pages      12             \n open urls                 \n [b] :x:    [none] :smile: \n"
    )
    print_pairs({"errors": ", ".join(["http 404: 1,000"] * 10)})
    first, second = capsys.readouterr().out.splitlines()
    assert (len(first), len(second)) == (WIDTH, WIDTH)
    assert first.startswith(" errors  http 404: 1,000, http")
    assert second.strip() == "1,000, http 404: 1,000, http 404: 1,000"


def test_a_command_that_is_none() -> None:
    done = opilio("crwl")
    assert done.returncode == 2
    assert "Did you mean 'crawl'" in done.stderr
