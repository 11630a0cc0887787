"""Every mistake of the user's is one sentence: what was read, what is allowed, the remedy, and a code that is not 0."""

from __future__ import annotations

import gzip
import json
import tomllib
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.engine.run_folder import HALF_MADE
from opilio.errors import OpilioError
from opilio.store.lock import lock
from opilio.synth.corpus import write
from opilio.synth.web import Web
from opilio.urls import canonical, without_user


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answers") / "web"
    write(Web(500, 1), folder)
    return folder


@pytest.fixture(scope="module")
def run(web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    assert opilio("crawl", *plain(web, out), "--max-pages", 30)[0] == 0
    return out


def plain(web: Path, out: Path) -> list[object]:
    """A crawl that needs no topic."""
    return ["--corpus", web, "--strategy", "breadth-first", "--out", out]


def opilio(*words: object) -> tuple[int, str]:
    """The exit code of a command, and all that it says; whatever is no sentence is raised."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    if isinstance(done.exception, OpilioError):
        return done.exception.exit_code, str(done.exception)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def test_a_limit_of_no_pages_is_refused(web: Path, tmp_path: Path) -> None:
    said = opilio("crawl", *plain(web, tmp_path / "run"), "--max-pages", 0)
    assert said == (2, "command line: max_pages = 0 is not allowed; it must be 1 or more")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("text", ["", " \n\t", "\0\0"])
def test_a_topic_file_without_words_is_refused(web: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "topic.txt").write_text(text)
    words = ["--corpus", web, "--topic-file", tmp_path / "topic.txt", "--out", tmp_path / "run"]
    code, said = opilio("crawl", *words, "--max-pages", 5)
    assert (code, "topic.txt: there is no word in it" in said) == (4, True)
    assert not (tmp_path / "run").exists()


def test_a_topic_without_words_is_refused(web: Path, tmp_path: Path) -> None:
    code, said = opilio("crawl", "--corpus", web, "--topic", " ?! ", "--out", tmp_path / "run")
    assert (code, "there is no word in it" in said) == (2, True)


@pytest.mark.parametrize(
    ("limit", "part"), [(30, "has fetched 30 pages already"), (7, "give more than 30"), (0, "1 or")]
)
def test_a_limit_that_was_passed_long_ago_is_refused(run: Path, limit: int, part: str) -> None:
    before = (run / "config.toml").read_text()
    code, said = opilio("resume", run, "--max-pages", limit)
    assert (code, part in said) == (2, True), said
    assert (run / "config.toml").read_text() == before


def test_a_crawl_that_fetches_nothing_says_so(web: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    code, said = opilio("crawl", *plain(web, out), "--seed", "http://not-recorded.example/")
    assert code == 1
    assert "nothing was fetched:\n  http://not-recorded.example/: http 404\n" in said
    assert json.loads((out / "manifest.json").read_text())["why"].startswith("nothing could be fetched (")


@pytest.mark.slow
def test_a_crawl_that_fetches_nothing_says_so_with_two_processes(web: Path, tmp_path: Path) -> None:
    words = ["--seed", "http://not-recorded.example/", "-s", "processes=2"]
    code, said = opilio("crawl", *plain(web, tmp_path / "run"), *words)
    assert (code, "nothing was fetched" in said) == (1, True)


def test_the_command_line_is_not_blamed_on_the_file(web: Path, tmp_path: Path) -> None:
    (tmp_path / "crawl.toml").write_text(f'corpus = "{web}"\nbatch = 5\nstrategy = "breadth-first"\n')
    words = ["crawl", tmp_path / "crawl.toml", "--out", tmp_path / "run"]
    assert opilio(*words, "-s", "batch=0")[1].startswith("command line: batch = 0 is not")
    assert opilio(*words, "--strategy", "ottie")[1].startswith('command line: strategy "ottie" is not known')
    assert opilio(*words, "--seed", "x")[1].startswith('command line: seeds: "x" is not an http(s) URL')
    assert opilio(*words, "-s", "batches=0")[1].startswith('command line: setting "batches" is not known')
    (tmp_path / "crawl.toml").write_text(f'corpus = "{web}"\nbatch = 0\n')
    assert opilio(*words, "--max-pages", 3)[1].startswith(f"{tmp_path / 'crawl.toml'}, line 2: batch = 0")


@pytest.mark.parametrize("text", ["[crawl]\nmax_pages = 3\n", "[[crawl]]\nmax_pages = 3\n", "[seeds]\na = 1\n"])
def test_a_section_in_a_file_is_named_as_such(tmp_path: Path, text: str) -> None:
    (tmp_path / "crawl.toml").write_text("# mine\n" + text)
    code, said = opilio("config", "check", tmp_path / "crawl.toml")
    assert code == 2
    assert "line 2" in said
    assert "is a section, and a configuration has none; write each setting on a line of its own" in said


def test_an_unknown_setting_has_three_near_ones_beside_it() -> None:
    code, said = opilio("config", "show", "-s", "max_page=3")
    assert code == 2
    assert 'did you mean "max_pages"? (max_pages, ' in said
    assert said.count(",") <= 2
    assert "opilio config show" in said


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        ("max_pages=many", "a whole number"),
        ("max_pages=1.5", "a whole number"),
        ("delay=slow", "a number"),
        ("delay=inf", "a finite number"),
        ("delay=nan", "a finite number"),
        ("seeds=5", "a list"),
        ("sitemaps=perhaps", "true or false"),
        ("topic=true", "text in quotes"),
        ('obey=["humans"]', "one of 'robots'"),
        ("processes=11", "10 or less"),
        ("fetch_total=0", "more than 0"),
    ],
)
def test_a_value_of_the_wrong_kind_is_told_what_is_right(words: str, allowed: str) -> None:
    code, said = opilio("config", "show", "-s", words)
    assert code == 2
    assert f"is not allowed; it must be {allowed}" in said


def test_a_topic_may_look_like_a_number() -> None:
    assert tomllib.loads(opilio("config", "show", "-s", "topic=1984")[1])["topic"] == "1984"


def test_a_folder_that_was_half_made_when_its_crawl_was_killed_is_made_anew(web: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    for name in HALF_MADE:
        (tmp_path / "run" / name).write_text("{}")
    assert opilio("crawl", *plain(web, tmp_path / "run"), "--max-pages", 5)[0] == 0


def test_a_resume_that_is_refused_changes_nothing(run: Path) -> None:
    before = (run / "config.toml").read_bytes()
    with closing(lock(run)):
        code, said = opilio("resume", run, "--max-pages", 99)
    assert (code, "another process is crawling into this folder" in said) == (2, True)
    assert (run / "config.toml").read_bytes() == before


def test_a_folder_with_other_files_is_not_for_resuming(web: Path, run: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    code, said = opilio("crawl", *plain(web, tmp_path))
    assert (code, said) == (2, f"{tmp_path}: this is a folder with other files; name a new or empty folder with --out")
    code, said = opilio("crawl", *plain(web, tmp_path / "thesis.tex"))
    assert (code, "this is a file" in said) == (2, True)
    code, said = opilio("crawl", *plain(web, run))
    assert (code, f"`opilio resume {run}` continues it" in said) == (2, True)


def test_a_benchmark_leaves_a_folder_with_other_files_alone(web: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    code, said = opilio("bench", web, "--strategies", "breadth-first", "--budget", 5, "--out", tmp_path)
    assert (code, "this is a folder with other files" in said) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("strategy", "remedy"),
    [
        ("oracle", "only `opilio bench` can run it"),
        ("target-map", "--like URL"),
        ("profile", "--strategy 'profile(tag=TAG)'"),
        ("best-first", "--topic WORDS"),
    ],
)
def test_what_a_strategy_misses_is_named_with_its_remedy(web: Path, tmp_path: Path, strategy: str, remedy: str) -> None:
    code, said = opilio("crawl", "--corpus", web, "--strategy", strategy, "--out", tmp_path / "run")
    assert (code, remedy in said) == (2, True), said
    assert ("--topic" in said) == (strategy in ("profile", "best-first"))


def test_a_password_in_a_seed_is_not_written_down(web: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    home = tomllib.loads((web / "corpus.toml").read_text())["home"]
    secret = home.replace("://", '://jane:hush"@sesame@')
    code, said = opilio("crawl", *plain(web, out), "--seed", secret, "--example", secret, "--max-pages", 5)
    assert code == 0
    assert "command line: seeds: the name and password in a URL are left out; they are never sent or stored" in said
    assert tomllib.loads((out / "config.toml").read_text())["seeds"] == [home]
    opilio("report", out)
    for path in (path for path in out.rglob("*") if path.is_file()):
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        assert b"sesame" not in content, path
    assert "sesame" not in said + opilio("status", out)[1]


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("http://a:b@c.test/d@e", "http://c.test/d@e"),
        ("HTTPS:\\\\a@b@c.test", "HTTPS:\\\\c.test"),
        ("http:a:b@c.test/", "http:c.test/"),
        ("http://c.test/?mail=a@b", "http://c.test/?mail=a@b"),
        ("page@home.html", "page@home.html"),
        ("", ""),
    ],
)
def test_name_and_password_end_before_the_path(written: str, left: str) -> None:
    assert without_user(written) == left
    assert canonical(written) == canonical(left)


def test_relevance_and_urls_are_checked_before_anything_else(run: Path, tmp_path: Path) -> None:
    code, said = opilio("search", run, "bee", "--relevance", 7)
    assert (code, said) == (2, "relevance 7 is not allowed; give a number from 0 to 1, as in 0.5")
    assert not (run / "search.db").exists()
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /x\n")
    code, said = opilio("robots", tmp_path / "robots.txt", "http://a.test/", "nota-url")
    assert (code, said) == (2, '"nota-url" is not an http(s) URL; write it in full, as in https://host/path')


@pytest.fixture(scope="module")
def around(web: Path, run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what people name by mistake."""
    folder = tmp_path_factory.mktemp("around")
    (folder / "empty").write_bytes(b"")
    (folder / "binary").write_bytes(bytes(range(256)) * 9)
    (folder / "text").write_text("just text\n")
    (folder / "folder").mkdir()
    (folder / "deep").write_text("[" * 100_000)
    (folder / "deep.toml").write_text("x = " + "[" * 100_000)
    (folder / "digits").write_text('{"xpaths": {"a": ' + "9" * 5000 + "}}")
    (folder / "digits.toml").write_text("batch = " + "9" * 5000)
    (folder / "deep-corpus").mkdir()
    (folder / "deep-corpus" / "corpus.toml").write_text("x = " + "[" * 100_000)
    (folder / "edges.csv").write_text("source,target\na,b\nb,c\nc,a\n")
    (folder / "web").symlink_to(web)
    (folder / "run").symlink_to(run)
    return folder


# The words of a command, its exit code, and a part of what it says.
WRONG = """
status nowhere | 4 | nowhere: there is no such folder; name one that `opilio crawl` made
resume nowhere | 4 | nowhere: there is no such folder
report text | 4 | text: this is a file, not a run folder
export folder | 4 | folder: this is not a run folder (no state.db in it)
search text bee | 4 | text: this is a file, not a run folder
explain run nota-url | 2 | "nota-url" is not an http(s) URL; write it in full
label run --yes nota-url | 2 | nota-url: there is no stored page of that URL
search run bee -n 99999999999999999999 | 2 | -n
bench web --strategies , --out b | 2 | --strategies "," names none; write names with commas
bench web --model linear(q=1) --out b | 2 | is not known
crawl --corpus web --topic bees -s model=linear(q=1) --out o | 2 | setting "q" is not known (there are none)
crawl --corpus web --topic bees --out text/o | 2 | text is a file, so there is no folder in it
crawl --corpus web --topic bees --labels nowhere:x=y --out o | 4 | nowhere: cannot be read
crawl --corpus web --topic bees -s not_hosts=["a"] --out o | 2 | setting "not_hosts" is not known; did you mean "hosts"?
crawl --corpus web --topic bees -s fetch_to=1.2.3.4:99999 --out o | 2 | is not ADDRESS:PORT
crawl --corpus web --topic bees -s fetch_to=999.2.3.4:80 --out o | 2 | is not ADDRESS:PORT
crawl --corpus web --topic bees -s access=binary --out o | 2 | cannot be read
crawl --corpus web --topic bees\udcff --out o | 2 | "bees?" is not text in UTF-8
crawl --corpus synth:999999999999 --out o | 2 | a synthetic web has from 500 to 100,000,000 pages, not 999,999,999,999
corpus synth w --pages 99999999999999999999 | 2 | a synthetic web has from 500 to 100,000,000 pages
config show -s topic=\udcff | 2 | is not text in UTF-8
config check folder | 4 | folder: cannot be read (Is a directory); name a TOML file
config check binary | 4 | binary: this is not text in UTF-8
may http://a.test/\udcff | 2 | is not text in UTF-8
may nota-url | 0 | "may": false, "reason": "refused: no http or https URL"
may http://[::1 | 0 | "may": false, "reason": "refused: no http or https URL"
may ftp://a.test/ | 0 | "may": false, "reason": "refused scheme ftp"
search run --site \udcff bee | 2 | is not text in UTF-8
serve text | 2 | text: this is a file, not a folder
structure --features empty | 4 | empty: there is nothing in it; give a file of JSON lines
structure --features folder | 4 | folder: cannot be read (Is a directory); give a file of JSON lines
structure --url nota-url | 2 | nota-url: this is not an http(s) URL
structure --corpus web --pages 5 -o nowhere/x | 4 | nowhere/x: cannot be written (No such file or directory)
structure --corpus web --pages 5 -o folder | 4 | folder: cannot be written (Is a directory)
communities --graph edges.csv --seed a -o nowhere/x | 4 | nowhere/x: cannot be written (No such file or directory)
communities --graph edges.csv --seed a -o folder | 4 | folder: cannot be written (Is a directory)
structure --features deep | 4 | deep, line 1: this is not JSON (maximum recursion depth
structure --features digits | 4 | digits, line 1: this is not JSON (Exceeds the limit
tags --items deep --topic x | 4 | deep, line 1: not readable as JSON
config check deep.toml | 2 | deep.toml: broken TOML
config check digits.toml | 2 | digits.toml: broken TOML
crawl --corpus web --topic bees -s access=deep.toml --out o | 2 | cannot be read
crawl --corpus deep-corpus --topic bees --out o | 4 | this is not TOML
crawl --corpus web --topic bees --strategy structure(site=deep) --out o | 4 | it cannot be read as JSON
tags --items binary --topic x | 4 | binary: this is not text in UTF-8
tags --items text --topic x --threshold nan | 2 | --threshold
genre empty | 4 | empty: there is no page in it that can be read
genre --model text empty | 4 | text: this is not a saved model
topic train --topic bees -o nowhere/x | 4 | nowhere/x: cannot be written (No such file or directory)
topic train --topic bees -o folder | 4 | folder: cannot be written (Is a directory)
topic train --topic bees -o . | 4 | .: cannot be written (Is a directory)
"""


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_a_mistake_is_one_sentence(around: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(around)
    words, code, part = line.split(" | ")
    got, said = opilio(*words.split())
    assert (got, part in " ".join(said.split())) == (int(code), True), said
    assert not {path.name for path in around.iterdir()} & {"o", "b", "w", "folder.part"}


def test_a_model_of_another_kind_is_named_as_such(tmp_path: Path) -> None:
    assert opilio("topic", "train", "--topic", "bees", "-o", tmp_path / "model")[0] == 0
    code, said = opilio("genre", "--model", tmp_path / "model", tmp_path / "pages.warc.gz")
    assert (code, "name a file that `opilio genre train` made" in said) == (4, True)
