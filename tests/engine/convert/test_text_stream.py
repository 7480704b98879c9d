"""A text taken through a model layer by layer: the logits of transformers' own model, for every family."""

from functools import partial
from pathlib import Path

import pytest
import torch
from torch import Tensor

from engine.convert import streamed
from engine.convert.streamed import StreamedMatrix
from engine.convert.text_stream import TextStream
from engine.errors import JobCancelledError
from engine.models.names import tensor_names
from engine.weights import HeadWeights
from tests.engine.models.tiny_families import FAMILIES, VOCABULARY, LayerReader, expected_logits, export, make_model


class WholeRows(StreamedMatrix):
    """A matrix of float32."""

    def __init__(self, values: Tensor) -> None:
        super().__init__(*values.shape)
        self._values = values

    def rows(self, start: int, stop: int) -> Tensor:
        return self._values[start:stop]


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "llama-dynamic"])
@torch.inference_mode()
def test_windows_of_text_give_the_logits_of_transformers(name: str, tmp_path: Path) -> None:
    model = make_model(FAMILIES[name])
    exported = export(model, tmp_path)
    spec, names = exported.spec, tensor_names(exported.spec)
    generator = torch.Generator().manual_seed(3)
    windows = [torch.randint(3, VOCABULARY, (length,), generator=generator).tolist() for length in (40, 17)]
    reader, stream = LayerReader(exported, WholeRows), TextStream(spec, windows)
    table = exported.state[names.embedding]
    stream.start(table[stream.token_ids])
    for index, each in enumerate(names.layers):
        stream.advance(reader.layer(each), index)
    head = table if names.head is None else exported.state[names.head]
    norms = reader.norm(names.head_norm), reader.optional(names.head_norm_bias)
    actual = stream.normed(HeadWeights(norms[0], head, norms[1])) @ head.T
    if spec.final_softcap is not None:
        actual = spec.final_softcap * torch.tanh(actual / spec.final_softcap)
    expected = torch.cat([expected_logits(model, window) for window in windows])
    torch.testing.assert_close(actual, expected, atol=1e-4, rtol=1e-4)


@torch.inference_mode()
def test_a_stream_beside_another_disturbs_it_in_nothing_though_they_share_a_cache(tmp_path: Path) -> None:
    exported = export(make_model(FAMILIES["llama2"]), tmp_path)
    spec, names = exported.spec, tensor_names(exported.spec)
    reader, windows = LayerReader(exported, WholeRows), [[5, 6, 7, 8, 9], [11, 12, 13]]

    def pair() -> list[TextStream]:
        first = TextStream(spec, windows)
        streams = [first, first.beside()]
        for number, stream in enumerate(streams):
            stream.start(exported.state[names.embedding][stream.token_ids] * (1 + number))
        return streams

    together, alone = pair(), pair()
    for index, each in enumerate(names.layers):
        for stream in together:
            stream.advance(reader.layer(each), index)
    for stream in alone:
        for index, each in enumerate(names.layers):
            stream.advance(reader.layer(each), index)
    assert torch.equal(together[0].hidden, alone[0].hidden)
    assert torch.equal(together[1].hidden, alone[1].hidden)
    assert not torch.equal(together[0].hidden, together[1].hidden)


@torch.inference_mode()
def test_a_cancel_is_heeded_within_a_layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streamed, "chunks", partial(streamed.chunks, num_weights=1))
    exported = export(make_model(FAMILIES["llama2"]), tmp_path)
    spec, names = exported.spec, tensor_names(exported.spec)
    seen: list[int] = []

    class SeenRows(WholeRows):
        def rows(self, start: int, stop: int) -> Tensor:
            seen.append(start)
            return super().rows(start, stop)

    reader = LayerReader(exported, SeenRows)
    stream = TextStream(spec, [[5, 6, 7]], is_cancelled=lambda: len(seen) == 5)
    stream.start(exported.state[names.embedding][stream.token_ids])
    with pytest.raises(JobCancelledError):
        stream.advance(reader.layer(names.layers[0]), 0)
    assert seen == [0, 1, 2, 3, 4]
