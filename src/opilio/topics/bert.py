"""BERT and its relatives in CTranslate2: its encoder, filled with the weights of a model folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import ConfigError, UnreadableError

if TYPE_CHECKING:
    from ctranslate2 import Encoder

Weights = Mapping[str, npt.NDArray[np.float32]]
ACTIVATIONS = {"gelu": "GELU", "gelu_new": "GELUTanh", "relu": "RELU", "silu": "SWISH"}


def runtime(folder: Path, settings: Mapping[str, Any], weights: Weights, first: int) -> Encoder:
    """The encoder of a folder; positions begin at `first`. It takes numbers of tokens, so it need not know what they are."""
    try:
        import ctranslate2
    except ImportError:
        raise ConfigError("model semantic needs more than is installed: pip install 'opilio[semantic]'") from None
    try:
        spec = _filled(settings, weights, first)
        spec.validate()
    except (KeyError, ValueError) as error:
        raise UnreadableError(
            f"{folder}: this is no encoder that can be read here; it lacks, or has another, {error}"
        ) from None
    with TemporaryDirectory(prefix="opilio-model-") as place:  # it reads nothing but files of its own form
        spec.save(place)
        return ctranslate2.Encoder(place, intra_threads=1)


def _filled(settings: Mapping[str, Any], weights: Weights, first: int) -> Any:
    from ctranslate2.specs import common_spec, transformer_spec

    layers, heads = (int(settings[f"num_{part}"]) for part in ("hidden_layers", "attention_heads"))
    encoder = transformer_spec.TransformerEncoderSpec(
        layers,
        heads,
        pre_norm=False,
        activation=common_spec.Activation[ACTIVATIONS[settings.get("hidden_act", "gelu")]],
        layernorm_embedding=True,
        num_source_embeddings=2,
        embeddings_merge=common_spec.EmbeddingsMerge.ADD,
    )
    encoder.scale_embeddings = False
    for place, part in zip(encoder.embeddings, ("word", "token_type"), strict=True):
        place.weight = weights[f"embeddings.{part}_embeddings.weight"]
    encoder.position_encodings.encodings = weights["embeddings.position_embeddings.weight"][first:]
    _level(encoder.layernorm_embedding, weights, "embeddings.LayerNorm")
    for number, layer in enumerate(encoder.layer):
        _fill(layer, weights, f"encoder.layer.{number}.")
    spec = transformer_spec.TransformerEncoderModelSpec(encoder)
    spec.config.layer_norm_epsilon = float(settings.get("layer_norm_eps", 1e-12))
    spec.register_vocabulary([f"<{number}>" for number in range(spec.get_vocabulary_size())])
    return spec


def _fill(layer: Any, weights: Weights, name: str) -> None:
    inner, last = layer.self_attention.linear
    _line(inner, weights, *(f"{name}attention.self.{part}" for part in ("query", "key", "value")))
    _line(last, weights, f"{name}attention.output.dense")
    _level(layer.self_attention.layer_norm, weights, f"{name}attention.output.LayerNorm")
    _line(layer.ffn.linear_0, weights, f"{name}intermediate.dense")
    _line(layer.ffn.linear_1, weights, f"{name}output.dense")
    _level(layer.ffn.layer_norm, weights, f"{name}output.LayerNorm")


def _line(place: Any, weights: Weights, *names: str) -> None:
    """Several that take the same come one behind the other."""
    place.weight = np.concatenate([weights[f"{name}.weight"] for name in names])
    place.bias = np.concatenate([weights[f"{name}.bias"] for name in names])


def _level(place: Any, weights: Weights, name: str) -> None:
    place.gamma, place.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]
