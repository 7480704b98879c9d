"""Two chats of the real starter in a pool that holds one and a half of them."""

import queue

from engine.api import EngineConfig, EngineHandle, list_models
from engine.messages import (
    LoadModel,
    RequestFailed,
    RequestFinished,
    RequestPreempted,
    SamplingParams,
    Submit,
    TextDelta,
)

PROMPTS = {
    "a": "Once upon a time there was a king who said: " * 12,
    "b": "The ferry to the island leaves at noon. " * 12,
}
TIMEOUT_S = 300
# Each request needs some 38 blocks of 16 tokens; the engine takes no fewer than 64.
NUM_BLOCKS = 64


def run(home, kv_budget_bytes):
    events = queue.Queue()
    handle = EngineHandle(
        EngineConfig(home=home, kv_budget_bytes=kv_budget_bytes),
        lambda batch: [events.put(event) for event in batch],
    )
    handle.start()
    handle.send(LoadModel("starter"))
    for request_id, prompt in PROMPTS.items():
        handle.send(Submit(request_id, SamplingParams(temperature=0, max_tokens=450), prompt=prompt, owner=request_id))
    texts, ends, preempted = dict.fromkeys(PROMPTS, ""), [], []
    while len(ends) < len(PROMPTS):
        event = events.get(timeout=TIMEOUT_S)
        if isinstance(event, TextDelta):
            texts[event.request_id] += event.text
        elif isinstance(event, RequestPreempted):
            preempted.append(event)
        elif isinstance(event, RequestFinished | RequestFailed):
            ends.append(event)
    assert handle.close(TIMEOUT_S)
    assert all(isinstance(end, RequestFinished) for end in ends), ends
    return texts, preempted


def test_both_finish_with_the_texts_of_a_large_pool(starter_home):
    (entry,) = list_models(starter_home)
    block_bytes = 16 * entry.spec.kv_bytes_per_token(element_size_bytes=2)
    texts, preempted = run(starter_home, NUM_BLOCKS * block_bytes)
    expected, none = run(starter_home, None)
    assert texts == expected
    assert [event.request_id for event in preempted] == ["b"]
    assert none == []
