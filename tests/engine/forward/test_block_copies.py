"""Blocks taken out of the real pool and put back, on every backend of this machine."""

import pytest
import torch

from engine.cache.snapshot import BlockContents
from engine.forward.runner import Runner
from kernels.backends import load_backend
from tests.engine import tiny_decoder

NUM_BLOCKS, BLOCK_SIZE = 7, 4


@pytest.fixture(params=["reference", "cpu"])
def runner(request):
    backend = load_backend(request.param)
    return Runner(tiny_decoder.random_decoder(tiny_decoder.SPEC, backend), backend, NUM_BLOCKS, BLOCK_SIZE, 0)


def random_contents(runner, num_blocks):
    """Bytes of any value: a copy must not mind what numbers they are, NaN among them."""
    side_bytes = len(runner.read_blocks([1]).keys) * num_blocks
    sides = torch.randint(256, (2, side_bytes), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))
    return BlockContents(num_blocks, *(memoryview(bytearray(side.numpy().tobytes())) for side in sides))


def test_what_was_written_is_read_again_byte_for_byte(runner):
    contents = random_contents(runner, 3)
    runner.write_blocks(contents, [(0, 6), (1, 2), (2, 5)])
    assert runner.read_blocks([6, 2, 5]) == contents


def test_only_the_chosen_blocks_are_written(runner):
    untouched = runner.read_blocks([0, 1, 3, 4, 5, 6, 7])
    contents = random_contents(runner, 3)
    runner.write_blocks(contents, [(1, 2)])
    assert runner.read_blocks([0, 1, 3, 4, 5, 6, 7]) == untouched
    runner.write_blocks(runner.read_blocks([2]), [(0, 4)])
    assert runner.read_blocks([4]) == runner.read_blocks([2]) != runner.read_blocks([3])


def test_a_copy_does_not_change_with_the_pool(runner):
    runner.write_blocks(random_contents(runner, 1), [(0, 1)])
    copy = runner.read_blocks([1])
    before = bytes(copy.keys)
    runner.write_blocks(runner.read_blocks([2]), [(0, 1)])
    assert bytes(copy.keys) == before
