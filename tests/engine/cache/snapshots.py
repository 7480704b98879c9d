"""A small snapshot for tests, without a model."""

from engine.cache.identity import CacheIdentity
from engine.cache.prefix_cache import chain_digests
from engine.cache.snapshot import BlockContents, SavedPrefix

IDENTITY = CacheIdentity(
    model_name="Tiny",
    weights_digest="aa",
    tokenizer_digest="bb",
    quantization="4 bits",
    rope="RopeSpec(theta=10000.0)",
    sliding_window=None,
    backend="reference",
    num_layers=2,
    num_kv_heads=1,
    head_dim=3,
    block_size=4,
    dtype="torch.bfloat16",
    element_bytes=2,
    layout="layers, blocks, kv_heads, block_size, head_dim",
)


def make_prefix(
    num_blocks: int = 3, identity: CacheIdentity = IDENTITY, domain: str = "app", num_passed: int = 0
) -> SavedPrefix:
    """Tokens count up; every byte of keys and values tells its place."""
    token_ids = tuple(range(1000, 1000 + num_blocks * identity.block_size))
    digests = chain_digests(identity.scope(domain), token_ids, identity.block_size)
    contents = make_contents(num_blocks - num_passed, identity)
    return SavedPrefix(identity, identity.scope(domain), token_ids, tuple(digests), num_passed, contents)


def make_contents(num_blocks: int, identity: CacheIdentity = IDENTITY) -> BlockContents:
    size = num_blocks * identity.side_bytes
    keys, values = (bytes((start + i) % 251 for i in range(size)) for start in (0, 100))
    return BlockContents(num_blocks, memoryview(keys), memoryview(values))


def first_blocks(side: memoryview, num_kept: int, num_blocks: int, identity: CacheIdentity = IDENTITY) -> bytes:
    """The bytes of the first blocks of every layer."""
    layer, kept = num_blocks * identity.layer_bytes, num_kept * identity.layer_bytes
    return b"".join(bytes(side[i * layer : i * layer + kept]) for i in range(identity.num_layers))
