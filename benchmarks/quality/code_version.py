"""Which code a result was measured with: a digest of the sources that can change it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec, resolve_name
from pathlib import Path

from opilio import registry

COMMON = "opilio.bench.trial_runs"  # with all that it imports: the crawl and the judging, but no strategy
DOORS = ("opilio", "opilio.bench")  # these import everything, when asked to
NATIVE = Path(__file__).parents[2] / "src" / "native"


def version(spec: str) -> str:
    """Of a strategy's results: its own sources, those of the crawl, and those of what both import."""
    kind = registry.kind_of(registry.parse(spec)[0])
    models = (f"opilio.topics.models.{name}" for name in registry.topics())
    return sources(COMMON, kind.__module__, *models, file=inspect.getsourcefile(kind) or "")


@cache
def sources(*modules: str, file: str = "") -> str:
    """A digest of these modules, of all of ours that they import, of what is compiled, and of a file from elsewhere."""
    files = {path for module in modules for path in _closure(module)} | {*NATIVE.glob("*.[ch]")}
    return files_digest(files | ({Path(file)} if file else set()))


def files_digest(files: Iterable[Path]) -> str:
    """A digest of files, by their names and what they hold."""
    digest = blake2b(digest_size=16)
    for path in sorted(files):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@cache
def _closure(module: str) -> frozenset[Path]:
    seen: dict[str, Path] = {}
    todo = [module]
    while todo:
        name = todo.pop()
        if name not in seen and (file := _file(name)):
            seen[name] = file
            todo += _imports(name, file)
    return frozenset(seen.values())


@cache
def _file(module: str) -> Path | None:
    if module != "opilio" and not module.startswith("opilio."):
        return None
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:  # a name in a module, not a module
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def _imports(module: str, file: Path) -> Iterator[str]:
    """Every module that a file imports anywhere; what it imports may be a module or a name in one."""
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module or ""
            if module not in DOORS:
                yield from (base, *(f"{base}.{alias.name}" for alias in node.names))
