"""What the engine thread tells the memory view, and when."""

from engine.messages import (
    AskBlock,
    BlockFacts,
    DropNode,
    LoadModel,
    PinNode,
    PrefixDropped,
    PrefixPinned,
    PrefixTree,
    RequestFinished,
    StepsTaken,
    WatchBlocks,
)
from tests.engine.test_worker import Harness, submit


def test_steps_and_tree_are_told_while_they_are_watched_alone(tmp_path, monkeypatch):
    def react(event):
        if isinstance(event, RequestFinished):
            return {
                "unseen": (WatchBlocks(is_on=True, interval_ms=0), submit("seen")),
                "seen": (WatchBlocks(is_on=True, interval_ms=0, with_tree=True), submit("tree")),
                "tree": (WatchBlocks(is_on=False), submit("last")),
                "last": (None,),
            }[event.request_id]
        return ()

    harness = Harness(tmp_path, monkeypatch, react)
    harness.run(LoadModel("one"), submit("unseen"))
    ends = [harness.events.index(event) for event in harness.events if isinstance(event, RequestFinished)]
    steps = [harness.events.index(event) for event in harness.kinds(StepsTaken)]
    trees = [harness.events.index(event) for event in harness.kinds(PrefixTree)]
    assert any(ends[0] < place < ends[1] for place in steps)
    assert not any(place < ends[0] for place in steps)
    assert trees
    assert not any(place < ends[1] for place in trees)
    # What was under way when the view was closed may still come.
    assert not any(place > ends[3] for place in (*steps, *trees))
    num_tokens = sum(step.num_decode_tokens for event in harness.kinds(StepsTaken) for step in event.steps)
    assert num_tokens >= 2 * 4


def test_places_of_the_tree_are_pinned_dropped_and_asked_for_between_answers(tmp_path, monkeypatch):
    def react(event):
        match event:
            case PrefixTree(_, nodes) if nodes and not harness.kinds(PrefixPinned):
                node = nodes[0]
                return PinNode(node.digest, True), AskBlock(node.blocks[0]), PinNode(node.digest, False)
            case PrefixPinned(_, 0):
                return (DropNode(harness.kinds(PrefixTree)[-1].nodes[0].first_digest),)
            case PrefixDropped():
                return (None,)
        return ()

    harness = Harness(tmp_path, monkeypatch, react)
    harness.run(
        LoadModel("one"), WatchBlocks(is_on=True, interval_ms=0, with_tree=True), submit("a", prompt="eight by")
    )
    (facts,) = harness.kinds(BlockFacts)
    assert (facts.start, facts.num_tokens, facts.text) == (0, 4, "eigh")
    assert [event.num_blocks > 0 for event in harness.kinds(PrefixPinned)] == [True, False]


def test_without_a_model_nothing_is_answered_and_nothing_breaks(tmp_path, monkeypatch):
    harness = Harness(tmp_path, monkeypatch)
    harness.run(WatchBlocks(is_on=True, with_tree=True), AskBlock(0), PinNode(b"x", True), DropNode(b"x"), None)
    assert not harness.kinds(BlockFacts, PrefixPinned, PrefixDropped, PrefixTree, StepsTaken)
