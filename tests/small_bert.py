"""A model folder with a small BERT of random weights, and what it says by the formulas of its paper (Devlin et al. 2019)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import erf
from tokenizers import Tokenizer, models, pre_tokenizers, processors

Floats = npt.NDArray[np.float64]
WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "honey", "bees", "hive", "boats", "sail", "harbour", "and", "the"]
LAYERS, HEADS, WIDE, PLACES = 2, 4, 32, 40


def write(folder: Path, kind: str, by_first: bool = False) -> dict[str, npt.NDArray[np.float32]]:
    """The folder's files; its weights."""
    settings = {"num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "layer_norm_eps": 1e-6, "hidden_act": "gelu"}
    _json(folder / "config.json", {"model_type": kind, "max_position_embeddings": PLACES, **settings})
    (folder / "1_Pooling").mkdir()
    _json(folder / "1_Pooling" / "config.json", {"pooling_mode_cls_token": by_first})
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    tokenizer.save(str(folder / "tokenizer.json"))
    weights = _random(np.random.default_rng(7))
    save(folder / "model.safetensors", {f"{kind}.{name}": values for name, values in weights.items()})
    return weights


def save(path: Path, weights: dict[str, npt.NDArray[np.float32]]) -> None:
    table, start = {}, 0
    for name, values in weights.items():
        table[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [start, start + values.nbytes]}
        start += values.nbytes
    head = json.dumps(table).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + b"".join(values.tobytes() for values in weights.values()))


def said(weights: dict[str, npt.NDArray[np.float32]], tokens: list[int], first: int, by_first: bool = False) -> Floats:
    """The vector of one text, of length 1."""
    x = weights["embeddings.word_embeddings.weight"][tokens].astype(float)
    x = x + weights["embeddings.position_embeddings.weight"][first : first + len(tokens)]
    x = _level(weights, "embeddings.LayerNorm", x + weights["embeddings.token_type_embeddings.weight"][0])
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        heads = (_line(weights, f"{name}attention.self.{part}", x) for part in ("query", "key", "value"))
        query, key, value = (part.reshape(len(tokens), HEADS, -1).transpose(1, 0, 2) for part in heads)
        shares = np.exp(query @ key.transpose(0, 2, 1) / math.sqrt(WIDE // HEADS))
        mixed = (shares / shares.sum(axis=-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(tokens), WIDE)
        x = _level(
            weights, f"{name}attention.output.LayerNorm", x + _line(weights, f"{name}attention.output.dense", mixed)
        )
        wide = _line(weights, f"{name}intermediate.dense", x)
        wide = wide * (1 + erf(wide / math.sqrt(2))) / 2
        x = _level(weights, f"{name}output.LayerNorm", x + _line(weights, f"{name}output.dense", wide))
    pooled = x[0] if by_first else x.mean(axis=0)
    return np.asarray(pooled / np.linalg.norm(pooled))


def _line(weights: dict[str, Any], name: str, x: Floats) -> Floats:
    return np.asarray(x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])


def _level(weights: dict[str, Any], name: str, x: Floats) -> Floats:
    x = x - x.mean(axis=-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6)
    return np.asarray(x * weights[f"{name}.weight"] + weights[f"{name}.bias"])


def _random(chance: np.random.Generator) -> dict[str, npt.NDArray[np.float32]]:
    shapes = {"word": len(WORDS), "position": PLACES, "token_type": 2}
    found = {f"embeddings.{part}_embeddings.weight": chance.normal(size=(rows, WIDE)) for part, rows in shapes.items()}
    levels = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        lines = {f"attention.self.{part}": (WIDE, WIDE) for part in ("query", "key", "value")}
        lines |= {"attention.output.dense": (WIDE, WIDE), "intermediate.dense": (64, WIDE), "output.dense": (WIDE, 64)}
        for line, shape in lines.items():
            found[f"{name}{line}.weight"] = chance.normal(size=shape) / 4
            found[f"{name}{line}.bias"] = chance.normal(size=shape[0]) / 4
        levels += [f"{name}attention.output.LayerNorm", f"{name}output.LayerNorm"]
    for name in levels:
        found[f"{name}.weight"], found[f"{name}.bias"] = chance.normal(1, 0.2, WIDE), chance.normal(size=WIDE) / 4
    return {name: values.astype(np.float32) for name, values in found.items()}


def _json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value))
