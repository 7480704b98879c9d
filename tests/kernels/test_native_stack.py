"""Whole decoders on the native backend: one call or one per operation, in company, by any number of threads."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from torch import Tensor

from kernels.formats import KernelShapeError
from kernels.layers import OperationStack
from kernels.ops import AttentionBatch, Backend, DecoderLayer, ForwardInput, Norm
from kernels.reference import ReferenceBackend
from tests.kernels.cases import assert_rows_close, numbers_of, pool_of, random_layer_norm, random_norm, random_weight
from tests.kernels.native import native_backend

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, FEED_FORWARD, VOCABULARY = 96, 6, 2, 32, 160, 70
NUM_BLOCKS, BLOCK_SIZE, MAX_POSITIONS = 40, 8, 300


def describe_layer(number: int, kind: str) -> dict[str, object]:
    """The plain weights of one layer; a rich one has everything that a layer can have.

    One whose norms come after has none before, norms that cover all heads, and every second layer does not rotate. One
    of layer norms has no gate and biases everywhere, and every second layer is parallel.
    """
    is_rich, is_post = kind == "rich", kind == "post"
    torch.manual_seed(number)
    if kind == "layer norm":
        return _layer_norm_layer(number)
    angles = torch.outer(torch.arange(float(MAX_POSITIONS)), 0.5 ** torch.arange(HEAD_DIM / 2))
    return {
        "attention_norm": None if is_post else random_norm(HIDDEN),
        "qkv": random_weight((HEADS + 2 * KV_HEADS) * HEAD_DIM, HIDDEN),
        "qkv_bias": torch.randn((HEADS + 2 * KV_HEADS) * HEAD_DIM) if is_rich else None,
        "query_norm": random_norm(HEADS * HEAD_DIM if is_post else HEAD_DIM) if is_rich or is_post else None,
        "key_norm": random_norm(KV_HEADS * HEAD_DIM if is_post else HEAD_DIM) if is_rich or is_post else None,
        "rope_table": None if is_post and number % 2 == 0 else torch.stack([angles.cos(), angles.sin()], dim=1),
        "scale": HEAD_DIM**-0.5,
        "window": 11 if is_rich and number % 2 else None,
        "softcap": 3.0 if is_rich else None,
        "output": random_weight(HIDDEN, HEADS * HEAD_DIM, 8),
        "attention_post_norm": random_norm(HIDDEN) if is_rich or is_post else None,
        "feed_forward_norm": None if is_post else random_norm(HIDDEN),
        "gate_up": random_weight(2 * FEED_FORWARD, HIDDEN, 4, 32, True),
        "activation": "gelu_tanh" if is_rich else "silu",
        "down": random_weight(HIDDEN, FEED_FORWARD, 8),
        "feed_forward_post_norm": random_norm(HIDDEN) if is_rich or is_post else None,
    }


def _layer_norm_layer(number: int) -> dict[str, object]:
    return describe_layer(number, "plain") | {
        "attention_norm": random_layer_norm(HIDDEN),
        "qkv_bias": torch.randn((HEADS + 2 * KV_HEADS) * HEAD_DIM),
        "output_bias": torch.randn(HIDDEN),
        "feed_forward_norm": random_layer_norm(HIDDEN),
        "gate_up": random_weight(FEED_FORWARD, HIDDEN, 4, 32, True),
        "up_bias": torch.randn(FEED_FORWARD),
        "activation": "gelu" if number % 2 else "gelu_tanh",
        "down_bias": torch.randn(HIDDEN),
        "is_gated": False,
        "is_parallel": number % 2 == 0,
    }


def prepare(backend: Backend, kind: str, num_layers: int = 3) -> tuple[object, tuple[DecoderLayer, ...]]:
    layers = []
    for number in range(num_layers):
        plain = describe_layer(number, kind)
        matrices = {name: backend.prepare(plain[name]) for name in ("qkv", "output", "gate_up", "down")}
        layers.append(DecoderLayer(**(plain | matrices)))
    torch.manual_seed(99)
    return backend.prepare(random_weight(VOCABULARY, HIDDEN, 8)), tuple(layers)


def pools(backend: Backend, num_layers: int = 3) -> tuple[Tensor, Tensor]:
    empty = torch.full((num_layers, NUM_BLOCKS, KV_HEADS, BLOCK_SIZE, HEAD_DIM), float("nan"))
    return pool_of(empty, backend.kv_dtype), pool_of(empty, backend.kv_dtype)


def prompt_input(sequences: list[int], seed: int = 0) -> list[ForwardInput]:
    """Each sequence of so many tokens alone, in blocks of its own that lie scattered."""
    torch.manual_seed(seed)
    free = (1 + torch.randperm(NUM_BLOCKS - 1)).tolist()
    inputs = []
    for num_tokens in sequences:
        table = torch.tensor([free.pop() for _ in range(-(-num_tokens // BLOCK_SIZE))])
        positions = torch.arange(num_tokens)
        inputs.append(
            ForwardInput(
                torch.randint(0, VOCABULARY, (num_tokens,)),
                positions,
                table[positions // BLOCK_SIZE] * BLOCK_SIZE + positions % BLOCK_SIZE,
                AttentionBatch((0, num_tokens), (num_tokens,), (table,)),
                num_tokens,
            )
        )
    return inputs


def rows_of(source: ForwardInput, first: int, end: int) -> ForwardInput:
    """Some rows of one sequence alone, given that those before are cached."""
    batch = AttentionBatch((0, end - first), (end,), source.attention.block_tables)
    columns = (column[first:end].contiguous() for column in (source.token_ids, source.positions, source.slots))
    return ForwardInput(*columns, batch, end - first)


def together(inputs: list[ForwardInput]) -> ForwardInput:
    starts = [0]
    for each in inputs:
        starts.append(starts[-1] + len(each.token_ids))
    contexts = tuple(each.attention.context_lengths[0] for each in inputs)
    tables = tuple(each.attention.block_tables[0] for each in inputs)
    columns = (torch.cat([getattr(i, name) for i in inputs]) for name in ("token_ids", "positions", "slots"))
    return ForwardInput(*columns, AttentionBatch(tuple(starts), contexts, tables), starts[-1])


@pytest.mark.parametrize("kind", ["plain", "rich", "post", "layer norm"])
@pytest.mark.parametrize("kv_dtype", [torch.float16, torch.int8, torch.float32])
def test_a_stack_has_the_bits_of_its_operations(kind: str, kv_dtype: torch.dtype) -> None:
    backend = native_backend(2, kv_dtype)
    table, layers = prepare(backend, kind)
    rows = together(prompt_input([1, 17, 60, 129]))
    results = []
    for stack in (backend.stack_layers(table, layers, 1.5), OperationStack(backend, table, layers, 1.5)):
        keys, values = pools(backend)
        hidden = stack.hidden(rows, keys, values)
        written = [pool.transpose(2, 3).flatten(1, 2)[:, rows.slots] for pool in (keys, values)]
        results.append([hidden, *map(numbers_of, written)])
    for actual, expected in zip(*results, strict=True):
        assert not bool(actual.isnan().any())
        assert torch.equal(actual, expected)


@pytest.mark.parametrize("kind", ["plain", "rich", "post", "layer norm"])
@pytest.mark.parametrize("wanted", [(), (0,), (206,), (0, 17, 18, 30, 76, 77, 78, 205, 206), tuple(range(207))])
def test_wanted_rows_and_all_keys_and_values_are_those_of_the_whole(kind: str, wanted: tuple[int, ...]) -> None:
    backend = native_backend(2)
    stack = backend.stack_layers(*prepare(backend, kind))
    rows = together(prompt_input([1, 17, 60, 129]))
    whole_pools, cut_pools = pools(backend), pools(backend)
    whole = stack.hidden(rows, *whole_pools)
    cut = stack.hidden(replace(rows, wanted_rows=wanted), *cut_pools)
    assert torch.equal(cut[list(wanted)], whole[list(wanted)])
    for actual, expected in zip(cut_pools, whole_pools, strict=True):
        assert torch.equal(actual.view(torch.int16), expected.view(torch.int16))
    assert torch.equal(stack.hidden(rows, *cut_pools), whole)


@pytest.mark.parametrize("kind", ["plain", "rich", "post", "layer norm"])
def test_a_stack_agrees_with_the_reference(kind: str) -> None:
    results = []
    for backend in (native_backend(2), ReferenceBackend()):
        stack = backend.stack_layers(*prepare(backend, kind))
        results.append(stack.hidden(together(prompt_input([1, 17, 129])), *pools(backend)))
    # Eight-bit activations in every product: their errors add up over the layers.
    assert_rows_close(*results, tolerance=0.2)
    errors = (results[0] - results[1]).square().mean().sqrt() / results[1].square().mean().sqrt()
    assert float(errors) < 0.03


@pytest.mark.parametrize("kind", ["plain", "rich", "post", "layer norm"])
def test_rows_have_the_same_bits_alone_in_company_and_by_any_number_of_threads(kind: str) -> None:
    inputs = prompt_input([60, 1, 129, 33])
    results = []
    for num_threads in (1, 2, 3):
        backend = native_backend(num_threads)
        stack = backend.stack_layers(*prepare(backend, kind))
        keys, values = pools(backend)
        results.append(stack.hidden(together(inputs), keys, values))
        results.append(torch.cat([stack.hidden(each, *pools(backend)) for each in inputs]))
        chunked, (keys, values) = [], pools(backend)
        for each in inputs:
            cuts = [0, *(cut for cut in (1, 7, 40) if cut < len(each.token_ids)), len(each.token_ids)]
            chunks = [rows_of(each, first, end) for first, end in pairwise(cuts)]
            chunked += [stack.hidden(chunk, keys, values) for chunk in chunks]
        results.append(torch.cat(chunked))
    for result in results[1:]:
        assert torch.equal(result, results[0])


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("token_ids", VOCABULARY, "a token id"),
        ("token_ids", -1, "a token id"),
        ("positions", MAX_POSITIONS, "a position"),
        ("slots", NUM_BLOCKS * BLOCK_SIZE, "a slot"),
    ],
)
def test_rows_outside_the_tables_are_refused_and_write_nothing(column: str, value: int, message: str) -> None:
    backend = native_backend(1)
    stack = backend.stack_layers(*prepare(backend, kind="plain"))
    (rows,) = prompt_input([9])
    getattr(rows, column)[4] = value
    keys, values = pools(backend)
    with pytest.raises(KernelShapeError, match=message):
        stack.hidden(rows, keys, values)
    assert bool(keys.isnan().all())


def test_a_block_outside_the_pool_is_refused() -> None:
    backend = native_backend(1)
    stack = backend.stack_layers(*prepare(backend, kind="plain"))
    (rows,) = prompt_input([9])
    rows.attention.block_tables[0][1] = NUM_BLOCKS
    with pytest.raises(KernelShapeError, match="a block id"):
        stack.hidden(rows, *pools(backend))


def test_pools_of_another_model_are_refused() -> None:
    backend = native_backend(1)
    stack = backend.stack_layers(*prepare(backend, kind="plain"))
    (rows,) = prompt_input([9])
    with pytest.raises(KernelShapeError, match="key_pool"):
        stack.hidden(rows, *pools(backend, num_layers=2))


def test_norms_share_their_epsilon() -> None:
    backend = native_backend(1)
    table, (layer,) = prepare(backend, kind="plain", num_layers=1)
    assert isinstance(layer.attention_norm, Norm)
    other = DecoderLayer(
        **{name: getattr(layer, name) for name in DecoderLayer.__dataclass_fields__}
        | {"feed_forward_norm": Norm(torch.ones(HIDDEN), 1e-3)}
    )
    with pytest.raises(AssertionError):
        backend.stack_layers(table, (other,))
