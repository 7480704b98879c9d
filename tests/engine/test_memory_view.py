"""What the memory view is told, on the model of bytes: it is what the cache holds, and asking changes nothing else."""

from engine.cache.block_pool import NULL_BLOCK
from engine.messages import BlockFacts, Event, PrefixDropped, PrefixNode, PrefixPinned, StepsTaken
from tests.engine.fakes import FakeEngine

SHARED = "the same beginning of two texts: "
"""33 tokens: eight full blocks of four, and one token."""


def tree(engine: FakeEngine) -> tuple[PrefixNode, ...]:
    return engine.core.view.tree("m").nodes


def two_texts() -> FakeEngine:
    engine = FakeEngine()
    for name in ("one", "two"):
        engine.submit(name, f"{SHARED}number {name}")
        engine.run()
    return engine


def answer_of(engine: FakeEngine, kind: type[Event]) -> list[Event]:
    return [event for event in engine.core.drain_events() if isinstance(event, kind)]


def steps(engine: FakeEngine) -> StepsTaken:
    engine.core.tell_steps()
    (taken,) = answer_of(engine, StepsTaken)
    assert isinstance(taken, StepsTaken)
    return taken


def test_texts_with_a_common_beginning_fork_where_they_differ():
    root, *branches = tree(two_texts())
    assert (root.parent, root.start, root.num_tokens, root.text) == (None, 0, 40, f"{SHARED}number ")
    assert [(branch.parent, branch.start) for branch in branches] == [(0, 40), (0, 40)]
    assert [branch.last_owner for branch in branches] == ["one", "two"]


def test_every_cached_block_stands_in_the_tree_once():
    engine = two_texts()
    blocks = [block + 1 for node in tree(engine) for block in node.blocks]
    assert sorted(blocks) == sorted(engine.cache.prefix_cache.cached_blocks())


def test_hits_count_the_requests_that_began_with_it():
    engine = two_texts()
    engine.submit("three", f"{SHARED}number one", max_tokens=1)
    engine.run()
    hits = {node.last_owner: node.num_hits for node in tree(engine) if node.parent is None}
    assert hits == {"three": 2}


def test_who_runs_on_a_text_shares_it_until_the_end():
    engine = two_texts()
    engine.submit("three", f"{SHARED}number ")
    engine.step()
    assert [node.sharers for node in tree(engine) if node.start == 0] == [("three",)]
    engine.run()
    assert all(not node.sharers for node in tree(engine))


def test_pinned_place_and_what_leads_to_it_outlives_the_need_of_others():
    engine = two_texts()
    one = next(node for node in tree(engine) if node.last_owner == "one")
    engine.core.pin_node(one.digest, True)
    name = f"prefix {one.digest.hex()[:16]}"
    num_blocks = (40 + one.num_tokens) // 4
    assert answer_of(engine, PrefixPinned) == [PrefixPinned(name, num_blocks, num_blocks * 64)]
    assert [node.pins for node in tree(engine)] == [(name,), (name,), ()]
    engine.submit("large", "x" * 170, max_tokens=4)
    engine.run()
    assert one.digest in {node.digest for node in tree(engine)}


def test_unpinning_a_place_lets_go_of_every_pin_that_holds_it():
    engine = two_texts()
    root = tree(engine)[0]
    engine.core.pin_prefix("two", True)
    engine.core.pin_node(root.digest, True)
    engine.core.drain_events()
    engine.core.pin_node(root.digest, False, root.first_digest)
    assert {event.owner for event in answer_of(engine, PrefixPinned)} == {"two", f"prefix {root.digest.hex()[:16]}"}
    assert not engine.cache.prefix_cache.pins()
    engine.core.check_invariants()


def test_unpinning_the_middle_of_a_text_keeps_what_stands_before_it():
    engine = FakeEngine()
    for name in ("one", "two", "three"):
        engine.submit(name, SHARED if name == "one" else f"{SHARED}goes on and on until it is {name}, and ends")
        engine.run()
    engine.core.pin_prefix("two", True)
    before, middle, end = (node for node in tree(engine) if "two" in node.pins)
    engine.core.drain_events()
    engine.core.pin_node(middle.digest, False, middle.first_digest)
    num_kept = before.num_tokens // 4
    assert answer_of(engine, PrefixPinned) == [PrefixPinned("two", num_kept, num_kept * 64)]
    assert [node.digest for node in tree(engine) if node.pins] == [before.digest]
    assert end.start > middle.start
    engine.core.check_invariants()


def test_unpinning_the_end_of_a_pin_lets_go_of_all_of_it():
    engine = two_texts()
    engine.core.pin_prefix("two", True)
    end = next(node for node in reversed(tree(engine)) if node.pins)
    engine.core.pin_node(end.digest, False, end.first_digest)
    assert not any(node.pins for node in tree(engine))
    engine.core.check_invariants()


def test_pinning_what_is_gone_says_that_nothing_is_kept():
    engine = two_texts()
    engine.core.pin_node(b"no such place", True)
    engine.core.pin_prefix("nobody", True)
    engine.core.pin_prefix("two", False)
    assert [(event.num_blocks, event.is_gone) for event in answer_of(engine, PrefixPinned)] == [
        (0, True),
        (0, True),
        (0, False),
    ]


