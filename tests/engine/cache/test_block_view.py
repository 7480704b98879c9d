"""What the memory view is told about the pool."""

from tests.engine.fakes import FakeEngine


def snapshot(engine):
    return engine.core.snapshot("tiny")


def test_states_sum_to_the_pool():
    engine = FakeEngine(num_blocks=32, block_size=4)
    engine.submit("a", "a prompt of some length", max_tokens=30)
    for _ in range(3):
        engine.step()
    view, stats = snapshot(engine), engine.core.stats()
    num_referenced = sum(count > 0 for count in view.ref_counts)
    num_cached = sum(c == 1 and r == 0 for c, r in zip(view.is_cached, view.ref_counts, strict=True))
    assert (num_referenced, num_cached) == (stats.num_referenced_blocks, stats.num_cached_blocks)
    assert num_referenced + num_cached + stats.num_free_blocks == view.num_blocks == 32


def test_shared_block_names_both_owners():
    engine = FakeEngine(num_blocks=64, block_size=4, max_batched_tokens=64)
    engine.submit("a", "the same beginning, first", max_tokens=40)
    engine.step()
    engine.submit("b", "the same beginning, second", max_tokens=40)
    engine.step()
    view = snapshot(engine)
    assert set(view.owner_names) == {"a", "b"}
    num_common = len("the same beginning, ") // 4
    assert len(view.shared_owners) == num_common
    for block, owners in view.shared_owners:
        assert view.ref_counts[block] == 2
        assert {view.owner_names[index] for index in owners} == {"a", "b"}


def test_cached_block_keeps_its_last_owner():
    engine = FakeEngine(block_size=4)
    engine.submit("a", "a prompt of some length")
    engine.run()
    view = snapshot(engine)
    assert not any(view.ref_counts)
    cached = [block for block in range(view.num_blocks) if view.is_cached[block]]
    assert len(cached) == engine.core.stats().num_cached_blocks > 0
    assert {view.owner_names[view.owners[block]] for block in cached} == {"a"}


def test_written_marks_the_blocks_of_the_last_step():
    engine = FakeEngine(block_size=4, max_batched_tokens=64)
    engine.submit("a", "12345678", max_tokens=30)
    engine.step()
    assert sum(snapshot(engine).written) == 2
    engine.step()
    assert sum(snapshot(engine).written) == 1
