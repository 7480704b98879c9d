"""How large the block pool becomes."""

from dataclasses import replace

import pytest

from engine.errors import OutOfMemoryError
from engine.planner import machine, num_pool_blocks, plan_here, read_bytes_of
from engine.rope_spec import RopeSpec
from engine.spec import ExpertSpec, ModelSpec

# 2 layers x 2 x 2 heads x 16 = 128 elements a token: 4 KiB a block of 16 with two bytes each.
SPEC = ModelSpec("llama", 2, 64, 4, 2, 16, 96, 300, 4096, 1e-5, RopeSpec(1e4), False, True)
BLOCK_BYTES = 4096
SIZES = (16, BLOCK_BYTES // 16)
"""Tokens of a block, bytes of a token."""


def test_ample_memory_gives_four_full_contexts():
    assert num_pool_blocks(SPEC, *SIZES, memory_free_bytes=1 << 40, budget_bytes=None, max_chunk=512) == 4 * 4096 // 16


def test_scarce_memory_gives_a_quarter_of_it():
    assert num_pool_blocks(SPEC, *SIZES, memory_free_bytes=400 * BLOCK_BYTES, budget_bytes=None, max_chunk=512) == 100


def test_budget_is_taken_as_it_is():
    budget_bytes = 5000 * BLOCK_BYTES
    assert num_pool_blocks(SPEC, *SIZES, budget_bytes, budget_bytes, max_chunk=512) == 5000


def test_budget_of_more_than_is_free_is_refused_with_both_numbers():
    with pytest.raises(OutOfMemoryError, match=r"budget is 0\.4 MiB, 0\.3 MiB of memory are free"):
        num_pool_blocks(SPEC, *SIZES, memory_free_bytes=80 * BLOCK_BYTES, budget_bytes=100 * BLOCK_BYTES, max_chunk=512)


@pytest.mark.parametrize("budget_bytes", [None, 63 * BLOCK_BYTES])
def test_too_little_for_a_short_chat_is_refused_with_both_numbers(budget_bytes):
    with pytest.raises(OutOfMemoryError, match=r"0\.2 MiB at least, for 1024 tokens.* is 0\.[02] MiB"):
        num_pool_blocks(SPEC, *SIZES, memory_free_bytes=40 * BLOCK_BYTES, budget_bytes=budget_bytes, max_chunk=512)


def test_machine_is_described_before_its_folder_exists(tmp_path):
    facts = machine(tmp_path / "not" / "yet")
    assert facts.num_cores >= 1
    assert 0 < facts.memory_free_bytes <= facts.memory_bytes
    assert facts.disk_free_bytes > 0


def test_a_context_counts_as_what_its_window_leaves_of_it():
    spec = replace(SPEC, sliding_window=1024)
    # 1023 tokens before a chunk, and a chunk that begins within a block.
    num_blocks = 64 + 33
    assert num_pool_blocks(spec, *SIZES, memory_free_bytes=1 << 40, budget_bytes=None, max_chunk=512) == 4 * num_blocks


def test_a_short_window_is_content_with_less():
    spec = replace(SPEC, sliding_window=128)
    budget_bytes = (8 + 33) * BLOCK_BYTES
    assert num_pool_blocks(spec, *SIZES, memory_free_bytes=1 << 40, budget_bytes=budget_bytes, max_chunk=512) == 41
    with pytest.raises(OutOfMemoryError, match=r"0\.2 MiB at least, for 1024 tokens"):
        num_pool_blocks(spec, *SIZES, memory_free_bytes=1 << 40, budget_bytes=budget_bytes - 1, max_chunk=512)


def test_a_token_reads_only_the_weights_that_it_uses():
    assert read_bytes_of(SPEC, 1_000_000) == 1_000_000
    experts = replace(SPEC, experts=ExpertSpec(8, 2, 96, True))
    read_bytes = read_bytes_of(experts, 1_000_000)
    assert 1_000_000 // 4 < read_bytes < 1_000_000
    need = plan_here(experts, "balanced", 1 << 40, weights_bytes=1_000_000).need
    assert (need.weights_bytes, need.read_bytes_per_token) == (1_000_000, read_bytes)