def test_dropped_place_is_free_with_all_that_follows():
    engine = two_texts()
    root = tree(engine)[0]
    num_cached = len(engine.cache.prefix_cache.cached_blocks())
    engine.core.drop_node(root.first_digest)
    (dropped,) = answer_of(engine, PrefixDropped)
    assert dropped == PrefixDropped(root.first_digest, num_cached, 0)
    assert tree(engine) == ()
    engine.core.check_invariants()


def test_what_runs_or_is_pinned_is_not_dropped():
    engine = two_texts()
    first = engine.cache.prefix_cache.cached_blocks()
    engine.submit("three", f"{SHARED}number one")
    engine.step()
    running = {block_id for block_id in engine.scheduler.running[0].block_ids if block_id in first}
    engine.core.pin_prefix("two", True)
    root = tree(engine)[0]
    engine.core.drop_node(root.first_digest)
    engine.core.check_invariants()
    assert running <= engine.cache.prefix_cache.cached_blocks().keys()
    engine.run()
    engine.submit("again", f"{SHARED}number two and more", max_tokens=1)
    engine.run()
    assert engine.end("again").num_cached_tokens >= 40


def test_block_of_a_running_request_tells_the_tokens_computed_in_it():
    engine = FakeEngine()
    engine.submit("one", "abcdef")
    engine.step()
    sequence = engine.scheduler.running[0]
    engine.core.tell_block(sequence.block_ids[1] - 1)
    (facts,) = answer_of(engine, BlockFacts)
    assert isinstance(facts, BlockFacts)
    assert (facts.start, facts.num_tokens, facts.text) == (4, 2, "ef")
    assert facts.written_ago_s is not None
    assert facts.written_ago_s > 0


def test_cached_block_tells_its_place_in_its_text():
    engine = two_texts()
    branch = tree(engine)[1]
    engine.core.tell_block(branch.blocks[0])
    (facts,) = answer_of(engine, BlockFacts)
    assert isinstance(facts, BlockFacts)
    assert (facts.start, facts.num_tokens) == (40, 4)
    assert branch.text.startswith(facts.text)


def test_free_block_holds_no_tokens():
    engine = FakeEngine()
    engine.core.tell_block(5)
    assert answer_of(engine, BlockFacts) == [BlockFacts(5, None, 0, "", None)]


def test_half_a_character_at_a_blocks_edge_is_not_shown_as_a_fault():
    engine = FakeEngine()
    engine.submit("one", "ab€uro 42", max_tokens=1)
    engine.run()
    engine.core.tell_block(tree(engine)[0].blocks[0])
    (facts,) = answer_of(engine, BlockFacts)
    assert isinstance(facts, BlockFacts)
    assert facts.text == "ab"


def test_steps_are_told_once_and_only_while_somebody_watches():
    engine = FakeEngine()
    engine.submit("one", "x" * 40, max_tokens=4)
    engine.step()
    assert steps(engine).steps == ()
    engine.core.view.watch(True)
    engine.run()
    taken = steps(engine).steps
    assert [(step.num_prefill_tokens, step.num_decode_tokens) for step in taken] == [(8, 0), (0, 1), (0, 1), (0, 1)]
    assert all(step.duration_s > 0 and step.num_sequences == 1 for step in taken)
    assert steps(engine).steps == ()


def test_preemptions_and_returns_are_marked_at_their_step():
    engine = FakeEngine(num_blocks=12, preemption="swap")
    engine.core.view.watch(True)
    for name in ("one", "two"):
        engine.submit(name, name[0] * 15, max_tokens=16)
    engine.run()
    taken = steps(engine).steps
    assert sum(step.num_swapped_out for step in taken) == engine.core.metrics.preemptions["swap"] > 0
    assert sum(step.num_resumed for step in taken) == sum(step.num_swapped_out for step in taken)
    assert max(step.num_swapped for step in taken) == 1


def test_snapshot_tells_what_lies_in_host_memory_and_every_chat():
    engine = FakeEngine(num_blocks=12, preemption="swap")
    for name in ("one", "two"):
        engine.submit(name, name[0] * 15, max_tokens=16)
    while not engine.scheduler.swapped:
        engine.step()
    snapshot = engine.core.snapshot("m")
    (swapped,) = engine.scheduler.swapped
    assert snapshot.swapped == ((swapped.owner, len(swapped.host_block_ids)),)
    states = {chat.owner: (chat.state, chat.num_ram_blocks) for chat in snapshot.chats}
    assert states == {"one": ("decode", 0), "two": ("swapped", len(swapped.host_block_ids))}
    engine.run()
    assert {chat.state for chat in engine.core.snapshot("m").chats} == {"ended"}


def test_pins_are_marked_block_by_block():
    engine = two_texts()
    engine.core.pin_prefix("one", True)
    snapshot = engine.core.snapshot("m")
    pinned = {block + 1 for block, is_pinned in enumerate(snapshot.is_pinned) if is_pinned}
    assert pinned == set(engine.cache.prefix_cache.pins()["one"])


def test_text_whose_beginning_the_window_has_passed_and_others_took_begins_in_the_middle():
    engine = FakeEngine(num_blocks=16, window=6)
    engine.submit("one", "x" * 60, max_tokens=4)
    engine.run()
    engine.submit("two", "y" * 20, max_tokens=4)
    engine.run()
    assert any(node.start > 0 for node in tree(engine) if node.parent is None)
    for node in tree(engine):
        assert NULL_BLOCK - 1 not in node.blocks
        engine.core.drop_node(node.first_digest)
    engine.core.check_invariants()
    assert engine.cache.pool.num_free == 16
