"""Which faults would no test see: `python -m benchmarks.mutants [--each N] [--seed N] [MODULE ...]`.

Draws mutants of each module with the operators of cosmic-ray (`pip install cosmic-ray`: it is no dependency), and runs the test
files that are near to the module, until one fails. Each mutant is a process forked from one that has read all libraries; the
mutated source takes the module's place when it is imported, so that no file is touched. Prints what survived, and a table.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.util
import io
import os
import random
import resource
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
SECONDS = 60  # of CPU: a mutant that takes longer hangs
OURS = ("opilio", "tests", "benchmarks", "conftest")
NEAR = {
    "strategies/otie": ["strategies/test_cash", "test_printed_rules", "test_printed_steps"],
    "strategies/opic": ["strategies/test_cash"],
    "strategies/fish": ["test_printed_steps"],
    "strategies/shark": ["test_printed_steps"],
    "strategies/community/home_pages": ["test_communities", "test_printed_steps"],
    "strategies/community/site_graph": ["test_communities"],
    "strategies/community/friend_links": ["test_communities"],
    "strategies/community/two_rounds": ["strategies/test_community", "test_printed_steps"],
    "strategies/genre/features": ["test_genre"],
    "strategies/irobot/regions": ["test_clusters", "test_printed_steps"],
    "strategies/profile/page_types": ["test_path_strings", "test_printed_steps"],
    "strategies/profile/thumbnails": ["test_path_strings"],
    "strategies/profile/tag_fields": ["test_tags"],
    "strategies/structure/from_sample": ["strategies/test_structure", "test_printed_steps"],
    "strategies/target_map/tree_match": ["strategies/test_structure"],
    "strategies/community/frtw": ["test_communities"],
    "strategies/community/similarity": ["test_communities", "test_printed_rules"],
    "strategies/genre/prior": ["test_printed_rules", "strategies/test_genre"],
    "strategies/profile/tags": ["test_tags", "test_printed_rules"],
    "strategies/profile/people": ["strategies/test_profile", "test_printed_rules"],
    "strategies/structure/scores": ["strategies/test_structure", "test_printed_rules"],
    "learning/clusters": ["test_clusters"],
    "learning/dead_links": ["test_clusters"],
    "learning/flow": ["strategies/test_cash", "test_printed_steps"],
    "learning/link_promise": ["test_printed_rules", "test_printed_steps"],
    "learning/mdl_clusters": ["test_clusters"],
    "learning/page_types": ["test_clusters"],
    "learning/paths": ["test_clusters"],
    "learning/url_patterns": ["test_clusters"],
    "learning/navigation": ["test_clusters"],
    "learning/link_kinds": ["test_link_kinds"],
    "topics/adaptive": ["test_adaptive"],
    "topics/calibration": ["test_topics"],
    "topics/counted": ["test_topics", "test_printed_steps"],
    "topics/densities": ["test_topics", "test_printed_steps"],
    "topics/fields": ["test_topics", "test_printed_steps"],
    "topics/folded": ["test_topics", "test_printed_steps"],
    "frontier/cash_updates": ["test_frontier"],
    "frontier/lanes": ["test_frontier"],
    "frontier/hosts": ["test_frontier"],
    "frontier/merge": ["test_frontier"],
    "frontier/queue/bag": ["test_frontier"],
    "frontier/queue/lane": ["test_frontier"],
    "store/any_warc": ["test_from_warc"],
    "store/archive": ["test_warc"],
    "store/warc": ["test_warc"],
    "store/warc_records": ["test_warc"],
}


class Mutant(NamedTuple):
    """A module with one fault in it."""

    module: str  # as in NEAR
    operator: str
    line: int
    before: str
    after: str
    source: str

    @property
    def name(self) -> str:
        return "opilio." + self.module.replace("/", ".")

    @property
    def path(self) -> Path:
        return source_of(self.module)


def source_of(module: str) -> Path:
    package = SOURCE / "opilio" / module / "__init__.py"
    return package if package.exists() else SOURCE / "opilio" / f"{module}.py"


def mutants(module: str) -> list[Mutant]:
    """All of a module that change more than a type annotation."""
    plugins, trees, mutating = (
        importlib.import_module(f"cosmic_ray.{name}") for name in ("plugins", "ast", "mutating")
    )
    code = source_of(module).read_text(encoding="utf-8")
    found = []
    for name in plugins.operator_names():
        kind = plugins.get_operator(name)
        if kind.arguments() or "BitOr" in name or "NoOp" in name:
            continue
        positions = [
            place for node in trees.ast_nodes(trees.get_ast(code)) for place in kind().mutation_positions(node)
        ]
        for number, (start, _) in enumerate(positions):
            source = mutating.mutate_code(code, kind(), number)
            if source and source != code:
                before, after = (text.split("\n")[start[0] - 1].strip() for text in (code, source))
                found.append(Mutant(module, name.removeprefix("core/"), start[0], before, after, source))
    return found


class Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the mutant where the module is asked for."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self.mutant.name:
            return None
        place = self.mutant.path
        inside = [str(place.parent)] if place.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(fullname, place, loader=self, submodule_search_locations=inside)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.mutant.source, self.mutant.path, "exec", dont_inherit=True), module.__dict__)


def tested(tests: list[str], mutant: Mutant | None) -> str:
    """What came of a mutant, "survived" or not; without one, whether the tests pass: "survived"."""
    child = os.fork()
    if not child:
        os._exit(_in_child(tests, mutant))
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return "hangs"
    return {0: "survived", 1: "killed"}.get(os.WEXITSTATUS(status), "cannot be imported")


def _in_child(tests: list[str], mutant: Mutant | None) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    if mutant:
        sys.meta_path.insert(0, Instead(mutant))
    import pytest

    asked = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "--hypothesis-profile=fast"]
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        return int(pytest.main([*asked, *(f"tests/{test}.py" for test in tests)]))


def read_libraries(tests: list[str]) -> None:
    """Import whatever these tests import that is not ours, so that no fork has to."""
    asked = "import sys, pytest; pytest.main(['--collect-only', '-q', '-p', 'no:cacheprovider', *sys.argv[1:]]); "
    told = asked + "print('\\n@' + ' '.join(sys.modules))"
    paths = [f"tests/{test}.py" for test in tests]
    done = subprocess.run([sys.executable, "-c", told, *paths], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in done.stdout.rpartition("@")[2].split():
        if name.split(".")[0] not in (*OURS, "__main__") and not name.startswith("_pytest"):
            with redirect_stdout(io.StringIO()), suppress(Exception):  # it is read again by whoever needs it
                __import__(name)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--each", type=int, default=8, help="mutants of a module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="such as strategies/otie; all if none is named")
    told = parser.parse_args()
    os.chdir(ROOT)
    modules = told.modules or list(NEAR)
    read_libraries(sorted({test for module in modules for test in NEAR[module]}))
    for tests in {tuple(NEAR[module]) for module in modules}:
        if tested(list(tests), None) != "survived":
            sys.exit(f"{', '.join(tests)}: fail without a mutant")
    rows = []
    for module in modules:
        every = mutants(module)
        drawn = random.Random(f"{told.seed} {module}").sample(every, min(told.each, len(every)))
        left = []
        for mutant in sorted(drawn, key=lambda mutant: mutant.line):
            if tested(NEAR[module], mutant) == "survived":
                left.append(mutant)
                print(
                    f"survived: {module}:{mutant.line} {mutant.operator}\n    {mutant.before}\n    {mutant.after}",
                    flush=True,
                )
        rows.append((module, len(every), len(drawn), len(left)))
    print("\n| module | mutants | drawn | survived |\n| --- | ---: | ---: | ---: |")
    for row in [*rows, ("all", *(sum(column) for column in list(zip(*rows, strict=True))[1:]))]:
        print(f"| {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main()
