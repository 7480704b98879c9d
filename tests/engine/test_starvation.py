"""Nobody waits for ever, counted in steps: running answers beside a long prompt, and the old beside a flood."""

import pytest

from engine.messages import TextDelta
from tests.engine.fakes import FakeEngine
from tests.engine.proposers import Oracle

NUM_DECODES = 8


def steps_with_text(engine, request_ids):
    """For each step from now until the long prompt has its first token, which of the requests got text in it."""
    steps = []
    while not engine.text("long"):
        events = engine.step()
        steps.append({event.request_id for event in events if isinstance(event, TextDelta)} & request_ids)
    return steps


@pytest.mark.parametrize("proposer", [None, Oracle])
@pytest.mark.parametrize("priority", [0, 1, 2])
def test_no_decode_waits_a_step_while_a_long_prompt_is_computed(priority, proposer):
    engine = FakeEngine(
        num_blocks=512,
        block_size=16,
        max_batched_tokens=128,
        max_running_sequences=16,
        max_context=8192,
        proposer=None if proposer is None else proposer(),
    )
    running = {str(index) for index in range(NUM_DECODES)}
    for request_id in running:
        engine.submit(request_id, f"prompt {request_id}", max_tokens=400)
    while not all(engine.text(request_id) for request_id in running):
        engine.step()
    engine.submit("long", "word " * 800, max_tokens=4, priority=priority)
    steps = steps_with_text(engine, running)
    assert len(steps) >= 4000 // 128
    # Every running answer gets a token in every single step.
    assert all(step == running for step in steps)
    # And the long prompt gets the rest of each: it does not wait for them to end.
    assert len(steps) <= -(-4000 // (128 - NUM_DECODES * (1 if proposer is None else 8))) + 2


def test_an_old_request_of_low_priority_finishes_in_a_flood_of_short_urgent_ones():
    engine = FakeEngine(max_running_sequences=2, ageing_s=500.0, max_waiting_requests=2000)
    for index in range(4):
        engine.submit(f"early {index}", f"{index} early", max_tokens=3, priority=0)
    engine.submit("old", "the background", max_tokens=3, priority=2)
    for step in range(2000):
        # More come than can be served: the queue only grows.
        engine.submit(f"urgent {step}", f"{step} short", max_tokens=3, priority=0)
        engine.step()
        if engine.ends("old"):
            break
    assert engine.end("old").num_completion_tokens == 3
    assert len(engine.scheduler.waiting) > 10


def test_several_long_prompts_and_running_answers_all_end():
    engine = FakeEngine(num_blocks=300, block_size=16, max_batched_tokens=64, max_prompt_chunk=24, max_context=8192)
    for index in range(4):
        engine.submit(f"answer {index}", f"prompt {index}", max_tokens=60)
    for index in range(3):
        engine.submit(f"long {index}", f"{index} words " * 120, max_tokens=5)
    engine.run()
    assert all(engine.end(f"long {index}").num_completion_tokens == 5 for index in range(3))
