"""A folder as Hugging Face's libraries write it – config.json, safetensors, a tokenizer – as a source of layers.

Knows nothing of where the layers go and of how they are packed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from engine.convert.assembly import Assembly
from engine.convert.matrix import SourceMatrix
from engine.convert.sources.hf_tokenizer import TEXT_FILES, read_tokenizer
from engine.convert.sources.license import read_license
from engine.convert.sources.quantization_config import read_quantization
from engine.convert.sources.safetensors_folder import find_weights, read_tensors
from engine.convert.sources.tensor_finder import TensorFinder
from engine.convert.sources.text_files import read_json
from engine.convert.sources.tokenizer_files import TokenizerFiles
from engine.errors import SourceError
from engine.models.adapters import spec_from_config
from engine.models.names import adds_one_to_norms, tensor_names
from engine.spec import ModelSpec
from engine.weights import HeadWeights, LayerWeights

CONFIG_FILE = "config.json"
_QUANTIZATION_FILES = ("quantize_config.json", "quant_config.json")
_EMBEDDINGS = ("embed_tokens.weight", "embed_in.weight")
# Where models have their decoder, and where its head is then: those for text alone, and multimodal ones.
_PLACES = {
    "model.": "lm_head.weight",
    "language_model.model.": "language_model.lm_head.weight",
    "model.language_model.": "lm_head.weight",
    "gpt_neox.": "embed_out.weight",
    "": "lm_head.weight",
}
# Bounds above any real model: a damaged config.json must not make us count to them.
_MAX_HEAD_DIM = 1 << 14
_MAX_CONTEXT = 1 << 24


class SafetensorsSource:
    """A model, a context manager. Everything but the weights themselves is read and checked on opening.

    Raises `SourceError`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        config = read_json(folder / CONFIG_FILE)
        self.license = read_license(folder, config)
        self._weights = find_weights(folder)
        tensors = read_tensors(self._weights)
        finder = TensorFinder(folder, tensors, read_quantization(folder, config))
        embeddings = ((place, f"{place}{name}") for place in _PLACES for name in _EMBEDDINGS)
        place = next((place for place, name in embeddings if finder.has_weight(name)), None)
        if place is None:
            raise SourceError(f"{folder} has no tensor {_EMBEDDINGS[0]}, which every decoder has: choose another model")
        head = _PLACES[place]
        # A model that says it is tied is, though its files may repeat the table.
        is_tied = not finder.has_weight(head) or _says_tied(config)
        self.spec = _bounded(spec_from_config(config, has_head=not is_tied), len(tensors))
        names = tensor_names(self.spec, place, head)
        norm_offset = 1.0 if adds_one_to_norms(self.spec) else 0.0
        self._assembly = Assembly(self.spec, names, finder, norm_offset=norm_offset)
        self.embedding()
        self.head()
        for index in range(self.spec.num_layers):
            self.layer(index)
        if is_tied:
            finder.ignore(head)
        finder.require_all_used()
        self.tokenizer: TokenizerFiles = read_tokenizer(folder, config, self.spec.vocab_size)

    def __enter__(self) -> SafetensorsSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is kept open."""

    @property
    def paths(self) -> list[Path]:
        """Every file that the model is read from."""
        texts = (CONFIG_FILE, *_QUANTIZATION_FILES, *TEXT_FILES)
        return [path for name in texts if (path := self._folder / name).is_file()] + self._weights

    def embedding(self) -> SourceMatrix:
        return self._assembly.embedding()

    def layer(self, index: int) -> LayerWeights[SourceMatrix]:
        return self._assembly.layer(index)

    def head(self) -> HeadWeights[SourceMatrix]:
        return self._assembly.head()


def _says_tied(config: Mapping[str, Any]) -> bool:
    text = config.get("text_config")
    return config.get("tie_word_embeddings") is True or (
        isinstance(text, Mapping) and text.get("tie_word_embeddings") is True
    )


def _bounded(spec: ModelSpec, num_tensors: int) -> ModelSpec:
    """Raises `SourceError` if the config claims what the files cannot hold, or what no model has."""
    num_experts = 1 if spec.experts is None else spec.experts.num_experts
    # Dense layers among those of experts have fewer tensors than experts, but more than one.
    if max(spec.num_layers, num_experts) > num_tensors or spec.num_layers * num_experts > 64 * num_tensors:
        raise SourceError(
            f"config.json claims {spec.num_layers} layers of {num_experts} experts, the files have {num_tensors} "
            "tensors: get all files of the model"
        )
    if spec.head_dim > _MAX_HEAD_DIM or spec.max_context > _MAX_CONTEXT:
        raise SourceError(
            f"config.json claims heads of {spec.head_dim} and {spec.max_context} tokens of context: get it again"
        )
    return spec
